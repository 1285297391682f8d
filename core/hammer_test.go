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

// Many goroutines strike at once, for the race detector and for what no single-threaded exploration can reach.

// strikes returns how often each goroutine of a hammer strikes.
func strikes() int {
	if slow || testing.Short() {
		return 2_000
	}
	return 20_000
}

// hammer runs n goroutines, each of which strikes with a source of chance of its own, and waits for them.
func hammer(n int, strike func(chance *rand.Rand)) {
	var all sync.WaitGroup
	for id := range n {
		all.Go(func() {
			chance := rand.New(rand.NewPCG(uint64(id), 0))
			for range strikes() {
				strike(chance)
			}
		})
	}
	all.Wait()
}

// fleeting returns a context that another goroutine cancels at a moment of its own choice.
func fleeting(chance *rand.Rand) context.Context {
	ctx, cancel := context.WithCancel(background)
	if spins := chance.IntN(4); spins > 0 {
		go func() {
			for range spins {
				runtime.Gosched()
			}
			cancel()
		}()
	} else {
		cancel()
	}
	return ctx
}

// whileStriking runs f again and again until the hammer is done.
func whileStriking(hammer func(), f func()) {
	var done atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		for !done.Load() {
			f()
			runtime.Gosched()
		}
	})
	hammer()
	done.Store(true)
	all.Wait()
}

func TestUnderTheHammerASignalWakesAsManyAsItSays(t *testing.T) {
	var (
		s             core.Signal
		granted, left atomic.Int64
		said          int
	)
	whileStriking(func() {
		hammer(8, func(chance *rand.Rand) {
			switch err := s.Wait(fleeting(chance)); {
			case err == nil:
				granted.Add(1)
			case errors.Is(err, context.Canceled):
				left.Add(1)
			default:
				t.Errorf("got %v", err)
			}
		})
	}, func() { said += s.Signal() })
	same(t, "woken", granted.Load(), int64(said))
	same(t, "ended", granted.Load()+left.Load(), int64(8*strikes()))
	same(t, "waiting", s.Stats().Waiting, 0)
	same(t, "broken", s.Broken(), "")
}

func TestUnderTheHammerPassiveAndBlockingWaitersShareOneSignal(t *testing.T) {
	var (
		s         core.Signal
		settled   atomic.Int64
		withdrawn atomic.Int64
		said      int
	)
	whileStriking(func() {
		hammer(8, func(chance *rand.Rand) {
			if chance.IntN(2) == 0 {
				if s.Wait(fleeting(chance)) == nil {
					settled.Add(1)
				} else {
					withdrawn.Add(1)
				}
				return
			}
			woken := make(chan struct{})
			w := core.Waiter{Waker: wakerFunc(func() { close(woken) })}
			s.Park(&w)
			runtime.Gosched()
			if w.Withdraw() {
				withdrawn.Add(1)
				return
			}
			<-woken
			settled.Add(1)
		})
	}, func() { said += s.Signal() })
	same(t, "woken", settled.Load(), int64(said))
	same(t, "ended", settled.Load()+withdrawn.Load(), int64(8*strikes()))
}

func TestUnderTheHammerACheckpointLosesNobody(t *testing.T) {
	var (
		c       core.Checkpoint
		resumed int
		done    = make(chan struct{})
	)
	ctx, cancel := context.WithCancel(background)
	go func() { // a controller, which stops and resumes
		defer close(done)
		for c.Arm(ctx) == nil {
			resumed += c.Resume()
		}
	}()
	hammer(8, func(chance *rand.Rand) {
		ctx := background // is resumed, for the controller does so after each arm
		if chance.IntN(2) == 0 {
			ctx = fleeting(chance)
		}
		if err := c.Wait(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	cancel()
	<-done
	got := c.Stats()
	same(t, "resumed", got.Resumed, uint64(resumed))
	same(t, "state", got.State, core.Disarmed)
	same(t, "waiting", got.Waiting, 0)
	same(t, "broken", c.Broken(), "")
}

func TestUnderTheHammerRunsOfATaskNeverOverlap(t *testing.T) {
	var live, runs atomic.Int64
	task := core.NewSharedTask(func(ctx context.Context) (int64, error) {
		if live.Add(1) != 1 {
			t.Error("two runs are live at once")
		}
		defer live.Add(-1)
		runs.Add(1)
		<-ctx.Done() // everybody leaves sooner or later
		return 0, ctx.Err()
	})
	hammer(8, func(chance *rand.Rand) {
		if _, err := task.Wait(fleeting(chance)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	same(t, "stats", task.Stats(), core.TaskStats{State: core.TaskIdle, Runs: uint64(runs.Load())})
	intact(t, task.Steps().Broken)
	same(t, "live", live.Load(), 0)
}

func TestUnderTheHammerAHeldResourceIsLiveAndNeverTwice(t *testing.T) {
	var live, starts, stops atomic.Int64
	r := core.NewSharedResource(
		func(ctx context.Context) (*atomic.Bool, error) {
			if live.Add(1) != 1 {
				t.Error("two are live at once")
			}
			if starts.Add(1)%3 == 0 {
				live.Add(-1)
				return nil, errOops
			}
			up := new(atomic.Bool)
			up.Store(true)
			return up, nil
		},
		func(up *atomic.Bool) error {
			up.Store(false)
			stops.Add(1)
			live.Add(-1)
			return nil
		})
	hammer(8, func(chance *rand.Rand) {
		ref, err := r.Acquire(fleeting(chance))
		if err != nil {
			if !errors.Is(err, context.Canceled) && !errors.Is(err, errOops) {
				t.Errorf("got %v", err)
			}
			return
		}
		if !ref.Value().Load() {
			t.Error("somebody holds what has been stopped")
		}
		if err := ref.Release(); err != nil {
			t.Errorf("release: %v", err)
		}
	})
	same(t, "stats", r.Stats(), core.ResourceStats{State: core.ResourceIdle, Runs: uint64(starts.Load())})
	intact(t, r.Steps().Broken)
	same(t, "live", live.Load(), 0)
}

// intact is for machines with a runner: whoever woke the last caller may still be at what it owes that.
func intact(t *testing.T, broken func() string) {
	t.Helper()
	for broken() == "broken: nothing is owed after a step" {
		runtime.Gosched()
	}
	same(t, "broken", broken(), "")
}
