package core_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clca-dev/clca/core"
)

// Many goroutines wait for the same moment, as often as it comes.
func ExampleSignal() {
	var (
		tick    core.Signal
		workers sync.WaitGroup
	)
	for range 3 {
		workers.Go(func() { tick.Wait(context.Background()) })
	}
	for tick.Stats().Waiting < 3 {
		runtime.Gosched()
	}
	fmt.Println("woken:", tick.Signal())
	workers.Wait()
	fmt.Println("woken, now that nobody waits:", tick.Signal())
	// Output:
	// woken: 3
	// woken, now that nobody waits: 0
}

// An event loop parks without blocking: the signal calls its Waker, which posts to the loop.
func ExampleSignal_Park() {
	var ready core.Signal
	loop := make(chan func(), 1)
	w := core.Waiter{Waker: post{loop, func() { fmt.Println("ready") }}}
	if parked, err := ready.Park(&w); !parked {
		fmt.Println(err)
	}

	go ready.Signal() // from anywhere
	job := <-loop
	job()
	// Output: ready
}

// post is a Waker that has a loop run a job.
type post struct {
	loop chan<- func()
	job  func()
}

func (p post) Wake() { p.loop <- p.job }

// Who gives up is told why, and leaves the others alone.
func ExampleSignal_Wait_cancelled() {
	var s core.Signal
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Millisecond, errors.New("lunch"))
	defer cancel()
	err := s.Wait(ctx)
	fmt.Println(err)
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output:
	// context deadline exceeded: lunch
	// true
}

// A controller stops a worker at a place where that is safe, looks at what it has, and lets it go on.
func ExampleCheckpoint() {
	var (
		here   core.Checkpoint
		worker sync.WaitGroup
		sum    int // the worker's; the controller looks at it only while the worker is stopped
	)
	ctx, quit := context.WithCancel(context.Background())
	worker.Go(func() {
		for here.Wait(ctx) == nil {
			sum++
			time.Sleep(time.Microsecond) // the work
		}
	})
	for range 2 {
		if err := here.Arm(ctx); err != nil { // returns once the worker has stopped
			fmt.Println(err)
		}
		before := sum
		runtime.Gosched()
		fmt.Println("it stands still:", sum == before)
		fmt.Println("resumed:", here.Resume())
	}
	quit()
	worker.Wait()
	// Output:
	// it stands still: true
	// resumed: 1
	// it stands still: true
	// resumed: 1
}

// A loop that is too hot even for Wait looks at a variable of its own, which is false until somebody arms.
func ExampleCheckpoint_Watch() {
	var (
		here  core.Checkpoint
		armed atomic.Bool
		watch sync.WaitGroup
	)
	watch.Go(func() { armed.Store(here.Watch(context.Background()) == nil) })
	var controller sync.WaitGroup
	controller.Go(func() {
		if here.Arm(context.Background()) == nil {
			fmt.Println("it has stopped; resumed:", here.Resume())
		}
	})
	for !armed.Load() {
		runtime.Gosched() // the work
	}
	err := here.Wait(context.Background())
	controller.Wait()
	watch.Wait()
	fmt.Println(err)
	// Output:
	// it has stopped; resumed: 1
	// <nil>
}

// However many ask, the work is done once.
func ExampleSharedTask() {
	config := core.NewSharedTask(func(ctx context.Context) (string, error) {
		fmt.Println("loading")
		return "blue", nil
	})
	var callers sync.WaitGroup
	for range 3 {
		callers.Go(func() {
			colour, err := config.Wait(context.Background())
			fmt.Println(colour, err)
		})
	}
	callers.Wait()
	// Output:
	// loading
	// blue <nil>
	// blue <nil>
	// blue <nil>
}

// The first to need it starts it, the last to leave stops it.
func ExampleSharedResource() {
	line := core.NewSharedResource(
		func(ctx context.Context) (string, error) { fmt.Println("dialling"); return "line", nil },
		func(string) error { fmt.Println("hanging up"); return nil })

	a, err := line.Acquire(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := line.Acquire(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Value(), b.Value())
	a.Release()
	fmt.Println("still held:", line.Stats().Held)
	b.Release()
	// Output:
	// dialling
	// line line
	// still held: 1
	// hanging up
}
