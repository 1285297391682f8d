package core_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/clca-dev/clca/core"
)

// toy is a resource that knows whether it is used as it should be.
type toy struct{ up, used atomic.Bool }

func TestUnderTheHammerAPoolNeverHasMoreThanMaxNorLendsOneToTwo(t *testing.T) {
	const most = 3
	var live, chosen atomic.Int64
	pool, err := core.NewPool(core.PoolConfig[*toy]{
		Max: most,
		Create: func(context.Context) (*toy, error) {
			if live.Add(1) > most {
				t.Error("there are more than Max")
			}
			if chosen.Add(1)%7 == 0 {
				live.Add(-1)
				return nil, errOops
			}
			x := new(toy)
			x.up.Store(true)
			return x, nil
		},
		Validate: func(*toy) bool { return chosen.Add(1)%5 != 0 },
		Destroy: func(x *toy) {
			if x.used.Load() || !x.up.Swap(false) {
				t.Error("what is lent, or gone already, is destroyed")
			}
			live.Add(-1)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	hammer(8, func(chance *rand.Rand) {
		lease, err := pool.TryAcquire()
		if chance.IntN(4) > 0 && err != nil {
			lease, err = pool.Acquire(fleeting(chance))
		}
		if err != nil {
			if !errors.Is(err, context.Canceled) && !errors.Is(err, errOops) && !errors.Is(err, core.ErrWouldBlock) {
				t.Errorf("got %v", err)
			}
			return
		}
		x := lease.Value()
		if !x.up.Load() || x.used.Swap(true) {
			t.Error("what is lent is gone, or lent to another")
		}
		x.used.Store(false)
		back := lease.Release
		if chance.IntN(4) == 0 {
			back = lease.Destroy
		}
		if err := back(); err != nil {
			t.Errorf("given back: %v", err)
		}
		if err := lease.Release(); err != core.ErrNotOwner {
			t.Errorf("given back again: %v", err)
		}
	})
	same(t, "outstanding", len(pool.Close()), 0)
	same(t, "Join", pool.Join(background), nil)
	same(t, "live", live.Load(), 0)
	same(t, "stats", pool.Stats(), core.PoolStats{Max: most, Closed: true})
	intact(t, pool.Steps().Broken)
}

func TestUnderTheHammerWhoIsReportedAsLateIsReportedAsReturnedOnce(t *testing.T) {
	var held, returned atomic.Int64
	pool, err := core.NewPool(core.PoolConfig[int]{
		Max: 2, Create: atOnce, LeakAfter: 1,
		OnLeak: func(leak core.Leak[int]) {
			switch leak.Kind {
			case core.LeakHeld:
				held.Add(1)
			case core.LeakReturned:
				returned.Add(1)
			default:
				t.Errorf("reported as %v", leak.Kind)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	hammer(2, func(chance *rand.Rand) {
		lease, err := pool.Acquire(background)
		if err != nil {
			t.Errorf("got %v", err)
			return
		}
		for range chance.IntN(4) {
			runtime.Gosched()
		}
		lease.Release()
	})
	pool.Close()
	same(t, "Join", pool.Join(background), nil)
	for returned.Load() < held.Load() {
		runtime.Gosched()
	}
	same(t, "returned", returned.Load(), held.Load())
}

// asker is a waiter of PoolSteps, for a resource of an owner.
type asker struct {
	core.Waiter
	owner uint64
	woken chan struct{}
}

func (a *asker) Wake() { a.woken <- struct{}{} }

// busyRunner makes and unmakes, in goroutines, what knows only its owner.
type busyRunner struct {
	steps  *core.PoolSteps
	owners [2]atomic.Uint64 // of the resource in each slot; 0: none
	lent   [2]atomic.Bool
	chosen atomic.Int64
	wrong  atomic.Bool
}

func (r *busyRunner) Create(slot int, by core.Waker) {
	go func() {
		if r.chosen.Add(1)%7 == 0 {
			r.steps.Created(slot, errOops)
			return
		}
		if r.owners[slot].Swap(by.(*asker).owner) != 0 {
			r.wrong.Store(true)
		}
		r.steps.Created(slot, nil)
	}()
}

func (r *busyRunner) Destroy(slot int) {
	go func() {
		if r.lent[slot].Load() || r.owners[slot].Swap(0) == 0 {
			r.wrong.Store(true)
		}
		r.steps.Destroyed(slot)
	}()
}

func (r *busyRunner) Idle(slot int, lease uint64) {
	if r.chosen.Add(1)%5 == 0 {
		go r.steps.Evict(lease)
	}
}

func TestUnderTheHammerOwnersShareTheSlotsOfAPoolAndNothingElse(t *testing.T) {
	r := &busyRunner{}
	r.steps = &core.PoolSteps{Runner: r, Max: len(r.owners)}
	hammer(4, func(chance *rand.Rand) {
		a := &asker{owner: chance.Uint64N(2) + 1, woken: make(chan struct{}, 1)}
		a.Waker = a
		parked, err := r.steps.Park(&a.Waiter, a.owner)
		if err != nil {
			t.Errorf("got %v", err)
			return
		}
		if parked {
			if chance.IntN(2) == 0 {
				runtime.Gosched()
				if a.Withdraw() {
					return
				}
			}
			if <-a.woken; a.Err() != nil {
				same(t, "error", a.Err(), errOops)
				return
			}
		}
		slot, _ := r.steps.Slot(a.Value())
		if r.lent[slot].Swap(true) || r.owners[slot].Load() != a.owner {
			t.Error("what is lent is of another owner, or lent to another")
		}
		r.lent[slot].Store(false)
		give := r.steps.Release
		if chance.IntN(4) == 0 {
			give = r.steps.Discard
		}
		same(t, "given back", give(a.Value()), nil)
	})
	r.steps.Close()
	end := asker{woken: make(chan struct{}, 1)}
	end.Waker = &end
	if parked, _ := r.steps.ParkJoin(&end.Waiter); parked {
		<-end.woken
	}
	same(t, "something went wrong", r.wrong.Load(), false)
	same(t, "stats", r.steps.Stats(), core.PoolStats{Max: len(r.owners), Closed: true})
	intact(t, r.steps.Broken)
}
