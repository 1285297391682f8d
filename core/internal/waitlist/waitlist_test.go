package waitlist

import (
	"slices"
	"testing"
)

type waiter struct {
	node Node[waiter]
	id   int
}

func fill(l *List[waiter], ids ...int) map[int]*waiter {
	all := map[int]*waiter{}
	for _, id := range ids {
		w := &waiter{id: id}
		all[id] = w
		l.Push(&w.node, w)
	}
	return all
}

// check fails the test unless l holds just the given ids, linked soundly in both directions.
func check(t *testing.T, l *List[waiter], want ...int) {
	t.Helper()
	var ids []int
	l.Each(func(w *waiter) { ids = append(ids, w.id) })
	if !slices.Equal(ids, want) || l.Len() != len(want) {
		t.Errorf("the list holds %v and counts %d, want %v", ids, l.Len(), want)
	}
	var last *Node[waiter]
	for n := l.head; n != nil; last, n = n, n.next {
		if n.prev != last {
			t.Errorf("the neighbour before %d is not the one that has it as its neighbour", n.of.id)
		}
	}
	if l.tail != last {
		t.Error("the tail is not the last")
	}
}

func TestTheZeroListIsEmpty(t *testing.T) {
	var l List[waiter]
	check(t, &l)
	if l.Front() != nil || l.Pop() != nil {
		t.Error("something is in an empty list")
	}
}

func TestPopTakesInTheOrderOfPush(t *testing.T) {
	var l List[waiter]
	fill(&l, 1, 2, 3)
	for _, want := range []int{1, 2, 3} {
		if front := l.Front(); front.id != want {
			t.Errorf("the front is %d, want %d", front.id, want)
		}
		if w := l.Pop(); w.id != want {
			t.Errorf("popped %d, want %d", w.id, want)
		}
	}
	check(t, &l)
}

func TestRemoveTakesOutOneWhereverItStands(t *testing.T) {
	for gone, rest := range map[int][]int{1: {2, 3}, 2: {1, 3}, 3: {1, 2}} {
		var l List[waiter]
		all := fill(&l, 1, 2, 3)
		l.Remove(&all[gone].node)
		check(t, &l, rest...)
		l.Push(&all[gone].node, all[gone])
		check(t, &l, append(rest, gone)...)
	}
}

func TestWhatHasLeftRefersToNothing(t *testing.T) {
	var l List[waiter]
	all := fill(&l, 1, 2, 3)
	l.Remove(&all[2].node)
	l.Pop()
	for _, id := range []int{1, 2} {
		if all[id].node != (Node[waiter]{}) {
			t.Errorf("%d has left and still refers to something", id)
		}
	}
}

func TestOneThatWasPoppedMayBePushedAtOnce(t *testing.T) {
	var l List[waiter]
	fill(&l, 1, 2)
	w := l.Pop()
	l.Push(&w.node, w)
	check(t, &l, 2, 1)
}

func TestTakeEmptiesTheList(t *testing.T) {
	var l List[waiter]
	fill(&l, 1, 2)
	taken := l.Take()
	check(t, &l)
	check(t, &taken, 1, 2)
}

func TestAppendMovesAllBehindTheRest(t *testing.T) {
	for _, c := range []struct{ front, back []int }{
		{nil, nil}, {nil, []int{1, 2}}, {[]int{1, 2}, nil}, {[]int{1}, []int{2}}, {[]int{1, 2}, []int{3, 4}},
	} {
		var front, back List[waiter]
		fill(&front, c.front...)
		fill(&back, c.back...)
		front.Append(&back)
		check(t, &front, append(c.front, c.back...)...)
		check(t, &back)
	}
}
