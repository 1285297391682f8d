package core_test

import (
	"errors"
	"fmt"

	"github.com/clca-dev/clca/core"
)

// caller is a Waiter that says how its wait ended.
type caller struct {
	core.Waiter
	name string
}

func newCaller(name string) *caller {
	c := &caller{name: name}
	c.Waker = c
	return c
}

func (c *caller) Wake() { fmt.Println(c.name, "is told:", c.Err()) }

// elsewhere is where an event loop runs what is shared. Here, it only says what it was asked to begin.
type elsewhere struct{}

func (elsewhere) Start(run uint64, by core.Waker) {
	fmt.Println("start run", run, "for", by.(*caller).name)
}
func (elsewhere) Cancel(run uint64, cause error) { fmt.Println("cancel run", run, "as", cause) }
func (elsewhere) Closing(run uint64)             { fmt.Println("the resource was closed, and is still held") }
func (elsewhere) Stop(run uint64)                { fmt.Println("stop what run", run, "has made") }
func (elsewhere) Create(slot int, by core.Waker) { fmt.Println("create for slot", slot) }
func (elsewhere) Destroy(slot int)               { fmt.Println("destroy what is in slot", slot) }
func (elsewhere) Idle(slot int, lease uint64)    { fmt.Println("slot", slot, "is idle") }

// The steps decide when the function is run, and who is told. The place where it runs goes away with the first run, and
// those who wait get another.
func ExampleTaskSteps() {
	task := core.TaskSteps{Runner: elsewhere{}}
	ann, bob := newCaller("ann"), newCaller("bob")
	task.Park(&ann.Waiter)
	task.Park(&bob.Waiter)
	task.Lose(1)
	ann.Withdraw() // ann has had enough
	task.Finish(2, nil)

	late := newCaller("carol")
	parked, err := task.Park(&late.Waiter)
	fmt.Println("carol must wait:", parked, err)
	// Output:
	// start run 1 for ann
	// start run 2 for ann
	// bob is told: <nil>
	// carol must wait: false <nil>
}

// The steps decide when the resource is started and stopped. Each hold is given back by the number of the run.
func ExampleResourceSteps() {
	resource := core.ResourceSteps{Runner: elsewhere{}}
	ann, bob := newCaller("ann"), newCaller("bob")
	resource.Park(&ann.Waiter)
	resource.Started(1, errors.New("no luck"))

	resource.Park(&ann.Waiter)
	resource.Started(2, nil)
	parked, err := resource.Park(&bob.Waiter)
	fmt.Println("bob must wait:", parked, err)
	resource.Release(ann.Value())
	resource.Release(bob.Value())
	resource.Stopped(2, nil)
	fmt.Println(resource.Stats().State)
	// Output:
	// start run 1 for ann
	// ann is told: no luck
	// start run 2 for ann
	// ann is told: <nil>
	// bob must wait: false <nil>
	// stop what run 2 has made
	// Idle
}

// The steps decide which resource is lent to whom. There can be one here, and two want it.
func ExamplePoolSteps() {
	pool := core.PoolSteps{Runner: elsewhere{}, Max: 1}
	const here = 0 // the owner: where it lives, and is lent
	ann, bob := newCaller("ann"), newCaller("bob")
	pool.Park(&ann.Waiter, here)
	pool.Park(&bob.Waiter, here)
	pool.Created(0, nil) // in the slot that the runner was told
	fmt.Println("ann gives it back:", pool.Release(ann.Value()))
	fmt.Println("bob has broken it:", pool.Discard(bob.Value()))
	pool.Destroyed(0)
	fmt.Printf("%+v\n", pool.Stats())
	// Output:
	// create for slot 0
	// ann is told: <nil>
	// bob is told: <nil>
	// ann gives it back: <nil>
	// destroy what is in slot 0
	// bob has broken it: <nil>
	// {Max:1 Lent:0 Idle:0 Creating:0 Destroying:0 Waiting:0 Closed:false}
}
