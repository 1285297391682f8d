package core

import (
	"context"
	"math"
	"slices"

	"github.com/clca-dev/clca/core/internal/backlog"
)

// Queue hands items from those who put to those who get, each to exactly one. A Put waits while the queue is full, a
// Get while it is empty; both are served in the order of arrival, and a Put that waited comes before any later one.
// Where somebody waits to get, an item goes to the first of them at once.
//
// The zero Queue has the capacity 0: a Put waits until a Get takes its item. NewQueue, NewStack and NewPriorityQueue
// make others. Invariants: who waits to get finds no item and nobody who puts; who waits to put finds the queue full.
type Queue[T any] struct {
	gate
	capacity   int
	priority   func(T) int // nil unless items are ranked
	items      backlog.Backlog[T]
	getting    queue
	putting    queue // the value of each is the place of its item in hands
	joining    queue
	hands      []hand[T] // items on their way: of those who wait to put, and claimed by those who got
	held       uint32    // numbers them
	free       []int     // places in hands that are not used
	unfinished int
	puts       uint64
	emptied    bool // by CloseNow
}

// Unbounded is the capacity of a Queue in which a Put never waits.
const Unbounded = math.MaxInt

// NewQueue returns a Queue from which items are taken in the order in which they were put. It holds up to capacity
// items, at least 0; less is an ErrInvalid.
func NewQueue[T any](capacity int) (*Queue[T], error) {
	return newQueue[T](capacity, backlog.Line)
}

// NewStack is NewQueue, but the latest item is taken first.
func NewStack[T any](capacity int) (*Queue[T], error) {
	return newQueue[T](capacity, backlog.Stack)
}

// NewPriorityQueue is NewQueue, but the item with the highest priority is taken first, and of equals the one that was put
// first. The priority of an item is asked for once, when it is put, with no mutex held; without the function there is an
// ErrInvalid.
func NewPriorityQueue[T any](capacity int, priority func(item T) int) (*Queue[T], error) {
	if priority == nil {
		return nil, invalid("priority must be given")
	}
	q, err := newQueue[T](capacity, backlog.Ranked)
	if err == nil {
		q.priority = priority
	}
	return q, err
}

// entry makes the entry of an item. It calls a function of the user's, so no mutex may be held.
func (q *Queue[T]) entry(item T) backlog.Entry[T] {
	if q.priority == nil {
		return backlog.NewEntry(item, 0)
	}
	return backlog.NewEntry(item, q.priority(item))
}

func newQueue[T any](capacity int, order backlog.Order) (*Queue[T], error) {
	if capacity < 0 {
		return nil, invalid("capacity must be at least 0")
	}
	return &Queue[T]{capacity: capacity, items: backlog.Backlog[T]{Order: order}}, nil
}

// QueueStats is a snapshot of a Queue.
type QueueStats struct {
	Len        int // items that can be taken
	Capacity   int
	Getting    int    // callers that wait to get
	Putting    int    // callers that wait to put
	Unfinished int    // items put for which TaskDone was not called yet
	Puts       uint64 // items put so far
	Closed     bool
}

// Put puts an item, and blocks while the queue is full. It returns ErrClosed if the queue is or gets closed, and the
// cancellation if ctx ends first; the item then was not put.
func (q *Queue[T]) Put(ctx context.Context, item T) error {
	if ctx.Err() != nil {
		return cancellation(ctx)
	}
	e := q.entry(item)
	err := q.tryPut(e) // who need not wait is spared the Waiter
	if err == ErrWouldBlock {
		_, err = block(ctx, func(w *Waiter) (bool, error) { return q.parkPut(w, e) })
	}
	return err
}

// TryPut puts an item if there is room, or somebody who waits to get. Else it returns ErrWouldBlock or ErrClosed.
func (q *Queue[T]) TryPut(item T) error { return q.tryPut(q.entry(item)) }

func (q *Queue[T]) tryPut(e backlog.Entry[T]) error {
	var out wakes
	q.mu.Lock()
	err := ErrClosed
	if !q.closed {
		err = ErrWouldBlock
		if q.put(e, &out) {
			err = nil
		}
	}
	q.mu.Unlock()
	out.wake()
	return err
}

// Get takes the next item, and blocks while there is none. It returns ErrClosed once the queue is closed and empty, and
// the cancellation if ctx ends first; it then has taken nothing.
func (q *Queue[T]) Get(ctx context.Context) (T, error) {
	var none T
	if ctx.Err() != nil {
		return none, cancellation(ctx)
	}
	if item, err := q.TryGet(); err != ErrWouldBlock {
		return item, err
	}
	s, err := block(ctx, q.ParkGet)
	if err != nil {
		return none, err
	}
	return q.Take(s.value), nil
}

// TryGet takes the next item if there is one. Else it returns ErrWouldBlock or ErrClosed.
func (q *Queue[T]) TryGet() (item T, err error) {
	var out wakes
	q.mu.Lock()
	e, err := q.next(&out)
	q.mu.Unlock()
	out.wake()
	return e.Item, err
}

// TaskDone says that one item that was taken has been dealt with, for Join. It returns ErrOverRelease, and changes
// nothing, if that was said of all items already. It does not block.
func (q *Queue[T]) TaskDone() error {
	var out wakes
	q.mu.Lock()
	over := q.unfinished == 0
	if !over {
		q.finish(1, &out)
	}
	q.mu.Unlock()
	out.wake()
	if over {
		return ErrOverRelease
	}
	return nil
}

func (q *Queue[T]) finish(n int, out *wakes) {
	q.unfinished = max(0, q.unfinished-n)
	if q.unfinished == 0 {
		q.joining.settleAll(0, nil, out)
	}
}

// Join blocks until TaskDone was called for every item put so far and meanwhile, or the queue is emptied by CloseNow.
// It returns the cancellation if ctx ends first.
func (q *Queue[T]) Join(ctx context.Context) error {
	_, err := block(ctx, q.ParkJoin)
	return err
}

// Close fails all who wait to put, and all later Puts, with ErrClosed. What is in the queue can still be taken; once
// there is nothing, all who wait to get, and later Gets, fail with ErrClosed. It does not block; a second call does
// nothing.
func (q *Queue[T]) Close() {
	var out wakes
	q.mu.Lock()
	q.close(&out)
	q.mu.Unlock()
	out.wake()
}

// CloseNow is Close, and takes out all items and returns them, in order. Nobody waits for them in Join any more.
func (q *Queue[T]) CloseNow() []T {
	var out wakes
	q.mu.Lock()
	q.close(&out)
	q.emptied = true
	items := q.items.Take()
	q.finish(len(items), &out)
	q.joining.settleAll(0, nil, &out)
	q.mu.Unlock()
	out.wake()
	return items
}

func (q *Queue[T]) close(out *wakes) {
	q.closed = true
	for w := q.putting.Front(); w != nil; w = q.putting.Front() {
		q.release(w.value)
		q.putting.settle(w, 0, ErrClosed, out)
	}
	q.getting.settleAll(0, ErrClosed, out) // there is no item where somebody waits for one
}

// ParkPut is the passive form of Put. It returns false with nil if the item was put, true if w was parked until it is,
// and false with ErrClosed or ErrParked.
func (q *Queue[T]) ParkPut(w *Waiter, item T) (bool, error) { return q.parkPut(w, q.entry(item)) }

func (q *Queue[T]) parkPut(w *Waiter, e backlog.Entry[T]) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	var out wakes
	q.mu.Lock()
	switch {
	case q.closed:
		q.mu.Unlock()
		return false, ErrClosed
	case w.parked:
		q.mu.Unlock()
		return false, ErrParked
	case q.put(e, &out):
		q.mu.Unlock()
		out.wake()
		return false, nil
	}
	q.putting.park(w, q, rolePut)
	w.value = q.hold(e)
	q.mu.Unlock()
	return true, nil
}

// put puts an item if that can be at once.
func (q *Queue[T]) put(e backlog.Entry[T], out *wakes) bool {
	if w := q.getting.Front(); w != nil {
		q.getting.settle(w, q.hold(q.items.Stamp(e)), nil, out)
	} else if q.items.Len() < q.capacity {
		q.items.Push(e)
	} else {
		return false
	}
	q.unfinished++
	q.puts++
	return true
}

// ParkGet is the passive form of Get. It returns false with nil if there was an item, true if w was parked until there
// is, and false with ErrClosed or ErrParked. Once granted, Waiter.Value is a claim: the item is nobody else's until it
// is taken for good, by Take, or put back, by PutBack.
func (q *Queue[T]) ParkGet(w *Waiter) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	var out wakes
	q.mu.Lock()
	if w.parked {
		q.mu.Unlock()
		return false, ErrParked
	}
	claim, err := q.claim(&out)
	if err == ErrWouldBlock {
		q.getting.park(w, q, roleWait)
		q.mu.Unlock()
		return true, nil
	}
	w.value = claim
	q.mu.Unlock()
	out.wake()
	return false, err
}

// Claim is the passive form of TryGet. It returns a claim, see ParkGet, or ErrWouldBlock or ErrClosed.
func (q *Queue[T]) Claim() (claim uint64, err error) {
	var out wakes
	q.mu.Lock()
	claim, err = q.claim(&out)
	q.mu.Unlock()
	out.wake()
	return claim, err
}

// claim claims the next item.
func (q *Queue[T]) claim(out *wakes) (claim uint64, err error) {
	e, err := q.next(out)
	if err == nil {
		claim = q.hold(e)
	}
	return claim, err
}

// next takes out the next item, and lets those who wait to put have its room.
func (q *Queue[T]) next(out *wakes) (e backlog.Entry[T], err error) {
	switch {
	case q.items.Len() > 0:
		e = q.items.Pop()
		for q.items.Len() < q.capacity && q.putting.Len() > 0 {
			q.items.Push(q.accept(out))
		}
	case q.putting.Len() > 0:
		e = q.items.Stamp(q.accept(out))
	case q.closed:
		err = ErrClosed
	default:
		err = ErrWouldBlock
	}
	return e, err
}

// accept ends the wait of the first who puts, and returns what that is.
func (q *Queue[T]) accept(out *wakes) backlog.Entry[T] {
	w := q.putting.Front()
	e := q.release(w.value)
	q.putting.settle(w, 0, nil, out)
	q.unfinished++
	q.puts++
	return e
}

// Claimed returns the item that was claimed; the zero value if the claim was ended.
func (q *Queue[T]) Claimed(claim uint64) (item T) {
	q.mu.Lock() // and no defer here and below, which is expensive in wasm
	if h := q.hand(claim); h != nil {
		item = h.entry.Item
	}
	q.mu.Unlock()
	return item
}

// Take ends a claim for good, and returns its item; the zero value if the claim was ended before.
func (q *Queue[T]) Take(claim uint64) T {
	q.mu.Lock()
	item := q.release(claim).Item
	q.mu.Unlock()
	return item
}

// PutBack gives up claims: their items have the place again that they had, in a stack the first one, and go at once to
// those who wait for one, in order. There may then be more items than the capacity. After CloseNow the items are
// dropped, and it returns false. Claims that were ended before are ignored. PutBack uses the slice as its own.
func (q *Queue[T]) PutBack(claims ...uint64) bool {
	var out wakes
	q.mu.Lock()
	emptied := q.emptied
	claims = slices.DeleteFunc(claims, func(claim uint64) bool { return q.hand(claim) == nil })
	slices.SortFunc(claims, func(a, b uint64) int { return q.hand(a).entry.Compare(q.hand(b).entry) })
	for _, claim := range claims {
		if e := q.release(claim); emptied {
			q.finish(1, &out)
		} else {
			q.items.PutBack(e)
		}
	}
	for w := q.getting.Front(); w != nil && q.items.Len() > 0; w = q.getting.Front() {
		q.getting.settle(w, q.hold(q.items.Pop()), nil, &out)
	}
	q.mu.Unlock()
	out.wake()
	return !emptied
}

// hand holds an item outside of the line. Its number is its place in hands in the lower half, and one that it alone has
// had in the upper half; 0 if it holds none.
type hand[T any] struct {
	entry  backlog.Entry[T]
	number uint64
}

// hold keeps an item outside of the line, and returns the number of the hand that does.
func (q *Queue[T]) hold(e backlog.Entry[T]) uint64 {
	var place int
	if n := len(q.free); n > 0 {
		place = q.free[n-1]
		q.free = q.free[:n-1]
	} else {
		place = len(q.hands)
		q.hands = append(q.hands, hand[T]{})
	}
	q.held++
	number := uint64(q.held)<<32 | uint64(place)
	q.hands[place] = hand[T]{e, number}
	return number
}

// hand returns the hand of that number, or nil if it was released.
func (q *Queue[T]) hand(number uint64) *hand[T] {
	if place := int(uint32(number)); place < len(q.hands) && q.hands[place].number == number && number != 0 {
		return &q.hands[place]
	}
	return nil
}

func (q *Queue[T]) release(number uint64) backlog.Entry[T] {
	h := q.hand(number)
	if h == nil {
		return backlog.Entry[T]{}
	}
	e := h.entry
	*h = hand[T]{}
	q.free = append(q.free, int(uint32(number)))
	if len(q.free) == len(q.hands) && len(q.hands) > 1024 {
		q.hands, q.free = nil, nil // what a crowd needed is not kept
	}
	return e
}

// ParkJoin is the passive form of Join. It returns false with nil if nothing is unfinished, true if w was parked until
// then, and false with ErrParked.
func (q *Queue[T]) ParkJoin(w *Waiter) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case w.parked:
		return false, ErrParked
	case q.unfinished == 0 || q.emptied:
		return false, nil
	}
	q.joining.park(w, q, roleJoin)
	return true, nil
}

func (q *Queue[T]) withdraw(w *Waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !w.parked {
		return false
	}
	switch w.role {
	case rolePut:
		q.release(w.value)
		q.putting.withdraw(w)
	case roleJoin:
		q.joining.withdraw(w)
	default:
		q.getting.withdraw(w)
	}
	return true
}

// Adopt gives q the capacity and the order of another Queue, which nobody uses yet, and returns true. It changes
// nothing and returns false if there is anything in q, or somebody waits to put. No call may be under way but those
// that wait.
func (q *Queue[T]) Adopt(shape *Queue[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.items.Len() > 0 || q.putting.Len() > 0 {
		return false
	}
	q.capacity, q.priority = shape.capacity, shape.priority
	q.items.Reorder(shape.items.Order)
	return true
}

// Stats returns a snapshot.
func (q *Queue[T]) Stats() QueueStats {
	q.mu.Lock()
	defer q.mu.Unlock()
	return QueueStats{
		q.items.Len(), q.capacity, q.getting.Len(), q.putting.Len(), q.unfinished, q.puts, q.closed,
	}
}
