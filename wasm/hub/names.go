//go:build js && wasm

package hub

import "github.com/clca-dev/clca/wasm/hub/abi"

// primitive is a primitive of core as calls of sessions use it. Its methods are passive steps.
type primitive interface {
	// Contended says that a goroutine is inside; a step would block.
	Contended() bool
	// do carries out op for c: it parks c and returns false, or answers it.
	do(c *call, op abi.Op, arg uint32) answer
	// settled tells how c, which was parked and is woken, ended.
	settled(c *call) answer
	// end gives back what c holds.
	end(c *call)
	// initial says that the primitive is as good as a new one, so that its name can be dropped.
	initial() bool
}

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
}

// object is a named primitive. It lives while a call waits for it or holds it, while Go uses it, and while it is not in
// its initial state; then it is dropped, and the next to ask for the name gets a new one.
type object struct {
	primitive
	key     key
	calls   int  // that wait or hold
	pinned  bool // used by Go
	dropped bool
}

var names = map[key]*object{}

// lookup returns the object of that name, and makes it if there is none. It wants mu.
func lookup(kind abi.Kind, name string) *object {
	k := key{kind, name}
	o := names[k]
	if o == nil {
		o = &object{key: k}
		o.primitive = newPrimitive(kind)
		names[k] = o
	}
	return o
}

func newPrimitive(kind abi.Kind) primitive {
	switch kind {
	case abi.KindSignal:
		return newSignal()
	case abi.KindCheckpoint:
		return newCheckpoint()
	case abi.KindTask:
		return newTask()
	default:
		return newResource()
	}
}

// contended says that a goroutine is inside; a step would block. None is where Go does not use the name: sessions enter
// one at a time.
func (o *object) contended() bool { return o.pinned && o.Contended() }

// dropIfIdle forgets the name of o if nothing keeps it.
func (o *object) dropIfIdle() {
	if o.calls == 0 && !o.pinned && !o.dropped && o.initial() {
		o.dropped = true
		delete(names, o.key)
	}
}

// binding is a session's name index. It is a cache of one look-up: an object that was dropped is looked up anew.
type binding struct {
	key    key
	object *object
}

func (b *binding) resolve() *object {
	if b.object == nil || b.object.dropped {
		b.object = lookup(b.key.kind, b.key.name)
	}
	return b.object
}
