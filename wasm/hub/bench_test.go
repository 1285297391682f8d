//go:build !js

package hub

import (
	"strconv"
	"testing"

	"github.com/clca-dev/clca/wasm/hub/abi"
)

// BenchmarkCalls has each primitive used once, on the same name again and again and on one that is new each time: what
// that allocates is garbage in the page. An operation is a call that waits or takes, and the one that ends that.
func BenchmarkCalls(b *testing.B) {
	for _, of := range []struct {
		name string
		kind abi.Kind
		arg  uint32
		use  func(*caller)
	}{
		{"signal", abi.KindSignal, 0, func(c *caller) { c.call(abi.OpWait, 0, 0); c.call(abi.OpSignal, 1, 0) }},
		{"event", abi.KindEvent, 0, func(c *caller) { c.call(abi.OpWait, 0, 0); c.call(abi.OpSet, 1, 0); c.call(abi.OpClear, 0, 0) }},
		{"lock", abi.KindLock, 0, func(c *caller) { c.call(abi.OpAcquire, 0, 0); c.call(abi.OpEnd, 0, 0) }},
		{"lock, handed over", abi.KindLock, 0, func(c *caller) {
			c.call(abi.OpAcquire, 0, 0)
			c.call(abi.OpAcquire, 1, 0)
			c.call(abi.OpEnd, 0, 0)
			c.call(abi.OpEnd, 1, 0)
		}},
		{"rwlock", abi.KindRWLock, 0, func(c *caller) { c.call(abi.OpAcquire, 0, 0); c.call(abi.OpEnd, 0, 0) }},
		{"semaphore", abi.KindSemaphore, 1, func(c *caller) { c.call(abi.OpAcquire, 0, 1); c.call(abi.OpEnd, 0, 0) }},
		{"queue", abi.KindQueue, abi.Unsaid, func(c *caller) {
			c.call(abi.OpPut, 0, abi.ItemNumbers)
			c.call(abi.OpGet, 0, 0)
			c.call(abi.OpEnd, 0, uint32(abi.EndingKept))
		}},
		{"queue, get first", abi.KindQueue, abi.Unsaid, func(c *caller) {
			c.call(abi.OpGet, 0, 0)
			c.call(abi.OpPut, 1, abi.ItemNumbers)
			c.call(abi.OpEnd, 0, uint32(abi.EndingKept))
		}},
		{"checkpoint", abi.KindCheckpoint, 0, func(c *caller) { c.call(abi.OpArm, 0, 0); c.call(abi.OpWait, 1, 0); c.call(abi.OpResume, 2, 0) }},
	} {
		b.Run(of.name+"/the same name", func(b *testing.B) {
			c := open(b)
			c.bind(of.kind, "name", of.arg)
			b.ReportAllocs()
			for b.Loop() {
				of.use(c)
			}
		})
		b.Run(of.name+"/a new name", func(b *testing.B) {
			c := open(b)
			b.ReportAllocs()
			for b.Loop() {
				c.bind(of.kind, c.next(), of.arg)
				of.use(c)
			}
		})
	}
}

// caller is a session that binds one name at a time.
type caller struct {
	b       *testing.B
	session uint32
	names   int
	digits  []byte
}

func open(b *testing.B) *caller {
	exportOpen(^uint32(0), 0, 0)
	c := &caller{b: b, session: window[0].session}
	b.Cleanup(func() { exportEnd(c.session) })
	for slot := range uint32(3) { // slots are dense
		c.bind(abi.KindSignal, "name", 0)
		c.call(abi.OpSignal, slot, 0)
	}
	return c
}

func (c *caller) next() string {
	c.names++
	c.digits = strconv.AppendInt(c.digits[:0], int64(1_000_000+c.names), 10)
	return string(c.digits)
}

func (c *caller) bind(kind abi.Kind, name string, arg uint32) {
	exportScratch(uint32(len(name)))
	for i := range len(name) {
		scratch[i] = uint16(name[i])
	}
	if exportBind(c.session, 0, uint32(kind), uint32(len(name)), arg) != 0 {
		c.b.Fatal("refused")
	}
}

func (c *caller) call(op abi.Op, slot, arg uint32) {
	n := exportCall(c.session, uint32(op), 0, slot, arg, 0)
	if n&(abi.Refused|abi.Busy) != 0 {
		c.b.Fatal("refused", op, slot)
	}
}
