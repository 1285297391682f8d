package hub

import (
	"slices"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// session is one client's connection. Its calls are numbered by the client, densely: a new number is the lowest that
// was never used, so a table is enough and a stray number is recognized.
//
// Invariant: every call is told exactly one final status; then its slot is free for the client to use again.
type session struct {
	handle   handle
	parent   *session
	children []*session
	limits   []*allowance
	calls    []*call // by slot; nil where free
	live     int     // how many are not free, or how many callers those stand for
	watches  int     // how many of those only watch
	names    []binding
	runs     []*run
	dropped  uint64 // messages of it that made no sense
	ending   bool
	reports  bool // it may take back what it held of a lost hub
}

// allowance is how many calls a session, and all below it, may have outstanding together; each session below it counts
// as one.
type allowance struct{ limit, live int }

const (
	defaultLimit = 1 << 21
	maxSlots     = 2 * defaultLimit // those of calls that were refused count too
)

// handle is a slot in the table of sessions in its lower half and that slot's generation in its upper half, so that a
// handle of a session that has ended is never taken for its successor's.
type handle uint32

const handleSlots = 1 << 16

var sessions struct {
	table       []*session
	generations []uint16
	free        []uint16
	live        int
}

// openSession opens a session, or returns nil if there can be no more. Without a limit of its own it has that of its
// parent, and for itself the default.
func openSession(parent *session, limit int) *session {
	if parent != nil && parent.full(1) {
		return nil
	}
	t := &sessions
	var slot int
	switch {
	case len(t.free) > 0:
		slot = int(t.free[len(t.free)-1])
		t.free = t.free[:len(t.free)-1]
	case len(t.table) < handleSlots:
		slot = len(t.table)
		t.table = append(t.table, nil)
		t.generations = append(t.generations, 0)
	default:
		return nil
	}
	s := &session{
		handle: handle(uint32(t.generations[slot])<<16 | uint32(slot)),
		parent: parent,
	}
	if parent != nil {
		s.limits = parent.limits
		charge(s.limits, 1)
	}
	if limit > 0 {
		s.limits = append(slices.Clip(s.limits), &allowance{limit: limit})
	}
	t.table[slot] = s
	t.live++
	if parent != nil {
		parent.children = append(parent.children, s)
	}
	return s
}

// full says that the session may not make n calls more.
func (s *session) full(n int) bool {
	for _, a := range s.limits {
		if a.live+n > a.limit {
			return true
		}
	}
	return s.live+n > defaultLimit
}

func (s *session) counts(n int) {
	s.live += n
	charge(s.limits, n)
}

func charge(limits []*allowance, n int) {
	for _, a := range limits {
		a.live += n
	}
}

func (h handle) session() *session {
	slot := int(h & (handleSlots - 1))
	if slot >= len(sessions.table) {
		return nil
	}
	if s := sessions.table[slot]; s != nil && s.handle == h {
		return s
	}
	return nil
}

// end ends the session and all below it: what they wait for is withdrawn, what they hold is given back, and what they
// run is lost. It returns false if a goroutine is in the way; then it is to be called again, and goes on where it was.
func (s *session) end() bool {
	s.ending = true
	for len(s.children) > 0 {
		if !s.children[len(s.children)-1].end() {
			return false
		}
	}
	s.leaveQueues()
	for _, c := range s.calls {
		if c == nil {
			continue
		}
		if c.object.contended() {
			return false
		}
		c.finish(abi.EndingGone)
		c.free()
	}
	if !loseRunsOf(s) {
		return false
	}
	t, slot := &sessions, uint16(s.handle&(handleSlots-1))
	s.calls, s.names = nil, nil // a kept run may hold on to s for long
	t.table[slot] = nil
	t.generations[slot]++
	t.free = append(t.free, slot)
	t.live--
	if s.parent != nil {
		charge(s.parent.limits, -1)
		siblings := s.parent.children
		at := slices.Index(siblings, s)
		s.parent.children = slices.Delete(siblings, at, at+1)
	}
	notify(s, 0, abi.StatusGone, 0)
	return true
}

// call is one call of a session from the moment the hub takes it up until it has been told its final status.
type call struct {
	core.Waiter
	session *session
	object  *object
	slot    uint32
	op      abi.Op
	arg     uint32
	state   callState
	held    uint64 // what it was granted: a tenure, permits, a claim, a lease
	hold    hold
	next    *call // in completions, or in freeCalls
}

type callState uint8

const (
	callFree    callState = iota
	callHeldUp            // not brought before its primitive yet, see recovery.go
	callWaiting           // parked in its primitive
	callSettled           // woken, in completions
	callHolding           // granted; its client holds something until it ends the call
	callVoid              // as callHolding, but what it held is gone
)

// freeCalls keeps calls for use again: in the steady state no call allocates.
var freeCalls *call

func (s *session) open(slot uint32, o *object, op abi.Op, arg, priority uint32, callers int) *call {
	if freeCalls == nil {
		moreCalls()
	}
	c := freeCalls
	freeCalls = c.next
	c.next = nil
	if int(slot) == len(s.calls) {
		s.calls = append(s.calls, c)
	} else {
		s.calls[slot] = c
	}
	c.session, c.object, c.slot, c.op, c.arg, c.state = s, o, slot, op, arg, callWaiting
	c.Priority = int32(priority)
	c.Others = int32(callers - 1)
	if op == abi.OpWatch {
		s.watches++
		o.watches++
	}
	s.counts(callers)
	if op != abi.OpWatch {
		o.revive()
	}
	o.calls++
	return c
}

// callers returns for how many a call stands.
func callers(kind abi.Kind, op abi.Op, arg uint32) int {
	if op != abi.OpWait {
		return 1
	}
	switch kind {
	case abi.KindSignal, abi.KindCheckpoint, abi.KindEvent, abi.KindLatch:
		return 1 + int(min(arg, defaultLimit))
	}
	return 1
}

// moreCalls makes some: the fewer objects there are, the less the collector has to do, and calls are kept anyway.
func moreCalls() {
	more := new([32]call) // 6 KB
	for i := len(more) - 1; i >= 0; i-- {
		c := &more[i]
		c.Waker = c
		c.next, freeCalls = freeCalls, c
	}
	exertion += ofNewCall * len(more)
}

// free ends the life of c, which is in no list any more, and drops the name of its object if it was the last reason to
// keep it.
func (c *call) free() {
	s, o := c.session, c.object
	s.calls[c.slot] = nil
	s.counts(-1 - int(c.Others))
	if c.op == abi.OpWatch {
		s.watches--
		o.watches--
	}
	c.session, c.object, c.state = nil, nil, callFree
	c.next, freeCalls = freeCalls, c
	if o.calls--; o.calls == o.watches {
		o.dropIfIdle()
	}
}

// finish withdraws c, or gives back what it was granted.
func (c *call) finish(how abi.Ending) {
	switch c.state {
	case callHeldUp:
		c.object.letGo(c)
	case callWaiting:
		c.Withdraw()
		c.object.withdrawn(c)
	case callSettled:
		// Nobody has been told: what was granted goes back.
		completions.remove(c)
		if c.op == abi.OpTake {
			c.op = abi.OpGet
		}
		if c.object.settled(c).holds() {
			c.object.end(c, abi.EndingUnused)
		}
	case callHolding:
		if c.op == abi.OpOccupy {
			c.object.vacated()
		} else {
			c.object.end(c, how)
		}
	}
	pump = pump || c.object.shared()
}

// decided says that the hub alone says how c ended: it gives something, or ends holding something, and its client waits
// for the answer even when it wants it to end.
func (c *call) decided() bool {
	return c.op == abi.OpPut || c.op == abi.OpWait &&
		(c.object.key.kind == abi.KindBarrier || c.object.key.kind == abi.KindCondition)
}

// Wake puts c on the list of completions. It allocates nothing, so nothing comes between its lines.
func (c *call) Wake() {
	c.state = callSettled
	completions.push(c)
	woken += 1 + int(c.Others)
	ring()
}

// ring has JavaScript drain, unless it is about to.
func ring() {
	if !inExport && !belled {
		belled = true
		bell()
	}
}

// bell asks JavaScript to drain.
var bell = func() {}
