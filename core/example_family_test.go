package core_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/clca-dev/clca/core"
)

// Workers wait until everything is ready, and whoever comes later need not.
func ExampleEvent() {
	var (
		ready   core.Event
		workers sync.WaitGroup
	)
	for range 3 {
		workers.Go(func() {
			if err := ready.Wait(context.Background()); err != nil {
				fmt.Println(err)
			}
		})
	}
	ready.Set()
	workers.Wait()
	fmt.Println("is set:", ready.IsSet())
	fmt.Println("a late one:", ready.Wait(context.Background()))
	// Output:
	// is set: true
	// a late one: <nil>
}

// Somebody waits until a number of things have been done, whoever does them.
func ExampleCountdownLatch() {
	latch, err := core.NewCountdownLatch(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		go latch.CountDown(1)
	}
	fmt.Println(latch.Wait(context.Background()))

	_, err = latch.CountDown(1)
	fmt.Println(err)
	// Output:
	// <nil>
	// clca: more given back than taken
}

// Parties work in rounds. The action of the Barrier looks at what all of them have done, while none of them goes on.
func ExampleBarrier() {
	var sums [3]int
	round := 0
	barrier, err := core.NewBarrier(len(sums), func() error {
		round++
		fmt.Println("after round", round, "they have", sums)
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var parties sync.WaitGroup
	for i := range sums {
		parties.Go(func() {
			for range 2 {
				sums[i] += i
				if _, err := barrier.Wait(context.Background()); err != nil {
					fmt.Println(err)
				}
			}
		})
	}
	parties.Wait()
	// Output:
	// after round 1 they have [0 1 2]
	// after round 2 they have [0 2 4]
}

// A party that gives up breaks the barrier for all, until it is reset.
func ExampleBarrier_Reset() {
	barrier, err := core.NewBarrier(2, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	gaveUp := make(chan error)
	go func() {
		_, err := barrier.Wait(ctx)
		gaveUp <- err
	}()
	for barrier.Stats().Waiting == 0 {
		runtime.Gosched()
	}
	cancel()
	fmt.Println(<-gaveUp)

	_, err = barrier.Wait(context.Background())
	fmt.Println(err)
	barrier.Reset()
	fmt.Println("is broken:", barrier.Stats().Broken)
	// Output:
	// context canceled
	// clca: barrier broken
	// is broken: false
}

// A connection is made by the first who needs it, and made again only as long as that has failed.
func ExampleOnce() {
	attempts := 0
	connection := core.NewOnce(func(ctx context.Context) (string, error) {
		if attempts++; attempts == 1 {
			return "", errors.New("no answer")
		}
		return "connected", nil
	})
	for range 3 {
		state, err := connection.Do(context.Background())
		fmt.Printf("%q %v\n", state, err)
	}
	fmt.Println("attempts:", attempts)
	// Output:
	// "" no answer
	// "connected" <nil>
	// "connected" <nil>
	// attempts: 2
}

// A producer runs ahead of a worker by two items at most, and waits until all has been dealt with.
func ExampleQueue() {
	jobs, err := core.NewQueue[string](2)
	if err != nil {
		fmt.Println(err)
		return
	}
	var worker sync.WaitGroup
	worker.Go(func() {
		for {
			job, err := jobs.Get(context.Background())
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println("doing", job)
			jobs.TaskDone()
		}
	})
	for _, job := range []string{"this", "that", "the rest"} {
		if err := jobs.Put(context.Background(), job); err != nil {
			fmt.Println(err)
		}
	}
	jobs.Join(context.Background())
	jobs.Close()
	worker.Wait()
	// Output:
	// doing this
	// doing that
	// doing the rest
	// clca: closed
}

// The latest comes first.
func ExampleNewStack() {
	stack, err := core.NewStack[string](core.Unbounded)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, page := range []string{"home", "list", "detail"} {
		stack.TryPut(page)
	}
	stack.Close()
	for page, err := stack.TryGet(); err == nil; page, err = stack.TryGet() {
		fmt.Println(page)
	}
	// Output:
	// detail
	// list
	// home
}

// The most urgent comes first.
func ExampleNewPriorityQueue() {
	type job struct {
		name    string
		urgency int
	}
	jobs, err := core.NewPriorityQueue(10, func(j job) int { return j.urgency })
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, j := range []job{{"tidy up", 0}, {"put out the fire", 9}, {"answer the phone", 5}} {
		jobs.TryPut(j)
	}
	fmt.Println(jobs.CloseNow())
	// Output: [{put out the fire 9} {answer the phone 5} {tidy up 0}]
}

// An event loop claims items, and puts back what it finds that it cannot deliver. Nothing is lost, and the order is kept.
func ExampleQueue_PutBack() {
	letters, err := core.NewQueue[string](2)
	if err != nil {
		fmt.Println(err)
		return
	}
	letters.TryPut("the first")
	letters.TryPut("the second")

	claim, err := letters.Claim()
	fmt.Println(letters.Claimed(claim), err)
	letters.PutBack(claim) // whom it was for is gone

	fmt.Println(letters.Get(context.Background()))
	// Output:
	// the first <nil>
	// the first <nil>
}
