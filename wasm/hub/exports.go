package hub

import (
	"runtime"
	"unsafe"

	"github.com/clca-dev/clca/wasm/hub/abi"
)

// The exported functions. None of them blocks, and JavaScript enters none while Go is on the stack. Each returns what
// flush returns, or Busy or Refused, unless its comment says otherwise.

// enter begins an exported function. It returns false if a goroutine holds the hub's mutex.
func enter() bool {
	if !mu.TryLock() {
		return false
	}
	inExport = true
	return true
}

// leave ends an exported function that entered.
func leave(flags uint32) uint32 {
	inExport = false
	mu.Unlock()
	switch {
	case only && exertion >= turnAfter:
		exertion = 0
		runtime.Gosched()
	case exertion >= resumeAfter:
		exertion = 0
		flags |= abi.Pump
	}
	return flags
}

// only is set by ServeOnly.
var only bool

// exertion is how much was done since Go had its last turn, in calls.
//
// Exported functions return without running any goroutine, and so without the collector's worker. A mark that begins in
// one would go on only as far as those who allocate have to assist; near its end that can be not at all for the next
// hundred megabytes, and until it ends every pointer that is written costs twice as much and nothing is freed. So now and
// then Go has a turn.
//
// Best is one before JavaScript has its own: the exported function does not park by that, it stays runnable; and since it
// does, the worker is given its quarter of the time, and not all that the mark takes, as when Go is resumed. But any
// goroutine that is ready, or whose timer has expired, runs then as well, and if it calls JavaScript that calls back into
// Go, Go takes one for the other. So that is for programs that say that they have none; in others Go is resumed.
var exertion int

const (
	turnAfter   = 128 // what takes longer than a turn by far
	resumeAfter = 1 << 13
	ofCall      = 1
	ofNewCall   = 8 // what is allocated is what the mark has to keep up with
	ofNewName   = 32
)

// exportWindow returns the address of the completion window.
//
//go:wasmexport clca_window
func exportWindow() uintptr { return uintptr(unsafe.Pointer(&window)) }

var scratch []uint16

// exportScratch returns the address of a buffer for a name of so many UTF-16 units, valid until the next call.
//
//go:wasmexport clca_scratch
func exportScratch(units uint32) uintptr {
	if int(units) > len(scratch) {
		scratch = make([]uint16, max(256, units))
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(scratch)))
}

// exportOpen opens a session below another, or below none if parent is no session. A limit above 0 is how many calls it
// and those below it may have outstanding; reports is 1 for one that has to report what it held of a lost hub. The
// session's handle is the only entry of the window.
//
//go:wasmexport clca_open
func exportOpen(parent, limit, reports uint32) uint32 {
	if !enter() {
		return abi.Busy
	}
	s := openSession(handle(parent).session(), int(limit))
	if s == nil {
		return leave(abi.Refused)
	}
	s.reports = reports != 0
	window[0].session = uint32(s.handle)
	return leave(1)
}

// exportEnd ends a session and all below it; each is told to the hub's realm by StatusGone.
//
//go:wasmexport clca_end
func exportEnd(h uint32) uint32 {
	s := handle(h).session()
	if s == nil {
		return abi.Refused
	}
	if !enter() {
		return abi.Busy
	}
	if !s.end() {
		return leave(abi.Busy)
	}
	return leave(flush())
}

// exportBind binds a name index of a session to the name in the scratch buffer. Indices are dense, as slots are.
//
//go:wasmexport clca_bind
func exportBind(h, index, kind, units, arg uint32) uint32 {
	s := handle(h).session()
	if s == nil || kind > uint32(abi.KindDenied) || int(index) > len(s.names) || index >= abi.MaxNames ||
		int(units) > len(scratch) {
		return abi.Refused
	}
	b := binding{key: key{kind: abi.Kind(kind), name: string(bytesOf(scratch[:units]))}, arg: arg}
	if b.key.kind == abi.KindCondition {
		if arg > units {
			return abi.Refused
		}
		b.key.lock = 2 * int(arg)
	}
	switch b.key.kind {
	case abi.KindSemaphore, abi.KindBarrier, abi.KindLatch, abi.KindQueue, abi.KindPool:
	default:
		b.arg = 0 // created without an argument
	}
	if int(index) == len(s.names) {
		s.names = append(s.names, b)
	} else {
		s.names[index] = b
	}
	return 0
}

// exportForget unbinds all name indices of a session.
//
//go:wasmexport clca_forget
func exportForget(h uint32) uint32 {
	s := handle(h).session()
	if s == nil {
		return abi.Refused
	}
	clear(s.names)
	s.names = s.names[:0]
	return 0
}

// exportCall carries out one call of a session.
//
//go:wasmexport clca_call
func exportCall(h, op, name, slot, arg, priority uint32) uint32 {
	s := handle(h).session()
	if s == nil || s.ending {
		return abi.Refused
	}
	if !enter() {
		return abi.Busy
	}
	reports := s.reports && unreported > 0 && (op == uint32(abi.OpRetake) || op == uint32(abi.OpOccupy))
	switch {
	case op == uint32(abi.OpEnd):
		return leave(s.endCall(slot, abi.Ending(arg)))
	case op == uint32(abi.OpFinish):
		return leave(s.finishRun(arg, abi.Outcome(slot)))
	case int(slot) > min(len(s.calls), maxSlots) || int(slot) < len(s.calls) && s.calls[slot] != nil:
		return leave(abi.Refused)
	case op == uint32(abi.OpReported):
		s.reports = false
		return leave(s.answer(slot, done(0)))
	case s.full(1) && !(reports && s.live < defaultLimit): // what it held it may have
		return leave(s.refuse(slot, abi.Op(op), arg, abi.CodeLimit))
	case op == uint32(abi.OpHubStats):
		return leave(s.answer(slot, hubStats(s, slot, arg != 0)))
	case op == uint32(abi.OpQuery):
		return leave(s.answer(slot, query(s)))
	case int(name) >= len(s.names) || s.names[name].key.kind == abi.KindDenied:
		return leave(s.refuse(slot, abi.Op(op), arg, abi.CodeDenied))
	}
	b := &s.names[name]
	n := callers(b.key.kind, abi.Op(op), arg)
	if n > 1 && s.full(n) {
		return leave(s.refuse(slot, abi.Op(op), arg, abi.CodeLimit))
	}
	o := b.resolve()
	if o == nil {
		return leave(abi.Refused)
	}
	if !reports && !o.agrees(b.arg) {
		numbers(s, slot, uint64(o.said()))
		return leave(s.refuse(slot, abi.Op(op), arg, abi.CodeMismatch))
	}
	exertion += ofCall
	c := s.open(slot, o, abi.Op(op), arg, priority, n)
	if o.contended() {
		c.free()
		return leave(abi.Busy)
	}
	if o.key.kind > abi.KindResource {
		pump = pump || o.shared() // the older kinds know better whether they woke a goroutine
	}
	// Nothing is allocated from here to the primitive's mutex, so it is still free.
	if a := o.take(c, priority); a.told {
		if a == unsupported {
			notPut(abi.Op(op), arg)
		}
		reply, replied = c.tell(a), true
	}
	if quiet() {
		return leave(0)
	}
	return leave(flush())
}

// answer answers a call that was never opened.
func (s *session) answer(slot uint32, a answer) uint32 {
	if int(slot) == len(s.calls) {
		s.calls = append(s.calls, nil)
	}
	reply, replied = notice{uint32(s.handle), slot, uint32(a.status), a.value}, true
	return flush()
}

// refuse fails a call that was never opened.
func (s *session) refuse(slot uint32, op abi.Op, arg uint32, code abi.Code) uint32 {
	notPut(op, arg)
	if op == abi.OpWatch {
		return s.answer(slot, answered(abi.StatusArmed, arg)) // it will not be told, and is to ask
	}
	return s.answer(slot, answered(abi.StatusFail, uint32(code)))
}

// notPut frees the item of a call that no queue has seen.
func notPut(op abi.Op, arg uint32) {
	if op == abi.OpPut || op == abi.OpTryPut {
		free(arg)
	}
}

func (s *session) endCall(slot uint32, how abi.Ending) uint32 {
	if int(slot) >= len(s.calls) || s.calls[slot] == nil {
		return 0 // told already; its client knows in a moment
	}
	c := s.calls[slot]
	if c.object.contended() {
		return abi.Busy
	}
	if c.decided() {
		if p, ok := c.object.primitive.(*condition); ok {
			pump = pump || c.object.shared()
			p.cancel(c)
			return flush()
		}
		if c.state == callSettled {
			return flush() // too late; it is about to be told
		}
	}
	c.finish(how)
	reply, replied = c.tell(answered(abi.StatusEnded, 0)), true
	return flush()
}

// exportDropped counts one message that was not of the protocol, or a call that was refused, of a session if there is
// one of that handle.
//
//go:wasmexport clca_dropped
func exportDropped(h uint32) {
	dropped++
	if s := handle(h).session(); s != nil {
		s.dropped++
	}
}

// exportRecover says how many clients of a lost hub have still to report what they have of it, and the how manyth hub of
// its name this one is. While there are any, nothing is granted that they may hold.
//
//go:wasmexport clca_recover
func exportRecover(clients, number uint32) uint32 {
	if !enter() {
		return abi.Busy
	}
	generation = min(number, maxRank/ranks)
	if unreported = clients; unreported == 0 && !recovered() {
		return leave(abi.Busy)
	}
	return leave(flush())
}

// exportDrain fills the window with what is due.
//
//go:wasmexport clca_drain
func exportDrain() uint32 {
	if !enter() {
		return abi.Busy
	}
	return leave(flush())
}
