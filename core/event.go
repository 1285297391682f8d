package core

import "context"

// Event is something that has happened or has not: callers wait until it is set, and pass while it is. The zero Event
// is not set and ready to use.
//
// Set wakes all who wait, however soon Clear follows: that is for those who come later. Invariant: nobody waits while
// it is set.
type Event struct {
	gate
	set     bool
	sets    uint64
	waiting queue
}

// EventStats is a snapshot of an Event.
type EventStats struct {
	Set     bool
	Waiting int    // callers parked now
	Sets    uint64 // how often it was set
	Closed  bool
}

// Wait returns nil at once while the Event is set, and else blocks until it is. ErrClosed and the cancellation of ctx
// are the other outcomes.
func (e *Event) Wait(ctx context.Context) error {
	_, err := block(ctx, e.Park)
	return err
}

// Set sets the Event, wakes all who wait, and returns how many they were. While it is set, or closed, it does nothing
// and returns 0. It does not block.
func (e *Event) Set() int {
	var out wakes
	n := 0
	e.mu.Lock()
	if !e.set && !e.closed {
		e.set = true
		e.sets++
		n = e.waiting.settleAll(0, nil, &out)
	}
	e.mu.Unlock()
	out.wake()
	return n
}

// Clear makes later calls of Wait block, and returns whether the Event was set. It does not block.
func (e *Event) Clear() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	was := e.set
	e.set = false
	return was
}

// IsSet reports whether the Event is set.
func (e *Event) IsSet() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.set
}

// Park is the passive form of Wait. It returns false with nil if the Event is set, true if w was parked until it is,
// and false with ErrClosed or ErrParked.
func (e *Event) Park(w *Waiter) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	e.mu.Lock() // and no defer, which is expensive in wasm
	closed, again := e.closed, w.parked
	parks := !closed && !again && !e.set
	if parks {
		e.waiting.park(w, e, roleWait)
	}
	e.mu.Unlock()
	switch {
	case closed:
		return false, ErrClosed
	case again:
		return false, ErrParked
	}
	return parks, nil
}

func (e *Event) withdraw(w *Waiter) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !w.parked {
		return false
	}
	e.waiting.withdraw(w)
	return true
}

// Close clears the Event and fails all who wait and all later Waits with ErrClosed. It does not block; a second call
// does nothing.
func (e *Event) Close() {
	var out wakes
	e.mu.Lock()
	e.closed, e.set = true, false
	e.waiting.settleAll(0, ErrClosed, &out)
	e.mu.Unlock()
	out.wake()
}

// Stats returns a snapshot.
func (e *Event) Stats() EventStats {
	e.mu.Lock()
	defer e.mu.Unlock()
	return EventStats{e.set, e.waiting.callers(), e.sets, e.closed}
}
