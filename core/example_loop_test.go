package core_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/clca-dev/clca/core"
)

// Loop is an event loop: it runs callbacks one at a time, in the order in which they were posted.
type Loop struct {
	mu   sync.Mutex
	due  []func()
	some chan struct{} // has room for one: something is due
}

func NewLoop() *Loop { return &Loop{some: make(chan struct{}, 1)} }

// Post has the loop run f, and does not block. It may be called from anywhere.
func (l *Loop) Post(f func()) {
	l.mu.Lock()
	l.due = append(l.due, f)
	l.mu.Unlock()
	select {
	case l.some <- struct{}{}:
	default:
	}
}

// Run runs what is posted until ctx ends.
func (l *Loop) Run(ctx context.Context) {
	for {
		select {
		case <-l.some:
		case <-ctx.Done():
			return
		}
		l.mu.Lock()
		due := l.due
		l.due = nil
		l.mu.Unlock()
		for _, f := range due {
			f()
		}
	}
}

// Wait is one wait of a loop: a place in the line of a primitive, and no goroutine.
type Wait struct {
	core.Waiter
	in   *Loop
	then func(value uint64, err error)
}

// Wait parks by the given step, and calls then in this loop once that is over.
func (l *Loop) Wait(park func(*core.Waiter) (bool, error), then func(value uint64, err error)) *Wait {
	w := &Wait{in: l, then: then}
	w.Waker = w
	if parked, err := park(&w.Waiter); !parked {
		l.Post(func() { then(w.Value(), err) }) // nobody will call Wake
	}
	return w
}

// Wake is called by whoever settled the wait, in their goroutine.
func (w *Wait) Wake() {
	w.in.Post(func() { w.then(w.Value(), w.Err()) })
}

// Cancel ends the wait with the given error. If it was settled before, then is called as if nobody had cancelled.
func (w *Wait) Cancel(err error) {
	if w.Withdraw() {
		w.in.Post(func() { w.then(0, err) })
	}
}

// Two event loops and a goroutine wait on one signal, and one call wakes them all. Then the loops want a lock: one gives
// up, and the other gets it as if that one had never been there.
func Example_eventLoop() {
	var (
		ready core.Signal
		lock  core.Lock
		all   sync.WaitGroup
		heard sync.WaitGroup
	)
	ctx, quit := context.WithCancel(context.Background())
	left, right := NewLoop(), NewLoop()
	for _, loop := range []*Loop{left, right} {
		all.Go(func() { loop.Run(ctx) })
		heard.Add(1)
		loop.Post(func() { loop.Wait(ready.Park, func(uint64, error) { heard.Done() }) })
	}
	heard.Go(func() { ready.Wait(ctx) })
	for ready.Stats().Waiting < 3 {
		runtime.Gosched()
	}
	fmt.Println("woken by one call:", ready.Signal())
	heard.Wait()

	guard, err := lock.TryLock()
	fmt.Println("main has the lock:", err)
	gaveUp, done := make(chan struct{}), make(chan struct{})
	left.Post(func() {
		wait := left.Wait(lock.Park, func(_ uint64, err error) {
			fmt.Println("left:", err)
			close(gaveUp)
		})
		left.Post(func() { wait.Cancel(errors.New("waited long enough")) })
	})
	right.Post(func() {
		right.Wait(lock.Park, func(tenure uint64, err error) {
			fmt.Println("right has the lock:", err)
			fmt.Println("right has given it back:", lock.Release(tenure))
			close(done)
		})
	})
	<-gaveUp
	guard.Unlock()
	<-done
	quit()
	all.Wait()
	// Output:
	// woken by one call: 3
	// main has the lock: <nil>
	// left: waited long enough
	// right has the lock: <nil>
	// right has given it back: <nil>
}
