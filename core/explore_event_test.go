package core_test

import (
	"slices"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/core/internal/explore"
)

const (
	opSet   op = "set"
	opClear op = "clear"
)

// eventModel says what an Event is.
type eventModel struct {
	sketch
	waiting     line
	set, closed bool
	sets        uint64
}

func (m *eventModel) do(s step) reply {
	switch s.op {
	case opPark:
		switch {
		case m.closed:
			return reply{err: core.ErrClosed}
		case m.waiting.has(s.who):
			return reply{err: core.ErrParked}
		case m.set:
			return reply{}
		}
		m.arrives(s)
		m.waiting = append(m.waiting, s.who)
		return reply{ok: true}
	case opWithdraw:
		return reply{ok: m.waiting.drop(s.who)}
	case opSet:
		if m.set || m.closed {
			return reply{}
		}
		m.set = true
		m.sets++
		woken := m.waiting.take()
		n := m.callers(woken)
		m.wake(woken, 0, nil)
		return reply{n: n}
	case opClear:
		was := m.set
		m.set = false
		return reply{ok: was}
	default:
		m.closed, m.set = true, false
		m.wake(m.waiting.take(), 0, core.ErrClosed)
		return reply{}
	}
}

func (m *eventModel) stats() core.EventStats {
	return core.EventStats{Set: m.set, Waiting: m.callers(m.waiting), Sets: m.sets, Closed: m.closed}
}

func (m *eventModel) moves(s step) bool {
	switch s.op {
	case opPark:
		return !m.closed && !m.set && !m.waiting.has(s.who)
	case opWithdraw:
		return m.waiting.has(s.who)
	case opSet:
		return !m.closed && !m.set
	case opClear:
		return m.set
	}
	return !m.closed
}

func newEventModel() explore.Model[step, seen[core.EventStats]] {
	m := &eventModel{}
	m.sketch.do = m.do
	return model[core.EventStats]{&m.sketch, m.stats, m.moves, nil}
}

func newEventMachine() explore.Machine[step, seen[core.EventStats]] {
	e := &core.Event{}
	m := &machine[core.EventStats]{stats: e.Stats, broken: e.Broken}
	m.gather(func(step step) reply {
		w := &m.w[step.who]
		switch step.op {
		case opPark:
			return w.park(step, e.Park)
		case opWithdraw:
			return reply{ok: w.Withdraw()}
		case opSet:
			return reply{n: e.Set()}
		case opClear:
			return reply{ok: e.Clear()}
		default:
			e.Close()
			return reply{}
		}
	})
	return m
}

func TestExploringEventFindsWhatItsModelSays(t *testing.T) {
	common := slices.Concat(each(4, step{op: opPark}), each(4, step{op: opWithdraw}),
		[]step{{op: opSet}, {op: opClear}, {op: opClose}})
	search(t, "four waiters", 8, common, newEventMachine, newEventModel)
	search(t, "steps from within Wake", 6, slices.Concat(common,
		[]step{
			{op: opPark, then: &step{op: opPark}},
			{op: opPark, then: &step{op: opWithdraw, who: 1}},
			{op: opPark, then: &step{op: opClear}}, // takes no wake back
			{op: opPark, then: &step{op: opSet}},
			{op: opPark, then: &step{op: opClose}},
		}), newEventMachine, newEventModel)
	search(t, "waiters that stand for several", 6, slices.Concat(common, each(4, step{op: opPark, more: 1}),
		[]step{{op: opPark, more: 4, then: &step{op: opPark, more: 2}}}), newEventMachine, newEventModel)
}
