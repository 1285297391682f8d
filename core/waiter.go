package core

import (
	"github.com/clca-dev/clca/core/internal/mutex"
	"github.com/clca-dev/clca/core/internal/waitlist"
)

// This file is the kernel: all that a primitive knows of those who wait. A primitive is a machine (a mutex, a few
// states, one or two queues) whose steps run in three parts:
//
//	lock; change the state, settle waiters into a wakes; unlock and wake
//
// The methods of queue below are the only places where a Waiter changes, so they are also where it can be observed.

// Waker is told that a Waiter was settled.
type Waker interface {
	// Wake is called once for every settled Waiter, with no mutex held, by whoever settled it; that can be before the
	// Park which parked it has returned. It must not block. The Waiter may be parked again from within.
	Wake()
}

// Waiter is one call that can be parked on a primitive by a passive step, such as Signal.Park. It is used again and
// again without allocation, but for one wait at a time.
//
// A parked Waiter is settled exactly once: by the primitive, which then calls Waker.Wake, or by Withdraw, which does
// not.
type Waiter struct {
	// Waker is told when the Waiter was settled by other than its own Withdraw. It must be set before the first Park.
	Waker Waker
	// Priority puts those who wait for a lock, permits or a lease before all that have a lower one; among equals, who
	// came first is first. It changes nothing for those who hold already. It must be set before Park.
	Priority int32
	// Others is how many callers it stands for beside one, where all who wait are woken at once: on a Signal, an Event, a
	// CountdownLatch and a Checkpoint. They are counted as if each had parked. It must be set before Park.
	Others int32

	// All below is guarded by the mutex of at while parked, and belongs to the caller otherwise.

	node   waitlist.Node[Waiter]
	at     machine
	parked bool
	role   role
	value  uint64
	err    error
}

// role says which of a machine's queues a Waiter stands in.
type role uint8

const (
	roleWait    role = iota // the ordinary queue
	roleArm                 // Checkpoint: the arm that waits for somebody to park
	roleCleanup             // SharedTask, SharedResource: the last leaver, who waits for the clean-up
	roleShared              // RWLock: wants to share it
	rolePut                 // Queue: waits for room
	roleJoin                // Queue: waits until all items are done
	roleRetake              // Condition: was notified or cancelled, and waits for the lock
	roleWatch               // Checkpoint: waits for an arm
	roleBound               // Pool: waits for the resource that is being made for it
)

// unfit says that w can never be parked.
func (w *Waiter) unfit() bool { return w == nil || w.Waker == nil }

const errUnfit = invalid("the Waiter has no Waker")

// Withdraw takes w out of the primitive that it is parked on and returns true; Waker.Wake is not called then. It
// returns false if w was settled before (Wake has been called or is about to be), or was never parked.
func (w *Waiter) Withdraw() bool { return w.at != nil && w.at.withdraw(w) }

// Err returns why the wait failed, or nil if it was granted. It is valid once Wake was called.
func (w *Waiter) Err() error { return w.err }

// Value returns the number that the primitive settled w with: the generation of an arm, the run of a shared function,
// the tenure of a lock, the index at a barrier, a claim or a lease. It is valid once Wake was called, and after a Park
// that granted at once.
func (w *Waiter) Value() uint64 { return w.value }

// machine is a primitive as a Waiter sees it.
type machine interface {
	// withdraw takes w out if it is still parked, and says whether it was. It takes the mutex itself.
	withdraw(w *Waiter) bool
}

// gate is what every primitive begins with: its mutex, and whether it is closed.
type gate struct {
	mu     mutex.Mutex
	closed bool
}

// Contended reports whether a call is inside the primitive right now. Where there is only one thread and it cannot be
// interrupted, as in WebAssembly, a passive step directly after a false does not block.
func (g *gate) Contended() bool {
	if g.mu.TryLock() {
		g.mu.Unlock()
		return false
	}
	return true
}

// queue is where the Waiters of one role stand. Its methods want the machine's mutex.
type queue struct {
	waitlist.List[Waiter]
	others int // the sum of those of its Waiters
}

// callers returns how many wait.
func (q *queue) callers() int { return q.Len() + q.others }

// park puts w at the end of q.
func (q *queue) park(w *Waiter, at machine, as role) {
	w.begin(at, as)
	q.push(w)
}

func (q *queue) push(w *Waiter) {
	q.others += int(w.Others)
	q.Push(&w.node, w)
}

func (q *queue) remove(w *Waiter) {
	q.others -= int(w.Others)
	q.Remove(&w.node)
}

// parkRanked puts w behind all in q that have its priority or a higher one.
func (q *queue) parkRanked(w *Waiter, at machine, as role) {
	w.begin(at, as)
	q.insert(w)
}

func (q *queue) insert(w *Waiter) {
	if last := q.Back(); last == nil || last.Priority >= w.Priority { // as nearly always
		q.push(w)
		return
	}
	q.others += int(w.Others)
	q.Insert(&w.node, w, func(other *Waiter) bool { return other.Priority < w.Priority })
}

func (w *Waiter) begin(at machine, as role) {
	w.at, w.parked, w.role = at, true, as
	w.value, w.err = 0, nil
}

// parkBefore puts w before all in q that have its priority or a lower one.
func (q *queue) parkBefore(w *Waiter, at machine, as role) {
	w.begin(at, as)
	q.others += int(w.Others)
	q.Insert(&w.node, w, func(other *Waiter) bool { return other.Priority <= w.Priority })
}

// move takes w out of q and puts it at the end of to. It is still parked at the same machine.
func (q *queue) move(w *Waiter, to *queue, as role) {
	q.remove(w)
	w.role = as
	to.push(w)
}

// moveRanked is move, but behind all in to that have the priority of w or a higher one.
func (q *queue) moveRanked(w *Waiter, to *queue, as role) {
	q.remove(w)
	w.role = as
	to.insert(w)
}

// precedes says whether w would be the first in q.
func (q *queue) precedes(w *Waiter) bool {
	first := q.Front()
	return first == nil || first.Priority < w.Priority
}

// withdraw takes w out of q; the caller has seen that it is parked there.
func (q *queue) withdraw(w *Waiter) {
	w.parked = false
	q.remove(w)
}

// settle ends the wait of w, which is parked in q.
func (q *queue) settle(w *Waiter, value uint64, err error, out *wakes) {
	q.withdraw(w)
	w.value, w.err = value, err
	out.Push(&w.node, w)
}

// settleAll ends the wait of all in q, and returns how many callers they were.
func (q *queue) settleAll(value uint64, err error, out *wakes) int {
	n := q.callers()
	q.others = 0
	q.Each(func(w *Waiter) { w.parked, w.value, w.err = false, value, err })
	out.Append(&q.List)
	return n
}

// wakes are Waiters that were settled under a mutex and are to be woken, in order, once it is released.
//
// Nobody else can reach them: they are out of every queue, their Withdraw returns false, and their callers may not
// touch them before Wake.
type wakes struct{ waitlist.List[Waiter] }

// wake wakes them. No mutex may be held.
func (s *wakes) wake() {
	for w := s.Pop(); w != nil; w = s.Pop() {
		w.Waker.Wake()
	}
}
