package core_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clca-dev/clca/core"
)

// The defects H1 to H10 and A1 to A4 of the original SharedTask and Stream, each as what is right instead.

// job is a shared function under the control of a test: a run ends when it is told how.
type job struct {
	runs    int
	live    int // runs in progress
	most    int // most of them at a time
	ctx     context.Context
	end     chan error // ends the run in progress
	cleanup chan error // ends it once it was cancelled; nil: it ignores that
}

func newJob() *job { return &job{end: make(chan error), cleanup: make(chan error)} }

// run returns its number.
func (j *job) run(ctx context.Context) (int, error) {
	j.runs++
	j.live++
	j.most = max(j.most, j.live)
	defer func() { j.live-- }()
	run := j.runs
	j.ctx = ctx
	cancelled := ctx.Done()
	if j.cleanup == nil {
		cancelled = nil
	}
	select {
	case err := <-j.end:
		return run, err
	case <-cancelled:
		return 0, <-j.cleanup
	}
}

// shared is what SharedTask and SharedResource have in common; the rows hold for both.
type shared struct {
	call    func(context.Context) (int, error)
	close   func()
	timeout func(time.Duration)
}

// eachShared runs a test for a task and for a resource that are made by j.
func eachShared(t *testing.T, test func(t *testing.T, j *job, s shared)) {
	t.Run("SharedTask", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			j := newJob()
			task := core.NewSharedTask(j.run)
			test(t, j, shared{task.Wait, task.Close, func(d time.Duration) { task.StopTimeout = d }})
		})
	})
	t.Run("SharedResource", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			j := newJob()
			r := core.NewSharedResource(j.run, func(int) error { return nil })
			acquire := func(ctx context.Context) (int, error) {
				ref, err := r.Acquire(ctx)
				if err != nil {
					return 0, err
				}
				defer ref.Release()
				return ref.Value(), nil
			}
			test(t, j, shared{acquire, r.Close, func(d time.Duration) { r.StopTimeout = d }})
		})
	})
}

func TestH1_WhoComesDuringTheCleanUpGetsAFreshRun(t *testing.T) {
	eachShared(t, func(t *testing.T, j *job, s shared) {
		last := begin(background, s.call)
		last.leave()
		newcomer := begin(background, s.call)
		parked(t, last, newcomer)
		same(t, "runs during the clean-up", j.runs, 1)
		j.cleanup <- nil
		ended(t, context.Canceled, last)
		parked(t, newcomer)
		j.end <- nil
		ended(t, nil, newcomer)
		same(t, "result", newcomer.value, 2)
		same(t, "most runs at a time", j.most, 1)
	})
}

func TestH2_ASecondCancellationDoesNotInterruptTheCleanUp(t *testing.T) {
	eachShared(t, func(t *testing.T, j *job, s shared) {
		outer, again := context.WithCancel(background)
		last := begin(outer, s.call)
		last.leave()
		cause := context.Cause(j.ctx)
		again()
		parked(t, last)
		same(t, "cause seen by the run", context.Cause(j.ctx), cause)
		same(t, "live", j.live, 1)
		j.cleanup <- nil
		ended(t, context.Canceled, last)
	})
}

func TestH3_ACancellationDuringTheCleanUpIsNotSwallowed(t *testing.T) {
	eachShared(t, func(t *testing.T, j *job, s shared) {
		outer, cancel := context.WithCancel(background)
		timed, stop := context.WithTimeout(outer, time.Second)
		defer stop()
		last := begin(timed, s.call)
		<-timed.Done()
		parked(t, last)
		cancel()
		j.cleanup <- nil
		ended(t, context.DeadlineExceeded, last) // what ended the call
		same(t, "what its caller sees next", outer.Err(), context.Canceled)
	})
}

func TestH4_ACleanUpErrorJoinsTheCancellationOfTheLastAlone(t *testing.T) {
	flush := errors.New("flush failed")
	eachShared(t, func(t *testing.T, j *job, s shared) {
		early, last := begin(background, s.call), begin(background, s.call)
		early.leave()
		last.leave()
		j.cleanup <- flush
		ended(t, context.Canceled, early, last)
		ended(t, flush, last)
		same(t, "the first to leave hears of the clean-up", errors.Is(early.err, flush), false)
	})
	t.Run("a timeout stays visible", func(t *testing.T) {
		eachShared(t, func(t *testing.T, j *job, s shared) {
			last := begin(after(t, time.Second), s.call)
			time.Sleep(time.Second)
			j.cleanup <- flush
			ended(t, context.DeadlineExceeded, last)
			ended(t, flush, last)
		})
	})
	t.Run("also where the run joins it to its own cancellation", func(t *testing.T) {
		eachShared(t, func(t *testing.T, j *job, s shared) {
			last := begin(background, s.call)
			last.leave()
			j.cleanup <- errors.Join(j.ctx.Err(), flush)
			ended(t, context.Canceled, last)
			ended(t, flush, last)
		})
	})
	t.Run("the cancellation itself is no clean-up error", func(t *testing.T) {
		eachShared(t, func(t *testing.T, j *job, s shared) {
			last := begin(after(t, time.Second), s.call)
			time.Sleep(time.Second)
			synctest.Wait()
			j.cleanup <- fmt.Errorf("reading: %w", j.ctx.Err())
			ended(t, context.DeadlineExceeded, last)
			same(t, "the run's own cancellation is joined", errors.Is(last.err, context.Canceled), false)
		})
	})
}

func TestH5_ACleanUpThatTakesTooLongIsNotWaitedFor(t *testing.T) {
	eachShared(t, func(t *testing.T, j *job, s shared) {
		j.cleanup = nil
		s.timeout(50 * time.Millisecond)
		last := begin(background, s.call)
		last.leave()
		parked(t, last)
		time.Sleep(50 * time.Millisecond)
		ended(t, context.Canceled, last)
		ended(t, core.ErrStopTimeout, last)

		newcomer := begin(background, s.call)
		parked(t, newcomer)
		j.end <- nil
		parked(t, newcomer)
		j.end <- nil
		ended(t, nil, newcomer)
		same(t, "most runs at a time", j.most, 1)
	})
	t.Run("unless there is no bound", func(t *testing.T) {
		eachShared(t, func(t *testing.T, j *job, s shared) {
			j.cleanup = nil
			s.timeout(-1)
			last := begin(background, s.call)
			last.leave()
			time.Sleep(100 * core.DefaultStopTimeout)
			parked(t, last)
			j.end <- nil
			ended(t, context.Canceled, last)
			same(t, "it has timed out", errors.Is(last.err, core.ErrStopTimeout), false)
		})
	})
	t.Run("by default", func(t *testing.T) {
		eachShared(t, func(t *testing.T, j *job, s shared) {
			j.cleanup = nil
			last := begin(background, s.call)
			last.leave()
			time.Sleep(core.DefaultStopTimeout)
			ended(t, core.ErrStopTimeout, last)
			j.end <- nil
		})
	})
}

func TestH6_TheLastReleaseStopsTheResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := 0
		r := core.NewSharedResource(
			func(context.Context) (int, error) { return 1, nil },
			func(int) error { stopped++; return nil })
		var refs [4]*core.Ref[int]
		for i := range refs {
			ref, err := r.Acquire(background)
			if err != nil {
				t.Fatal(err)
			}
			refs[i] = ref
		}
		same(t, "held", r.Stats().Held, 4)
		for i, ref := range refs {
			same(t, "stopped before the last release", stopped, 0)
			ref.Release()
			same(t, "held", r.Stats().Held, 3-i)
		}
		same(t, "stopped", stopped, 1)
		same(t, "state", r.Stats().State, core.ResourceIdle)
	})
}

func TestH6_WhoGotTheResultOfATaskIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		task := core.NewSharedTask(func(context.Context) (int, error) { return 1, nil })
		for range 4 {
			ended(t, nil, begin(background, task.Wait))
		}
		same(t, "stats", task.Stats(), core.TaskStats{State: core.TaskDone, Runs: 1})
	})
}

func TestH8_CloseBeforeTheFirstCallIsErrClosed(t *testing.T) {
	eachShared(t, func(t *testing.T, j *job, s shared) {
		s.close()
		ended(t, core.ErrClosed, begin(background, s.call))
		same(t, "runs", j.runs, 0)
	})
}

func TestH9_LeavingCancelsOnlyTheRunThatWasMadeForIt(t *testing.T) {
	eachShared(t, func(t *testing.T, j *job, s shared) {
		owner, end := context.WithCancel(background)
		defer end()
		client, leave := context.WithTimeout(owner, time.Second)
		defer leave()
		only := begin(client, s.call)
		time.Sleep(time.Second)
		synctest.Wait()
		same(t, "cause seen by the run", context.Cause(j.ctx), core.ErrNoConsumers)
		j.cleanup <- nil
		ended(t, context.DeadlineExceeded, only)
		same(t, "owner's context", owner.Err(), nil)

		next := begin(owner, s.call)
		j.end <- nil
		ended(t, nil, next)
		same(t, "result", next.value, 2)
	})
}

func TestH10_TheRunHasTheValuesOfTheFirstCallerAndNothingElseOfIt(t *testing.T) {
	type key struct{}
	eachShared(t, func(t *testing.T, j *job, s shared) {
		ctx, stop := context.WithTimeout(context.WithValue(background, key{}, "first"), time.Second)
		defer stop()
		first := begin(ctx, s.call)
		second := begin(context.WithValue(background, key{}, "second"), s.call)
		same(t, "value", j.ctx.Value(key{}), any("first"))
		_, hasDeadline := j.ctx.Deadline()
		same(t, "has a deadline", hasDeadline, false)
		time.Sleep(time.Second)
		ended(t, context.DeadlineExceeded, first)
		same(t, "error of the run's context", j.ctx.Err(), nil)
		j.end <- nil
		ended(t, nil, second)
	})
}

func TestA1_TheTimeoutOfOneCallerIsItsOwn(t *testing.T) {
	eachShared(t, func(t *testing.T, j *job, s shared) {
		hasty, patient := begin(after(t, time.Second), s.call), begin(background, s.call)
		time.Sleep(time.Second)
		ended(t, context.DeadlineExceeded, hasty)
		parked(t, patient)
		j.end <- nil
		ended(t, nil, patient)
		same(t, "result", patient.value, 1)
	})
}

func TestA2_TheTimeoutOfACallerThatWasCancelledEarlierHasNoEffect(t *testing.T) {
	eachShared(t, func(t *testing.T, j *job, s shared) {
		hasty, patient := begin(after(t, time.Second), s.call), begin(background, s.call)
		hasty.leave()
		time.Sleep(time.Hour)
		ended(t, context.Canceled, hasty)
		parked(t, patient)
		j.end <- nil
		ended(t, nil, patient)
	})
}

func TestA3_ReleasingWhatIsNotHeldIsErrNotOwner(t *testing.T) {
	same(t, "Release of a Ref from nowhere", new(core.Ref[int]).Release(), core.ErrNotOwner)

	var r core.ResourceSteps
	same(t, "Release of an idle resource", r.Release(0), core.ErrNotOwner)
	same(t, "Release of a run that never was", r.Release(1), core.ErrNotOwner)
	same(t, "stats", r.Stats(), core.ResourceStats{})
}

func TestA3_ASecondReleaseTakesNothingFromTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := core.NewSharedResource(
			func(context.Context) (int, error) { return 1, nil }, func(int) error { return errOops })
		a, _ := r.Acquire(background)
		b, _ := r.Acquire(background)
		same(t, "first Release", a.Release(), nil)
		same(t, "second Release", a.Release(), nil)
		same(t, "held", r.Stats().Held, 1)
		same(t, "Release that stops", b.Release(), errOops)
		same(t, "the same again", b.Release(), errOops)
	})
}

func TestA4_AfterAFailedStartTheNextCallTriesAfresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJob()
		r := core.NewSharedResource(j.run, func(int) error { return nil })
		var slow core.Waiter // was settled with the error, and has not yet looked
		slow.Waker = wakerFunc(func() {})
		r.Park(&slow)
		first := begin(background, r.Acquire)
		j.end <- errOops
		ended(t, errOops, first)

		second := begin(background, r.Acquire)
		parked(t, second)
		j.end <- nil
		ended(t, nil, second)
		same(t, "runs", j.runs, 2)
		same(t, "error of the first attempt", slow.Err(), errOops)
		same(t, "held", r.Stats().Held, 1)
		second.value.Release()
	})
}
