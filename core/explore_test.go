package core_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/core/internal/explore"
)

// This file is what the four explorations share: steps, what is seen of them, and the two kinds of waiters, the real
// one and the model's. Each explore_*_test.go adds one machine's steps, its model, and what is explored.

// op names what a step does.
type op string

// step is one atomic call. Steps that park may say what the waiter does in its Wake.
type step struct {
	op   op
	who  int    // the waiter
	run  uint64 // the run or generation meant
	more int    // how many callers a waiter stands for beside one
	err  error
	then *step
}

func (s step) String() string {
	text := strings.NewReplacer("%w", fmt.Sprint("w", s.who), "%r", fmt.Sprint(s.run)).Replace(string(s.op))
	if s.more > 0 {
		text += fmt.Sprint(" for ", s.more, " more")
	}
	if s.err != nil {
		text += " with " + s.err.Error()
	}
	if s.then != nil {
		text += ", once woken: " + s.then.String()
	}
	return text
}

// reply is what a call returns; each uses what it needs.
type reply struct {
	ok  bool
	n   int
	err error
}

func (r reply) String() string { return fmt.Sprint(r.ok, " ", r.n, " ", r.err) }

// event is something that happens during a step.
type event struct {
	what  string
	who   int
	value uint64
	reply reply
}

// events are some of those, in order.
type events struct {
	n   int
	all [8]event
}

func (e event) String() string { return fmt.Sprint(e.what, " w", e.who, " ", e.value, " ", e.reply) }

func (e *events) add(what string, who int, value uint64, r reply) {
	e.all[e.n] = event{what, who, value, r}
	e.n++
}

// seen is all that can be observed of a step. Wakes and calls of the runner are each in order, but not among each
// other.
type seen[Stats comparable] struct {
	reply  reply
	wakes  events // and the replies to what was done from within
	calls  events
	stats  Stats
	broken string
}

func (s seen[Stats]) String() string {
	return fmt.Sprintf("%v; wakes %v; calls of the runner %v; %+v %s",
		s.reply, s.wakes.all[:s.wakes.n], s.calls.all[:s.calls.n], s.stats, s.broken)
}

// crowd are the waiters of a machine. do is the machine.
type crowd struct {
	wakes, calls events
	do           func(step) reply
	w            [4]person
}

// person is one waiter.
type person struct {
	core.Waiter
	id   int
	in   *crowd
	then *step
}

func (c *crowd) gather(do func(step) reply) {
	c.do = do
	for i := range c.w {
		p := &c.w[i]
		p.id, p.in, p.Waker = i, c, p
	}
}

// Wake notes what the waiter was settled with, and does what it was told to do then.
func (p *person) Wake() {
	p.in.wakes.add("wake", p.id, p.Value(), reply{err: p.Err()})
	if then := p.then; then != nil {
		p.then = nil
		p.in.wakes.add("then", p.id, 0, p.in.do(*then))
	}
}

// Start, Cancel, Closing and Stop make a crowd the runner of its machine.

func (c *crowd) Start(run uint64, by core.Waker) { c.calls.add("start", by.(*person).id, run, reply{}) }
func (c *crowd) Cancel(run uint64, cause error)  { c.calls.add("cancel", 0, run, reply{err: cause}) }
func (c *crowd) Closing(run uint64)              { c.calls.add("closing", 0, run, reply{}) }
func (c *crowd) Stop(run uint64)                 { c.calls.add("stop", 0, run, reply{}) }

// done marks where a runner returns that has ended its run from within the call.
const done = "done"

// park parks p by the given call, which may wake p before it returns.
func (p *person) park(s step, call func(*core.Waiter) (bool, error)) reply {
	then, others := p.then, p.Others
	p.then, p.Others = s.then, int32(s.more)
	ok, err := call(&p.Waiter)
	if !ok {
		p.then, p.Others = then, others
	}
	return reply{ok: ok, err: err}
}

// machine is a core machine ready to be explored.
type machine[Stats comparable] struct {
	crowd
	stats  func() Stats
	broken func() string
}

func (m *machine[Stats]) Do(s step) seen[Stats] {
	m.wakes, m.calls = events{}, events{}
	r := m.do(s)
	return seen[Stats]{r, m.wakes, m.calls, m.stats(), m.broken()}
}

// line is a model's queue: who stands in it, in order.
type line []int

func (l line) has(who int) bool { return slices.Contains(l, who) }

func (l *line) drop(who int) bool {
	i := slices.Index(*l, who)
	if i >= 0 {
		*l = slices.Delete(*l, i, i+1)
	}
	return i >= 0
}

func (l *line) take() line {
	all := *l
	*l = nil
	return all
}

// sketch is what all models are made of: the same events as a crowd's, without waiters.
type sketch struct {
	wakes, calls events
	do           func(step) reply
	then         [4]*step
	more         [4]int
	used         int // waiters that were used, from the first on
}

// wake is what follows when all in woken were settled alike.
func (k *sketch) wake(woken line, value uint64, err error) {
	for _, who := range woken {
		k.wakes.add("wake", who, value, reply{err: err})
		if then := k.then[who]; then != nil {
			k.then[who] = nil
			k.wakes.add("then", who, 0, k.do(*then))
		}
	}
}

// callers returns for how many callers those in l stand.
func (k *sketch) callers(l line) int {
	n := len(l)
	for _, who := range l {
		n += k.more[who]
	}
	return n
}

// arrives notes that a step parks who. A waiter that was never used is as good as any other; the first will do.
func (k *sketch) arrives(s step) {
	k.then[s.who], k.more[s.who] = s.then, s.more
	k.used = max(k.used, s.who+1)
}

// model adds to a sketch what is seen from outside.
type model[Stats comparable] struct {
	*sketch
	stats  func() Stats
	moves  func(step) bool
	barred func(step) bool // what no caller does; may be nil
}

func (m model[Stats]) Do(s step) seen[Stats] {
	m.wakes, m.calls = events{}, events{}
	r := m.do(s)
	return seen[Stats]{reply: r, wakes: m.wakes, calls: m.calls, stats: m.stats()}
}

func (m model[Stats]) Weigh(s step) explore.Weight {
	switch {
	case s.who > m.used || m.barred != nil && m.barred(s):
		return explore.Skip
	case m.moves(s):
		return explore.Move
	}
	return explore.Idle
}

// search runs an exploration as a subtest.
func search[Stats comparable](t *testing.T, name string, depth int, steps []step,
	machine func() explore.Machine[step, seen[Stats]], model func() explore.Model[step, seen[Stats]]) {
	all := t
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		if all.Failed() {
			t.Skip("one failure will do")
		}
		if slow {
			depth--
		}
		sequences := 0
		fresh := func() explore.Machine[step, seen[Stats]] {
			if sequences++; sequences%1000 == 0 && all.Failed() {
				t.Skip("one failure will do")
			}
			return machine()
		}
		x := explore.Search[step, seen[Stats]]{Steps: steps, Depth: depth, Idle: 1, Machine: fresh, Model: model}
		n, failure := x.Run()
		if failure != nil {
			t.Fatal(failure)
		}
		t.Logf("%d sequences of %d steps", n, depth)
	})
}

// each returns the step once for each of the first n waiters.
func each(n int, s step) (all []step) {
	for who := range n {
		s.who = who
		all = append(all, s)
	}
	return all
}

// errOops is an error of a shared function.
var errOops = fmt.Errorf("oops")
