// Package backlog holds the items of a queue in the order in which they are to be taken.
package backlog

import "cmp"

// Order says which item is the next.
type Order uint8

// The orders.
const (
	Line   Order = iota // the one that was pushed first
	Stack               // the one that was pushed last
	Ranked              // the one with the highest priority, and of equals the one that was pushed first
)

// Entry is an item, and what its place among the others depends on.
type Entry[T any] struct {
	Item     T
	priority int
	seq      uint64
}

// Backlog holds items in an Order, which is set before the first is pushed, or by Reorder. The zero Backlog is an empty
// Line.
type Backlog[T any] struct {
	Order Order

	// A ring, from start on; if Ranked, a heap that starts at 0.
	ring  []Entry[T]
	start int
	n     int
	seq   uint64
}

// Len returns how many items there are.
func (b *Backlog[T]) Len() int { return b.n }

// Reorder changes the Order. There must be no item; one that was popped may still be put back.
func (b *Backlog[T]) Reorder(order Order) { b.Order, b.start = order, 0 }

// NewEntry returns an item for Push. The priority counts where items are Ranked.
func NewEntry[T any](item T, priority int) Entry[T] { return Entry[T]{Item: item, priority: priority} }

// Stamp gives an entry its place in the order of arrival; Push does that too.
func (b *Backlog[T]) Stamp(e Entry[T]) Entry[T] {
	b.seq++
	e.seq = b.seq
	return e
}

// Compare is below 0 if e was stamped before other.
func (e Entry[T]) Compare(other Entry[T]) int { return cmp.Compare(e.seq, other.seq) }

// Push adds an entry.
func (b *Backlog[T]) Push(e Entry[T]) { b.add(b.Stamp(e)) }

// PutBack adds an entry that was popped, or only stamped, so that it has its place again: in a Line it comes before all
// that were stamped later, in a Stack it is the next.
func (b *Backlog[T]) PutBack(e Entry[T]) {
	if b.Order != Line {
		b.add(e)
		return
	}
	b.grow()
	b.start = (b.start + len(b.ring) - 1) % len(b.ring)
	b.n++
	at := b.start
	for range b.n - 1 { // behind those that came earlier and were put back before it
		next := (at + 1) % len(b.ring)
		if b.ring[next].seq > e.seq {
			break
		}
		b.ring[at], at = b.ring[next], next
	}
	b.ring[at] = e
}

// Pop takes out the next item. There must be one.
func (b *Backlog[T]) Pop() (e Entry[T]) {
	b.n--
	if b.Order == Ranked {
		e = b.popHeap()
	} else {
		at := b.start
		if b.Order == Stack {
			at = (b.start + b.n) % len(b.ring)
		} else {
			b.start = (b.start + 1) % len(b.ring)
		}
		e, b.ring[at] = b.ring[at], Entry[T]{}
	}
	if b.n == 0 && len(b.ring) > 1024 {
		b.ring, b.start = nil, 0 // what a crowd needed is not kept
	}
	return e
}

// Take empties b and returns what was in it, in order.
func (b *Backlog[T]) Take() []T {
	all := make([]T, 0, b.n)
	for b.n > 0 {
		all = append(all, b.Pop().Item)
	}
	b.ring, b.start = nil, 0
	return all
}

func (b *Backlog[T]) add(e Entry[T]) {
	b.grow()
	at := (b.start + b.n) % len(b.ring)
	b.ring[at] = e
	b.n++
	if b.Order != Ranked {
		return
	}
	for at > 0 && b.precedes(at, (at-1)/2) {
		at = b.swap(at, (at-1)/2)
	}
}

// grow makes room for one more.
func (b *Backlog[T]) grow() {
	if b.n < len(b.ring) {
		return
	}
	larger := make([]Entry[T], max(8, 2*len(b.ring)))
	copied := copy(larger, b.ring[b.start:])
	copy(larger[copied:], b.ring[:b.start])
	b.ring, b.start = larger, 0
}

func (b *Backlog[T]) popHeap() Entry[T] {
	e := b.ring[0]
	b.ring[0], b.ring[b.n] = b.ring[b.n], Entry[T]{}
	for at := 0; ; {
		first := at
		for child := 2*at + 1; child <= 2*at+2 && child < b.n; child++ {
			if b.precedes(child, first) {
				first = child
			}
		}
		if first == at {
			return e
		}
		at = b.swap(at, first)
	}
}

func (b *Backlog[T]) precedes(i, j int) bool {
	x, y := &b.ring[i], &b.ring[j]
	return x.priority > y.priority || x.priority == y.priority && x.seq < y.seq
}

// swap swaps i and j, and returns j.
func (b *Backlog[T]) swap(i, j int) int {
	b.ring[i], b.ring[j] = b.ring[j], b.ring[i]
	return j
}
