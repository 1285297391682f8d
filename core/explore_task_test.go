package core_test

import (
	"slices"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/core/internal/explore"
)

const (
	opLeave  op = "leave %w"
	opFinish op = "finish run %r"
	opLose   op = "lose run %r"
)

// taskModel says what the TaskSteps are. eager: its runner has every run end as soon as it is cancelled. retry: a run that
// failed is forgotten.
type taskModel struct {
	sketch
	eager, retry     bool
	state            core.TaskState
	waiting, cleanup line
	run              uint64
	err              error
	closed           bool
}

func (m *taskModel) do(s step) reply {
	switch s.op {
	case opPark:
		switch {
		case m.closed:
			return reply{err: core.ErrClosed}
		case m.waiting.has(s.who) || m.cleanup.has(s.who):
			return reply{err: core.ErrParked}
		case m.state == core.TaskDone:
			return reply{err: m.err}
		}
		m.arrives(s)
		m.waiting = append(m.waiting, s.who)
		if m.state == core.TaskIdle {
			m.start()
		}
		return reply{ok: true}
	case opWithdraw, opLeave:
		if s.op == opWithdraw && m.cleanup.drop(s.who) {
			return reply{ok: true}
		}
		if !m.waiting.drop(s.who) {
			return reply{}
		}
		if m.state != core.TaskRunning || len(m.waiting) > 0 {
			return reply{ok: true}
		}
		if s.op == opLeave {
			m.cleanup = line{s.who}
		}
		n := len(m.cleanup)
		m.cancel(core.ErrNoConsumers)
		return reply{ok: true, n: n}
	case opFinish, opLose:
		switch {
		case s.run != m.run || m.state != core.TaskRunning && m.state != core.TaskStopping:
		case m.state == core.TaskStopping:
			m.stopped(s.err)
		case s.op == opLose:
			m.start()
		default:
			m.state, m.err = core.TaskDone, s.err
			if s.err != nil && m.retry {
				m.state, m.err = core.TaskIdle, nil
			}
			m.wake(m.waiting.take(), m.run, s.err)
		}
		return reply{}
	default:
		m.closed = true
		woken, running := m.waiting.take(), m.state == core.TaskRunning
		if running {
			m.state = core.TaskStopping
		} else if m.state == core.TaskDone {
			m.state = core.TaskIdle
		}
		m.wake(woken, 0, core.ErrClosed)
		if running {
			m.cancel(core.ErrClosed)
		}
		return reply{}
	}
}

func (m *taskModel) start() {
	m.state = core.TaskRunning
	m.run++
	m.calls.add("start", m.waiting[0], m.run, reply{})
}

func (m *taskModel) cancel(cause error) {
	m.state = core.TaskStopping
	m.calls.add("cancel", 0, m.run, reply{err: cause})
	if m.eager {
		m.calls.add(done, 0, m.run, reply{})
		m.stopped(cause)
	}
}

// stopped is the end of a cancelled run.
func (m *taskModel) stopped(err error) {
	m.state = core.TaskIdle
	leavers, run := m.cleanup.take(), m.run
	if len(m.waiting) > 0 {
		m.start()
	}
	m.wake(leavers, run, err)
}

func (m *taskModel) stats() core.TaskStats {
	return core.TaskStats{State: m.state, Waiting: len(m.waiting), Runs: m.run, Closed: m.closed}
}

func (m *taskModel) moves(s step) bool {
	switch s.op {
	case opPark:
		return !m.closed && !m.waiting.has(s.who) && !m.cleanup.has(s.who) && m.state != core.TaskDone
	case opWithdraw:
		return m.waiting.has(s.who) || m.cleanup.has(s.who)
	case opLeave:
		return m.waiting.has(s.who)
	case opFinish, opLose:
		return s.run == m.run && (m.state == core.TaskRunning || m.state == core.TaskStopping)
	}
	return !m.closed
}

// barred: the blocking face leaves once.
func (m *taskModel) barred(s step) bool { return s.op == opLeave && m.cleanup.has(s.who) }

func newTaskModel(eager, retry bool) func() explore.Model[step, seen[core.TaskStats]] {
	return func() explore.Model[step, seen[core.TaskStats]] {
		m := &taskModel{eager: eager, retry: retry}
		m.sketch.do = m.do
		return model[core.TaskStats]{&m.sketch, m.stats, m.moves, m.barred}
	}
}

// eagerTasks is a runner whose runs end as soon as they are cancelled.
type eagerTasks struct {
	*crowd
	steps *core.TaskSteps
}

func (e eagerTasks) Cancel(run uint64, cause error) {
	e.crowd.Cancel(run, cause)
	e.steps.Finish(run, cause)
	e.calls.add(done, 0, run, reply{})
}

func newTaskMachine(eager, retry bool) func() explore.Machine[step, seen[core.TaskStats]] {
	return func() explore.Machine[step, seen[core.TaskStats]] {
		t := &core.TaskSteps{Retry: retry}
		m := &machine[core.TaskStats]{stats: t.Stats, broken: t.Broken}
		t.Runner = m
		if eager {
			t.Runner = eagerTasks{&m.crowd, t}
		}
		m.gather(func(step step) reply {
			w := &m.w[step.who]
			switch step.op {
			case opPark:
				return w.park(step, t.Park)
			case opWithdraw:
				return reply{ok: w.Withdraw()}
			case opLeave:
				left, cleanup := t.Leave(&w.Waiter)
				return leaving(left, cleanup)
			case opFinish:
				t.Finish(step.run, step.err)
			case opLose:
				t.Lose(step.run)
			default:
				t.Close()
			}
			return reply{}
		})
		return m
	}
}

// leaving is the reply of a step whose caller may wait for a clean-up.
func leaving(left, cleanup bool) reply {
	if cleanup {
		return reply{ok: left, n: 1}
	}
	return reply{ok: left}
}

// taskSteps are those of three waiters in two runs.
var taskSteps = slices.Concat(
	each(3, step{op: opPark}), each(3, step{op: opWithdraw}), each(3, step{op: opLeave}), []step{
		{op: opFinish, run: 1}, {op: opFinish, run: 1, err: errOops}, {op: opLose, run: 1},
		{op: opFinish, run: 2}, {op: opFinish, run: 2, err: errOops}, {op: opLose, run: 2},
		{op: opClose},
	})

func TestExploringSharedTaskFindsWhatItsModelSays(t *testing.T) {
	search(t, "three waiters", 7, taskSteps, newTaskMachine(false, false), newTaskModel(false, false))
	search(t, "a run that ends when it is cancelled", 7, taskSteps, newTaskMachine(true, false), newTaskModel(true, false))
	search(t, "steps from within Wake", 5, slices.Concat(taskSteps,
		[]step{
			{op: opPark, then: &step{op: opPark}},
			{op: opPark, then: &step{op: opWithdraw, who: 1}}, // the only one for whom a fresh run was to be started
			{op: opPark, then: &step{op: opClose}},
		}), newTaskMachine(false, false), newTaskModel(false, false))
}
