package core_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/core/internal/explore"
)

const (
	opParkFirst       op = "park %w before others"
	opParkShared      op = "park %w to share"
	opParkSharedFirst op = "park %w before others to share"
	opTake            op = "take"
	opTakeShared      op = "take to share"
	opSteal           op = "steal"
	opUnlock          op = "unlock"
	opUnlockFormer    op = "unlock by the former tenure"
	opAbandon         op = "abandon"
	opReenter         op = "reenter"
	opReenterFormer   op = "reenter by the former tenure"
	opAwait           op = "%w waits on condition %r"
	opAwaitFormer     op = "%w waits on condition %r by the former tenure"
	opNotify          op = "notify one on condition %r"
	opNotifyAll       op = "notify all on condition %r"
	opCancel          op = "cancel %w on condition %r"
)

// ranked is a model's queue in which some go before others.
type ranked struct {
	line
	first [4]bool
}

// place is where one would stand that goes before others, or does not.
func (r *ranked) place(first bool) int {
	for i, who := range r.line {
		if first && !r.first[who] {
			return i
		}
	}
	return len(r.line)
}

func (r *ranked) join(who int, first bool) {
	r.first[who] = first
	r.line = slices.Insert(r.line, r.place(first), who)
}

// next takes out who stands first.
func (r *ranked) next() int {
	who := r.line[0]
	r.line = r.line[1:]
	return who
}

// tenancyModel says what a Lock, RWLock or ReentrantLock is, and the two Conditions of a Lock.
type tenancyModel struct {
	sketch
	inside     int
	shared     bool
	tenure     uint64
	abandoned  bool    // those inside came after one that went away
	orphaned   bool    // the next do
	waiting    ranked  // to enter
	conditions [2]line // those who wait to be notified
	order      line    // of the conditions, by who came first to each
	closed     bool

	// What is known of the waiters.
	shares [4]bool
	err    [4]error // what it will enter with
	at     [4]int   // the condition, or -1
}

func (m *tenancyModel) parked(who int) bool {
	return m.waiting.has(who) || m.conditions[0].has(who) || m.conditions[1].has(who)
}

func (m *tenancyModel) admits(shares bool) bool { return m.inside == 0 || m.shared && shares }

func (m *tenancyModel) enter(shares bool) {
	if m.inside == 0 {
		m.tenure, m.shared = m.tenure+1, shares
		m.abandoned, m.orphaned = m.orphaned, false
	}
	m.inside++
}

// admit lets in who can enter now, and returns what wakes them.
func (m *tenancyModel) admit() (wake func()) {
	var in line
	for len(m.waiting.line) > 0 && m.admits(m.shares[m.waiting.line[0]]) {
		who := m.waiting.next()
		m.enter(m.shares[who])
		in = append(in, who)
	}
	tenure := m.tenure
	return func() {
		for _, who := range in {
			m.wake(line{who}, tenure, m.err[who])
		}
	}
}

// notify has who leave its condition with the given error.
func (m *tenancyModel) notify(who int, err error) (wake func()) {
	m.conditions[m.at[who]].drop(who)
	m.waiting.join(who, false)
	m.err[who] = err
	return m.admit()
}

func (m *tenancyModel) do(s step) reply {
	first := s.op == opParkFirst || s.op == opParkSharedFirst
	shares := s.op == opParkShared || s.op == opParkSharedFirst || s.op == opTakeShared
	former := s.op == opUnlockFormer || s.op == opReenterFormer || s.op == opAwaitFormer
	switch s.op {
	case opPark, opParkFirst, opParkShared, opParkSharedFirst:
		switch {
		case m.closed:
			return reply{err: core.ErrClosed}
		case m.parked(s.who):
			return reply{err: core.ErrParked}
		case m.admits(shares) && m.waiting.place(first) == 0:
			m.enter(shares)
			return reply{n: int(m.tenure)}
		}
		m.arrives(s)
		m.shares[s.who], m.err[s.who], m.at[s.who] = shares, nil, -1
		m.waiting.join(s.who, first)
		return reply{ok: true}
	case opTake, opTakeShared:
		switch {
		case m.closed:
			return reply{err: core.ErrClosed}
		case len(m.waiting.line) > 0 || !m.admits(shares):
			return reply{err: core.ErrWouldBlock}
		}
		m.enter(shares)
		return reply{n: int(m.tenure)}
	case opSteal:
		if m.closed {
			return reply{err: core.ErrClosed}
		}
		m.orphaned = m.orphaned || m.inside > 0 && m.abandoned
		m.inside = 0
		m.enter(false)
		return reply{n: int(m.tenure)}
	case opReenter, opReenterFormer:
		if m.inside == 0 || former {
			return reply{err: core.ErrNotOwner}
		}
		m.inside++
		return reply{}
	case opUnlock, opUnlockFormer, opAbandon:
		if m.inside == 0 || former {
			return reply{err: core.ErrNotOwner}
		}
		m.inside--
		m.orphaned = m.orphaned || s.op == opAbandon && (m.abandoned || !m.shared)
		m.admit()()
		return reply{}
	case opAwait, opAwaitFormer:
		switch {
		case m.closed:
			return reply{err: core.ErrClosed}
		case m.parked(s.who):
			return reply{err: core.ErrParked}
		case m.inside == 0 || former:
			return reply{err: core.ErrNotOwner}
		}
		m.arrives(s)
		c := int(s.run)
		m.shares[s.who], m.at[s.who] = false, c
		if len(m.conditions[c]) == 0 {
			m.order.drop(c)
			m.order = append(m.order, c)
		}
		m.conditions[c] = append(m.conditions[c], s.who)
		m.inside--
		m.admit()()
		return reply{ok: true}
	case opNotify, opNotifyAll:
		c := &m.conditions[s.run]
		var wakes []func()
		for len(*c) > 0 && (s.op == opNotifyAll || len(wakes) == 0) {
			wakes = append(wakes, m.notify((*c)[0], nil))
		}
		for _, wake := range wakes {
			wake()
		}
		return reply{n: len(wakes)}
	case opCancel:
		if !m.conditions[s.run].has(s.who) {
			return reply{}
		}
		m.notify(s.who, errOops)()
		return reply{ok: true}
	case opWithdraw:
		if m.conditions[0].drop(s.who) || m.conditions[1].drop(s.who) {
			return reply{ok: true}
		}
		was := m.waiting.drop(s.who)
		wake := m.admit()
		if at := m.at[s.who]; was && at >= 0 && m.err[s.who] == nil && len(m.conditions[at]) > 0 {
			wake = m.notify(m.conditions[at][0], nil) // what it was notified of is for another
		}
		wake()
		return reply{ok: was}
	default:
		m.closed = true
		woken, errs := m.waiting.take(), m.err
		for _, c := range m.order.take() {
			for _, who := range m.conditions[c].take() {
				woken, errs[who] = append(woken, who), nil
			}
		}
		for _, who := range woken {
			m.wake(line{who}, 0, cmp.Or(errs[who], core.ErrClosed))
		}
		return reply{}
	}
}

// tenancyStats are those of a lock and its conditions.
type tenancyStats struct {
	core.LockStats
	abandoned  bool
	held       bool // by the last tenure
	former     bool // by the one before
	conditions [2]core.ConditionStats
}

func (m *tenancyModel) stats() tenancyStats {
	s := tenancyStats{LockStats: core.LockStats{
		Holders: m.inside, Shared: m.inside > 0 && m.shared, Waiting: len(m.waiting.line), Tenures: m.tenure, Orphaned: m.orphaned,
		Closed: m.closed,
	}, abandoned: m.inside > 0 && m.abandoned, held: m.inside > 0}
	for c := range s.conditions {
		s.conditions[c] = core.ConditionStats{Waiting: len(m.conditions[c]), Closed: m.closed}
	}
	return s
}

func (m *tenancyModel) moves(s step) bool {
	switch s.op {
	case opPark, opParkFirst, opParkShared, opParkSharedFirst:
		return !m.closed && !m.parked(s.who)
	case opTake, opTakeShared:
		return !m.closed && len(m.waiting.line) == 0 && m.admits(s.op == opTakeShared)
	case opReenter, opUnlock, opAbandon:
		return m.inside > 0
	case opAwait:
		return !m.closed && !m.parked(s.who) && m.inside > 0
	case opNotify, opNotifyAll:
		return len(m.conditions[s.run]) > 0
	case opCancel:
		return m.conditions[s.run].has(s.who)
	case opWithdraw:
		return m.parked(s.who)
	case opUnlockFormer, opReenterFormer, opAwaitFormer:
		return false
	}
	return !m.closed
}

// bars says that a waiter is cancelled only where it has been parked.
func (m *tenancyModel) bars(s step) bool { return s.op == opCancel && m.at[s.who] != int(s.run) }

func newTenancyModel() explore.Model[step, seen[tenancyStats]] {
	m := &tenancyModel{at: [4]int{-1, -1, -1, -1}}
	m.sketch.do = m.do
	return model[tenancyStats]{&m.sketch, m.stats, m.moves, m.bars}
}

// lock is what all that are made of a tenancy have in common.
type lock interface {
	Park(*core.Waiter) (bool, error)
	Take() (uint64, error)
	Release(uint64) error
	Abandon(uint64) error
	Abandoned(uint64) bool
	Holds(uint64) bool
	Close()
	Stats() core.LockStats
	Broken() string
}

// newTenancyMachine makes a machine of a lock and of what only this kind can do.
func newTenancyMachine(l lock, conditions []*core.Condition, more func(*machine[tenancyStats], step) reply) *machine[tenancyStats] {
	m := &machine[tenancyStats]{}
	m.stats = func() tenancyStats {
		s := tenancyStats{LockStats: l.Stats(), abandoned: l.Abandoned(l.Stats().Tenures)}
		s.held, s.former = l.Holds(s.Tenures), l.Holds(s.Tenures-1)
		for i := range s.conditions {
			s.conditions[i].Closed = s.Closed
		}
		for i, c := range conditions {
			s.conditions[i] = c.Stats()
		}
		return s
	}
	m.broken = func() string {
		for _, c := range conditions {
			if broken := c.Broken(); broken != "" {
				return broken
			}
		}
		return l.Broken()
	}
	m.gather(func(s step) reply {
		switch s.op {
		case opPark:
			return m.w[s.who].enter(s, 0, l.Park)
		case opParkFirst:
			return m.w[s.who].enter(s, 1, l.Park)
		case opTake:
			return granted(l.Take())
		case opUnlock:
			return reply{err: l.Release(l.Stats().Tenures)}
		case opUnlockFormer:
			return reply{err: l.Release(l.Stats().Tenures - 1)}
		case opAbandon:
			return reply{err: l.Abandon(l.Stats().Tenures)}
		case opWithdraw:
			return reply{ok: m.w[s.who].Withdraw()}
		case opClose:
			l.Close()
			return reply{}
		}
		return more(m, s)
	})
	return m
}

// enter parks p with a priority. If it is granted something at once, the reply has the value.
func (p *person) enter(s step, priority int32, call func(*core.Waiter) (bool, error)) reply {
	if !p.IsParked() {
		p.Priority = priority
	}
	r := p.park(s, call)
	if !r.ok && r.err == nil {
		r.n = int(p.Value())
	}
	return r
}

func granted(tenure uint64, err error) reply { return reply{n: int(tenure), err: err} }

func newRWLockMachine() explore.Machine[step, seen[tenancyStats]] {
	l := &core.RWLock{}
	return newTenancyMachine(l, nil, func(m *machine[tenancyStats], s step) reply {
		switch s.op {
		case opParkShared:
			return m.w[s.who].enter(s, 0, l.ParkShared)
		case opParkSharedFirst:
			return m.w[s.who].enter(s, 1, l.ParkShared)
		case opTakeShared:
			return granted(l.TakeShared())
		default:
			return granted(l.Seize())
		}
	})
}

func newReentrantLockMachine() explore.Machine[step, seen[tenancyStats]] {
	l := &core.ReentrantLock{}
	return newTenancyMachine(l, nil, func(_ *machine[tenancyStats], s step) reply {
		tenure := l.Stats().Tenures
		if s.op == opReenterFormer {
			tenure--
		}
		return reply{err: l.Reenter(tenure)}
	})
}

func newLockMachine() explore.Machine[step, seen[tenancyStats]] {
	l := &core.Lock{}
	conditions := []*core.Condition{core.NewCondition(l), core.NewCondition(l)}
	return newTenancyMachine(l, conditions, func(m *machine[tenancyStats], s step) reply {
		c, tenure := conditions[s.run], l.Stats().Tenures
		switch s.op {
		case opAwait, opAwaitFormer:
			if s.op == opAwaitFormer {
				tenure--
			}
			return m.w[s.who].enter(s, 0, func(w *core.Waiter) (bool, error) { return c.Park(w, tenure) })
		case opNotify:
			return reply{n: c.Notify(1)}
		case opNotifyAll:
			return reply{n: c.NotifyAll()}
		case opCancel:
			return reply{ok: c.Cancel(&m.w[s.who].Waiter, errOops)}
		default:
			return granted(l.Seize())
		}
	})
}

func TestExploringRWLockFindsWhatItsModelSays(t *testing.T) {
	common := slices.Concat(
		each(3, step{op: opPark}), each(3, step{op: opParkShared}), each(3, step{op: opWithdraw}),
		[]step{{op: opTake}, {op: opTakeShared}, {op: opSteal}, {op: opUnlock}, {op: opUnlockFormer}, {op: opAbandon}, {op: opClose}})
	search(t, "three waiters", 6, common, newRWLockMachine, newTenancyModel)
	search(t, "priorities", 6, slices.Concat(
		each(3, step{op: opPark}), each(3, step{op: opParkFirst}), each(3, step{op: opParkShared}),
		each(3, step{op: opParkSharedFirst}), each(3, step{op: opWithdraw}), []step{{op: opTakeShared}, {op: opUnlock}}),
		newRWLockMachine, newTenancyModel)
	search(t, "steps from within Wake", 5, slices.Concat(
		each(2, step{op: opPark}), each(3, step{op: opParkShared}), []step{
			{op: opWithdraw}, {op: opTake}, {op: opTakeShared}, {op: opUnlock}, {op: opUnlockFormer},
			{op: opPark, then: &step{op: opPark}},
			{op: opPark, then: &step{op: opUnlock}},
			{op: opParkShared, then: &step{op: opUnlock}}, // before those who share it have heard of it
			{op: opParkShared, then: &step{op: opSteal}},
			{op: opParkShared, then: &step{op: opWithdraw, who: 1}},
			{op: opPark, then: &step{op: opClose}},
		}), newRWLockMachine, newTenancyModel)
}

func TestExploringReentrantLockFindsWhatItsModelSays(t *testing.T) {
	common := slices.Concat(
		each(3, step{op: opPark}), each(3, step{op: opWithdraw}), []step{
			{op: opParkFirst, who: 2}, {op: opTake}, {op: opReenter}, {op: opReenterFormer},
			{op: opUnlock}, {op: opUnlockFormer}, {op: opAbandon}, {op: opClose},
		})
	search(t, "three waiters", 7, common, newReentrantLockMachine, newTenancyModel)
	search(t, "steps from within Wake", 5, slices.Concat(common,
		[]step{
			{op: opPark, then: &step{op: opReenter}},
			{op: opPark, then: &step{op: opUnlock}},
			{op: opPark, then: &step{op: opPark}},
			{op: opPark, then: &step{op: opTake}},
		}), newReentrantLockMachine, newTenancyModel)
}
