// Package core holds the coordination primitives of clca for Go programs, native or WebAssembly.
//
// They follow the CLCA pattern (Cross-Loop Callback-Allocate): many callers, each in its own event loop, suspend on one
// shared source, and every one of them hangs its own callback on it. One call then wakes them all.
//
// # Two faces
//
// Every primitive has a blocking face for goroutines, whose calls take a context, and a passive face for authors of
// event loops. A passive step never blocks: [Signal.Park] registers a [Waiter] and returns, and the Waiter's [Waker] is
// told once when the wait is over. Both faces meet in the same list, so goroutines and foreign event loops can wait on
// the same signal and be woken by the same call.
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
// Zero values are ready to use, unless a primitive has a constructor. Nothing may be copied after its first use.
package core
