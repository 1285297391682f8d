//go:build js && wasm

package hub

import (
	"testing"
	"unicode/utf16"

	"github.com/clca-dev/clca/wasm/hub/abi"
	"github.com/stretchr/testify/require"
)

// bindOf binds a name with a creation argument.
func bindOf(c *client, kind abi.Kind, name string, arg uint32) uint32 {
	c.t.Helper()
	units := utf16.Encode([]rune(name))
	exportScratch(uint32(len(units)))
	copy(scratch, units)
	require.Zero(c.t, exportBind(uint32(c.handle), c.names, uint32(kind), uint32(len(units)), arg))
	c.names++
	return c.names - 1
}

// ask makes a call with an argument in a slot that was never used.
func ask(c *client, op abi.Op, name, arg uint32) (slot uint32, told []entry) {
	c.t.Helper()
	slot = c.slots
	c.slots++
	told, flags := read(c.t, exportCall(uint32(c.handle), uint32(op), name, slot, arg, 0))
	require.Zero(c.t, flags&(abi.Busy|abi.Refused))
	return slot, told
}

func endAs(c *client, slot uint32, how abi.Ending) []entry {
	c.t.Helper()
	told, flags := read(c.t, exportCall(uint32(c.handle), uint32(abi.OpEnd), 0, slot, uint32(how), 0))
	require.Zero(c.t, flags&(abi.Busy|abi.Refused))
	return told
}

// ofCapacity is the creation argument of a queue.
func ofCapacity(n uint32, order abi.QueueOrder) uint32 { return uint32(order)<<abi.QueueOrderShift | n }

const firstItem = abi.ItemNumbers + 7

func freed(number uint32) entry { return entry{0, 0, abi.StatusFree, number} }

// putAll puts items where there is room.
func putAll(c *client, queue uint32, items ...uint32) {
	c.t.Helper()
	for _, i := range items {
		slot, told := ask(c, abi.OpPut, queue, i)
		require.Equal(c.t, []entry{c.told(slot, abi.StatusDone, 0)}, told)
	}
}

func TestAnItemIsFreedWhereverItsWayEnds(t *testing.T) {
	const item, next = firstItem, firstItem + 1

	t.Run("taken for good", func(t *testing.T) {
		a, b := open(t, noParent, 100), open(t, noParent, 100)
		an, bn := bindOf(a, abi.KindQueue, "q", abi.Unsaid), bindOf(b, abi.KindQueue, "q", abi.Unsaid)
		putAll(a, an, item)
		get, told := ask(b, abi.OpGet, bn, 0)
		require.Equal(t, []entry{b.told(get, abi.StatusLent, item)}, told)
		require.Equal(t, []entry{freed(item), b.told(get, abi.StatusEnded, 0)}, endAs(b, get, abi.EndingKept))
		ask(b, abi.OpTaskDone, bn, 0)
		noneInUse(t)
	})

	t.Run("not put: denied, over the limit, of another shape, of another kind", func(t *testing.T) {
		a, b := open(t, noParent, 100), open(t, noParent, 2)
		an := bindOf(a, abi.KindQueue, "q", ofCapacity(1, abi.QueueOrderFifo))
		putAll(a, an, item)
		for _, op := range []abi.Op{abi.OpPut, abi.OpTryPut} {
			slot, told := ask(a, op, 77, next)
			require.Equal(t, []entry{freed(next), a.told(slot, abi.StatusFail, uint32(abi.CodeDenied))}, told)
			slot, told = ask(a, op, a.bind(abi.KindDenied, ""), next)
			require.Equal(t, []entry{freed(next), a.told(slot, abi.StatusFail, uint32(abi.CodeDenied))}, told)
			slot, told = ask(a, op, bindOf(a, abi.KindQueue, "q", ofCapacity(2, abi.QueueOrderFifo)), next)
			require.Contains(t, told, freed(next))
			require.Contains(t, told, a.told(slot, abi.StatusFail, uint32(abi.CodeMismatch)))
			for _, kind := range []abi.Kind{abi.KindSignal, abi.KindTask, abi.KindPool} {
				slot, told = ask(a, op, bindOf(a, kind, "other", 1), next)
				require.Equal(t, []entry{freed(next), a.told(slot, abi.StatusFail, uint32(abi.CodeUnsupported))}, told)
			}
		}
		bn := bindOf(b, abi.KindQueue, "q", abi.Unsaid)
		ask(b, abi.OpPut, bn, next)
		ask(b, abi.OpPut, bn, next+1)
		slot, told := ask(b, abi.OpPut, bn, next+2)
		require.Equal(t, []entry{freed(next + 2), b.told(slot, abi.StatusFail, uint32(abi.CodeLimit))}, told)
		b.end()
		get, _ := ask(a, abi.OpGet, an, 0)
		endAs(a, get, abi.EndingKept)
		ask(a, abi.OpTaskDone, an, 0)
		noneInUse(t)
	})

	t.Run("not put: no room, or closed", func(t *testing.T) {
		a := open(t, noParent, 100)
		an := bindOf(a, abi.KindQueue, "q", ofCapacity(1, abi.QueueOrderFifo))
		putAll(a, an, item)
		slot, told := ask(a, abi.OpTryPut, an, next)
		require.Equal(t, []entry{freed(next), a.told(slot, abi.StatusDone, 0)}, told)
		waits, told := ask(a, abi.OpPut, an, next+1)
		require.Empty(t, told)
		closing, told := ask(a, abi.OpClose, an, 0)
		require.Equal(t, []entry{
			a.told(waits, abi.StatusFail, uint32(abi.CodeClosed)), freed(next + 1), a.told(closing, abi.StatusDone, 0),
		}, told)
		for _, op := range []abi.Op{abi.OpPut, abi.OpTryPut} {
			slot, told = ask(a, op, an, next+2)
			require.Equal(t, []entry{freed(next + 2), a.told(slot, abi.StatusFail, uint32(abi.CodeClosed))}, told)
		}
		get, _ := ask(a, abi.OpGet, an, 0)
		require.Equal(t, []entry{freed(item), a.told(get, abi.StatusEnded, 0)}, endAs(a, get, abi.EndingKept))
		noneInUse(t)
	})

	t.Run("its put is withdrawn", func(t *testing.T) {
		a := open(t, noParent, 100)
		an := bindOf(a, abi.KindQueue, "q", ofCapacity(0, abi.QueueOrderFifo))
		for _, how := range []abi.Ending{abi.EndingBack, abi.EndingKept, abi.EndingDiscard, 77} {
			slot, told := ask(a, abi.OpPut, an, item)
			require.Empty(t, told)
			require.Equal(t, []entry{freed(item), a.told(slot, abi.StatusEnded, 0)}, endAs(a, slot, how))
		}
		noneInUse(t)
	})

	t.Run("its put waits when the session ends", func(t *testing.T) {
		a := open(t, noParent, 100)
		ask(a, abi.OpPut, bindOf(a, abi.KindQueue, "q", ofCapacity(0, abi.QueueOrderFifo)), item)
		require.Equal(t, []entry{freed(item), a.told(0, abi.StatusGone, 0)}, a.end())
		noneInUse(t)
	})

	t.Run("taken out by CloseNow", func(t *testing.T) {
		a := open(t, noParent, 100)
		an := bindOf(a, abi.KindQueue, "q", ofCapacity(2, abi.QueueOrderLifo))
		putAll(a, an, item, item+1)
		waits, _ := ask(a, abi.OpPut, an, item+2)
		closing, told := ask(a, abi.OpCloseNow, an, 0)
		require.ElementsMatch(t, []entry{
			a.told(waits, abi.StatusFail, uint32(abi.CodeClosed)), freed(item + 2),
			a.told(closing, abi.StatusItem, item+1), freed(item + 1),
			a.told(closing, abi.StatusItem, item), freed(item),
			a.told(closing, abi.StatusDone, 2),
		}, told)
		require.Less(t, index(told, a.told(closing, abi.StatusItem, item+1)), index(told, a.told(closing, abi.StatusItem, item)))
		require.Less(t, index(told, a.told(closing, abi.StatusItem, item)), index(told, freed(item)))
		noneInUse(t)
	})

	t.Run("given back after CloseNow", func(t *testing.T) {
		for way, giveBack := range map[string]func(b *client, get uint32) []entry{
			"by an abort": func(b *client, get uint32) []entry { return endAs(b, get, abi.EndingBack) },
			"by nonsense": func(b *client, get uint32) []entry { return endAs(b, get, 77) },
			"by the end":  func(b *client, _ uint32) []entry { return b.end() },
		} {
			t.Run(way, func(t *testing.T) {
				a, b := open(t, noParent, 100), open(t, noParent, 100)
				an, bn := bindOf(a, abi.KindQueue, "q", abi.Unsaid), bindOf(b, abi.KindQueue, "q", abi.Unsaid)
				putAll(a, an, item)
				get, _ := ask(b, abi.OpGet, bn, 0)
				ask(a, abi.OpCloseNow, an, 0)
				require.Contains(t, giveBack(b, get), freed(item))
				noneInUse(t)
			})
		}
	})
}

func index(told []entry, want entry) int {
	for i, e := range told {
		if e == want {
			return i
		}
	}
	return -1
}

func TestAnItemThatIsGivenBackIsNotFreedAndGoesToTheNext(t *testing.T) {
	const item = firstItem
	for way, giveBack := range map[string]func(a *client, get uint32) []entry{
		"by an abort": func(a *client, get uint32) []entry { return endAs(a, get, abi.EndingBack) },
		"by the end":  func(a *client, _ uint32) []entry { return a.end() },
	} {
		t.Run(way, func(t *testing.T) {
			a, b := open(t, noParent, 100), open(t, noParent, 100)
			an, bn := bindOf(a, abi.KindQueue, "q", abi.Unsaid), bindOf(b, abi.KindQueue, "q", abi.Unsaid)
			first, _ := ask(a, abi.OpGet, an, 0)
			second, _ := ask(b, abi.OpGet, bn, 0)
			put, told := ask(b, abi.OpPut, bn, item)
			require.Equal(t, []entry{a.told(first, abi.StatusLent, item), b.told(put, abi.StatusDone, 0)}, told)
			told = giveBack(a, first)
			require.Contains(t, told, b.told(second, abi.StatusLent, item))
			require.NotContains(t, told, freed(item))
			require.Equal(t, []entry{freed(item), b.told(second, abi.StatusEnded, 0)}, endAs(b, second, abi.EndingKept))
			ask(b, abi.OpTaskDone, bn, 0)
			noneInUse(t)
		})
	}
}

func TestItemsThatASessionHadNotConfirmedGoToOthersInOrder(t *testing.T) {
	for order, want := range map[abi.QueueOrder][]uint32{
		abi.QueueOrderFifo:     {firstItem, firstItem + 1, firstItem + 2, firstItem + 3},
		abi.QueueOrderLifo:     {firstItem + 3, firstItem + 2, firstItem + 1, firstItem},
		abi.QueueOrderPriority: {firstItem, firstItem + 1, firstItem + 2, firstItem + 3},
	} {
		for waiting := range 5 {
			a, b := open(t, noParent, 100), open(t, noParent, 100)
			arg := ofCapacity(10, order)
			an, bn := bindOf(a, abi.KindQueue, "q", arg), bindOf(b, abi.KindQueue, "q", arg)
			putAll(b, bn, firstItem, firstItem+1, firstItem+2, firstItem+3)
			for range 4 { // slots in a bad order, as a client has that uses them again
				ask(a, abi.OpStats, an, 0)
			}
			for _, slot := range []uint32{2, 3, 1, 0} {
				told, _ := read(t, exportCall(uint32(a.handle), uint32(abi.OpGet), an, slot, 0, 0))
				require.Len(t, told, 1)
			}
			var told []entry
			for range waiting {
				ask(b, abi.OpGet, bn, 0)
			}
			told = append(told, a.end()...)
			for range 4 - waiting {
				_, more := ask(b, abi.OpGet, bn, 0)
				told = append(told, more...)
			}
			var got []uint32
			for _, e := range told {
				if e.status == abi.StatusLent {
					got = append(got, e.value)
				}
			}
			require.Equal(t, want, got, "order %d, %d waiting", order, waiting)
			ask(b, abi.OpCloseNow, bn, 0)
			b.end()
			noneInUse(t)
		}
	}
}

func TestAQueueOfAnOrderThatMakesNoSenseIsRefused(t *testing.T) {
	c := open(t, noParent, 100)
	for _, arg := range []uint32{ofCapacity(1, 3), ofCapacity(1, 7), 1<<32 - 2} {
		n := bindOf(c, abi.KindQueue, "q", arg)
		require.EqualValues(t, abi.Refused, exportCall(uint32(c.handle), uint32(abi.OpPut), n, c.slots, firstItem, 0))
	}
	noneInUse(t)
	// Nor can it become the shape of a queue that has none yet.
	get, _ := ask(c, abi.OpGet, bindOf(c, abi.KindQueue, "q", abi.Unsaid), 0)
	slot, told := ask(c, abi.OpPut, bindOf(c, abi.KindQueue, "q", ofCapacity(1, 3)), firstItem)
	require.Contains(t, told, freed(firstItem))
	require.Contains(t, told, c.told(slot, abi.StatusFail, uint32(abi.CodeMismatch)))
	endAs(c, get, abi.EndingBack)
	noneInUse(t)
}

func TestWhoWaitsToGetTakesTheShapeOfWhoSaysOne(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	an := bindOf(a, abi.KindQueue, "q", abi.Unsaid)
	get, _ := ask(a, abi.OpGet, an, 0)
	said := bindOf(b, abi.KindQueue, "q", ofCapacity(1, abi.QueueOrderLifo))
	put, told := ask(b, abi.OpPut, said, firstItem)
	require.Equal(t, []entry{a.told(get, abi.StatusLent, firstItem), b.told(put, abi.StatusDone, 0)}, told)
	putAll(b, said, firstItem+1)
	_, told = ask(b, abi.OpPut, said, firstItem+2)
	require.Empty(t, told, "it is full")
	slot, told := ask(b, abi.OpStats, bindOf(b, abi.KindQueue, "q", ofCapacity(1, abi.QueueOrderFifo)), 0)
	require.Contains(t, told, b.told(slot, abi.StatusFail, uint32(abi.CodeMismatch)))
	ask(a, abi.OpCloseNow, an, 0)
	a.end()
	b.end()
	noneInUse(t)
}

// made has the session acquire a resource that is made for it, and returns its call and run.
func made(c *client, pool uint32) (lease, run uint32) {
	c.t.Helper()
	lease, told := ask(c, abi.OpAcquire, pool, 0)
	require.Len(c.t, told, 1)
	run = told[0].value
	require.Equal(c.t, []entry{c.told(lease, abi.StatusRun, run)}, told)
	require.Equal(c.t, []entry{c.told(lease, abi.StatusLent, run)}, c.finish(run, abi.OutcomeResult))
	return lease, run
}

func TestAPoolOfNoSizeIsRefused(t *testing.T) {
	c := open(t, noParent, 100)
	for _, size := range []uint32{0, 1 << 31, 1<<32 - 1} {
		n := bindOf(c, abi.KindPool, "p", size)
		require.EqualValues(t, abi.Refused, exportCall(uint32(c.handle), uint32(abi.OpAcquire), n, c.slots, 0, 0))
	}
	noneInUse(t)
}

func TestASlotOfAPoolGoesToTheNextWhenItsSessionEnds(t *testing.T) {
	states := map[string]func(a *client, an uint32) (run uint32){
		"being made": func(a *client, an uint32) uint32 {
			_, told := ask(a, abi.OpAcquire, an, 0)
			return told[0].value
		},
		"being made for one who has left": func(a *client, an uint32) uint32 {
			lease, told := ask(a, abi.OpAcquire, an, 0)
			endAs(a, lease, abi.EndingBack)
			return told[0].value
		},
		"lent": func(a *client, an uint32) uint32 {
			_, run := made(a, an)
			return run
		},
		"lent, and wanted by another of its own": func(a *client, an uint32) uint32 {
			_, run := made(a, an)
			ask(a, abi.OpAcquire, an, 0)
			return run
		},
		"idle": func(a *client, an uint32) uint32 {
			lease, run := made(a, an)
			endAs(a, lease, abi.EndingBack)
			return run
		},
		"being unmade": func(a *client, an uint32) uint32 {
			lease, run := made(a, an)
			endAs(a, lease, abi.EndingDiscard)
			return run
		},
		"being replaced": func(a *client, an uint32) uint32 {
			lease, run := made(a, an)
			ask(a, abi.OpReplace, an, lease)
			return run
		},
		"being made once more": func(a *client, an uint32) uint32 {
			lease, run := made(a, an)
			ask(a, abi.OpReplace, an, lease)
			return a.finish(run, abi.OutcomeResult)[2].value
		},
	}
	for state, reach := range states {
		t.Run(state, func(t *testing.T) {
			a, b := open(t, noParent, 100), open(t, noParent, 100)
			an, bn := bindOf(a, abi.KindPool, "p", 1), bindOf(b, abi.KindPool, "p", 1)
			run := reach(a, an)
			waits, told := ask(b, abi.OpAcquire, bn, 0)
			if state == "idle" {
				require.Equal(t, []entry{a.told(0, abi.StatusStop, run)}, told)
			} else {
				require.Empty(t, told)
			}
			told = a.end()
			require.Contains(t, told, freed(run))
			begun := index(told, b.told(waits, abi.StatusRun, lastRun))
			require.GreaterOrEqual(t, begun, 0, "it is made for b: %v", told)
			require.Len(t, runs, 1)
			require.Equal(t, []entry{b.told(waits, abi.StatusLent, lastRun)}, b.finish(lastRun, abi.OutcomeResult))
			require.Contains(t, b.end(), freed(lastRun))
			require.Empty(t, runs)
			noneInUse(t)
		})
	}
}

func TestAFailureToMakeOneFreesItsRunAndTheNextOneTries(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	an, bn := bindOf(a, abi.KindPool, "p", 1), bindOf(b, abi.KindPool, "p", 1)
	first, told := ask(a, abi.OpAcquire, an, 0)
	run := told[0].value
	second, _ := ask(b, abi.OpAcquire, bn, 0)
	told = a.finish(run, abi.OutcomeError)
	require.ElementsMatch(t, []entry{
		a.told(first, abi.StatusReject, run), a.told(0, abi.StatusOver, run), freed(run),
		b.told(second, abi.StatusRun, lastRun),
	}, told)
	require.Less(t, index(told, a.told(first, abi.StatusReject, run)), index(told, freed(run)))
	b.finish(lastRun, abi.OutcomeResult)
	b.end()
	noneInUse(t)
}

func TestReplaceTakesNothingButALeaseOfTheSameSessionAndPool(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	an, bn := bindOf(a, abi.KindPool, "p", 2), bindOf(b, abi.KindPool, "p", 2)
	lease, run := made(a, an)
	theirs, _ := made(b, bn)
	otherLease, _ := made(a, bindOf(a, abi.KindPool, "other", 1))
	waits, _ := ask(a, abi.OpAcquire, an, 0)
	joins, _ := ask(a, abi.OpJoin, an, 0)
	lock, _ := ask(a, abi.OpAcquire, a.bind(abi.KindLock, "l"), 0)
	for what, slot := range map[string]uint32{
		"another pool's": otherLease, "one that waits": waits, "a join": joins, "a lock": lock,
		"itself": a.slots, "none": a.slots + 20, "nonsense": 1<<32 - 1, "more nonsense": 1 << 31,
	} {
		call, told := ask(a, abi.OpReplace, an, slot)
		if what == "itself" {
			require.Equal(t, call, slot)
		}
		require.Equal(t, []entry{a.told(call, abi.StatusFail, uint32(abi.CodeNotOwner))}, told, what)
		a.slots-- // it is free again
	}
	call, told := ask(b, abi.OpReplace, bn, theirs+40)
	require.Equal(t, []entry{b.told(call, abi.StatusFail, uint32(abi.CodeNotOwner))}, told)

	_, told = ask(a, abi.OpReplace, an, lease)
	require.Equal(t, []entry{a.told(0, abi.StatusStop, run), a.told(lease, abi.StatusEnded, 0)}, told)
	require.Empty(t, endAs(a, lease, abi.EndingDiscard), "the lease is gone")
	endAs(a, lock, abi.EndingBack)
	a.end()
	b.end()
	require.Empty(t, runs)
	noneInUse(t)
}

func TestEvictTakesNothingButAnIdleResourceOfTheSameSessionAndPool(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	an, bn := bindOf(a, abi.KindPool, "p", 3), bindOf(b, abi.KindPool, "p", 3)
	lease, run := made(a, an)
	_, lent := made(a, an)
	left, told := ask(a, abi.OpAcquire, an, 0)
	making := told[0].value
	endAs(a, left, abi.EndingBack)
	other := bindOf(a, abi.KindPool, "other", 1)
	otherLease, otherRun := made(a, other)
	endAs(a, otherLease, abi.EndingBack)
	require.Equal(t, []entry{a.told(0, abi.StatusIdle, run), a.told(lease, abi.StatusEnded, 0)}, endAs(a, lease, abi.EndingBack))

	for what, number := range map[string]uint32{
		"one that is lent": lent, "one that is being made": making, "another pool's": otherRun,
		"none": 0, "not yet one": lastRun + 1, "nonsense": 1<<32 - 1,
	} {
		call, told := ask(a, abi.OpEvict, an, number)
		require.Equal(t, []entry{a.told(call, abi.StatusDone, 0)}, told, what)
	}
	call, told := ask(b, abi.OpEvict, bn, run)
	require.Equal(t, []entry{b.told(call, abi.StatusDone, 0)}, told, "another session's")

	call, told = ask(a, abi.OpEvict, an, run)
	require.Equal(t, []entry{a.told(0, abi.StatusStop, run), a.told(call, abi.StatusDone, 1)}, told)
	call, told = ask(a, abi.OpEvict, an, run)
	require.Equal(t, []entry{a.told(call, abi.StatusDone, 0)}, told, "it is on its way out")
	a.end()
	b.end()
	require.Empty(t, runs)
	noneInUse(t)
}

func TestAResourceThatNobodyAskedToBeUnmadeStays(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	an, bn := bindOf(a, abi.KindPool, "p", 1), bindOf(b, abi.KindPool, "p", 1)
	lease, run := made(a, an)
	for _, outcome := range []abi.Outcome{abi.OutcomeResult, abi.OutcomeError} {
		require.Empty(t, a.finish(run, outcome))
	}
	waits, _ := ask(b, abi.OpAcquire, bn, 0)
	require.Equal(t, []entry{a.told(0, abi.StatusStop, run), a.told(lease, abi.StatusEnded, 0)}, endAs(a, lease, abi.EndingBack))
	require.Equal(t, []entry{
		a.told(0, abi.StatusOver, run), freed(run), b.told(waits, abi.StatusRun, run+1),
	}, a.finish(run, abi.OutcomeResult))
	b.end()
	require.Empty(t, runs)
	noneInUse(t)
}

func TestAPoolThatIsClosedEndsWhenAllIsBack(t *testing.T) {
	a, b := open(t, noParent, 100), open(t, noParent, 100)
	an, bn := bindOf(a, abi.KindPool, "p", 2), bindOf(b, abi.KindPool, "p", 2)
	lease, run := made(a, an)
	idle, idleRun := made(b, bn)
	endAs(b, idle, abi.EndingBack)
	joins, _ := ask(b, abi.OpJoin, bn, 0)
	call, told := ask(b, abi.OpClose, bn, 0)
	require.Equal(t, []entry{b.told(0, abi.StatusStop, idleRun), b.told(call, abi.StatusDone, 1)}, told)
	b.finish(idleRun, abi.OutcomeResult)
	call, told = ask(a, abi.OpReplace, an, lease)
	require.Equal(t, []entry{
		a.told(0, abi.StatusStop, run), a.told(lease, abi.StatusEnded, 0), a.told(call, abi.StatusFail, uint32(abi.CodeClosed)),
	}, told)
	require.Contains(t, a.finish(run, abi.OutcomeResult), b.told(joins, abi.StatusDone, 0))
	noneInUse(t)
}
