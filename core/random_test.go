package core_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clca-dev/clca/core"
	"pgregory.net/rapid"
)

// Random programs for the blocking face, with deadlines, cancellations and the (bubble's) time that passes. The passive
// face is explored exhaustively elsewhere; here is what only a goroutine does.

func init() { flag.Set("rapid.nofailfile", "true") } // the seed, which is printed, will do

// timed is a call of a random program, and what the program knows of it.
type timed[T any] struct {
	*call[T]
	deadline time.Time // zero: none
	left     bool
}

// String is short, for rapid prints what it draws.
func (c *timed[T]) String() string { return fmt.Sprintf("a call until %v", c.deadline) }

// beginTimed draws a deadline and begins a call.
func beginTimed[T any](t *rapid.T, f func(context.Context) (T, error)) *timed[T] {
	// All other times are multiples of 500 ms: a program in which two things happen at once could not be run again.
	d := rapid.SampledFrom([]time.Duration{0, 0, 750, 1750, 2750}).Draw(t, "timeout") * time.Millisecond
	if d == 0 {
		return &timed[T]{call: begin(background, f)}
	}
	deadline := time.Now().Add(d)
	return &timed[T]{deadline: deadline, call: begin(background, func(ctx context.Context) (T, error) {
		ctx, cancel := context.WithDeadline(ctx, deadline)
		defer cancel()
		return f(ctx)
	})}
}

// gaveUp is the error that the call must have if nothing but its own end can have ended it, or nil.
func (c *timed[T]) gaveUp() error {
	switch {
	case c.left:
		return context.Canceled
	case !c.deadline.IsZero() && !time.Now().Before(c.deadline):
		return context.DeadlineExceeded
	}
	return nil
}

// settled says whether the outcome of a call for a thing is one that it may have.
func (c *timed[T]) settled(t *rapid.T) {
	if c.err != nil && !errors.Is(c.err, errOops) && (c.gaveUp() == nil || !errors.Is(c.err, c.gaveUp())) {
		t.Fatalf("a call has ended with %v", c.err)
	}
}

// leaveOne has a drawn one of the calls leave.
func leaveOne[T any](t *rapid.T, calls []*timed[T]) {
	if len(calls) == 0 {
		t.Skip("nobody waits")
	}
	c := rapid.SampledFrom(calls).Draw(t, "who leaves")
	c.left = c.left || c.pending() && c.gaveUp() == nil
	c.leave()
}

// pass lets a drawn time pass.
func pass(t *rapid.T) {
	time.Sleep(rapid.SampledFrom([]time.Duration{500, 1000, 2500}).Draw(t, "time") * time.Millisecond)
	synctest.Wait()
}

// inBubble runs random programs, each in a bubble of its own.
func inBubble(t *testing.T, program func(*rapid.T)) {
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, program) })
}

func TestInRandomProgramsASignalEndsAllCallsAndNothingElseDoes(t *testing.T) {
	inBubble(t, func(t *rapid.T) {
		var s core.Signal
		var calls []*timed[struct{}]
		defer s.Close()
		t.Repeat(map[string]func(*rapid.T){
			"wait":  func(t *rapid.T) { calls = append(calls, beginTimed(t, wait(s.Wait))) },
			"leave": func(t *rapid.T) { leaveOne(t, calls) },
			"pass":  pass,
			"signal": func(t *rapid.T) {
				if n := s.Signal(); n != len(calls) {
					t.Fatalf("the signal woke %d of %d", n, len(calls))
				}
				synctest.Wait()
				for _, c := range calls {
					if c.pending() || c.err != nil {
						t.Fatalf("a call was signalled and has not ended with nil: %v", c.err)
					}
				}
				calls = nil
			},
			"": func(t *rapid.T) {
				calls = slices.DeleteFunc(calls, func(c *timed[struct{}]) bool {
					why := c.gaveUp()
					if c.pending() != (why == nil) || why != nil && !errors.Is(c.err, why) {
						t.Fatalf("a call that should have given up with %v: pending %v, %v", why, c.pending(), c.err)
					}
					return why != nil
				})
				if n := s.Stats().Waiting; n != len(calls) {
					t.Fatalf("%d wait, want %d", n, len(calls))
				}
			},
		})
	})
}

func TestInRandomProgramsACheckpointHoldsUntilItIsResumed(t *testing.T) {
	inBubble(t, func(t *rapid.T) {
		var c core.Checkpoint
		var arm *timed[struct{}] // that waits
		var calls, watches []*timed[struct{}]
		state := core.Disarmed
		defer c.Close()
		t.Repeat(map[string]func(*rapid.T){
			"arm": func(t *rapid.T) {
				a := beginTimed(t, wait(c.Arm))
				if state == core.Disarmed {
					arm, state = a, core.Armed
					for _, w := range watches {
						if w.pending() || w.err != nil {
							t.Fatalf("one who watches has not heard of the arm: %v", w.err)
						}
					}
					watches = nil
				} else if a.pending() || !errors.Is(a.err, core.ErrAlreadyArmed) {
					t.Fatalf("armed in %v: %v", state, a.err)
				}
			},
			"wait": func(t *rapid.T) {
				w := beginTimed(t, wait(c.Wait))
				if state == core.Disarmed {
					if w.pending() || w.err != nil {
						t.Fatalf("a call did not pass: %v", w.err)
					}
					return
				}
				calls = append(calls, w)
				if state == core.Armed && (arm.pending() || arm.err != nil) {
					t.Fatalf("the arm has not heard of the first to park: %v", arm.err)
				}
				arm, state = nil, core.Holding
			},
			"watch": func(t *rapid.T) {
				w := beginTimed(t, wait(c.Watch))
				if state == core.Disarmed {
					watches = append(watches, w)
				} else if w.pending() || w.err != nil {
					t.Fatalf("one who watches what is armed waits, or has failed: %v", w.err)
				}
			},
			"leave": func(t *rapid.T) { leaveOne(t, slices.Concat(calls, watches)) },
			"cancel the arm": func(t *rapid.T) {
				if arm == nil {
					t.Skip("no arm waits")
				}
				leaveOne(t, []*timed[struct{}]{arm})
			},
			"pass": pass,
			"resume": func(t *rapid.T) {
				if n := c.Resume(); n != len(calls) {
					t.Fatalf("resumed %d of %d in %v", n, len(calls), state)
				}
				synctest.Wait()
				for _, w := range calls {
					if w.pending() || w.err != nil {
						t.Fatalf("a call was resumed and has not ended with nil: %v", w.err)
					}
				}
				if calls = nil; state == core.Holding {
					state = core.Disarmed
				}
			},
			"": func(t *rapid.T) {
				check := func(w *timed[struct{}]) bool {
					why := w.gaveUp()
					if w.pending() != (why == nil) || why != nil && !errors.Is(w.err, why) {
						t.Fatalf("a call that should have given up with %v: pending %v, %v", why, w.pending(), w.err)
					}
					return why != nil
				}
				calls, watches = slices.DeleteFunc(calls, check), slices.DeleteFunc(watches, check)
				if arm != nil && check(arm) {
					arm, state = nil, core.Disarmed
				}
				if got := c.Stats(); got.State != state || got.Waiting != len(calls) {
					t.Fatalf("%v with %d parked, want %v with %d", got.State, got.Waiting, state, len(calls))
				}
			},
		})
	})
}

// thing is what the random programs share. It knows whether it is used as it should be.
type thing struct{ live bool }

// workshop makes and unmakes things, in a drawn time and with a drawn outcome.
type workshop struct {
	live     int // things, and those in the making
	start    time.Duration
	stop     time.Duration
	fails    bool
	stubborn bool // makes them even if cancelled
}

func (w *workshop) draw(t *rapid.T) {
	w.start = rapid.SampledFrom([]time.Duration{0, 1000, 2500}).Draw(t, "start takes") * time.Millisecond
	w.stop = rapid.SampledFrom([]time.Duration{0, 1000, 2500}).Draw(t, "stop takes") * time.Millisecond
	w.fails = rapid.Bool().Draw(t, "start fails")
	w.stubborn = rapid.Bool().Draw(t, "start ignores its cancellation")
}

func (w *workshop) make(ctx context.Context) (*thing, error) {
	w.live++
	if w.live > 1 {
		panic("two are live at once")
	}
	stop, fails, cancelled := w.stop, w.fails, ctx.Done()
	if w.stubborn {
		cancelled = nil
	}
	select {
	case <-time.After(w.start):
		if !fails {
			return &thing{live: true}, nil
		}
	case <-cancelled:
		time.Sleep(stop)
	}
	w.live--
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, errOops
}

func (w *workshop) unmake(x *thing) error {
	x.live = false
	time.Sleep(w.stop)
	w.live--
	return nil
}

func TestInRandomProgramsOneResourceIsLiveAndOnlyWhileItIsHeld(t *testing.T) {
	inBubble(t, func(t *rapid.T) {
		w := &workshop{}
		r := core.NewSharedResource(w.make, w.unmake)
		var calls []*timed[*core.Ref[*thing]]
		var refs []*core.Ref[*thing]
		invariants := func(t *rapid.T) {
			calls = slices.DeleteFunc(calls, func(c *timed[*core.Ref[*thing]]) bool {
				if c.pending() {
					return false
				}
				if c.settled(t); c.err == nil {
					refs = append(refs, c.value)
				}
				return true
			})
			for _, ref := range refs {
				if !ref.Value().live {
					t.Fatal("somebody holds what has been stopped")
				}
			}
			if got := r.Stats(); got.Held != len(refs) || len(refs) > 0 != (got.State == core.ResourceLive) {
				t.Fatalf("%d refs are out: %+v", len(refs), got)
			}
			if broken := r.Steps().Broken(); broken != "" {
				t.Fatal(broken)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"acquire": func(t *rapid.T) {
				w.draw(t)
				calls = append(calls, beginTimed(t, r.Acquire))
			},
			"leave": func(t *rapid.T) { leaveOne(t, calls) },
			"release": func(t *rapid.T) {
				if len(refs) == 0 {
					t.Skip("nobody holds it")
				}
				i := rapid.IntRange(0, len(refs)-1).Draw(t, "who releases")
				ref := refs[i]
				refs = slices.Delete(refs, i, i+1)
				if err := ref.Release(); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			},
			"pass": pass,
			"":     invariants,
		})
		for len(calls)+len(refs) > 0 { // every call ends, and all can be given back
			time.Sleep(10 * time.Second)
			synctest.Wait()
			invariants(t)
			for _, ref := range refs {
				ref.Release()
			}
			refs = nil
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got := r.Stats().State; got != core.ResourceIdle || w.live != 0 {
			t.Fatalf("in the end it is %v and %d are live", got, w.live)
		}
	})
}

func TestInRandomProgramsATaskRunsOnceAtATimeUntilItIsDone(t *testing.T) {
	inBubble(t, func(t *rapid.T) {
		w := &workshop{}
		task := core.NewSharedTask(func(ctx context.Context) (*thing, error) {
			x, err := w.make(ctx)
			if err == nil {
				w.live--
			}
			return x, err
		})
		var calls []*timed[*thing]
		var result *thing // the same for all
		var failed error
		invariants := func(t *rapid.T) {
			calls = slices.DeleteFunc(calls, func(c *timed[*thing]) bool {
				if c.pending() {
					return false
				}
				switch c.settled(t); {
				case c.err == nil && (result != nil && result != c.value || failed != nil):
					t.Fatal("two calls have different outcomes")
				case c.err == nil:
					result = c.value
				case c.gaveUp() == nil && result != nil:
					t.Fatal("two calls have different outcomes")
				case c.gaveUp() == nil:
					failed = c.err
				}
				return true
			})
			if broken := task.Steps().Broken(); broken != "" {
				t.Fatal(broken)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"wait": func(t *rapid.T) {
				w.draw(t)
				calls = append(calls, beginTimed(t, task.Wait))
			},
			"leave": func(t *rapid.T) { leaveOne(t, calls) },
			"pass":  pass,
			"":      invariants,
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		invariants(t)
		state := task.Stats().State
		if len(calls) > 0 || w.live != 0 || state != core.TaskIdle && state != core.TaskDone {
			t.Fatalf("in the end %d calls wait, %d runs are live, it is %v", len(calls), w.live, state)
		}
	})
}
