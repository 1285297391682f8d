package core_test

import (
	"slices"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/core/internal/explore"
)

const (
	opArm        op = "arm %w"
	opResume     op = "resume"
	opResumeOnly op = "resume generation %r"
	opDisarm     op = "disarm"
)

// checkpointModel says what a Checkpoint is.
type checkpointModel struct {
	sketch
	state               core.CheckpointState
	arming, waiting     line
	generation, resumed uint64
	closed              bool
}

func (m *checkpointModel) do(s step) reply {
	parked := m.arming.has(s.who) || m.waiting.has(s.who)
	switch s.op {
	case opArm, opPark:
		switch {
		case m.closed:
			return reply{err: core.ErrClosed}
		case parked:
			return reply{err: core.ErrParked}
		case s.op == opPark && m.state == core.Disarmed:
			return reply{}
		case s.op == opArm && m.state != core.Disarmed:
			return reply{err: core.ErrAlreadyArmed}
		}
		m.arrives(s)
		if s.op == opArm {
			m.state, m.arming = core.Armed, line{s.who}
			m.generation++
		} else {
			m.state, m.waiting = core.Holding, append(m.waiting, s.who)
			m.wake(m.arming.take(), m.generation, nil)
		}
		return reply{ok: true}
	case opWithdraw:
		if m.arming.drop(s.who) {
			m.state = core.Disarmed
			return reply{ok: true}
		}
		return reply{ok: m.waiting.drop(s.who)}
	case opResume, opResumeOnly:
		if m.state != core.Holding || s.op == opResumeOnly && s.run != m.generation {
			return reply{}
		}
		m.state = core.Disarmed
		woken := m.waiting.take()
		m.resumed += uint64(len(woken))
		m.wake(woken, 0, nil)
		return reply{n: len(woken)}
	case opDisarm:
		if m.state != core.Armed {
			return reply{}
		}
		m.state = core.Disarmed
		m.wake(m.arming.take(), 0, core.ErrDisarmed)
		return reply{ok: true}
	default:
		m.closed, m.state = true, core.Disarmed
		m.wake(append(m.arming.take(), m.waiting.take()...), 0, core.ErrClosed)
		return reply{}
	}
}

func (m *checkpointModel) stats() core.CheckpointStats {
	return core.CheckpointStats{
		State: m.state, Waiting: len(m.waiting), Generation: m.generation, Resumed: m.resumed, Closed: m.closed,
	}
}

func (m *checkpointModel) moves(s step) bool {
	parked := m.arming.has(s.who) || m.waiting.has(s.who)
	switch s.op {
	case opArm:
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
}
