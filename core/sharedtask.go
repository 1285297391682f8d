package core

import (
	"context"
	"time"
)

// SharedTask is one run of a function, shared by all who want its result. The first Wait starts it; everybody gets the
// same result or error, and it is kept: later calls get it at once. Whoever leaves disturbs nobody, and when the last
// one leaves, the run is cancelled. A cancelled run is forgotten: the next Wait starts afresh, once the old run has
// cleaned up. Two runs never overlap.
//
// Create it with NewSharedTask.
type SharedTask[T any] struct {
	// StopTimeout bounds how long the last caller to leave waits for a cancelled run to clean up; past it, its error
	// joins ErrStopTimeout. 0 means DefaultStopTimeout, less than 0 no bound. It must be set before the first Wait.
	StopTimeout time.Duration

	steps  TaskSteps
	run    func(context.Context) (T, error)
	cancel context.CancelCauseFunc // of the run in progress; only its runner touches it
	result T                       // written before Finish, read after a grant
}

// NewSharedTask returns a SharedTask that runs the given function, which may not be nil, when it is first waited for.
//
// The function's context has the values of the call that started it, but not its deadline or cancellation: it is
// cancelled with the cause ErrNoConsumers when the last caller leaves, and with ErrClosed by Close. A panic in the
// function is a PanicError for all who wait.
func NewSharedTask[T any](run func(context.Context) (T, error)) *SharedTask[T] {
	t := new(SharedTask[T])
	t.init(run)
	return t
}

func (t *SharedTask[T]) init(run func(context.Context) (T, error)) {
	t.run = run
	t.steps.Runner = (*taskRunner[T])(t)
}

// Wait blocks until the run has ended, starting it if need be, and returns its result or error. If ctx ends first, Wait
// leaves and returns the cancellation; as the last one to leave it first waits until the cancelled run has cleaned up,
// at most StopTimeout, and joins the error of the clean-up. It returns ErrClosed after Close, and ErrReentrant when
// called by the function itself.
func (t *SharedTask[T]) Wait(ctx context.Context) (T, error) { return t.wait(ctx, t.StopTimeout) }

func (t *SharedTask[T]) wait(ctx context.Context, timeout time.Duration) (T, error) {
	if _, err := share(ctx, &t.steps, timeout); err != nil {
		var none T
		return none, err
	}
	return t.result, nil
}

// Park is the passive form of Wait; see TaskSteps.Park. Once granted, Result returns what the run returned.
func (t *SharedTask[T]) Park(w *Waiter) (bool, error) { return t.steps.Park(w) }

// Result returns what a run has returned, for those whose Park was granted.
func (t *SharedTask[T]) Result() T { return t.result }

// Close cancels a run in progress, forgets a result, and fails all who wait and all later calls with ErrClosed. It does
// not block; a second call does nothing.
func (t *SharedTask[T]) Close() { t.steps.Close() }

// Stats returns a snapshot.
func (t *SharedTask[T]) Stats() TaskStats { return t.steps.Stats() }

// Contended is as for every primitive; see Signal.Contended.
func (t *SharedTask[T]) Contended() bool { return t.steps.Contended() }

// taskRunner runs the function of a SharedTask in a goroutine per run.
type taskRunner[T any] SharedTask[T]

func (t *taskRunner[T]) Start(run uint64, by Waker) {
	ctx, cancel := runContext(&t.steps, by)
	t.cancel = cancel
	spawn(func() (T, error) { return t.run(ctx) }, func(result T, err error) {
		if ctx.Err() == nil {
			t.result = result
		}
		t.steps.Finish(run, ended(ctx, err))
		cancel(nil)
	})
}

func (t *taskRunner[T]) Cancel(_ uint64, cause error) { t.cancel(cause) }

// TaskSteps is the passive face of SharedTask without its goroutines: it decides who runs when and who gets what, and
// leaves it to a TaskRunner to run the function, wherever that may be, and to keep its result.
//
//	Idle --Park--> Running --Finish--> Done
//	               Running --the last one leaves--> Stopping --Finish--> Idle, or Running for those who came meanwhile
//	               Running --Finish with an error, and Retry--> Idle
//	               Running, Stopping --Lose--> as if it had never been started
//
// Invariants: a run is live exactly in Running and Stopping, and Running has somebody who waits. Runner must be set
// before the first Park.
type TaskSteps struct {
	Runner TaskRunner
	// Retry says that a run which failed is forgotten once all who waited for it have got its error, so that the next
	// Park begins another; without it the error is kept. It must be set before the first Park.
	Retry bool

	gate
	effects effects
	state   TaskState
	run     uint64
	err     error // of the run that is kept, in Done
	waiting queue
	cleanup queue // the last leaver, in Stopping
}

// TaskRunner carries out what TaskSteps decide. Its methods are called one at a time, in order, without a mutex held;
// they must not block.
type TaskRunner interface {
	// Start begins a run. by is the Waker of the caller that has waited longest. The run ends with Finish or Lose.
	Start(run uint64, by Waker)
	// Cancel asks a run to end, which it still does with Finish or Lose.
	Cancel(run uint64, cause error)
}

// TaskState says what a SharedTask is doing.
type TaskState uint8

// The states of a SharedTask.
const (
	TaskIdle     TaskState = iota // never run, or forgotten
	TaskRunning                   // somebody waits for the run in progress
	TaskStopping                  // nobody waited any more; the cancelled run cleans up
	TaskDone                      // a result or an error is kept
)

// String returns the name of the state.
func (s TaskState) String() string { return [...]string{"Idle", "Running", "Stopping", "Done"}[s] }

// TaskStats is a snapshot of a SharedTask.
type TaskStats struct {
	State   TaskState
	Waiting int    // callers that wait now
	Runs    uint64 // runs started so far
	Closed  bool
}

// Park joins the run in progress, or starts one. It returns true if w was parked: it is woken when the run ends, with
// the run's error or, without one, as granted. It returns false where a run is kept, with nil for a result and with its
// error otherwise; and false with ErrClosed or ErrParked. Once granted, Waiter.Value is the number of the run.
func (t *TaskSteps) Park(w *Waiter) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	t.mu.Lock()
	switch {
	case t.closed:
		t.mu.Unlock()
		return false, ErrClosed
	case t.Runner == nil:
		t.mu.Unlock()
		return false, errNoRunner
	case w.parked:
		t.mu.Unlock()
		return false, ErrParked
	case t.state == TaskDone:
		defer t.mu.Unlock()
		w.value = t.run
		return false, t.err
	}
	t.waiting.park(w, t, roleWait)
	if t.state == TaskIdle {
		t.start()
	}
	t.effects.unlock(&t.mu, new(wakes))
	return true, nil
}

// live says whether a run is.
func (t *TaskSteps) live() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state == TaskRunning || t.state == TaskStopping
}

// start begins the next run, for those who wait.
func (t *TaskSteps) start() {
	t.state = TaskRunning
	t.run++
	run, by := t.run, t.waiting.Front().Waker
	t.effects.add(func() { t.Runner.Start(run, by) })
}

// Finish says that a run has ended, with the given error. If it was cancelled, that is the error of its clean-up, and
// goes to nobody but the last leaver; else all who wait are settled and the outcome is kept. A run that is not the live
// one is ignored.
func (t *TaskSteps) Finish(run uint64, err error) {
	var out wakes
	t.mu.Lock()
	if run == t.run {
		switch t.state {
		case TaskRunning:
			t.state, t.err = TaskDone, err
			if err != nil && t.Retry {
				t.state, t.err = TaskIdle, nil
			}
			t.waiting.settleAll(run, err, &out)
		case TaskStopping:
			t.stopped(err, &out)
		}
	}
	t.effects.unlock(&t.mu, &out)
}

// Lose says that a run is gone with the place where it ran. Those who wait get a new one.
func (t *TaskSteps) Lose(run uint64) {
	var out wakes
	t.mu.Lock()
	if run == t.run {
		switch t.state {
		case TaskRunning:
			t.start()
		case TaskStopping:
			t.stopped(nil, &out)
		}
	}
	t.effects.unlock(&t.mu, &out)
}

// stopped follows the end of a cancelled run.
func (t *TaskSteps) stopped(err error, out *wakes) {
	t.cleanup.settleAll(t.run, err, out)
	t.state = TaskIdle
	if t.waiting.Len() > 0 {
		t.start()
	}
}

// stop cancels the run in progress.
func (t *TaskSteps) stop(cause error) {
	t.state = TaskStopping
	run := t.run
	t.effects.add(func() { t.Runner.Cancel(run, cause) })
}

func (t *TaskSteps) withdraw(w *Waiter) bool {
	t.mu.Lock()
	defer t.effects.unlock(&t.mu, new(wakes))
	if !w.parked {
		return false
	}
	if w.role == roleCleanup {
		t.cleanup.withdraw(w)
		return true
	}
	t.waiting.withdraw(w)
	if t.state == TaskRunning && t.waiting.Len() == 0 {
		t.stop(ErrNoConsumers)
	}
	return true
}

// leave is Withdraw for those who, if they were the last, wait for the clean-up: w is then parked anew, and is settled
// with the error of the clean-up.
func (t *TaskSteps) leave(w *Waiter) (left, cleanup bool) {
	t.mu.Lock()
	defer t.effects.unlock(&t.mu, new(wakes))
	if !w.parked {
		return false, false
	}
	t.waiting.withdraw(w)
	if t.state == TaskRunning && t.waiting.Len() == 0 {
		t.stop(ErrNoConsumers)
		t.cleanup.park(w, t, roleCleanup)
		return true, true
	}
	return true, false
}

// Close cancels a run in progress, forgets a kept one, and fails all who wait and all later calls with ErrClosed.
func (t *TaskSteps) Close() {
	var out wakes
	t.mu.Lock()
	t.closed = true
	t.waiting.settleAll(0, ErrClosed, &out)
	switch t.state {
	case TaskRunning:
		t.stop(ErrClosed)
	case TaskDone:
		t.state, t.err = TaskIdle, nil
	}
	t.effects.unlock(&t.mu, &out)
}

// Stats returns a snapshot.
func (t *TaskSteps) Stats() TaskStats {
	t.mu.Lock()
	defer t.mu.Unlock()
	return TaskStats{t.state, t.waiting.Len(), t.run, t.closed}
}
