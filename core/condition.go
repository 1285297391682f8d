package core

import (
	"context"
	"math"

	"github.com/clca-dev/clca/core/internal/waitlist"
)

// Condition is where those who hold a Lock wait, without it, until somebody says that what it protects has changed.
//
//	guard, _ := lock.Lock(ctx)
//	err := condition.WaitFor(ctx, guard, func() bool { return len(jobs) > 0 })
//	defer guard.Unlock() // the lock is held again, whatever err is, unless it was closed meanwhile
//
// Notified is who waits in the line of the lock: a notification is never lost. Invariant: who waits on a Condition does
// not hold its lock, and who has left it by a notification or a cancellation holds it again before its call returns.
//
// Create it with NewCondition. It ends with its lock.
type Condition struct {
	lock    *Lock
	waiting queue // guarded by the mutex of lock
	node    waitlist.Node[Condition]
}

// NewCondition returns a Condition of the given lock. A lock can have any number of them. Without a lock, as the zero
// Condition is, nobody can wait.
func NewCondition(lock *Lock) *Condition { return &Condition{lock: lock} }

// ConditionStats is a snapshot of a Condition.
type ConditionStats struct {
	Waiting int // callers that wait to be notified
	Closed  bool
}

// Wait unlocks the lock, blocks until notified, and returns when the caller holds the lock again, by the same guard. If
// ctx ends before the notification, it returns the cancellation, holding the lock as well, and the notification goes to
// others. If ctx ends after the notification, while the lock is being taken, the notification counts: Wait returns nil,
// and ctx still says that it is done.
//
// It returns ErrNotOwner if guard does not hold the lock, and ErrClosed if that is closed; it then has changed nothing.
// If the lock gets closed meanwhile, the call ends without it, with ErrClosed, or with the cancellation if that came
// first; guard.Unlock returns ErrNotOwner then.
func (c *Condition) Wait(ctx context.Context, guard *Guard) error {
	if err := c.refuses(ctx, guard); err != nil {
		return err
	}
	s := newRanked(ctx)
	if _, err := c.parkGuard(&s.Waiter, guard); err != nil {
		return err
	}
	select {
	case <-s.woken:
	case <-ctx.Done():
		c.Cancel(&s.Waiter, cancellation(ctx))
		<-s.woken
	}
	c.lock.mu.Lock()
	guard.tenure = s.value // 0, which nobody has, if the lock was closed
	c.lock.mu.Unlock()
	return s.err
}

// refuses returns what is wrong with waiting.
func (c *Condition) refuses(ctx context.Context, guard *Guard) error {
	if guard == nil || c.lock == nil || guard.of != &c.lock.tenancy {
		return ErrNotOwner
	}
	c.lock.mu.Lock()
	closed, held := c.lock.closed, !guard.over && c.lock.holds(guard.tenure)
	c.lock.mu.Unlock()
	switch {
	case closed:
		return ErrClosed
	case !held:
		return ErrNotOwner
	case ctx.Err() != nil:
		return cancellation(ctx)
	}
	return nil
}

// WaitFor waits until ready returns true. It calls ready holding the lock, at first before any waiting, and returns the
// errors of Wait.
func (c *Condition) WaitFor(ctx context.Context, guard *Guard, ready func() bool) error {
	if ready == nil {
		return invalid("ready must be given")
	}
	if err := c.refuses(ctx, guard); err != nil {
		return err
	}
	for !ready() {
		if err := c.Wait(ctx, guard); err != nil {
			return err
		}
	}
	return nil
}

// Notify has up to n of those who wait, in the order of arrival, take the lock again and go on, and returns how many.
// The caller should hold the lock, but need not. It does not block.
func (c *Condition) Notify(n int) int {
	if c.lock == nil {
		return 0
	}
	var out wakes
	notified := 0
	c.lock.mu.Lock()
	for notified < n && c.waiting.Len() > 0 {
		c.leave(c.waiting.Front(), nil, &out)
		notified++
	}
	c.lock.mu.Unlock()
	out.wake()
	return notified
}

// NotifyAll notifies all who wait, and returns how many they were.
func (c *Condition) NotifyAll() int { return c.Notify(math.MaxInt) }

// Park is the passive form of Wait, for one who holds the lock with the given tenure. It returns true if w was parked
// until it is notified and holds the lock again; Waiter.Value is the new tenure then. It returns false with
// ErrNotOwner, ErrClosed or ErrParked. Withdraw takes w out without the lock; if w was notified, another is in its
// place.
func (c *Condition) Park(w *Waiter, tenure uint64) (bool, error) {
	if c.lock == nil {
		return false, ErrNotOwner
	}
	return c.parkGuard(w, &Guard{of: &c.lock.tenancy, tenure: tenure})
}

func (c *Condition) parkGuard(w *Waiter, guard *Guard) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	var out wakes
	c.lock.mu.Lock()
	switch {
	case c.lock.closed:
		c.lock.mu.Unlock()
		return false, ErrClosed
	case w.parked:
		c.lock.mu.Unlock()
		return false, ErrParked
	case guard.over || !c.lock.holds(guard.tenure):
		c.lock.mu.Unlock()
		return false, ErrNotOwner
	}
	if c.waiting.Len() == 0 {
		c.lock.conditions.Push(&c.node, c)
	}
	c.waiting.park(w, c, roleWait)
	c.lock.release(guard.tenure, &out)
	c.lock.mu.Unlock()
	out.wake()
	return true, nil
}

// Cancel ends the wait of w with the given error: it is settled with it as soon as it holds the lock again. It returns
// false if w was notified before. w must have been parked here.
func (c *Condition) Cancel(w *Waiter, err error) bool {
	if w == nil || c.lock == nil {
		return false
	}
	var out wakes
	c.lock.mu.Lock()
	cancelled := w.parked && w.at == machine(c) && w.role == roleWait
	if cancelled {
		c.leave(w, err, &out)
	}
	c.lock.mu.Unlock()
	out.wake()
	return cancelled
}

// leave moves w to the line of the lock, for it to be settled with err.
func (c *Condition) leave(w *Waiter, err error, out *wakes) {
	c.waiting.moveRanked(w, &c.lock.waiting, roleRetake)
	c.left()
	w.err = err
	c.lock.next(out)
}

// left follows the departure of one who waited to be notified.
func (c *Condition) left() {
	if c.waiting.Len() == 0 {
		c.lock.conditions.Remove(&c.node)
	}
}

func (c *Condition) withdraw(w *Waiter) bool {
	var out wakes
	c.lock.mu.Lock()
	was := w.parked
	switch {
	case !was:
	case w.role == roleWait:
		c.waiting.withdraw(w)
		c.left()
	default: // who waits for a lock that is held alone lets nobody in by leaving
		notified := w.err == nil
		c.lock.waiting.withdraw(w)
		if notified && c.waiting.Len() > 0 {
			c.leave(c.waiting.Front(), nil, &out)
		}
	}
	c.lock.mu.Unlock()
	out.wake()
	return was
}

// Contended is as for every primitive; see Signal.Contended.
func (c *Condition) Contended() bool { return c.lock != nil && c.lock.Contended() }

// Stats returns a snapshot.
func (c *Condition) Stats() ConditionStats {
	if c.lock == nil {
		return ConditionStats{}
	}
	c.lock.mu.Lock()
	defer c.lock.mu.Unlock()
	return ConditionStats{c.waiting.Len(), c.lock.closed}
}
