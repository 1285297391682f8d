package core_test

import (
	"slices"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/core/internal/explore"
)

const (
	opStarted        op = "started run %r"
	opStopped        op = "stopped run %r"
	opRelease        op = "release run %r"
	opReleaseAndPark op = "release run %r and %w waits for the stop"
)

// resourceModel says what the ResourceSteps are. eager: its runner stops at once, as it fails the first start and any
// that is cancelled.
type resourceModel struct {
	sketch
	eager            bool
	state            core.ResourceState
	waiting, cleanup line
	run              uint64
	held             int
	closed           bool
}

func (m *resourceModel) do(s step) reply {
	current := s.run == m.run
	switch s.op {
	case opPark:
		switch {
		case m.closed:
			return reply{err: core.ErrClosed}
		case m.parked(s.who):
			return reply{err: core.ErrParked}
		case m.state == core.ResourceLive:
			m.held++
			return reply{}
		}
		m.arrives(s)
		m.waiting = append(m.waiting, s.who)
		if m.state == core.ResourceIdle {
			m.next()
		}
		return reply{ok: true}
	case opWithdraw, opLeave:
		if s.op == opWithdraw && m.cleanup.drop(s.who) {
			return reply{ok: true}
		}
		if !m.waiting.drop(s.who) {
			return reply{}
		}
		if m.state != core.ResourceStarting || len(m.waiting) > 0 {
			return reply{ok: true}
		}
		if s.op == opLeave {
			m.cleanup = line{s.who}
		}
		n := len(m.cleanup)
		m.cancel(core.ErrNoConsumers)
		return reply{ok: true, n: n}
	case opRelease, opReleaseAndPark:
		if m.state != core.ResourceLive || !current {
			return reply{err: core.ErrNotOwner}
		}
		if m.held--; m.held > 0 {
			return reply{}
		}
		if s.op == opReleaseAndPark {
			m.arrives(s)
			m.cleanup = line{s.who}
		}
		n := len(m.cleanup)
		m.stop()
		return reply{ok: s.op == opReleaseAndPark, n: n}
	case opStarted:
		switch {
		case current && m.state == core.ResourceStarting && s.err == nil:
			m.state, m.held = core.ResourceLive, len(m.waiting)
			m.wake(m.waiting.take(), m.run, nil)
		case current && m.state == core.ResourceStarting:
			m.state = core.ResourceIdle
			m.wake(m.waiting.take(), m.run, s.err)
		case current && m.state == core.ResourceCancelling && s.err == nil:
			m.stop()
		case current && m.state == core.ResourceCancelling:
			m.ended(s.err)
		}
	case opStopped:
		if current && m.state == core.ResourceStopping {
			m.ended(s.err)
		}
	case opLose:
		if current && m.state != core.ResourceIdle {
			m.held = 0
			m.ended(nil)
		}
	default:
		if m.closed {
			return reply{}
		}
		m.closed = true
		woken, starting := m.waiting.take(), m.state == core.ResourceStarting
		if starting {
			m.state = core.ResourceCancelling
		} else if m.state == core.ResourceLive {
			m.calls.add("closing", 0, m.run, reply{})
		}
		m.wake(woken, 0, core.ErrClosed)
		if starting {
			m.cancel(core.ErrClosed)
		}
	}
	return reply{}
}

func (m *resourceModel) parked(who int) bool { return m.waiting.has(who) || m.cleanup.has(who) }

func (m *resourceModel) cancel(cause error) {
	m.state = core.ResourceCancelling
	m.calls.add("cancel", 0, m.run, reply{err: cause})
	if m.eager {
		m.calls.add(done, 0, m.run, reply{})
		m.ended(cause)
	}
}

func (m *resourceModel) stop() {
	m.state = core.ResourceStopping
	m.calls.add("stop", 0, m.run, reply{})
	if m.eager {
		m.calls.add(done, 0, m.run, reply{})
		m.ended(nil)
	}
}

// ended is the end of a run that nobody has use for.
func (m *resourceModel) ended(err error) {
	leavers, run := m.cleanup.take(), m.run
	m.next()
	m.wake(leavers, run, err)
}

func (m *resourceModel) next() {
	m.state = core.ResourceIdle
	if len(m.waiting) > 0 {
		m.state = core.ResourceStarting
		m.run++
		m.calls.add("start", m.waiting[0], m.run, reply{})
		if m.eager && m.run == 1 {
			m.calls.add(done, 0, m.run, reply{})
			m.do(step{op: opStarted, run: 1, err: errOops})
		}
	}
}

func (m *resourceModel) stats() core.ResourceStats {
	return core.ResourceStats{
		State: m.state, Waiting: len(m.waiting), Held: m.held, Runs: m.run, Closed: m.closed,
	}
}

func (m *resourceModel) moves(s step) bool {
	current := s.run == m.run
	switch s.op {
	case opPark:
		return !m.closed && !m.parked(s.who)
	case opWithdraw:
		return m.parked(s.who)
	case opLeave:
		return m.waiting.has(s.who)
	case opRelease, opReleaseAndPark:
		return current && m.state == core.ResourceLive
	case opStarted:
		return current && (m.state == core.ResourceStarting || m.state == core.ResourceCancelling)
	case opStopped:
		return current && m.state == core.ResourceStopping
	case opLose:
		return current && m.state != core.ResourceIdle
	}
	return !m.closed
}

// barred: the blocking face leaves once, and a goroutine that releases is not parked.
func (m *resourceModel) barred(s step) bool {
	return s.op == opLeave && m.cleanup.has(s.who) || s.op == opReleaseAndPark && m.parked(s.who)
}

func newResourceModel(eager bool) func() explore.Model[step, seen[core.ResourceStats]] {
	return func() explore.Model[step, seen[core.ResourceStats]] {
		m := &resourceModel{eager: eager}
		m.sketch.do = m.do
		return model[core.ResourceStats]{&m.sketch, m.stats, m.moves, m.barred}
	}
}

// eagerResources is a runner that does all it can from within the call.
type eagerResources struct {
	*crowd
	steps *core.ResourceSteps
}

func (e eagerResources) Start(run uint64, by core.Waker) {
	e.crowd.Start(run, by)
	if run == 1 {
		e.steps.Started(run, errOops)
		e.calls.add(done, 0, run, reply{})
	}
}

func (e eagerResources) Cancel(run uint64, cause error) {
	e.crowd.Cancel(run, cause)
	e.steps.Started(run, cause)
	e.calls.add(done, 0, run, reply{})
}

func (e eagerResources) Stop(run uint64) {
	e.crowd.Stop(run)
	e.steps.Stopped(run, nil)
	e.calls.add(done, 0, run, reply{})
}

func newResourceMachine(eager bool) func() explore.Machine[step, seen[core.ResourceStats]] {
	return func() explore.Machine[step, seen[core.ResourceStats]] {
		r := &core.ResourceSteps{}
		m := &machine[core.ResourceStats]{stats: r.Stats, broken: r.Broken}
		r.Runner = m
		if eager {
			r.Runner = eagerResources{&m.crowd, r}
		}
		m.gather(func(step step) reply {
			w := &m.w[step.who]
			switch step.op {
			case opPark:
				return w.park(step, r.Park)
			case opWithdraw:
				return reply{ok: w.Withdraw()}
			case opLeave:
				left, cleanup := r.Leave(&w.Waiter)
				return leaving(left, cleanup)
			case opRelease:
				return reply{err: r.Release(step.run)}
			case opReleaseAndPark:
				r := w.park(step, func(w *core.Waiter) (bool, error) { return r.ReleaseAndPark(step.run, w) })
				return reply{r.ok, leaving(r.ok, r.ok).n, r.err}
			case opStarted:
				r.Started(step.run, step.err)
			case opStopped:
				r.Stopped(step.run, step.err)
			case opLose:
				r.Lose(step.run)
			default:
				r.Close()
			}
			return reply{}
		})
		return m
	}
}

func TestExploringSharedResourceFindsWhatItsModelSays(t *testing.T) {
	common := slices.Concat(
		each(3, step{op: opPark}), each(3, step{op: opWithdraw}), []step{
			{op: opLeave}, {op: opReleaseAndPark, run: 1}, {op: opReleaseAndPark, run: 2},
			{op: opRelease, run: 1}, {op: opStarted, run: 1}, {op: opStarted, run: 1, err: errOops},
			{op: opStopped, run: 1}, {op: opStopped, run: 1, err: errOops}, {op: opLose, run: 1},
			{op: opRelease, run: 2}, {op: opStarted, run: 2}, {op: opStopped, run: 2}, {op: opLose, run: 2},
			{op: opClose},
		})
	search(t, "three waiters", 7, common, newResourceMachine(false), newResourceModel(false))
	again := step{op: opPark, then: &step{op: opPark}}
	search(t, "a runner that is done at once", 6, slices.Concat(common, []step{again}),
		newResourceMachine(true), newResourceModel(true))
	search(t, "steps from within Wake", 5, slices.Concat(common,
		[]step{
			again,
			{op: opPark, then: &step{op: opRelease, run: 1}}, // before those who were granted with it have heard of it
			{op: opPark, then: &step{op: opWithdraw, who: 1}},
			{op: opPark, then: &step{op: opClose}},
			{op: opReleaseAndPark, run: 1, then: &step{op: opPark}},
		}), newResourceMachine(false), newResourceModel(false))
}
