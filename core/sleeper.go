package core

import "context"

// sleeper is the Waiter of a goroutine: the blocking face is a thin select over the passive one.
type sleeper struct {
	Waiter
	ctx   context.Context
	woken chan struct{}
}

func newSleeper(ctx context.Context) *sleeper {
	s := &sleeper{ctx: ctx, woken: make(chan struct{}, 1)}
	s.Waker = s
	return s
}

// Wake never blocks: a Waiter is settled once, and the channel has room for one.
func (s *sleeper) Wake() { s.woken <- struct{}{} }

// block parks the calling goroutine by the given step and returns when it was settled or ctx is done. If both happened,
// the first counts: Withdraw knows.
func block(ctx context.Context, park func(*Waiter) (bool, error)) (*sleeper, error) {
	if ctx.Err() != nil {
		return nil, cancellation(ctx)
	}
	return newSleeper(ctx).block(park)
}

// acquire is block for those who wait for something to hold, with the priority that ctx says.
func acquire(ctx context.Context, park func(*Waiter) (bool, error)) (*sleeper, error) {
	if ctx.Err() != nil {
		return nil, cancellation(ctx)
	}
	return newRanked(ctx).block(park)
}

// newRanked is newSleeper with the priority that ctx says.
func newRanked(ctx context.Context) *sleeper {
	s := newSleeper(ctx)
	s.Priority, _ = ctx.Value(priorityKey{}).(int32)
	return s
}

type priorityKey struct{}

// WithPriority returns a context whose calls go before those of a lower priority where they wait for a lock, permits or
// a lease; without it, the priority is 0. Among equals, who came first is first. A priority changes nothing for those
// who hold already: nothing is taken from anybody. Other calls do not heed it.
//
//	guard, err := lock.Lock(core.WithPriority(ctx, 1))
func WithPriority(ctx context.Context, priority int32) context.Context {
	return context.WithValue(ctx, priorityKey{}, priority)
}

func (s *sleeper) block(park func(*Waiter) (bool, error)) (*sleeper, error) {
	if parked, err := park(&s.Waiter); !parked {
		return s, err
	}
	select {
	case <-s.woken:
	case <-s.ctx.Done():
		if s.Withdraw() {
			return nil, cancellation(s.ctx)
		}
		<-s.woken
	}
	return s, s.err
}
