//go:build js && wasm

package hub

import (
	"context"
	"reflect"
	"runtime"
	"testing"
	"unicode/utf16"
	"unsafe"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
	"github.com/stretchr/testify/require"
)

// party is a client whose calls have arguments.
type party struct{ *client }

func join(t *testing.T) party {
	t.Helper()
	return party{open(t, noParent, 1000)}
}

func (p party) name(kind abi.Kind, name string, arg uint32) uint32 {
	p.t.Helper()
	units := utf16.Encode([]rune(name))
	exportScratch(uint32(len(units)))
	copy(scratch, units)
	require.Zero(p.t, exportBind(uint32(p.handle), p.names, uint32(kind), uint32(len(units)), arg))
	p.names++
	return p.names - 1
}

// lock binds a lock and a condition of it.
func (p party) lock(name string) (lock, condition uint32) {
	p.t.Helper()
	return p.name(abi.KindLock, name, 0), p.name(abi.KindCondition, name+"c", uint32(len(name)))
}

func (p party) do(op abi.Op, name, arg uint32) (slot uint32, told []entry) {
	p.t.Helper()
	slot = p.slots
	p.slots++
	return slot, p.in(slot, op, name, arg)
}

// in makes a call in a slot that is free.
func (p party) in(slot uint32, op abi.Op, name, arg uint32) []entry {
	p.t.Helper()
	told, flags := read(p.t, exportCall(uint32(p.handle), uint32(op), name, slot, arg, 0))
	require.Zero(p.t, flags&(abi.Busy|abi.Refused))
	return told
}

// acquire takes what is free.
func (p party) acquire(name uint32) (slot uint32) {
	p.t.Helper()
	slot, told := p.do(abi.OpAcquire, name, 0)
	require.Equal(p.t, []entry{p.told(slot, abi.StatusHeld, 0)}, told)
	return slot
}

// inherits takes what was abandoned, and gives it back.
func (p party) inherits(name uint32) {
	p.t.Helper()
	slot, told := p.do(abi.OpAcquire, name, 0)
	require.Equal(p.t, []entry{p.told(slot, abi.StatusHeld, abi.HeldAbandoned)}, told)
	p.endCall(slot)
}

// waits makes a call that is not answered.
func (p party) waits(op abi.Op, name, arg uint32) (slot uint32) {
	p.t.Helper()
	slot, told := p.do(op, name, arg)
	require.Empty(p.t, told)
	return slot
}

// asks makes a call that is answered alone.
func (p party) asks(op abi.Op, name, arg uint32) entry {
	p.t.Helper()
	_, told := p.do(op, name, arg)
	require.Len(p.t, told, 1)
	require.Equal(p.t, p.slots-1, told[0].call)
	return told[0]
}

// fails makes a call that fails.
func (p party) fails(code abi.Code, op abi.Op, name, arg uint32) {
	p.t.Helper()
	e := p.asks(op, name, arg)
	require.Equal(p.t, p.told(e.call, abi.StatusFail, uint32(code)), e)
}

// ofRank is what is told of a hold after so many thefts, if nobody abandoned the lock before.
func ofRank(thefts uint32) uint32 { return (generation*ranks + thefts) << 1 }

func (p party) gone() entry { return p.told(0, abi.StatusGone, 0) }

// noneInUse holds that only names are left which Go uses, and some that linger.
func noneInUse(t *testing.T) {
	t.Helper()
	require.Empty(t, inUse())
	for k, o := range names {
		require.True(t, o.pinned || mayLinger(o), "%v is kept for nothing", k)
	}
}

// inUse are the names that sessions use, or have left in another state than a new one's.
func inUse() (used []key) {
	for k, o := range names {
		if !o.pinned && (o.calls > 0 || !asNew(o)) {
			used = append(used, k)
		}
	}
	return used
}

// dropLingering has the hub forget the names that linger.
func dropLingering() {
	for at, o := range lingering.objects {
		if o != nil {
			o.lingers = false
			if !o.dropped && !o.used() {
				o.drop()
			}
		}
		lingering.objects[at] = nil
	}
	lingering.next = 0
}

// unpin has the hub forget the names that Go uses, once the test is over.
func unpin(t *testing.T) {
	t.Cleanup(func() {
		for k, o := range names {
			if o.pinned {
				delete(names, k)
			}
		}
	})
}

// mutexIn returns the mutex of a primitive, which on one thread is no more than a guard.
func mutexIn(p any) *guard {
	return (*guard)(unsafe.Pointer(reflect.ValueOf(p).Elem().FieldByName("mu").UnsafeAddr()))
}

func eventually(t *testing.T, so func() bool) {
	t.Helper()
	for range 1_000_000 {
		if so() {
			return
		}
		runtime.Gosched()
	}
	t.Fatal("it never is")
}

func TestASessionThatEndsLetsTheNextHaveTheLock(t *testing.T) {
	for state, reach := range map[string]func(a party, lock uint32){
		"holding":             func(a party, lock uint32) { a.acquire(lock) },
		"holding and waiting": func(a party, lock uint32) { a.acquire(lock); a.waits(abi.OpAcquire, lock, 0) },
		"stolen and holding": func(a party, lock uint32) {
			first := a.acquire(lock)
			thief, told := a.do(abi.OpSteal, lock, 0)
			require.Equal(a.t, []entry{
				a.told(first, abi.StatusLost, uint32(abi.CodeStolen)), a.told(thief, abi.StatusHeld, 0),
			}, told)
		},
	} {
		t.Run(state, func(t *testing.T) {
			a, b := join(t), join(t)
			reach(a, a.name(abi.KindLock, "l", 0))
			lock := b.name(abi.KindLock, "l", 0)
			w := b.waits(abi.OpAcquire, lock, 0)
			require.Equal(t, []entry{b.told(w, abi.StatusHeld, abi.HeldAbandoned), a.gone()}, a.end())
			require.Equal(t, []entry{b.told(w, abi.StatusEnded, 0)}, b.endCall(w))
			noneInUse(t)
		})
	}
}

func TestASessionThatEndsWithPermitsGivesAllOfThemBack(t *testing.T) {
	a, b := join(t), join(t)
	an, bn := a.name(abi.KindSemaphore, "s", 5), b.name(abi.KindSemaphore, "s", 5)
	a.do(abi.OpAcquire, an, 3)
	a.do(abi.OpTry, an, 2)
	a.waits(abi.OpAcquire, an, 5) // would be granted first, by its own session's end
	w1, w2 := b.waits(abi.OpAcquire, bn, 4), b.waits(abi.OpAcquire, bn, 1)
	require.Equal(t, []entry{b.told(w1, abi.StatusHeld, 0), b.told(w2, abi.StatusHeld, 0), a.gone()}, a.end())
	b.endCall(w1)
	b.endCall(w2)
	noneInUse(t)
}

func TestASessionThatEndsInACondition(t *testing.T) {
	// Each state is reached with the wait in a slot above its guard's, and below: a session's calls end in the order of
	// slots.
	for _, waitFirst := range []bool{false, true} {
		for state, reach := range map[string]func(a, b party, wait uint32){
			"waiting": func(_, b party, _ uint32) { b.acquire(0) },
			"notified, while another has the lock": func(_, b party, _ uint32) {
				b.acquire(0)
				require.EqualValues(t, 1, b.asks(abi.OpNotify, 1, 1).value)
			},
			"cancelled, while another has the lock": func(a, b party, wait uint32) {
				b.acquire(0)
				require.Empty(t, a.endCall(wait), "it is told once it holds the lock")
				require.Empty(t, a.endCall(wait), "a second time changes nothing")
			},
			"holding it again": func(a, b party, wait uint32) {
				_, told := b.do(abi.OpNotify, 1, 1)
				require.Equal(t, a.told(wait, abi.StatusDone, ofRank(0)), told[0])
			},
		} {
			t.Run(state, func(t *testing.T) {
				a, b := join(t), join(t)
				lock, cond := a.lock("l")
				b.lock("l")
				guard, wait := uint32(0), uint32(1)
				if waitFirst {
					guard, wait = 1, 0
					a.in(0, abi.OpTest, lock, 0) // its slot is used again
				}
				require.Len(t, a.in(guard, abi.OpAcquire, lock, 0), 1)
				require.Empty(t, a.in(wait, abi.OpWait, cond, guard))
				reach(a, b, wait)
				next := b.waits(abi.OpAcquire, 0, 0)
				told := a.end()
				require.Equal(t, a.gone(), told[len(told)-1])
				abandoned := uint32(abi.HeldAbandoned)
				if state != "holding it again" {
					told = b.endCall(0) // where it holds it
					abandoned = 0
				}
				require.Equal(t, b.told(next, abi.StatusHeld, abandoned), told[0])
				b.endCall(next)
				require.Zero(t, b.asks(abi.OpTest, 0, 0).value)
				noneInUse(t)
			})
		}
	}
}

func TestASessionThatEndsAtABarrierBreaksItForTheOthers(t *testing.T) {
	a, b := join(t), join(t)
	an, bn := a.name(abi.KindBarrier, "b", 4), b.name(abi.KindBarrier, "b", 4)
	a.waits(abi.OpWait, an, 0)
	w := b.waits(abi.OpWait, bn, 0)
	a.waits(abi.OpWait, an, 0)
	require.Equal(t, []entry{b.told(w, abi.StatusFail, uint32(abi.CodeBroken)), a.gone()}, a.end())
	require.EqualValues(t, 1, b.asks(abi.OpTest, bn, 0).value)
	b.fails(abi.CodeBroken, abi.OpWait, bn, 0)
	require.Len(t, inUse(), 1, "it stays broken")
	b.asks(abi.OpReset, bn, 0)
	noneInUse(t)
}

func TestAnAbortAtABarrierIsTooLateOnceItWasFull(t *testing.T) {
	a, b := join(t), join(t)
	an, bn := a.name(abi.KindBarrier, "b", 2), b.name(abi.KindBarrier, "b", 2)
	w := a.waits(abi.OpWait, an, 0)
	last, told := b.do(abi.OpWait, bn, 0)
	require.Equal(t, []entry{a.told(w, abi.StatusDone, 0), b.told(last, abi.StatusDone, 1)}, told)
	require.Empty(t, a.endCall(w))

	w = a.waits(abi.OpWait, an, 0)
	require.Equal(t, []entry{a.told(w, abi.StatusEnded, 0)}, a.endCall(w), "before, it is not")
	b.fails(abi.CodeBroken, abi.OpWait, bn, 0)
	b.asks(abi.OpClose, bn, 0)
	noneInUse(t)
}

func TestAStealTellsAllWhoHeldItInTheOrderInWhichTheyWereGrantedIt(t *testing.T) {
	a, b := join(t), join(t)
	an, bn := a.name(abi.KindRWLock, "l", 0), b.name(abi.KindRWLock, "l", 0)
	shared := uint32(abi.LockModeShared)
	s1, _ := a.do(abi.OpAcquire, an, shared)
	s2, _ := b.do(abi.OpTry, bn, shared)
	s3, _ := a.do(abi.OpAcquire, an, shared)
	w := b.waits(abi.OpAcquire, bn, 0)
	thief, told := b.do(abi.OpSteal, bn, 0)
	lost := uint32(abi.CodeStolen)
	require.Equal(t, []entry{
		a.told(s1, abi.StatusLost, lost), b.told(s2, abi.StatusLost, lost), a.told(s3, abi.StatusLost, lost),
		b.told(thief, abi.StatusHeld, 0),
	}, told)
	require.Equal(t, []entry{a.told(s1, abi.StatusEnded, 0)}, a.endCall(s1), "and changes nothing")
	require.Equal(t, []entry{a.gone()}, a.end())
	require.Equal(t, []entry{b.told(w, abi.StatusHeld, 0), b.told(thief, abi.StatusEnded, 0)}, b.endCall(thief))
	b.end()
	next := join(t)
	next.inherits(next.name(abi.KindRWLock, "l", 0))
	noneInUse(t)
}

func TestWhoWaitsOnAConditionIsNotStolenFrom(t *testing.T) {
	a, b := join(t), join(t)
	al, ac := a.lock("l")
	b.lock("l")
	guard := a.acquire(al)
	wait := a.waits(abi.OpWait, ac, guard)
	thief, told := b.do(abi.OpSteal, 0, 0)
	require.Equal(t, []entry{b.told(thief, abi.StatusHeld, 0)}, told)
	require.EqualValues(t, 1, b.asks(abi.OpNotify, 1, 5).value)
	require.Equal(t, []entry{
		a.told(wait, abi.StatusDone, ofRank(1)), b.told(thief, abi.StatusEnded, 0),
	}, b.endCall(thief))
	require.EqualValues(t, 1, b.asks(abi.OpTest, 0, 0).value)
	a.endCall(guard)
	require.Zero(t, b.asks(abi.OpTest, 0, 0).value)
	noneInUse(t)
}

func TestAGuardThatIsGivenBackEndsItsWait(t *testing.T) {
	a, b := join(t), join(t)
	al, ac := a.lock("l")
	b.lock("l")
	guard := a.acquire(al)
	wait := a.waits(abi.OpWait, ac, guard)
	notOwner := a.told(wait, abi.StatusFail, uint32(abi.CodeNotOwner))
	require.Equal(t, []entry{notOwner, a.told(guard, abi.StatusEnded, 0)}, a.endCall(guard))
	require.Zero(t, b.asks(abi.OpNotify, 1, 1).value)
	noneInUse(t)
}

func TestClosingALockTellsItsConditionsThatTheLockIsLost(t *testing.T) {
	a, b := join(t), join(t)
	al, ac := a.lock("l")
	b.lock("l")
	guard := a.acquire(al)
	wait := a.waits(abi.OpWait, ac, guard)
	cl, told := b.do(abi.OpClose, 0, 0)
	closed := uint32(abi.CodeClosed)
	require.Equal(t, []entry{
		a.told(wait, abi.StatusFail, closed), a.told(guard, abi.StatusLost, closed), b.told(cl, abi.StatusDone, 0),
	}, told)
	b.fails(abi.CodeClosed, abi.OpAcquire, 0, 0)
	require.Equal(t, []entry{a.told(guard, abi.StatusEnded, 0)}, a.endCall(guard))
	b.endCall(b.acquire(0))
	noneInUse(t)
}

func TestAnotherCreationArgumentIsToldTheFirstAndChangesNothing(t *testing.T) {
	for _, kind := range []abi.Kind{abi.KindSemaphore, abi.KindBarrier, abi.KindLatch} {
		a, b := join(t), join(t)
		an, bn := a.name(kind, "m", 3), b.name(kind, "m", maxArg)
		op := abi.OpWait
		if kind == abi.KindSemaphore {
			op = abi.OpAcquire
		}
		first, _ := a.do(op, an, 1)
		for _, op := range []abi.Op{op, abi.OpClose, abi.OpStats, abi.Op(77)} {
			slot, told := b.do(op, bn, 1)
			require.Equal(t, []entry{
				b.told(slot, abi.StatusPart, 3), b.told(slot, abi.StatusPart, 0),
				b.told(slot, abi.StatusFail, uint32(abi.CodeMismatch)),
			}, told)
		}
		a.endCall(first)
		a.asks(abi.OpClose, an, 0)
		noneInUse(t)
		b.asks(abi.OpClose, bn, 0)
		noneInUse(t)
	}
}

func TestCreationArgumentsThatMakeNoSenseAreRefused(t *testing.T) {
	for kind, bad := range map[abi.Kind][]uint32{
		abi.KindSemaphore: {0, maxArg + 1, abi.Unsaid},
		abi.KindBarrier:   {0, maxArg + 1, abi.Unsaid},
		abi.KindLatch:     {maxArg + 1, abi.Unsaid},
	} {
		for _, arg := range bad {
			a := join(t)
			n := a.name(kind, "n", arg)
			for _, op := range []abi.Op{abi.OpWait, abi.OpAcquire, abi.OpClose, abi.OpStats} {
				require.EqualValues(t, abi.Refused, exportCall(uint32(a.handle), uint32(op), n, 0, 1, 0))
			}
			noneInUse(t)
		}
	}
}

func TestAConditionIsBoundToAPrefixOfItsName(t *testing.T) {
	a := join(t)
	exportScratch(3)
	copy(scratch, utf16.Encode([]rune("abc")))
	for _, split := range []uint32{4, 1 << 31, abi.Unsaid} {
		require.EqualValues(t, abi.Refused, exportBind(uint32(a.handle), 0, uint32(abi.KindCondition), 3, split))
	}
	ab := a.name(abi.KindLock, "ab", 0)
	guard := a.acquire(ab)
	w := a.waits(abi.OpWait, a.name(abi.KindCondition, "abc", 2), guard)
	for _, split := range []uint32{0, 1, 3} {
		n := a.name(abi.KindCondition, "abc", split)
		a.fails(abi.CodeNotOwner, abi.OpWait, n, guard)
		require.Zero(t, a.asks(abi.OpNotify, n, 5).value)
	}
	require.Len(t, inUse(), 2, "the lock and its condition")
	a.endCall(w)
	a.endCall(guard)
	noneInUse(t)
}

func TestSlotsThatHoldNothingOfTheLockAreNotItsHolders(t *testing.T) {
	a, b := join(t), join(t)
	re, rw := a.name(abi.KindReentrantLock, "l", 0), a.name(abi.KindRWLock, "l", 0)
	lock, cond := a.lock("l")
	others := []uint32{a.acquire(rw), a.acquire(a.name(abi.KindReentrantLock, "other", 0))}
	held, guard := a.acquire(re), a.acquire(lock)
	others = append(others, a.waits(abi.OpAcquire, re, 0), a.waits(abi.OpAcquire, lock, 0))
	sent := a.asks(abi.OpTest, lock, 0).call
	bl, bc := b.lock("l")
	for _, slot := range append(others, sent, 77, 1<<31, 1<<32-1) {
		a.fails(abi.CodeNotOwner, abi.OpReenter, re, slot)
		a.fails(abi.CodeNotOwner, abi.OpWait, cond, slot)
	}
	a.fails(abi.CodeNotOwner, abi.OpReenter, re, guard)
	a.fails(abi.CodeNotOwner, abi.OpWait, cond, held)
	b.fails(abi.CodeNotOwner, abi.OpWait, bc, guard) // a's
	a.fails(abi.CodeNotOwner, abi.OpReenter, re, a.slots)
	a.fails(abi.CodeNotOwner, abi.OpWait, cond, a.slots)
	require.EqualValues(t, 1, b.asks(abi.OpTest, bl, 0).value)
	again := a.asks(abi.OpReenter, re, held)
	require.Equal(t, abi.StatusHeld, again.status)
	a.end()
	for _, kind := range []abi.Kind{abi.KindLock, abi.KindReentrantLock, abi.KindRWLock} {
		b.inherits(b.name(kind, "l", 0))
	}
	b.inherits(b.name(abi.KindReentrantLock, "other", 0))
	noneInUse(t)
}

func TestNoCallOfAnyKindThatMakesNoSenseDoesHarm(t *testing.T) {
	kinds := []abi.Kind{
		abi.KindLock, abi.KindReentrantLock, abi.KindRWLock, abi.KindSemaphore, abi.KindEvent, abi.KindCondition,
		abi.KindBarrier, abi.KindLatch,
	}
	for _, kind := range kinds {
		for op := abi.OpWait; op <= abi.OpStats+1; op++ {
			if op == abi.OpPut || op == abi.OpTryPut {
				continue // an item is not a number
			}
			for _, arg := range []uint32{0, 1, maxArg, maxArg + 1, abi.Unsaid} {
				a := join(t)
				made := uint32(0)
				switch kind {
				case abi.KindSemaphore, abi.KindBarrier, abi.KindLatch:
					made = 3
				}
				n := a.name(kind, "x", made)
				a.do(op, n, arg)
				a.do(op, n, arg)
				a.endCall(0)
				a.end()
				other := join(t)
				other.do(abi.OpClose, other.name(kind, "x", made), 0) // a set event, a broken barrier
				other.end()
				noneInUse(t)
				require.Empty(t, completions.head)
				require.Empty(t, notices)
			}
		}
	}
}

func TestAGoroutineAndASessionWakeEachOther(t *testing.T) {
	unpin(t)
	ctx := context.Background()
	semaphore, err := Semaphore("go", 1)
	require.NoError(t, err)
	latch, err := CountdownLatch("go", 1)
	require.NoError(t, err)
	again, err := CountdownLatch("go again", 1)
	require.NoError(t, err)
	barrier, err := Barrier("go", 2)
	require.NoError(t, err)
	event := Event("go")

	// acquiring is for what is held.
	type acquiring struct {
		kind    abi.Kind
		arg     uint32 // of the name
		take    func() (release func() error)
		waiting func() int
	}
	guarded := func(g *core.Guard, err error) func() error { require.NoError(t, err); return g.Unlock }
	for what, with := range map[string]acquiring{
		"lock": {abi.KindLock, 0, func() func() error { return guarded(Lock("go").Lock(ctx)) },
			func() int { return Lock("go").Stats().Waiting }},
		"reentrant lock": {abi.KindReentrantLock, 0, func() func() error { return guarded(ReentrantLock("go").Lock(ctx)) },
			func() int { return ReentrantLock("go").Stats().Waiting }},
		"rwlock": {abi.KindRWLock, 0, func() func() error { return guarded(RWLock("go").Lock(ctx)) },
			func() int { return RWLock("go").Stats().Waiting }},
		"semaphore": {abi.KindSemaphore, 1, func() func() error {
			p, err := semaphore.Acquire(ctx, 1)
			require.NoError(t, err)
			return p.Release
		}, func() int { return semaphore.Stats().Waiting }},
	} {
		t.Run(what, func(t *testing.T) {
			a, b := join(t), join(t)
			n := a.name(with.kind, "go", with.arg)
			want := uint32(0)
			if with.kind == abi.KindSemaphore {
				want = 1
			}

			release := with.take()
			w, told := a.do(abi.OpAcquire, n, want)
			require.Empty(t, told)
			before := bells
			require.NoError(t, release())
			require.Equal(t, before+1, bells, "JavaScript is told to drain")
			entries, _ := read(t, exportDrain())
			require.Equal(t, []entry{a.told(w, abi.StatusHeld, 0)}, entries)

			byGo := func(end func() uint32) (entries []entry, release func() error) {
				taken := make(chan func() error, 1)
				go func() { taken <- with.take() }()
				eventually(t, func() bool { return with.waiting() == 1 })
				entries, flags := read(t, end())
				require.EqualValues(t, abi.Pump, flags, "Go is to be resumed")
				return entries, <-taken
			}
			entries, release = byGo(func() uint32 { return exportCall(uint32(a.handle), uint32(abi.OpEnd), 0, w, 0, 0) })
			require.Equal(t, []entry{a.told(w, abi.StatusEnded, 0)}, entries)

			a.waits(abi.OpAcquire, n, want)
			w = b.waits(abi.OpAcquire, b.name(with.kind, "go", with.arg), want)
			require.NoError(t, release()) // a is granted it, and does not hear of it
			require.Equal(t, []entry{b.told(w, abi.StatusHeld, 0), a.gone()}, a.end())
			entries, release = byGo(func() uint32 { return exportEnd(uint32(b.handle)) })
			require.Equal(t, []entry{b.gone()}, entries)
			require.NoError(t, release())
			require.Zero(t, with.waiting())
		})
	}

	t.Run("event", func(t *testing.T) {
		a := join(t)
		n := a.name(abi.KindEvent, "go", 0)
		w := a.waits(abi.OpWait, n, 0)
		before := bells
		require.Equal(t, 1, event.Set())
		require.Equal(t, before+1, bells)
		entries, _ := read(t, exportDrain())
		require.Equal(t, []entry{a.told(w, abi.StatusDone, 0)}, entries)
		require.True(t, event.Clear())
		woken := make(chan error, 1)
		go func() { woken <- event.Wait(ctx) }()
		eventually(t, func() bool { return event.Stats().Waiting == 1 })
		entries, flags := read(t, exportCall(uint32(a.handle), uint32(abi.OpSet), n, w, 0, 0))
		require.Equal(t, []entry{a.told(w, abi.StatusDone, 1)}, entries)
		require.EqualValues(t, abi.Pump, flags)
		require.NoError(t, <-woken)
		event.Clear()
	})

	t.Run("latch", func(t *testing.T) {
		a := join(t)
		n := a.name(abi.KindLatch, "go", 1)
		w := a.waits(abi.OpWait, n, 0)
		left, err := latch.CountDown(1)
		require.NoError(t, err)
		require.Zero(t, left)
		entries, _ := read(t, exportDrain())
		require.Equal(t, []entry{a.told(w, abi.StatusDone, 0)}, entries)
		woken := make(chan error, 1)
		go func() { woken <- again.Wait(ctx) }()
		eventually(t, func() bool { return again.Stats().Waiting == 1 })
		m := a.name(abi.KindLatch, "go again", 1)
		_, flags := read(t, exportCall(uint32(a.handle), uint32(abi.OpCountDown), m, w, 1, 0))
		require.EqualValues(t, abi.Pump, flags)
		require.NoError(t, <-woken)
	})

	t.Run("barrier", func(t *testing.T) {
		a := join(t)
		n := a.name(abi.KindBarrier, "go", 2)
		w := a.waits(abi.OpWait, n, 0)
		index, err := barrier.Wait(ctx)
		require.NoError(t, err)
		require.Equal(t, 1, index)
		entries, _ := read(t, exportDrain())
		require.Equal(t, []entry{a.told(w, abi.StatusDone, 0)}, entries)

		type outcome struct {
			index int
			err   error
		}
		passed := make(chan outcome, 1)
		wait := func() {
			index, err := barrier.Wait(ctx)
			passed <- outcome{index, err}
		}
		go wait()
		eventually(t, func() bool { return barrier.Stats().Waiting == 1 })
		entries, flags := read(t, exportCall(uint32(a.handle), uint32(abi.OpWait), n, w, 0, 0))
		require.Equal(t, []entry{a.told(w, abi.StatusDone, 1)}, entries)
		require.EqualValues(t, abi.Pump, flags)
		require.Equal(t, outcome{0, nil}, <-passed)

		require.Empty(t, a.in(w, abi.OpWait, n, 0))
		_, flags = read(t, exportEnd(uint32(a.handle)))
		require.EqualValues(t, abi.Pump, flags)
		_, err = barrier.Wait(ctx)
		require.ErrorIs(t, err, core.ErrBroken)
		barrier.Reset()
	})
}

func TestAGoroutineGetsTheLockThatASessionGivesUpByWaiting(t *testing.T) {
	unpin(t)
	a := join(t)
	lock, cond := a.lock("go")
	guard := a.acquire(lock)
	taken := make(chan *core.Guard, 1)
	go func() {
		g, _ := Lock("go").Lock(context.Background())
		taken <- g
	}()
	eventually(t, func() bool { return Lock("go").Stats().Waiting == 1 })
	wait := a.slots
	a.slots++
	entries, flags := read(t, exportCall(uint32(a.handle), uint32(abi.OpWait), cond, wait, guard, 0))
	require.Empty(t, entries)
	require.EqualValues(t, abi.Pump, flags)
	g := <-taken
	require.EqualValues(t, 1, a.asks(abi.OpNotify, cond, 1).value)
	before := bells
	require.NoError(t, g.Unlock())
	require.Equal(t, before+1, bells)
	entries, _ = read(t, exportDrain())
	require.Equal(t, []entry{a.told(wait, abi.StatusDone, ofRank(0))}, entries)
	a.endCall(guard)
	require.False(t, Lock("go").IsLocked())
}

func TestASessionStealsFromAGoroutine(t *testing.T) {
	unpin(t)
	a := join(t)
	g, err := Lock("go").Lock(context.Background())
	require.NoError(t, err)
	lost := g.Lost()
	thief, told := a.do(abi.OpSteal, a.name(abi.KindLock, "go", 0), 0)
	require.Equal(t, []entry{a.told(thief, abi.StatusHeld, 0)}, told)
	<-lost
	require.ErrorIs(t, g.Unlock(), core.ErrNotOwner)
	a.endCall(thief)
}

func TestAGoroutineStealsFromSessions(t *testing.T) {
	unpin(t)
	a, b := join(t), join(t)
	an, bn := a.name(abi.KindRWLock, "go", 0), b.name(abi.KindRWLock, "go", 0)
	lock := RWLock("go")
	shared := uint32(abi.LockModeShared)
	s1, _ := a.do(abi.OpAcquire, an, shared)
	s2, _ := b.do(abi.OpAcquire, bn, shared)
	w := b.waits(abi.OpAcquire, bn, 0)
	before := bells
	g, err := lock.Steal()
	require.NoError(t, err)
	require.Equal(t, before+1, bells, "JavaScript is told to drain")
	lost := uint32(abi.CodeStolen)
	entries, _ := read(t, exportDrain())
	require.Equal(t, []entry{a.told(s1, abi.StatusLost, lost), b.told(s2, abi.StatusLost, lost)}, entries)
	require.Equal(t, []entry{a.told(s1, abi.StatusEnded, 0)}, a.endCall(s1))
	require.True(t, lock.IsLocked())

	// The next in line is granted it and stolen from before it hears of either.
	require.NoError(t, g.Unlock())
	g, err = lock.Steal()
	require.NoError(t, err)
	entries, _ = read(t, exportDrain())
	require.Equal(t, []entry{b.told(w, abi.StatusHeld, 0), b.told(w, abi.StatusLost, lost)}, entries)
	require.Equal(t, []entry{b.told(w, abi.StatusEnded, 0)}, b.endCall(w))
	require.True(t, lock.IsLocked())
	require.NoError(t, g.Unlock())
	require.Equal(t, []entry{b.gone()}, b.end())
	require.False(t, lock.IsLocked())
}

func TestAGuardThatGotTheLockBackFromAConditionIsStolenFromBeforeItsSessionIsTold(t *testing.T) {
	unpin(t)
	a := join(t)
	al, ac := a.lock("go")
	guard := a.acquire(al)
	wait := a.waits(abi.OpWait, ac, guard)
	g, err := Lock("go").Lock(context.Background())
	require.NoError(t, err)
	require.EqualValues(t, 1, a.asks(abi.OpNotify, ac, 1).value)
	require.NoError(t, g.Unlock())
	g, err = Lock("go").Steal()
	require.NoError(t, err)
	entries, _ := read(t, exportDrain())
	require.Equal(t, []entry{
		a.told(wait, abi.StatusDone, ofRank(0)), a.told(guard, abi.StatusLost, uint32(abi.CodeStolen)),
	}, entries)
	a.fails(abi.CodeNotOwner, abi.OpWait, ac, guard)
	require.Equal(t, []entry{a.told(guard, abi.StatusEnded, 0)}, a.endCall(guard))
	require.True(t, Lock("go").IsLocked())
	require.NoError(t, g.Unlock())
}

func TestASessionThatWasGrantedTheLockByAGoroutineAndNotToldGivesItBackAtItsEnd(t *testing.T) {
	unpin(t)
	a, b := join(t), join(t)
	al, ac := a.lock("go")
	bl, _ := b.lock("go")
	guard := a.acquire(al)
	wait := a.waits(abi.OpWait, ac, guard)
	g, err := Lock("go").Lock(context.Background())
	require.NoError(t, err)
	require.EqualValues(t, 1, b.asks(abi.OpNotify, 1, 1).value)
	w := b.waits(abi.OpAcquire, bl, 0)
	require.NoError(t, g.Unlock()) // a's guard has it again, and a does not know
	require.Equal(t, callSettled, a.handle.session().calls[wait].state)
	require.Equal(t, []entry{b.told(w, abi.StatusHeld, abi.HeldAbandoned), a.gone()}, a.end())
	b.endCall(w)
	require.False(t, Lock("go").IsLocked())
}

func TestAnExportAnswersBusyWhileAGoroutineIsInsideALock(t *testing.T) {
	unpin(t)
	a := join(t)
	lock, cond := a.lock("locked lock")
	held := Lock("locked lock")
	guard := a.acquire(lock)
	wait := a.waits(abi.OpWait, cond, guard)
	other := a.acquire(lock)
	unlock := descheduledInside(mutexIn(held))
	h := uint32(a.handle)
	for _, op := range []abi.Op{abi.OpAcquire, abi.OpTry, abi.OpSteal, abi.OpTest, abi.OpStats, abi.OpClose} {
		require.EqualValues(t, abi.Busy, exportCall(h, uint32(op), lock, a.slots, 0, 0))
	}
	for _, op := range []abi.Op{abi.OpWait, abi.OpNotify, abi.OpStats} {
		require.EqualValues(t, abi.Busy, exportCall(h, uint32(op), cond, a.slots, other, 0), "its lock is the condition's")
	}
	for _, slot := range []uint32{guard, wait, other} {
		require.EqualValues(t, abi.Busy, exportCall(h, uint32(abi.OpEnd), 0, slot, 0, 0))
	}
	require.EqualValues(t, abi.Busy, exportEnd(h))
	unlock()
	told := a.end()
	require.Equal(t, a.gone(), told[len(told)-1], "and goes on where it was")
	require.Equal(t, core.LockStats{Tenures: held.Stats().Tenures, Orphaned: true}, held.Stats())
}

func TestWhatGoAsksForAgreesWithWhatSessionsUse(t *testing.T) {
	unpin(t)
	for _, bad := range []int{-1, 1 << 31, 1 << 40} {
		_, err := Semaphore("agreed", bad)
		require.ErrorIs(t, err, core.ErrInvalid)
		_, err = CountdownLatch("agreed", bad)
		require.ErrorIs(t, err, core.ErrInvalid)
		_, err = Barrier("agreed", bad)
		require.ErrorIs(t, err, core.ErrInvalid)
	}
	_, err := Semaphore("agreed", 0)
	require.ErrorIs(t, err, core.ErrInvalid)
	_, err = Barrier("agreed", 0)
	require.ErrorIs(t, err, core.ErrInvalid)
	noneInUse(t)

	a := join(t)
	n := a.name(abi.KindSemaphore, "agreed", 3)
	held, _ := a.do(abi.OpAcquire, n, 2)
	_, err = Semaphore("agreed", 4)
	require.Equal(t, &MismatchError{Have: 3, Want: 4}, err)
	require.EqualError(t, err, "clca: created with 3, not 4")
	a.endCall(held)
	noneInUse(t)

	s, err := Semaphore("agreed", 4)
	require.NoError(t, err)
	again, err := Semaphore("agreed", 4)
	require.NoError(t, err)
	require.Same(t, s, again)
	_, told := a.do(abi.OpAcquire, n, 1)
	require.Equal(t, abi.StatusFail, told[len(told)-1].status)
	require.EqualValues(t, abi.CodeMismatch, told[len(told)-1].value)
	require.Zero(t, s.Stats().Held)
}

func TestAFailedRunOfAOnceIsForgottenWhenAllWhoWaitedForItKnow(t *testing.T) {
	a, b := join(t), join(t)
	an, bn := a.name(abi.KindOnce, "o", 0), b.name(abi.KindOnce, "o", 0)
	w1, told := a.do(abi.OpWait, an, 0)
	run := told[0].value
	require.Equal(t, []entry{a.told(w1, abi.StatusRun, run)}, told)
	w2 := b.waits(abi.OpWait, bn, 0)
	require.Equal(t, []entry{
		a.told(w1, abi.StatusReject, run), b.told(w2, abi.StatusReject, run), a.told(0, abi.StatusOver, run),
		{0, 0, abi.StatusFree, run},
	}, a.finish(run, abi.OutcomeError))
	noneInUse(t)
	require.Empty(t, runs)

	w2, told = b.do(abi.OpWait, bn, 0)
	require.Equal(t, []entry{b.told(w2, abi.StatusRun, run+1)}, told)
	require.Equal(t, []entry{b.told(w2, abi.StatusResult, run+1)}, b.finish(run+1, abi.OutcomeResult))
	require.EqualValues(t, 1, a.asks(abi.OpTest, an, 0).value)
	cl, told := a.do(abi.OpClose, an, 0)
	require.Equal(t, []entry{
		b.told(0, abi.StatusOver, run+1), {0, 0, abi.StatusFree, run + 1}, a.told(cl, abi.StatusDone, 0),
	}, told)
	noneInUse(t)
}

// Who is told that a holder has gone away. What is told is the mark, HeldAbandoned.

var lockKinds = []abi.Kind{abi.KindLock, abi.KindReentrantLock, abi.KindRWLock}

// ofEachLock runs f with a lock of every kind.
func ofEachLock(t *testing.T, f func(t *testing.T, kind abi.Kind)) {
	for _, kind := range lockKinds {
		t.Run(map[abi.Kind]string{
			abi.KindLock: "lock", abi.KindReentrantLock: "reentrant lock", abi.KindRWLock: "rwlock",
		}[kind], func(t *testing.T) { f(t, kind) })
	}
}

// heir is what one is told who comes after a holder that went away.
func (p party) heir(slot uint32) entry { return p.told(slot, abi.StatusHeld, abi.HeldAbandoned) }

// holder is what all others are told.
func (p party) holder(slot uint32) entry { return p.told(slot, abi.StatusHeld, 0) }

func (p party) ended(slot uint32) entry { return p.told(slot, abi.StatusEnded, 0) }

// orphaned asks whether the next to hold the lock will be told.
func (p party) orphaned(lock uint32) bool {
	p.t.Helper()
	_, told := p.do(abi.OpStats, lock, 0)
	require.Len(p.t, told, 2*5+1)
	return told[2*4].value == 1
}

func TestTheFirstToHoldWhatAGoneSessionHeldIsToldAndNobodyAfterwards(t *testing.T) {
	ofEachLock(t, func(t *testing.T, kind abi.Kind) {
		a, b, c := join(t), join(t), join(t)
		a.acquire(a.name(kind, "l", 0))
		bn, cn := b.name(kind, "l", 0), c.name(kind, "l", 0)
		first, second := b.waits(abi.OpAcquire, bn, 0), c.waits(abi.OpAcquire, cn, 0)
		require.Equal(t, []entry{b.heir(first), a.gone()}, a.end())
		require.False(t, c.orphaned(cn))
		require.Equal(t, []entry{c.holder(second), b.ended(first)}, b.endCall(first))
		require.Equal(t, []entry{c.ended(second)}, c.endCall(second))
		noneInUse(t)
	})
}

func TestTheNameOfAnAbandonedLockStaysUntilItHasBeenHeldOnceMore(t *testing.T) {
	for what, op := range map[string]abi.Op{
		"acquired": abi.OpAcquire, "tried": abi.OpTry, "stolen": abi.OpSteal,
	} {
		t.Run(what, func(t *testing.T) {
			ofEachLock(t, func(t *testing.T, kind abi.Kind) {
				if op == abi.OpSteal && kind == abi.KindReentrantLock {
					t.Skip("it cannot be stolen")
				}
				a, b := join(t), join(t)
				a.acquire(a.name(kind, "l", 0))
				a.end()
				n := b.name(kind, "l", 0)
				for range 2 { // those who only look use nothing up
					require.Zero(t, b.asks(abi.OpTest, n, 0).value)
					require.True(t, b.orphaned(n))
				}
				require.Len(t, inUse(), 1)
				slot, told := b.do(op, n, 0)
				require.Equal(t, []entry{b.heir(slot)}, told)
				require.False(t, b.orphaned(n))
				b.endCall(slot)
				noneInUse(t)
				b.endCall(b.acquire(n))
			})
		})
	}
}

func TestWhoGoesAwayAfterItsReleaseLeavesNothingToTell(t *testing.T) {
	ofEachLock(t, func(t *testing.T, kind abi.Kind) {
		a, b := join(t), join(t)
		an, bn := a.name(kind, "l", 0), b.name(kind, "l", 0)
		held := a.acquire(an)
		next := b.waits(abi.OpAcquire, bn, 0)
		a.waits(abi.OpAcquire, an, 0) // and it goes away waiting
		require.Equal(t, []entry{b.holder(next), a.ended(held)}, a.endCall(held))
		require.Equal(t, []entry{a.gone()}, a.end())
		require.False(t, b.orphaned(bn))
		require.Equal(t, []entry{b.ended(next)}, b.endCall(next))
		noneInUse(t)
	})
}

func TestWhoWasToldAndGoesAwayLeavesTheNextTheSame(t *testing.T) {
	ofEachLock(t, func(t *testing.T, kind abi.Kind) {
		a := join(t)
		a.acquire(a.name(kind, "l", 0))
		a.end()
		for range 3 {
			b := join(t)
			slot, told := b.do(abi.OpAcquire, b.name(kind, "l", 0), 0)
			require.Equal(t, []entry{b.heir(slot)}, told)
			b.end()
		}
		last := join(t)
		last.inherits(last.name(kind, "l", 0))
		noneInUse(t)
	})
}

func TestASharersEndIsToldOnlyIfItWasToldItself(t *testing.T) {
	const shared, alone = uint32(abi.LockModeShared), uint32(abi.LockModeExclusive)
	three := func(t *testing.T) (parties [3]party, names [3]uint32) {
		for i := range parties {
			parties[i] = join(t)
			names[i] = parties[i].name(abi.KindRWLock, "l", 0)
		}
		return parties, names
	}
	t.Run("it was not", func(t *testing.T) {
		p, n := three(t)
		p[0].do(abi.OpAcquire, n[0], shared)
		stays, _ := p[1].do(abi.OpAcquire, n[1], shared)
		w := p[2].waits(abi.OpAcquire, n[2], alone)
		require.Equal(t, []entry{p[0].gone()}, p[0].end())
		require.Equal(t, []entry{p[2].holder(w), p[1].ended(stays)}, p[1].endCall(stays))
		p[2].endCall(w)
		noneInUse(t)
	})
	t.Run("nor was the last of them", func(t *testing.T) {
		p, n := three(t)
		p[0].do(abi.OpAcquire, n[0], shared)
		p[1].do(abi.OpTry, n[1], shared)
		p[0].end()
		require.Equal(t, []entry{p[1].gone()}, p[1].end())
		noneInUse(t)
	})
	t.Run("all were", func(t *testing.T) {
		p, n := three(t)
		first := join(t)
		first.acquire(first.name(abi.KindRWLock, "l", 0))
		w1, w2 := p[0].waits(abi.OpAcquire, n[0], shared), p[1].waits(abi.OpAcquire, n[1], shared)
		require.Equal(t, []entry{p[0].heir(w1), p[1].heir(w2), first.gone()}, first.end())
		late, told := p[2].do(abi.OpTry, n[2], shared)
		require.Equal(t, []entry{p[2].heir(late)}, told, "who joins them comes after the same")
		p[0].end()
		require.True(t, p[2].orphaned(n[2]))
		p[1].endCall(w2)
		p[2].endCall(late)
		require.Len(t, inUse(), 1, "one of them has not given it back")
		p[1].inherits(n[1])
		noneInUse(t)
	})
	t.Run("all were, and all give it back", func(t *testing.T) {
		p, n := three(t)
		p[0].acquire(n[0])
		w1, w2 := p[1].waits(abi.OpAcquire, n[1], shared), p[2].waits(abi.OpAcquire, n[2], shared)
		require.Equal(t, []entry{p[1].heir(w1), p[2].heir(w2), p[0].gone()}, p[0].end())
		p[1].endCall(w1)
		p[2].endCall(w2)
		noneInUse(t)
	})
}

func TestOfASessionThatWasInsideTwiceOneIsToldOnce(t *testing.T) {
	a, b := join(t), join(t)
	an, bn := a.name(abi.KindReentrantLock, "l", 0), b.name(abi.KindReentrantLock, "l", 0)
	outer := a.acquire(an)
	require.Equal(t, abi.StatusHeld, a.asks(abi.OpReenter, an, outer).status)
	w1, w2 := b.waits(abi.OpAcquire, bn, 0), b.waits(abi.OpAcquire, bn, 0)
	require.Equal(t, []entry{b.heir(w1), a.gone()}, a.end())
	inner, told := b.do(abi.OpReenter, bn, w1)
	require.Equal(t, []entry{b.heir(inner)}, told, "whoever is inside came after it")
	require.Equal(t, []entry{b.ended(w1)}, b.endCall(w1))
	require.Equal(t, []entry{b.holder(w2), b.ended(inner)}, b.endCall(inner))
	b.endCall(w2)
	noneInUse(t)
}

func TestOfTheEndOfOneThatWasStolenFromNobodyIsTold(t *testing.T) {
	for _, kind := range []abi.Kind{abi.KindLock, abi.KindRWLock} {
		a, b := join(t), join(t)
		bn := b.name(kind, "l", 0)
		a.acquire(a.name(kind, "l", 0))
		thief, told := b.do(abi.OpSteal, bn, 0)
		require.Contains(t, told, b.holder(thief), "from a living one")
		next := b.waits(abi.OpAcquire, bn, 0)
		require.Equal(t, []entry{a.gone()}, a.end())
		require.False(t, b.orphaned(bn))
		require.Equal(t, []entry{b.holder(next), b.ended(thief)}, b.endCall(thief))
		b.endCall(next)
		noneInUse(t)
	}
}

func TestWhoGoesAwayWaitingOnAConditionHasAbandonedNothing(t *testing.T) {
	for _, waitFirst := range []bool{false, true} {
		a := join(t)
		lock, cond := a.lock("l")
		guard, wait := uint32(0), uint32(1)
		if waitFirst {
			guard, wait = 1, 0
			a.in(0, abi.OpTest, lock, 0)
		}
		a.in(guard, abi.OpAcquire, lock, 0)
		require.Empty(t, a.in(wait, abi.OpWait, cond, guard))
		told := a.end()
		require.Equal(t, a.gone(), told[len(told)-1])
		noneInUse(t)
	}
}

func TestAWaitOnAConditionTellsItsGuardThatAHolderHasGone(t *testing.T) {
	for what, end := range map[string]struct {
		by     func(a, b party, wait uint32)
		status abi.Status
	}{
		"notified":  {func(_, b party, _ uint32) { b.asks(abi.OpNotify, 1, 1) }, abi.StatusDone},
		"cancelled": {func(a, _ party, wait uint32) { a.endCall(wait) }, abi.StatusEnded},
	} {
		t.Run(what, func(t *testing.T) {
			a, b, c := join(t), join(t), join(t)
			lock, cond := a.lock("l")
			b.lock("l")
			cl, _ := c.lock("l")
			guard := a.acquire(lock)
			wait := a.waits(abi.OpWait, cond, guard)
			b.acquire(0)
			end.by(a, b, wait)
			require.Equal(t, []entry{
				a.told(wait, end.status, ofRank(0)|abi.HeldAbandoned), b.gone(),
			}, b.end())

			// It waits again, and has so dealt with it.
			wait = a.waits(abi.OpWait, cond, guard)
			require.False(t, a.orphaned(lock))
			again, told := c.do(abi.OpNotify, 1, 1)
			require.Equal(t, []entry{
				a.told(wait, abi.StatusDone, ofRank(0)), c.told(again, abi.StatusDone, 1),
			}, told)
			w := c.waits(abi.OpAcquire, cl, 0)
			require.Equal(t, []entry{c.holder(w), a.ended(guard)}, a.endCall(guard))
			c.endCall(w)
			noneInUse(t)
		})
	}
}

func TestAGrantThatIsReturnedUnusedPassesTheMarkOn(t *testing.T) {
	for what, with := range map[string]struct {
		how  abi.Ending
		mark uint32
	}{
		"unused":     {abi.EndingUnused, abi.HeldAbandoned},
		"given back": {abi.EndingBack, 0},
	} {
		t.Run(what, func(t *testing.T) {
			ofEachLock(t, func(t *testing.T, kind abi.Kind) {
				a, b, c := join(t), join(t), join(t)
				a.acquire(a.name(kind, "l", 0))
				bn := b.name(kind, "l", 0)
				first, second := b.waits(abi.OpAcquire, bn, 0), c.waits(abi.OpAcquire, c.name(kind, "l", 0), 0)
				require.Equal(t, []entry{b.heir(first), a.gone()}, a.end())
				require.Equal(t, []entry{
					c.told(second, abi.StatusHeld, with.mark), b.ended(first),
				}, endAs(b.client, first, with.how))
				c.endCall(second)
				noneInUse(t)

				first = b.acquire(bn)
				endAs(b.client, first, abi.EndingUnused)
				noneInUse(t) // there was no mark
			})
		})
	}
	t.Run("on a free lock", func(t *testing.T) {
		a, b := join(t), join(t)
		a.acquire(a.name(abi.KindLock, "l", 0))
		a.end()
		n := b.name(abi.KindLock, "l", 0)
		slot, _ := b.do(abi.OpAcquire, n, 0)
		endAs(b.client, slot, abi.EndingUnused)
		require.Len(t, inUse(), 1, "nobody has been told yet")
		b.inherits(n)
		noneInUse(t)
	})
}

// A grant of which its session has not been told yet is one by Go: an event loop there has the lock, and goes away.
func TestAGrantOfWhichItsSessionDidNotHearPassesTheMarkOn(t *testing.T) {
	for what, leave := range map[string]func(p party, slot uint32) (told []entry, last entry){
		"its session ends":  func(p party, _ uint32) ([]entry, entry) { return p.end(), p.gone() },
		"its client aborts": func(p party, slot uint32) ([]entry, entry) { return p.endCall(slot), p.ended(slot) },
		"it is given unused": func(p party, slot uint32) ([]entry, entry) {
			return endAs(p.client, slot, abi.EndingUnused), p.ended(slot)
		},
	} {
		for _, isMarked := range []bool{true, false} {
			t.Run(what, func(t *testing.T) {
				unpin(t)
				l := Lock("go")
				a, b := join(t), join(t)
				bn := b.name(abi.KindLock, "go", 0)
				tenure, err := l.Take()
				require.NoError(t, err)
				first := a.waits(abi.OpAcquire, a.name(abi.KindLock, "go", 0), 0)
				next := b.waits(abi.OpAcquire, bn, 0)
				if isMarked {
					require.NoError(t, l.Abandon(tenure))
				} else {
					require.NoError(t, l.Release(tenure))
				}
				require.Equal(t, callSettled, a.handle.session().calls[first].state)
				told, last := leave(a, first)
				want := b.holder(next)
				if isMarked {
					want = b.heir(next)
				}
				require.Equal(t, []entry{want, last}, told)
				b.endCall(next)
				require.Equal(t, core.LockStats{Tenures: 3}, l.Stats())
			})
		}
	}
}

func TestAGoroutineIsToldThatASessionHasGone(t *testing.T) {
	unpin(t)
	ctx := context.Background()
	for what, use := range map[string]struct {
		kind  abi.Kind
		lock  func(context.Context) (*core.Guard, error)
		stats func() core.LockStats
	}{
		"lock":           {abi.KindLock, Lock("go").Lock, Lock("go").Stats},
		"reentrant lock": {abi.KindReentrantLock, ReentrantLock("go").Lock, ReentrantLock("go").Stats},
		"rwlock":         {abi.KindRWLock, RWLock("go").Lock, RWLock("go").Stats},
	} {
		t.Run(what, func(t *testing.T) {
			a, b := join(t), join(t)
			a.acquire(a.name(use.kind, "go", 0))
			taken := make(chan *core.Guard, 1)
			go func() { g, _ := use.lock(ctx); taken <- g }()
			eventually(t, func() bool { return use.stats().Waiting == 1 })
			entries, flags := read(t, exportEnd(uint32(a.handle)))
			require.Equal(t, []entry{a.gone()}, entries)
			require.EqualValues(t, abi.Pump, flags)
			g := <-taken
			require.True(t, g.Abandoned())
			w := b.waits(abi.OpAcquire, b.name(use.kind, "go", 0), 0)
			require.NoError(t, g.Unlock())
			require.False(t, g.Abandoned())
			entries, _ = read(t, exportDrain())
			require.Equal(t, []entry{b.holder(w)}, entries)
			b.end()
			g, err := use.lock(ctx)
			require.NoError(t, err)
			require.True(t, g.Abandoned(), "that is free")
			require.NoError(t, g.Unlock())
		})
	}
}

func TestOfAClosedLockNobodyIsTold(t *testing.T) {
	ofEachLock(t, func(t *testing.T, kind abi.Kind) {
		for what, in := range map[string]func(a, b party, n uint32){
			"while it is held": func(a, b party, n uint32) { b.asks(abi.OpClose, n, 0); a.end() },
			"after its holder": func(a, b party, n uint32) { a.end(); b.asks(abi.OpClose, n, 0) },
		} {
			a, b := join(t), join(t)
			a.acquire(a.name(kind, "l", 0))
			n := b.name(kind, "l", 0)
			in(a, b, n)
			noneInUse(t)
			b.endCall(b.acquire(n)) // which is another lock
			require.Empty(t, completions.head, what)
		}
	})
}

// Other tests are not shown ranks: see read.
func TestAGrantTellsItsRankWhichEveryTheftRaises(t *testing.T) {
	granted := func(p party, op abi.Op, name, arg uint32) uint32 {
		t.Helper()
		_, told := p.do(op, name, arg)
		require.Equal(t, abi.StatusHeld, told[len(told)-1].status)
		return window[len(told)-1].value
	}
	a, b := join(t), join(t)
	an, bn := a.name(abi.KindRWLock, "l", 0), b.name(abi.KindRWLock, "l", 0)
	shared := uint32(abi.LockModeShared)
	require.Equal(t, ofRank(0), granted(a, abi.OpAcquire, an, shared))
	require.Equal(t, ofRank(0), granted(b, abi.OpTry, bn, shared))
	require.Equal(t, ofRank(1), granted(a, abi.OpSteal, an, 0))
	require.Equal(t, ofRank(2), granted(b, abi.OpSteal, bn, 0))
	b.endCall(b.slots - 1)
	require.Equal(t, ofRank(2), granted(a, abi.OpAcquire, an, 0))
	a.end()
	require.Equal(t, ofRank(2)|abi.HeldAbandoned, granted(b, abi.OpAcquire, bn, 0))
	re := b.name(abi.KindReentrantLock, "l", 0)
	require.Equal(t, ofRank(0), granted(b, abi.OpAcquire, re, 0))
	require.Equal(t, ofRank(0), granted(b, abi.OpReenter, re, b.slots-1))
	for slot := range b.slots {
		b.endCall(slot)
	}
	noneInUse(t)
}
