//go:build js && wasm

package hub

import (
	"strconv"
	"strings"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
	"github.com/stretchr/testify/require"
)

// A few names that nothing uses any more linger. Nobody may find out.

// lingerers are names that may, each with what is used of it, so that it is in its initial state again.
var lingerers = []struct {
	kind abi.Kind
	args []uint32 // two that are different, where there are any
	use  func(p party, name, arg uint32)
}{
	{abi.KindSignal, nil, func(p party, n, _ uint32) { p.endCall(p.waits(abi.OpWait, n, 2)); p.asks(abi.OpSignal, n, 0) }},
	{abi.KindEvent, nil, func(p party, n, _ uint32) { p.asks(abi.OpSet, n, 0); p.asks(abi.OpClear, n, 0) }},
	{abi.KindCheckpoint, nil, func(p party, n, _ uint32) {
		p.waits(abi.OpArm, n, 0)
		p.do(abi.OpWait, n, 0)
		p.do(abi.OpResume, n, 0)
	}},
	{abi.KindLock, nil, useLock},
	{abi.KindReentrantLock, nil, useLock},
	{abi.KindRWLock, nil, useLock},
	{abi.KindSemaphore, []uint32{2, 3}, func(p party, n, arg uint32) {
		slot, _ := p.do(abi.OpAcquire, n, arg)
		p.endCall(slot)
		p.asks(abi.OpResize, n, 7)
		p.asks(abi.OpResize, n, arg)
	}},
	{abi.KindBarrier, []uint32{2, 3}, func(p party, n, arg uint32) {
		for range arg {
			p.do(abi.OpWait, n, 0)
		}
		p.endCall(p.waits(abi.OpWait, n, 0)) // which breaks it
		p.asks(abi.OpReset, n, 0)
	}},
	{abi.KindLatch, []uint32{2, 3}, func(p party, n, _ uint32) { p.endCall(p.waits(abi.OpWait, n, 0)) }},
	{abi.KindQueue, []uint32{2, uint32(abi.QueueOrderLifo)<<abi.QueueOrderShift | 3}, useQueue},
	{abi.KindQueue, []uint32{1, abi.Unsaid}, useQueue},
	{abi.KindQueue, []uint32{abi.QueueUnbounded, uint32(abi.QueueOrderPriority)<<abi.QueueOrderShift | 1}, useQueue},
}

func useLock(p party, n, _ uint32) {
	slot, told := p.do(abi.OpAcquire, n, 0)
	require.Equal(p.t, abi.StatusHeld, told[0].status)
	next := p.waits(abi.OpAcquire, n, 0)
	p.endCall(slot)
	p.endCall(next)
}

func useQueue(p party, n, _ uint32) {
	p.asks(abi.OpPut, n, firstItem)
	slot, _ := p.do(abi.OpTryGet, n, 0)
	endAs(p.client, slot, abi.EndingKept)
	p.asks(abi.OpTaskDone, n, 0)
}

// shapeOf is what one is told of a primitive that depends on how it was created and used, but for totals.
func shapeOf(t *testing.T, k key) any {
	t.Helper()
	o := names[k]
	require.NotNil(t, o)
	switch p := o.primitive.(type) {
	case *signal:
		return core.SignalStats{Waiting: p.Stats().Waiting, Closed: p.Stats().Closed}
	case *event:
		v := p.Stats()
		v.Sets = 0
		return v
	case *checkpoint:
		v := p.Stats()
		v.Generation, v.Resumed = 0, 0
		return [2]any{v, p.armed}
	case *lock:
		v := p.Stats()
		v.Tenures = 0
		return [3]any{v, p.rank, p.holders}
	case *semaphore:
		return [3]any{p.Stats(), p.permits, p.exceeded}
	case *barrier:
		v := p.Stats()
		v.Generation = 0
		return v
	case *latch:
		return [2]any{p.Stats(), p.count}
	case *queue:
		v := p.Stats()
		v.Puts = 0
		return v
	}
	t.Fatalf("no shape of %v", k)
	return nil
}

func TestANameThatLingersIsAsGoodAsNewForEveryCreationArgument(t *testing.T) {
	for _, l := range lingerers {
		args := l.args
		if args == nil {
			args = []uint32{0}
		}
		for _, before := range args {
			for _, after := range args {
				a, b := join(t), join(t)
				n := a.name(l.kind, "x", before)
				l.use(a, n, before)
				noneInUse(t)
				k := keyOf(l.kind, "x")
				require.NotNil(t, names[k], "%v does not linger", l.kind)

				b.name(l.kind, "fresh", after)
				fresh := names[keyOf(l.kind, "fresh")]
				require.Nil(t, fresh)
				told := b.asks2(abi.OpStats, 0)
				b.name(l.kind, "x", after)
				require.Equal(t, told, b.asks2(abi.OpStats, 1), "totals of kind %v", l.kind)
				require.Equal(t, shapeOf(t, keyOf(l.kind, "fresh")), shapeOf(t, k), "kind %v of %x after %x", l.kind, after, before)
				require.Equal(t, after, names[k].arg)
				l.use(b, 1, after)
				if before != after {
					l.use(a, n, before) // its index is renewed
				}
				noneInUse(t)
				a.end()
				b.end()
			}
		}
	}
}

// asks2 makes a call whose answer has parts, and returns those.
func (p party) asks2(op abi.Op, name uint32) (parts []uint32) {
	p.t.Helper()
	slot, told := p.do(op, name, 0)
	require.Equal(p.t, p.told(slot, abi.StatusDone, told[len(told)-1].value), told[len(told)-1])
	for _, e := range told[:len(told)-1] {
		parts = append(parts, e.value)
	}
	return parts
}

func TestOneWhoNamesSomethingElseWhileANameIsUsedIsStillToldSo(t *testing.T) {
	a, b := join(t), join(t)
	an, bn := a.name(abi.KindSemaphore, "s", 2), b.name(abi.KindSemaphore, "s", 3)
	for range 2 {
		held, _ := a.do(abi.OpAcquire, an, 1)
		_, told := b.do(abi.OpTry, bn, 1)
		require.Equal(t, uint32(abi.CodeMismatch), told[len(told)-1].value)
		a.endCall(held)
		held, told = b.do(abi.OpTry, bn, 3) // all of three
		require.Equal(t, []entry{b.told(held, abi.StatusHeld, 0)}, told)
		_, told = a.do(abi.OpTry, an, 1)
		require.Equal(t, uint32(abi.CodeMismatch), told[len(told)-1].value)
		b.endCall(held)
	}
	noneInUse(t)
}

func TestAnArgumentThatMakesNoSenseIsRefusedForANameThatLingers(t *testing.T) {
	a := join(t)
	slot, _ := a.do(abi.OpAcquire, a.name(abi.KindSemaphore, "s", 2), 1)
	a.endCall(slot)
	for _, bad := range []uint32{0, maxArg + 1, abi.Unsaid} {
		n := a.name(abi.KindSemaphore, "s", bad)
		require.EqualValues(t, abi.Refused, exportCall(uint32(a.handle), uint32(abi.OpTry), n, a.slots, 1, 0))
	}
	slot, told := a.do(abi.OpTry, 0, 2)
	require.Equal(t, []entry{a.told(slot, abi.StatusHeld, 0)}, told)
	a.endCall(slot)
	noneInUse(t)
}

func TestANameThatWasClosedDoesNotLinger(t *testing.T) {
	for _, l := range lingerers {
		arg := uint32(0)
		if l.args != nil {
			arg = l.args[0]
		}
		for _, used := range []bool{false, true} {
			a := join(t)
			n := a.name(l.kind, "x", arg)
			if used {
				l.use(a, n, arg)
				require.NotNil(t, names[keyOf(l.kind, "x")])
			}
			a.asks(abi.OpClose, n, 0)
			require.Nil(t, names[keyOf(l.kind, "x")], "kind %v", l.kind)
			l.use(a, n, arg) // the next of its name is open
			a.end()
			noneInUse(t)
		}
	}
}

func TestANameThatIsClosedWhileItIsHeldIsDroppedOnceItIsGivenBack(t *testing.T) {
	for _, kind := range []abi.Kind{abi.KindLock, abi.KindReentrantLock, abi.KindRWLock, abi.KindSemaphore} {
		a := join(t)
		n := a.name(kind, "x", 1)
		slot, told := a.do(abi.OpAcquire, n, 1)
		require.Equal(t, abi.StatusHeld, told[0].status)
		a.asks(abi.OpClose, n, 0)
		require.NotNil(t, names[keyOf(kind, "x")])
		a.endCall(slot)
		require.Nil(t, names[keyOf(kind, "x")])
		a.end()
	}
}

func TestTheLockOfAConditionMayLingerAndTheConditionDoesNot(t *testing.T) {
	a := join(t)
	lock, cond := a.lock("l")
	for range 3 {
		guard := a.acquire(lock)
		w := a.waits(abi.OpWait, cond, guard)
		require.Len(t, inUse(), 2)
		told := a.endCall(w)
		require.Equal(t, abi.StatusEnded, told[len(told)-1].status)
		a.endCall(guard)
		require.Len(t, known(), 1)
		require.Zero(t, names[keyOf(abi.KindLock, "l")].calls)
		noneInUse(t)
	}
	guard := a.acquire(lock)
	a.asks(abi.OpClose, lock, 0)
	a.fails(abi.CodeClosed, abi.OpWait, cond, guard)
	a.endCall(guard)
	require.Empty(t, known())
}

// known are the names that the hub knows, but for those that Go uses.
func known() (all []key) {
	for k, o := range names {
		if !o.pinned {
			all = append(all, k)
		}
	}
	return all
}

// passOver has so many names fall out of use.
func passOver(p party, n int) {
	p.t.Helper()
	for i := range n {
		p.asks(abi.OpSignal, p.name(abi.KindSignal, "over "+strconv.Itoa(i), 0), 0)
		p.slots--
	}
}

func TestFewNamesLingerHoweverManyFallOutOfUse(t *testing.T) {
	most := len(lingering.objects)
	a := join(t)
	passOver(a, most)
	require.Len(t, known(), most)
	lock := a.name(abi.KindLock, "held", 0)
	held := a.acquire(lock)
	passOver(a, 5*most)
	require.Len(t, known(), most+1)
	require.NotNil(t, names[keyOf(abi.KindLock, "held")])
	a.endCall(held) // and so one more is dropped
	require.Len(t, known(), most)
	for range 3 * most { // one that comes into use again and again is one of them
		a.endCall(a.acquire(lock))
		require.Len(t, known(), most)
	}
	noneInUse(t)
}

func TestANameThatCameIntoUseAgainIsKeptWhereItsTurnToBeDroppedComes(t *testing.T) {
	most := len(lingering.objects)
	a := join(t)
	lock := a.name(abi.KindLock, "l", 0)
	a.endCall(a.acquire(lock))
	held := a.acquire(lock)
	passOver(a, 2*most)
	require.Len(t, known(), most+1)
	require.Zero(t, a.asks(abi.OpTry, lock, 0).value, "it is the same lock")
	a.endCall(held)
	require.Len(t, known(), most)
	require.NotNil(t, names[keyOf(abi.KindLock, "l")], "and then it lingers anew")
	passOver(a, most)
	require.Nil(t, names[keyOf(abi.KindLock, "l")])
	a.endCall(a.acquire(lock))
}

func TestLongNamesDoNotLinger(t *testing.T) {
	a := join(t)
	for length, lingers := range map[int]bool{maxLinger / 2: true, maxLinger/2 + 1: false} {
		name := strings.Repeat("n", length)
		a.asks(abi.OpSignal, a.name(abi.KindSignal, name, 0), 0)
		require.Equal(t, lingers, names[keyOf(abi.KindSignal, name)] != nil, "%d units", length)
	}
}

func TestNamesThatLingerAreNotCounted(t *testing.T) {
	a := join(t)
	before := a.hubStats(false)
	passOver(a, 10)
	require.Len(t, known(), 10)
	require.Equal(t, before, a.hubStats(false))
	a.asks(abi.OpSet, a.name(abi.KindEvent, "kept", 0), 0)
	before[1]++
	require.Equal(t, before, a.hubStats(false))
	a.asks(abi.OpClose, a.names-1, 0)
}

func TestANameThatLingersIsWhatGoAsksForIfItsArgumentAgrees(t *testing.T) {
	unpin(t)
	a := join(t)
	n := a.name(abi.KindSemaphore, "go", 2)
	slot, _ := a.do(abi.OpAcquire, n, 2)
	a.endCall(slot)
	s, err := Semaphore("go", 3)
	require.NoError(t, err)
	require.Equal(t, 3, s.Stats().Size)
	_, told := a.do(abi.OpTry, n, 1)
	require.Equal(t, uint32(abi.CodeMismatch), told[len(told)-1].value)
	passOver(a, 2*len(lingering.objects))
	again, err := Semaphore("go", 3)
	require.NoError(t, err)
	require.Same(t, s, again, "it stays")
}

func TestALockThatIsTakenAndGivenBackAllocatesNothing(t *testing.T) {
	a := join(t)
	n := a.name(abi.KindLock, "l", 0)
	round := func() {
		exportCall(uint32(a.handle), uint32(abi.OpAcquire), n, 0, 0, 0)
		exportCall(uint32(a.handle), uint32(abi.OpEnd), 0, 0, 0, 0)
	}
	round()
	require.Zero(t, testing.AllocsPerRun(100, round))
	noneInUse(t)
}
