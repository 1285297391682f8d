// Package core holds the coordination primitives of clca for Go programs, native or WebAssembly.
//
// # The pattern
//
// Cross-Loop Callback-Allocate: many callers, each in its own event loop, suspend on one shared source. None of them
// waits for that source itself, which belongs to nobody's loop. Each allocates something of its own loop to wait for (a
// goroutine's channel, a promise, a future) and hangs a callback on the source that completes it. One call then goes
// through the callbacks, in the order in which they came, and so wakes all callers, each in its own loop.
//
// Here the source is a primitive, the callback is a [Waker], and what carries it is a [Waiter], which is the place in the
// primitive's line as well: parking one allocates nothing, and leaving takes the same few steps wherever it stands.
//
// # Two faces
//
// Every primitive has a blocking face for goroutines, whose calls take a context, and a passive face for authors of
// event loops, whose steps never block: [Signal.Wait] blocks until the next signal, [Signal.Park] registers a Waiter and
// returns. The blocking face is a few lines over the passive one. So both meet in the same line: goroutines and foreign
// event loops wait on the same signal and are woken by the same call.
//
// # What there is
//
//	to …                                          use                 in Go one would take
//	wake all who wait now                         Signal              sync.Cond.Broadcast
//	stop others at a place, and let them go on    Checkpoint
//	say that something has happened               Event               a channel that is closed
//	wait until so many things are done            CountdownLatch      sync.WaitGroup
//	go on together, step by step                  Barrier
//	let in one at a time                          Lock                sync.Mutex
//	… who may come in again by what it holds      ReentrantLock
//	let in many readers, or one writer            RWLock              sync.RWMutex
//	wait, holding a lock, for a change            Condition           sync.Cond
//	limit how many do something at a time         Semaphore           x/sync/semaphore
//	hand work over, with back-pressure            Queue               a channel
//	lend what is costly to make                   Pool                puddle
//	run a function once for all who ask           SharedTask          x/sync/singleflight
//	… and try again if it failed                  Once                sync.OnceValues
//	start with the first user, stop with the last SharedResource
//
// What they add to those relatives: every wait can be cancelled, is served in the order of arrival, and can be parked
// without a goroutine.
//
// # Rules that all primitives keep
//
//   - A call has arrived when it holds the primitive's mutex; those that arrived earlier are served earlier.
//   - A wait is settled once. The first event wins: a grant that came before the cancellation is a success, and
//     [Waiter.Withdraw] says which of the two it was.
//   - What is released goes to the first in line at once: nobody overtakes, and what never waits, such as
//     [Lock.TryLock], does not either. [WithPriority] puts a caller before others that wait.
//   - A context that is already done fails the call without a side effect.
//   - A cancelled call returns an error for which errors.Is(err, ctx.Err()) holds and that also unwraps to
//     context.Cause(ctx).
//   - No user code runs while a mutex is held.
//   - Close is final: it fails those who wait and those who come later with [ErrClosed].
//
// Zero values are ready to use, unless a primitive has a constructor. Nothing may be copied after its first use. Unless
// it says otherwise, a method may be called by any number of goroutines at the same time.
//
// # For authors of event loops
//
// The passive steps are Park and its kin (ParkArm, ParkGet, ParkShared, …), which may park a Waiter; what never waits
// (Take, Claim, Reenter, Seize); and what gives back, each by the number that [Waiter.Value] was:
//
//	of                      Value is a             it is given back by
//	Lock and its kin        tenure                 Release; Abandon, if its holder went away
//	Semaphore                                      Release, of so many permits
//	Condition               tenure of its lock     Release of the lock
//	Checkpoint.ParkArm      generation             ResumeGeneration
//	Queue.ParkGet, Claim    claim                  Take, for good; PutBack
//	ResourceSteps           run                    Release
//	PoolSteps               lease                  Release; Discard, for its resource to be unmade
//	TaskSteps               run
//	Barrier                 index of arrival
//
// A Waiter is embedded in what the loop knows of the wait, and its Waker set once. Then:
//
//   - Park returns true if it has parked the Waiter, which is then settled once: by the primitive, which calls
//     [Waker.Wake], or by [Waiter.Withdraw], which does not. It returns false if the call is over already, granted (nil) or
//     failed, and Wake is not called.
//   - Wake is called by whoever settles the Waiter, in that goroutine, even before Park has returned. It does no more than
//     post to the loop, which then looks at [Waiter.Err] and [Waiter.Value], and may park the Waiter again.
//   - To cancel is to withdraw. If Withdraw returns false, the call was settled before: Wake was called or is about to be,
//     and what was granted, if anything, has to be used or given back.
//   - A loop that goes away withdraws all that it has parked and gives back all that it holds. Nothing else of it is left.
//   - What shares a function (a task, a resource, what a pool makes) has its decisions in [TaskSteps], [ResourceSteps] and
//     [PoolSteps], which tell a runner when it is to be run; where and how is the loop's affair.
//
// The example EventLoop is such a loop, and package wasm/hub, whose loops are the realms of a browser, uses nothing but
// these steps.
package core
