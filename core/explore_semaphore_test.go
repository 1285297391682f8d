package core_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/core/internal/explore"
)

const (
	opWant        op = "park %w for %r"
	opWantFirst   op = "park %w before others for %r"
	opTakePermits op = "take %r"
	opGiveBack    op = "give %r back"
	opResize      op = "resize to %r"
)

// semaphoreModel says what a Semaphore is.
type semaphoreModel struct {
	sketch
	size, held int
	waiting    ranked
	wants      [4]int
	closed     bool
}

// refuses returns why n permits cannot be asked for.
func (m *semaphoreModel) refuses(n int) error {
	switch {
	case n < 1:
		return core.ErrInvalid
	case m.closed:
		return core.ErrClosed
	case n > m.size:
		return core.ErrTooLarge
	}
	return nil
}

// hand gives those in line what they want, as far as it goes, and returns what wakes them.
func (m *semaphoreModel) hand() (wake func()) {
	var woken line
	wants := m.wants
	for len(m.waiting.line) > 0 && m.held+wants[m.waiting.line[0]] <= m.size {
		who := m.waiting.next()
		m.held += wants[who]
		woken = append(woken, who)
	}
	return func() {
		for _, who := range woken {
			m.wake(line{who}, uint64(wants[who]), nil)
		}
	}
}

func (m *semaphoreModel) do(s step) reply {
	n := int(s.run)
	switch s.op {
	case opWant, opWantFirst:
		first := s.op == opWantFirst
		err := m.refuses(n)
		switch {
		case err != nil:
			return reply{err: err}
		case m.waiting.has(s.who):
			return reply{err: core.ErrParked}
		case m.held+n <= m.size && m.waiting.place(first) == 0:
			m.held += n
			return reply{n: n}
		}
		m.arrives(s)
		m.wants[s.who] = n
		m.waiting.join(s.who, first)
		return reply{ok: true}
	case opTakePermits:
		err := m.refuses(n)
		switch {
		case err != nil:
			return reply{err: err}
		case m.held+n > m.size || len(m.waiting.line) > 0:
			return reply{err: core.ErrWouldBlock}
		}
		m.held += n
		return reply{}
	case opGiveBack:
		switch {
		case n < 1:
			return reply{err: core.ErrInvalid}
		case n > m.held:
			return reply{err: core.ErrOverRelease}
		}
		m.held -= n
		m.hand()()
		return reply{}
	case opResize:
		switch {
		case n < 1:
			return reply{err: core.ErrInvalid}
		case m.closed:
			return reply{err: core.ErrClosed}
		}
		m.size = n
		var never line
		for _, who := range slices.Clone(m.waiting.line) {
			if m.wants[who] > n {
				m.waiting.drop(who)
				never = append(never, who)
			}
		}
		wake := m.hand()
		m.wake(never, 0, core.ErrTooLarge)
		wake()
		return reply{}
	case opWithdraw:
		was := m.waiting.drop(s.who)
		m.hand()()
		return reply{ok: was}
	default:
		m.closed = true
		m.wake(m.waiting.take(), 0, core.ErrClosed)
		return reply{}
	}
}

func (m *semaphoreModel) stats() core.SemaphoreStats {
	return core.SemaphoreStats{
		Size: m.size, Held: m.held, Available: max(0, m.size-m.held), Waiting: len(m.waiting.line), Closed: m.closed,
	}
}

func (m *semaphoreModel) moves(s step) bool {
	n := int(s.run)
	switch s.op {
	case opWant, opWantFirst:
		return m.refuses(n) == nil && !m.waiting.has(s.who)
	case opTakePermits:
		return m.refuses(n) == nil && m.held+n <= m.size && len(m.waiting.line) == 0
	case opGiveBack:
		return n > 0 && n <= m.held
	case opResize:
		return n > 0 && !m.closed && n != m.size
	case opWithdraw:
		return m.waiting.has(s.who)
	}
	return !m.closed
}

func newSemaphoreModel(size int) func() explore.Model[step, seen[core.SemaphoreStats]] {
	return func() explore.Model[step, seen[core.SemaphoreStats]] {
		m := &semaphoreModel{size: size}
		m.sketch.do = m.do
		return model[core.SemaphoreStats]{&m.sketch, m.stats, m.moves, nil}
	}
}

func newSemaphoreMachine(size int) func() explore.Machine[step, seen[core.SemaphoreStats]] {
	return func() explore.Machine[step, seen[core.SemaphoreStats]] {
		s, _ := core.NewSemaphore(size)
		m := &machine[core.SemaphoreStats]{stats: s.Stats, broken: s.Broken}
		m.gather(func(step step) (r reply) {
			n := int(step.run)
			switch step.op {
			case opWant, opWantFirst:
				var priority int32
				if step.op == opWantFirst {
					priority = 1
				}
				r = m.w[step.who].enter(step, priority, func(w *core.Waiter) (bool, error) { return s.Park(w, n) })
			case opTakePermits:
				r.err = s.Take(n)
			case opGiveBack:
				r.err = s.Release(n)
			case opResize:
				r.err = s.Resize(n)
			case opWithdraw:
				r.ok = m.w[step.who].Withdraw()
			default:
				s.Close()
			}
			if errors.Is(r.err, core.ErrInvalid) {
				r.err = core.ErrInvalid // whatever it says
			}
			return r
		})
		return m
	}
}

func TestExploringSemaphoreFindsWhatItsModelSays(t *testing.T) {
	common := slices.Concat(
		each(3, step{op: opWant, run: 1}), each(3, step{op: opWant, run: 2}), each(3, step{op: opWithdraw}), []step{
			{op: opTakePermits, run: 1}, {op: opGiveBack, run: 1}, {op: opGiveBack, run: 2}, {op: opClose},
		})
	misuse := []step{
		{op: opWant}, {op: opTakePermits}, {op: opGiveBack}, {op: opResize}, {op: opTakePermits, run: 4}, {op: opGiveBack, run: 4},
	}
	search(t, "three waiters", 6, slices.Concat(common, misuse), newSemaphoreMachine(2), newSemaphoreModel(2))
	search(t, "resized", 5, slices.Concat(common, each(3, step{op: opWant, run: 3}),
		[]step{{op: opTakePermits, run: 2}, {op: opResize, run: 1}, {op: opResize, run: 2}, {op: opResize, run: 3}}),
		newSemaphoreMachine(3), newSemaphoreModel(3))
	search(t, "priorities", 6, slices.Concat(
		each(3, step{op: opWant, run: 1}), each(3, step{op: opWantFirst, run: 1}), each(3, step{op: opWantFirst, run: 2}),
		each(3, step{op: opWithdraw}), []step{{op: opTakePermits, run: 1}, {op: opGiveBack, run: 1}}), newSemaphoreMachine(2), newSemaphoreModel(2))
	search(t, "steps from within Wake", 5, slices.Concat(
		each(3, step{op: opWant, run: 1}), each(2, step{op: opWant, run: 2}), []step{
			{op: opTakePermits, run: 1}, {op: opGiveBack, run: 1}, {op: opGiveBack, run: 2}, {op: opWithdraw, who: 1},
			{op: opResize, run: 1}, {op: opResize, run: 2},
			{op: opWant, run: 1, then: &step{op: opWant, run: 1}},
			{op: opWant, run: 1, then: &step{op: opGiveBack, run: 1}}, // before those who were granted with it have heard of it
			{op: opWant, run: 2, then: &step{op: opGiveBack, run: 2}},
			{op: opWant, run: 1, then: &step{op: opWithdraw, who: 1}},
			{op: opWant, run: 2, then: &step{op: opResize, run: 3}},
			{op: opWant, run: 2, then: &step{op: opClose}},
		}), newSemaphoreMachine(2), newSemaphoreModel(2))
}
