//go:build js && wasm

package hub

import (
	"context"
	"testing"

	"github.com/clca-dev/clca/wasm/hub/abi"
	"github.com/stretchr/testify/require"
)

// One call may stand for several callers of a realm that wait for the same: it counts as all of them.

// broadcasts are the kinds that wake all who wait, with what makes them wait and what wakes them.
var broadcasts = []struct {
	kind      abi.Kind
	arg       uint32
	arms      abi.Op // before anybody waits; or OpWait where it need not be
	wakes     abi.Op
	wakesWith uint32
	counts    bool // it answers with how many were woken
	waiting   int  // which of its numbers says how many wait
}{
	{abi.KindSignal, 0, abi.OpWait, abi.OpSignal, 0, true, 0},
	{abi.KindEvent, 0, abi.OpWait, abi.OpSet, 0, true, 1},
	{abi.KindLatch, 1, abi.OpWait, abi.OpCountDown, 1, false, 1},
	{abi.KindCheckpoint, 0, abi.OpArm, abi.OpResume, 0, true, 0},
}

// number returns one of the numbers of a name.
func (p party) number(name uint32, which int) uint32 {
	p.t.Helper()
	_, told := p.do(abi.OpStats, name, 0)
	require.Greater(p.t, len(told), 2*which)
	return told[2*which].value
}

func TestACallForSeveralCountsAsManyWhereverCallersAreCounted(t *testing.T) {
	for _, k := range broadcasts {
		waker, waiter := join(t), party{open(t, noParent, 10)}
		n, name := waker.name(k.kind, "x", k.arg), waiter.name(k.kind, "x", k.arg)
		if k.arms != abi.OpWait {
			waker.waits(k.arms, n, 0)
		}
		before := waker.hubStats(false)
		four, _ := waiter.do(abi.OpWait, name, 3)
		left, _ := waiter.do(abi.OpWait, name, 1)
		one, _ := waiter.do(abi.OpWait, name, 0)
		require.EqualValues(t, 7, waker.number(n, k.waiting))
		require.EqualValues(t, before[2]+7, waker.hubStats(false)[2])
		require.EqualValues(t, 7, waiter.hubStats(true)[2])
		require.Equal(t, []entry{waiter.told(left, abi.StatusEnded, 0)}, waiter.endCall(left), "it takes all its callers along")
		require.EqualValues(t, 5, waker.number(n, k.waiting))
		require.EqualValues(t, 5, waiter.hubStats(true)[2])

		wake, told := waker.do(k.wakes, n, k.wakesWith)
		require.Equal(t, []entry{waiter.told(four, abi.StatusDone, 0), waiter.told(one, abi.StatusDone, 0)}, told[:2])
		woken := uint32(5)
		if !k.counts {
			woken = 0
		}
		require.Equal(t, waker.told(wake, abi.StatusDone, woken), told[len(told)-1])
		require.Zero(t, waiter.hubStats(true)[2])
		waker.asks2(abi.OpClose, n)
		noneInUse(t)
		waker.end()
		waiter.end()
	}
}

func TestACallForMoreThanTheLimitAllowsFailsAndDisturbsNothing(t *testing.T) {
	for _, k := range broadcasts {
		top := party{open(t, noParent, 6)} // the session below counts as one
		below := party{open(t, top.handle, 0)}
		other := join(t)
		n, name, arms := top.name(k.kind, "x", k.arg), below.name(k.kind, "x", k.arg), other.name(k.kind, "x", k.arg)
		if k.arms != abi.OpWait {
			other.waits(k.arms, arms, 0)
		}
		below.do(abi.OpWait, name, 2)
		for _, more := range []uint32{2, 3, 1 << 16, defaultLimit - 1, defaultLimit, maxArg, 1 << 31, abi.Unsaid} {
			for p, name := range map[party]uint32{top: n, below: name} {
				p.fails(abi.CodeLimit, abi.OpWait, name, more)
				p.slots--
			}
		}
		require.EqualValues(t, 3, other.number(arms, k.waiting))
		two, _ := top.do(abi.OpWait, n, 1)
		top.isFullFor(n)
		require.Equal(t, []entry{top.told(two, abi.StatusEnded, 0)}, top.endCall(two))
		below.do(abi.OpWait, name, 1)
		top.isFullFor(n)
		below.end()
		top.do(abi.OpWait, n, 5)
		top.isFullFor(n)
		top.end()
		other.asks2(abi.OpClose, arms)
		other.end()
		noneInUse(t)
	}
}

// isFullFor is isFull for a name of any kind.
func (p party) isFullFor(name uint32) {
	p.t.Helper()
	p.fails(abi.CodeLimit, abi.OpWait, name, 0)
	p.slots--
	p.fails(abi.CodeLimit, abi.OpStats, name, 0)
	p.slots--
}

func TestNoSessionHasMoreCallersThanTheLargestLimit(t *testing.T) {
	a := join(t)
	a.end()
	a = party{open(t, noParent, 0)} // without a limit of its own
	n := a.name(abi.KindSignal, "x", 0)
	a.fails(abi.CodeLimit, abi.OpWait, n, defaultLimit)
	a.waits(abi.OpWait, n, defaultLimit-2)
	a.fails(abi.CodeLimit, abi.OpWait, n, 1)
	slot, told := a.do(abi.OpSignal, n, 0)
	require.Equal(t, a.told(slot, abi.StatusDone, defaultLimit-1), told[1])
}

func TestWhereOneIsWokenAtATimeTheArgumentIsNoNumberOfCallers(t *testing.T) {
	a := party{open(t, noParent, 3)}
	a.waits(abi.OpWait, a.name(abi.KindBarrier, "b", 2), 100)
	_, told := a.do(abi.OpWait, a.name(abi.KindTask, "t", 0), 100)
	require.Equal(t, abi.StatusRun, told[0].status)
	require.Equal(t, 2, a.handle.session().live)
	a.asks2(abi.OpClose, 0)
	a.asks2(abi.OpClose, 1)
}

func TestAnArmOfGosIsResumedForACallThatStandsForSeveral(t *testing.T) {
	unpin(t)
	c := Checkpoint("go")
	armed := make(chan error, 1)
	go func() { armed <- c.Arm(context.Background()) }()
	eventually(t, func() bool { return c.Stats().State != 0 })
	a := join(t)
	n := a.name(abi.KindCheckpoint, "go", 0)
	_, flags := read(t, exportCall(uint32(a.handle), uint32(abi.OpWait), n, 0, 4, 0))
	require.EqualValues(t, abi.Pump, flags)
	require.NoError(t, <-armed)
	told, flags := read(t, exportCall(uint32(a.handle), uint32(abi.OpResume), n, 1, 0, 0))
	require.Equal(t, []entry{a.told(0, abi.StatusDone, 0), a.told(1, abi.StatusDone, 5)}, told)
	require.Zero(t, flags, "nobody of Go's was woken")
}
