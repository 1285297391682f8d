package core_test

import (
	"slices"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/core/internal/explore"
)

const (
	opAsk           op = "%w asks for one of owner %r"
	opAskFirst      op = "%w asks before others for one of owner %r"
	opTakeIdle      op = "take an idle one of owner %r"
	opCreated       op = "created in slot %r"
	opDestroyed     op = "destroyed in slot %r"
	opLoseSlot      op = "lose slot %r"
	opReturn        op = "release slot %r"
	opReturnFormer  op = "release slot %r by the lease before"
	opDiscard       op = "discard slot %r"
	opDiscardFormer op = "discard slot %r by the lease before"
	opReplace       op = "replace what is in slot %r for %w"
	opReplaceFormer op = "replace what is in slot %r for %w by the lease before"
	opEvict         op = "evict slot %r"
	opEvictFormer   op = "evict slot %r as it was idle before"
	opJoin          op = "%w waits for the end"
)

// poolSeen is what can be seen of PoolSteps at any time.
type poolSeen struct {
	core.PoolStats
	reused [2]bool // what is lent was idle before
}

type slotIs uint8

const (
	isFree slotIs = iota
	isCreating
	isLent
	isIdle
	isDestroying
)

type modelSlot struct {
	is     slotIs
	owner  uint64
	lease  uint64
	reused bool
	by     line // for whom it is, if anybody
}

// poolModel says what PoolSteps are. eager: its runner is done at once, but the first creation fails.
type poolModel struct {
	sketch
	eager, failed bool
	slots         []modelSlot
	told          int  // slots that were ever used
	idle          line // slots, in the order in which they became so
	waiting       line // for a slot
	bound         line // to a slot
	joining       line
	owner         [4]uint64 // for which each waiter asks
	ahead         [4]bool   // who goes before others
	leases        uint64
	closed        bool
	settled       []event
	owed          []func()
	owing         bool
}

// do is a step as any machine with a runner does it: the change, then the wakes, then what is owed to the runner.
func (m *poolModel) do(s step) reply {
	r := m.change(s)
	settled, mine := m.settled, len(m.owed) > 0 && !m.owing
	m.settled, m.owing = nil, m.owing || mine
	for _, e := range settled {
		m.wake(line{e.who}, e.value, e.reply.err)
	}
	for mine && len(m.owed) > 0 {
		next := m.owed[0]
		m.owed = m.owed[1:]
		next()
	}
	m.owing = m.owing && !mine
	return r
}

func (m *poolModel) change(s step) reply {
	slot := new(modelSlot)
	i := int(s.run)
	if i < len(m.slots) {
		slot = &m.slots[i]
	}
	switch s.op {
	case opAsk, opAskFirst:
		switch {
		case m.closed:
			return reply{err: core.ErrClosed}
		case m.parked(s.who):
			return reply{err: core.ErrParked}
		}
		ahead := s.op == opAskFirst
		place := len(m.waiting)
		for ahead && place > 0 && !m.ahead[m.waiting[place-1]] {
			place--
		}
		if place == 0 {
			if i := m.useful(s.run); i >= 0 {
				return reply{n: m.reuse(i)}
			}
		}
		m.arrives(s)
		m.owner[s.who], m.ahead[s.who] = s.run, ahead
		if i := m.room(); place == 0 && i >= 0 {
			m.promise(i, s.who)
		} else {
			m.waiting = slices.Insert(m.waiting, place, s.who)
		}
		return reply{ok: true}
	case opTakeIdle:
		switch i := m.useful(s.run); {
		case m.closed:
			return reply{err: core.ErrClosed}
		case len(m.waiting) > 0 || i < 0:
			return reply{err: core.ErrWouldBlock}
		default:
			return reply{n: m.reuse(i)}
		}
	case opWithdraw:
		for i := range m.slots {
			m.slots[i].by.drop(s.who)
		}
		return reply{ok: m.bound.drop(s.who) || m.waiting.drop(s.who) || m.joining.drop(s.who)}
	case opCreated:
		if slot.is != isCreating {
			return reply{}
		}
		switch by := slot.by.take(); {
		case len(by) == 0 && s.err == nil:
			m.offer(i)
		case len(by) == 0:
			m.vacate(i)
		case s.err == nil:
			m.bound.drop(by[0])
			m.settle(by[0], m.lend(i), nil)
		default:
			m.bound.drop(by[0])
			m.settle(by[0], 0, s.err)
			m.vacate(i)
		}
	case opDestroyed, opLoseSlot:
		if slot.is == isFree || s.op == opDestroyed && slot.is != isDestroying {
			return reply{}
		}
		if m.idle.drop(i); len(slot.by) > 0 {
			m.create(i)
		} else {
			m.vacate(i)
		}
	case opReturn, opDiscard, opReplace:
		switch {
		case slot.is != isLent:
			return reply{err: core.ErrNotOwner}
		case s.op == opReturn:
			slot.reused = true
			m.offer(i)
		case s.op == opDiscard:
			m.destroy(i)
		case m.parked(s.who):
			return reply{err: core.ErrParked}
		case m.closed:
			m.destroy(i)
			return reply{err: core.ErrClosed}
		default:
			m.arrives(s)
			m.owner[s.who] = slot.owner
			m.promise(i, s.who)
			return reply{ok: true}
		}
	case opReturnFormer, opDiscardFormer, opReplaceFormer:
		return reply{err: core.ErrNotOwner}
	case opEvict:
		if slot.is == isIdle {
			m.destroy(i)
			return reply{ok: true}
		}
	case opEvictFormer:
	case opJoin:
		switch {
		case m.parked(s.who):
			return reply{err: core.ErrParked}
		case m.ended():
			return reply{}
		}
		m.arrives(s)
		m.joining = append(m.joining, s.who)
		return reply{ok: true}
	default:
		m.closed = true
		for _, who := range append(m.waiting.take(), m.bound.take()...) {
			m.settle(who, 0, core.ErrClosed)
		}
		for i := range m.slots {
			if m.slots[i].by = nil; m.slots[i].is == isIdle {
				m.destroy(i)
			}
		}
		m.end()
	}
	return reply{}
}

func (m *poolModel) parked(who int) bool {
	return m.waiting.has(who) || m.bound.has(who) || m.joining.has(who)
}

func (m *poolModel) settle(who int, lease uint64, err error) {
	m.settled = append(m.settled, event{who: who, value: lease, reply: reply{err: err}})
}

// useful returns the slot that became idle last of those with the owner, or -1.
func (m *poolModel) useful(owner uint64) int {
	for _, i := range slices.Backward(m.idle) {
		if m.slots[i].owner == owner {
			return i
		}
	}
	return -1
}

// room returns the first free slot, or else the one that became idle first, or -1.
func (m *poolModel) room() int {
	for i := range m.slots {
		if m.slots[i].is == isFree {
			return i
		}
	}
	if len(m.idle) > 0 {
		return m.idle[0]
	}
	return -1
}

func (m *poolModel) reuse(i int) (lease int) {
	m.slots[i].reused = true
	return int(m.lend(i))
}

func (m *poolModel) lend(i int) uint64 {
	m.idle.drop(i)
	m.slots[i].is = isLent
	return m.number(i)
}

func (m *poolModel) number(i int) uint64 {
	m.leases++
	m.slots[i].lease = m.leases<<32 | uint64(i)
	return m.slots[i].lease
}

// offer is for a resource that is at hand.
func (m *poolModel) offer(i int) {
	s := &m.slots[i]
	switch {
	case m.closed:
		m.destroy(i)
	case m.early(s.owner) >= 0 && !(len(m.waiting) > 0 && m.ahead[m.waiting[0]] && !m.ahead[m.early(s.owner)]):
		who := m.early(s.owner)
		m.bound.drop(who)
		for i := range m.slots {
			m.slots[i].by.drop(who)
		}
		m.settle(who, m.lend(i), nil)
	case len(m.waiting) == 0:
		s.is, s.reused, m.idle = isIdle, true, append(m.idle, i)
		m.tell(event{what: "idle", who: i, value: m.number(i)}, nil)
	case m.owner[m.waiting[0]] == s.owner:
		m.settle(m.next(), m.lend(i), nil)
	default:
		m.promise(i, m.next())
	}
}

// early returns the first of those to whom a slot is promised and who ask for the owner, or -1.
func (m *poolModel) early(owner uint64) int {
	for _, who := range m.bound {
		if m.owner[who] == owner {
			return who
		}
	}
	return -1
}

// next takes the first out of the line.
func (m *poolModel) next() int {
	who := m.waiting[0]
	m.waiting = m.waiting[1:]
	return who
}

// vacate is for a slot without a resource.
func (m *poolModel) vacate(i int) {
	m.slots[i] = modelSlot{}
	if len(m.waiting) > 0 {
		m.promise(i, m.next())
	}
	m.end()
}

func (m *poolModel) promise(i, who int) {
	s := &m.slots[i]
	s.by = line{who}
	place := 0 // whoever was lent what is of no use goes before all but those with a priority
	for place < len(m.bound) && (s.is != isLent || m.ahead[m.bound[place]] && !m.ahead[who]) && (m.ahead[m.bound[place]] || !m.ahead[who]) {
		place++
	}
	m.bound = slices.Insert(m.bound, place, who)
	if s.is == isFree {
		m.create(i)
	} else {
		m.destroy(i)
	}
}

func (m *poolModel) create(i int) {
	by := m.slots[i].by
	m.told = max(m.told, i+1)
	m.slots[i] = modelSlot{is: isCreating, owner: m.owner[by[0]], by: by}
	m.tell(event{what: "create", who: i, value: uint64(by[0])}, func() {
		made := step{op: opCreated, run: uint64(i)}
		if !m.failed {
			m.failed, made.err = true, errOops
		}
		m.do(made)
	})
}

func (m *poolModel) destroy(i int) {
	m.idle.drop(i)
	m.slots[i].is = isDestroying
	m.tell(event{what: "destroy", who: i}, func() { m.do(step{op: opDestroyed, run: uint64(i)}) })
}

// tell owes the runner a call, and says what an eager one does in it.
func (m *poolModel) tell(e event, answer func()) {
	m.owed = append(m.owed, func() {
		m.calls.add(e.what, e.who, e.value, reply{})
		if m.eager && answer != nil {
			answer()
			m.calls.add(done, e.who, 0, reply{})
		}
	})
}

func (m *poolModel) ended() bool { return m.closed && m.count(isFree) == len(m.slots) }

func (m *poolModel) end() {
	if m.ended() {
		for _, who := range m.joining.take() {
			m.settle(who, 0, nil)
		}
	}
}

func (m *poolModel) count(is slotIs) (n int) {
	for _, s := range m.slots {
		if s.is == is {
			n++
		}
	}
	return n
}

func (m *poolModel) stats() (seen poolSeen) {
	seen.PoolStats = core.PoolStats{
		Max: len(m.slots), Lent: m.count(isLent), Idle: m.count(isIdle), Creating: m.count(isCreating),
		Destroying: m.count(isDestroying), Waiting: len(m.waiting) + len(m.bound), Closed: m.closed,
	}
	for i, s := range m.slots {
		seen.reused[i] = s.is == isLent && s.reused
	}
	return seen
}

func (m *poolModel) moves(s step) bool {
	is := isFree
	if int(s.run) < len(m.slots) {
		is = m.slots[s.run].is
	}
	switch s.op {
	case opAsk, opAskFirst:
		return !m.closed && !m.parked(s.who)
	case opTakeIdle:
		return !m.closed && len(m.waiting) == 0 && m.useful(s.run) >= 0
	case opWithdraw:
		return m.parked(s.who)
	case opCreated:
		return is == isCreating
	case opDestroyed:
		return is == isDestroying
	case opLoseSlot:
		return is != isFree
	case opReturn, opDiscard:
		return is == isLent
	case opReplace:
		return is == isLent && !m.parked(s.who)
	case opEvict:
		return is == isIdle
	case opJoin:
		return !m.parked(s.who) && !m.ended()
	case opClose:
		return !m.closed
	}
	return false
}

// barred: a runner answers for slots that it was told of.
func (m *poolModel) barred(s step) bool {
	switch s.op {
	case opCreated, opDestroyed, opLoseSlot:
		return int(s.run) >= m.told
	}
	return false
}

func newPoolModel(most int, eager bool) func() explore.Model[step, seen[poolSeen]] {
	return func() explore.Model[step, seen[poolSeen]] {
		m := &poolModel{eager: eager, slots: make([]modelSlot, most)}
		m.sketch.do = m.do
		return model[poolSeen]{&m.sketch, m.stats, m.moves, m.barred}
	}
}

// poolRunner notes what a pool has it do, and does it at once if it is eager.
type poolRunner struct {
	*crowd
	steps         *core.PoolSteps
	eager, failed bool
}

func (r *poolRunner) Create(slot int, by core.Waker) {
	r.calls.add("create", slot, uint64(by.(*person).id), reply{})
	if !r.eager {
		return
	}
	var err error
	if !r.failed {
		r.failed, err = true, errOops
	}
	r.steps.Created(slot, err)
	r.calls.add(done, slot, 0, reply{})
}

func (r *poolRunner) Destroy(slot int) {
	r.calls.add("destroy", slot, 0, reply{})
	if r.eager {
		r.steps.Destroyed(slot)
		r.calls.add(done, slot, 0, reply{})
	}
}

func (r *poolRunner) Idle(slot int, lease uint64) { r.calls.add("idle", slot, lease, reply{}) }

func newPoolMachine(most int, eager bool) func() explore.Machine[step, seen[poolSeen]] {
	return func() explore.Machine[step, seen[poolSeen]] {
		p := &core.PoolSteps{Max: most}
		m := &machine[poolSeen]{broken: p.Broken}
		m.stats = func() (seen poolSeen) {
			seen.PoolStats = p.Stats()
			for i := range most {
				_, seen.reused[i] = p.Slot(p.LeaseOf(i))
			}
			return seen
		}
		p.Runner = &poolRunner{crowd: &m.crowd, steps: p, eager: eager}
		const number = 1 << 32 // what one number of a lease is apart from the next
		m.gather(func(step step) reply {
			w, slot := &m.w[step.who], int(step.run)
			switch step.op {
			case opAsk, opAskFirst:
				r := w.park(step, func(w *core.Waiter) (bool, error) {
					before := w.Priority
					if w.Priority = 0; step.op == opAskFirst {
						w.Priority = 1
					}
					ok, err := p.Park(w, step.run)
					if err != nil {
						w.Priority = before
					}
					return ok, err
				})
				if !r.ok && r.err == nil {
					r.n = int(w.Value())
				}
				return r
			case opTakeIdle:
				lease, err := p.Take(step.run)
				return reply{n: int(lease), err: err}
			case opWithdraw:
				return reply{ok: w.Withdraw()}
			case opCreated:
				p.Created(slot, step.err)
			case opDestroyed:
				p.Destroyed(slot)
			case opLoseSlot:
				p.Lose(slot)
			case opReturn:
				return reply{err: p.Release(p.LeaseOf(slot))}
			case opReturnFormer:
				return reply{err: p.Release(p.LeaseOf(slot) - number)}
			case opDiscard:
				return reply{err: p.Discard(p.LeaseOf(slot))}
			case opDiscardFormer:
				return reply{err: p.Discard(p.LeaseOf(slot) - number)}
			case opReplace, opReplaceFormer:
				lease := p.LeaseOf(slot)
				if step.op == opReplaceFormer {
					lease -= number
				}
				return w.park(step, func(w *core.Waiter) (bool, error) { return p.Replace(lease, w) })
			case opEvict:
				return reply{ok: p.Evict(p.LeaseOf(slot))}
			case opEvictFormer:
				return reply{ok: p.Evict(p.LeaseOf(slot) - 2*number)}
			case opJoin:
				return w.park(step, p.ParkJoin)
			default:
				p.Close()
			}
			return reply{}
		})
		return m
	}
}

// inSlot are the steps of one slot; those that need a waiter have that one.
func inSlot(slot uint64, who int) []step {
	return []step{
		{op: opCreated, run: slot}, {op: opCreated, run: slot, err: errOops}, {op: opDestroyed, run: slot},
		{op: opReturn, run: slot}, {op: opDiscard, run: slot}, {op: opReplace, run: slot, who: who},
		{op: opEvict, run: slot}, {op: opLoseSlot, run: slot},
	}
}

func TestExploringPoolFindsWhatItsModelSays(t *testing.T) {
	common := slices.Concat(each(3, step{op: opWithdraw}), []step{{op: opClose}, {op: opJoin, who: 1}})
	former := []step{
		{op: opReturnFormer}, {op: opDiscardFormer}, {op: opReplaceFormer, who: 1}, {op: opEvictFormer},
	}
	one := slices.Concat(common, inSlot(0, 1))
	two := slices.Concat(one, inSlot(1, 1))
	alike := append(each(3, step{op: opAsk}), step{op: opTakeIdle})
	unlike := []step{
		{op: opAsk, who: 0, run: 1}, {op: opAsk, who: 1, run: 2}, {op: opAsk, who: 2, run: 1}, {op: opAsk, who: 2, run: 2},
		{op: opTakeIdle, run: 1}, {op: opTakeIdle, run: 2},
	}
	ahead := step{op: opAskFirst, who: 2}
	for _, x := range []struct {
		name  string
		depth int
		most  int
		steps []step
		eager bool
	}{
		{"one slot", 6, 1, slices.Concat(alike, one, former, []step{ahead}), false},
		{"two slots", 5, 2, slices.Concat(alike, two), false},
		{"one slot and two owners", 6, 1, slices.Concat(unlike, one), false},
		{"two slots and two owners", 5, 2, slices.Concat(unlike, two), false},
		{"what is idle longer and less long", 8, 2, []step{
			{op: opAsk, who: 0, run: 1}, {op: opAsk, who: 1, run: 1}, {op: opAsk, who: 2, run: 2}, {op: opTakeIdle, run: 1},
			{op: opCreated}, {op: opCreated, run: 1}, {op: opReturn}, {op: opReturn, run: 1}, {op: opEvict},
		}, false},
		{"two slots and a priority", 6, 2, []step{
			{op: opAsk, who: 0}, {op: opAsk, who: 1}, {op: opAskFirst, who: 2}, {op: opWithdraw, who: 1}, {op: opCreated},
			{op: opCreated, run: 1}, {op: opReturn}, {op: opReturn, run: 1}, {op: opReplace, who: 3}, {op: opDestroyed},
		}, false},
		{"a runner that is done at once", 5, 2, slices.Concat(unlike, two), true},
		{"steps from within Wake", 4, 1, slices.Concat(alike, one, []step{
			{op: opAsk, then: &step{op: opAsk}},
			{op: opAsk, then: &step{op: opReturn}},
			{op: opAsk, then: &step{op: opReplace}},
			{op: opAsk, then: &step{op: opClose}},
			{op: opAsk, then: &step{op: opWithdraw, who: 1}},
		}), false},
	} {
		search(t, x.name, x.depth, x.steps, newPoolMachine(x.most, x.eager), newPoolModel(x.most, x.eager))
	}
}
