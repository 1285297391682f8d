package core

import "context"

// Lock lets one in at a time, in the order of arrival. Unlocking hands it to the first in line at once: nobody who
// comes in between gets it. Who holds it is known by the Guard that it got. The zero Lock is free and ready to use.
type Lock struct{ tenancy }

// Lock blocks until the caller holds the lock. It returns ErrClosed if it is or gets closed, and the cancellation if
// ctx ends first. WithPriority lets a caller pass others that wait.
func (l *Lock) Lock(ctx context.Context) (*Guard, error) {
	return l.lock(ctx, roleWait)
}

// TryLock returns a Guard if the lock is free, and ErrWouldBlock or ErrClosed if not. It never overtakes those who
// wait.
func (l *Lock) TryLock() (*Guard, error) { return l.guard(l.Take()) }

// Steal takes the lock from its holder, whose Guard is lost then, before all who wait. It is for a holder that will not
// come back; what the lock protects may be half done. It returns ErrClosed, and does not block.
func (l *Lock) Steal() (*Guard, error) { return l.guard(l.Seize()) }

// With runs f holding the lock, and returns its error, or that of Lock.
func (l *Lock) With(ctx context.Context, f func() error) error {
	if f == nil {
		return errNoFunction
	}
	return with(func() (*Guard, error) { return l.Lock(ctx) }, func(*Guard) error { return f() })
}

// Park is the passive form of Lock. It returns false with nil if the caller holds the lock now, true if w was parked
// until it does, and false with ErrClosed or ErrParked. Once granted, Waiter.Value is the tenure for Release.
func (l *Lock) Park(w *Waiter) (bool, error) { return l.park(w, roleWait) }

// Take is the passive form of TryLock. It returns the tenure for Release, or ErrWouldBlock or ErrClosed.
func (l *Lock) Take() (tenure uint64, err error) { return l.take(roleWait) }

// Seize is the passive form of Steal. The field Stolen, a func(tenure uint64) that is set before the first use, is
// called after each theft with the tenure that was lost, with no mutex held, and tells whose Waiters were granted that.
func (l *Lock) Seize() (tenure uint64, err error) { return l.seize() }
