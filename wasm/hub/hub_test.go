//go:build js && wasm

package hub

import (
	"context"
	"runtime"
	"sync"
	"syscall/js"
	"testing"
	"unicode/utf16"
	"unsafe"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
	"github.com/stretchr/testify/require"
)

// These tests drive the exported functions as the loader does, one at a time and from outside of Go's own work. What
// only a real loader can show, such as an export that parks, is tested with the package.

func TestMain(m *testing.M) {
	host = js.ValueOf(map[string]any{
		"bell": js.FuncOf(func(js.Value, []js.Value) any { bells++; return nil }),
	})
	m.Run()
}

var bells int

// client is a session with the bookkeeping of its realm.
type client struct {
	t      *testing.T
	handle handle
	names  uint32
	slots  uint32
}

func open(t *testing.T, parent handle, limit uint32) *client {
	t.Helper()
	if sessions.live == 0 {
		dropLingering() // those of other tests
	}
	require.EqualValues(t, 1, exportOpen(uint32(parent), limit, 0))
	c := &client{t: t, handle: handle(window[0].session)}
	t.Cleanup(func() {
		if c.handle.session() != nil {
			c.end()
		}
	})
	return c
}

func (c *client) bind(kind abi.Kind, name string) uint32 {
	c.t.Helper()
	units := utf16.Encode([]rune(name))
	exportScratch(uint32(len(units)))
	copy(scratch, units)
	require.Zero(c.t, exportBind(uint32(c.handle), c.names, uint32(kind), uint32(len(units)), 0))
	c.names++
	return c.names - 1
}

// call makes a call in a slot that was never used.
func (c *client) call(op abi.Op, name uint32) (slot uint32, entries []entry) {
	c.t.Helper()
	slot = c.slots
	c.slots++
	entries, flags := read(c.t, exportCall(uint32(c.handle), uint32(op), name, slot, 0, 0))
	require.Zero(c.t, flags&(abi.Busy|abi.Refused))
	return slot, entries
}

func (c *client) endCall(slot uint32) []entry {
	c.t.Helper()
	entries, flags := read(c.t, exportCall(uint32(c.handle), uint32(abi.OpEnd), 0, slot, 0, 0))
	require.Zero(c.t, flags&(abi.Busy|abi.Refused))
	return entries
}

func (c *client) finish(run uint32, outcome abi.Outcome) []entry {
	c.t.Helper()
	entries, flags := read(c.t, exportCall(uint32(c.handle), uint32(abi.OpFinish), 0, uint32(outcome), run, 0))
	require.Zero(c.t, flags&(abi.Busy|abi.Refused))
	return entries
}

func (c *client) end() []entry {
	c.t.Helper()
	entries, flags := read(c.t, exportEnd(uint32(c.handle)))
	require.Zero(c.t, flags&(abi.Busy|abi.Refused))
	return entries
}

func (c *client) told(slot uint32, status abi.Status, value uint32) entry {
	return entry{c.handle, slot, status, value}
}

func TestASignalWakesTheWaitersOfAllSessionsInOrderAndThenAnswers(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	an, bn := a.bind(abi.KindSignal, "s"), b.bind(abi.KindSignal, "s")
	w1, told := a.call(abi.OpWait, an)
	require.Empty(t, told)
	w2, _ := b.call(abi.OpWait, bn)
	w3, _ := a.call(abi.OpWait, an)
	s, told := b.call(abi.OpSignal, bn)
	require.Equal(t, []entry{
		a.told(w1, abi.StatusDone, 0), b.told(w2, abi.StatusDone, 0), a.told(w3, abi.StatusDone, 0),
		b.told(s, abi.StatusDone, 3),
	}, told)
	noneInUse(t)
}

func TestMoreWaitersThanTheWindowHoldsAreAllToldOnce(t *testing.T) {
	c := open(t, noParent, 1<<20)
	n := c.bind(abi.KindSignal, "many")
	const waits = 10*abi.WindowEntries + 7
	for range waits {
		c.call(abi.OpWait, n)
	}
	s, told := c.call(abi.OpSignal, n)
	require.Len(t, told, waits+1)
	for slot, e := range told[:waits] {
		require.Equal(t, c.told(uint32(slot), abi.StatusDone, 0), e)
	}
	require.Equal(t, c.told(s, abi.StatusDone, waits), told[waits])
}

func TestTheAnswerWaitsWhenTheWindowIsExactlyFull(t *testing.T) {
	c := open(t, noParent, 1<<20)
	n := c.bind(abi.KindSignal, "full")
	for range abi.WindowEntries {
		c.call(abi.OpWait, n)
	}
	_, told := c.call(abi.OpSignal, n)
	require.Len(t, told, abi.WindowEntries+1)
	require.EqualValues(t, abi.WindowEntries, told[abi.WindowEntries].value)
}

func TestEndingAWaitWithdrawsItAndFreesItsSlot(t *testing.T) {
	c := open(t, noParent, 100)
	n := c.bind(abi.KindSignal, "s")
	w, _ := c.call(abi.OpWait, n)
	require.Equal(t, []entry{c.told(w, abi.StatusEnded, 0)}, c.endCall(w))
	require.Empty(t, c.endCall(w), "a second end finds nothing")
	s, told := c.call(abi.OpSignal, n)
	require.Equal(t, []entry{c.told(s, abi.StatusDone, 0)}, told)
	// The slot can be used again.
	told, _ = read(t, exportCall(uint32(c.handle), uint32(abi.OpSignal), n, w, 0, 0))
	require.Equal(t, []entry{c.told(w, abi.StatusDone, 0)}, told)
}

func TestACallInASlotThatIsTakenOrNotDenseIsRefused(t *testing.T) {
	c := open(t, noParent, 100)
	n := c.bind(abi.KindSignal, "s")
	w, _ := c.call(abi.OpWait, n)
	require.EqualValues(t, abi.Refused, exportCall(uint32(c.handle), uint32(abi.OpWait), n, w, 0, 0))
	require.EqualValues(t, abi.Refused, exportCall(uint32(c.handle), uint32(abi.OpWait), n, w+2, 0, 0))
	require.EqualValues(t, abi.Refused, exportCall(uint32(c.handle), uint32(abi.OpWait), n, 1<<31, 0, 0))
	require.Equal(t, 1, signalNamed(t, "s").Stats().Waiting)
}

func TestACallBeyondTheLimitFailsAndDisturbsNothing(t *testing.T) {
	c := open(t, noParent, 2)
	n := c.bind(abi.KindSignal, "s")
	c.call(abi.OpWait, n)
	c.call(abi.OpWait, n)
	slot, told := c.call(abi.OpWait, n)
	require.Equal(t, []entry{c.told(slot, abi.StatusFail, uint32(abi.CodeLimit))}, told)
	require.Len(t, c.endCall(0), 1)
	_, told = c.call(abi.OpWait, n)
	require.Empty(t, told)
}

// waitsOn makes calls on a signal that are not answered.
func (c *client) waitsOn(signal uint32, n int) (last uint32) {
	c.t.Helper()
	for range n {
		var told []entry
		last, told = c.call(abi.OpWait, signal)
		require.Empty(c.t, told)
	}
	return last
}

// isFull holds that the client may make no further call.
func (c *client) isFull(name uint32) {
	c.t.Helper()
	for _, op := range []abi.Op{abi.OpWait, abi.OpSignal} {
		slot, told := c.call(op, name)
		require.Equal(c.t, []entry{c.told(slot, abi.StatusFail, uint32(abi.CodeLimit))}, told)
		c.slots-- // it is free again
	}
}

func TestALimitIsOfASessionAndAllBelowItTogether(t *testing.T) {
	const calls = 3 // besides the sessions below, each of which counts as one
	top := open(t, noParent, calls+3)
	child, sibling := open(t, top.handle, 0), open(t, top.handle, 0)
	grandchild := open(t, child.handle, 0)
	other := open(t, noParent, 0)
	all := []*client{top, child, sibling, grandchild}
	for _, c := range append(all, other) {
		c.bind(abi.KindSignal, "s")
	}
	full := func() {
		t.Helper()
		for _, c := range all {
			c.isFull(0)
		}
	}

	top.waitsOn(0, 1)
	w := child.waitsOn(0, 1)
	grandchild.waitsOn(0, 1)
	full()
	child.endCall(w)
	lock, _ := sibling.call(abi.OpAcquire, sibling.bind(abi.KindLock, "l")) // what is held counts as well
	full()
	sibling.endCall(lock)
	sibling.waitsOn(0, 1)
	full()

	_, told := other.call(abi.OpSignal, 0) // settles all
	require.Len(t, told, calls+1)
	grandchild.waitsOn(0, calls)
	full()
	child.end() // and the grandchild with it
	all = []*client{top, sibling}
	sibling.waitsOn(0, calls+2)
	full()
	other.waitsOn(0, 2*calls)
	require.Equal(t, 3*calls+2, signalNamed(t, "s").Stats().Waiting)
}

func TestASessionIsRefusedWhereItsParentIsFull(t *testing.T) {
	top := open(t, noParent, 3)
	child := open(t, top.handle, 0)
	top.bind(abi.KindSignal, "s")
	grandchild := open(t, child.handle, 0)
	w := top.waitsOn(0, 1)
	for _, parent := range []handle{top.handle, child.handle, grandchild.handle} {
		require.EqualValues(t, abi.Refused, exportOpen(uint32(parent), 1, 0))
	}
	open(t, noParent, 1)
	top.endCall(w)
	open(t, grandchild.handle, 0)
	require.EqualValues(t, abi.Refused, exportOpen(uint32(top.handle), 0, 0))
	top.isFull(0)
	child.end()
	top.waitsOn(0, 3)
	top.isFull(0)
}

func TestASessionBelowALimitedOneMayHaveASmallerLimitOfItsOwn(t *testing.T) {
	top := open(t, noParent, 5+2) // the sessions below count as well
	child := open(t, top.handle, 2+1)
	grandchild := open(t, child.handle, 100) // which a parent's limit bounds all the same
	for _, c := range []*client{top, child, grandchild} {
		c.bind(abi.KindSignal, "s")
	}
	child.waitsOn(0, 1)
	w := grandchild.waitsOn(0, 1)
	child.isFull(0)
	grandchild.isFull(0)
	last := top.waitsOn(0, 3)
	top.isFull(0)
	grandchild.endCall(w)
	top.waitsOn(0, 1)
	grandchild.isFull(0)
	child.isFull(0)
	top.endCall(last)
	grandchild.waitsOn(0, 1)
	grandchild.isFull(0)
	top.isFull(0)
}

func TestTheLimitOfAChildBoundsNeitherItsParentNorOthers(t *testing.T) {
	top := open(t, noParent, 0)
	child, sibling := open(t, top.handle, 1), open(t, top.handle, 0)
	for _, c := range []*client{top, child, sibling} {
		c.bind(abi.KindSignal, "s")
	}
	child.waitsOn(0, 1)
	child.isFull(0)
	top.waitsOn(0, 10)
	sibling.waitsOn(0, 10)
	child.isFull(0)
	_, told := top.call(abi.OpSignal, 0)
	require.Len(t, told, 22)
	child.waitsOn(0, 1)
	child.isFull(0)
}

func TestSiblingsHaveLimitsOfTheirOwnHoweverDeepTheyAre(t *testing.T) {
	parent := noParent
	for range 5 {
		small, large := open(t, parent, 1), open(t, parent, 100)
		small.waitsOn(small.bind(abi.KindSignal, "s"), 1)
		small.isFull(0)
		large.waitsOn(large.bind(abi.KindSignal, "s"), 2)
		small.end()
		parent = large.handle
	}
}

// hubStats asks for the numbers of the whole hub, or of what is below the session.
func (c *client) hubStats(own bool) (stats [6]uint32) {
	c.t.Helper()
	arg := uint32(0)
	if own {
		arg = 1
	}
	slot, told := ask(c, abi.OpHubStats, 0, arg)
	require.Len(c.t, told, 2*len(stats)+1)
	for i := range stats {
		require.Equal(c.t, c.told(slot, abi.StatusPart, 0), told[2*i+1])
		stats[i] = told[2*i].value
	}
	require.Equal(c.t, c.told(slot, abi.StatusDone, uint32(len(stats))), told[2*len(stats)])
	return stats
}

func TestTheNumbersOfASessionsOwnAreOfItselfAndThoseBelowIt(t *testing.T) {
	const unknown = 0x7fff0000
	top := open(t, noParent, 0)
	child := open(t, top.handle, 0)
	grandchild := open(t, child.handle, 0)
	other := open(t, noParent, 0)
	before := top.hubStats(false)
	require.Equal(t, [6]uint32{3}, top.hubStats(true))
	require.Equal(t, [6]uint32{1}, other.hubStats(true))

	child.waitsOn(child.bind(abi.KindSignal, "both"), 2)
	grandchild.waitsOn(grandchild.bind(abi.KindSignal, "both"), 1)
	other.waitsOn(other.bind(abi.KindSignal, "both"), 4)
	other.waitsOn(other.bind(abi.KindSignal, "theirs"), 1)
	grandchild.call(abi.OpAcquire, grandchild.bind(abi.KindLock, "l"))
	child.call(abi.OpWait, child.bind(abi.KindTask, "t"))
	other.call(abi.OpWait, other.bind(abi.KindTask, "their t"))
	for _, h := range []uint32{uint32(child.handle), uint32(grandchild.handle), uint32(other.handle), unknown} {
		exportDropped(h)
		exportDropped(h)
	}
	exportDropped(uint32(other.handle))

	// Sessions, names, calls, runs, dropped messages, and clients that have still to report.
	require.Equal(t, [6]uint32{3, 3, 5, 1, 4, 0}, top.hubStats(true))
	require.Equal(t, [6]uint32{2, 3, 5, 1, 4, 0}, child.hubStats(true))
	require.Equal(t, [6]uint32{1, 2, 2, 0, 2, 0}, grandchild.hubStats(true))
	require.Equal(t, [6]uint32{1, 3, 6, 1, 3, 0}, other.hubStats(true))
	after := before
	for i, more := range []uint32{0, 5, 11, 2, 9, 0} {
		after[i] += more
	}
	for _, c := range []*client{top, child, other} {
		require.Equal(t, after, c.hubStats(false))
	}

	child.end()
	require.Equal(t, [6]uint32{1}, top.hubStats(true))
	require.Equal(t, after[4], top.hubStats(false)[4], "what was dropped remains so")
	next := open(t, noParent, 0)
	lock, _ := next.call(abi.OpAcquire, next.bind(abi.KindLock, "l")) // which was abandoned
	next.endCall(lock)
}

func TestAnUnboundOrDeniedNameFailsTheCall(t *testing.T) {
	c := open(t, noParent, 100)
	slot, told := c.call(abi.OpWait, 0)
	require.Equal(t, []entry{c.told(slot, abi.StatusFail, uint32(abi.CodeDenied))}, told)
	denied := c.bind(abi.KindDenied, "")
	slot, told = c.call(abi.OpWait, denied)
	require.Equal(t, []entry{c.told(slot, abi.StatusFail, uint32(abi.CodeDenied))}, told)
	require.EqualValues(t, abi.Refused, exportBind(uint32(c.handle), 5, uint32(abi.KindSignal), 0, 0), "indices are dense")
	require.EqualValues(t, abi.Refused, exportBind(uint32(c.handle), 1, uint32(abi.KindDenied)+1, 0, 0))
}

func TestAnOperationOfAnotherKindIsUnsupported(t *testing.T) {
	c := open(t, noParent, 100)
	n := c.bind(abi.KindSignal, "s")
	slot, told := c.call(abi.OpArm, n)
	require.Equal(t, []entry{c.told(slot, abi.StatusFail, uint32(abi.CodeUnsupported))}, told)
	slot, told = c.call(abi.Op(77), n)
	require.Equal(t, []entry{c.told(slot, abi.StatusFail, uint32(abi.CodeUnsupported))}, told)
}

func TestForgettingNamesLeavesCallsAlone(t *testing.T) {
	c := open(t, noParent, 100)
	n := c.bind(abi.KindSignal, "s")
	w, _ := c.call(abi.OpWait, n)
	require.Zero(t, exportForget(uint32(c.handle)))
	c.names = 0
	n = c.bind(abi.KindSignal, "s")
	s, told := c.call(abi.OpSignal, n)
	require.Equal(t, []entry{c.told(w, abi.StatusDone, 0), c.told(s, abi.StatusDone, 1)}, told)
}

func TestABindingToADroppedNameFindsTheNewOne(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	an := a.bind(abi.KindSignal, "s")
	a.call(abi.OpClose, an) // and the name is dropped
	require.Nil(t, names[keyOf(abi.KindSignal, "s")])
	bn := b.bind(abi.KindSignal, "s")
	w, _ := b.call(abi.OpWait, bn)
	s, told := a.call(abi.OpSignal, an)
	require.Equal(t, []entry{b.told(w, abi.StatusDone, 0), a.told(s, abi.StatusDone, 1)}, told)
}

func TestNamesOfDifferentKindsAreDifferent(t *testing.T) {
	c := open(t, noParent, 100)
	c.call(abi.OpWait, c.bind(abi.KindSignal, "x"))
	slot, told := c.call(abi.OpWait, c.bind(abi.KindCheckpoint, "x"))
	require.Equal(t, []entry{c.told(slot, abi.StatusDone, 0)}, told)
	require.Len(t, inUse(), 1)
}

func TestAHandleOfAnEndedSessionIsNotItsSuccessors(t *testing.T) {
	a := open(t, noParent, 100)
	a.end()
	b := open(t, noParent, 100)
	require.Equal(t, a.handle&(handleSlots-1), b.handle&(handleSlots-1), "the slot is used again")
	require.NotEqual(t, a.handle, b.handle)
	require.EqualValues(t, abi.Refused, exportCall(uint32(a.handle), uint32(abi.OpWait), 0, 0, 0, 0))
	require.EqualValues(t, abi.Refused, exportEnd(uint32(a.handle)))
	require.EqualValues(t, abi.Refused, exportForget(uint32(a.handle)))
	require.EqualValues(t, abi.Refused, exportBind(uint32(a.handle), 0, 0, 0, 0))
}

func TestASessionEndsWithAllBelowItAndNothingOfThemStays(t *testing.T) {
	top := open(t, noParent, 100)
	middle := open(t, top.handle, 100)
	bottom := open(t, middle.handle, 100)
	other := open(t, noParent, 100)
	for _, c := range []*client{top, middle, bottom, other} {
		c.call(abi.OpWait, c.bind(abi.KindSignal, "s"))
	}
	require.Equal(t, []entry{
		bottom.told(0, abi.StatusGone, 0), middle.told(0, abi.StatusGone, 0), top.told(0, abi.StatusGone, 0),
	}, top.end())
	s, told := other.call(abi.OpSignal, 0)
	require.Equal(t, []entry{other.told(0, abi.StatusDone, 0), other.told(s, abi.StatusDone, 1)}, told)
	noneInUse(t)
	require.Equal(t, 1, sessions.live)
}

func TestASessionThatEndsUndoesExactlyTheArmThatItMade(t *testing.T) {
	t.Run("pending", func(t *testing.T) {
		a, b := open(t, noParent, 100), open(t, noParent, 100)
		a.call(abi.OpArm, a.bind(abi.KindCheckpoint, "c"))
		a.end()
		slot, told := b.call(abi.OpWait, b.bind(abi.KindCheckpoint, "c"))
		require.Equal(t, []entry{b.told(slot, abi.StatusDone, 0)}, told)
	})
	t.Run("holding", func(t *testing.T) {
		a, b := open(t, noParent, 100), open(t, noParent, 100)
		arm, _ := a.call(abi.OpArm, a.bind(abi.KindCheckpoint, "c"))
		w, told := b.call(abi.OpWait, b.bind(abi.KindCheckpoint, "c"))
		require.Equal(t, []entry{a.told(arm, abi.StatusHeld, 1)}, told)
		require.Equal(t, []entry{b.told(w, abi.StatusDone, 0), a.told(0, abi.StatusGone, 0)}, a.end())
	})
	t.Run("not a later one", func(t *testing.T) {
		a, b := open(t, noParent, 100), open(t, noParent, 100)
		an, bn := a.bind(abi.KindCheckpoint, "c"), b.bind(abi.KindCheckpoint, "c")
		arm, _ := a.call(abi.OpArm, an)
		w, _ := b.call(abi.OpWait, bn)
		r, told := b.call(abi.OpResume, bn)
		require.Equal(t, []entry{
			b.told(w, abi.StatusDone, 0), a.told(arm, abi.StatusEnded, 0), b.told(r, abi.StatusDone, 1),
		}, told, "what the arm held has lapsed")
		b.call(abi.OpArm, bn)
		w, _ = b.call(abi.OpWait, bn)
		require.Equal(t, []entry{a.told(0, abi.StatusGone, 0)}, a.end())
		_, told = b.call(abi.OpResume, bn)
		require.Contains(t, told, b.told(w, abi.StatusDone, 0))
		noneInUse(t)
	})
}

func TestAnAbortThatCrossesTheGrantOfAnArmUndoesIt(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	arm, _ := a.call(abi.OpArm, a.bind(abi.KindCheckpoint, "c"))
	w, _ := b.call(abi.OpWait, b.bind(abi.KindCheckpoint, "c"))
	require.Equal(t, []entry{b.told(w, abi.StatusDone, 0), a.told(arm, abi.StatusEnded, 0)}, a.endCall(arm))
	noneInUse(t)
}

func TestATaskRunsOnceInTheSessionThatCameFirstAndTellsAll(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	an, bn := a.bind(abi.KindTask, "t"), b.bind(abi.KindTask, "t")
	w1, told := a.call(abi.OpWait, an)
	require.Len(t, told, 1)
	run := told[0].value
	require.Equal(t, []entry{a.told(w1, abi.StatusRun, run)}, told)
	w2, told := b.call(abi.OpWait, bn)
	require.Empty(t, told)
	require.Equal(t, []entry{a.told(w1, abi.StatusResult, run), b.told(w2, abi.StatusResult, run)},
		a.finish(run, abi.OutcomeResult))
	w3, told := b.call(abi.OpWait, bn)
	require.Equal(t, []entry{b.told(w3, abi.StatusResult, run)}, told, "the result is kept")
	require.Len(t, inUse(), 1)
	cl, told := a.call(abi.OpClose, an)
	require.Equal(t, []entry{
		a.told(0, abi.StatusOver, run), {0, 0, abi.StatusFree, run}, a.told(cl, abi.StatusDone, 0),
	}, told)
	noneInUse(t)
	require.Empty(t, runs)
}

func TestARunOfAnotherSessionCannotBeFinished(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	_, told := a.call(abi.OpWait, a.bind(abi.KindTask, "t"))
	run := told[0].value
	require.EqualValues(t, abi.Refused, exportCall(uint32(b.handle), uint32(abi.OpFinish), 0, 0, run, 0))
	require.EqualValues(t, abi.Refused, exportCall(uint32(a.handle), uint32(abi.OpFinish), 0, 0, run+1, 0))
	require.EqualValues(t, abi.Refused, exportCall(uint32(a.handle), uint32(abi.OpFinish), 0, 2, run, 0))
	require.Len(t, a.finish(run, abi.OutcomeError), 1)
	require.EqualValues(t, abi.Refused, exportCall(uint32(a.handle), uint32(abi.OpFinish), 0, 0, run, 0), "a second time")
	a.call(abi.OpClose, 0)
}

func TestATaskWhoseSessionDiesIsRunByAnotherThatWaits(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	_, told := a.call(abi.OpWait, a.bind(abi.KindTask, "t"))
	first := told[0].value
	w, _ := b.call(abi.OpWait, b.bind(abi.KindTask, "t"))
	require.Equal(t, []entry{
		{0, 0, abi.StatusFree, first}, b.told(w, abi.StatusRun, first+1), a.told(0, abi.StatusGone, 0),
	}, a.end())
	require.Contains(t, b.finish(first+1, abi.OutcomeResult), b.told(w, abi.StatusResult, first+1))
	b.call(abi.OpClose, 0)
}

func TestATaskThatNobodyWaitsForIsCancelledAndTheNextOneWaitsForItsEnd(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	w, told := a.call(abi.OpWait, a.bind(abi.KindTask, "t"))
	first := told[0].value
	require.Equal(t, []entry{
		a.told(uint32(abi.CodeNoConsumers), abi.StatusCancel, first), a.told(w, abi.StatusEnded, 0),
	}, a.endCall(w))
	w2, told := b.call(abi.OpWait, b.bind(abi.KindTask, "t"))
	require.Empty(t, told, "two runs never overlap")
	require.Equal(t, []entry{
		a.told(0, abi.StatusOver, first), {0, 0, abi.StatusFree, first}, b.told(w2, abi.StatusRun, first+1),
	}, a.finish(first, abi.OutcomeError))
	b.finish(first+1, abi.OutcomeResult)
	b.call(abi.OpClose, 0)
	noneInUse(t)
}

func TestAResourceLivesFromTheFirstAcquireToTheLastRelease(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	r1, told := a.call(abi.OpAcquire, a.bind(abi.KindResource, "r"))
	run := told[0].value
	r2, _ := b.call(abi.OpAcquire, b.bind(abi.KindResource, "r"))
	require.Equal(t, []entry{a.told(r1, abi.StatusLent, run), b.told(r2, abi.StatusLent, run)},
		a.finish(run, abi.OutcomeResult))
	require.Equal(t, []entry{a.told(r1, abi.StatusEnded, 0)}, a.endCall(r1))
	require.Equal(t, []entry{a.told(0, abi.StatusStop, run), b.told(r2, abi.StatusEnded, 0)}, b.endCall(r2))
	r3, told := b.call(abi.OpAcquire, 0)
	require.Empty(t, told, "two are never live at once")
	require.Equal(t, []entry{
		a.told(0, abi.StatusOver, run), {0, 0, abi.StatusFree, run}, b.told(r3, abi.StatusRun, run+1),
	}, a.finish(run, abi.OutcomeResult))
	require.Contains(t, b.finish(run+1, abi.OutcomeError), b.told(r3, abi.StatusReject, run+1))
	noneInUse(t)
	require.Empty(t, runs)
}

func TestAResourceWhoseSessionDiesIsLostToAllOthers(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	_, told := a.call(abi.OpAcquire, a.bind(abi.KindResource, "r"))
	run := told[0].value
	r2, _ := b.call(abi.OpAcquire, b.bind(abi.KindResource, "r"))
	a.finish(run, abi.OutcomeResult)
	require.Contains(t, a.end(), b.told(r2, abi.StatusLost, uint32(abi.CodeOwnerLost)))
	require.Equal(t, []entry{b.told(r2, abi.StatusEnded, 0)}, b.endCall(r2), "to be released all the same")
	noneInUse(t)
}

func TestASignalThatWakesAGoroutineAsksForAResume(t *testing.T) {
	c := open(t, noParent, 100)
	n := c.bind(abi.KindSignal, "go")
	woken := make(chan error, 1)
	go func() { woken <- Signal("go").Wait(context.Background()) }()
	for Signal("go").Stats().Waiting == 0 {
		runtime.Gosched()
	}
	c.call(abi.OpWait, n)
	result := exportCall(uint32(c.handle), uint32(abi.OpSignal), n, 1, 0, 0)
	entries, flags := read(t, result)
	require.Equal(t, []entry{c.told(0, abi.StatusDone, 0), c.told(1, abi.StatusDone, 2)}, entries)
	require.EqualValues(t, abi.Pump, flags)
	require.NoError(t, <-woken)
	_, flags = read(t, exportCall(uint32(c.handle), uint32(abi.OpSignal), n, 0, 0, 0))
	require.Zero(t, flags, "nobody of Go's was woken")
}

func TestACallWokenByAGoroutineRingsTheBellOnceForABatch(t *testing.T) {
	c := open(t, noParent, 100)
	n := c.bind(abi.KindSignal, "go")
	c.call(abi.OpWait, n)
	c.call(abi.OpWait, n)
	before := bells
	require.Equal(t, 2, Signal("go").Signal())
	require.Equal(t, before+1, bells)
	entries, _ := read(t, exportDrain())
	require.Equal(t, []entry{c.told(0, abi.StatusDone, 0), c.told(1, abi.StatusDone, 0)}, entries)
}

func TestASessionThatEndsWithCallsWokenButNotToldLeavesNothing(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	a.call(abi.OpWait, a.bind(abi.KindSignal, "go"))
	b.call(abi.OpWait, b.bind(abi.KindSignal, "go"))
	a.call(abi.OpWait, 0)
	require.Equal(t, 3, Signal("go").Signal())
	require.Equal(t, []entry{b.told(0, abi.StatusDone, 0), a.told(0, abi.StatusGone, 0)}, a.end())
}

func TestAnExportAnswersBusyWhileAGoroutineIsInside(t *testing.T) {
	c := open(t, noParent, 100)
	n := c.bind(abi.KindSignal, "locked")
	held := Signal("locked")
	w, _ := c.call(abi.OpWait, n)

	t.Run("the hub", func(t *testing.T) {
		unlock := descheduledInside(&mu)
		require.EqualValues(t, abi.Busy, exportCall(uint32(c.handle), uint32(abi.OpSignal), n, c.slots, 0, 0))
		require.EqualValues(t, abi.Busy, exportOpen(uint32(noParent), 1, 0))
		require.EqualValues(t, abi.Busy, exportEnd(uint32(c.handle)))
		require.EqualValues(t, abi.Busy, exportDrain())
		unlock()
	})
	t.Run("a primitive", func(t *testing.T) {
		unlock := descheduledInside(mutexOf(held))
		require.EqualValues(t, abi.Busy, exportCall(uint32(c.handle), uint32(abi.OpSignal), n, c.slots, 0, 0))
		require.EqualValues(t, abi.Busy, exportCall(uint32(c.handle), uint32(abi.OpEnd), 0, w, 0, 0))
		require.EqualValues(t, abi.Busy, exportEnd(uint32(c.handle)))
		unlock()
	})
	require.Equal(t, []entry{c.told(0, abi.StatusGone, 0)}, c.end(), "and goes on where it was")
	require.Zero(t, held.Stats().Waiting)
}

// descheduledInside has a goroutine hold the mutex and then lose its turn, and returns what lets it go on.
func descheduledInside(m sync.Locker) (unlock func()) {
	inside, leave, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		m.Lock()
		close(inside)
		<-leave
		m.Unlock()
		close(left)
	}()
	<-inside
	return func() { close(leave); <-left }
}

// mutexOf returns the mutex of a Signal, which is its first field, and on one thread no more than a guard is.
func mutexOf(s *core.Signal) sync.Locker { return (*guard)(unsafe.Pointer(s)) }

func signalNamed(t *testing.T, name string) *core.Signal {
	o := names[keyOf(abi.KindSignal, name)]
	require.NotNil(t, o)
	return &o.primitive.(*signal).Signal
}

func TestTheSteadyStateAllocatesNothing(t *testing.T) {
	c := open(t, noParent, 1000)
	n := c.bind(abi.KindSignal, "go") // pinned by the tests above or here, so that the name is not made anew
	Signal("go")
	round := func() {
		for slot := range uint32(100) {
			exportCall(uint32(c.handle), uint32(abi.OpWait), n, slot, 0, 0)
		}
		exportCall(uint32(c.handle), uint32(abi.OpSignal), n, 100, 0, 0)
	}
	round()
	require.Zero(t, testing.AllocsPerRun(20, round))
}
