package core_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/core/internal/explore"
)

const (
	opReset op = "reset"
	opActed op = "the action ends"
)

// barrierModel says what a Barrier is. acts: it has an action, which ends by a step of its own.
type barrierModel struct {
	sketch
	parties          int
	acts             bool
	waiting, leaving line // the latter while the action runs
	generation       uint64
	resets, actsAt   int // the latter when the action began
	broken           error
	closed           bool
}

// full returns how many who wait are of full generations.
func (m *barrierModel) full() int { return len(m.waiting) / m.parties * m.parties }

func (m *barrierModel) leaves(who int) bool { return slices.Index(m.waiting, who) >= m.full() }

func (m *barrierModel) do(s step) reply {
	switch s.op {
	case opPark:
		switch {
		case m.closed:
			return reply{err: core.ErrClosed}
		case m.waiting.has(s.who) || m.leaving.has(s.who):
			return reply{err: core.ErrParked}
		case m.broken != nil:
			return reply{err: m.broken}
		case !m.acts && len(m.waiting) == m.parties-1:
			m.generation++
			m.passes(m.waiting.take())
			return reply{n: m.parties - 1}
		}
		m.arrives(s)
		m.waiting = append(m.waiting, s.who)
		m.act()
		return reply{ok: true}
	case opWithdraw:
		if !m.leaves(s.who) {
			return reply{}
		}
		m.waiting.drop(s.who)
		others := slices.Clone(m.waiting[m.full():])
		m.waiting = m.waiting[:m.full()]
		if !m.closed {
			m.broken = core.ErrBroken
		}
		m.wake(others, 0, core.ErrBroken)
		return reply{ok: true}
	case opActed:
		left := m.leaving.take()
		if s.err == nil {
			m.act()
			m.passes(left)
		} else if m.closed || m.resets > m.actsAt {
			m.act()
			m.wake(left, 0, errActionFailed)
		} else {
			m.broken = errActionFailed
			m.wake(append(left, m.waiting.take()...), 0, errActionFailed)
		}
		return reply{}
	case opReset:
		if m.closed {
			return reply{}
		}
		m.broken = nil
		m.generation++
		m.resets++
		failed := m.waiting.take()
		m.wake(failed, 0, core.ErrBroken)
		return reply{n: len(failed)}
	default:
		m.closed, m.broken = true, nil
		m.wake(m.waiting.take(), 0, core.ErrClosed)
		return reply{}
	}
}

// passes lets go on who came, each with its place in the order of arrival.
func (m *barrierModel) passes(all line) {
	for index, who := range all {
		m.wake(line{who}, uint64(index), nil)
	}
}

// act begins the action of a full generation, once that of the one before has ended.
func (m *barrierModel) act() {
	if len(m.waiting) >= m.parties && len(m.leaving) == 0 {
		m.generation++
		m.actsAt = m.resets
		m.leaving = slices.Clone(m.waiting[:m.parties])
		m.waiting = m.waiting[m.parties:]
	}
}

func (m *barrierModel) stats() core.BarrierStats {
	return core.BarrierStats{
		Parties: m.parties, Waiting: len(m.waiting), Generation: m.generation, Broken: m.broken != nil, Closed: m.closed,
	}
}

func (m *barrierModel) moves(s step) bool {
	switch s.op {
	case opPark:
		return !m.closed && m.broken == nil && !m.waiting.has(s.who) && !m.leaving.has(s.who)
	case opWithdraw:
		return m.leaves(s.who)
	case opReset:
		return !m.closed && (m.broken != nil || len(m.waiting) > 0)
	case opActed:
		return true
	}
	return !m.closed
}

// barred: an action that does not run cannot end.
func (m *barrierModel) barred(s step) bool { return s.op == opActed && len(m.leaving) == 0 }

func newBarrierModel(parties int, acts bool) func() explore.Model[step, seen[core.BarrierStats]] {
	return func() explore.Model[step, seen[core.BarrierStats]] {
		m := &barrierModel{parties: parties, acts: acts}
		m.sketch.do = m.do
		return model[core.BarrierStats]{&m.sketch, m.stats, m.moves, m.barred}
	}
}

// errActionFailed stands for an ErrBroken that is errOops too.
var errActionFailed = fmt.Errorf("%w: %w", core.ErrBroken, errOops)

// barrierMachine sees which errors there are, not their identity.
type barrierMachine struct{ machine[core.BarrierStats] }

func (m *barrierMachine) Do(s step) seen[core.BarrierStats] {
	o := m.machine.Do(s)
	ofAction(&o.reply)
	for i := range o.wakes.n {
		ofAction(&o.wakes.all[i].reply)
	}
	return o
}

func ofAction(r *reply) {
	if errors.Is(r.err, core.ErrBroken) && errors.Is(r.err, errOops) {
		r.err = errActionFailed
	}
}

// newBarrierMachine returns a machine whose action, if it is not nil, ends as it receives, and what ends the machine.
func newBarrierMachine(parties int, action chan error) (m *barrierMachine, end func()) {
	var act func() error
	if action != nil {
		act = func() error { return <-action }
	}
	b, err := core.NewBarrier(parties, act)
	if err != nil {
		panic(err)
	}
	m = &barrierMachine{machine[core.BarrierStats]{stats: b.Stats, broken: b.Broken}}
	m.gather(func(step step) reply {
		w := &m.w[step.who]
		switch step.op {
		case opPark:
			r := w.park(step, b.Park)
			if !r.ok && r.err == nil {
				r.n = int(w.Value())
			}
			return r
		case opWithdraw:
			return reply{ok: w.Withdraw()}
		case opActed:
			synctest.Wait()
			select {
			case action <- step.err:
				synctest.Wait()
				return reply{}
			default:
				return reply{err: errors.New("no action runs")}
			}
		case opReset:
			return reply{n: b.Reset()}
		default:
			b.Close()
			return reply{}
		}
	})
	return m, func() {
		m.wakes = events{}
		b.Close()
		close(action)
		synctest.Wait()
	}
}

func TestExploringBarrierFindsWhatItsModelSays(t *testing.T) {
	common := slices.Concat(each(4, step{op: opPark}), each(4, step{op: opWithdraw}),
		[]step{{op: opReset}, {op: opClose}})
	within := slices.Concat(common, []step{
		{op: opPark, then: &step{op: opPark}},
		{op: opPark, then: &step{op: opWithdraw, who: 1}},
		{op: opPark, then: &step{op: opReset}},
		{op: opPark, then: &step{op: opClose}},
	})
	without := func(parties int) func() explore.Machine[step, seen[core.BarrierStats]] {
		return func() explore.Machine[step, seen[core.BarrierStats]] {
			m, _ := newBarrierMachine(parties, nil)
			return m
		}
	}
	search(t, "of 1", 4, common, without(1), newBarrierModel(1, false))
	search(t, "of 2", 8, common, without(2), newBarrierModel(2, false))
	search(t, "of 3", 8, common, without(3), newBarrierModel(3, false))
	search(t, "of 2, steps from within Wake", 6, within, without(2), newBarrierModel(2, false))
	search(t, "of 3, steps from within Wake", 6, within, without(3), newBarrierModel(3, false))

	ends := []step{{op: opActed}, {op: opActed, err: errOops}}
	searchActing(t, "of 1 with an action", 6, slices.Concat(common, ends), 1)
	searchActing(t, "of 2 with an action", 8, slices.Concat(common, ends), 2)
	searchActing(t, "with an action, steps from within Wake", 6, slices.Concat(within, ends), 2)
}

// searchActing is search for barriers with an action. That runs in a goroutine of its own, so a bubble has to tell when
// all that follows from its end has happened.
func searchActing(t *testing.T, name string, depth int, steps []step, parties int) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		if slow {
			depth--
		}
		synctest.Test(t, func(t *testing.T) {
			end := func() {}
			x := explore.Search[step, seen[core.BarrierStats]]{
				Steps: steps, Depth: depth, Idle: 1, Model: newBarrierModel(parties, true),
				Machine: func() (m explore.Machine[step, seen[core.BarrierStats]]) {
					end() // what the machine before has left
					m, end = newBarrierMachine(parties, make(chan error))
					return m
				},
			}
			n, failure := x.Run()
			end()
			if failure != nil {
				t.Fatal(failure)
			}
			t.Logf("%d sequences of %d steps", n, depth)
		})
	})
}
