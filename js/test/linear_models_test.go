//go:build !js

package browser_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/anishathalye/porcupine"
)

// What a hub does with one name, as sequential models for porcupine. As with a dual data structure, a call that waits
// is two operations: that it arrives, and that it is seen to have been granted. So the models know who is the next in
// line. An abort is an operation of its own too: it finds its call waiting or granted, and what was granted goes back.

// A step is one of what pages/linear-worker.ts records.
type step struct {
	Session      int
	Op           string
	ID           int // of the call
	Args         []int
	Call, Return int64
	Number       int // in the order in which the hub takes up what is said; -1 if unknown, or if it was only seen
	place        int // among those that have a number, from 1 on
}

func (s step) String() string {
	return fmt.Sprintf("%d: %s %d %v @%d..%d", s.Session, s.Op, s.ID, s.Args, s.Call, s.Return)
}

// A machine takes the steps of a history one after the other.
type machine interface {
	clone() machine
	equal(machine) bool
	// take takes a step; false means that the machine does not do that. It is then not used any more.
	take(step) bool
	// granted says whether the call has been granted what it has not been seen to have, or has not given back.
	granted(id int) bool
}

// progress is a machine, and how many steps with a number it has taken.
type progress struct {
	machine
	taken int
}

func model(initial machine) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return progress{machine: initial} },
		Step: func(state, input, _ any) (bool, any) {
			p, s := state.(progress), input.(step)
			if s.place > 0 {
				if s.place != p.taken+1 {
					return false, state
				}
				p.taken++
			}
			p.machine = p.machine.clone()
			return p.take(s), p
		},
		Equal:             func(a, b any) bool { return a.(progress).equal(b.(progress).machine) },
		DescribeOperation: func(input, _ any) string { return input.(step).String() },
		DescribeState:     func(state any) string { return fmt.Sprintf("%+v", state.(progress).machine) },
	}
}

// A claim is a call and what it wants or has: n permits of a priority, an item n and its place in the order of arrival,
// the outcome of a run n.
type claim struct{ id, n, rank int }

func find(claims []claim, id int) int {
	return slices.IndexFunc(claims, func(c claim) bool { return c.id == id })
}

// add adds to a list whose order means nothing, so that equal ones are equal.
func add(claims *[]claim, c claim) {
	at, _ := slices.BinarySearchFunc(*claims, c, func(a, b claim) int { return cmp.Compare(a.id, b.id) })
	*claims = slices.Insert(*claims, at, c)
}

// remove takes out the claim of a call, and says whether there was one.
func remove(claims *[]claim, id int) (c claim, found bool) {
	at := find(*claims, id)
	if at >= 0 {
		c = (*claims)[at]
		*claims = slices.Delete(*claims, at, at+1)
	}
	return c, at >= 0
}

func shift(claims *[]claim) claim {
	c := (*claims)[0]
	*claims = (*claims)[1:]
	return c
}

// permitsModel is a Semaphore, and with one permit a Lock.
type permitsModel struct {
	free    int
	held    []claim
	stolen  []claim // from those who have not given it back yet
	waiting []claim // by priority, then by arrival
}

func (m *permitsModel) clone() machine {
	return &permitsModel{m.free, slices.Clone(m.held), slices.Clone(m.stolen), slices.Clone(m.waiting)}
}

func (m *permitsModel) equal(other machine) bool {
	o := other.(*permitsModel)
	return slices.Equal(m.held, o.held) && slices.Equal(m.stolen, o.stolen) && slices.Equal(m.waiting, o.waiting)
}

func (m *permitsModel) granted(id int) bool { return find(m.held, id) >= 0 || find(m.stolen, id) >= 0 }

func (m *permitsModel) hold(c claim) {
	m.free -= c.n
	add(&m.held, c)
}

// next gives those at the head of the line what they want, as far as it goes.
func (m *permitsModel) next() {
	for len(m.waiting) > 0 && m.waiting[0].n <= m.free {
		m.hold(shift(&m.waiting))
	}
}

// giveBack ends the hold of a call, and says whether it had one still.
func (m *permitsModel) giveBack(id int) bool {
	c, held := remove(&m.held, id)
	m.free += c.n
	m.next()
	return held
}

func (m *permitsModel) take(s step) bool {
	switch s.Op {
	case "acquire":
		c := claim{s.ID, s.Args[0], s.Args[1]}
		at := len(m.waiting)
		for at > 0 && m.waiting[at-1].rank < c.rank {
			at--
		}
		m.waiting = slices.Insert(m.waiting, at, c)
		m.next()
		return true
	case "try":
		can := len(m.waiting) == 0 && s.Args[0] <= m.free
		if can {
			m.hold(claim{s.ID, s.Args[0], 0})
		}
		return can == (s.Args[1] == 1)
	case "steal":
		for len(m.held) > 0 {
			c := shift(&m.held)
			m.free += c.n
			add(&m.stolen, c)
		}
		m.hold(claim{s.ID, 1, 0})
		return true
	case "granted":
		return m.granted(s.ID)
	case "release": // and whether it was known to be lost
		_, stolen := remove(&m.stolen, s.ID)
		return stolen == (s.Args[0] == 1) && (stolen || m.giveBack(s.ID))
	case "end":
		_, waited := remove(&m.waiting, s.ID)
		_, stolen := remove(&m.stolen, s.ID)
		return m.giveBack(s.ID) || waited || stolen
	case "look":
		held := 0
		for _, c := range m.held {
			held += c.n
		}
		return slices.Equal(s.Args, []int{held, len(m.waiting)})
	}
	panic(s.Op)
}

// queueModel is a Queue in the order of arrival. An item is named by the call that put it.
type queueModel struct {
	capacity int
	puts     int
	items    []claim
	getting  []claim
	putting  []claim
	claimed  []claim // by calls that have not been seen to have got it yet
}

func (m *queueModel) clone() machine {
	return &queueModel{m.capacity, m.puts, slices.Clone(m.items), slices.Clone(m.getting), slices.Clone(m.putting),
		slices.Clone(m.claimed)}
}

func (m *queueModel) equal(other machine) bool {
	o := other.(*queueModel)
	return m.puts == o.puts && slices.Equal(m.items, o.items) && slices.Equal(m.getting, o.getting) &&
		slices.Equal(m.putting, o.putting) && slices.Equal(m.claimed, o.claimed)
}

func (m *queueModel) granted(id int) bool { return find(m.claimed, id) >= 0 }

// put puts an item if that can be at once.
func (m *queueModel) put(item int) bool {
	if len(m.getting) == 0 && len(m.items) >= m.capacity {
		return false
	}
	m.puts++
	m.items = append(m.items, claim{n: item, rank: m.puts})
	m.hand()
	return true
}

// hand gives items to those who wait for one.
func (m *queueModel) hand() {
	for len(m.items) > 0 && len(m.getting) > 0 {
		item := shift(&m.items)
		add(&m.claimed, claim{shift(&m.getting).id, item.n, item.rank})
	}
}

// get takes out the next item, for which those who wait to put may take its room.
func (m *queueModel) get() (item claim, found bool) {
	if len(m.items) == 0 && len(m.putting) == 0 {
		return claim{}, false
	}
	if len(m.items) == 0 { // there is no room at all
		m.puts++
		return claim{n: shift(&m.putting).id, rank: m.puts}, true
	}
	item = shift(&m.items)
	for len(m.putting) > 0 && m.put(m.putting[0].id) {
		shift(&m.putting)
	}
	return item, true
}

func (m *queueModel) take(s step) bool {
	switch s.Op {
	case "put":
		if !m.put(s.ID) {
			m.putting = append(m.putting, claim{id: s.ID})
		}
		return true
	case "accepted":
		return find(m.putting, s.ID) < 0
	case "withdraw":
		_, found := remove(&m.putting, s.ID)
		return found
	case "try put":
		return m.put(s.ID) == (s.Args[0] == 1)
	case "get":
		if item, found := m.get(); found {
			add(&m.claimed, claim{s.ID, item.n, item.rank})
		} else {
			m.getting = append(m.getting, claim{id: s.ID})
		}
		return true
	case "got":
		item, found := remove(&m.claimed, s.ID)
		return found && item.n == s.Args[0]
	case "try get":
		item, _ := m.get()
		return item.n == s.Args[0]
	case "end": // what was granted has its place again
		item, granted := remove(&m.claimed, s.ID)
		if !granted {
			_, waited := remove(&m.getting, s.ID)
			return waited
		}
		at, _ := slices.BinarySearchFunc(m.items, item, func(a, b claim) int { return cmp.Compare(a.rank, b.rank) })
		m.items = slices.Insert(m.items, at, claim{n: item.n, rank: item.rank})
		m.hand()
		return true
	case "look":
		return slices.Equal(s.Args, []int{len(m.items), len(m.getting), len(m.putting), m.puts})
	case "empty":
		return slices.EqualFunc(m.items, s.Args, func(item claim, n int) bool { return item.n == n })
	}
	panic(s.Op)
}

// taskModel is a SharedTask. A run is known by its number from when it is seen to have started.
type taskModel struct {
	state   taskState
	closed  bool  // while what was closed still stops
	by      int   // the session that runs
	run     int   // 0 until it is known
	kept    claim // the outcome
	waiting []claim
	told    []claim // the outcomes of those who have not been seen to have theirs yet
}

type taskState int

const (
	taskIdle taskState = iota
	taskRunning
	taskStopping
	taskDone
)

// taskClosed is the outcome for those who wait when it is closed: the error of no run.
var taskClosed = claim{n: 0, rank: 1}

func (m *taskModel) clone() machine {
	c := *m
	c.waiting, c.told = slices.Clone(m.waiting), slices.Clone(m.told)
	return &c
}

func (m *taskModel) equal(other machine) bool {
	o := other.(*taskModel)
	return m.state == o.state && m.closed == o.closed && m.by == o.by && m.run == o.run && m.kept == o.kept &&
		slices.Equal(m.waiting, o.waiting) && slices.Equal(m.told, o.told)
}

func (m *taskModel) granted(id int) bool { return find(m.told, id) >= 0 }

func (m *taskModel) tell(id int, outcome claim) { add(&m.told, claim{id, outcome.n, outcome.rank}) }

func (m *taskModel) tellAll(outcome claim) {
	for len(m.waiting) > 0 {
		m.tell(shift(&m.waiting).id, outcome)
	}
}

// start begins a run where somebody waits, with the one who has waited longest.
func (m *taskModel) start() {
	if m.state == taskIdle && len(m.waiting) > 0 {
		m.state, m.by, m.run = taskRunning, m.waiting[0].n, 0
	}
}

func (m *taskModel) take(s step) bool {
	live := m.state == taskRunning || m.state == taskStopping
	switch s.Op {
	case "wait":
		switch {
		case m.closed:
			m.tell(s.ID, taskClosed)
		case m.state == taskDone:
			m.tell(s.ID, m.kept)
		default:
			m.waiting = append(m.waiting, claim{id: s.ID, n: s.Session})
			m.start()
		}
		return true
	case "end":
		_, told := remove(&m.told, s.ID)
		_, waited := remove(&m.waiting, s.ID)
		if m.state == taskRunning && len(m.waiting) == 0 {
			m.state = taskStopping
		}
		return told || waited
	case "started":
		first := live && m.run == 0 && m.by == s.Session
		m.run = s.ID
		return first
	case "finish":
		if !live || m.run != s.ID || m.by != s.Session {
			return false
		}
		if m.state == taskRunning {
			m.state, m.kept = taskDone, claim{n: s.ID, rank: s.Args[0]}
			m.tellAll(m.kept)
		} else {
			m.state, m.closed = taskIdle, false
			m.start()
		}
		return true
	case "close":
		m.tellAll(taskClosed)
		if live {
			m.state, m.closed = taskStopping, true
		} else {
			m.state = taskIdle
		}
		return true
	case "result":
		outcome, found := remove(&m.told, s.ID)
		return found && slices.Equal(s.Args, []int{outcome.n, outcome.rank})
	case "look":
		return slices.Equal(s.Args, []int{int(m.state), len(m.waiting)})
	}
	panic(s.Op)
}
