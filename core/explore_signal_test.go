package core_test

import (
	"slices"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/core/internal/explore"
)

const (
	opPark     op = "park %w"
	opWithdraw op = "withdraw %w"
	opSignal   op = "signal"
	opClose    op = "close"
)

// signalModel says what a Signal is.
type signalModel struct {
	sketch
	waiting        line
	signals, woken uint64
	closed         bool
}

func (m *signalModel) do(s step) reply {
	switch s.op {
	case opPark:
		switch {
		case m.closed:
			return reply{err: core.ErrClosed}
		case m.waiting.has(s.who):
			return reply{err: core.ErrParked}
		}
		m.arrives(s)
		m.waiting = append(m.waiting, s.who)
		return reply{ok: true}
	case opWithdraw:
		return reply{ok: m.waiting.drop(s.who)}
	case opSignal:
		woken := m.waiting.take()
		n := m.callers(woken)
		m.signals++
		m.woken += uint64(n)
		m.wake(woken, 0, nil)
		return reply{n: n}
	default:
		m.closed = true
		m.wake(m.waiting.take(), 0, core.ErrClosed)
		return reply{}
	}
}

func (m *signalModel) stats() core.SignalStats {
	return core.SignalStats{Waiting: m.callers(m.waiting), Signals: m.signals, Woken: m.woken, Closed: m.closed}
}

func (m *signalModel) moves(s step) bool {
	switch s.op {
	case opPark:
		return !m.closed && !m.waiting.has(s.who)
	case opWithdraw:
		return m.waiting.has(s.who)
	case opSignal:
		return len(m.waiting) > 0
	}
	return !m.closed
}

func newSignalModel() explore.Model[step, seen[core.SignalStats]] {
	m := &signalModel{}
	m.sketch.do = m.do
	return model[core.SignalStats]{&m.sketch, m.stats, m.moves, nil}
}

func newSignalMachine() explore.Machine[step, seen[core.SignalStats]] {
	s := &core.Signal{}
	m := &machine[core.SignalStats]{stats: s.Stats, broken: s.Broken}
	m.gather(func(step step) reply {
		w := &m.w[step.who]
		switch step.op {
		case opPark:
			return w.park(step, s.Park)
		case opWithdraw:
			return reply{ok: w.Withdraw()}
		case opSignal:
			return reply{n: s.Signal()}
		default:
			s.Close()
			return reply{}
		}
	})
	return m
}

func TestExploringSignalFindsWhatItsModelSays(t *testing.T) {
	common := slices.Concat(each(4, step{op: opPark}), each(4, step{op: opWithdraw}),
		[]step{{op: opSignal}, {op: opClose}})
	search(t, "four waiters", 8, common, newSignalMachine, newSignalModel)
	search(t, "steps from within Wake", 6, slices.Concat(common[1:],
		[]step{
			{op: opPark, then: &step{op: opPark}},
			{op: opPark, then: &step{op: opWithdraw, who: 1}},
			{op: opPark, then: &step{op: opSignal}},
			{op: opPark, then: &step{op: opClose}},
		}), newSignalMachine, newSignalModel)
	search(t, "waiters that stand for several", 6, slices.Concat(common, each(4, step{op: opPark, more: 1}),
		[]step{
			{op: opPark, more: 4, then: &step{op: opPark, more: 2}},
			{op: opPark, more: 4, then: &step{op: opWithdraw, who: 1}},
		}), newSignalMachine, newSignalModel)
}
