package core_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clca-dev/clca/core"
	"pgregory.net/rapid"
)

// yard makes and unmakes things for a pool, in a drawn time and with a drawn outcome.
type yard struct {
	most int

	mu    sync.Mutex
	live  int // things, and those in the making
	start time.Duration
	stop  time.Duration
	fails bool
	stale bool // things that were idle are not valid
}

func (y *yard) draw(t *rapid.T) {
	takes := []time.Duration{0, 1000, 2500}
	start, stop := rapid.SampledFrom(takes).Draw(t, "start takes"), rapid.SampledFrom(takes).Draw(t, "stop takes")
	fails, stale := rapid.Bool().Draw(t, "start fails"), rapid.Bool().Draw(t, "is stale")
	y.mu.Lock()
	defer y.mu.Unlock()
	y.start, y.stop, y.fails, y.stale = start*time.Millisecond, stop*time.Millisecond, fails, stale
}

func (y *yard) make(context.Context) (*thing, error) {
	y.mu.Lock()
	y.live++
	live, start, fails := y.live, y.start, y.fails
	y.mu.Unlock()
	if live > y.most {
		panic("there are more than Max")
	}
	if time.Sleep(start); !fails {
		return &thing{live: true}, nil
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	y.live--
	return nil, errOops
}

func (y *yard) unmake(x *thing) {
	y.mu.Lock()
	x.live = false
	stop := y.stop
	y.mu.Unlock()
	time.Sleep(stop)
	y.mu.Lock()
	defer y.mu.Unlock()
	y.live--
}

func (y *yard) valid(*thing) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	return !y.stale
}

func TestInRandomProgramsAPoolLendsEachResourceToOneAndServesAll(t *testing.T) {
	inBubble(t, func(t *rapid.T) {
		y := &yard{most: rapid.IntRange(1, 3).Draw(t, "max")}
		pool, err := core.NewPool(core.PoolConfig[*thing]{
			Max: y.most, Create: y.make, Destroy: y.unmake, Validate: y.valid, IdleTime: 2 * time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { // also where it has failed: all goroutines end
			pool.Close()
			goBy(10 * time.Second)
		}()
		var calls []*timed[*core.Lease[*thing]]
		var leases []*core.Lease[*thing]
		invariants := func(t *rapid.T) {
			calls = slices.DeleteFunc(calls, func(c *timed[*core.Lease[*thing]]) bool {
				if c.pending() {
					return false
				}
				if c.settled(t); c.err == nil {
					leases = append(leases, c.value)
				}
				return true
			})
			lent := map[*thing]bool{}
			y.mu.Lock()
			for _, lease := range leases {
				if x := lease.Value(); !x.live || lent[x] {
					t.Fatal("somebody holds what has been destroyed, or is lent to another")
				}
				lent[lease.Value()] = true
			}
			y.mu.Unlock()
			if got := pool.Stats(); got.Lent != len(leases) || got.Waiting != len(calls) || len(pool.Outstanding()) != len(leases) {
				t.Fatalf("%d leases are out, %d wait: %+v", len(leases), len(calls), got)
			}
			if broken := pool.Steps().Broken(); broken != "" {
				t.Fatal(broken)
			}
		}
		giveBack := func(t *rapid.T, how func(*core.Lease[*thing]) error) {
			if len(leases) == 0 {
				t.Skip("nobody holds any")
			}
			i := rapid.IntRange(0, len(leases)-1).Draw(t, "whose")
			lease := leases[i]
			leases = slices.Delete(leases, i, i+1)
			if err := how(lease); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		t.Repeat(map[string]func(*rapid.T){
			"acquire": func(t *rapid.T) {
				y.draw(t)
				calls = append(calls, beginTimed(t, pool.Acquire))
			},
			"try": func(t *rapid.T) {
				idle := pool.Stats().Idle
				lease, err := pool.TryAcquire()
				if err == nil {
					leases = append(leases, lease)
				} else if err != core.ErrWouldBlock || idle > 0 && y.valid(nil) {
					t.Fatalf("got %v where %d are idle", err, idle)
				}
				synctest.Wait()
			},
			"leave":   func(t *rapid.T) { leaveOne(t, calls) },
			"release": func(t *rapid.T) { giveBack(t, (*core.Lease[*thing]).Release) },
			"destroy": func(t *rapid.T) { giveBack(t, (*core.Lease[*thing]).Destroy) },
			"pass":    pass,
			"":        invariants,
		})
		for round := 0; len(calls)+len(leases) > 0; round++ { // every call ends, and all can be given back
			if round == 100 {
				t.Fatalf("%d calls are never served", len(calls))
			}
			time.Sleep(10 * time.Second)
			synctest.Wait()
			invariants(t)
			for _, lease := range leases {
				lease.Release()
			}
			leases = nil
			synctest.Wait()
			invariants(t)
		}
		pool.Close()
		if err := pool.Join(background); err != nil || y.live != 0 {
			t.Fatalf("in the end: %v, and %d are live", err, y.live)
		}
	})
}
