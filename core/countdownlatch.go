package core

import "context"

// CountdownLatch holds callers back until it was counted down to zero, and then lets everybody pass for good. The zero
// CountdownLatch is at zero; NewCountdownLatch makes one that is not. Invariant: nobody waits at zero.
type CountdownLatch struct {
	gate
	remaining int
	waiting   queue
}

// NewCountdownLatch returns a latch that opens once it was counted down so many times; less than 0 is an ErrInvalid.
func NewCountdownLatch(count int) (*CountdownLatch, error) {
	if count < 0 {
		return nil, invalid("count must be at least 0")
	}
	return &CountdownLatch{remaining: count}, nil
}

// LatchStats is a snapshot of a CountdownLatch.
type LatchStats struct {
	Remaining int
	Waiting   int // callers parked now
	Closed    bool
}

// Wait blocks until the count is zero. It returns ErrClosed if the latch is or gets closed before, and the cancellation
// if ctx ends first.
func (l *CountdownLatch) Wait(ctx context.Context) error {
	_, err := block(ctx, l.Park)
	return err
}

// CountDown takes n from the count, and at zero wakes all who wait. It returns what is left, and does not block. It
// returns ErrInvalid for n below 1, ErrOverRelease if less than n is left, and ErrClosed; it then has changed nothing.
func (l *CountdownLatch) CountDown(n int) (remaining int, err error) {
	var out wakes
	l.mu.Lock()
	switch {
	case n < 1:
		err = invalid("n must be at least 1")
	case l.closed:
		err = ErrClosed
	case n > l.remaining:
		err = ErrOverRelease
	default:
		l.remaining -= n
		if l.remaining == 0 {
			l.waiting.settleAll(0, nil, &out)
		}
	}
	remaining = l.remaining
	l.mu.Unlock()
	out.wake()
	return remaining, err
}

// Park is the passive form of Wait. It returns false with nil if the count is zero, true if w was parked until it is,
// and false with ErrClosed or ErrParked.
func (l *CountdownLatch) Park(w *Waiter) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return false, ErrClosed
	case w.parked:
		return false, ErrParked
	case l.remaining == 0:
		return false, nil
	}
	l.waiting.park(w, l, roleWait)
	return true, nil
}

func (l *CountdownLatch) withdraw(w *Waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !w.parked {
		return false
	}
	l.waiting.withdraw(w)
	return true
}

// Close fails all who wait and all later calls with ErrClosed. It does not block; a second call does nothing.
func (l *CountdownLatch) Close() {
	var out wakes
	l.mu.Lock()
	l.closed = true
	l.waiting.settleAll(0, ErrClosed, &out)
	l.mu.Unlock()
	out.wake()
}

// Stats returns a snapshot.
func (l *CountdownLatch) Stats() LatchStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return LatchStats{l.remaining, l.waiting.callers(), l.closed}
}
