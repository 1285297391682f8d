package core_test

import (
	"slices"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/core/internal/explore"
)

const (
	opPut       op = "put with priority %r by %w"
	opTryPut    op = "try to put"
	opGet       op = "get by %w"
	opClaim     op = "try to get"
	opKeep      op = "take claim %r for good"
	opPutBack   op = "put back claim %r"
	opPutAll    op = "put back all claims"
	opTaskDone  op = "task done"
	opJoinItems op = "join by %w"
	opCloseNow  op = "close now"
	opAdopt     op = "become a ranked one of 2"
)

// queueKind is a way to order items. They are numbered as they come; the last digit is the priority.
type queueKind struct {
	make   func(capacity int) (*core.Queue[int], error)
	before func(item, other int) bool // item, which is put or put back, is to be taken before other
}

func itemPriority(item int) int { return item % 10 }

var (
	asLine  = queueKind{core.NewQueue[int], func(item, other int) bool { return item < other }}
	asStack = queueKind{core.NewStack[int], func(item, other int) bool { return true }}
	byRank  = queueKind{
		func(capacity int) (*core.Queue[int], error) { return core.NewPriorityQueue(capacity, itemPriority) },
		func(item, other int) bool {
			return itemPriority(item) > itemPriority(other) || itemPriority(item) == itemPriority(other) && item < other
		},
	}
)

// queueSeen is what is seen of a Queue between steps.
type queueSeen struct {
	core.QueueStats
	held int // items that are neither in the queue nor taken for good
}

// queueModel says what a Queue is.
type queueModel struct {
	sketch
	queueKind
	capacity                  int
	getting, putting, joining line
	made                      int    // items that somebody wanted to put
	offers                    [4]int // of those who wait to put
	items                     []int  // the next to be taken first
	claims                    []int
	unfinished                int
	puts                      uint64
	closed, emptied           bool
	woken                     []queueWake // by the step in progress
}

// queueWake is somebody who was settled and is to be woken.
type queueWake struct {
	who   int
	value uint64
	err   error
	claim bool
}

func (m *queueModel) do(s step) reply {
	r := m.step(s)
	woken := m.woken
	if (s.op == opGet || s.op == opClaim) && !r.ok && r.err == nil {
		defer func() { m.claims = append(m.claims, r.n) }() // who was granted at once hears of it after those that it woke
	}
	for m.woken = nil; len(woken) > 0; woken = woken[1:] {
		w := woken[0]
		if w.claim {
			m.claims = append(m.claims, int(w.value))
		}
		m.wake(line{w.who}, w.value, w.err)
	}
	return r
}

func (m *queueModel) step(s step) reply {
	switch s.op {
	case opPut, opTryPut:
		item := nextItem(&m.made, s)
		switch {
		case m.closed:
			return reply{err: core.ErrClosed}
		case s.op == opPut && m.stands(s.who):
			return reply{err: core.ErrParked}
		case m.put(item):
			return reply{}
		case s.op == opTryPut:
			return reply{err: core.ErrWouldBlock}
		}
		m.arrives(s)
		m.putting, m.offers[s.who] = append(m.putting, s.who), item
		return reply{ok: true}
	case opGet, opClaim:
		item, err := 0, error(core.ErrParked)
		if s.op == opClaim || !m.stands(s.who) {
			item, err = m.claim()
		}
		if s.op == opGet && err == core.ErrWouldBlock {
			m.arrives(s)
			m.getting = append(m.getting, s.who)
			return reply{ok: true}
		}
		return reply{n: item, err: err}
	case opKeep, opPutBack, opPutAll:
		if m.barred(s) {
			return reply{} // told to in a Wake, who has not got anything
		}
		var given []int
		if s.op == opPutAll {
			given, m.claims = slices.Sorted(slices.Values(m.claims)), nil
		} else {
			given = []int{m.claims[s.run]}
			m.claims = slices.Delete(m.claims, int(s.run), int(s.run)+1)
		}
		if s.op == opKeep {
			return reply{n: given[0]}
		}
		for _, item := range given {
			if m.emptied {
				m.finish(1)
			} else {
				m.add(item)
			}
		}
		for len(m.items) > 0 && len(m.getting) > 0 {
			m.hand(m.items[0])
			m.items = m.items[1:]
		}
		return reply{ok: !m.emptied, n: given[0]}
	case opTaskDone:
		if m.unfinished == 0 {
			return reply{err: core.ErrOverRelease}
		}
		m.finish(1)
		return reply{}
	case opJoinItems:
		switch {
		case m.stands(s.who):
			return reply{err: core.ErrParked}
		case m.unfinished == 0 || m.emptied:
			return reply{}
		}
		m.arrives(s)
		m.joining = append(m.joining, s.who)
		return reply{ok: true}
	case opAdopt:
		if len(m.items) > 0 || len(m.putting) > 0 {
			return reply{}
		}
		m.queueKind, m.capacity = byRank, 2
		return reply{ok: true}
	case opWithdraw:
		return reply{ok: m.putting.drop(s.who) || m.getting.drop(s.who) || m.joining.drop(s.who)}
	default:
		m.closed = true
		m.settle(m.putting.take(), core.ErrClosed)
		m.settle(m.getting.take(), core.ErrClosed)
		if s.op == opClose {
			return reply{}
		}
		m.emptied = true
		all := m.items
		m.items = nil
		m.finish(len(all))
		m.settle(m.joining.take(), nil)
		return reply{n: digits(all)}
	}
}

// nextItem numbers the item of a step that puts.
func nextItem(made *int, s step) int { *made++; return *made*10 + int(s.run) }

// digits makes one number of some items.
func digits(items []int) (n int) {
	for _, item := range items {
		n = n*1000 + item
	}
	return n
}

func (m *queueModel) stands(who int) bool {
	return m.putting.has(who) || m.getting.has(who) || m.joining.has(who)
}

func (m *queueModel) settle(all line, err error) {
	for _, who := range all {
		m.woken = append(m.woken, queueWake{who: who, err: err})
	}
}

// hand gives an item to the first who waits to get.
func (m *queueModel) hand(item int) {
	m.woken = append(m.woken, queueWake{who: m.getting[0], value: uint64(item), claim: true})
	m.getting = m.getting[1:]
}

func (m *queueModel) add(item int) {
	at := slices.IndexFunc(m.items, func(other int) bool { return m.before(item, other) })
	if at < 0 {
		at = len(m.items)
	}
	m.items = slices.Insert(m.items, at, item)
}

func (m *queueModel) put(item int) bool {
	switch {
	case len(m.getting) > 0:
		m.hand(item)
	case len(m.items) < m.capacity:
		m.add(item)
	default:
		return false
	}
	m.unfinished++
	m.puts++
	return true
}

func (m *queueModel) claim() (item int, err error) {
	switch {
	case len(m.items) > 0:
		item = m.items[0]
		m.items = m.items[1:]
		for len(m.items) < m.capacity && len(m.putting) > 0 {
			m.add(m.accept())
		}
		return item, nil
	case len(m.putting) > 0:
		return m.accept(), nil
	case m.closed:
		return 0, core.ErrClosed
	}
	return 0, core.ErrWouldBlock
}

// accept is what follows when there is room for the first who waits to put.
func (m *queueModel) accept() (item int) {
	first := m.putting[0]
	m.putting = m.putting[1:]
	m.settle(line{first}, nil)
	m.unfinished++
	m.puts++
	return m.offers[first]
}

func (m *queueModel) finish(n int) {
	if m.unfinished = max(0, m.unfinished-n); m.unfinished == 0 {
		m.settle(m.joining.take(), nil)
	}
}

func (m *queueModel) stats() queueSeen {
	return queueSeen{core.QueueStats{
		Len: len(m.items), Capacity: m.capacity, Getting: len(m.getting), Putting: len(m.putting),
		Unfinished: m.unfinished, Puts: m.puts, Closed: m.closed,
	}, len(m.putting) + len(m.claims)}
}

func (m *queueModel) moves(s step) bool {
	switch s.op {
	case opPut:
		return !m.closed && !m.stands(s.who)
	case opTryPut:
		return !m.closed && (len(m.getting) > 0 || len(m.items) < m.capacity)
	case opGet:
		return !m.stands(s.who) && (!m.closed || len(m.items) > 0)
	case opClaim:
		return len(m.items) > 0 || len(m.putting) > 0
	case opKeep, opPutBack, opPutAll:
		return true
	case opTaskDone:
		return m.unfinished > 0
	case opJoinItems:
		return !m.stands(s.who) && m.unfinished > 0 && !m.emptied
	case opWithdraw:
		return m.stands(s.who)
	case opCloseNow:
		return !m.emptied
	case opAdopt:
		return len(m.items) == 0 && len(m.putting) == 0
	}
	return !m.closed
}

// barred: a claim is ended once, by who has it.
func (m *queueModel) barred(s step) bool {
	switch s.op {
	case opKeep, opPutBack:
		return int(s.run) >= len(m.claims)
	case opPutAll:
		return len(m.claims) < 2
	}
	return false
}

func newQueueModel(k queueKind, capacity int) func() explore.Model[step, seen[queueSeen]] {
	return func() explore.Model[step, seen[queueSeen]] {
		m := &queueModel{queueKind: k, capacity: capacity}
		m.sketch.do = m.do
		return model[queueSeen]{&m.sketch, m.stats, m.moves, m.barred}
	}
}

// queueMachine has the claims of those who got, in the order in which they were told.
type queueMachine struct {
	machine[queueSeen]
	q      *core.Queue[int]
	made   int
	claims []uint64
}

// claimer is woken with the item that it can take, where a person sees no more than a claim.
type claimer struct {
	*person
	at *queueMachine
}

func (g claimer) Wake() {
	if g.Err() != nil {
		g.person.Wake()
		return
	}
	g.at.claims = append(g.at.claims, g.Value())
	g.at.wakes.add("wake", g.id, uint64(g.at.q.Claimed(g.Value())), reply{})
	if then := g.then; then != nil {
		g.then = nil
		g.at.wakes.add("then", g.id, 0, g.at.do(*then))
	}
}

func newQueueMachine(k queueKind, capacity int) func() explore.Machine[step, seen[queueSeen]] {
	return func() explore.Machine[step, seen[queueSeen]] {
		q, err := k.make(capacity)
		if err != nil {
			panic(err)
		}
		m := &queueMachine{q: q}
		m.stats = func() queueSeen { return queueSeen{q.Stats(), q.Held()} }
		m.broken = q.Broken
		m.gather(m.step)
		return m
	}
}

func (m *queueMachine) step(s step) reply {
	q, w := m.q, &m.w[s.who]
	parkAs := func(waker core.Waker, call func(*core.Waiter) (bool, error)) reply {
		before := w.Waker
		w.Waker = waker
		r := w.park(s, call)
		if !r.ok {
			w.Waker = before
		}
		return r
	}
	claimed := func(claim uint64, r reply) reply {
		if r.err == nil && !r.ok {
			m.claims = append(m.claims, claim)
			r.n = q.Claimed(claim)
		}
		return r
	}
	switch s.op {
	case opPut:
		item := nextItem(&m.made, s)
		return parkAs(w, func(w *core.Waiter) (bool, error) { return q.ParkPut(w, item) })
	case opTryPut:
		return reply{err: q.TryPut(nextItem(&m.made, s))}
	case opGet:
		r := parkAs(claimer{w, m}, q.ParkGet)
		return claimed(w.Value(), r)
	case opClaim:
		claim, err := q.Claim()
		return claimed(claim, reply{err: err})
	case opKeep, opPutBack:
		if int(s.run) >= len(m.claims) {
			return reply{}
		}
		claim := m.claims[s.run]
		m.claims = slices.Delete(m.claims, int(s.run), int(s.run)+1)
		item := q.Claimed(claim)
		if s.op == opKeep {
			return reply{n: q.Take(claim)}
		}
		return reply{ok: q.PutBack(claim), n: item}
	case opPutAll:
		if len(m.claims) < 2 {
			return reply{}
		}
		all := m.claims
		m.claims = nil
		slices.Reverse(all) // what was claimed last need not come last
		item := q.Claimed(slices.MinFunc(all, func(a, b uint64) int { return q.Claimed(a) - q.Claimed(b) }))
		return reply{ok: q.PutBack(all...), n: item}
	case opTaskDone:
		return reply{err: q.TaskDone()}
	case opJoinItems:
		return parkAs(w, q.ParkJoin)
	case opWithdraw:
		return reply{ok: w.Withdraw()}
	case opCloseNow:
		return reply{n: digits(q.CloseNow())}
	case opAdopt:
		shape, err := byRank.make(2)
		return reply{ok: q.Adopt(shape), err: err}
	default:
		q.Close()
		return reply{}
	}
}

func TestExploringQueueFindsWhatItsModelSays(t *testing.T) {
	explored := func(name string, k queueKind, capacity, depth int, steps ...[]step) {
		search(t, name, depth, slices.Concat(steps...), newQueueMachine(k, capacity), newQueueModel(k, capacity))
	}
	leave := each(3, step{op: opWithdraw})
	hand := slices.Concat(each(3, step{op: opPut}), each(3, step{op: opGet}), leave)
	claims := []step{{op: opTryPut}, {op: opClaim}, {op: opKeep}, {op: opPutBack}, {op: opPutBack, run: 1}, {op: opPutAll}}
	ends := []step{{op: opClose}, {op: opCloseNow}}
	explored("handing over", asLine, 0, 6, hand, claims, ends)
	explored("a line of 1", asLine, 1, 6, hand, claims, ends)
	explored("a line of 2", asLine, 2, 6, hand, claims, ends)

	preferred := each(3, step{op: opPut, run: 1})
	items := slices.Concat([]step{{op: opTryPut}}, each(2, step{op: opPut}), claims[1:])
	explored("what is put back in a line", asLine, 2, 8, items[:1], claims[1:], ends)
	explored("what is put back where nothing is kept", asLine, 0, 8, items[1:])
	explored("what is put back by those who waited", asLine, 1, 8, items[:1], each(2, step{op: opGet}), claims[2:])
	explored("a stack of 2", asStack, 2, 7, items, leave[:2], ends[1:])
	explored("a ranked one of 0", byRank, 0, 6, items, preferred[:2], leave[:2], ends[1:])
	explored("a ranked one of 2", byRank, 2, 6, items, preferred[:2], leave[:2], ends[1:])
	explored("a ranked one of 3", byRank, 3, 8, items[:1], preferred[:1], claims[1:], ends[1:])

	explored("becoming another", asLine, 1, 6, items[:1], each(1, step{op: opPut}), each(2, step{op: opGet}), claims[1:4],
		[]step{{op: opAdopt}})
	explored("joining", asLine, 1, 6, each(2, step{op: opPut}), each(2, step{op: opJoinItems}), leave[:2], []step{
		{op: opTryPut}, {op: opClaim}, {op: opKeep}, {op: opPutBack}, {op: opTaskDone}}, ends)

	explored("steps from within Wake", asLine, 1, 5, each(2, step{op: opPut}), each(2, step{op: opGet}), leave[:2], []step{
		{op: opClaim},
		{op: opPut, then: &step{op: opPut}},
		{op: opGet, then: &step{op: opGet}},
		{op: opGet, then: &step{op: opPutBack}},
		{op: opGet, then: &step{op: opWithdraw, who: 1}},
		{op: opGet, then: &step{op: opClose}},
		{op: opJoinItems}, {op: opJoinItems, then: &step{op: opCloseNow}}, {op: opTaskDone},
	}, ends[:1])
}
