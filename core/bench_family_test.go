package core_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/clca-dev/clca/core"
)

// viaEvent is an Event that is cleared as soon as it was set.
func viaEvent() broadcast {
	e := &core.Event{}
	return broadcast{
		name:   "event",
		wait:   func() { e.Wait(background) },
		parked: func() int { return e.Stats().Waiting },
		wake:   func() { e.Set(); e.Clear() },
	}
}

// BenchmarkHandingOver measures an item from one goroutine to another, through a Queue and through a channel.
func BenchmarkHandingOver(b *testing.B) {
	for _, capacity := range []int{0, 100} {
		b.Run(fmt.Sprint("queue of ", capacity), func(b *testing.B) {
			q := must1(core.NewQueue[int](capacity))
			var producer sync.WaitGroup
			producer.Go(func() {
				for q.Put(background, 1) == nil {
				}
			})
			for b.Loop() {
				q.Get(background)
			}
			q.CloseNow()
			producer.Wait()
		})
		b.Run(fmt.Sprint("channel of ", capacity), func(b *testing.B) {
			c, done := make(chan int, capacity), make(chan struct{})
			var producer sync.WaitGroup
			producer.Go(func() {
				for {
					select { // as a Put does, it heeds its end
					case c <- 1:
					case <-done:
						return
					}
				}
			})
			for b.Loop() {
				select {
				case <-c:
				case <-done:
				}
			}
			close(done)
			producer.Wait()
		})
	}
}

// BenchmarkMeeting measures a generation of a Barrier, and of channels by which one party waits for the others.
func BenchmarkMeeting(b *testing.B) {
	const parties = 4
	b.Run("barrier", func(b *testing.B) {
		bar := must1(core.NewBarrier(parties, nil))
		var others sync.WaitGroup
		for range parties - 1 {
			others.Go(func() {
				for {
					if _, err := bar.Wait(background); err != nil {
						return
					}
				}
			})
		}
		for b.Loop() {
			bar.Wait(background)
		}
		bar.Close()
		others.Wait()
	})
	b.Run("channels", func(b *testing.B) {
		come, leave, others := make(chan struct{}), make(chan struct{}), sync.WaitGroup{}
		for range parties - 1 {
			others.Go(func() {
				for range come {
					leave <- struct{}{}
				}
			})
		}
		for b.Loop() {
			for range parties - 1 {
				come <- struct{}{}
			}
			for range parties - 1 {
				<-leave
			}
		}
		close(come)
		others.Wait()
	})
}

// BenchmarkPassiveFamily measures the steps of an event loop.
func BenchmarkPassiveFamily(b *testing.B) {
	all := passiveFamily()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				all[name]()
			}
		})
	}
}

// passiveFamily returns steps that leave everything as it was.
func passiveFamily() map[string]func() {
	var (
		e       core.Event
		closed  = must1(core.NewCountdownLatch(1))
		barrier = must1(core.NewBarrier(2, nil))
		line    = must1(core.NewQueue[int](1))
		heap    = must1(core.NewPriorityQueue(100, itemPriority))
		direct  core.Queue[int]
		w, v    core.Waiter
	)
	w.Waker, v.Waker = nobody{}, nobody{}
	for i := range 50 {
		heap.TryPut(i)
	}
	return map[string]func(){
		"wait for an event, set and clear": func() { e.Park(&w); e.Set(); e.Clear() },
		"wait at a latch and withdraw":     func() { closed.Park(&w); w.Withdraw() },
		"meet at a barrier":                func() { barrier.Park(&w); barrier.Park(&v) },
		"put and get":                      func() { line.TryPut(1); line.TryGet(); line.TaskDone() },
		"put and get by priority":          func() { heap.TryPut(25); heap.TryGet() },
		"put where somebody gets":          func() { direct.ParkGet(&w); direct.TryPut(1); direct.Take(w.Value()) },
		"get from one who puts":            func() { direct.ParkPut(&w, 1); direct.TryGet() },
		"put back":                         func() { heap.ParkGet(&w); heap.PutBack(w.Value()) },
	}
}

func TestInTheFamilyPassiveStepsDoNotAllocate(t *testing.T) {
	for name, steps := range passiveFamily() {
		same(t, "allocations of "+name, testing.AllocsPerRun(100, steps), 0)
	}
}
