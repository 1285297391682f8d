package core

import (
	"context"
	"errors"
	"runtime"
	"time"
)

// This file is how SharedTask and SharedResource run a user's function in a goroutine and wait for its clean-up.

// DefaultStopTimeout is how long the last one to leave waits for the clean-up where nothing else was set.
const DefaultStopTimeout = 10 * time.Second

// spawn calls f in a goroutine of its own, and then with its outcome; a panic or a runtime.Goexit in f is an error.
func spawn[T any](f func() (T, error), then func(T, error)) {
	go func() {
		var result T
		panicked := &PanicError{}
		var err error = panicked
		defer func() {
			if err == panicked {
				panicked.Value = recover()
				stack := make([]byte, 64<<10)
				panicked.Stack = stack[:runtime.Stack(stack, false)]
			}
			then(result, err)
		}()
		result, err = f()
	}()
}

// runContext returns the context of a shared function: the values of the goroutine that started it, no cancellation but
// its own, and a mark by which the function is known when it waits for itself.
func runContext(mark any, by Waker) (context.Context, context.CancelCauseFunc) {
	ctx := context.Background()
	if s, ok := by.(*sleeper); ok {
		ctx = context.WithoutCancel(s.ctx)
	}
	return context.WithCancelCause(context.WithValue(ctx, mark, mark))
}

// ended returns how a shared function ended: err, or the cause of its cancellation if err says no more than that.
func ended(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil {
		return err
	}
	// Not errors.Is: what is joined to a cancellation is the error of the clean-up, which nobody else would report.
	for e := err; e != nil; e = errors.Unwrap(e) {
		if e == ctx.Err() || e == cause {
			return cause
		}
	}
	return err
}

// sharer is the machine of a shared function.
type sharer interface {
	Park(*Waiter) (bool, error)
	leave(*Waiter) (left, cleanup bool)
	live() bool
}

const errNoRunner = invalid("made without its constructor")

// share is block for those who share a function: the last one to leave waits for the clean-up, at most timeout.
func share(ctx context.Context, steps sharer, timeout time.Duration) (*sleeper, error) {
	if ctx.Value(steps) != nil && steps.live() {
		return nil, ErrReentrant
	}
	if ctx.Err() != nil {
		return nil, cancellation(ctx)
	}
	s := newSleeper(ctx)
	if parked, err := steps.Park(&s.Waiter); !parked {
		return s, err
	}
	select {
	case <-s.woken:
	case <-ctx.Done():
		if left, cleanup := steps.leave(&s.Waiter); left {
			err := cancellation(ctx)
			if cleanup {
				err = joined(err, s.awaitCleanup(timeout))
			}
			return nil, err
		}
		<-s.woken
	}
	return s, s.err
}

// awaitCleanup waits until s, which is parked as roleCleanup, was settled, and returns the error of the clean-up.
func (s *sleeper) awaitCleanup(timeout time.Duration) error {
	if timeout == 0 {
		timeout = DefaultStopTimeout
	}
	var late <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-s.woken:
	case <-late:
		if s.Withdraw() {
			return ErrStopTimeout
		}
		<-s.woken
	}
	if s.err == ErrNoConsumers || s.err == ErrClosed {
		return nil // it ended by its cancellation, as it should
	}
	return s.err
}

// joined is errors.Join without its wrapping where there is nothing to join.
func joined(err, cleanup error) error {
	if cleanup == nil {
		return err
	}
	return errors.Join(err, cleanup)
}
