package core

import "context"

// ReentrantLock is a Lock that its holder can enter again, by showing the Guard that it has: who calls is not guessed.
// Each Guard is given back by itself, in any order, and with the last of them the lock. The zero ReentrantLock is free
// and ready to use.
type ReentrantLock struct{ tenancy }

// Lock blocks until the caller holds the lock; one who holds it already and does not say so waits for itself. It
// returns ErrClosed if it is or gets closed, and the cancellation if ctx ends first. WithPriority lets a caller pass
// others that wait.
func (l *ReentrantLock) Lock(ctx context.Context) (*Guard, error) {
	return l.lock(ctx, roleWait)
}

// LockWithin enters once more, on the strength of g, and does not block. It returns ErrNotOwner if g does not hold this
// lock now. That the lock was closed meanwhile does not matter: who is inside stays inside.
func (l *ReentrantLock) LockWithin(g *Guard) (*Guard, error) {
	if g == nil || g.of != &l.tenancy {
		return nil, ErrNotOwner
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if g.over || !l.holds(g.tenure) {
		return nil, ErrNotOwner
	}
	l.enter(roleWait)
	return &Guard{of: g.of, tenure: g.tenure}, nil
}

// TryLock returns a Guard if the lock is free, and ErrWouldBlock or ErrClosed if not. It never overtakes those who
// wait.
func (l *ReentrantLock) TryLock() (*Guard, error) { return l.guard(l.Take()) }

// With runs f holding the lock, and returns its error, or that of Lock. f gets the Guard, for LockWithin.
func (l *ReentrantLock) With(ctx context.Context, f func(*Guard) error) error {
	if f == nil {
		return errNoFunction
	}
	return with(func() (*Guard, error) { return l.Lock(ctx) }, f)
}

// Park is the passive form of Lock. It returns false with nil if the caller holds the lock now, true if w was parked
// until it does, and false with ErrClosed or ErrParked. Once granted, Waiter.Value is the tenure for Release.
func (l *ReentrantLock) Park(w *Waiter) (bool, error) { return l.park(w, roleWait) }

// Take is the passive form of TryLock. It returns the tenure for Release, or ErrWouldBlock or ErrClosed.
func (l *ReentrantLock) Take() (tenure uint64, err error) { return l.take(roleWait) }

// Reenter is the passive form of LockWithin: it enters once more with the given tenure, which is then to be released
// once more, or returns ErrNotOwner.
func (l *ReentrantLock) Reenter(tenure uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.holds(tenure) {
		return ErrNotOwner
	}
	l.enter(roleWait)
	return nil
}
