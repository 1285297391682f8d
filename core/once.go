package core

import (
	"context"
	"time"
)

// Once runs a function until it has succeeded once, and then never again. It is a SharedTask that does not keep an
// error: all who wait while it runs get the error of a run that failed, and who comes later tries again. A run that
// everybody has left is cancelled, and may be tried again as well. Two runs never overlap.
//
// Create it with NewOnce.
type Once[T any] struct {
	// StopTimeout is that of SharedTask. It must be set before the first Do.
	StopTimeout time.Duration

	task SharedTask[T]
}

// NewOnce returns a Once for the given function, which may not be nil; its context is that of NewSharedTask.
func NewOnce[T any](run func(context.Context) (T, error)) *Once[T] {
	o := new(Once[T])
	o.task.init(run)
	o.task.steps.Retry = true
	return o
}

// Do returns the result of the run that succeeded, at once if there was one. Else it blocks until the run in progress
// has ended, starting one if need be, and returns its result or error. If ctx ends first it leaves, as SharedTask.Wait
// does. It returns ErrClosed after Close, and ErrReentrant when called by the function itself.
func (o *Once[T]) Do(ctx context.Context) (T, error) { return o.task.Wait(ctx) }

// Done reports whether a run has succeeded.
func (o *Once[T]) Done() bool { return o.Stats().State == TaskDone }

// Park is the passive form of Do; see TaskSteps.Park. Once granted, Result returns what the run returned.
func (o *Once[T]) Park(w *Waiter) (bool, error) { return o.task.Park(w) }

// Result returns what the run has returned, for those whose Park was granted.
func (o *Once[T]) Result() T { return o.task.Result() }

// Close cancels a run in progress, forgets a result, and fails all who wait and all later calls with ErrClosed. It does
// not block; a second call does nothing.
func (o *Once[T]) Close() { o.task.Close() }

// Stats returns a snapshot.
func (o *Once[T]) Stats() TaskStats { return o.task.Stats() }

// Contended is as for every primitive; see Signal.Contended.
func (o *Once[T]) Contended() bool { return o.task.Contended() }
