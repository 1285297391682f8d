package core_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// call is a blocking call in a goroutine of its own. Its outcome may be read once it has ended.
type call[T any] struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
	value  T
	err    error
}

// begin starts a call whose context descends from ctx, in a bubble, and returns when it has parked or ended.
func begin[T any](ctx context.Context, f func(context.Context) (T, error)) *call[T] {
	c := goCall(ctx, f)
	synctest.Wait()
	return c
}

// goCall starts a call and does not wait for anything.
func goCall[T any](ctx context.Context, f func(context.Context) (T, error)) *call[T] {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &call[T]{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		defer cancel(nil)
		c.value, c.err = f(ctx)
	}()
	return c
}

// wait adapts a call that has no result.
func wait(f func(context.Context) error) func(context.Context) (struct{}, error) {
	return func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) }
}

func (c *call[T]) pending() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// leave cancels the call and returns when that has had all its effects.
func (c *call[T]) leave() {
	c.cancel(nil)
	synctest.Wait()
}

// parked fails the test unless the calls are all under way.
func parked[T any](t *testing.T, calls ...*call[T]) {
	t.Helper()
	synctest.Wait()
	for i, c := range calls {
		if !c.pending() {
			t.Errorf("call %d of %d has ended with %v, want it parked", i+1, len(calls), c.err)
		}
	}
}

// ended fails the test unless the calls have all ended with the given error.
func ended[T any](t *testing.T, err error, calls ...*call[T]) {
	t.Helper()
	synctest.Wait()
	for i, c := range calls {
		if c.pending() {
			t.Errorf("call %d of %d is parked, want it ended with %v", i+1, len(calls), err)
		} else if !errors.Is(c.err, err) {
			t.Errorf("call %d of %d has ended with %v, want %v", i+1, len(calls), c.err, err)
		}
	}
}

// same fails the test unless got is what was wanted.
func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// after returns a context that ends in d.
func after(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}
