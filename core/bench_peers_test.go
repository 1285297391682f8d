//go:build !js

package core_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/puddle/v2"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"github.com/clca-dev/clca/core"
)

// BenchmarkPeers measures what core offers against what else does the same work. Each iteration is a round of both
// sides, and who begins alternates. It reports the medians of both, and of the rounds' ratio the quartiles.
func BenchmarkPeers(b *testing.B) {
	for _, peer := range []struct {
		name         string
		ours, theirs func() time.Duration
	}{
		{"a signal to 1,000 goroutines; against closing a channel", bySignal, byChannel},
		{"the same; against sync.Cond", bySignal, byCond},
		{"an event for 1,000 goroutines; against closing a channel", byEvent, byChannel},
		{"a condition for 1,000 goroutines, each in turn with the lock; against sync.Cond", byCondition, byCond},
		{"semaphore: 10,000 times alone; against x/sync, semaphore", bySemaphoreAlone, byWeightedAlone},
		{"semaphore of 4: 1,000 goroutines in line; against x/sync, semaphore", bySemaphore, byWeighted},
		{"shared task: 1,000 goroutines get the result; against x/sync, singleflight", bySharedTask, bySingleflight},
		{"once: 1,000 goroutines get the result; against x/sync, singleflight", byOnce, bySingleflight},
		{"pool: 10,000 times alone; against puddle", byPoolAlone, byPuddleAlone},
		{"pool of 4: 1,000 goroutines in line; against puddle", byPool, byPuddle},
	} {
		b.Run(peer.name, func(b *testing.B) {
			for range 5 { // warm up
				peer.ours()
				peer.theirs()
			}
			var ours, theirs, ratios []float64
			for b.Loop() {
				var o, t time.Duration
				if len(ours)%2 == 0 {
					o, t = peer.ours(), peer.theirs()
				} else {
					t, o = peer.theirs(), peer.ours()
				}
				ours, theirs = append(ours, float64(o)), append(theirs, float64(t))
				ratios = append(ratios, float64(o)/float64(t))
			}
			b.ReportMetric(quantile(ours, 2), "ours-ns")
			b.ReportMetric(quantile(theirs, 2), "theirs-ns")
			b.ReportMetric(quantile(ratios, 1), "ratio-q1")
			b.ReportMetric(quantile(ratios, 3), "ratio-q3")
		})
	}
}

// quantile returns a quartile.
func quantile(values []float64, quarter int) float64 {
	return slices.Sorted(slices.Values(values))[(len(values)-1)*quarter/4]
}

// release measures until 1,000 goroutines that wait have all gone on, from the call of open, which lets them.
func release(wait func(), waiting func() int, open func()) time.Duration {
	const n = 1000
	var gone sync.WaitGroup
	for range n {
		gone.Go(wait)
	}
	for waiting() < n {
		runtime.Gosched()
	}
	for range 100 { // those that are about to are given the time
		runtime.Gosched()
	}
	start := time.Now()
	open()
	gone.Wait()
	return time.Since(start)
}

// releaseUncounted is release for what does not know how many wait. Each says so: when it surely does, where it could
// miss what open does, else when it is about to.
func releaseUncounted(wait func(waits func()), open func()) time.Duration {
	var waiting atomic.Int64
	return release(func() { wait(func() { waiting.Add(1) }) }, func() int { return int(waiting.Load()) }, open)
}

// alone measures 10,000 calls of one goroutine.
func alone(call func()) time.Duration {
	start := time.Now()
	for range 10_000 {
		call()
	}
	return time.Since(start)
}

func bySignal() time.Duration {
	var s core.Signal
	return release(func() { s.Wait(background) }, func() int { return s.Stats().Waiting }, func() { s.Signal() })
}

func byEvent() time.Duration {
	var e core.Event
	return release(func() { e.Wait(background) }, func() int { return e.Stats().Waiting }, func() { e.Set() })
}

func byChannel() time.Duration {
	c := make(chan struct{})
	return releaseUncounted(func(waits func()) { waits(); <-c }, func() { close(c) })
}

func byCondition() time.Duration {
	var lock core.Lock
	c := core.NewCondition(&lock)
	return release(func() {
		guard := must1(lock.Lock(background))
		c.Wait(background, guard)
		guard.Unlock()
	}, func() int { return c.Stats().Waiting }, func() {
		guard := must1(lock.Lock(background))
		c.NotifyAll()
		guard.Unlock()
	})
}

func byCond() time.Duration {
	c := sync.NewCond(&sync.Mutex{})
	return releaseUncounted(func(waits func()) {
		c.L.Lock()
		waits()
		c.Wait()
		c.L.Unlock()
	}, func() {
		c.L.Lock()
		c.Broadcast()
		c.L.Unlock()
	})
}

const few = 4

func bySemaphore() time.Duration {
	s := must1(core.NewSemaphore(few))
	all := must1(s.Acquire(background, few))
	return release(func() { must1(s.Acquire(background, 1)).Release() },
		func() int { return s.Stats().Waiting }, func() { all.Release() })
}

func byWeighted() time.Duration {
	s := semaphore.NewWeighted(few)
	s.Acquire(background, few)
	return releaseUncounted(func(waits func()) {
		waits()
		s.Acquire(background, 1)
		s.Release(1)
	}, func() { s.Release(few) })
}

func bySemaphoreAlone() time.Duration {
	s := must1(core.NewSemaphore(few))
	return alone(func() { must1(s.Acquire(background, 1)).Release() })
}

func byWeightedAlone() time.Duration {
	s := semaphore.NewWeighted(few)
	return alone(func() { s.Acquire(background, 1); s.Release(1) })
}

func bySharedTask() time.Duration {
	open := make(chan struct{})
	task := core.NewSharedTask(func(context.Context) (int, error) { <-open; return 1, nil })
	return release(func() { task.Wait(background) }, func() int { return task.Stats().Waiting }, func() { close(open) })
}

func byOnce() time.Duration {
	open := make(chan struct{})
	once := core.NewOnce(func(context.Context) (int, error) { <-open; return 1, nil })
	return release(func() { once.Do(background) }, func() int { return once.Stats().Waiting }, func() { close(open) })
}

func bySingleflight() time.Duration {
	open := make(chan struct{})
	var group singleflight.Group
	run := func() (any, error) { <-open; return 1, nil }
	return releaseUncounted(func(waits func()) { waits(); group.Do("", run) }, func() { close(open) })
}

func fewOfPool() *core.Pool[int] {
	return must1(core.NewPool(core.PoolConfig[int]{Max: few, Create: func(context.Context) (int, error) { return 1, nil }}))
}

func fewOfPuddle() *puddle.Pool[int] {
	return must1(puddle.NewPool(&puddle.Config[int]{
		MaxSize:     few,
		Constructor: func(context.Context) (int, error) { return 1, nil },
		Destructor:  func(int) {},
	}))
}

func byPool() time.Duration {
	pool := fewOfPool()
	defer pool.Close()
	var all [few]*core.Lease[int]
	for i := range all {
		all[i] = must1(pool.Acquire(background))
	}
	return release(func() { must1(pool.Acquire(background)).Release() }, func() int { return pool.Stats().Waiting }, func() {
		for _, lease := range all {
			lease.Release()
		}
	})
}

func byPuddle() time.Duration {
	pool := fewOfPuddle()
	defer pool.Close()
	var all [few]*puddle.Resource[int]
	for i := range all {
		all[i] = must1(pool.Acquire(background))
	}
	return releaseUncounted(func(waits func()) { waits(); must1(pool.Acquire(background)).Release() }, func() {
		for _, resource := range all {
			resource.Release()
		}
	})
}

func byPoolAlone() time.Duration {
	pool := fewOfPool()
	defer pool.Close()
	return alone(func() { must1(pool.Acquire(background)).Release() })
}

func byPuddleAlone() time.Duration {
	pool := fewOfPuddle()
	defer pool.Close()
	return alone(func() { must1(pool.Acquire(background)).Release() })
}
