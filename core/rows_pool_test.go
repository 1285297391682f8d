package core_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clca-dev/clca/core"
)

// factory makes numbered resources for a pool, and is told when and how a creation ends.
type factory struct {
	made int
	ctx  context.Context // of the latest creation
	end  chan error      // ends a creation; nil: all succeed at once

	mu        sync.Mutex // timers have resources destroyed
	destroyed []int
}

func (f *factory) create(ctx context.Context) (int, error) {
	f.made++
	number := f.made
	f.ctx = ctx
	if f.end != nil {
		if err := <-f.end; err != nil {
			return 0, err
		}
	}
	return number, nil
}

func (f *factory) destroy(number int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.destroyed = append(f.destroyed, number)
}

// gone lists what was destroyed, by number.
func (f *factory) gone() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	slices.Sort(f.destroyed)
	return fmt.Sprint(f.destroyed)
}

// pool returns a pool of what f makes; more sets what else it has.
func (f *factory) pool(most int, more ...func(*core.PoolConfig[int])) *core.Pool[int] {
	config := core.PoolConfig[int]{Max: most, Create: f.create, Destroy: f.destroy}
	for _, set := range more {
		set(&config)
	}
	pool, err := core.NewPool(config)
	if err != nil {
		panic(err)
	}
	return pool
}

// lent returns a lease that must be granted at once, or when what it needs is made.
func lent(t *testing.T, pool *core.Pool[int]) *core.Lease[int] {
	t.Helper()
	c := begin(background, pool.Acquire)
	ended(t, nil, c)
	return c.value
}

// goBy lets time pass, and what happens then.
func goBy(d time.Duration) { time.Sleep(d); synctest.Wait() }

// released gives leases back.
func released(t *testing.T, leases ...*core.Lease[int]) {
	t.Helper()
	for _, lease := range leases {
		same(t, "Release", lease.Release(), nil)
	}
	synctest.Wait()
}

func TestAPoolMakesAResourceForTheFirstAndReusesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f factory
		pool := f.pool(2)
		same(t, "made before anybody asks", f.made, 0)
		for range 3 {
			lease := lent(t, pool)
			same(t, "resource", lease.Value(), 1)
			released(t, lease)
		}
		same(t, "made", f.made, 1)
		same(t, "stats", pool.Stats(), core.PoolStats{Max: 2, Idle: 1})
	})
}

func TestTheResourceThatBecameIdleLastIsLentFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f factory
		pool := f.pool(3)
		a, b, c := lent(t, pool), lent(t, pool), lent(t, pool)
		released(t, b, c, a)
		for _, want := range []int{1, 3, 2} {
			lease := lent(t, pool)
			same(t, "resource", lease.Value(), want)
			defer lease.Release()
		}
	})
}

func TestWhoFindsAllLentWaitsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f factory
		pool := f.pool(2)
		a, b := lent(t, pool), lent(t, pool)
		first, second, third := begin(background, pool.Acquire), begin(background, pool.Acquire), begin(background, pool.Acquire)
		parked(t, first, second, third)
		same(t, "stats", pool.Stats(), core.PoolStats{Max: 2, Lent: 2, Waiting: 3})
		second.leave()
		ended(t, context.Canceled, second)
		released(t, b)
		ended(t, nil, first)
		same(t, "resource of the first", first.value.Value(), 2)
		parked(t, third)
		released(t, a)
		ended(t, nil, third)
		same(t, "resource of the third", third.value.Value(), 1)
		same(t, "made", f.made, 2)
		released(t, first.value, third.value)
	})
}

func TestAPriorityPassesThoseWhoWaitForALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f factory
		pool := f.pool(1)
		holder := lent(t, pool)
		low := begin(background, pool.Acquire)
		high := begin(core.WithPriority(background, 1), pool.Acquire)
		equal := begin(core.WithPriority(background, 1), pool.Acquire)
		released(t, holder)
		ended(t, nil, high)
		parked(t, low, equal)
		released(t, high.value)
		ended(t, nil, equal)
		released(t, equal.value)
		ended(t, nil, low)
		released(t, low.value)
	})
}

func TestTryAcquireNeitherMakesNorOvertakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f factory
		pool := f.pool(1)
		refused := func(when string, want error) {
			t.Helper()
			lease, err := pool.TryAcquire()
			same(t, "lease "+when, lease, nil)
			same(t, "error "+when, err, want)
		}
		refused("of what is not made", core.ErrWouldBlock)
		same(t, "made", f.made, 0)
		holder := lent(t, pool)
		refused("of what is lent", core.ErrWouldBlock)
		next := begin(background, pool.Acquire)
		released(t, holder)
		refused("of what was handed to the first in line", core.ErrWouldBlock)
		released(t, next.value)
		lease, err := pool.TryAcquire()
		same(t, "error", err, nil)
		same(t, "resource", lease.Value(), 1)
		released(t, lease)
		pool.Close()
		refused("of a closed pool", core.ErrClosed)
	})
}

func TestWhatWasBeingMadeForOneWhoLeftIsKeptForTheNext(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		f := factory{end: make(chan error)}
		pool := f.pool(1)
		ctx, stop := context.WithTimeout(context.WithValue(background, key{}, "first"), time.Second)
		defer stop()
		hasty := begin(ctx, pool.Acquire)
		time.Sleep(time.Second)
		ended(t, context.DeadlineExceeded, hasty)
		same(t, "error of the creation's context", f.ctx.Err(), nil)
		_, hasDeadline := f.ctx.Deadline()
		same(t, "it has a deadline", hasDeadline, false)
		same(t, "value", f.ctx.Value(key{}), any("first"))

		next := begin(background, pool.Acquire) // finds no room to make another
		parked(t, next)
		f.end <- nil
		ended(t, nil, next)
		same(t, "resource", next.value.Value(), 1)
		released(t, next.value)
		same(t, "made", f.made, 1)
	})
	t.Run("and is idle until then", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := factory{end: make(chan error)}
			pool := f.pool(1)
			begin(background, pool.Acquire).leave()
			f.end <- nil
			synctest.Wait()
			same(t, "stats", pool.Stats(), core.PoolStats{Max: 1, Idle: 1})
		})
	})
}

func TestAFailedCreationIsTheErrorOfOneAndTheNextInLineTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := factory{end: make(chan error)}
		pool := f.pool(1)
		unlucky, next := begin(background, pool.Acquire), begin(background, pool.Acquire)
		f.end <- errOops
		ended(t, errOops, unlucky)
		parked(t, next)
		same(t, "made", f.made, 2)
		f.end <- nil
		ended(t, nil, next)
		released(t, next.value)
		same(t, "stats", pool.Stats(), core.PoolStats{Max: 1, Idle: 1})
	})
	for name, leave := range map[string]func(){"a panic": func() { panic(errOops) }, "runtime.Goexit": runtime.Goexit} {
		t.Run("so is "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool, _ := core.NewPool(core.PoolConfig[int]{
					Max: 1, Create: func(context.Context) (int, error) { leave(); return 0, nil },
				})
				for range 2 {
					_, err := pool.Acquire(background)
					var panicked *core.PanicError
					if !errors.As(err, &panicked) {
						t.Errorf("got %v, want a PanicError", err)
					}
				}
				same(t, "stats", pool.Stats(), core.PoolStats{Max: 1})
			})
		})
	}
}

func TestAResourceThatIsNotValidIsReplacedInItsPlace(t *testing.T) {
	for name, refuse := range map[string]func() bool{
		"false": func() bool { return false }, "a panic": func() bool { panic("help") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := factory{}
				asked := 0
				pool := f.pool(1, func(c *core.PoolConfig[int]) {
					c.Validate = func(int) bool { asked++; return refuse() }
				})
				lease := lent(t, pool)
				same(t, "asked about a fresh one", asked, 0)
				released(t, lease)

				f.end = make(chan error)
				first, second := begin(background, pool.Acquire), begin(background, pool.Acquire)
				parked(t, first, second) // the second does not slip in
				same(t, "asked", asked, 1)
				same(t, "destroyed", f.gone(), "[1]")
				f.end <- nil
				ended(t, nil, first)
				same(t, "resource", first.value.Value(), 2)
				parked(t, second)
				released(t, first.value) // which is handed over, and found wanting as well
				same(t, "asked", asked, 2)
				f.end <- errOops
				ended(t, errOops, second)
				same(t, "stats", pool.Stats(), core.PoolStats{Max: 1})
			})
		})
	}
	t.Run("one that is valid is not", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var f factory
			var asked []int
			pool := f.pool(1, func(c *core.PoolConfig[int]) {
				c.Validate = func(number int) bool { asked = append(asked, number); return true }
			})
			released(t, lent(t, pool))
			released(t, lent(t, pool))
			same(t, "asked about", fmt.Sprint(asked), "[1]")
			same(t, "made", f.made, 1)
		})
	})
	t.Run("TryAcquire takes another", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var f factory
			pool := f.pool(3, func(c *core.PoolConfig[int]) { c.Validate = func(number int) bool { return number == 1 } })
			released(t, lent(t, pool), lent(t, pool), lent(t, pool))
			lease, err := pool.TryAcquire()
			same(t, "error", err, nil)
			same(t, "resource", lease.Value(), 1)
			synctest.Wait()
			same(t, "destroyed", f.gone(), "[2 3]")
			lease.Release()
		})
	})
	t.Run("unless its caller leaves", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var f factory
			ctx, leave := context.WithCancel(background)
			pool := f.pool(1, func(c *core.PoolConfig[int]) { c.Validate = func(int) bool { leave(); return false } })
			released(t, lent(t, pool))
			ended(t, context.Canceled, begin(ctx, pool.Acquire))
			same(t, "stats", pool.Stats(), core.PoolStats{Max: 1})
			same(t, "made", f.made, 1)
		})
	})
}

func TestAResourceThatIsIdleForTooLongIsUnmade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f factory
		pool := f.pool(2, func(c *core.PoolConfig[int]) { c.IdleTime = time.Minute })
		released(t, lent(t, pool))
		goBy(40 * time.Second)
		lease := lent(t, pool) // which ends the time
		goBy(time.Hour)
		same(t, "destroyed while it is lent", f.gone(), "[]")
		released(t, lease)
		goBy(59 * time.Second)
		same(t, "destroyed too early", f.gone(), "[]")
		goBy(time.Second)
		same(t, "destroyed", f.gone(), "[1]")
		same(t, "stats", pool.Stats(), core.PoolStats{Max: 2})

		a, b := lent(t, pool), lent(t, pool)
		released(t, a)
		goBy(30 * time.Second)
		released(t, b)
		goBy(30 * time.Second)
		same(t, "destroyed of two", f.gone(), "[1 2]")
		pool.Close()
		synctest.Wait()
		goBy(time.Hour)
		same(t, "destroyed after Close", f.gone(), "[1 2 3]")
	})
}

func TestTheHooksOfAPoolTellWhatHappensInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			f    factory
			pool *core.Pool[int]
			mu   sync.Mutex // for who is late may be told of at any time
			told []string
		)
		tell := func(what string) func(int) {
			return func(number int) {
				pool.Stats() // and so no mutex is held
				pool.Outstanding()
				if lease, err := pool.TryAcquire(); err == nil {
					t.Errorf("%s is told when the resource %d is idle", what, lease.Value())
				}
				mu.Lock()
				defer mu.Unlock()
				told = append(told, fmt.Sprint(what, " ", number))
			}
		}
		pool = f.pool(1, func(c *core.PoolConfig[int]) {
			c.OnCreate, c.OnAcquire, c.OnRelease, c.OnDestroy = tell("create"), tell("acquire"), tell("release"), tell("destroy")
			c.Destroy = tell("unmake")
			c.LeakAfter = time.Minute
			c.OnLeak = func(leak core.Leak[int]) { tell("leak " + leak.Kind.String())(leak.Value) }
		})
		released(t, lent(t, pool))
		lease := lent(t, pool)
		goBy(time.Minute)
		same(t, "Destroy", lease.Destroy(), nil)
		synctest.Wait()
		same(t, "told", strings.Join(told, ", "), "create 1, acquire 1, release 1, acquire 1, leak Held 1, leak Returned 1, "+
			"release 1, unmake 1, destroy 1")
	})
}

func TestAHookThatPanicsIsNotCalledAgainAndThePoolWorksOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f factory
		calls := map[string]int{}
		panics := func(which string) func(int) { return func(int) { calls[which]++; panic(which) } }
		pool := f.pool(1, func(c *core.PoolConfig[int]) {
			c.OnCreate, c.OnAcquire, c.OnRelease, c.OnDestroy = panics("create"), panics("acquire"), panics("release"), panics("destroy")
			c.LeakAfter = time.Minute
			c.OnLeak = func(core.Leak[int]) { panics("leak")(0) }
		})
		for range 3 {
			lease := lent(t, pool)
			goBy(time.Minute)
			same(t, "Destroy", lease.Destroy(), nil)
			synctest.Wait()
		}
		same(t, "made", f.made, 3)
		same(t, "destroyed", f.gone(), "[1 2 3]")
		for _, which := range []string{"create", "acquire", "release", "destroy", "leak"} {
			same(t, "calls of the hook for "+which, calls[which], 1)
		}
	})
}

func TestAPanicInDestroyLosesNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f factory
		pool := f.pool(1, func(c *core.PoolConfig[int]) { c.Destroy = func(int) { panic("help") } })
		same(t, "Destroy", lent(t, pool).Destroy(), nil)
		lease := lent(t, pool)
		same(t, "resource", lease.Value(), 2)
		released(t, lease)
	})
}

func TestALeaseIsGivenBackOnce(t *testing.T) {
	var none *core.Lease[int]
	same(t, "Release of no lease", none.Release(), core.ErrNotOwner)
	same(t, "Destroy of no lease", none.Destroy(), core.ErrNotOwner)
	same(t, "Release of a lease from nowhere", new(core.Lease[int]).Release(), core.ErrNotOwner)
	same(t, "Destroy of a lease from nowhere", new(core.Lease[int]).Destroy(), core.ErrNotOwner)

	synctest.Test(t, func(t *testing.T) {
		var f factory
		hooks := 0
		pool := f.pool(1, func(c *core.PoolConfig[int]) { c.OnRelease = func(int) { hooks++ } })
		for _, first := range []func(*core.Lease[int]) error{(*core.Lease[int]).Release, (*core.Lease[int]).Destroy} {
			lease := lent(t, pool)
			same(t, "the first time", first(lease), nil)
			other := lent(t, pool)
			same(t, "Release again", lease.Release(), core.ErrNotOwner)
			same(t, "Destroy again", lease.Destroy(), core.ErrNotOwner)
			same(t, "stats", pool.Stats(), core.PoolStats{Max: 1, Lent: 1})
			released(t, other)
		}
		same(t, "calls of OnRelease", hooks, 4)
	})
}

func TestALeaseThatIsDestroyedMakesRoomForAFreshResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f factory
		pool := f.pool(1)
		lease := lent(t, pool)
		next := begin(background, pool.Acquire)
		same(t, "Destroy", lease.Destroy(), nil)
		ended(t, nil, next)
		same(t, "resource", next.value.Value(), 2)
		same(t, "destroyed", f.gone(), "[1]")
		released(t, next.value)
	})
}

func TestAPoolGivesBackWhatWithHasUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f factory
		pool := f.pool(1)
		same(t, "error of the function", pool.With(background, func(int) error { return errOops }), errOops)
		func() {
			defer func() { same(t, "panic", recover(), any("help")) }()
			pool.With(background, func(int) error { panic("help") })
		}()
		same(t, "stats", pool.Stats(), core.PoolStats{Max: 1, Idle: 1})
		pool.Close()
		same(t, "error of Acquire", pool.With(background, func(int) error { return nil }), core.ErrClosed)
	})
}

func TestALeaseWaitEndsAsItsContextDoes(t *testing.T) {
	for _, reason := range reasons {
		t.Run(reason.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var f factory
				pool := f.pool(1)
				lease := lent(t, pool)
				ctx, end := reason.ends()
				waits, joins := begin(ctx, wait(errOnly(pool.Acquire))), begin(ctx, wait(pool.Join))
				parked(t, waits, joins)
				end()
				for _, want := range reason.want {
					ended(t, want, waits, joins)
				}
				released(t, lease)

				before := pool.Stats() // one is idle, and is not taken
				late := begin(ctx, wait(errOnly(pool.Acquire)))
				for _, want := range reason.want {
					ended(t, want, late)
				}
				same(t, "stats", pool.Stats(), before)
				same(t, "made", f.made, 1)
			})
		})
	}
}

func TestClosingAPoolFailsThoseWhoWaitAndUnmakesWhatComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := factory{}
		pool := f.pool(3)
		idle, held := lent(t, pool), lent(t, pool)
		released(t, idle)
		taken := lent(t, pool)
		f.end = make(chan error)
		making := begin(background, pool.Acquire)
		inLine := begin(background, pool.Acquire)
		joins := begin(background, wait(pool.Join))
		same(t, "stats", pool.Stats(), core.PoolStats{Max: 3, Lent: 2, Creating: 1, Waiting: 2})

		same(t, "outstanding", len(pool.Close()), 2)
		ended(t, core.ErrClosed, making, inLine, begin(background, pool.Acquire))
		parked(t, joins)
		released(t, taken)
		synctest.Wait()
		same(t, "destroyed", f.gone(), "[1]")
		same(t, "outstanding again", len(pool.Close()), 1)
		same(t, "resource", held.Value(), 2)
		released(t, held)
		same(t, "outstanding in the end", len(pool.Outstanding()), 0)
		parked(t, joins)
		f.end <- nil // what was being made is unmade
		ended(t, nil, joins, begin(background, wait(pool.Join)))
		same(t, "destroyed", f.gone(), "[1 2 3]")
		same(t, "stats", pool.Stats(), core.PoolStats{Max: 3, Closed: true})
	})
}

func TestClosingAPoolSaysWhatIsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f factory
		pool := f.pool(2, func(c *core.PoolConfig[int]) { c.LeakAfter = time.Hour })
		a, err := pool.Acquire(background)
		since := time.Now()
		same(t, "error", err, nil)
		time.Sleep(time.Second)
		held := pool.Close()
		same(t, "outstanding", len(held), 1)
		same(t, "since", held[0].Since, since)
		same(t, "its stack has the caller", strings.Contains(string(held[0].Stack), t.Name()), true)
		released(t, a)
		same(t, "outstanding", len(pool.Close()), 0)
	})
	t.Run("without stacks where nobody asked for them", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			pool := new(factory).pool(1)
			lease := lent(t, pool)
			held := pool.Outstanding()
			same(t, "outstanding", len(held), 1)
			same(t, "stack", len(held[0].Stack), 0)
			released(t, lease)
		})
	})
}

// told are the leaks that a pool reports.
type told struct{ leaks []core.Leak[int] }

func (l *told) watch(c *core.PoolConfig[int]) {
	c.LeakAfter = time.Minute
	c.OnLeak = func(leak core.Leak[int]) { l.leaks = append(l.leaks, leak) }
}

func (l *told) String() string {
	var kinds []string
	for _, leak := range l.leaks {
		kinds = append(kinds, leak.Kind.String())
	}
	return strings.Join(kinds, " ")
}

func TestALeaseThatIsHeldForTooLongIsReportedOnceAndOnceWhenItComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f factory
		var l told
		pool := f.pool(1, l.watch)
		prompt := lent(t, pool)
		time.Sleep(59 * time.Second)
		released(t, prompt)
		goBy(time.Hour)
		same(t, "reported of one that came back in time", l.String(), "")

		late, _ := pool.Acquire(background)
		since := time.Now()
		goBy(time.Hour)
		same(t, "reported while it is held", l.String(), "Held")
		leak := l.leaks[0]
		same(t, "value", leak.Value, 1)
		same(t, "since", leak.Since, since)
		same(t, "its stack has the caller", strings.Contains(string(leak.Stack), t.Name()), true)
		released(t, late)
		same(t, "reported", l.String(), "Held Returned")
		same(t, "Release again", late.Release(), core.ErrNotOwner)
		goBy(time.Hour)
		same(t, "reported in the end", l.String(), "Held Returned")
	})
}

func TestALeaseThatComesBackWhileItIsReportedIsReportedAsReturnedAfterwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f factory
		var l told
		goOn := make(chan struct{})
		pool := f.pool(1, l.watch, func(c *core.PoolConfig[int]) {
			note := c.OnLeak
			c.OnLeak = func(leak core.Leak[int]) {
				if leak.Kind == core.LeakHeld {
					<-goOn
				}
				note(leak)
			}
		})
		lease := lent(t, pool)
		goBy(time.Minute)
		released(t, lease)
		same(t, "reported", l.String(), "")
		close(goOn)
		synctest.Wait()
		same(t, "reported", l.String(), "Held Returned")
	})
}

// drop acquires a lease and forgets it.
//
//go:noinline
func drop(t *testing.T, pool *core.Pool[int]) {
	if _, err := pool.Acquire(background); err != nil {
		t.Fatal(err)
	}
}

// collect runs the garbage collector until something comes.
func collect[T any](c <-chan T) T {
	for {
		runtime.GC()
		runtime.Gosched()
		select {
		case v := <-c:
			return v
		default:
		}
	}
}

func TestALeaseThatNobodyCanGiveBackIsReportedAndItsSlotIsFree(t *testing.T) {
	// Not in a bubble: what is collected is cleaned up outside of it.
	var f factory
	leaks := make(chan core.Leak[int], 1)
	destroyed := make(chan int, 2)
	pool := f.pool(1, func(c *core.PoolConfig[int]) {
		c.Destroy = func(number int) { destroyed <- number }
		c.LeakAfter = time.Hour
		c.OnLeak = func(leak core.Leak[int]) { leaks <- leak }
	})
	drop(t, pool)
	same(t, "outstanding", len(pool.Outstanding()), 1)
	next := goCall(background, pool.Acquire)
	leak := collect(leaks)
	same(t, "kind", leak.Kind, core.LeakCollected)
	same(t, "value", leak.Value, 1)
	same(t, "its stack has the caller", strings.Contains(string(leak.Stack), "core_test.drop"), true)
	<-next.done
	same(t, "error", next.err, nil)
	same(t, "destroyed", <-destroyed, 1)
	same(t, "resource", next.value.Value(), 2)
	same(t, "outstanding", len(pool.Outstanding()), 1)
	same(t, "Release", next.value.Release(), nil)
	runtime.GC()
	pool.Close()
	same(t, "Join", pool.Join(background), nil)
	same(t, "destroyed", <-destroyed, 2)
	same(t, "further reports", len(leaks), 0)
}

func TestALeaseThatIsDroppedInABubbleIsCollectedWithoutIt(t *testing.T) {
	leaks := make(chan core.Leak[int], 1)
	synctest.Test(t, func(t *testing.T) {
		var f factory
		pool := f.pool(1, func(c *core.PoolConfig[int]) {
			c.IdleTime, c.LeakAfter = time.Minute, time.Hour // their timers belong to the bubble
			c.OnLeak = func(leak core.Leak[int]) { leaks <- leak }
		})
		released(t, lent(t, pool))
		drop(t, pool)
	})
	same(t, "kind", collect(leaks).Kind, core.LeakCollected)
}

func TestAPoolThatMakesNoSenseIsInvalid(t *testing.T) {
	create := func(context.Context) (int, error) { return 1, nil }
	for name, config := range map[string]core.PoolConfig[int]{
		"without room":               {Create: create},
		"with less than that":        {Max: -1, Create: create},
		"that makes nothing":         {Max: 1},
		"idle for less than no time": {Max: 1, Create: create, IdleTime: -1},
		"leaks before they are held": {Max: 1, Create: create, LeakAfter: -1},
	} {
		pool, err := core.NewPool(config)
		if pool != nil || !errors.Is(err, core.ErrInvalid) {
			t.Errorf("a pool %s: got %v, want an ErrInvalid", name, err)
		}
	}
}

func TestAPoolIsContendedWhileACallIsInside(t *testing.T) {
	pool := new(factory).pool(1)
	same(t, "contended", pool.Contended(), false)
	leave := pool.Steps().Enter()
	same(t, "contended while a call is inside", pool.Contended(), true)
	leave()
}

func TestWhatComesBackGoesToWhoAskedFirstThoughAnotherIsBeingMadeForThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := factory{}
		pool := f.pool(2)
		first := lent(t, pool)
		f.end = make(chan error)
		early := begin(background, pool.Acquire) // for which another is being made
		released(t, first)
		ended(t, nil, early)
		same(t, "resource", early.value.Value(), 1)
		late := begin(background, pool.Acquire)
		parked(t, late)
		f.end <- nil // which is for who came next
		ended(t, nil, late)
		same(t, "resource", late.value.Value(), 2)
		released(t, early.value, late.value)
		pool.Close()
	})
}

func TestWhatComesBackGoesToAHigherPriorityInLineRatherThanToWhoIsBeingMadeAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := factory{}
		pool := f.pool(2)
		first := lent(t, pool)
		f.end = make(chan error)
		early := begin(background, pool.Acquire)
		urgent := begin(core.WithPriority(background, 1), pool.Acquire)
		released(t, first)
		ended(t, nil, urgent)
		parked(t, early)
		released(t, urgent.value)
		ended(t, nil, early)
		f.end <- nil
		released(t, early.value)
		pool.Close()
	})
}

func TestClosingAPoolCancelsWhatIsBeingMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool, err := core.NewPool(core.PoolConfig[int]{Max: 1, Create: func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		}})
		same(t, "error", err, nil)
		making := begin(background, pool.Acquire)
		pool.Close()
		ended(t, core.ErrClosed, making)
		same(t, "Join", pool.Join(background), nil)
	})
}

func TestWhatLeavesByGoexitLosesNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool, err := core.NewPool(core.PoolConfig[int]{
			Max: 1, Create: func(context.Context) (int, error) { return 1, nil },
			Validate: func(int) bool { runtime.Goexit(); return true },
		})
		same(t, "error", err, nil)
		released(t, lent(t, pool))
		go func() { _, _ = pool.Acquire(background) }()
		synctest.Wait()
		released(t, lent(t, pool)) // another was made
		pool.Close()
	})
}
