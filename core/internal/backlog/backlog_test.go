package backlog

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/clca-dev/clca/core/internal/explore"
	"pgregory.net/rapid"
)

func init() { flag.Set("rapid.nofailfile", "true") } // the seed, which is printed, will do

// step is a call, or some.
type step struct {
	op       string
	priority int // of what is pushed
	n        int // how many are, or which of those that were popped is put back
}

func (s step) String() string { return fmt.Sprint(s.op, " (priority ", s.priority, ", ", s.n, ")") }

// seen is all that can be observed of a step.
type seen struct {
	popped int
	n      int
	items  string // in order
	broken string
}

// model is what a Backlog is: a slice that is in order. Items are numbered as they come.
type model struct {
	order Order
	made  int
	items []numbered
	out   []numbered
}

type numbered struct{ number, priority int }

// before says whether x, which is pushed or put back, is to be taken before y.
func (m *model) before(x, y numbered) bool {
	switch m.order {
	case Line:
		return x.number < y.number
	case Stack:
		return true
	}
	return x.priority > y.priority || x.priority == y.priority && x.number < y.number
}

func (m *model) add(x numbered) {
	at := slices.IndexFunc(m.items, func(y numbered) bool { return m.before(x, y) })
	if at < 0 {
		at = len(m.items)
	}
	m.items = slices.Insert(m.items, at, x)
}

func (m *model) Do(s step) seen {
	popped := 0
	switch s.op {
	case "push":
		for range s.n {
			m.made++
			m.add(numbered{m.made, s.priority})
		}
	case "stamp":
		m.made++
		m.out = append(m.out, numbered{m.made, s.priority})
	case "pop":
		popped = m.items[0].number
		m.out = append(m.out, m.items[0])
		m.items = slices.Delete(m.items, 0, 1)
	case "put back":
		m.add(m.out[s.n])
		m.out = slices.Delete(m.out, s.n, s.n+1)
	default:
		m.items = nil
	}
	var items []int
	for _, x := range m.items {
		items = append(items, x.number)
	}
	return seen{popped, len(items), fmt.Sprint(items), ""}
}

func (m *model) Weigh(s step) explore.Weight {
	if s.op == "pop" && len(m.items) == 0 || s.op == "put back" && s.n >= len(m.out) {
		return explore.Skip
	}
	return explore.Move
}

// machine is a Backlog whose items are numbered as they come.
type machine struct {
	Backlog[int]
	made int
	out  []Entry[int]
}

func (m *machine) Do(s step) seen {
	popped := 0
	switch s.op {
	case "push":
		for range s.n {
			m.made++
			m.Push(NewEntry(m.made, s.priority))
		}
	case "stamp":
		m.made++
		m.out = append(m.out, m.Stamp(NewEntry(m.made, s.priority)))
	case "pop":
		e := m.Pop()
		popped = e.Item
		m.out = append(m.out, e)
	case "put back":
		m.PutBack(m.out[s.n])
		m.out = slices.Delete(m.out, s.n, s.n+1)
	default:
		m.Take()
	}
	return seen{popped, m.Len(), fmt.Sprint(m.all()), m.broken()}
}

// all returns what is in m, in order, and leaves it there.
func (m *machine) all() []int {
	twin := m.Backlog
	twin.ring = slices.Clone(m.ring)
	return twin.Take()
}

// broken returns an invariant that does not hold, or "".
func (m *machine) broken() string {
	for i := m.n; i < len(m.ring); i++ {
		if m.ring[(m.start+i)%len(m.ring)] != (Entry[int]{}) {
			return "a place that is not used refers to an item"
		}
	}
	if m.Order == Ranked && m.start != 0 {
		return "a heap does not start at 0"
	}
	return ""
}

func pair(order Order) (*machine, *model) {
	return &machine{Backlog: Backlog[int]{Order: order}}, &model{order: order}
}

var orders = map[string]Order{"line": Line, "stack": Stack, "ranked": Ranked}

func TestExploringBacklogFindsWhatItsModelSays(t *testing.T) {
	for name, order := range orders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := explore.Search[step, seen]{
				Depth: 6,
				Steps: []step{
					{op: "push", n: 1}, {op: "push", n: 7}, {op: "push", n: 1, priority: 1}, // 8 fill the ring
					{op: "pop"}, {op: "stamp"}, {op: "put back"}, {op: "put back", n: 1}, {op: "take"},
				},
				Machine: func() explore.Machine[step, seen] { m, _ := pair(order); return m },
				Model:   func() explore.Model[step, seen] { _, m := pair(order); return m },
			}
			n, failure := x.Run()
			if failure != nil {
				t.Fatal(failure)
			}
			t.Logf("%d sequences", n)
		})
	}
}

func TestInRandomProgramsItemsComeInTheirOrder(t *testing.T) {
	for name, order := range orders {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			machine, model := pair(order)
			steps := map[string]func(*rapid.T){}
			for _, op := range []string{"push", "stamp", "pop", "put back", "take"} {
				steps[op] = func(t *rapid.T) {
					s := step{op: op}
					switch op {
					case "push":
						s.n = rapid.IntRange(1, 10).Draw(t, "n")
						s.priority = rapid.IntRange(-3, 3).Draw(t, "priority")
					case "put back":
						s.n = rapid.IntRange(0, 10).Draw(t, "which")
					}
					if model.Weigh(s) == explore.Skip {
						t.Skip("nothing there to do it to")
					}
					if want, got := model.Do(s), machine.Do(s); got != want {
						t.Fatalf("%v: got %v, want %v", s, got, want)
					}
				}
			}
			t.Repeat(steps)
		}))
	}
}

func TestTheZeroBacklogIsAnEmptyLine(t *testing.T) {
	var b Backlog[string]
	if b.Len() != 0 || len(b.Take()) != 0 {
		t.Error("something is in an empty backlog")
	}
	b.Push(NewEntry("a", 0))
	b.Push(NewEntry("b", 1))
	if got := b.Take(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("took %v, want a and b", got)
	}
}
