//go:build js && wasm

package hub

import (
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
	"github.com/stretchr/testify/require"
)

// follows makes this hub the how manyth of its name, with so many clients of the one before that have to report.
func follows(t *testing.T, number, clients uint32) {
	t.Helper()
	dropLingering()
	unreport(t, clients, number)
	t.Cleanup(func() { over(t, 0) })
}

// over has all sessions give back what they hold, and end; and all have reported.
func over(t *testing.T, number uint32) {
	t.Helper()
	for _, s := range sessions.table {
		if s == nil {
			continue
		}
		for slot := range s.calls {
			read(t, exportCall(uint32(s.handle), uint32(abi.OpEnd), 0, uint32(slot), uint32(abi.EndingBack), 0))
		}
		read(t, exportEnd(uint32(s.handle)))
	}
	unreport(t, 0, number)
	noneInUse(t)
	dropLingering() // the next hub knows no names
}

// unreport says how many have still to report, and returns what comes of it.
func unreport(t *testing.T, clients, number uint32) []entry {
	t.Helper()
	told, flags := read(t, exportRecover(clients, number))
	require.Zero(t, flags&(abi.Busy|abi.Refused))
	return told
}

// reporter opens a session that may say what it holds of the lost hub, until over.
func reporter(t *testing.T) *client { return enters(t, 1) }

// visitor opens a session that has nothing to do with the lost hub, until over.
func visitor(t *testing.T) *client { return enters(t, 0) }

func enters(t *testing.T, reports uint32) *client {
	t.Helper()
	require.EqualValues(t, 1, exportOpen(uint32(noParent), 0, reports))
	return &client{t: t, handle: handle(window[0].session)}
}

// claim has a client take something back; rank is of a lock.
func claim(c *client, name, arg, rank uint32) (slot uint32, told []entry) {
	c.t.Helper()
	slot = c.slots
	c.slots++
	told, flags := read(c.t, exportCall(uint32(c.handle), uint32(abi.OpRetake), name, slot, arg, rank))
	require.Zero(c.t, flags&(abi.Busy|abi.Refused))
	return slot, told
}

// permutations calls f with each order of n things.
func permutations(n int, f func(order []int)) {
	order := make([]int, 0, n)
	var add func()
	add = func() {
		if len(order) == n {
			f(order)
			return
		}
	next:
		for i := range n {
			for _, j := range order {
				if i == j {
					continue next
				}
			}
			order = append(order, i)
			add()
			order = order[:len(order)-1]
		}
	}
	add()
}

// holds says whether the last word that the client heard of the call was that it holds something.
func holds(c *client, slot uint32, told []entry) (held bool) {
	for _, e := range told {
		if e.session == c.handle && e.call == slot {
			held = e.status == abi.StatusHeld
			if !held {
				require.EqualValues(c.t, abi.CodeStolen, e.value)
			}
		}
	}
	return held
}

func TestOfThoseWhoClaimALockTheLastThiefHasItInWhateverOrderTheyReport(t *testing.T) {
	for _, kind := range []abi.Kind{abi.KindLock, abi.KindRWLock} {
		claims := []uint32{2 * ranks, 2*ranks + 1, 2*ranks + 3, ranks + 5}
		const best = 2
		permutations(len(claims), func(order []int) {
			follows(t, 3, uint32(len(claims)))
			var all []entry
			slots, clients := make([]uint32, len(claims)), make([]*client, len(claims))
			for _, i := range order {
				var told []entry
				clients[i] = reporter(t)
				slots[i], told = claim(clients[i], clients[i].bind(kind, "l"), 0, claims[i])
				all = append(all, told...)
			}
			for i, c := range clients {
				require.Equal(t, i == best, holds(c, slots[i], all), "%v of %v, claim %d", kind, order, i)
			}
			over(t, 3)
		})
	}
}

func TestAllWhoShareALockTakeItBackUnlessOneHasStolenIt(t *testing.T) {
	for _, thief := range []bool{false, true} {
		permutations(4, func(order []int) {
			follows(t, 2, 4)
			var all []entry
			slots, clients := make([]uint32, 4), make([]*client, 4)
			for _, i := range order {
				mode, rank := uint32(abi.LockModeShared), uint32(ranks)
				if i == 3 && thief {
					mode, rank = uint32(abi.LockModeExclusive), rank+1
				}
				var told []entry
				clients[i] = reporter(t)
				slots[i], told = claim(clients[i], clients[i].bind(abi.KindRWLock, "l"), mode, rank)
				all = append(all, told...)
			}
			for i, c := range clients {
				require.Equal(t, !thief || i == 3, holds(c, slots[i], all), "%v, claim %d", order, i)
			}
			over(t, 2)
		})
	}
}

// A theft is told by ranks that the hubs themselves gave, from one to the next, however often the hub is lost.
func TestWhoStoleALockOutranksAllBeforeThroughAnyNumberOfHubs(t *testing.T) {
	follows(t, 1, 0)
	rankOf := func(c *client, slot uint32) uint32 {
		held := c.handle.session().calls[slot]
		require.Equal(t, callHolding, held.state)
		return held.object.primitive.(*lock).tells(held.held) >> 1
	}
	first := visitor(t)
	slot, _ := first.call(abi.OpAcquire, first.bind(abi.KindLock, "l"))
	claims := []uint32{rankOf(first, slot)} // none of these clients is told that it was robbed
	for number := uint32(1); number < 6; number++ {
		for range 2 {
			thief := visitor(t)
			slot, _ := thief.call(abi.OpSteal, thief.bind(abi.KindLock, "l"))
			claims = append(claims, rankOf(thief, slot))
		}
		over(t, number)
		unreport(t, uint32(len(claims)), number+1)
		for i, rank := range claims {
			c := reporter(t)
			slot, told := claim(c, c.bind(abi.KindLock, "l"), 0, rank)
			require.True(t, holds(c, slot, told), "the thief number %d of %v in hub %d", i, claims, number+1)
			if i == len(claims)-1 {
				require.Equal(t, rank, rankOf(c, slot), "it keeps its rank")
			}
		}
	}
}

func TestWhoIsRobbedBeforeItReportsIsToldWhateverHasBecomeOfTheLock(t *testing.T) {
	for _, released := range []bool{false, true} {
		follows(t, 2, 2)
		thief, late := visitor(t), reporter(t)
		steal, told := thief.call(abi.OpSteal, thief.bind(abi.KindLock, "l"))
		require.Equal(t, abi.StatusHeld, told[0].status)
		if released {
			thief.endCall(steal)
		}
		slot, told := claim(late, late.bind(abi.KindLock, "l"), 0, ranks)
		require.Equal(t, []entry{late.told(slot, abi.StatusFail, uint32(abi.CodeStolen))}, told)
		over(t, 2)
	}
}

func TestCallsThatTakeAreHeldUpInOrderUntilAllHaveReported(t *testing.T) {
	follows(t, 2, 2)
	a, b, holder := visitor(t), visitor(t), reporter(t)
	an, bn := a.bind(abi.KindLock, "l"), b.bind(abi.KindLock, "l")
	a1, told := a.call(abi.OpAcquire, an)
	require.Empty(t, told)
	b1, _ := b.call(abi.OpAcquire, bn)
	a2, _ := a.call(abi.OpAcquire, an)
	try, told := b.call(abi.OpTry, bn)
	require.Equal(t, []entry{b.told(try, abi.StatusDone, 0)}, told)
	kept, told := claim(holder, holder.bind(abi.KindLock, "l"), 0, ranks)
	require.Equal(t, []entry{holder.told(kept, abi.StatusHeld, 0)}, told)
	require.Empty(t, unreport(t, 1, 2))
	require.Equal(t, []entry{a.told(a1, abi.StatusEnded, 0)}, a.endCall(a1), "who gives up meanwhile is answered")
	require.Empty(t, holder.endCall(kept)[1:], "nobody is granted what is free now")
	require.Equal(t, []entry{b.told(b1, abi.StatusHeld, 0)}, unreport(t, 0, 2))
	require.Contains(t, b.endCall(b1), a.told(a2, abi.StatusHeld, 0))
}

func TestWhatIsHeldUpFailsWhenItsNameIsClosed(t *testing.T) {
	for kind, op := range map[abi.Kind]abi.Op{
		abi.KindLock: abi.OpAcquire, abi.KindReentrantLock: abi.OpAcquire, abi.KindRWLock: abi.OpAcquire,
		abi.KindResource: abi.OpAcquire, abi.KindTask: abi.OpWait, abi.KindOnce: abi.OpWait,
		abi.KindCheckpoint: abi.OpArm,
	} {
		follows(t, 2, 1)
		a := visitor(t)
		n := a.bind(kind, "x")
		held, told := a.call(op, n)
		require.Empty(t, told)
		_, told = a.call(abi.OpClose, n)
		require.Contains(t, told, a.told(held, abi.StatusFail, uint32(abi.CodeClosed)), "%v", kind)
		over(t, 2)
	}
}

func TestPermitsAreTakenBackAlsoWhereTheyAreTooMany(t *testing.T) {
	follows(t, 2, 2)
	a, b, c := reporter(t), reporter(t), visitor(t)
	an, bn := bindOf(a, abi.KindSemaphore, "s", 3), bindOf(b, abi.KindSemaphore, "s", 3)
	cn := bindOf(c, abi.KindSemaphore, "s", 3)
	first, told := claim(a, an, 2, 0)
	require.Equal(t, []entry{a.told(first, abi.StatusHeld, 0)}, told)
	second, told := claim(b, bn, 3, 0)
	require.Equal(t, []entry{b.told(second, abi.StatusHeld, 0)}, told)
	wait, told := ask(c, abi.OpAcquire, cn, 1)
	require.Empty(t, told)
	require.Empty(t, unreport(t, 0, 2))
	require.NotContains(t, a.endCall(first), c.told(wait, abi.StatusHeld, 0), "three of three are held")
	require.Contains(t, b.endCall(second), c.told(wait, abi.StatusHeld, 0))
	c.endCall(wait)
	noneInUse(t)
}

func TestAReentrantLockIsTakenBackAsOftenAsItWasEntered(t *testing.T) {
	follows(t, 2, 2)
	a, b := reporter(t), reporter(t)
	an, bn := a.bind(abi.KindReentrantLock, "l"), b.bind(abi.KindReentrantLock, "l")
	outer, told := claim(a, an, 0, ranks)
	require.Equal(t, []entry{a.told(outer, abi.StatusHeld, 0)}, told)
	inner, told := claim(a, an, 0, ranks)
	require.Equal(t, []entry{a.told(inner, abi.StatusHeld, 0)}, told)
	_, told = claim(b, bn, 0, ranks)
	require.Equal(t, abi.StatusFail, told[0].status, "another has it")
	wait, _ := b.call(abi.OpAcquire, bn)
	unreport(t, 0, 2)
	a.endCall(outer)
	_, told = b.call(abi.OpTry, bn)
	require.Equal(t, uint32(0), told[0].value)
	require.Contains(t, a.endCall(inner), b.told(wait, abi.StatusHeld, 0))
}

func TestACheckpointThatHeldHoldsAgainAndGoesWithItsSession(t *testing.T) {
	follows(t, 2, 2)
	a, b := reporter(t), visitor(t)
	arm, told := claim(a, a.bind(abi.KindCheckpoint, "c"), 0, 0)
	require.Equal(t, a.handle, told[0].session)
	require.Equal(t, arm, told[0].call)
	require.Equal(t, abi.StatusHeld, told[0].status)
	bn := b.bind(abi.KindCheckpoint, "c")
	early, told := b.call(abi.OpWait, bn)
	require.Empty(t, told)
	require.Empty(t, unreport(t, 0, 2), "it parks there")
	late, told := b.call(abi.OpWait, bn)
	require.Empty(t, told)
	told = a.end()
	require.Contains(t, told, b.told(early, abi.StatusDone, 0))
	require.Contains(t, told, b.told(late, abi.StatusDone, 0))
}

func TestWhatIsStillRunningOfALostHubHoldsUpItsNameAlone(t *testing.T) {
	for kind, op := range map[abi.Kind]abi.Op{
		abi.KindResource: abi.OpAcquire, abi.KindPool: abi.OpAcquire, abi.KindTask: abi.OpWait, abi.KindOnce: abi.OpWait,
	} {
		for _, dies := range []bool{false, true} {
			follows(t, 2, 1)
			a, b := reporter(t), visitor(t)
			an, bn, other := bindOf(a, kind, "x", 1), bindOf(b, kind, "x", 1), bindOf(b, kind, "y", 1)
			one, told := a.call(abi.OpOccupy, an)
			require.Equal(t, []entry{a.told(one, abi.StatusHeld, 0)}, told)
			two, _ := a.call(abi.OpOccupy, an)
			unreport(t, 0, 2)
			wait, told := b.call(op, bn)
			require.Empty(t, told)
			_, told = b.call(op, other)
			require.Equal(t, abi.StatusRun, told[0].status, "%v", kind)
			require.NotContains(t, statuses(a.endCall(two)), abi.StatusRun)
			if dies {
				told = a.end()
			} else {
				told = a.endCall(one)
			}
			require.Contains(t, statuses(told), abi.StatusRun, "%v", kind)
			require.Equal(t, wait, told[0].call)
			over(t, 2)
		}
	}
}

func statuses(told []entry) (all []abi.Status) {
	for _, e := range told {
		all = append(all, e.status)
	}
	return all
}

func TestOnlyWhoHasToReportTakesAnythingBack(t *testing.T) {
	follows(t, 2, 1)
	stranger, done := visitor(t), reporter(t)
	done.call(abi.OpReported, 0)
	for _, c := range []*client{stranger, done} {
		for _, kind := range []abi.Kind{abi.KindLock, abi.KindCheckpoint, abi.KindSemaphore} {
			slot, told := claim(c, bindOf(c, kind, "x", 3), 1, ranks)
			require.Equal(t, []entry{c.told(slot, abi.StatusFail, uint32(codeOf(core.ErrNotOwner)))}, told)
		}
		slot, told := c.call(abi.OpOccupy, c.bind(abi.KindTask, "x"))
		require.Equal(t, []entry{c.told(slot, abi.StatusFail, uint32(codeOf(core.ErrNotOwner)))}, told)
	}
}
