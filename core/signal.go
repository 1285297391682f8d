package core

import "context"

// Signal wakes all who wait on it, at once and as often as one likes. It is edge-triggered: a signal that comes while
// nobody waits is not remembered.
//
// Whoever is parked when Signal is called is woken by that call, in the order of arrival; a woken caller that waits
// again waits for the next one. The zero Signal is ready to use.
type Signal struct {
	gate
	waiting queue
	signals uint64
	woken   uint64
}

// SignalStats is a snapshot of a Signal.
type SignalStats struct {
	Waiting int    // callers parked now
	Signals uint64 // calls of Signal so far, those that found nobody included
	Woken   uint64 // callers woken by them
	Closed  bool
}

// Wait blocks until the next Signal. It returns nil when woken, ErrClosed if the Signal is or gets closed, and the
// cancellation if ctx ends first; other waiters notice nothing of that.
func (s *Signal) Wait(ctx context.Context) error {
	_, err := block(ctx, s.Park)
	return err
}

// Signal wakes all who wait now and returns how many they were; 0 means that nobody heard it. It does not block.
func (s *Signal) Signal() int {
	var out wakes
	s.mu.Lock()
	n := s.waiting.settleAll(0, nil, &out)
	s.signals++
	s.woken += uint64(n)
	s.mu.Unlock()
	out.wake()
	return n
}

// Park is the passive form of Wait. It returns true if w was parked: it is woken by the next Signal or by Close. It
// returns false with ErrClosed or ErrParked.
func (s *Signal) Park(w *Waiter) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	s.mu.Lock() // and no defer, which costs as much as all else here does in wasm
	closed, again := s.closed, w.parked
	if !closed && !again {
		s.waiting.park(w, s, roleWait)
	}
	s.mu.Unlock()
	switch {
	case closed:
		return false, ErrClosed
	case again:
		return false, ErrParked
	}
	return true, nil
}

func (s *Signal) withdraw(w *Waiter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !w.parked {
		return false
	}
	s.waiting.withdraw(w)
	return true
}

// Close fails all who wait and all later Waits with ErrClosed. It does not block; a second call does nothing.
func (s *Signal) Close() {
	var out wakes
	s.mu.Lock()
	s.closed = true
	s.waiting.settleAll(0, ErrClosed, &out)
	s.mu.Unlock()
	out.wake()
}

// Stats returns a snapshot.
func (s *Signal) Stats() SignalStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return SignalStats{s.waiting.callers(), s.signals, s.woken, s.closed}
}
