package waitlist

import (
	"fmt"
	"slices"
	"testing"

	"github.com/clca-dev/clca/core/internal/explore"
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

// step is a call for the waiter with an id. Its rank counts for Insert, which goes before all lower ones at the end.
type step struct {
	op   string
	id   int
	rank int
}

func (s step) String() string { return fmt.Sprintf("%s %d with rank %d", s.op, s.id, s.rank) }

// seen is all that can be observed of a step: who was popped, and the list in both directions.
type seen struct {
	popped      int
	front       int
	to, through string
}

// model is what a List is.
type model []step

func (m *model) Do(s step) seen {
	popped := 0
	switch s.op {
	case "push":
		*m = append(*m, s)
	case "insert":
		at := len(*m)
		for at > 0 && (*m)[at-1].rank < s.rank {
			at--
		}
		*m = slices.Insert(*m, at, s)
	case "remove":
		*m = slices.DeleteFunc(*m, func(other step) bool { return other.id == s.id })
	default:
		popped = (*m)[0].id
		*m = slices.Delete(*m, 0, 1)
	}
	var ids []int
	for _, in := range *m {
		ids = append(ids, in.id)
	}
	front := 0
	if len(ids) > 0 {
		front = ids[0]
	}
	return seen{popped, front, fmt.Sprint(len(ids), ids), fmt.Sprint(len(ids), ids)}
}

func (m *model) Weigh(s step) explore.Weight {
	in := slices.ContainsFunc(*m, func(other step) bool { return other.id == s.id })
	if s.op == "pop" && len(*m) == 0 || s.op == "remove" && !in || s.id > 0 && s.op != "remove" && in {
		return explore.Skip
	}
	return explore.Move
}

// machine is a List and those who can stand in it.
type machine struct {
	List[waiter]
	all   [5]waiter
	ranks [5]int
}

func (m *machine) Do(s step) seen {
	popped, w := 0, &m.all[s.id]
	switch w.id = s.id; s.op {
	case "push":
		m.ranks[s.id] = s.rank
		m.Push(&w.node, w)
	case "insert":
		m.ranks[s.id] = s.rank
		m.Insert(&w.node, w, func(other *waiter) bool { return m.ranks[other.id] < s.rank })
	case "remove":
		m.Remove(&w.node)
	default:
		popped = m.Pop().id
	}
	front := 0
	if w := m.Front(); w != nil {
		front = w.id
	}
	var to, through []int
	m.Each(func(w *waiter) { to = append(to, w.id) })
	for n := m.tail; n != nil; n = n.prev {
		through = append(through, n.of.id)
	}
	slices.Reverse(through)
	return seen{popped, front, fmt.Sprint(m.Len(), to), fmt.Sprint(m.Len(), through)}
}

func TestExploringListFindsWhatItsModelSays(t *testing.T) {
	steps := []step{{op: "pop"}}
	for id := 1; id <= 4; id++ {
		steps = append(steps, step{"push", id, 0}, step{"insert", id, 0}, step{"insert", id, 1}, step{"remove", id, 0})
	}
	x := explore.Search[step, seen]{
		Steps: steps, Depth: 5,
		Machine: func() explore.Machine[step, seen] { return &machine{} },
		Model:   func() explore.Model[step, seen] { return &model{} },
	}
	n, failure := x.Run()
	if failure != nil {
		t.Fatal(failure)
	}
	t.Logf("%d sequences", n)
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

func TestInsertGoesBeforeThoseAtTheEndThatYield(t *testing.T) {
	for _, c := range []struct{ list, yields, want []int }{
		{nil, nil, []int{9}},
		{[]int{1, 2, 3}, nil, []int{1, 2, 3, 9}},
		{[]int{1, 2, 3}, []int{3}, []int{1, 2, 9, 3}},
		{[]int{1, 2, 3}, []int{2, 3}, []int{1, 9, 2, 3}},
		{[]int{1, 2, 3}, []int{1, 2, 3}, []int{9, 1, 2, 3}},
		{[]int{1, 2, 3}, []int{1, 2}, []int{1, 2, 3, 9}}, // not past one that does not
		{[]int{1}, []int{1}, []int{9, 1}},
	} {
		var l List[waiter]
		all := fill(&l, c.list...)
		w := &waiter{id: 9}
		l.Insert(&w.node, w, func(other *waiter) bool { return slices.Contains(c.yields, other.id) })
		check(t, &l, c.want...)

		l.Remove(&w.node)
		check(t, &l, c.list...)
		if w.node != (Node[waiter]{}) {
			t.Error("what was inserted has left and still refers to something")
		}
		for _, other := range all {
			l.Remove(&other.node)
		}
		check(t, &l)
	}
}

func TestInsertAsksNobodyBeyondTheFirstThatDoesNotYield(t *testing.T) {
	var l List[waiter]
	fill(&l, 1, 2, 3, 4)
	var asked []int
	w := &waiter{id: 9}
	l.Insert(&w.node, w, func(other *waiter) bool {
		asked = append(asked, other.id)
		return other.id > 3
	})
	if !slices.Equal(asked, []int{4, 3}) {
		t.Errorf("asked %v, want 4 and 3", asked)
	}
}

func TestInsertKeepsAListSortedAndEqualsInTheOrderOfArrival(t *testing.T) {
	// All ways in which six can come with three ranks; the rank is the first digit of the id.
	for n := range 729 {
		var l List[waiter]
		var want []int
		for i := range 6 {
			w := &waiter{id: 10*(n%3) + i}
			n /= 3
			l.Insert(&w.node, w, func(other *waiter) bool { return other.id/10 < w.id/10 })
			want = append(want, w.id)
		}
		slices.SortStableFunc(want, func(x, y int) int { return y/10 - x/10 })
		check(t, &l, want...)
	}
}
