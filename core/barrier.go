package core

import "context"

// Barrier is where a fixed number of parties wait for each other: when the last of them has come, all go on, and the
// next generation begins. Whoever comes back before the others have left belongs to that one.
//
//	filling --the last party comes--> acting --the action ends--> filling, the next generation
//	filling --one who waits leaves--> broken --Reset--> filling
//	acting  --the action fails--> broken
//
// It is all or none: if one who waits leaves, by its cancellation, all others get ErrBroken, and so does everybody who
// comes until it is reset. Once a generation is full, a cancellation comes too late to count.
//
// Create it with NewBarrier; nobody can wait at the zero Barrier. Invariants: those who wait are fewer than the
// parties, unless an action runs; the value of each is its index of arrival.
type Barrier struct {
	parties int
	action  func() error

	gate
	generation uint64
	resets     uint64
	broken     error // why, or nil
	waiting    queue
	leaving    queue // the full generation, while its action runs
}

// NewBarrier returns a Barrier for so many parties; fewer than 1 are an ErrInvalid. The action, if it is not nil, is
// run once for each generation, when all have come and before any goes on, in a goroutine of its own. If it fails or
// panics, the Barrier is broken, unless it was reset meanwhile, and the error is joined to everybody's ErrBroken. While
// it runs nobody can leave, whatever their context says: it must end, and must not wait at its own Barrier.
func NewBarrier(parties int, action func() error) (*Barrier, error) {
	if parties < 1 {
		return nil, errParties
	}
	return &Barrier{parties: parties, action: action}, nil
}

const errParties = invalid("parties must be at least 1")

// BarrierStats is a snapshot of a Barrier.
type BarrierStats struct {
	Parties    int
	Waiting    int    // parties that wait for others
	Generation uint64 // how often it was full, or reset
	Broken     bool
	Closed     bool
}

// brokenBy is an ErrBroken that says why.
type brokenBy struct{ cause error }

func (b *brokenBy) Error() string        { return ErrBroken.Error() + ": " + b.cause.Error() }
func (b *brokenBy) Is(target error) bool { return target == ErrBroken }
func (b *brokenBy) Unwrap() error        { return b.cause }

// Wait blocks until all parties wait, and returns the caller's index in the order of arrival, from 0. If ctx ends
// first, it returns the cancellation and leaves the Barrier broken. It returns ErrBroken if the Barrier is or gets
// broken, and ErrClosed if it is or gets closed.
func (b *Barrier) Wait(ctx context.Context) (index int, err error) {
	s, err := block(ctx, b.Park)
	if err != nil {
		return 0, err
	}
	return int(s.value), nil
}

// Park is the passive form of Wait. It returns false with nil if w was the last to come and there is no action, true if
// w was parked until the last one has come and the action is done, and false with ErrBroken, ErrClosed or ErrParked.
// Once granted, Waiter.Value is the index of arrival. Withdraw breaks the Barrier.
func (b *Barrier) Park(w *Waiter) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	var out wakes
	b.mu.Lock()
	switch {
	case b.parties == 0:
		b.mu.Unlock()
		return false, errParties
	case b.closed:
		b.mu.Unlock()
		return false, ErrClosed
	case w.parked:
		b.mu.Unlock()
		return false, ErrParked
	case b.broken != nil:
		defer b.mu.Unlock()
		return false, b.broken
	}
	index := uint64(b.waiting.Len() % b.parties)
	if b.action == nil && b.waiting.Len() == b.parties-1 {
		b.generation++
		w.value = index
		b.passes(&b.waiting, &out)
		b.mu.Unlock()
		out.wake()
		return false, nil
	}
	b.waiting.park(w, b, roleWait)
	w.value = index
	b.act()
	b.mu.Unlock()
	return true, nil
}

// passes lets all in q go on.
func (b *Barrier) passes(q *queue, out *wakes) {
	for w := q.Front(); w != nil; w = q.Front() {
		q.settle(w, w.value, nil, out)
	}
}

// act begins the action of a generation that is full, unless that of the one before still runs.
func (b *Barrier) act() {
	if b.waiting.Len() < b.parties || b.leaving.Len() > 0 {
		return
	}
	b.generation++
	for range b.parties {
		w := b.waiting.Front()
		b.waiting.move(w, &b.leaving, roleBound)
	}
	resets := b.resets
	spawn(func() (struct{}, error) { return struct{}{}, b.action() }, func(_ struct{}, err error) { b.acted(resets, err) })
}

// acted follows the end of an action that began after so many resets.
func (b *Barrier) acted(resets uint64, err error) {
	var out wakes
	b.mu.Lock()
	if err == nil {
		b.passes(&b.leaving, &out)
	} else {
		b.leaving.settleAll(0, &brokenBy{err}, &out)
		if b.resets == resets {
			b.breaks(&brokenBy{err}, 0, &out)
		}
	}
	b.act()
	b.mu.Unlock()
	out.wake()
}

// breaks fails all who wait, but so many of the first, and all who come until Reset.
func (b *Barrier) breaks(err error, spared int, out *wakes) {
	if b.closed {
		return
	}
	b.broken = err
	var rest []*Waiter
	b.waiting.Each(func(w *Waiter) {
		if spared--; spared < 0 {
			rest = append(rest, w)
		}
	})
	for _, w := range rest {
		b.waiting.settle(w, 0, err, out)
	}
}

// full returns how many of those who wait are of generations that are full, and wait for the action of one before.
func (b *Barrier) full() int { return b.waiting.Len() / b.parties * b.parties }

// isFull says whether w is one of those.
func (b *Barrier) isFull(w *Waiter) bool {
	before, found := 0, false
	b.waiting.Each(func(other *Waiter) {
		if found = found || other == w; !found {
			before++
		}
	})
	return before < b.full()
}

func (b *Barrier) withdraw(w *Waiter) bool {
	var out wakes
	b.mu.Lock()
	if !w.parked || w.role == roleBound || b.isFull(w) {
		b.mu.Unlock()
		return false
	}
	b.waiting.withdraw(w)
	b.breaks(ErrBroken, b.full(), &out)
	b.mu.Unlock()
	out.wake()
	return true
}

// Reset mends a broken Barrier, or fails those who wait with ErrBroken, and begins a new generation. It returns how
// many waited. A generation whose action runs goes on undisturbed. It does not block; on a closed Barrier it does
// nothing.
func (b *Barrier) Reset() int {
	var out wakes
	n := 0
	b.mu.Lock()
	if !b.closed {
		n = b.waiting.settleAll(0, ErrBroken, &out)
		b.generation++
		b.resets++
		b.broken = nil
	}
	b.mu.Unlock()
	out.wake()
	return n
}

// Close fails all who wait for others, and all later calls, with ErrClosed. A generation whose action runs goes on when
// that is done. It does not block; a second call does nothing.
func (b *Barrier) Close() {
	var out wakes
	b.mu.Lock()
	b.closed, b.broken = true, nil
	b.waiting.settleAll(0, ErrClosed, &out)
	b.mu.Unlock()
	out.wake()
}

// Stats returns a snapshot.
func (b *Barrier) Stats() BarrierStats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return BarrierStats{b.parties, b.waiting.Len(), b.generation, b.broken != nil, b.closed}
}
