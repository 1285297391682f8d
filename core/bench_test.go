package core_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/clca-dev/clca/core"
)

// broadcast is one way to wake many goroutines at once.
type broadcast struct {
	name   string
	wait   func()
	parked func() int // how many wait, or are about to
	wake   func()
}

// viaSignal is ours.
func viaSignal() broadcast {
	s := &core.Signal{}
	return broadcast{
		name:   "signal",
		wait:   func() { s.Wait(background) },
		parked: func() int { return s.Stats().Waiting },
		wake:   func() { s.Signal() },
	}
}

// viaChannel closes a channel, which works once: each round needs a new one.
func viaChannel() broadcast {
	var now atomic.Pointer[chan struct{}]
	var waiting atomic.Int64
	renew := func() *chan struct{} {
		next := make(chan struct{})
		return now.Swap(&next)
	}
	renew()
	return broadcast{
		name:   "close of a channel",
		wait:   func() { c := *now.Load(); waiting.Add(1); <-c },
		parked: func() int { return int(waiting.Load()) },
		wake:   func() { waiting.Store(0); close(*renew()) },
	}
}

// BenchmarkWaking1000Goroutines measures from the wake until all have run; how they park does not count.
func BenchmarkWaking1000Goroutines(b *testing.B) {
	const n = 1000
	for _, via := range []func() broadcast{viaSignal, viaEvent, viaChannel} {
		c := via()
		b.Run(c.name, func(b *testing.B) {
			var woken, gone sync.WaitGroup
			again := make(chan bool)
			for range n {
				gone.Go(func() {
					for <-again {
						c.wait()
						woken.Done()
					}
				})
			}
			for b.Loop() {
				b.StopTimer()
				for range n {
					again <- true
				}
				for c.parked() < n {
					runtime.Gosched()
				}
				for range 100 { // those that are about to are given the time
					runtime.Gosched()
				}
				woken.Add(n)
				b.StartTimer()
				c.wake()
				woken.Wait()
			}
			close(again)
			gone.Wait()
		})
	}
}

// nobody is a Waker that does nothing.
type nobody struct{}

func (nobody) Wake() {}

// BenchmarkPassive measures the steps of an event loop, which must not allocate.
func BenchmarkPassive(b *testing.B) {
	b.Run("park and withdraw", func(b *testing.B) {
		b.ReportAllocs()
		var s core.Signal
		w := core.Waiter{Waker: nobody{}}
		for b.Loop() {
			s.Park(&w)
			w.Withdraw()
		}
	})
	b.Run("park and signal", func(b *testing.B) {
		b.ReportAllocs()
		var s core.Signal
		w := core.Waiter{Waker: nobody{}}
		for b.Loop() {
			s.Park(&w)
			s.Signal()
		}
	})
	b.Run("park 1000 and signal", func(b *testing.B) {
		b.ReportAllocs()
		var s core.Signal
		w := make([]core.Waiter, 1000)
		for i := range w {
			w[i].Waker = nobody{}
		}
		for b.Loop() {
			for i := range w {
				s.Park(&w[i])
			}
			s.Signal()
		}
	})
	b.Run("withdraw from the middle of 1000", func(b *testing.B) {
		b.ReportAllocs()
		var s core.Signal
		w := make([]core.Waiter, 1000)
		for i := range w {
			w[i].Waker = nobody{}
			s.Park(&w[i])
		}
		for b.Loop() {
			w[500].Withdraw()
			s.Park(&w[500])
		}
	})
	b.Run("arm, park and resume", func(b *testing.B) {
		b.ReportAllocs()
		var c core.Checkpoint
		arm, w := core.Waiter{Waker: nobody{}}, core.Waiter{Waker: nobody{}}
		for b.Loop() {
			c.ParkArm(&arm)
			c.Park(&w)
			c.Resume()
		}
	})
	b.Run("pass a disarmed checkpoint", func(b *testing.B) {
		b.ReportAllocs()
		var c core.Checkpoint
		for b.Loop() {
			c.Wait(background)
		}
	})
	b.Run("acquire and release what is live", func(b *testing.B) {
		b.ReportAllocs()
		r := core.ResourceSteps{Runner: &crowd{}}
		holder, w := core.Waiter{Waker: &person{in: &crowd{}}}, core.Waiter{Waker: nobody{}}
		r.Park(&holder)
		r.Started(1, nil)
		for b.Loop() {
			r.Park(&w)
			r.Release(1)
		}
	})
}

func TestPassiveStepsDoNotAllocate(t *testing.T) {
	var (
		s      core.Signal
		c      core.Checkpoint
		w, arm core.Waiter
	)
	w.Waker, arm.Waker = nobody{}, nobody{}
	for name, steps := range map[string]func(){
		"park and withdraw":   func() { s.Park(&w); w.Withdraw() },
		"park and signal":     func() { s.Park(&w); s.Signal() },
		"arm, park, resume":   func() { c.ParkArm(&arm); c.Park(&w); c.Resume() },
		"arm and disarm":      func() { c.ParkArm(&arm); c.Disarm() },
		"pass a checkpoint":   func() { c.Wait(background) },
		"stats":               func() { s.Stats(); c.Stats() },
		"a signal for nobody": func() { s.Signal() },
	} {
		same(t, "allocations of "+name, testing.AllocsPerRun(100, steps), 0)
	}
}
