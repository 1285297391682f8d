package core_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clca-dev/clca/core"
)

// Event, CountdownLatch, Barrier, Once and Queue: first the rules that hold for the calls of all, then each.

// must1 returns what a constructor has made.
func must1[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}

// put adapts a Put of one item.
func put[T any](q *core.Queue[T], item T) func(context.Context) (struct{}, error) {
	return wait(func(ctx context.Context) error { return q.Put(ctx, item) })
}

// wakes returns a Waiter that counts its wakes.
func wakes(n *int) *core.Waiter { return &core.Waiter{Waker: wakerFunc(func() { *n++ })} }

// waitingFamily is waiting for these primitives.
func waitingFamily() []blocking {
	var (
		event    core.Event
		latch    = must1(core.NewCountdownLatch(1))
		barrier  = must1(core.NewBarrier(2, nil))
		once     = core.NewOnce(never)
		empty    core.Queue[int]
		full     = must1(core.NewQueue[int](1))
		joined   = must1(core.NewQueue[int](1))
		nothing  = func() {}
		statsOf  = func(q *core.Queue[int]) func() any { return func() any { return q.Stats() } }
		putAnInt = func(ctx context.Context) error { return full.Put(ctx, 2) }
	)
	full.TryPut(1)
	joined.TryPut(1)
	return []blocking{
		{"Event.Wait", event.Wait, func() any { return event.Stats() }, nothing},
		{"CountdownLatch.Wait", latch.Wait, func() any { return latch.Stats() }, nothing},
		{"Barrier.Wait", errOnly(barrier.Wait), func() any { return barrier.Stats() }, nothing},
		{"Once.Do", errOnly(once.Do), func() any { return once.Stats() }, nothing},
		{"Queue.Get", errOnly(empty.Get), statsOf(&empty), nothing},
		{"Queue.Put", putAnInt, statsOf(full), nothing},
		{"Queue.Join", joined.Join, statsOf(joined), nothing},
	}
}

// grantableFamily is grantable for these primitives.
func grantableFamily() []blocking {
	var (
		set        core.Event
		open       core.CountdownLatch
		barrier    = must1(core.NewBarrier(1, nil))
		once       = core.NewOnce(atOnce)
		filled     = must1(core.NewQueue[int](2))
		rendezvous core.Queue[int]
		putter     = wakes(new(int))
		nothing    = func() {}
	)
	set.Set()
	once.Do(background)
	filled.TryPut(1)
	rendezvous.ParkPut(putter, 1)
	return []blocking{
		{"Event.Wait for what is set", set.Wait, func() any { return set.Stats() }, nothing},
		{"CountdownLatch.Wait at zero", open.Wait, func() any { return open.Stats() }, nothing},
		{"Barrier.Wait of the last", errOnly(barrier.Wait), func() any { return barrier.Stats() }, nothing},
		{"Once.Do for a kept result", errOnly(once.Do), func() any { return once.Stats() }, nothing},
		{"Queue.Get of an item", errOnly(filled.Get), func() any { return filled.Stats() }, nothing},
		{"Queue.Put where there is room", func(ctx context.Context) error { return filled.Put(ctx, 2) },
			func() any { return filled.Stats() }, nothing},
		{"Queue.Get from one who puts", errOnly(rendezvous.Get), func() any { return rendezvous.Stats() }, nothing},
	}
}

func TestInTheFamilyACancelledCallReturnsTheErrorOfItsContextAndItsCause(t *testing.T) {
	for _, reason := range reasons {
		t.Run(reason.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, b := range waitingFamily() {
					ctx, end := reason.ends()
					c := begin(ctx, wait(b.call))
					parked(t, c)
					end()
					for _, want := range reason.want {
						ended(t, want, c)
					}
				}
			})
		})
	}
}

func TestInTheFamilyAContextThatIsAlreadyDoneFailsTheCallWithoutSideEffect(t *testing.T) {
	for _, reason := range reasons {
		t.Run(reason.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, b := range append(waitingFamily(), grantableFamily()...) {
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
				}
			})
		})
	}
}

func TestInTheFamilyCloseFailsThoseWhoWaitAndThoseWhoCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			event    core.Event
			latch    = must1(core.NewCountdownLatch(1))
			barrier  = must1(core.NewBarrier(2, nil))
			once     = core.NewOnce(never)
			gets     core.Queue[int]
			puts     core.Queue[int]
			closed   core.Waiter
			putAnInt = func(w *core.Waiter) (bool, error) { return puts.ParkPut(w, 1) }
		)
		for _, p := range []struct {
			name  string
			call  func(context.Context) error
			park  func(*core.Waiter) (bool, error)
			close func()
		}{
			{"Event.Wait", event.Wait, event.Park, event.Close},
			{"CountdownLatch.Wait", latch.Wait, latch.Park, latch.Close},
			{"Barrier.Wait", errOnly(barrier.Wait), barrier.Park, barrier.Close},
			{"Once.Do", errOnly(once.Do), once.Park, once.Close},
			{"Queue.Get", errOnly(gets.Get), gets.ParkGet, gets.Close},
			{"Queue.Put", func(ctx context.Context) error { return puts.Put(ctx, 1) }, putAnInt, puts.Close},
		} {
			before := begin(background, wait(p.call))
			parked(t, before)
			p.close()
			p.close()
			ended(t, core.ErrClosed, before, begin(background, wait(p.call)))
			closed.Waker = nobody{}
			ok, err := p.park(&closed)
			same(t, p.name+" parks", ok, false)
			same(t, p.name+" passive error", err, core.ErrClosed)
		}
		same(t, "woken by setting what is closed", event.Set(), 0)
		same(t, "it is set", event.IsSet(), false)
		_, err := latch.CountDown(1)
		same(t, "counting down what is closed", err, core.ErrClosed)
		same(t, "failed by resetting what is closed", barrier.Reset(), 0)
		same(t, "putting into what is closed", gets.TryPut(1), core.ErrClosed)
		_, err = gets.TryGet()
		same(t, "getting from what is closed and empty", err, core.ErrClosed)
		same(t, "items of what is closed", len(gets.CloseNow()), 0)
	})
}

func TestInTheFamilyAParkedWaiterCannotBeParkedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			event    core.Event
			latch    = must1(core.NewCountdownLatch(1))
			barrier  = must1(core.NewBarrier(2, nil))
			once     = core.NewOnce(never)
			q        core.Queue[int]
			joined   = must1(core.NewQueue[int](1))
			putAnInt = func(w *core.Waiter) (bool, error) { return q.ParkPut(w, 1) }
		)
		joined.TryPut(1)
		for name, park := range map[string]func(*core.Waiter) (bool, error){
			"Event.Park": event.Park, "CountdownLatch.Park": latch.Park, "Barrier.Park": barrier.Park, "Once.Park": once.Park,
			"Queue.ParkGet": q.ParkGet, "Queue.ParkPut": putAnInt, "Queue.ParkJoin": joined.ParkJoin,
		} {
			w := core.Waiter{Waker: nobody{}}
			ok, err := park(&w)
			same(t, name, ok, true)
			same(t, name, err, nil)
			ok, err = park(&w)
			same(t, name+" again", ok, false)
			same(t, name+" again", err, core.ErrParked)
			same(t, name+": Withdraw", w.Withdraw(), true)
			same(t, name+": Withdraw again", w.Withdraw(), false)
		}
	})
}

func TestWhatMakesNoSenseIsErrInvalidAndSaysWhy(t *testing.T) {
	errOf := func(_ any, err error) error { return err }
	latch := must1(core.NewCountdownLatch(2))
	for _, c := range []struct {
		name string
		err  error
		says string
	}{
		{"a latch of -1", errOf(core.NewCountdownLatch(-1)), "count"},
		{"counting down by 0", errOf(latch.CountDown(0)), "n must"},
		{"counting up", errOf(latch.CountDown(-1)), "n must"},
		{"a barrier of 0", errOf(core.NewBarrier(0, nil)), "parties"},
		{"a barrier of -1", errOf(core.NewBarrier(-1, nil)), "parties"},
		{"a queue of -1", errOf(core.NewQueue[int](-1)), "capacity"},
		{"a stack of -1", errOf(core.NewStack[int](-1)), "capacity"},
		{"a priority queue of -1", errOf(core.NewPriorityQueue(-1, itemPriority)), "capacity"},
		{"a priority queue without priorities", errOf(core.NewPriorityQueue[int](1, nil)), "priority"},
	} {
		if !errors.Is(c.err, core.ErrInvalid) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: got %v, want an ErrInvalid that says %q", c.name, c.err, c.says)
		}
	}
	same(t, "stats", latch.Stats(), core.LatchStats{Remaining: 2})
}

// Event.

func TestAnEventLetsEverybodyPassWhileItIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e core.Event
		a, b := begin(background, wait(e.Wait)), begin(background, wait(e.Wait))
		parked(t, a, b)
		same(t, "woken", e.Set(), 2)
		same(t, "woken again", e.Set(), 0)
		ended(t, nil, a, b, begin(background, wait(e.Wait)))
		same(t, "is set", e.IsSet(), true)

		same(t, "was set", e.Clear(), true)
		same(t, "was set after that", e.Clear(), false)
		c := begin(background, wait(e.Wait))
		parked(t, c)
		same(t, "woken", e.Set(), 1)
		ended(t, nil, c)
		same(t, "stats", e.Stats(), core.EventStats{Set: true, Sets: 2})
	})
}

func TestAnEventThatIsSetAndClearedAtOnceReleasesThoseWhoWaitedBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e core.Event
		before := []*call[struct{}]{begin(background, wait(e.Wait)), begin(background, wait(e.Wait))}
		same(t, "woken", e.Set(), 2)
		e.Clear() // before either of them has run
		ended(t, nil, before...)
		later := begin(background, wait(e.Wait))
		parked(t, later)
		later.leave()
	})
}

func TestAWokenCallerThatWaitsAgainAtOnceIsNotWokenTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e core.Event
		passes := 0
		c := begin(background, wait(func(ctx context.Context) error {
			for {
				if err := e.Wait(ctx); err != nil {
					return err
				}
				passes++
			}
		}))
		for want := 1; want <= 3; want++ {
			same(t, "woken", e.Set(), 1)
			e.Clear()
			parked(t, c)
			same(t, "passes", passes, want)
		}
		c.leave()
	})

	var (
		e     core.Event
		w     core.Waiter
		woken int
	)
	w.Waker = wakerFunc(func() { // and so is one that does it from within its wake
		woken++
		e.Clear()
		e.Park(&w)
	})
	e.Park(&w)
	same(t, "woken", e.Set(), 1)
	same(t, "wakes", woken, 1)
	same(t, "stats", e.Stats(), core.EventStats{Waiting: 1, Sets: 1})
}

func TestWhoLeavesAnEventTakesNobodyWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e core.Event
		a, b, c := begin(background, wait(e.Wait)), begin(background, wait(e.Wait)), begin(background, wait(e.Wait))
		a.leave()
		ended(t, context.Canceled, a)
		parked(t, b, c)
		same(t, "woken", e.Set(), 2)
		b.cancel(nil) // too late
		ended(t, nil, b, c)
	})
}

// CountdownLatch.

func TestALatchLetsEverybodyPassForGoodOnceItIsAtZero(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := must1(core.NewCountdownLatch(3))
		a, b := begin(background, wait(l.Wait)), begin(background, wait(l.Wait))
		a.leave()
		countsDown := func(n, want int, wantErr error) {
			t.Helper()
			remaining, err := l.CountDown(n)
			same(t, "remaining", remaining, want)
			same(t, "error", err, wantErr)
		}
		countsDown(1, 2, nil)
		countsDown(3, 2, core.ErrOverRelease) // and changes nothing
		parked(t, b)
		countsDown(2, 0, nil)
		ended(t, nil, b, begin(background, wait(l.Wait)))
		countsDown(1, 0, core.ErrOverRelease)
		ended(t, nil, begin(background, wait(l.Wait)))
		ended(t, context.Canceled, a)
	})
}

func TestALatchOfZeroIsOpen(t *testing.T) {
	var zero core.CountdownLatch
	same(t, "zero value", zero.Wait(background), nil)
	same(t, "made with 0", must1(core.NewCountdownLatch(0)).Wait(background), nil)
	_, err := zero.CountDown(1)
	same(t, "counting down", err, core.ErrOverRelease)
}

// Barrier.

func TestABarrierGivesEveryPartyOfAGenerationAnIndexOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acts := 0
		for _, b := range []*core.Barrier{
			must1(core.NewBarrier(3, nil)), must1(core.NewBarrier(3, func() error { acts++; return nil })),
		} {
			for generation := range 3 {
				var all []*call[int]
				for range 3 {
					parked(t, all...)
					all = append(all, begin(background, b.Wait))
				}
				ended(t, nil, all...)
				for i, c := range all {
					same(t, "index", c.value, i)
				}
				same(t, "generation", b.Stats().Generation, uint64(generation+1))
			}
		}
		same(t, "actions", acts, 3)
	})
}

func TestAPartyThatLeavesBreaksTheBarrierUntilItIsReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := must1(core.NewBarrier(3, nil))
		first, second := begin(background, b.Wait), begin(background, b.Wait)
		first.leave()
		ended(t, context.Canceled, first)
		same(t, "who left hears of more than its cancellation", errors.Is(first.err, core.ErrBroken), false)
		ended(t, core.ErrBroken, second)
		ended(t, core.ErrBroken, begin(background, b.Wait), begin(background, b.Wait))
		same(t, "stats", b.Stats(), core.BarrierStats{Parties: 3, Broken: true})

		same(t, "failed by the reset", b.Reset(), 0)
		ended(t, nil, allOf(b, 3)...)
		same(t, "stats", b.Stats(), core.BarrierStats{Parties: 3, Generation: 2})
	})
}

// allOf has n parties come to b.
func allOf(b *core.Barrier, n int) (all []*call[int]) {
	for range n {
		all = append(all, begin(background, b.Wait))
	}
	return all
}

func TestATimeoutBreaksTheBarrierToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := must1(core.NewBarrier(3, nil))
		hasty, patient := begin(after(t, time.Second), b.Wait), begin(background, b.Wait)
		time.Sleep(time.Second)
		ended(t, context.DeadlineExceeded, hasty)
		ended(t, core.ErrBroken, patient)
	})
}

func TestACancellationThatComesWhenAllHaveComeIsIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := must1(core.NewBarrier(2, nil))
		first := begin(background, b.Wait)
		ok, err := b.Park(wakes(new(int)))
		first.cancel(nil) // before it has run
		same(t, "the last is parked", ok, false)
		same(t, "error of the last", err, nil)
		ended(t, nil, first)
		same(t, "broken", b.Stats().Broken, false)
	})
	synctest.Test(t, func(t *testing.T) {
		action := make(chan error)
		b := must1(core.NewBarrier(2, func() error { return <-action }))
		all := allOf(b, 2)
		for _, c := range all {
			c.leave()
		}
		parked(t, all...)
		action <- nil
		ended(t, nil, all...)
		same(t, "broken", b.Stats().Broken, false)
	})
}

func TestTheActionRunsOnceInEachGenerationBeforeAnybodyGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		action, running, acts := make(chan error), 0, 0
		b := must1(core.NewBarrier(2, func() error {
			acts++
			running++
			defer func() { running-- }()
			if running > 1 {
				return errors.New("two actions run at once")
			}
			return <-action
		}))
		former := allOf(b, 2)
		parked(t, former...)
		same(t, "actions", acts, 1)

		next := allOf(b, 2) // come while the action of the former runs
		parked(t, next...)
		same(t, "actions", acts, 1)
		same(t, "waiting", b.Stats().Waiting, 2)
		action <- nil
		ended(t, nil, former...)
		parked(t, next...)
		same(t, "actions", acts, 2)
		action <- nil
		ended(t, nil, next...)
		for i, c := range append(former, next...) {
			same(t, "index", c.value, i%2)
		}
	})
}

func TestAnActionThatFailsBreaksTheBarrierAndIsTheCause(t *testing.T) {
	for _, p := range []struct {
		name string
		act  func() error
		want error // besides ErrBroken
		text string
	}{
		{"an error", func() error { return errOops }, errOops, "oops"},
		{"a panic with an error", func() error { panic(errOops) }, errOops, "panicked: oops"},
		{"a panic with a string", func() error { panic("help") }, nil, "panicked: help"},
		{"runtime.Goexit", func() error { runtime.Goexit(); return nil }, nil, "runtime.Goexit"},
	} {
		t.Run(p.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fails := true
				b := must1(core.NewBarrier(2, func() error {
					if fails {
						return p.act()
					}
					return nil
				}))
				all := append(allOf(b, 2), allOf(b, 1)...) // and one that finds it broken
				ended(t, core.ErrBroken, all...)
				for _, c := range all {
					if !strings.Contains(c.err.Error(), p.text) || p.want != nil && !errors.Is(c.err, p.want) {
						t.Errorf("got %v, want %v as its cause and %q in its text", c.err, p.want, p.text)
					}
				}
				fails = false
				b.Reset()
				ended(t, nil, allOf(b, 2)...)
			})
		})
	}
}

func TestAFailedActionFailsThoseWhoWaitForTheNextGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		action := make(chan error)
		b := must1(core.NewBarrier(2, func() error { return <-action }))
		former, next := allOf(b, 2), allOf(b, 1)
		parked(t, next...)
		action <- errOops
		ended(t, core.ErrBroken, append(former, next...)...)
		ended(t, errOops, append(former, next...)...)
	})
}

func TestResetFailsThoseWhoWaitAndBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := must1(core.NewBarrier(3, nil))
		before := allOf(b, 2)
		same(t, "failed by the reset", b.Reset(), 2)
		ended(t, core.ErrBroken, before...)
		same(t, "stats", b.Stats(), core.BarrierStats{Parties: 3, Generation: 1})
		all := allOf(b, 3)
		ended(t, nil, all...)
		same(t, "index of the first", all[0].value, 0)
	})
}

func TestResetAndCloseLeaveAloneAGenerationWhoseActionRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, f := range map[string]func(*core.Barrier) error{
			"reset": func(b *core.Barrier) error { b.Reset(); return core.ErrBroken },
			"close": func(b *core.Barrier) error { b.Close(); return core.ErrClosed },
		} {
			action := make(chan error)
			b := must1(core.NewBarrier(2, func() error { return <-action }))
			full, next := allOf(b, 2), allOf(b, 1)
			want := f(b)
			ended(t, want, next...)
			parked(t, full...)
			action <- nil
			ended(t, nil, full...)
			same(t, "broken after "+name, b.Stats().Broken, false)
		}
	})
}

func TestAFastPartyThatComesBackBelongsToTheNextGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := must1(core.NewBarrier(2, nil))
		var indices []int
		fast := begin(background, wait(func(ctx context.Context) error {
			for range 2 {
				index, err := b.Wait(ctx)
				if err != nil {
					return err
				}
				indices = append(indices, index)
			}
			return nil
		}))
		slow := begin(background, b.Wait)
		ended(t, nil, slow)
		parked(t, fast)
		same(t, "index of the slow", slow.value, 1)
		same(t, "stats", b.Stats(), core.BarrierStats{Parties: 2, Waiting: 1, Generation: 1})
		ended(t, nil, begin(background, b.Wait))
		ended(t, nil, fast)
		same(t, "indices of the fast", fmt.Sprint(indices), "[0 0]")
	})

	// The same before the others were even woken: w is the first of three, and comes back in its Wake.
	b := must1(core.NewBarrier(3, nil))
	var w core.Waiter
	woken, other := 0, 0
	w.Waker = wakerFunc(func() {
		if woken++; woken == 1 {
			b.Park(&w)
		}
	})
	b.Park(&w)
	b.Park(wakes(&other))
	b.Park(wakes(new(int)))
	same(t, "wakes of the fast", woken, 1)
	same(t, "wakes of the other", other, 1)
	same(t, "stats", b.Stats(), core.BarrierStats{Parties: 3, Waiting: 1, Generation: 1})
}

// Once.

func TestAOnceRunsOnceForAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJob()
		o := core.NewOnce(j.run)
		var all []*call[int]
		for range 10 {
			all = append(all, begin(background, o.Do))
		}
		all[0].leave() // and disturbs nobody
		ended(t, context.Canceled, all[0])
		parked(t, all[1:]...)
		same(t, "done", o.Done(), false)
		j.end <- nil
		ended(t, nil, append(all[1:], begin(background, o.Do))...)
		same(t, "done", o.Done(), true)
		same(t, "result", all[9].value, 1)
		same(t, "stats", o.Stats(), core.TaskStats{State: core.TaskDone, Runs: 1})
		same(t, "contended", o.Contended(), false)
	})
}

func TestAFailedRunOfAOnceIsTheErrorOfThoseWhoWaitedForItAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJob()
		o := core.NewOnce(j.run)
		for attempt := 1; attempt <= 3; attempt++ {
			a, b := begin(background, o.Do), begin(background, o.Do)
			same(t, "runs", j.runs, attempt)
			j.end <- errOops
			ended(t, errOops, a, b)
			same(t, "done", o.Done(), false)
		}
		last := begin(background, o.Do)
		j.end <- nil
		ended(t, nil, last, begin(background, o.Do))
		same(t, "runs", j.runs, 4)
		same(t, "result", last.value, 4)
		same(t, "most runs at a time", j.most, 1)
	})
}

func TestAPanicInAOnceMayBeTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		o := core.NewOnce(func(context.Context) (int, error) {
			if runs++; runs == 1 {
				panic("help")
			}
			return runs, nil
		})
		var panicked *core.PanicError
		if _, err := o.Do(background); !errors.As(err, &panicked) {
			t.Errorf("got %v, want a PanicError", err)
		}
		result, err := o.Do(background)
		same(t, "result", result, 2)
		same(t, "error", err, nil)
	})
}

func TestTheLastToLeaveAOnceCancelsItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJob()
		o := core.NewOnce(j.run)
		a, last := begin(background, o.Do), begin(background, o.Do)
		a.leave()
		same(t, "cause seen by the run", context.Cause(j.ctx), nil)
		last.leave()
		same(t, "cause seen by the run", context.Cause(j.ctx), core.ErrNoConsumers)
		newcomer := begin(background, o.Do)
		parked(t, last, newcomer)
		j.cleanup <- errOops
		ended(t, context.Canceled, a, last)
		ended(t, errOops, last)
		parked(t, newcomer)
		j.end <- nil
		ended(t, nil, newcomer)
		same(t, "result", newcomer.value, 2)
		same(t, "most runs at a time", j.most, 1)
	})
}

func TestAOnceThatWaitsForItselfGetsErrReentrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o *core.Once[int]
		o = core.NewOnce(func(ctx context.Context) (int, error) { return o.Do(ctx) })
		ended(t, core.ErrReentrant, begin(background, o.Do))
	})
}

func TestThePassiveFaceOfAOnceGetsTheResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := core.NewOnce(func(context.Context) (int, error) { return 7, nil })
		woken := 0
		w := wakes(&woken)
		ok, err := o.Park(w)
		same(t, "parked", ok, true)
		same(t, "error", err, nil)
		synctest.Wait()
		same(t, "wakes", woken, 1)
		same(t, "error", w.Err(), nil)
		same(t, "result", o.Result(), 7)
		ok, err = o.Park(w)
		same(t, "parked where it is kept", ok, false)
		same(t, "error", err, nil)
	})
}

// Queue.

// drained takes all that is in q, without waiting.
func drained[T any](q *core.Queue[T]) (all []T) {
	for item, err := q.TryGet(); err == nil; item, err = q.TryGet() {
		all = append(all, item)
	}
	return all
}

// sameItems fails the test unless got is what was wanted.
func sameItems(t *testing.T, what string, got []int, want ...int) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestAnItemThatWasHandedOverBeforeTheCancellationIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q core.Queue[int]
		get, later := begin(background, q.Get), begin(background, q.Get)
		same(t, "error", q.TryPut(1), nil)
		get.cancel(nil) // before it has run
		ended(t, nil, get)
		same(t, "item", get.value, 1)
		later.leave()
		ended(t, context.Canceled, later)
		same(t, "with nobody to take it", q.TryPut(2), core.ErrWouldBlock)
	})
}

func TestAnItemOfACallerThatIsGoneGoesBackToItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := must1(core.NewQueue[int](3))
		gone := [2]*core.Waiter{wakes(new(int)), wakes(new(int))}
		for i, w := range gone {
			q.ParkGet(w)
			q.TryPut(i + 1)
			same(t, "it can still leave", w.Withdraw(), false)
		}
		for i := 3; i <= 5; i++ {
			same(t, "error", q.TryPut(i), nil)
		}
		waits := begin(background, put(q, 6))
		same(t, "item", q.Claimed(gone[1].Value()), 2)
		q.PutBack(gone[0].Value()) // in whichever order they are put back
		q.PutBack(gone[1].Value())
		same(t, "items, more than the capacity", q.Stats().Len, 5)
		parked(t, waits)
		sameItems(t, "items", drained(q), 1, 2, 3, 4, 5, 6)
		ended(t, nil, waits)
		same(t, "puts", q.Stats().Puts, 6)
	})
}

func TestWhatIsPutBackGoesAtOnceToWhoWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := must1(core.NewQueue[int](1))
		q.TryPut(1)
		claim, err := q.Claim()
		same(t, "error", err, nil)
		first, second := begin(background, q.Get), begin(background, q.Get)
		parked(t, first, second)
		q.PutBack(claim)
		ended(t, nil, first)
		same(t, "item", first.value, 1)
		parked(t, second)
		second.leave()
		same(t, "unfinished", q.Stats().Unfinished, 1) // it was put once
	})
}

func TestWhatIsPutBackTogetherHasItsOrderAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			q    *core.Queue[int]
			want []int
		}{
			{must1(core.NewQueue[int](3)), []int{11, 22, 31}},
			{must1(core.NewStack[int](3)), []int{31, 22, 11}},
			{must1(core.NewPriorityQueue(3, itemPriority)), []int{22, 11, 31}},
		} {
			q := c.q
			claimed := func() (claims []uint64) {
				for claim, err := q.Claim(); err == nil; claim, err = q.Claim() {
					claims = append(claims, claim)
				}
				return claims
			}
			for _, item := range []int{11, 22, 31} {
				q.TryPut(item)
			}
			claims := claimed()
			slices.Reverse(claims)
			same(t, "put back", q.PutBack(claims...), true)
			claims = claimed()
			gets := []*call[int]{begin(background, q.Get), begin(background, q.Get)}
			parked(t, gets...)
			same(t, "put back", q.PutBack(claims...), true)
			ended(t, nil, gets...)
			sameItems(t, "items", append([]int{gets[0].value, gets[1].value}, drained(q)...), c.want...)
		}
	})
}

func TestPutsThatWaitKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := must1(core.NewQueue[int](1))
		same(t, "error", q.TryPut(1), nil)
		var puts []*call[struct{}]
		for i := 2; i <= 5; i++ {
			puts = append(puts, begin(background, put(q, i)))
		}
		parked(t, puts...)
		var got []int
		for range 2 { // in one turn, before any of them has run
			item, err := q.TryGet()
			same(t, "error", err, nil)
			got = append(got, item)
		}
		same(t, "a put that did not wait", q.TryPut(9), core.ErrWouldBlock)
		ended(t, nil, puts[:2]...)
		parked(t, puts[2:]...)
		later := begin(background, put(q, 6))
		parked(t, later)
		sameItems(t, "items", append(got, drained(q)...), 1, 2, 3, 4, 5, 6)
		ended(t, nil, append(puts, later)...)
	})
}

func TestGetsThatWaitAreServedInTheOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, capacity := range []int{0, 2} {
			q := must1(core.NewQueue[int](capacity))
			var gets []*call[int]
			for range 4 {
				gets = append(gets, begin(background, q.Get))
			}
			gets[1].leave()
			gets = slices.Delete(gets, 1, 2)
			for i := range gets {
				same(t, "error", q.TryPut(i), nil)
			}
			ended(t, nil, gets...)
			for i, c := range gets {
				same(t, "item", c.value, i)
			}
		}
	})
}

func TestAQueueOfCapacity0HandsFromOneToTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q core.Queue[string]
		same(t, "putting where nobody gets", q.TryPut("a"), core.ErrWouldBlock)
		_, err := q.TryGet()
		same(t, "getting where nobody puts", err, core.ErrWouldBlock)

		a := begin(background, put(&q, "a"))
		parked(t, a)
		item, err := q.TryGet()
		same(t, "item", item, "a")
		same(t, "error", err, nil)
		ended(t, nil, a)

		get := begin(background, q.Get)
		ended(t, nil, begin(background, put(&q, "b")))
		ended(t, nil, get)
		same(t, "item", get.value, "b")
		same(t, "stats", q.Stats(), core.QueueStats{Unfinished: 2, Puts: 2})
	})
}

func TestACancelledPutWasNotPut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := must1(core.NewQueue[int](1))
		q.TryPut(1)
		a, b := begin(background, put(q, 2)), begin(background, put(q, 3))
		a.leave()
		ended(t, context.Canceled, a)
		sameItems(t, "items", drained(q), 1, 3)
		ended(t, nil, b)
		same(t, "puts", q.Stats().Puts, 2)
	})
}

func TestAPutThatFoundRoomBeforeItsCancellationWasPut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := must1(core.NewQueue[int](1))
		q.TryPut(1)
		waits := begin(background, put(q, 2))
		q.TryGet()
		waits.cancel(nil) // before it has run
		ended(t, nil, waits)
		sameItems(t, "items", drained(q), 2)
	})
}

func TestAnUnboundedQueueNeverMakesAPutWait(t *testing.T) {
	q := must1(core.NewQueue[int](core.Unbounded))
	var want []int
	for i := range 1000 {
		same(t, "error", q.TryPut(i), nil)
		want = append(want, i)
	}
	sameItems(t, "items", drained(q), want...)
}

func TestAStackGivesTheLatestFirst(t *testing.T) {
	q := must1(core.NewStack[int](3))
	for i := range 3 {
		q.TryPut(i)
	}
	same(t, "error", q.TryPut(9), core.ErrWouldBlock)
	sameItems(t, "items", drained(q), 2, 1, 0)
}

func TestAPriorityQueueGivesTheHighestFirstAndEqualsInTheirOrder(t *testing.T) {
	q := must1(core.NewPriorityQueue(10, itemPriority))
	for _, item := range []int{11, 22, 33, 42, 53, 61} {
		q.TryPut(item)
	}
	claim, err := q.Claim()
	same(t, "error", err, nil)
	same(t, "item", q.Claimed(claim), 33)
	q.TryPut(73)
	q.PutBack(claim) // before those of its priority that came later
	sameItems(t, "items", drained(q), 33, 53, 73, 22, 42, 11, 61)
}

func TestThePriorityOfAnItemIsAskedForOnceAndWithNoMutexHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		var q *core.Queue[int]
		q = must1(core.NewPriorityQueue(1, func(item int) int {
			asked++
			same(t, "contended", q.Contended(), false)
			return item
		}))
		a, b := begin(background, put(q, 1)), begin(background, put(q, 2))
		ended(t, nil, a)
		parked(t, b)
		claim, _ := q.Claim()
		q.PutBack(claim)
		sameItems(t, "items", drained(q), 2, 1) // b's came in when a's was claimed
		ended(t, nil, b)
		same(t, "asked", asked, 2)
	})
}

func TestAQueueWithNothingInItBecomesAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := must1(core.NewQueue[int](core.Unbounded))
		byPriority := must1(core.NewPriorityQueue(3, itemPriority))
		q.TryPut(1)
		same(t, "it becomes another with an item", q.Adopt(byPriority), false)
		claim, _ := q.Claim()
		get := begin(background, q.Get)
		same(t, "it becomes another", q.Adopt(byPriority), true)
		parked(t, get)
		q.PutBack(claim)
		ended(t, nil, get)
		for _, item := range []int{11, 22, 33} {
			same(t, "error", q.TryPut(item), nil)
		}
		same(t, "error", q.TryPut(44), core.ErrWouldBlock)
		sameItems(t, "items", drained(q), 33, 22, 11)

		var rendezvous core.Queue[int]
		waits := begin(background, put(&rendezvous, 1))
		same(t, "it becomes another where somebody puts", rendezvous.Adopt(byPriority), false)
		waits.leave()
	})
}

func TestClosingAnEmptyQueueWakesThoseWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := must1(core.NewQueue[int](1))
		a, b := begin(background, q.Get), begin(background, q.Get)
		parked(t, a, b)
		q.Close()
		ended(t, core.ErrClosed, a, b, begin(background, q.Get))
	})
}

func TestAClosedQueueIsDrainedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := must1(core.NewQueue[int](2))
		q.TryPut(1)
		q.TryPut(2)
		waits := begin(background, put(q, 3))
		q.Close()
		ended(t, core.ErrClosed, waits, begin(background, put(q, 4)))
		same(t, "error", q.TryPut(5), core.ErrClosed)

		get := begin(background, q.Get)
		ended(t, nil, get)
		same(t, "item", get.value, 1)
		sameItems(t, "items", drained(q), 2)
		ended(t, core.ErrClosed, begin(background, q.Get))

		join := begin(background, wait(q.Join))
		parked(t, join)
		same(t, "error", q.TaskDone(), nil)
		same(t, "error", q.TaskDone(), nil)
		ended(t, nil, join)
	})
}

func TestWhatIsPutBackAfterCloseCanBeTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := must1(core.NewQueue[int](1))
		q.TryPut(1)
		claim, _ := q.Claim()
		q.Close()
		ended(t, core.ErrClosed, begin(background, q.Get))
		q.PutBack(claim)
		sameItems(t, "items", drained(q), 1)
	})
}

func TestCloseNowReturnsTheItemsInOrderAndEndsJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			q    *core.Queue[int]
			want []int
		}{
			{must1(core.NewQueue[int](3)), []int{11, 22, 31}},
			{must1(core.NewStack[int](3)), []int{31, 22, 11}},
			{must1(core.NewPriorityQueue(3, itemPriority)), []int{22, 11, 31}},
		} {
			q := c.q
			for _, item := range []int{5, 11, 22, 31} {
				waits := begin(background, put(q, item))
				if item == 5 {
					claim, _ := q.Claim()
					defer q.Take(claim)
				}
				ended(t, nil, waits)
			}
			waits, join := begin(background, put(q, 9)), begin(background, wait(q.Join))
			parked(t, waits)
			parked(t, join)
			sameItems(t, "items", q.CloseNow(), c.want...)
			ended(t, core.ErrClosed, waits, begin(background, put(q, 9)))
			ended(t, nil, join)
			ended(t, core.ErrClosed, begin(background, q.Get))
			same(t, "unfinished", q.Stats().Unfinished, 1) // what somebody has claimed
			sameItems(t, "items", q.CloseNow())
		}
	})
}

func TestWhatIsPutBackAfterCloseNowIsDroppedAndDone(t *testing.T) {
	q := must1(core.NewQueue[int](1))
	q.TryPut(1)
	claim, _ := q.Claim()
	q.CloseNow()
	same(t, "put back", q.PutBack(claim), false)
	same(t, "stats", q.Stats(), core.QueueStats{Capacity: 1, Puts: 1, Closed: true})
	same(t, "held", q.Held(), 0)
}

func TestJoinWaitsForAllThatIsPutMeanwhileToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := must1(core.NewQueue[int](2))
		ended(t, nil, begin(background, wait(q.Join))) // there was nothing to do
		same(t, "done without a task", q.TaskDone(), core.ErrOverRelease)
		q.TryPut(1)
		join := begin(background, wait(q.Join))
		q.TryPut(2)
		same(t, "error", q.TaskDone(), nil)
		parked(t, join)
		drained(q) // taken is not done
		parked(t, join)
		same(t, "error", q.TaskDone(), nil)
		ended(t, nil, join)
		same(t, "done once too often", q.TaskDone(), core.ErrOverRelease)
		same(t, "unfinished", q.Stats().Unfinished, 0)
	})
}

func TestWhoLeavesJoinTakesNobodyWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := must1(core.NewQueue[int](1))
		q.TryPut(1)
		a, b := begin(background, wait(q.Join)), begin(background, wait(q.Join))
		a.leave()
		ended(t, context.Canceled, a)
		parked(t, b)
		q.TaskDone()
		ended(t, nil, b)
	})
}

func TestWhoLeavesABarrierBreaksNoGenerationThatIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		act := make(chan struct{})
		b, err := core.NewBarrier(2, func() error { <-act; return nil })
		same(t, "error", err, nil)
		acting := []*call[int]{begin(background, b.Wait), begin(background, b.Wait)}
		full := []*call[int]{begin(background, b.Wait), begin(background, b.Wait)}
		late := begin(background, b.Wait)
		full[0].leave() // too late
		late.leave()
		ended(t, context.Canceled, late)
		ended(t, core.ErrBroken, begin(background, b.Wait))
		act <- struct{}{}
		ended(t, nil, acting...)
		parked(t, full...)
		act <- struct{}{}
		ended(t, nil, full...)
		same(t, "indices", full[0].value+10*full[1].value, 10)
		same(t, "broken", b.Stats().Broken, true)
	})
}
