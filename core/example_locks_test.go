package core_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/clca-dev/clca/core"
)

// Whoever holds the Guard is alone, and with it lets the next one in.
func ExampleLock() {
	var (
		lock    core.Lock
		balance int
		all     sync.WaitGroup
	)
	for range 10 {
		all.Go(func() {
			guard, err := lock.Lock(context.Background())
			if err != nil {
				return
			}
			defer guard.Unlock()
			balance++
		})
	}
	all.Wait()
	fmt.Println(balance)
	// Output: 10
}

// With cannot forget to unlock.
func ExampleLock_With() {
	var lock core.Lock
	err := lock.With(context.Background(), func() error { return errors.New("no money") })
	fmt.Println(err, "- locked:", lock.IsLocked())
	// Output: no money - locked: false
}

// A holder that does not come back loses the lock, and learns of it.
func ExampleLock_Steal() {
	var lock core.Lock
	old, err := lock.TryLock()
	if err != nil {
		fmt.Println(err)
	}
	lost := old.Lost()
	guard, err := lock.Steal()
	if err != nil {
		fmt.Println(err)
	}
	<-lost
	fmt.Println("the old one:", old.Unlock())
	fmt.Println("the thief:", guard.Unlock())
	// Output:
	// the old one: clca: not the owner
	// the thief: <nil>
}

// Who gets the lock after an event loop that went away with it puts in order what that may have left half done.
func ExampleGuard_Abandoned() {
	var lock core.Lock
	tenure, err := lock.Take() // event loops have no Guard
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println("it goes away:", lock.Abandon(tenure))
	for _, who := range []string{"the next", "the one after"} {
		guard, err := lock.Lock(context.Background())
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(who, "is told:", guard.Abandoned())
		guard.Unlock()
	}
	// Output:
	// it goes away: <nil>
	// the next is told: true
	// the one after is told: false
}

// The more urgent goes first, however late it comes.
func ExampleWithPriority() {
	var (
		lock core.Lock
		all  sync.WaitGroup
	)
	guard, err := lock.TryLock()
	if err != nil {
		fmt.Println(err)
	}
	for i, who := range []string{"first", "second", "urgent"} {
		ctx := core.WithPriority(context.Background(), int32(i/2))
		all.Go(func() { lock.With(ctx, func() error { fmt.Println(who); return nil }) })
		for lock.Stats().Waiting <= i {
			runtime.Gosched()
		}
	}
	guard.Unlock()
	all.Wait()
	// Output:
	// urgent
	// first
	// second
}

// Many read at once, and one writes alone.
func ExampleRWLock() {
	var lock core.RWLock
	ctx := context.Background()
	a, _ := lock.RLock(ctx)
	b, _ := lock.RLock(ctx)
	_, err := lock.TryLock()
	fmt.Println("readers:", lock.Stats().Holders, "- a writer:", err)
	a.Unlock()
	b.Unlock()
	err = lock.With(ctx, func() error { fmt.Println("writers:", lock.Stats().Holders); return nil })
	fmt.Println(err)
	// Output:
	// readers: 2 - a writer: clca: would block
	// writers: 1
	// <nil>
}

// Who holds it shows the Guard to enter again.
func ExampleReentrantLock() {
	var lock core.ReentrantLock
	var count func(g *core.Guard, n int) error
	count = func(g *core.Guard, n int) error {
		within, err := lock.LockWithin(g)
		if err != nil {
			return err
		}
		defer within.Unlock()
		if n == 0 {
			fmt.Println("entered:", lock.Stats().Holders)
			return nil
		}
		return count(within, n-1)
	}
	fmt.Println(lock.With(context.Background(), func(g *core.Guard) error { return count(g, 2) }))
	// Output:
	// entered: 4
	// <nil>
}

// A consumer waits until there is something, without the lock while it waits.
func ExampleCondition() {
	var (
		lock   core.Lock
		filled = core.NewCondition(&lock)
		jobs   []string
		all    sync.WaitGroup
	)
	ctx := context.Background()
	all.Go(func() {
		guard, err := lock.Lock(ctx)
		if err != nil {
			return
		}
		defer guard.Unlock()
		if err := filled.WaitFor(ctx, guard, func() bool { return len(jobs) > 0 }); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("got", jobs[0])
	})
	lock.With(ctx, func() error {
		jobs = append(jobs, "a job")
		filled.Notify(1)
		return nil
	})
	all.Wait()
	// Output: got a job
}

// Each takes as many permits as it needs, and no more are out than there are.
func ExampleSemaphore() {
	memory, err := core.NewSemaphore(10)
	if err != nil {
		fmt.Println(err)
		return
	}
	large, _ := memory.Acquire(context.Background(), 8)
	_, err = memory.TryAcquire(3)
	fmt.Println("available:", memory.Stats().Available, "- three more:", err)
	large.Release()
	_, err = memory.Acquire(context.Background(), 11)
	fmt.Println("available:", memory.Stats().Available, "- eleven:", err)
	// Output:
	// available: 2 - three more: clca: would block
	// available: 10 - eleven: clca: more than there is in all
}

// An event loop takes permits without blocking: its Waker is told when it has them.
func ExampleSemaphore_Park() {
	semaphore, err := core.NewSemaphore(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	loop := make(chan func(), 1)
	w := core.Waiter{Waker: post{loop, func() { fmt.Println("has", semaphore.Stats().Held, "permit") }}}
	parked, err := semaphore.Park(&w, 1)
	fmt.Println("must wait:", parked, err)
	parked, err = semaphore.Park(&w, 1)
	fmt.Println("must wait:", parked, err)

	semaphore.Release(1) // from anywhere
	job := <-loop
	job()
	// Output:
	// must wait: false <nil>
	// must wait: true <nil>
	// has 1 permit
}
