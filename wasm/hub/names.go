package hub

import (
	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// primitive is a primitive of core as calls of sessions use it. Its methods are passive steps.
type primitive interface {
	// Contended says that a goroutine is inside; a step would block.
	Contended() bool
	// do carries out op for c: it parks c and returns false, or answers it.
	do(c *call, op abi.Op, arg uint32) answer
	// settled tells how c, which was parked and is woken, ended.
	settled(c *call) answer
	// end gives back what c holds.
	end(c *call, how abi.Ending)
	// withdrawn follows the withdrawal of c, which was parked.
	withdrawn(c *call)
	// initial says that the primitive is as good as a new one but for its totals, so that its name can be dropped.
	initial() bool
	// renew has the totals count from here.
	renew()
}

// totalless is for primitives that have no totals, or never linger.
type totalless struct{}

func (totalless) renew() {}

// plain is for primitives that nothing is held of, and that keep nothing of a call.
type plain struct{}

func (plain) end(*call, abi.Ending) {}
func (plain) withdrawn(*call)       {}

// keepsNothing is for primitives that keep nothing of a call that waits.
type keepsNothing struct{}

func (keepsNothing) withdrawn(*call) {}

// answer is what a call is told. The zero answer is none: the call is parked.
type answer struct {
	told   bool
	status abi.Status
	value  uint32
}

func answered(status abi.Status, value uint32) answer { return answer{true, status, value} }

// holds says that the call keeps its slot, for what it was granted.
func (a answer) holds() bool { return a.status == abi.StatusHeld || a.status == abi.StatusLent }

func done(value uint32) answer { return answered(abi.StatusDone, value) }

func doneIf(b bool) answer {
	if b {
		return done(1)
	}
	return done(0)
}

// tried is the answer that follows what never waits: granted says what is told if it did not have to.
func tried(err error, granted func() answer) answer {
	switch err {
	case nil:
		return granted()
	case core.ErrWouldBlock:
		return done(0)
	}
	return failed(err)
}

// parked is the answer that follows a Park.
func parked(isParked bool, err error) answer {
	switch {
	case isParked:
		return answer{}
	case err != nil:
		return failed(err)
	}
	return done(0)
}

// key is a name with its kind. The name is in UTF-16, as JavaScript has it: two different strings never meet.
type key struct {
	kind abi.Kind
	name string
	lock int // of a condition, how many bytes of the name are that of its lock
}

// object is a named primitive. It is in use while a call waits for it or holds it, while Go uses it, and while it is not
// in its initial state; then it is dropped, and the next to ask for the name gets a new one. A few linger, since most
// names come into use again soon: nobody can tell such an object from a new one.
type object struct {
	primitive
	key     key
	arg     uint32  // that it was created with
	base    *object // the lock of a condition, which lives as long as that
	calls   int     // that wait or hold
	watches int     // how many of those only watch
	pinned  bool    // used by Go
	closed  bool
	lingers bool // it is in lingering
	idle    bool // nothing uses it
	dropped bool

	counted uint64 // when it was, by ownStats

	heldUp   []*call // not brought before the primitive yet, in the order of arrival; nil where one has left
	standing int     // how many are held up
	occupied int     // by how many runs of a lost hub
}

var names = map[key]*object{}

// lookup returns the object of that name, and makes it if there is none. It returns nil if the creation argument makes
// no sense. It wants mu.
func lookup(k key, arg uint32) *object {
	o := names[k]
	if o != nil {
		if !o.stale(arg) {
			return o
		}
		o.drop()
	}
	exertion += ofNewName
	o = &object{key: k, arg: arg}
	if k.kind == abi.KindCondition {
		o.base = lookup(key{kind: abi.KindLock, name: k.name[:k.lock]}, 0)
		o.base.revive()
		o.base.calls++
		o.primitive = newCondition(o.base)
	} else if o.primitive = newPrimitive(k.kind, arg); o.primitive == nil {
		return nil
	}
	names[k] = o
	return o
}

func newPrimitive(kind abi.Kind, arg uint32) primitive {
	switch kind {
	case abi.KindSignal:
		return newSignal()
	case abi.KindCheckpoint:
		return newCheckpoint()
	case abi.KindTask:
		return newTask(false)
	case abi.KindOnce:
		return newTask(true)
	case abi.KindResource:
		return newResource()
	case abi.KindLock:
		return newLock(new(core.Lock))
	case abi.KindReentrantLock:
		return newLock(new(core.ReentrantLock))
	case abi.KindRWLock:
		return newLock(new(core.RWLock))
	case abi.KindSemaphore:
		return newSemaphore(arg)
	case abi.KindEvent:
		return newEvent()
	case abi.KindBarrier:
		return newBarrier(arg)
	case abi.KindLatch:
		return newLatch(arg)
	case abi.KindQueue:
		return newQueue(arg)
	case abi.KindPool:
		return newPool(arg)
	}
	return nil
}

// maxArg is the largest creation argument: what JavaScript takes is a whole number below 2^31.
const maxArg = 1<<31 - 1

// shared says that goroutines may use the primitive too.
func (o *object) shared() bool { return o.pinned || o.base != nil && o.base.pinned }

// contended says that a goroutine is inside; a step would block. None is where Go does not use the name: sessions enter
// one at a time.
func (o *object) contended() bool { return o.shared() && o.Contended() }

// agrees says whether the object is what one means who names it with that creation argument. Whoever says something
// first, where those before have said nothing, decides.
func (o *object) agrees(arg uint32) bool {
	if arg == o.arg || arg == abi.Unsaid {
		return true
	}
	if q, ok := o.primitive.(*queue); ok && o.arg == abi.Unsaid && q.becomes(arg) {
		o.arg = arg
		return true
	}
	return false
}

// said returns the creation argument, or what stands for it where nobody has said anything.
func (o *object) said() uint32 {
	if o.arg == abi.Unsaid {
		return abi.QueueUnbounded
	}
	return o.arg
}

// used says that something keeps the name of o.
func (o *object) used() bool { return o.calls > o.watches || o.pinned || !o.initial() }

// stale says that o cannot stand for a new one of that creation argument, and does not have to stand for anything else.
func (o *object) stale(arg uint32) bool { return o.idle && o.arg != arg }

// lingering are the objects that are kept a while though nothing uses them; some have come into use again.
var lingering struct {
	objects [64]*object
	next    int
}

// maxLinger is the length of the names that may linger, in bytes.
const maxLinger = 256

// dropIfIdle forgets the name of o, soon, if nothing keeps it.
func (o *object) dropIfIdle() {
	if o.dropped || o.used() {
		return
	}
	o.idle = true
	if o.calls > 0 || o.lingers && !o.closed {
		return
	}
	if o.closed || o.base != nil || len(o.key.name) > maxLinger || o.key.kind == abi.KindTask ||
		o.key.kind == abi.KindResource || o.key.kind == abi.KindPool || o.key.kind == abi.KindOnce {
		o.drop()
		return
	}
	l := &lingering
	if former := l.objects[l.next]; former != nil {
		former.lingers = false
		if former.idle && former.calls == 0 && !former.dropped {
			former.drop()
		}
	}
	o.lingers = true
	l.objects[l.next] = o
	l.next = (l.next + 1) % len(l.objects)
}

// revive has o come into use.
func (o *object) revive() {
	if o.idle {
		o.idle = false
		o.renew()
	}
}

func (o *object) drop() {
	o.dropped = true
	delete(names, o.key)
	if o.base != nil {
		o.base.calls--
		o.base.dropIfIdle()
	}
}

// binding is a session's name index. It is a cache of one look-up: an object that was dropped is looked up anew.
type binding struct {
	key    key
	arg    uint32
	object *object
}

func (b *binding) resolve() *object {
	if b.object == nil || b.object.dropped || b.object.stale(b.arg) {
		b.object = lookup(b.key, b.arg)
	}
	return b.object
}
