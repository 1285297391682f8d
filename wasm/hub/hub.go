// Package hub lets JavaScript realms share the primitives of package core.
//
// Importing it links the exported functions that the npm package clca drives: a page, its Workers, other tabs and this
// program's own goroutines then meet on the same names.
//
//	func main() {
//		ready := hub.Signal("ready") // what JavaScript knows as hub.signal('ready')
//		go func() {
//			for ready.Wait(context.Background()) == nil {
//				println("ready")
//			}
//		}()
//		hub.Serve()
//	}
//
// It is built with GOOS=js GOARCH=wasm; [Serve], [ServeOnly], [Publish] and [Error] are there only.
//
// A primitive that Go asks for is an ordinary one of package core. Goroutines use its blocking face, and stand in one
// line with the callers of JavaScript. They have no session: what they hold they hold until they give it back.
//
// # How it works
//
// Every realm has a session. A call of a session is a core.Waiter with a slot number that the client chose; whoever
// settles it puts it on the list of completions, from which JavaScript is told. Calls are passive throughout: no
// goroutine, no channel and no context per call, and the exported functions never block.
//
// WebAssembly has one thread, and goroutines change places only where one blocks, yields or allocates. Code here that
// does none of these is atomic, and says so where that matters. Exported functions take the hub's mutex by TryLock: a
// goroutine may have been descheduled inside the hub, and an exported function that blocks corrupts the scheduler.
package hub

import (
	"runtime"
	"strconv"
	"unicode/utf16"
	"unsafe"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// mu guards names. The tables of sessions and calls need no mutex: only exported functions touch them, one at a time.
var mu guard

// guard is a mutex for one thread, at the price of a look at it; in wasm, a sync.Mutex costs more than parking a call.
// A goroutine inside may lose its turn, by an allocation at the latest.
type guard struct{ held bool }

func (g *guard) TryLock() bool {
	if g.held {
		return false
	}
	g.held = true
	return true
}

func (g *guard) Lock() {
	for !g.TryLock() {
		runtime.Gosched()
	}
}

func (g *guard) Unlock() { g.held = false }

// Signal returns the Signal that JavaScript knows as hub.signal(name). Once asked for, it stays: the hub does not drop
// a name that Go uses.
func Signal(name string) *core.Signal {
	return &pin(abi.KindSignal, name).(*signal).Signal
}

// Checkpoint returns the Checkpoint that JavaScript knows as hub.checkpoint(name). Once asked for, it stays.
func Checkpoint(name string) *core.Checkpoint {
	return pin(abi.KindCheckpoint, name).(*checkpoint).Checkpoint
}

// Lock returns the Lock that JavaScript knows as hub.lock(name). Once asked for, it stays.
func Lock(name string) *core.Lock {
	return pin(abi.KindLock, name).(*lock).locker.(*core.Lock)
}

// ReentrantLock returns the ReentrantLock that JavaScript knows as hub.reentrantLock(name). Once asked for, it stays.
func ReentrantLock(name string) *core.ReentrantLock {
	return pin(abi.KindReentrantLock, name).(*lock).locker.(*core.ReentrantLock)
}

// RWLock returns the RWLock that JavaScript knows as hub.rwlock(name), and by that name in hub.locks. Once asked for,
// it stays.
func RWLock(name string) *core.RWLock {
	return pin(abi.KindRWLock, name).(*lock).locker.(*core.RWLock)
}

// Event returns the Event that JavaScript knows as hub.event(name). Once asked for, it stays.
func Event(name string) *core.Event {
	return pin(abi.KindEvent, name).(*event).Event
}

// Semaphore returns the Semaphore that JavaScript knows as hub.semaphore(name, permits). Once asked for, it stays. It
// returns core.ErrInvalid for permits below 1 or above 2^31-1, and a *MismatchError if there is one of other permits.
func Semaphore(name string, permits int) (*core.Semaphore, error) {
	p, err := pinWith(abi.KindSemaphore, name, permits)
	if err != nil {
		return nil, err
	}
	return p.(*semaphore).Semaphore, nil
}

// CountdownLatch returns the CountdownLatch that JavaScript knows as hub.latch(name, count). Once asked for, it stays.
// It returns core.ErrInvalid for a count below 0 or above 2^31-1, and a *MismatchError if there is one of another
// count.
func CountdownLatch(name string, count int) (*core.CountdownLatch, error) {
	p, err := pinWith(abi.KindLatch, name, count)
	if err != nil {
		return nil, err
	}
	return p.(*latch).CountdownLatch, nil
}

// Barrier returns the Barrier that JavaScript knows as hub.barrier(name, parties). Once asked for, it stays. It returns
// core.ErrInvalid for parties below 1 or above 2^31-1, and a *MismatchError if there is one of other parties.
func Barrier(name string, parties int) (*core.Barrier, error) {
	p, err := pinWith(abi.KindBarrier, name, parties)
	if err != nil {
		return nil, err
	}
	return p.(*barrier).Barrier, nil
}

// Condition returns the Condition that JavaScript knows as hub.condition(hub.lock(lock), name), where no name is "".
// Once asked for, it stays, and so does the lock.
func Condition(lock, name string) *core.Condition {
	l := keyOf(abi.KindLock, lock)
	k := key{abi.KindCondition, l.name + keyOf(abi.KindCondition, name).name, len(l.name)}
	mu.Lock()
	defer mu.Unlock()
	o := lookup(k, 0)
	o.base.revive()
	o.pinned, o.base.pinned = true, true
	return o.primitive.(*condition).Condition
}

// MismatchError says that a name is in use with another creation argument than the one that was given.
type MismatchError struct{ Have, Want int }

// Error names both.
func (e *MismatchError) Error() string {
	return "clca: created with " + strconv.Itoa(e.Have) + ", not " + strconv.Itoa(e.Want)
}

func pin(kind abi.Kind, name string) primitive {
	mu.Lock()
	defer mu.Unlock()
	o := lookup(keyOf(kind, name), 0)
	o.revive()
	o.pinned = true
	return o.primitive
}

func pinWith(kind abi.Kind, name string, arg int) (primitive, error) {
	if arg < 0 || arg > maxArg {
		return nil, core.ErrInvalid
	}
	mu.Lock()
	defer mu.Unlock()
	o := lookup(keyOf(kind, name), uint32(arg))
	switch {
	case o == nil:
		return nil, core.ErrInvalid
	case !o.agrees(uint32(arg)):
		return nil, &MismatchError{int(o.arg), arg}
	}
	o.revive()
	o.pinned = true
	return o.primitive, nil
}

func keyOf(kind abi.Kind, name string) key {
	return key{kind: kind, name: string(bytesOf(utf16.Encode([]rune(name))))}
}

func bytesOf(units []uint16) []byte {
	if len(units) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&units[0])), 2*len(units))
}
