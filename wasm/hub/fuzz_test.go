package hub

import (
	"slices"
	"testing"
	"unicode/utf16"

	"github.com/clca-dev/clca/wasm/hub/abi"
)

// FuzzExports takes its input for a program of several realms, which call the exported functions in every order and
// with every argument, as the loader and clients do and as they never would. A shadow holds after each step what the
// hub has promised, and at the end, when all sessions have ended and all names are closed, that nothing is left.
//
// An instruction is four bytes: what is done, by whom and in which slot, on which name, with which argument. So what a
// mutation changes is one of these, and a program that is cut anywhere is one.
func FuzzExports(f *testing.F) {
	for _, p := range scenarios() {
		f.Add(p.code())
	}
	forgetAll() // what other tests have left
	f.Fuzz(func(t *testing.T, code []byte) {
		m := &machine{shadow: newShadow(t)}
		defer func() {
			if panicked := recover(); panicked != nil {
				t.Errorf("the hub has panicked: %v\n%s", panicked, m.story())
				panic(panicked)
			}
		}()
		m.run(code)
		m.over()
	})
}

// machine carries a program out.
type machine struct {
	*shadow
	made int // calls, of which a program makes so many only
}

const (
	maxInstructions = 200
	maxCalls        = 1500
	maxSessions     = 10
	manyCalls       = 300 // that are looked through after a few steps only
)

// instruction is what four bytes stand for.
type instruction struct{ what, who, name, arg byte }

// The instructions, by what: below rawOp an operation of the name's kind, by its place in operations; below other any
// operation as it is, on a name index; and then one of the others.
const (
	rawOp = 0x80
	other = 0xc0
)

const (
	endCall = other + iota
	endCallToo
	finishRun
	finishRunToo
	openAnother
	endSession
	bindName
	forgetNames
	drainWindow
	burst
	callStale
	countDropped
	recovers
	reports
	lastOther
)

// operations are what each kind can do, and what it cannot.
var operations = [...][]abi.Op{
	abi.KindSignal: {abi.OpWait, abi.OpSignal, abi.OpClose, abi.OpStats, abi.OpHubStats, abi.OpTest},
	abi.KindCheckpoint: {abi.OpWait, abi.OpArm, abi.OpResume, abi.OpDisarm, abi.OpClose, abi.OpStats, abi.OpRetake,
		abi.OpWatch},
	abi.KindTask:     {abi.OpWait, abi.OpTest, abi.OpClose, abi.OpStats, abi.OpOccupy},
	abi.KindOnce:     {abi.OpWait, abi.OpTest, abi.OpClose, abi.OpStats, abi.OpOccupy},
	abi.KindResource: {abi.OpAcquire, abi.OpClose, abi.OpStats, abi.OpOccupy},
	abi.KindLock: {abi.OpAcquire, abi.OpTry, abi.OpSteal, abi.OpTest, abi.OpClose, abi.OpStats,
		abi.OpReenter, abi.OpRetake},
	abi.KindReentrantLock: {abi.OpAcquire, abi.OpTry, abi.OpReenter, abi.OpTest, abi.OpClose, abi.OpStats,
		abi.OpSteal, abi.OpRetake},
	abi.KindRWLock: {abi.OpAcquire, abi.OpTry, abi.OpSteal, abi.OpTest, abi.OpClose, abi.OpStats,
		abi.OpQuery, abi.OpRetake},
	abi.KindSemaphore: {abi.OpAcquire, abi.OpTry, abi.OpResize, abi.OpClose, abi.OpStats, abi.OpRetake},
	abi.KindEvent:     {abi.OpWait, abi.OpSet, abi.OpClear, abi.OpTest, abi.OpClose, abi.OpStats},
	abi.KindCondition: {abi.OpWait, abi.OpNotify, abi.OpStats, abi.OpClose},
	abi.KindBarrier:   {abi.OpWait, abi.OpReset, abi.OpTest, abi.OpClose, abi.OpStats},
	abi.KindLatch:     {abi.OpWait, abi.OpCountDown, abi.OpClose, abi.OpStats},
	abi.KindQueue: {abi.OpPut, abi.OpGet, abi.OpTryPut, abi.OpTryGet, abi.OpTaskDone, abi.OpJoin, abi.OpAcquire,
		abi.OpCloseNow, abi.OpClose, abi.OpStats, abi.OpTake},
	abi.KindPool: {abi.OpAcquire, abi.OpTry, abi.OpReplace, abi.OpEvict, abi.OpJoin, abi.OpClose, abi.OpStats,
		abi.OpOccupy},
	abi.KindDenied: {abi.OpWait, abi.OpPut},
}

// catalogue are the names that programs use: few, so that sessions meet, and some that do not agree.
var catalogue = [...]naming{
	{named(abi.KindSignal, "a"), 0},
	{named(abi.KindCheckpoint, "a"), 0},
	{named(abi.KindTask, "a"), 0},
	{named(abi.KindOnce, "a"), 0},
	{named(abi.KindResource, "a"), 0},
	{named(abi.KindLock, "a"), 0},
	{named(abi.KindReentrantLock, "a"), 0},
	{named(abi.KindRWLock, "a"), 0},
	{named(abi.KindSemaphore, "a"), 3},
	{named(abi.KindEvent, "a"), 0},
	{conditionOf("a", ""), 0},
	{named(abi.KindBarrier, "a"), 3},
	{named(abi.KindLatch, "a"), 2},
	{named(abi.KindQueue, "a"), abi.QueueUnbounded},
	{named(abi.KindPool, "a"), 2},
	{named(abi.KindQueue, "b"), 1},
	{named(abi.KindQueue, "c"), uint32(abi.QueueOrderLifo)<<abi.QueueOrderShift | 2},
	{named(abi.KindQueue, "d"), uint32(abi.QueueOrderPriority)<<abi.QueueOrderShift | 3},
	{named(abi.KindQueue, "e"), abi.Unsaid},
	{named(abi.KindQueue, "e"), 0},
	{named(abi.KindPool, "b"), 1},
	{conditionOf("a", "b"), 0},
	{named(abi.KindSemaphore, "b"), 1},
	{named(abi.KindSemaphore, "a"), 2},
	{named(abi.KindBarrier, "b"), 1},
	{named(abi.KindLatch, "b"), 0},
	{named(abi.KindTask, "b"), 0},
	{named(abi.KindResource, "b"), 0},
	{named(abi.KindLock, "b"), 0},
	{named(abi.KindDenied, ""), 0},
}

// rawName and more: any kind with any argument.
const rawName = 0xc0

func named(kind abi.Kind, name string) key { return key{kind: kind, name: utf16Of(name)} }

// conditionOf is a name of a condition, which begins with that of its lock.
func conditionOf(lock, name string) key {
	return key{abi.KindCondition, utf16Of(lock + name), len(utf16Of(lock))}
}

// utf16Of is a name as the hub keeps it, apart from those of other tests.
func utf16Of(name string) string { return string(bytesOf(utf16.Encode([]rune("fuzz " + name)))) }

// boundaries are arguments at the ends of what makes sense.
var boundaries = [16]uint32{
	0, 1, 2, 3, 1 << 8, 1 << 16, abi.QueueUnbounded - 1, abi.QueueUnbounded, abi.QueueUnbounded + 1,
	1 << 30, 3 << abi.QueueOrderShift, maxArg, maxArg + 1, abi.ItemNumbers + 1, abi.Unsaid - 1, abi.Unsaid,
}

const boundary = 0xf0 // and more: of the arguments of an instruction, an entry of boundaries

func argument(b byte) uint32 {
	if b >= boundary {
		return boundaries[b&15]
	}
	return uint32(b & 7)
}

func priority(b byte) uint32 {
	switch b {
	case 0xff:
		return 1<<31 - 1
	case 0xfe:
		return 1 << 31
	}
	return uint32(int32(int8(b)) >> 3)
}

func (m *machine) run(code []byte) {
	for at := 0; at+4 <= len(code) && at < 4*maxInstructions && m.made < maxCalls; at += 4 {
		i := instruction{code[at], code[at+1], code[at+2], code[at+3]}
		if len(m.sessions) == 0 {
			m.open(noParent, 0, 1)
		}
		r := m.sessions[int(i.who&7)%len(m.sessions)]
		switch {
		case i.what < rawOp:
			m.operate(r, i)
		case i.what < other:
			m.raw(r, i)
		default:
			m.others(r, i)
		}
		if m.made < manyCalls || at%(4*16) == 0 {
			m.holds()
		}
	}
}

// operate makes a call that makes sense, but for its slot in few cases.
func (m *machine) operate(r *realm, i instruction) {
	index, n := m.nameOf(r, i)
	ops := operations[n.key.kind]
	op := ops[int(i.what)%len(ops)]
	m.makes(r, op, index, m.slot(r, i), m.argumentOf(r, op, n.key, i.arg), priority(i.arg))
}

func (m *machine) makes(r *realm, op abi.Op, index, slot, arg, priority uint32) *shadowCall {
	m.made++
	if op == abi.OpPut || op == abi.OpTryPut {
		m.lastItem++ // the hub's realm numbers them
		arg = m.lastItem
	}
	return m.call(r, op, index, slot, arg, priority)
}

// nameOf returns an index for a name, which it binds as a client does.
func (m *machine) nameOf(r *realm, i instruction) (uint32, naming) {
	n := catalogue[int(i.name)%len(catalogue)]
	if i.name >= rawName {
		n = naming{named(abi.Kind(i.name&15), string('p'+rune(i.name>>4&3))), boundaries[i.arg&15]}
		if n.key.kind == abi.KindCondition {
			n.key.lock = 2 * int(i.arg&1)
		}
		if !hasArgument(n.key.kind) {
			n.arg = 0
		}
	}
	at := slices.Index(r.names, n)
	if at < 0 {
		at = len(r.names)
		arg := n.arg
		if n.key.kind == abi.KindCondition {
			arg = uint32(n.key.lock / 2)
		}
		m.bind(r, uint32(at), uint32(n.key.kind), n.key.name, arg)
	}
	return uint32(at), n
}

// slot returns a slot as a client chooses it, or one that it never would.
func (m *machine) slot(r *realm, i instruction) uint32 {
	switch i.who >> 3 {
	case 28:
		return uint32(int(i.name) % (len(r.calls) + 1))
	case 29:
		return uint32(len(r.calls)) + 1
	case 30:
		return 1 << 31
	case 31:
		return abi.Unsaid
	}
	return r.freeSlot()
}

func (r *realm) freeSlot() uint32 {
	if r.live < len(r.calls) {
		return uint32(slices.Index(r.calls, nil))
	}
	return uint32(len(r.calls))
}

// argumentOf returns what an operation is given: numbers of what there is where it wants one, or anything.
func (m *machine) argumentOf(r *realm, op abi.Op, k key, b byte) uint32 {
	if b >= boundary {
		return argument(b)
	}
	switch {
	case op == abi.OpWait && k.kind == abi.KindCondition:
		k = key{kind: abi.KindLock, name: k.name[:k.lock]}
	case op == abi.OpEvict:
		if run := m.runOf(r, b); run != nil {
			return run.number
		}
		return 0
	case op != abi.OpReenter && op != abi.OpReplace:
		return argument(b)
	}
	var held []uint32
	for slot, c := range r.calls {
		if c != nil && c.key == k && c.holds {
			held = append(held, uint32(slot))
		}
	}
	if len(held) == 0 {
		return argument(b)
	}
	return held[int(b)%len(held)]
}

// runOf returns a run of the session, or nil if it has none.
func (m *machine) runOf(r *realm, b byte) *shadowRun {
	var own []uint32
	for _, run := range m.runs {
		if run.realm == r && run.active() {
			own = append(own, run.number)
		}
	}
	if len(own) == 0 {
		return nil
	}
	slices.Sort(own)
	return m.runs[own[int(b)%len(own)]]
}

// raw makes any call.
func (m *machine) raw(r *realm, i instruction) {
	switch op := abi.Op(i.what - rawOp); op {
	case abi.OpEnd:
		m.endCall(r, m.slot(r, i), argument(i.arg))
	case abi.OpFinish:
		m.finish(r, argument(i.arg), uint32(i.name))
	default:
		m.makes(r, op, uint32(i.name), m.slot(r, i), argument(i.arg), priority(i.arg))
	}
}

func (m *machine) others(r *realm, i instruction) {
	switch other + (i.what-other)%(lastOther-other) {
	case endCall, endCallToo:
		m.endCall(r, m.taken(r, i.name), argument(i.arg))
	case finishRun, finishRunToo:
		m.finishes(r, i)
	case openAnother:
		if len(m.sessions) < maxSessions {
			m.opens(r, i)
		}
	case endSession:
		m.end(r)
	case bindName:
		m.binds(r, i)
	case forgetNames:
		m.forget(r)
	case drainWindow:
		m.drain()
	case burst:
		index, n := m.nameOf(r, i)
		op := operations[n.key.kind][0]
		for range 8 * int(i.arg) {
			if m.made == maxCalls || m.makes(r, op, index, r.freeSlot(), m.argumentOf(r, op, n.key, i.who>>3), 0) == nil {
				break
			}
		}
	case callStale:
		m.stale(i)
	case countDropped:
		exportDropped(uint32(r.handle))
	case recovers:
		m.recover(argument(i.arg), argument(i.name))
	case reports:
		m.makes(r, abi.OpReported, 0, m.slot(r, i), 0, 0)
	}
}

// taken returns the slot of a call that is outstanding, if there is one.
func (m *machine) taken(r *realm, b byte) uint32 {
	nth := int(b)
	if r.live > 0 {
		nth %= r.live
	}
	for slot, c := range r.calls {
		if c == nil {
			continue
		}
		if nth == 0 {
			return uint32(slot)
		}
		nth--
	}
	return uint32(b)
}

func (m *machine) finishes(r *realm, i instruction) {
	for range m.sessions {
		if run := m.runOf(r, i.name); run != nil {
			by := r
			if i.arg >= boundary { // who does not run it
				by = m.sessions[int(i.arg)%len(m.sessions)]
			}
			m.finish(by, run.number, uint32(i.arg&7%3))
			return
		}
		r = m.sessions[(slices.Index(m.sessions, r)+1)%len(m.sessions)]
	}
	m.finish(r, uint32(i.name), uint32(i.arg))
}

func (m *machine) opens(r *realm, i instruction) {
	limit, reports := uint32(0), uint32(i.who>>3&1)
	if i.arg < 16 {
		limit = uint32(i.arg)
	}
	switch {
	case i.name&1 == 0:
		m.open(noParent, limit, reports)
	case i.name < boundary || len(m.ended) == 0:
		m.open(r.handle, limit, reports)
	default:
		m.open(m.ended[int(i.arg)%len(m.ended)], limit, reports)
	}
}

func (m *machine) binds(r *realm, i instruction) {
	index := uint32(len(r.names))
	switch i.who >> 3 {
	case 28, 29:
		index = uint32(int(i.name) % (len(r.names) + 1))
	case 30:
		index++
	case 31:
		index = abi.MaxNames
	}
	name := utf16Of(string([]rune{'p' + rune(i.name>>6), 'q'}[:i.name&1+1]))
	m.bind(r, index, uint32(i.name>>1&31), name, argument(i.arg))
}

// stale calls for a session that has ended, or never was.
func (m *machine) stale(i instruction) {
	h := uint32(i.arg) << 12
	if len(m.ended) > 0 && i.arg < boundary {
		h = uint32(m.ended[int(i.arg)%len(m.ended)])
	}
	if m.find(handle(h)) != nil {
		return
	}
	m.did("stale", h)
	m.refused(func() uint32 { return exportCall(h, uint32(i.name), 0, 0, 0, 0) })
	m.refused(func() uint32 { return exportEnd(h) })
	m.refused(func() uint32 { return exportBind(h, 0, 0, 0, 0) })
	m.refused(func() uint32 { return exportForget(h) })
}

// over ends all sessions, and then has another close all names that are not as new.
func (m *machine) over() {
	m.recover(0, 0)
	for len(m.sessions) > 0 {
		m.end(m.sessions[len(m.sessions)/2])
		m.holds()
	}
	helper := m.open(noParent, 1, 0)
	var left []key
	for k, o := range names {
		if !o.pinned {
			m.must(k.kind != abi.KindCondition, "a condition is left")
			left = append(left, k)
		}
	}
	for _, k := range left {
		index := uint32(len(helper.names))
		if index == abi.MaxNames {
			break
		}
		m.bind(helper, index, uint32(k.kind), k.name, names[k].arg)
		op := abi.OpClose
		if k.kind == abi.KindQueue {
			op = abi.OpCloseNow
		}
		m.call(helper, op, index, helper.freeSlot(), 0, 0)
		m.holds()
	}
	m.end(helper)
	m.nothing()
}
