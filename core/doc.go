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
// [Signal] wakes all who wait, [Event] those who come later too, [CountdownLatch] when it was counted down, [Barrier] when
// all have come; [Checkpoint] stops others at a place. [Lock], [RWLock], [ReentrantLock] and [Semaphore] let in one, or so
// many, and [Condition] is where one waits who holds a lock. [Queue] hands over items, [Pool] lends resources.
// [SharedTask], [Once] and [SharedResource] run a function for all who want what it makes.
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
