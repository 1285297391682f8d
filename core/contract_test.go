package core_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clca-dev/clca/core"
)

// The rules that hold for the calls of every primitive.

// blocking is a call in a situation in which it waits, or in which it would be granted at once.
type blocking struct {
	name  string
	call  func(context.Context) error
	stats func() any // a comparable snapshot
	end   func()     // leaves nothing running
}

func never(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
func atOnce(context.Context) (int, error)    { return 1, nil }
func noStop(int) error                       { return nil }

// errOnly drops the result of a call.
func errOnly[T any](f func(context.Context) (T, error)) func(context.Context) error {
	return func(ctx context.Context) error { _, err := f(ctx); return err }
}

// waiting returns calls that wait until they are cancelled. It must be called in a bubble.
func waiting() []blocking {
	var (
		signal      core.Signal
		arm, passed core.Checkpoint
		watched     core.Checkpoint
		task        = core.NewSharedTask(never)
		resource    = core.NewSharedResource(never, noStop)
	)
	passed.ParkArm(&core.Waiter{Waker: wakerFunc(func() {})})
	return append(waitingForLocks(), []blocking{
		{"Signal.Wait", signal.Wait, func() any { return signal.Stats() }, func() {}},
		{"Checkpoint.Arm", arm.Arm, func() any { return arm.Stats() }, func() {}},
		{"Checkpoint.Wait", passed.Wait, func() any { return passed.Stats() }, func() {}},
		{"Checkpoint.Watch", watched.Watch, func() any { return watched.Stats() }, func() {}},
		{"SharedTask.Wait", errOnly(task.Wait), func() any { return task.Stats() }, func() {}},
		{"SharedResource.Acquire", errOnly(resource.Acquire), func() any { return resource.Stats() }, func() {}},
	}...)
}

// grantable returns calls that are granted at once. It must be called in a bubble.
func grantable() []blocking {
	var (
		disarmed core.Checkpoint
		armed    core.Checkpoint
		done     = core.NewSharedTask(atOnce)
		live     = core.NewSharedResource(atOnce, noStop)
	)
	armed.ParkArm(&core.Waiter{Waker: wakerFunc(func() {})})
	done.Wait(background)
	ref, _ := live.Acquire(background)
	return append(grantableLocks(), []blocking{
		{"Checkpoint.Wait of a disarmed one", disarmed.Wait, func() any { return disarmed.Stats() }, func() {}},
		{"Checkpoint.Watch of an armed one", armed.Watch, func() any { return armed.Stats() }, func() {}},
		{"SharedTask.Wait for a kept result", errOnly(done.Wait), func() any { return done.Stats() }, func() {}},
		{"SharedResource.Acquire of a live one", errOnly(live.Acquire), func() any { return live.Stats() },
			func() { ref.Release() }},
	}...)
}

var errWhy = errors.New("why")

// reasons are contexts that end in all the ways there are, and what a call that they end must be.
var reasons = []struct {
	name string
	ends func() (context.Context, func())
	want []error
}{
	{"cancelled", func() (context.Context, func()) {
		ctx, cancel := context.WithCancel(background)
		return ctx, cancel
	}, []error{context.Canceled}},
	{"cancelled for a cause", func() (context.Context, func()) {
		ctx, cancel := context.WithCancelCause(background)
		return ctx, func() { cancel(errWhy) }
	}, []error{context.Canceled, errWhy}},
	{"timed out", func() (context.Context, func()) {
		ctx, cancel := context.WithTimeout(background, time.Minute)
		return ctx, func() { time.Sleep(time.Minute); synctest.Wait(); cancel() }
	}, []error{context.DeadlineExceeded}},
	{"timed out for a cause", func() (context.Context, func()) {
		ctx, cancel := context.WithTimeoutCause(background, time.Minute, errWhy)
		return ctx, func() { time.Sleep(time.Minute); synctest.Wait(); cancel() }
	}, []error{context.DeadlineExceeded, errWhy}},
}

func TestACancelledCallReturnsTheErrorOfItsContextAndItsCause(t *testing.T) {
	for _, reason := range reasons {
		t.Run(reason.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, b := range waiting() {
					ctx, end := reason.ends()
					c := begin(ctx, wait(b.call))
					parked(t, c)
					end()
					for _, want := range reason.want {
						ended(t, want, c)
					}
					if !strings.Contains(c.err.Error(), reason.want[0].Error()) {
						t.Errorf("%s: the text %q does not say %q", b.name, c.err, reason.want[0])
					}
				}
			})
		})
	}
}

func TestAContextThatIsAlreadyDoneFailsTheCallWithoutSideEffect(t *testing.T) {
	for _, reason := range reasons {
		t.Run(reason.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, b := range append(waiting(), grantable()...) {
					ctx, end := reason.ends()
					end()
					before := b.stats()
					err := b.call(ctx)
					for _, want := range reason.want {
						if !errors.Is(err, want) {
							t.Errorf("%s: got %v, want %v", b.name, err, want)
						}
					}
					synctest.Wait()
					same(t, "stats after "+b.name, b.stats(), before)
					b.end()
				}
			})
		})
	}
}

func TestCloseFailsThoseWhoWaitAndThoseWhoCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			signal      core.Signal
			arm, holds  core.Checkpoint
			watched     core.Checkpoint
			task        = core.NewSharedTask(never)
			resource    = core.NewSharedResource(never, noStop)
			closed      core.Waiter
			closeTwice  = func(f func()) { f(); f() }
			firstToPark = core.Waiter{Waker: wakerFunc(func() {})}
		)
		holds.ParkArm(&firstToPark)
		for _, p := range []struct {
			name  string
			call  func(context.Context) error
			park  func(*core.Waiter) (bool, error)
			close func()
		}{
			{"Signal.Wait", signal.Wait, signal.Park, signal.Close},
			{"Checkpoint.Arm", arm.Arm, arm.ParkArm, arm.Close},
			{"Checkpoint.Wait", holds.Wait, holds.Park, holds.Close},
			{"Checkpoint.Watch", watched.Watch, watched.ParkWatch, watched.Close},
			{"SharedTask.Wait", errOnly(task.Wait), task.Park, task.Close},
			{"SharedResource.Acquire", errOnly(resource.Acquire), resource.Park, resource.Close},
		} {
			before := begin(background, wait(p.call))
			parked(t, before)
			closeTwice(p.close)
			ended(t, core.ErrClosed, before, begin(background, wait(p.call)))
			closed.Waker = nobody{}
			ok, err := p.park(&closed)
			same(t, p.name+" parks", ok, false)
			same(t, p.name+" passive error", err, core.ErrClosed)
		}
	})
}

func TestCloseCancelsTheRunWithErrClosed(t *testing.T) {
	eachShared(t, func(t *testing.T, j *job, s shared) {
		c := begin(background, s.call)
		s.close()
		ended(t, core.ErrClosed, c) // and does not wait for the clean-up
		same(t, "cause seen by the run", context.Cause(j.ctx), core.ErrClosed)
		j.cleanup <- errOops
	})
}

func TestAParkedWaiterCannotBeParkedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			signal   core.Signal
			c, d     core.Checkpoint
			task     = core.NewSharedTask(never)
			resource = core.NewSharedResource(never, noStop)
		)
		for name, park := range map[string]func(*core.Waiter) (bool, error){
			"Signal.Park": signal.Park, "Checkpoint.ParkArm": c.ParkArm, "Checkpoint.ParkWatch": d.ParkWatch,
			"SharedTask.Park": task.Park, "SharedResource.Park": resource.Park,
		} {
			w := core.Waiter{Waker: wakerFunc(func() {})}
			same(t, name+" before any Park: Withdraw", w.Withdraw(), false)
			ok, err := park(&w)
			same(t, name, ok, true)
			same(t, name, err, nil)
			ok, err = park(&w)
			same(t, name+" again", ok, false)
			same(t, name+" again", err, core.ErrParked)
			same(t, name+": Withdraw", w.Withdraw(), true)
		}
		task.Close()
		resource.Close()
	})
}

func TestAFunctionThatWaitsForItselfGetsErrReentrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var task *core.SharedTask[int]
		task = core.NewSharedTask(func(ctx context.Context) (int, error) {
			deeper, cancel := context.WithCancel(ctx)
			defer cancel()
			return task.Wait(deeper)
		})
		ended(t, core.ErrReentrant, begin(background, task.Wait))

		var r *core.SharedResource[int]
		r = core.NewSharedResource(func(ctx context.Context) (int, error) {
			_, err := r.Acquire(ctx)
			return 0, err
		}, noStop)
		ended(t, core.ErrReentrant, begin(background, r.Acquire))
	})
}

func TestOneFunctionMayWaitForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := core.NewSharedTask(atOnce)
		outer := core.NewSharedTask(inner.Wait)
		c := begin(background, outer.Wait)
		ended(t, nil, c)
		same(t, "result", c.value, 1)
	})
}

func TestAPanicInASharedFunctionIsAnErrorForAll(t *testing.T) {
	for _, p := range []struct {
		name string
		f    func()
		text string
	}{
		{"of an error", func() { panic(errOops) }, "clca: shared function panicked: oops"},
		{"of a string", func() { panic("help") }, "clca: shared function panicked: help"},
		{"of something else", func() { panic(42) }, "clca: shared function panicked"},
		{"runtime.Goexit", runtime.Goexit, "clca: shared function left by runtime.Goexit"},
	} {
		t.Run(p.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				throws := func(context.Context) (int, error) { time.Sleep(1); p.f(); return 0, nil }
				task, resource := core.NewSharedTask(throws), core.NewSharedResource(throws, noStop)
				for _, f := range []func(context.Context) error{errOnly(task.Wait), errOnly(resource.Acquire)} {
					a, b := begin(background, wait(f)), begin(background, wait(f))
					time.Sleep(1)
					synctest.Wait()
					for _, c := range []*call[struct{}]{a, b} {
						var panicked *core.PanicError
						if c.pending() || !errors.As(c.err, &panicked) {
							t.Fatalf("got %v, want a PanicError", c.err)
						}
						same(t, "text", panicked.Error(), p.text)
						same(t, "unwraps to the error", errors.Is(panicked, errOops), p.name == "of an error")
						same(t, "has the stack", bytes.Contains(panicked.Stack, []byte("goroutine")), true)
					}
				}
			})
		})
	}
}

func TestAPanicInStopIsTheErrorOfTheLastRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := core.NewSharedResource(atOnce, func(int) error { panic("help") })
		ref, _ := r.Acquire(background)
		var panicked *core.PanicError
		if err := ref.Release(); !errors.As(err, &panicked) {
			t.Errorf("got %v, want a PanicError", err)
		}
		same(t, "state", r.Stats().State, core.ResourceIdle)
	})
}

func TestAStopThatTakesTooLongIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := core.NewSharedResource(atOnce, func(int) error { time.Sleep(time.Minute); return errOops })
		r.StopTimeout = time.Second
		ref, _ := r.Acquire(background)
		same(t, "error", ref.Release(), core.ErrStopTimeout)
		same(t, "state", r.Stats().State, core.ResourceStopping)
		next := begin(background, r.Acquire) // waits until it is really stopped
		parked(t, next)
		time.Sleep(time.Minute)
		ended(t, nil, next)
		r.StopTimeout = -1
		same(t, "error", next.value.Release(), errOops)
	})
}

func TestAResultIsKeptAndSoIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, outcome := range []error{nil, errOops} {
			j := newJob()
			task := core.NewSharedTask(j.run)
			a, b := begin(background, task.Wait), begin(background, task.Wait)
			j.end <- outcome
			late := begin(background, task.Wait)
			ended(t, outcome, a, b, late)
			same(t, "runs", j.runs, 1)
			if outcome == nil {
				same(t, "result", a.value+b.value+late.value, 3)
			}
		}
	})
}

func TestAResourceThatACancelledStartHasMadeIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, stopped := newJob(), 0
		r := core.NewSharedResource(j.run, func(run int) error { stopped = run; return errOops })
		j.cleanup = nil // it starts all the same
		last := begin(background, r.Acquire)
		last.leave()
		j.end <- nil
		ended(t, context.Canceled, last)
		ended(t, errOops, last)
		same(t, "stopped", stopped, 1)
	})
}

func TestTheContextOfStartEndsWithIt(t *testing.T) {
	eachShared(t, func(t *testing.T, j *job, s shared) {
		c := begin(background, s.call)
		same(t, "error of the context before", j.ctx.Err(), nil)
		j.end <- nil
		ended(t, nil, c)
		same(t, "error of the context after", j.ctx.Err(), context.Canceled)
	})
}

func TestDoneTellsThoseWhoHoldThatTheResourceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := func(ref *core.Ref[int]) bool {
			select {
			case <-ref.Done():
				return true
			default:
				return false
			}
		}
		r := core.NewSharedResource(atOnce, noStop)
		a, _ := r.Acquire(background)
		b, _ := r.Acquire(background)
		a.Release()
		same(t, "done while held by another", closed(b), false)
		b.Release()
		same(t, "done after the last release", closed(a) && closed(b), true)

		c, _ := r.Acquire(background)
		same(t, "done in a new run", closed(c), false)
		r.Close()
		same(t, "done after Close", closed(c), true)
		same(t, "held after Close", r.Stats().Held, 1)
		same(t, "error", c.Release(), nil)
	})
}

func TestASessionsEndResumesItsOwnGenerationAlone(t *testing.T) {
	var (
		c      core.Checkpoint
		w, arm core.Waiter
	)
	w.Waker, arm.Waker = wakerFunc(func() {}), wakerFunc(func() {})
	hold := func() uint64 {
		c.ParkArm(&arm)
		c.Park(&w)
		return arm.Value()
	}
	mine := hold()
	c.Resume()
	later := hold()
	same(t, "resumed by an old generation", c.ResumeGeneration(mine), 0)
	same(t, "state", c.Stats().State, core.Holding)
	same(t, "resumed by its own", c.ResumeGeneration(later), 1)
}

func TestContendedSaysWhetherACallIsInside(t *testing.T) {
	var s core.Signal
	same(t, "contended", s.Contended(), false)
	leave := s.Enter()
	same(t, "contended while a call is inside", s.Contended(), true)
	leave()
	same(t, "contended", s.Contended(), false)
	w := core.Waiter{Waker: wakerFunc(func() { same(t, "contended during a wake", s.Contended(), false) })}
	s.Park(&w)
	same(t, "woken", s.Signal(), 1)
}

func TestStatesPrintTheirNames(t *testing.T) {
	same(t, "checkpoint", core.Holding.String(), "Holding")
	same(t, "task", core.TaskStopping.String(), "Stopping")
	same(t, "resource", core.ResourceCancelling.String(), "Cancelling")
}
