package core_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/clca-dev/clca/core"
)

// cancelledOr fails the test unless err is a cancellation or one of those.
func cancelledOr(t *testing.T, err error, others ...error) {
	for _, want := range append(others, context.Canceled) {
		if errors.Is(err, want) {
			return
		}
	}
	t.Errorf("got %v", err)
}

func TestUnderTheHammerAnEventWakesAsManyAsItSays(t *testing.T) {
	var (
		e                  core.Event
		woken, passed, all atomic.Int64
		said               int
	)
	whileStriking(func() {
		hammer(8, func(chance *rand.Rand) {
			done := make(chan struct{})
			w := core.Waiter{Waker: wakerFunc(func() { close(done) })}
			all.Add(1)
			if parked, err := e.Park(&w); !parked {
				same(t, "error", err, nil)
				passed.Add(1)
				return
			}
			if chance.IntN(2) == 0 {
				runtime.Gosched()
			}
			if w.Withdraw() {
				all.Add(-1)
				return
			}
			<-done
			same(t, "error", w.Err(), nil)
			woken.Add(1)
		})
	}, func() { said += e.Set(); e.Clear() })
	same(t, "woken", woken.Load(), int64(said))
	same(t, "ended", woken.Load()+passed.Load(), all.Load())
	same(t, "waiting", e.Stats().Waiting, 0)
	same(t, "broken", e.Broken(), "")
}

func TestUnderTheHammerALatchOpensWithTheLastCount(t *testing.T) {
	l := must1(core.NewCountdownLatch(8 * strikes()))
	var counted atomic.Int64
	var waiters sync.WaitGroup
	for range 4 {
		waiters.Go(func() {
			same(t, "error", l.Wait(background), nil)
			same(t, "counted down", counted.Load(), int64(8*strikes()))
		})
	}
	hammer(8, func(chance *rand.Rand) {
		if chance.IntN(4) == 0 {
			cancelledOr(t, l.Wait(fleeting(chance)))
		}
		counted.Add(1)
		if _, err := l.CountDown(1); err != nil {
			t.Errorf("got %v", err)
		}
	})
	waiters.Wait()
	same(t, "stats", l.Stats(), core.LatchStats{})
}

func TestUnderTheHammerABarrierLetsPassAllPartiesOrNone(t *testing.T) {
	const parties = 3
	var acts atomic.Int64
	for _, act := range []func() error{nil, func() error { acts.Add(1); return nil }} {
		b := must1(core.NewBarrier(parties, act))
		var passed [parties]atomic.Int64 // by index
		hammer(8, func(chance *rand.Rand) {
			index, err := b.Wait(fleeting(chance))
			if err == nil {
				passed[index].Add(1)
				return
			}
			cancelledOr(t, err, core.ErrBroken)
			b.Reset()
		})
		for i := range passed {
			same(t, "passed", passed[i].Load(), passed[0].Load())
		}
		if act != nil {
			same(t, "actions", acts.Load(), passed[0].Load())
		}
		same(t, "waiting", b.Stats().Waiting, 0)
		same(t, "broken", b.Broken(), "")
	}
}

func TestUnderTheHammerPartiesThatStayMeetInEveryGeneration(t *testing.T) {
	b := must1(core.NewBarrier(4, nil))
	var came atomic.Int64
	hammer(4, func(*rand.Rand) {
		came.Add(1)
		if _, err := b.Wait(background); err != nil {
			t.Errorf("got %v", err)
		}
		generation := int64(b.Stats().Generation)
		if n := came.Load(); n < 4*generation {
			t.Errorf("%d have come, and it was full %d times", n, generation)
		}
	})
	same(t, "generations", b.Stats().Generation, uint64(strikes()))
}

func TestUnderTheHammerEveryItemIsGotOnce(t *testing.T) {
	for _, q := range []*core.Queue[int64]{
		{},
		must1(core.NewQueue[int64](3)),
		must1(core.NewStack[int64](3)),
		must1(core.NewPriorityQueue(3, func(item int64) int { return int(item % 3) })),
	} {
		var made, puts, sumPut, gets, sumGot atomic.Int64
		got := func(item int64) {
			gets.Add(1)
			sumGot.Add(item)
			if err := q.TaskDone(); err != nil {
				t.Errorf("got %v", err)
			}
		}
		hammer(8, func(chance *rand.Rand) {
			switch chance.IntN(6) {
			case 0, 1, 2:
				item, err := made.Add(1), error(nil)
				if chance.IntN(2) == 0 {
					err = q.Put(fleeting(chance), item)
				} else {
					err = q.TryPut(item)
				}
				if err == nil {
					puts.Add(1)
					sumPut.Add(item)
				} else {
					cancelledOr(t, err, core.ErrWouldBlock)
				}
			case 3, 4:
				item, err := q.Get(fleeting(chance))
				if err == nil {
					got(item)
				} else {
					cancelledOr(t, err)
				}
			default: // who is gone when it is handed the item
				claim, err := q.Claim()
				if err != nil {
					cancelledOr(t, err, core.ErrWouldBlock)
					return
				}
				runtime.Gosched()
				if chance.IntN(2) == 0 {
					q.PutBack(claim)
				} else {
					got(q.Take(claim))
				}
			}
		})
		for _, item := range q.CloseNow() {
			gets.Add(1)
			sumGot.Add(item)
		}
		same(t, "got", gets.Load(), puts.Load())
		same(t, "sum of what was got", sumGot.Load(), sumPut.Load())
		same(t, "stats", q.Stats(), core.QueueStats{Capacity: q.Stats().Capacity, Puts: uint64(puts.Load()), Closed: true})
		same(t, "held", q.Held(), 0)
		same(t, "broken", q.Broken(), "")
	}
}

func TestUnderTheHammerTheItemsOfOneComeInTheirOrder(t *testing.T) {
	for _, capacity := range []int{0, 1, 7} {
		q := must1(core.NewQueue[int](capacity))
		var producer sync.WaitGroup
		producer.Go(func() {
			for i := range strikes() {
				if err := q.Put(background, i); err != nil {
					t.Errorf("got %v", err)
				}
			}
			q.Close()
		})
		next := 0
		for item, err := q.Get(background); err == nil; item, err = q.Get(background) {
			if item != next {
				t.Fatalf("got %d, want %d", item, next)
			}
			next++
		}
		same(t, "items", next, strikes())
		producer.Wait()
	}
}

func TestUnderTheHammerAOnceRunsNoMoreOnceItHasSucceeded(t *testing.T) {
	var live, runs atomic.Int64
	o := core.NewOnce(func(context.Context) (int64, error) {
		if live.Add(1) != 1 {
			t.Error("two runs are live at once")
		}
		defer live.Add(-1)
		if run := runs.Add(1); run >= int64(strikes()/10) {
			return run, nil
		}
		return 0, errOops
	})
	hammer(8, func(chance *rand.Rand) {
		ctx := background
		if chance.IntN(2) == 0 {
			ctx = fleeting(chance)
		}
		if result, err := o.Do(ctx); err != nil {
			cancelledOr(t, err, errOops)
		} else {
			same(t, "result", result, runs.Load())
		}
	})
	same(t, "stats", o.Stats(), core.TaskStats{State: core.TaskDone, Runs: uint64(runs.Load())})
	same(t, "live", live.Load(), 0)
}
