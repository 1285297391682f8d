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
	s := newSleeper(ctx)
	if parked, err := park(&s.Waiter); !parked {
		return s, err
	}
	select {
	case <-s.woken:
	case <-ctx.Done():
		if s.Withdraw() {
			return nil, cancellation(ctx)
		}
		<-s.woken
	}
	return s, s.err
}
