package hub

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// shadow is what the hub's tables ought to say, kept from what sessions ask for and are told. It makes the calls of all
// realms, and holds after each that
//   - every entry is for a live session, and for a call of it that is outstanding;
//   - a call is told one final status, after at most one grant, and at once unless its operation may wait;
//   - what is refused changes nothing;
//   - a run is told to one session, which alone hears of it; a payload that is told of is kept, and freed once;
//   - an item is in one place; no more is granted than a primitive has to give;
//   - a call that stands for several callers counts as so many, wherever callers are counted;
//   - a name that nothing uses lingers only if it is as good as new, with few others;
//   - the tables have what was told and nothing else.
type shadow struct {
	t        *testing.T
	sessions []*realm // live, in the order in which they were opened
	ended    []handle
	runs     map[uint32]*shadowRun
	lastRun  uint32
	items    map[uint32]*shadowItem
	lastItem uint32
	sizes    map[key]int      // of semaphores
	known    map[key]*object  // the names at the last look
	granted  map[key]struct{} // what was granted in the last step
	trace    []stepTaken
}

// realm is a session with the bookkeeping of its realm.
type realm struct {
	handle   handle
	parent   *realm
	limit    int
	names    []naming
	calls    []*shadowCall // by slot; nil where free
	live     int           // how many of those are not
	callers  int           // for how many they stand
	stranded []*shadowRun  // freed in this step without StatusOver
}

// naming is what a name index is bound to.
type naming struct {
	key key
	arg uint32
}

type shadowCall struct {
	realm *realm
	slot  uint32
	op    abi.Op
	key   key
	arg   uint32
	more  int      // for how many callers it stands beside one
	must  abi.Code // that it fails with, if it must
	wakes int      // how many callers it must wake, or anyNumber
	stats []uint32 // what it must be told before its answer, or nil
	parts []uint32 // what it was told
	holds bool
	lost  bool
	lent  uint32      // the run or item that it was lent
	guard *shadowCall // of a wait on a condition, until it is told how that ended
	away  bool        // of a guard: its holder waits
}

const mayPass abi.Code = 1<<32 - 1 // of a call that need not fail

const anyNumber = -1

type shadowRun struct {
	number   uint32
	realm    *realm
	key      key
	finished bool
	outcome  abi.Outcome
	stopping bool
	over     bool
}

// active says that the run can be finished.
func (r *shadowRun) active() bool {
	return !r.over && (!r.finished || r.key.kind == abi.KindResource || r.key.kind == abi.KindPool)
}

type shadowItem struct {
	key    key
	lentTo []*shadowCall // one at most, but for the time between a grant and the end of the one before
}

// stepTaken is one exported function that was called, for who reads a failure.
type stepTaken struct {
	what string
	args []uint32
	told []entry
}

func newShadow(t *testing.T) *shadow {
	t.Cleanup(func() {
		if t.Failed() {
			forgetAll()
		}
	})
	generation = 1 // it is known before anything is asked of a hub
	return &shadow{
		t: t, lastRun: lastRun, lastItem: abi.ItemNumbers,
		runs: map[uint32]*shadowRun{}, items: map[uint32]*shadowItem{}, sizes: map[key]int{},
		known: map[key]*object{}, granted: map[key]struct{}{},
	}
}

func (s *shadow) must(ok bool, format string, args ...any) {
	if ok {
		return
	}
	s.t.Helper()
	s.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), s.story())
}

// story lists the steps.
func (s *shadow) story() string {
	var b strings.Builder
	for _, step := range s.trace {
		fmt.Fprintf(&b, "  %s%d", step.what, step.args)
		for _, e := range step.told {
			fmt.Fprintf(&b, " %x/%d:%d(%d)", uint32(e.session), e.call, e.status, e.value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// ---- what realms do ----

func (s *shadow) did(what string, args ...uint32) {
	s.trace = append(s.trace, stepTaken{what: what, args: args})
}

// hears takes in what an exported function has returned.
func (s *shadow) hears(result uint32) {
	clear(s.granted)
	told, flags := read(s.t, result)
	s.trace[len(s.trace)-1].told = told
	s.must(flags == 0, "flags %x", flags)
	for _, e := range told {
		s.told(e)
	}
}

// refused holds that a call which makes no sense is refused, and changes nothing.
func (s *shadow) refused(export func() uint32) {
	before := digest()
	result := export()
	s.must(result == abi.Refused, "returned %x where Refused was due", result)
	s.must(digest() == before, "what was refused has changed something")
}

// open opens a session, and returns it, or nil if there can be none.
func (s *shadow) open(parent handle, limit, reports uint32) *realm {
	s.did("open", uint32(parent), limit, reports)
	r := &realm{parent: s.find(parent), limit: int(limit)}
	open := func() uint32 { return exportOpen(uint32(parent), limit, reports) }
	if r.parent != nil && s.full(r.parent, 1) {
		s.refused(open)
		return nil
	}
	s.must(open() == 1, "no session was opened")
	r.handle = handle(window[0].session)
	s.must(s.find(r.handle) == nil && !slices.Contains(s.ended, r.handle),
		"the handle %x was used before", uint32(r.handle))
	s.sessions = append(s.sessions, r)
	return r
}

// end ends a session and all below it.
func (s *shadow) end(r *realm) {
	s.did("end", uint32(r.handle))
	s.hears(exportEnd(uint32(r.handle)))
	for _, other := range s.sessions {
		s.must(!other.within(r), "a session below one that has ended lives")
	}
}

// full says that r may not have n callers more, by its own limit, one above it, or that of all sessions.
func (s *shadow) full(r *realm, n int) bool {
	for top := r; top != nil; top = top.parent {
		if top.limit > 0 && s.used(top)+n > top.limit {
			return true
		}
	}
	return r.callers+n > defaultLimit
}

// used is how much of its limit is used: by its calls, and by all sessions below it and theirs.
func (s *shadow) used(top *realm) (n int) {
	for _, r := range s.sessions {
		switch {
		case r == top:
			n += r.callers
		case r.within(top):
			n += r.callers + 1
		}
	}
	return n
}

// takenBack is how much of that is for what they held of a lost hub, which they may have whatever the limit.
func (s *shadow) takenBack(top *realm) (n int) {
	for _, r := range s.sessions {
		for _, c := range r.calls {
			if c != nil && r.within(top) && (c.op == abi.OpRetake || c.op == abi.OpOccupy) {
				n++
			}
		}
	}
	return n
}

func (r *realm) within(top *realm) bool {
	for ; r != nil; r = r.parent {
		if r == top {
			return true
		}
	}
	return false
}

// bind binds a name index.
func (s *shadow) bind(r *realm, index, kind uint32, name string, arg uint32) {
	units := uint32(len(name) / 2)
	exportScratch(units)
	copy(bytesOf(scratch), name)
	s.did("bind", uint32(r.handle), index, kind, units, arg)
	bind := func() uint32 { return exportBind(uint32(r.handle), index, kind, units, arg) }
	n := naming{key{kind: abi.Kind(kind), name: name}, arg}
	if n.key.kind == abi.KindCondition {
		n.key.lock = 2 * int(arg)
	}
	if !hasArgument(n.key.kind) {
		n.arg = 0
	}
	switch {
	case kind > uint32(abi.KindDenied), int(index) > len(r.names), index >= abi.MaxNames, n.key.lock > len(name):
		s.refused(bind)
		return
	case int(index) == len(r.names):
		r.names = append(r.names, n)
	default:
		r.names[index] = n
	}
	result := bind()
	s.must(result == 0, "bind returned %x", result)
}

// hasArgument says that primitives of that kind are created with an argument.
func hasArgument(kind abi.Kind) bool {
	switch kind {
	case abi.KindSemaphore, abi.KindBarrier, abi.KindLatch, abi.KindQueue, abi.KindPool:
		return true
	}
	return false
}

func (s *shadow) forget(r *realm) {
	s.did("forget", uint32(r.handle))
	result := exportForget(uint32(r.handle))
	s.must(result == 0, "forget returned %x", result)
	r.names = nil
}

// recover says how many clients of a lost hub have still to report, and the how manyth hub this is, which a hub knows
// before it has granted anything.
func (s *shadow) recover(clients, number uint32) {
	for _, o := range names {
		if _, ok := o.primitive.(*lock); ok {
			number = generation
		}
	}
	s.did("recover", clients, number)
	if clients == 0 {
		for k, o := range names {
			if p, ok := o.primitive.(*semaphore); ok && p.exceeded {
				s.sizes[k] = p.permits
			}
		}
	}
	s.hears(exportRecover(clients, number) &^ abi.Pump) // goroutines may wait for it
}

// call makes a call other than OpEnd and OpFinish, and returns it, or nil if it was refused.
func (s *shadow) call(r *realm, op abi.Op, index, slot, arg, priority uint32) *shadowCall {
	s.did("call", uint32(r.handle), uint32(op), index, slot, arg, priority)
	export := func() uint32 { return exportCall(uint32(r.handle), uint32(op), index, slot, arg, priority) }
	c := &shadowCall{realm: r, slot: slot, op: op, arg: arg, must: mayPass, wakes: anyNumber, key: key{kind: abi.KindDenied}}
	if int(slot) > len(r.calls) || int(slot) < len(r.calls) && r.calls[slot] != nil {
		s.refused(export)
		return nil
	}
	// What it held of a lost hub it may have, whatever its limit and who named it first.
	reports := unreported > 0 && (op == abi.OpRetake || op == abi.OpOccupy) && r.handle.session().reports
	switch {
	case op == abi.OpReported:
	case s.full(r, 1) && !(reports && r.callers < defaultLimit):
		c.must = abi.CodeLimit
	case op == abi.OpHubStats:
		c.stats = s.hubStats(r, arg != 0)
	case op == abi.OpQuery:
	case int(index) >= len(r.names), r.names[index].key.kind == abi.KindDenied:
		c.must = abi.CodeDenied
	default:
		n := r.names[index]
		c.key = n.key
		if more := othersOf(n.key.kind, op, arg); s.full(r, 1+more) && !reports {
			c.must = abi.CodeLimit
			break
		} else {
			c.more = more
		}
		o := names[n.key]
		if o != nil && s.idle(o) {
			o = nil // it is as good as none
		}
		if o == nil && n.key.kind != abi.KindCondition && newPrimitive(n.key.kind, n.arg) == nil {
			s.refused(export)
			return nil
		} else if o == nil {
			s.sizes[n.key] = int(n.arg)
		} else if !reports && n.arg != o.arg && n.arg != abi.Unsaid && o.arg != abi.Unsaid {
			c.must = abi.CodeMismatch
		}
		if c.must == mayPass {
			c.wakes = s.wakes(op, n.key)
		}
	}
	if int(slot) == len(r.calls) {
		r.calls = append(r.calls, c)
	} else {
		r.calls[slot] = c
	}
	r.live++
	r.callers += 1 + c.more
	if op == abi.OpPut || op == abi.OpTryPut {
		s.items[arg] = &shadowItem{key: c.key}
	}
	s.hears(export())
	switch {
	case !c.outstanding():
		return c
	case c.key.kind == abi.KindCondition && op == abi.OpWait:
		c.guard = r.call(arg)
		s.must(c.guard != nil && c.guard.holdsNow() && c.guard.key == c.lockKey(),
			"a wait whose guard holds nothing is parked")
		c.guard.away = true
	}
	s.must(c.must == mayPass, "not failed with %d", c.must)
	s.must(c.holds || slices.Contains(waits, op), "operation %d was not answered", op)
	return c
}

// waits are the operations that need not be answered at once.
var waits = []abi.Op{abi.OpWait, abi.OpArm, abi.OpWatch, abi.OpResume, abi.OpAcquire, abi.OpPut, abi.OpGet, abi.OpTake,
	abi.OpJoin, abi.OpReplace}

// othersOf returns for how many callers beside one a call stands, or more than any session may have.
func othersOf(kind abi.Kind, op abi.Op, arg uint32) int {
	broadcasts := kind == abi.KindSignal || kind == abi.KindCheckpoint || kind == abi.KindEvent || kind == abi.KindLatch
	if op != abi.OpWait || !broadcasts {
		return 0
	}
	return int(min(uint64(arg), 1<<30))
}

// wakes returns how many callers wait for what op does on that name, or anyNumber if that is not what it does, or not
// at once.
func (s *shadow) wakes(op abi.Op, k key) (n int) {
	o := names[k]
	switch {
	case op == abi.OpSignal && k.kind == abi.KindSignal, op == abi.OpSet && k.kind == abi.KindEvent:
	case op == abi.OpResume && k.kind == abi.KindCheckpoint && unreported == 0 && (o == nil || o.standing == 0):
	default:
		return anyNumber
	}
	for _, r := range s.sessions {
		for slot, c := range r.calls {
			if c != nil && c.key == k && c.op == abi.OpWait && r.handle.session().calls[slot].state == callWaiting {
				n += 1 + c.more
			}
		}
	}
	return n
}

// hubStats is what the numbers of the hub, or those of a session's own, ought to be. Who only watches is not counted,
// nor are names that linger.
func (s *shadow) hubStats(r *realm, own bool) []uint32 {
	sessions, callers, runs, drops := 0, 0, 0, uint64(0)
	used := map[key]bool{}
	for _, other := range s.sessions {
		if own && !other.within(r) {
			continue
		}
		sessions++
		real := other.handle.session()
		runs += len(real.runs)
		drops += real.dropped
		for _, c := range other.calls {
			if c != nil && c.op != abi.OpWatch {
				callers += 1 + c.more
				used[c.key] = true
			}
		}
	}
	if !own {
		runs, drops = s.active(), dropped
		for k, o := range names {
			if !s.idle(o) && !s.onlyWatched(o) {
				used[k] = true
			}
		}
	}
	return []uint32{uint32(sessions), 0, uint32(len(used)), 0, uint32(callers), 0, uint32(runs), 0,
		uint32(drops), uint32(drops >> 32), unreported, 0}
}

// active counts the runs that can be finished.
func (s *shadow) active() (n int) {
	for _, run := range s.runs {
		if run.active() {
			n++
		}
	}
	return n
}

// idle says that nothing keeps the name of o.
func (s *shadow) idle(o *object) bool {
	for _, r := range s.sessions {
		for _, c := range r.calls {
			if c != nil && (c.key == o.key || c.key.kind == abi.KindCondition && c.lockKey() == o.key) {
				return false
			}
		}
	}
	return s.unused(o)
}

// onlyWatched says that nothing keeps the name of o but those who watch.
func (s *shadow) onlyWatched(o *object) bool {
	for _, r := range s.sessions {
		for _, c := range r.calls {
			if c != nil && c.key == o.key && c.op != abi.OpWatch {
				return false
			}
		}
	}
	return o.key.kind == abi.KindCheckpoint && s.unused(o)
}

// unused says that o is kept by calls alone.
func (s *shadow) unused(o *object) bool {
	if l, ok := o.primitive.(*lock); ok && unreported > 0 && l.rank != generation*ranks {
		return false // who comes late with a lower rank is to be told
	}
	return !o.pinned && asNew(o)
}

func (r *realm) call(slot uint32) *shadowCall {
	if int(slot) < len(r.calls) {
		return r.calls[slot]
	}
	return nil
}

func (c *shadowCall) outstanding() bool { return c.realm.call(c.slot) == c }

// holdsNow says that the call holds what it was granted.
func (c *shadowCall) holdsNow() bool { return c.holds && !c.lost && !c.away }

// lockKey is the key of a condition's lock.
func (c *shadowCall) lockKey() key { return key{kind: abi.KindLock, name: c.key.name[:c.key.lock]} }

// decided says that the hub may answer the end of the call later.
func (c *shadowCall) decided() bool {
	return c.op == abi.OpPut || c.op == abi.OpWait && (c.key.kind == abi.KindBarrier || c.key.kind == abi.KindCondition)
}

// endCall ends a call, in whatever state it is.
func (s *shadow) endCall(r *realm, slot, how uint32) {
	s.did("endCall", uint32(r.handle), slot, how)
	c := r.call(slot)
	result := exportCall(uint32(r.handle), uint32(abi.OpEnd), 0, slot, how, 0)
	if c == nil {
		s.must(result == 0, "returned %x for a call that is over", result)
		return
	}
	s.hears(result)
	s.must(!c.outstanding() || c.decided(), "a call was not ended")
}

// finish ends a run.
func (s *shadow) finish(r *realm, number, outcome uint32) {
	s.did("finish", uint32(r.handle), number, outcome)
	export := func() uint32 { return exportCall(uint32(r.handle), uint32(abi.OpFinish), 0, outcome, number, 0) }
	run := s.runs[number]
	if run == nil || run.realm != r || !run.active() || outcome > uint32(abi.OutcomeError) {
		s.refused(export)
		return
	}
	stopping := run.stopping
	if !run.finished {
		run.finished, run.outcome = true, abi.Outcome(outcome)
	}
	s.hears(export())
	s.must(run.over || !stopping, "the run that was stopped is not over")
}

func (s *shadow) drain() {
	s.did("drain")
	result := exportDrain()
	s.must(result == 0, "drain returned %x where nothing was due", result)
}

// ---- what they are told ----

func (s *shadow) find(h handle) *realm {
	for _, r := range s.sessions {
		if r.handle == h {
			return r
		}
	}
	return nil
}

func (s *shadow) told(e entry) {
	switch e.status {
	case abi.StatusFree:
		s.must(e.session == 0 && e.call == 0, "freed for somebody")
		s.freed(e.value)
		return
	case abi.StatusOver: // its session may be gone
		run := s.runs[e.value]
		s.must(run != nil && run.realm.handle == e.session && !run.over,
			"the run %d is over where it is not known", e.value)
		run.over = true
		return
	}
	r := s.find(e.session)
	s.must(r != nil, "told to the session %x, which is not", uint32(e.session))
	switch run := s.runs[e.value]; e.status {
	case abi.StatusGone:
		s.gone(r)
		return
	case abi.StatusStop, abi.StatusCancel, abi.StatusIdle:
		s.must(run != nil && run.realm == r && !run.over,
			"status %d of the run %d, which is not the session's", e.status, e.value)
		switch e.status {
		case abi.StatusStop:
			s.must(run.made() && !run.stopping, "what was not made is unmade")
			run.stopping = true
		case abi.StatusCancel:
			s.must(!run.finished, "a run that has ended is cancelled")
		case abi.StatusIdle:
			s.must(run.made() && !run.stopping && run.key.kind == abi.KindPool, "the run %d is idle", e.value)
		}
		return
	}
	c := r.call(e.call)
	s.must(c != nil, "status %d for the call %d, which is not outstanding", e.status, e.call)
	switch e.status {
	case abi.StatusRun:
		s.must(e.value > s.lastRun, "the run %d was used before", e.value)
		s.must(!c.holds && (c.op == abi.OpWait || c.op == abi.OpAcquire || c.op == abi.OpReplace),
			"a call that does not wait runs")
		s.lastRun = e.value
		s.runs[e.value] = &shadowRun{number: e.value, realm: r, key: c.key}
	case abi.StatusHeld, abi.StatusLent:
		s.must(!c.holds, "granted twice")
		c.holds = true
		if e.status == abi.StatusLent {
			c.lent = e.value
			s.lends(c)
		}
		s.granted[c.key] = struct{}{}
	case abi.StatusLost:
		s.must(c.holds, "a call that holds nothing has lost it")
		// Who holds a resource of a name that was closed has it still.
		c.lost = c.lost || c.key.kind != abi.KindResource || abi.Code(e.value) != abi.CodeClosed
	case abi.StatusItem:
		item := s.items[e.value]
		s.must(!c.holds && item != nil && item.key == c.key && len(item.lentTo) == 0,
			"the item %d is not in the queue", e.value)
	case abi.StatusPart:
		s.must(!c.holds, "parts for a call that holds something")
		c.parts = append(c.parts, e.value)
	case abi.StatusDone, abi.StatusFail, abi.StatusResult, abi.StatusReject, abi.StatusEnded, abi.StatusArmed:
		s.final(c, e)
	default:
		s.must(false, "status %d", e.status)
	}
}

func (r *shadowRun) made() bool { return r.finished && r.outcome == abi.OutcomeResult }

func (s *shadow) lends(c *shadowCall) {
	if c.key.kind == abi.KindQueue {
		item := s.items[c.lent]
		s.must(item != nil && item.key == c.key, "the item %d is not in the queue", c.lent)
		item.lentTo = append(item.lentTo, c)
		return
	}
	run := s.runs[c.lent]
	s.must(run != nil && run.key == c.key && run.made() && !run.stopping && !run.over, "the run %d is lent", c.lent)
}

func (s *shadow) final(c *shadowCall, e entry) {
	r := c.realm
	r.calls[c.slot] = nil
	r.live--
	r.callers -= 1 + c.more
	s.must(!c.holds || e.status == abi.StatusEnded, "status %d after a grant", e.status)
	code := mayPass
	if e.status == abi.StatusFail {
		code = abi.Code(e.value)
	}
	if c.op == abi.OpWatch && e.status == abi.StatusArmed {
		code = c.must // what may not be watched is to be asked
	}
	s.must(c.must == mayPass || c.must == code, "failed with %d, not %d", code, c.must)
	switch {
	case code == mayPass:
	case code == abi.CodeDenied:
		s.must(c.must == code, "denied")
	case code == abi.CodeLimit:
		s.must(c.must == code, "beyond a limit")
	}
	switch run := s.runs[e.value]; {
	case e.status == abi.StatusResult && c.op == abi.OpQuery:
		s.must(e.value > s.lastRun, "the number %d was used before", e.value)
		s.lastRun = e.value
	case e.status == abi.StatusResult && c.op == abi.OpTake:
		item := s.items[e.value]
		s.must(item != nil && item.key == c.key && len(item.lentTo) == 0, "the item %d is not in the queue", e.value)
		delete(s.items, e.value)
	case e.status == abi.StatusResult:
		s.must(run != nil && run.key == c.key && run.made(), "there is no result of the run %d", e.value)
	case e.status == abi.StatusReject:
		s.must(run != nil && run.key == c.key && run.finished && !run.made(), "there is no error of the run %d", e.value)
	case e.status == abi.StatusDone && c.op == abi.OpResize:
		s.sizes[c.key] = int(c.arg)
	}
	if e.status == abi.StatusDone {
		s.must(c.wakes == anyNumber || int(e.value) == c.wakes, "%d callers were woken, not %d", e.value, c.wakes)
		s.must(c.stats == nil || slices.Equal(c.parts, c.stats), "told %v, not %v", c.parts, c.stats)
	}
	watched := c.op == abi.OpWatch && (c.key.kind == abi.KindCheckpoint || c.must != mayPass)
	s.must((e.status == abi.StatusArmed) == (watched && e.status != abi.StatusEnded),
		"status %d after operation %d", e.status, c.op)
	s.must(e.status != abi.StatusArmed || e.value == c.arg, "%d is told to one who watches with %d", e.value, c.arg)
	if c.guard != nil {
		c.guard.away = false
	}
	s.letsGo(c)
}

// letsGo has c hold no item any longer.
func (s *shadow) letsGo(c *shadowCall) {
	if item := s.items[c.lent]; item != nil {
		item.lentTo = slices.DeleteFunc(item.lentTo, func(other *shadowCall) bool { return other == c })
	}
}

func (s *shadow) freed(number uint32) {
	if number >= abi.ItemNumbers {
		s.must(s.items[number] != nil, "the item %d is freed twice", number)
		delete(s.items, number)
		return
	}
	run := s.runs[number]
	s.must(run != nil, "the run %d is freed twice", number)
	if !run.over {
		run.realm.stranded = append(run.realm.stranded, run)
	}
	delete(s.runs, number)
}

func (s *shadow) gone(r *realm) {
	for _, other := range s.sessions {
		s.must(other.parent != r, "a session is gone before one below it")
	}
	at := slices.Index(s.sessions, r)
	s.sessions = slices.Delete(s.sessions, at, at+1)
	s.ended = append(s.ended, r.handle)
	for _, c := range r.calls {
		if c != nil {
			s.letsGo(c)
		}
	}
	r.stranded = nil
}

// ---- what must be so ----

// tally is what the calls on one name come to.
type tally struct {
	calls, heldUp, occupied    int
	waiting, getting, putting  int // waiting: callers
	arming, watching           int
	exclusive, shared, permits int
	holders                    int // of a lock, those included who wait on a condition
	arms, lent                 int
	run                        uint32
	realm                      *realm // of the last holder
	runs, running              int
	items, claimed             int
}

// holds holds that the tables of the hub say what was told.
func (s *shadow) holds() {
	s.must(completions.head == nil && completions.tail == nil && len(notices) == 0 && noticed == 0 && !replied && !pump,
		"something is due")
	s.must(!inExport && !mu.held, "the hub is still entered")
	s.must(sessions.live == len(s.sessions), "%d sessions", sessions.live)
	tallies := map[key]*tally{}
	of := func(k key) *tally {
		t := tallies[k]
		if t == nil {
			t = new(tally)
			tallies[k] = t
		}
		return t
	}
	for _, run := range s.runs {
		if run.active() {
			of(run.key).runs++
		}
		if !run.finished {
			of(run.key).running++
		}
		s.must(!run.over, "the run %d is over and was not freed", run.number)
	}
	s.must(s.active() == len(runs), "%d runs, not %d", len(runs), s.active())
	for number, item := range s.items {
		t := of(item.key)
		t.items++
		t.claimed += len(item.lentTo)
		s.must(len(item.lentTo) <= 1, "the item %d is lent twice", number)
	}
	for _, r := range s.sessions {
		s.must(len(r.stranded) == 0, "a run was freed, and its session was not told")
		real := r.handle.session()
		s.must(real != nil && real.live == r.callers && len(real.calls) == len(r.calls),
			"calls of the session %x", uint32(r.handle))
		s.must(r.limit == 0 || s.used(r)-s.takenBack(r) <= r.limit, "more calls than the limit")
		s.must(r.callers <= defaultLimit, "more calls than any session may have")
		watches := 0
		for slot, c := range r.calls {
			have := real.calls[slot]
			s.must((have == nil) == (c == nil), "the slot %d", slot)
			if c == nil {
				continue
			}
			is := have.state == callHolding || have.state == callVoid
			s.must(is == c.holds && (is || have.state == callWaiting || have.state == callHeldUp),
				"the call %d is in state %d", slot, have.state)
			s.counts(of(c.key), c, have.state == callHeldUp)
			if c.op == abi.OpWatch {
				watches++
			}
		}
		s.must(real.watches == watches, "%d watch, not %d", real.watches, watches)
	}
	idle := 0
	for k, o := range names {
		if !o.pinned {
			s.name(k, o, of(k))
		}
		if s.idle(o) {
			idle++
		}
	}
	s.must(idle <= len(lingering.objects), "%d names linger", idle)
	for k, o := range s.known {
		if names[k] != o {
			s.must(asNew(o), "the name %v was dropped in the state %+v", k, statsOf(o.primitive))
		}
	}
	s.known = maps.Clone(names)
	for k, t := range tallies {
		s.must(t.calls+t.runs+t.items == 0 || names[k] != nil, "the name %v was dropped while it is used", k)
	}
}

func (s *shadow) counts(t *tally, c *shadowCall, heldUp bool) {
	t.calls++
	switch {
	case heldUp:
		t.heldUp++
		return
	case c.op == abi.OpOccupy:
		t.occupied++
		return
	case c.key.kind == abi.KindCondition:
		return
	}
	if !c.holds {
		switch c.op {
		case abi.OpArm:
			t.arming++
		case abi.OpWatch:
			t.watching++
		default:
			t.waiting += 1 + c.more
		}
		switch c.op {
		case abi.OpGet, abi.OpTake:
			t.getting++
		case abi.OpPut:
			t.putting++
		}
		return
	}
	switch c.key.kind {
	case abi.KindSemaphore:
		t.permits += int(c.arg)
	case abi.KindCheckpoint:
		t.arms++
	case abi.KindLock, abi.KindReentrantLock, abi.KindRWLock:
		if !c.lost {
			t.holders++
		}
	}
	if !c.holdsNow() {
		return
	}
	switch c.key.kind {
	case abi.KindLock, abi.KindReentrantLock, abi.KindRWLock:
		reenters := c.key.kind == abi.KindReentrantLock && t.realm == c.realm
		if shares := c.key.kind == abi.KindRWLock && c.op != abi.OpSteal && c.arg == uint32(abi.LockModeShared); shares {
			t.shared++
		} else if !reenters {
			t.exclusive++
		} else {
			t.permits++ // entries of the one who holds it
		}
		t.realm = c.realm
		s.must(t.exclusive <= 1 && (t.exclusive == 0 || t.shared == 0), "two hold a lock: %v", c.key)
	case abi.KindResource:
		s.must(t.lent == 0 || t.run == c.lent, "two resources of one name")
		t.lent++
		t.run = c.lent
	case abi.KindPool:
		t.lent++
		s.must(s.runs[c.lent] != nil && s.runs[c.lent].realm == c.realm, "lent to another session than made it")
		for _, other := range c.realm.calls[:c.slot] {
			s.must(other == nil || other.key != c.key || !other.holds || other.lent != c.lent, "lent twice")
		}
	}
}

// name holds that a name has the calls that were made, and that its primitive has given what was granted.
func (s *shadow) name(k key, o *object, t *tally) {
	calls := t.calls
	for _, other := range names {
		if other.base == o {
			calls++
		}
	}
	s.must(!o.dropped && o.calls == calls, "%d calls on the name %v, not %d", o.calls, k, calls)
	s.must(o.watches == t.watching, "%d watch the name %v, not %d", o.watches, k, t.watching)
	s.must(calls > 0 || !o.initial() || mayLinger(o), "the name %v is kept for nothing", k)
	s.must(o.standing == t.heldUp && o.occupied == t.occupied,
		"%d calls are held up, not %d", o.standing, t.heldUp)
	s.must(t.heldUp == 0 || t.occupied > 0 || unreported > 0, "calls on %v are held up for nothing", k)
	switch p := o.primitive.(type) {
	case *signal:
		s.must(p.Stats().Waiting == t.waiting, "%d wait for a signal, not %d", p.Stats().Waiting, t.waiting)
	case *event:
		s.must(p.Stats().Waiting == t.waiting, "%d wait for an event, not %d", p.Stats().Waiting, t.waiting)
	case *latch:
		s.must(p.Stats().Waiting == t.waiting, "%d wait for a latch, not %d", p.Stats().Waiting, t.waiting)
	case *barrier:
		v := p.Stats()
		s.must(v.Waiting == t.waiting && v.Waiting < v.Parties, "%d wait at a barrier, not %d", v.Waiting, t.waiting)
	case *checkpoint:
		v := p.Stats()
		held := v.State == core.Holding
		s.must(t.arms <= 1 && (t.arms == 1) == held && (p.armed != nil) == held, "%d arms are held", t.arms)
		s.must(t.arming <= 1 && (t.arming == 1) == (v.State == core.Armed), "%d arms wait", t.arming)
		s.must(v.Waiting == t.waiting, "%d wait at a checkpoint, not %d", v.Waiting, t.waiting)
		s.must(t.watching == 0 || v.State == core.Disarmed, "some watch what is armed")
	case *task:
		s.must(t.running <= 1 && (t.running == 1) == (p.run != nil), "%d runs of a task", t.running)
	case *resource:
		v := p.Stats()
		s.must(t.runs <= 1 && (t.runs == 1) == (p.run != nil), "%d runs of a resource", t.runs)
		s.must(v.Held == t.lent && len(p.holders) == t.lent, "%d hold a resource, not %d", v.Held, t.lent)
	case *lock:
		v := p.Stats()
		s.must(v.Holders == t.exclusive+t.shared+t.permits,
			"%d hold a lock, not %d", v.Holders, t.exclusive+t.shared+t.permits)
		listed, broken := listed(p)
		s.must(broken == "" && listed == t.holders, "%d are listed as holders of %v, not %d%s", listed, k, t.holders, broken)
	case *semaphore:
		v := p.Stats()
		s.must(v.Held == t.permits && v.Waiting == t.waiting, "%d permits are held, not %d", v.Held, t.permits)
		_, granted := s.granted[k]
		s.must((v.Size == s.sizes[k] || p.exceeded || v.Closed) && (t.permits <= v.Size || !granted),
			"%d permits of %d", t.permits, s.sizes[k])
	case *queue:
		v := p.Stats()
		s.must(v.Getting == t.getting && v.Putting == t.putting, "%d wait to get and %d to put", v.Getting, v.Putting)
		s.must(v.Len+v.Putting+t.claimed == t.items,
			"%d items are in a queue, not %d", v.Len, t.items-t.claimed-v.Putting)
		s.must(v.Getting == 0 || v.Len+v.Putting == 0, "some wait to get what there is")
	case *pool:
		v := p.Stats()
		made := v.Lent + v.Idle + v.Creating + v.Destroying
		s.must(v.Lent == t.lent && t.runs <= made && made <= int(o.arg), "%d are lent, not %d", v.Lent, t.lent)
	}
}

// listed counts the holders that a lock has listed, and says what is wrong with their list.
func listed(p *lock) (n int, broken string) {
	var before *call
	for c := p.holders.first; c != nil; before, c = c, c.hold.next {
		n++
		switch {
		case c.hold.prev != before || !c.hold.inside || c.object == nil || c.object.primitive != p || c.state != callHolding:
			return n, ": one of them is not"
		case before != nil && before.hold.number >= c.hold.number:
			return n, ": not in the order in which they were granted it"
		}
	}
	if p.holders.last != before {
		return n, ": the last is another"
	}
	return n, ""
}

// mayLinger says that o is one of those names that are kept though nothing uses them.
func mayLinger(o *object) bool {
	switch o.key.kind {
	case abi.KindTask, abi.KindOnce, abi.KindResource, abi.KindPool, abi.KindCondition:
		return false
	}
	return o.lingers && slices.Contains(lingering.objects[:], o) && !o.closed && asNew(o) && len(o.key.name) <= maxLinger
}

// nothing holds that of all that was no trace is left.
func (s *shadow) nothing() {
	s.holds()
	for k, o := range names {
		s.must(o.pinned, "the name %v is left", k)
	}
	s.must(len(s.runs) == 0 && len(runs) == 0, "%d payloads of runs are left", len(s.runs))
	s.must(len(s.items) == 0, "%d items are left", len(s.items))
	for _, session := range sessions.table {
		s.must(session == nil, "a session is left")
	}
	s.must(len(sessions.free) == len(sessions.table),
		"%d of %d sessions are free", len(sessions.free), len(sessions.table))
	n := 0
	for c := freeCalls; c != nil; c = c.next {
		s.must(c.state == callFree && c.session == nil && c.object == nil, "a call in state %d is free", c.state)
		n++
		s.must(n < 1<<20, "the list of free calls has no end")
	}
	s.must(n >= leastFree, "%d calls are free, %d were before", n, leastFree)
	leastFree = n
	for _, o := range lingering.objects {
		s.must(o == nil || o.dropped || o.pinned, "a name that was closed lingers")
	}
	clear(lingering.objects[:])
	lingering.next = 0 // so that an input does the same whatever came before it
}

// forgetAll makes the hub as new, so that one failure is not that of all inputs to come.
func forgetAll() {
	for k, o := range names {
		if !o.pinned {
			delete(names, k)
		}
	}
	clear(runs)
	clear(lingering.objects[:])
	lingering.next = 0
	sessions.table, sessions.generations, sessions.free, sessions.live = nil, nil, nil, 0
	completions, notices, noticed, replied, pump = completionList{}, nil, 0, false, false
	freeCalls, leastFree, unreported = nil, 0, 0
	inExport, mu = false, guard{}
}

var leastFree int // how many calls were free when all was over

// asNew says that nobody can tell a primitive from a new one, or from one that was closed and is out of use.
func asNew(o *object) bool {
	switch p := o.primitive.(type) {
	case *checkpoint:
		return p.Stats().State == core.Disarmed
	case *task:
		return p.Stats().State == core.TaskIdle
	case *resource:
		return p.Stats().State == core.ResourceIdle
	case *lock:
		v := p.Stats()
		return v.Holders == 0 && (!v.Orphaned || v.Closed)
	case *semaphore:
		v := p.Stats()
		return v.Held == 0 && (v.Size == int(o.arg) || v.Closed)
	case *event:
		return !p.Stats().Set
	case *barrier:
		return !p.Stats().Broken
	case *latch:
		v := p.Stats()
		return v.Remaining == int(o.arg) || v.Closed
	case *queue:
		v := p.Stats()
		fresh := newQueue(o.arg).(*queue).Stats()
		return v.Len == 0 && v.Putting == 0 && (v.Unfinished == 0 && v.Capacity == fresh.Capacity || v.Closed)
	case *pool:
		v := p.Stats()
		return v.Lent+v.Idle+v.Creating+v.Destroying == 0
	}
	return true
}

// digest is a number for all that the hub knows.
func digest() (sum uint64) {
	add := func(v any) { sum = sum*31 + maphash.Comparable(seed, v) }
	for _, s := range sessions.table {
		if s == nil {
			continue
		}
		add([...]any{s.handle, s.live, s.full(1), s.ending, s.reports, s.dropped, len(s.children), len(s.runs)})
		for _, b := range s.names {
			add([...]any{b.key, b.arg})
		}
		for _, c := range s.calls {
			if c != nil {
				add([...]any{c.slot, c.op, c.arg, c.state, c.held, c.Priority, c.Value(), c.Err()})
			}
		}
	}
	all := sum
	for k, o := range names { // in any order
		if o.calls == 0 && !o.pinned && asNew(o) {
			continue // it lingers
		}
		sum = 0
		add([...]any{k, o.arg, o.calls, o.watches, o.pinned, o.dropped, o.occupied, o.standing, statsOf(o.primitive)})
		all += sum
	}
	sum = all
	add([...]any{lastRun, lastLock, dropped, unreported, len(runs), len(notices), replied, pump, len(sessions.free)})
	return sum
}

var seed = maphash.MakeSeed()

func statsOf(p primitive) any {
	switch p := p.(type) {
	case *signal:
		return p.Stats()
	case *checkpoint:
		return p.Stats()
	case *task:
		return p.Stats()
	case *resource:
		return p.Stats()
	case *lock:
		return p.Stats()
	case *semaphore:
		return p.Stats()
	case *event:
		return p.Stats()
	case *condition:
		return p.Stats()
	case *barrier:
		return p.Stats()
	case *latch:
		return p.Stats()
	case *queue:
		return p.Stats()
	case *pool:
		return p.Stats()
	}
	return nil
}
