package core

import "context"

// RWLock lets in one alone, or any number that share it. All wait in one line, in the order of arrival: who wants to
// share it waits behind one who wants it alone, so neither kind starves. The zero RWLock is free and ready to use.
type RWLock struct{ tenancy }

// Lock blocks until the caller holds the lock alone. It returns ErrClosed if it is or gets closed, and the cancellation
// if ctx ends first. WithPriority lets a caller pass others that wait.
func (l *RWLock) Lock(ctx context.Context) (*Guard, error) {
	return l.lock(ctx, roleWait)
}

// RLock is Lock for those who share it.
func (l *RWLock) RLock(ctx context.Context) (*Guard, error) {
	return l.lock(ctx, roleShared)
}

// TryLock returns a Guard if the lock is free, and ErrWouldBlock or ErrClosed if not. It never overtakes those who
// wait.
func (l *RWLock) TryLock() (*Guard, error) { return l.guard(l.Take()) }

// TryRLock is TryLock for those who share it.
func (l *RWLock) TryRLock() (*Guard, error) { return l.guard(l.TakeShared()) }

// Steal takes the lock from all who hold it, whose Guards are lost then, before all who wait. The caller holds it
// alone. It returns ErrClosed, and does not block.
func (l *RWLock) Steal() (*Guard, error) { return l.guard(l.Seize()) }

// With runs f holding the lock alone, and returns its error, or that of Lock.
func (l *RWLock) With(ctx context.Context, f func() error) error {
	if f == nil {
		return errNoFunction
	}
	return with(func() (*Guard, error) { return l.Lock(ctx) }, func(*Guard) error { return f() })
}

// RWith runs f sharing the lock, and returns its error, or that of RLock.
func (l *RWLock) RWith(ctx context.Context, f func() error) error {
	if f == nil {
		return errNoFunction
	}
	return with(func() (*Guard, error) { return l.RLock(ctx) }, func(*Guard) error { return f() })
}

// Park is the passive form of Lock. It returns false with nil if the caller holds the lock now, true if w was parked
// until it does, and false with ErrClosed or ErrParked. Once granted, Waiter.Value is the tenure for Release, the same
// for all who share it.
func (l *RWLock) Park(w *Waiter) (bool, error) { return l.park(w, roleWait) }

// ParkShared is the passive form of RLock; see Park.
func (l *RWLock) ParkShared(w *Waiter) (bool, error) { return l.park(w, roleShared) }

// Take is the passive form of TryLock. It returns the tenure for Release, or ErrWouldBlock or ErrClosed.
func (l *RWLock) Take() (tenure uint64, err error) { return l.take(roleWait) }

// TakeShared is the passive form of TryRLock; see Take.
func (l *RWLock) TakeShared() (tenure uint64, err error) { return l.take(roleShared) }

// Seize is the passive form of Steal. The field Stolen, a func(tenure uint64) that is set before the first use, is
// called after each theft with the tenure that was lost, with no mutex held, and tells whose Waiters were granted that.
func (l *RWLock) Seize() (tenure uint64, err error) { return l.seize() }
