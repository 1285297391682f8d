package core_test

import (
	"slices"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/core/internal/explore"
)

const (
	opArm        op = "arm %w"
	opWatch      op = "watch %w"
	opResume     op = "resume"
	opResumeOnly op = "resume generation %r"
	opDisarm     op = "disarm"
)

// checkpointModel says what a Checkpoint is.
type checkpointModel struct {
	sketch
	state                     core.CheckpointState
	arming, waiting, watching line
	generation, resumed       uint64
	closed                    bool
}

func (m *checkpointModel) has(who int) bool {
	return m.arming.has(who) || m.waiting.has(who) || m.watching.has(who)
}

func (m *checkpointModel) do(s step) reply {
	parked := m.has(s.who)
	switch s.op {
	case opArm, opPark, opWatch:
		switch {
		case m.closed:
			return reply{err: core.ErrClosed}
		case parked:
			return reply{err: core.ErrParked}
		case s.op == opPark && m.state == core.Disarmed:
			return reply{}
		case s.op == opArm && m.state != core.Disarmed:
			return reply{err: core.ErrAlreadyArmed}
		case s.op == opWatch && m.state != core.Disarmed:
			return reply{}
		}
		m.arrives(s)
		switch s.op {
		case opArm:
			m.state, m.arming = core.Armed, line{s.who}
			m.generation++
			m.wake(m.watching.take(), 0, nil)
		case opWatch:
			m.watching = append(m.watching, s.who)
		default:
			m.state, m.waiting = core.Holding, append(m.waiting, s.who)
			m.wake(m.arming.take(), m.generation, nil)
		}
		return reply{ok: true}
	case opWithdraw:
		if m.arming.drop(s.who) {
			m.state = core.Disarmed
			return reply{ok: true}
		}
		return reply{ok: m.waiting.drop(s.who) || m.watching.drop(s.who)}
	case opResume, opResumeOnly:
		if m.state != core.Holding || s.op == opResumeOnly && s.run != m.generation {
			return reply{}
		}
		m.state = core.Disarmed
		woken := m.waiting.take()
		n := m.callers(woken)
		m.resumed += uint64(n)
		m.wake(woken, 0, nil)
		return reply{n: n}
	case opDisarm:
		if m.state != core.Armed {
			return reply{}
		}
		m.state = core.Disarmed
		m.wake(m.arming.take(), 0, core.ErrDisarmed)
		return reply{ok: true}
	default:
		m.closed, m.state = true, core.Disarmed
		m.wake(slices.Concat(m.arming.take(), m.waiting.take(), m.watching.take()), 0, core.ErrClosed)
		return reply{}
	}
}

func (m *checkpointModel) stats() core.CheckpointStats {
	return core.CheckpointStats{
		State: m.state, Waiting: m.callers(m.waiting), Generation: m.generation, Resumed: m.resumed, Closed: m.closed,
	}
}

func (m *checkpointModel) moves(s step) bool {
	parked := m.has(s.who)
	switch s.op {
	case opArm, opWatch:
		return !m.closed && !parked && m.state == core.Disarmed
	case opPark:
		return !m.closed && !parked && m.state != core.Disarmed
	case opWithdraw:
		return parked
	case opResume:
		return m.state == core.Holding
	case opResumeOnly:
		return m.state == core.Holding && s.run == m.generation
	case opDisarm:
		return m.state == core.Armed
	}
	return !m.closed
}

func newCheckpointModel() explore.Model[step, seen[core.CheckpointStats]] {
	m := &checkpointModel{}
	m.sketch.do = m.do
	return model[core.CheckpointStats]{&m.sketch, m.stats, m.moves, nil}
}

func newCheckpointMachine() explore.Machine[step, seen[core.CheckpointStats]] {
	c := &core.Checkpoint{}
	m := &machine[core.CheckpointStats]{stats: c.Stats, broken: c.Broken}
	m.gather(func(step step) reply {
		w := &m.w[step.who]
		switch step.op {
		case opArm:
			return w.park(step, c.ParkArm)
		case opPark:
			return w.park(step, c.Park)
		case opWatch:
			return w.park(step, c.ParkWatch)
		case opWithdraw:
			return reply{ok: w.Withdraw()}
		case opResume:
			return reply{n: c.Resume()}
		case opResumeOnly:
			return reply{n: c.ResumeGeneration(step.run)}
		case opDisarm:
			return reply{ok: c.Disarm()}
		default:
			c.Close()
			return reply{}
		}
	})
	return m
}

func TestExploringCheckpointFindsWhatItsModelSays(t *testing.T) {
	common := slices.Concat(
		each(3, step{op: opArm}), each(3, step{op: opPark}), each(3, step{op: opWithdraw}),
		[]step{{op: opResume}, {op: opDisarm}, {op: opClose}, {op: opResumeOnly, run: 1}, {op: opResumeOnly, run: 2}})
	search(t, "three waiters", 8, common, newCheckpointMachine, newCheckpointModel)
	search(t, "steps from within Wake", 5, slices.Concat(common,
		[]step{
			{op: opArm, then: &step{op: opArm}},
			{op: opArm, then: &step{op: opResume}}, // wakes who parks before Park has returned
			{op: opArm, then: &step{op: opPark}},
			{op: opArm, then: &step{op: opClose}},
			{op: opPark, then: &step{op: opPark}},
			{op: opPark, then: &step{op: opArm}},
			{op: opPark, then: &step{op: opWithdraw, who: 1}},
		}), newCheckpointMachine, newCheckpointModel)
	watching := slices.Concat(common, each(3, step{op: opWatch}))
	search(t, "some who watch", 6, watching, newCheckpointMachine, newCheckpointModel)
	search(t, "steps from within the Wake of who watches", 5, slices.Concat(watching,
		[]step{
			{op: opWatch, then: &step{op: opWatch}},
			{op: opWatch, then: &step{op: opPark}}, // and so wakes who arms before ParkArm has returned
			{op: opWatch, then: &step{op: opArm}},
			{op: opWatch, then: &step{op: opDisarm}},
			{op: opWatch, then: &step{op: opClose}},
			{op: opWatch, then: &step{op: opWithdraw, who: 1}},
			{op: opArm, then: &step{op: opWatch}},
			{op: opPark, then: &step{op: opWatch}},
		}), newCheckpointMachine, newCheckpointModel)
	search(t, "waiters that stand for several", 6, slices.Concat(common, each(3, step{op: opPark, more: 1}),
		[]step{
			{op: opPark, more: 4, then: &step{op: opPark, more: 2}},
			{op: opPark, more: 4, then: &step{op: opArm}},
		}), newCheckpointMachine, newCheckpointModel)
}
