package core_test

import (
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/clca-dev/clca/core"
)

// exclusion is one way to enter and to leave.
type exclusion struct {
	name  string
	enter func() (leave func())
}

func exclusions() []exclusion {
	var (
		lock         core.Lock
		rw           core.RWLock
		semaphore, _ = core.NewSemaphore(1)
		mutex        sync.Mutex
		slots        = make(chan struct{}, 1)
	)
	return []exclusion{
		{"lock", func() func() { g, _ := lock.Lock(background); return func() { g.Unlock() } }},
		{"shared lock", func() func() { g, _ := rw.RLock(background); return func() { g.Unlock() } }},
		{"semaphore", func() func() { p, _ := semaphore.Acquire(background, 1); return func() { p.Release() } }},
		{"sync.Mutex", func() func() { mutex.Lock(); return mutex.Unlock }},
		{"buffered channel", func() func() { slots <- struct{}{}; return func() { <-slots } }},
	}
}

// BenchmarkUncontended measures who enters and leaves alone.
func BenchmarkUncontended(b *testing.B) {
	for _, e := range exclusions() {
		b.Run(e.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.enter()()
			}
		})
	}
}

// BenchmarkHandOff measures how one of 8 goroutines comes after the other, when all want to enter all the time.
func BenchmarkHandOff(b *testing.B) {
	for _, e := range exclusions() {
		b.Run(e.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(max(1, 8/runtime.GOMAXPROCS(0)))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					leave := e.enter()
					runtime.Gosched() // the others arrive
					leave()
				}
			})
		})
	}
}

// BenchmarkPassiveLocks measures the steps of an event loop, which must not allocate.
func BenchmarkPassiveLocks(b *testing.B) {
	all := passiveLocks()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		steps := all[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				steps()
			}
		})
	}
}

func passiveLocks() map[string]func() {
	var (
		lock, held   core.Lock
		shared       core.RWLock
		reentrant    core.ReentrantLock
		guarded      core.Lock
		condition    = core.NewCondition(&guarded)
		semaphore, _ = core.NewSemaphore(2)
		full, _      = core.NewSemaphore(1)
		w            = core.Waiter{Waker: nobody{}}
	)
	tenure, _ := held.Take()
	full.Take(1)
	return map[string]func(){
		"park at a free lock, release":  func() { lock.Park(&w); lock.Release(w.Value()) },
		"park, release to the next":     func() { held.Park(&w); held.Release(tenure); tenure = w.Value() },
		"park at a held lock, withdraw": func() { held.Park(&w); w.Withdraw() },
		"share and release":             func() { shared.ParkShared(&w); shared.Release(w.Value()) },
		"enter again":                   func() { t, _ := reentrant.Take(); reentrant.Reenter(t); reentrant.Release(t); reentrant.Release(t) },
		"wait, notify, retake":          func() { t, _ := guarded.Take(); condition.Park(&w, t); condition.Notify(1); guarded.Release(w.Value()) },
		"wait, cancel, retake": func() {
			t, _ := guarded.Take()
			condition.Park(&w, t)
			condition.Cancel(&w, errOops)
			guarded.Release(w.Value())
		},
		"take and give back":     func() { semaphore.Park(&w, 2); semaphore.Release(2) },
		"park, give to the next": func() { full.Park(&w, 1); full.Release(1) },
		"stats":                  func() { lock.Stats(); condition.Stats(); semaphore.Stats() },
	}
}

func TestPassiveStepsOfLocksDoNotAllocate(t *testing.T) {
	for name, steps := range passiveLocks() {
		same(t, "allocations of "+name, testing.AllocsPerRun(100, steps), 0)
	}
}
