//go:build js && wasm

package hub

import (
	"slices"
	"testing"

	"github.com/clca-dev/clca/wasm/hub/abi"
	"github.com/stretchr/testify/require"
)

// The hub lists who holds a lock in the order in which it was granted, whoever leaves when.

// lists holds that the lock lists so many holders, in order.
func lists(t *testing.T, kind abi.Kind, n int) {
	t.Helper()
	o := names[keyOf(kind, "l")]
	if o == nil {
		require.Zero(t, n)
		return
	}
	have, broken := listed(o.primitive.(*lock))
	require.Empty(t, broken)
	require.Equal(t, n, have)
}

func TestAStealTellsThoseInOrderWhoAreLeftWhoeverLeftBefore(t *testing.T) {
	const sharers, leave = 4, 2
	shared := uint32(abi.LockModeShared)
	permutations(sharers, func(order []int) {
		a, b := join(t), join(t)
		an, bn := a.name(abi.KindRWLock, "l", 0), b.name(abi.KindRWLock, "l", 0)
		slots := make([]uint32, sharers)
		for i := range slots {
			slots[i], _ = a.do(abi.OpAcquire, an, shared)
		}
		for i, left := range order[:leave] {
			a.endCall(slots[left])
			lists(t, abi.KindRWLock, sharers-i-1)
		}
		stay := slices.Sorted(slices.Values(order[leave:]))
		again, _ := a.do(abi.OpAcquire, an, shared)
		thief, told := b.do(abi.OpSteal, bn, 0)
		var lost []entry
		for _, i := range stay {
			lost = append(lost, a.told(slots[i], abi.StatusLost, uint32(abi.CodeStolen)))
		}
		lost = append(lost, a.told(again, abi.StatusLost, uint32(abi.CodeStolen)))
		require.Equal(t, lost, told[:len(told)-1], "who left: %v", order[:leave])
		require.Equal(t, thief, told[len(told)-1].call)
		lists(t, abi.KindRWLock, 1)
		for _, i := range stay {
			require.Equal(t, []entry{a.told(slots[i], abi.StatusEnded, 0)}, a.endCall(slots[i]))
		}
		lists(t, abi.KindRWLock, 1)
		b.endCall(thief)
		lists(t, abi.KindRWLock, 0)
		a.end()
		b.end()
		noneInUse(t)
	})
}

// Three sessions hold and wait for a lock with its condition, a fourth steals it; they end in every order.
func TestInWhateverOrderSessionsEndTheLockIsFreeInTheEnd(t *testing.T) {
	const parties = 4
	permutations(parties, func(order []int) {
		all := make([]party, parties)
		for i := range all {
			all[i] = join(t)
			all[i].lock("l")
		}
		guard := all[0].acquire(0)
		all[0].waits(abi.OpWait, 1, guard)
		held := all[1].acquire(0)
		all[1].waits(abi.OpAcquire, 0, 0)
		all[2].waits(abi.OpAcquire, 0, 0)
		lists(t, abi.KindLock, 2)
		_, told := all[3].do(abi.OpSteal, 0, 0)
		require.Equal(t, all[1].told(held, abi.StatusLost, uint32(abi.CodeStolen)), told[0])
		require.Len(t, told, 2, "who waits on the condition is not stolen from")
		lists(t, abi.KindLock, 2)
		all[2].asks(abi.OpNotify, 1, 1)
		for at, i := range order {
			for _, e := range all[i].end() {
				for _, gone := range order[:at] {
					require.NotEqual(t, all[gone].handle, e.session, "%v", order)
				}
			}
			if at < parties-1 {
				o := names[keyOf(abi.KindLock, "l")]
				_, broken := listed(o.primitive.(*lock))
				require.Empty(t, broken, "%v", order)
			}
		}
		heir := join(t)
		slot, told := heir.do(abi.OpTry, heir.name(abi.KindLock, "l", 0), 0)
		require.Len(t, told, 1)
		require.Equal(t, abi.StatusHeld, told[0].status, "%v", order)
		heir.endCall(slot)
		heir.end()
		noneInUse(t)
	})
}

func TestALockThatIsEnteredOftenIsFreeOnceAllIsGivenBackInWhateverOrder(t *testing.T) {
	permutations(4, func(order []int) {
		a, b := join(t), join(t)
		an, bn := a.name(abi.KindReentrantLock, "l", 0), b.name(abi.KindReentrantLock, "l", 0)
		slots := []uint32{a.acquire(an)}
		for range 3 {
			slot, told := a.do(abi.OpReenter, an, slots[len(slots)-1])
			require.Equal(t, abi.StatusHeld, told[0].status)
			slots = append(slots, slot)
		}
		lists(t, abi.KindReentrantLock, 4)
		w := b.waits(abi.OpAcquire, bn, 0)
		b.fails(abi.CodeNotOwner, abi.OpReenter, bn, slots[0])
		for i, give := range order {
			told := a.endCall(slots[give])
			if i < len(order)-1 {
				require.Len(t, told, 1)
				lists(t, abi.KindReentrantLock, len(order)-i-1)
				inner := a.in(slots[give], abi.OpReenter, an, slots[order[len(order)-1]]) // by any that is left
				require.Equal(t, abi.StatusHeld, inner[0].status)
				a.endCall(slots[give])
				a.in(slots[give], abi.OpTest, an, 0) // what is over enters nothing
				a.fails(abi.CodeNotOwner, abi.OpReenter, an, slots[give])
			} else {
				require.Contains(t, told, b.told(w, abi.StatusHeld, 0))
			}
		}
		lists(t, abi.KindReentrantLock, 1)
		a.fails(abi.CodeNotOwner, abi.OpReenter, an, w)
		b.endCall(w)
		a.end()
		b.end()
		noneInUse(t)
	})
}

// asked is what is told of a call that holds an RWLock, or waits for it.
type asked struct {
	holds   bool
	mode    abi.LockMode
	session handle
	name    string
}

// queries asks who holds and who waits for every RWLock.
func (p party) queries() (all []asked) {
	p.t.Helper()
	require.Equal(p.t, abi.StatusResult, p.asks(abi.OpQuery, 0, 0).status)
	units := scratch[2 : 2+uint32(scratch[0])+uint32(scratch[1])<<16]
	for len(units) > 0 {
		a := asked{holds: units[0] == 1, mode: abi.LockMode(units[1]), session: handle(uint32(units[2]) | uint32(units[3])<<16)}
		length := int(units[4]) | int(units[5])<<16
		for _, u := range units[6 : 6+length] {
			a.name += string(rune(u))
		}
		units = units[6+length:]
		all = append(all, a)
	}
	return all
}

func TestAQueryListsWhoHoldsInTheOrderOfGrantsAndWhoWaitsInTheOrderOfArrival(t *testing.T) {
	const shared, alone = abi.LockModeShared, abi.LockModeExclusive
	a, b := join(t), join(t)
	ax, bx, by := a.name(abi.KindRWLock, "x", 0), b.name(abi.KindRWLock, "x", 0), b.name(abi.KindRWLock, "y", 0)
	require.Empty(t, a.queries())
	b1, _ := b.do(abi.OpAcquire, bx, uint32(shared))
	a1, _ := a.do(abi.OpAcquire, ax, uint32(shared))
	b.waits(abi.OpAcquire, bx, uint32(alone))
	b.do(abi.OpTry, by, uint32(alone))
	a.waits(abi.OpAcquire, ax, uint32(shared))
	require.Equal(t, []asked{
		{true, shared, b.handle, "x"}, {true, shared, a.handle, "x"}, {true, alone, b.handle, "y"},
		{false, alone, b.handle, "x"}, {false, shared, a.handle, "x"},
	}, a.queries())
	b.endCall(b1)
	require.Len(t, a.endCall(a1), 2)
	require.Equal(t, []asked{ // who waited longest was granted last
		{true, alone, b.handle, "y"}, {true, alone, b.handle, "x"}, {false, shared, a.handle, "x"},
	}, b.queries())
	a.do(abi.OpSteal, ax, 0)
	require.Equal(t, []asked{
		{true, alone, b.handle, "y"}, {true, alone, a.handle, "x"}, {false, shared, a.handle, "x"},
	}, b.queries())
	b.end()
	require.Equal(t, []asked{{true, alone, a.handle, "x"}, {false, shared, a.handle, "x"}}, a.queries())
	a.end()
	for _, name := range []string{"x", "y"} {
		heir := join(t)
		heir.do(abi.OpAcquire, heir.name(abi.KindRWLock, name, 0), 0)
		for slot := range heir.slots {
			heir.endCall(slot)
		}
	}
	noneInUse(t)
}

func TestAGuardThatLosesTheLockWhileItWaitsIsListedNoLonger(t *testing.T) {
	a, b := join(t), join(t)
	al, ac := a.lock("l")
	guard := a.acquire(al)
	wait := a.waits(abi.OpWait, ac, guard)
	lists(t, abi.KindLock, 1)
	_, told := b.do(abi.OpClose, b.name(abi.KindLock, "l", 0), 0)
	require.ElementsMatch(t, []entry{
		a.told(wait, abi.StatusFail, uint32(abi.CodeClosed)), a.told(guard, abi.StatusLost, uint32(abi.CodeClosed)),
		b.told(b.slots-1, abi.StatusDone, 0),
	}, told)
	lists(t, abi.KindLock, 0)
	a.endCall(guard)
	noneInUse(t)
}
