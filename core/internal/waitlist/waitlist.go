// Package waitlist holds the one list that every primitive of clca parks its callers on.
//
// The list is intrusive: a place in it is a Node inside the thing that waits, so parking allocates nothing and leaving
// costs the same wherever one stands. It knows neither mutexes nor what waiting means; package core adds both.
package waitlist

// Node is a place in a List. Embed it in what waits. A Node is in one List at most.
type Node[T any] struct {
	prev, next *Node[T]
	of         *T
}

// List is a first-in, first-out list of waiting T. The zero List is empty and ready to use.
//
// Invariant: a Node that is in no list has neither neighbours nor an owner, so nothing that left can be reached from
// what still waits, and the reverse.
type List[T any] struct {
	head, tail *Node[T]
	n          int
}

// Len returns how many wait.
func (l *List[T]) Len() int { return l.n }

// Push puts of, whose Node is n, at the end. n must be in no list.
func (l *List[T]) Push(n *Node[T], of *T) {
	n.of, n.prev = of, l.tail
	if l.tail == nil {
		l.head = n
	} else {
		l.tail.next = n
	}
	l.tail = n
	l.n++
}

// Insert puts of, whose Node is n, before those at the end for which yields is true. n must be in no list. It takes as
// many steps as there are of those.
func (l *List[T]) Insert(n *Node[T], of *T, yields func(*T) bool) {
	before := l.tail
	for before != nil && yields(before.of) {
		before = before.prev
	}
	if before == l.tail {
		l.Push(n, of)
		return
	}
	n.of, n.prev = of, before
	if before == nil {
		n.next, l.head = l.head, n
	} else {
		n.next, before.next = before.next, n
	}
	n.next.prev = n
	l.n++
}

// Remove takes n out. n must be in l.
func (l *List[T]) Remove(n *Node[T]) {
	if n.prev == nil {
		l.head = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		l.tail = n.prev
	} else {
		n.next.prev = n.prev
	}
	*n = Node[T]{}
	l.n--
}

// Front returns the one that has waited longest, or nil.
func (l *List[T]) Front() *T {
	if l.head == nil {
		return nil
	}
	return l.head.of
}

// Back returns the one that came last, or nil.
func (l *List[T]) Back() *T {
	if l.tail == nil {
		return nil
	}
	return l.tail.of
}

// Pop takes out and returns the one that has waited longest, or nil. Its Node may be pushed again at once.
func (l *List[T]) Pop() *T {
	n := l.head
	if n == nil {
		return nil
	}
	of := n.of
	l.Remove(n)
	return of
}

// Each calls f with all that wait, oldest first. f must not change the list.
func (l *List[T]) Each(f func(*T)) {
	for n := l.head; n != nil; n = n.next {
		f(n.of)
	}
}

// Take empties l and returns what was in it.
func (l *List[T]) Take() List[T] {
	all := *l
	*l = List[T]{}
	return all
}

// Append moves all of tail behind what l holds, and empties tail.
func (l *List[T]) Append(tail *List[T]) {
	if tail.n == 0 {
		return
	}
	if l.n == 0 {
		*l = tail.Take()
		return
	}
	l.tail.next, tail.head.prev = tail.head, l.tail
	l.tail = tail.tail
	l.n += tail.n
	*tail = List[T]{}
}
