package core_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/core/internal/explore"
)

const opCountDown op = "count down by %r"

// latchModel says what a CountdownLatch is.
type latchModel struct {
	sketch
	remaining int
	waiting   line
	closed    bool
}

func (m *latchModel) do(s step) reply {
	switch s.op {
	case opPark:
		switch {
		case m.closed:
			return reply{err: core.ErrClosed}
		case m.waiting.has(s.who):
			return reply{err: core.ErrParked}
		case m.remaining == 0:
			return reply{}
		}
		m.arrives(s)
		m.waiting = append(m.waiting, s.who)
		return reply{ok: true}
	case opWithdraw:
		return reply{ok: m.waiting.drop(s.who)}
	case opCountDown:
		n := int(s.run)
		switch {
		case n < 1:
			return reply{n: m.remaining, err: core.ErrInvalid}
		case m.closed:
			return reply{n: m.remaining, err: core.ErrClosed}
		case n > m.remaining:
			return reply{n: m.remaining, err: core.ErrOverRelease}
		}
		m.remaining -= n
		left := m.remaining
		if left == 0 {
			m.wake(m.waiting.take(), 0, nil)
		}
		return reply{n: left}
	default:
		m.closed = true
		m.wake(m.waiting.take(), 0, core.ErrClosed)
		return reply{}
	}
}

func (m *latchModel) stats() core.LatchStats {
	return core.LatchStats{Remaining: m.remaining, Waiting: m.callers(m.waiting), Closed: m.closed}
}

func (m *latchModel) moves(s step) bool {
	switch s.op {
	case opPark:
		return !m.closed && m.remaining > 0 && !m.waiting.has(s.who)
	case opWithdraw:
		return m.waiting.has(s.who)
	case opCountDown:
		return !m.closed && 0 < s.run && int(s.run) <= m.remaining
	}
	return !m.closed
}

func newLatchModel(count int) func() explore.Model[step, seen[core.LatchStats]] {
	return func() explore.Model[step, seen[core.LatchStats]] {
		m := &latchModel{remaining: count}
		m.sketch.do = m.do
		return model[core.LatchStats]{&m.sketch, m.stats, m.moves, nil}
	}
}

func newLatchMachine(count int) func() explore.Machine[step, seen[core.LatchStats]] {
	return func() explore.Machine[step, seen[core.LatchStats]] {
		l, err := core.NewCountdownLatch(count)
		if err != nil {
			panic(err)
		}
		m := &machine[core.LatchStats]{stats: l.Stats, broken: l.Broken}
		m.gather(func(step step) reply {
			w := &m.w[step.who]
			switch step.op {
			case opPark:
				return w.park(step, l.Park)
			case opWithdraw:
				return reply{ok: w.Withdraw()}
			case opCountDown:
				remaining, err := l.CountDown(int(step.run))
				if errors.Is(err, core.ErrInvalid) {
					err = core.ErrInvalid // without its text
				}
				return reply{n: remaining, err: err}
			default:
				l.Close()
				return reply{}
			}
		})
		return m
	}
}

func TestExploringCountdownLatchFindsWhatItsModelSays(t *testing.T) {
	common := slices.Concat(each(3, step{op: opPark}), each(3, step{op: opWithdraw}), []step{
		{op: opCountDown}, {op: opCountDown, run: 1}, {op: opCountDown, run: 2}, {op: opClose}})
	search(t, "of 0", 3, common, newLatchMachine(0), newLatchModel(0))
	search(t, "of 1", 8, common, newLatchMachine(1), newLatchModel(1))
	search(t, "of 3", 7, common, newLatchMachine(3), newLatchModel(3))
	search(t, "steps from within Wake", 6, slices.Concat(common, []step{
		{op: opPark, then: &step{op: opPark}},
		{op: opPark, then: &step{op: opWithdraw, who: 1}},
		{op: opPark, then: &step{op: opCountDown, run: 1}},
		{op: opPark, then: &step{op: opClose}},
	}), newLatchMachine(2), newLatchModel(2))
	search(t, "waiters that stand for several", 6, slices.Concat(common, each(3, step{op: opPark, more: 1})),
		newLatchMachine(2), newLatchModel(2))
}
