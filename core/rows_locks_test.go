package core_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clca-dev/clca/core"
)

// What locks, conditions and semaphores owe those who block.

// holding is a call that wants a lock.
type holding = *call[*core.Guard]

// lockKind is one kind of lock, taken alone.
type lockKind struct {
	name   string
	lock   func(context.Context) (*core.Guard, error)
	try    func() (*core.Guard, error)
	with   func(context.Context, func() error) error
	close  func()
	stats  func() core.LockStats
	broken func() string

	// As an event loop uses it.
	take      func() (tenure uint64, err error)
	abandon   func(tenure uint64) error
	abandoned func(tenure uint64) bool
}

// eachLock runs f with a lock of every kind, in a bubble.
func eachLock(t *testing.T, f func(*testing.T, lockKind)) {
	for _, kind := range []func() lockKind{
		func() lockKind {
			var l core.Lock
			return lockKind{"Lock", l.Lock, l.TryLock, l.With, l.Close, l.Stats, l.Broken, l.Take, l.Abandon, l.Abandoned}
		},
		func() lockKind {
			var l core.RWLock
			return lockKind{"RWLock", l.Lock, l.TryLock, l.With, l.Close, l.Stats, l.Broken, l.Take, l.Abandon, l.Abandoned}
		},
		func() lockKind {
			var l core.ReentrantLock
			with := func(ctx context.Context, f func() error) error {
				return l.With(ctx, func(*core.Guard) error { return f() })
			}
			return lockKind{"ReentrantLock", l.Lock, l.TryLock, with, l.Close, l.Stats, l.Broken, l.Take, l.Abandon, l.Abandoned}
		},
	} {
		l := kind()
		t.Run(l.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f(t, kind())
			})
		})
	}
}

// unlock gives back what the call got.
func unlock(t *testing.T, c holding) {
	t.Helper()
	same(t, "error of Unlock", c.value.Unlock(), nil)
	synctest.Wait()
}

// take returns the Guard of a lock that is free.
func take(t *testing.T, lock func(context.Context) (*core.Guard, error)) *core.Guard {
	t.Helper()
	g, err := lock(background)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// isLost says whether g tells that it was stolen.
func isLost(lost <-chan struct{}) bool {
	select {
	case <-lost:
		return true
	default:
		return false
	}
}

// waitingForLocks returns calls that wait until they are cancelled, for the rules of every primitive.
func waitingForLocks() []blocking {
	var (
		lock, conditions core.Lock
		rw               core.RWLock
		reentrant        core.ReentrantLock
		condition        = core.NewCondition(&conditions)
		semaphore, _     = core.NewSemaphore(1)
	)
	lock.Take()
	rw.Take()
	reentrant.Take()
	semaphore.Take(1)
	guard, _ := conditions.TryLock()
	await := func(ctx context.Context) error { return condition.Wait(ctx, guard) }
	return []blocking{
		{"Lock.Lock", errOnly(lock.Lock), func() any { return lock.Stats() }, func() {}},
		{"RWLock.Lock", errOnly(rw.Lock), func() any { return rw.Stats() }, func() {}},
		{"RWLock.RLock", errOnly(rw.RLock), func() any { return rw.Stats() }, func() {}},
		{"ReentrantLock.Lock", errOnly(reentrant.Lock), func() any { return reentrant.Stats() }, func() {}},
		{"Condition.Wait", await, func() any { return [2]any{conditions.Stats(), condition.Stats()} }, func() {}},
		{"Semaphore.Acquire", errOnly(permits(semaphore, 1)), func() any { return semaphore.Stats() }, func() {}},
	}
}

// grantableLocks returns calls that are granted at once.
func grantableLocks() []blocking {
	var (
		lock         core.Lock
		rw, shared   core.RWLock
		reentrant    core.ReentrantLock
		semaphore, _ = core.NewSemaphore(2)
	)
	shared.TakeShared()
	return []blocking{
		{"Lock.Lock of a free one", errOnly(lock.Lock), func() any { return lock.Stats() }, func() {}},
		{"RWLock.Lock of a free one", errOnly(rw.Lock), func() any { return rw.Stats() }, func() {}},
		{"RWLock.RLock of a shared one", errOnly(shared.RLock), func() any { return shared.Stats() }, func() {}},
		{"ReentrantLock.Lock of a free one", errOnly(reentrant.Lock), func() any { return reentrant.Stats() }, func() {}},
		{"Semaphore.Acquire of what is available", errOnly(permits(semaphore, 2)), func() any { return semaphore.Stats() }, func() {}},
	}
}

// closable is what can be waited for and closed.
type closable struct {
	name  string
	call  func(context.Context) error
	park  func(*core.Waiter) (bool, error)
	close func()
}

// heldLocks returns locks, a condition and a semaphore on which one can only wait.
func heldLocks() []closable {
	var (
		lock, conditions core.Lock
		rw, shared       core.RWLock
		reentrant        core.ReentrantLock
		condition        = core.NewCondition(&conditions)
		semaphore, _     = core.NewSemaphore(1)
	)
	lock.Take()
	rw.Take()
	shared.Take()
	reentrant.Take()
	semaphore.Take(1)
	guard, _ := conditions.TryLock()
	await := func(ctx context.Context) error { return condition.Wait(ctx, guard) }
	parkOn := func(w *core.Waiter) (bool, error) { return condition.Park(w, conditions.Stats().Tenures) }
	parkFor := func(w *core.Waiter) (bool, error) { return semaphore.Park(w, 1) }
	return []closable{
		{"Lock.Lock", errOnly(lock.Lock), lock.Park, lock.Close},
		{"RWLock.Lock", errOnly(rw.Lock), rw.Park, rw.Close},
		{"RWLock.RLock", errOnly(shared.RLock), shared.ParkShared, shared.Close},
		{"ReentrantLock.Lock", errOnly(reentrant.Lock), reentrant.Park, reentrant.Close},
		{"Condition.Wait", await, parkOn, conditions.Close},
		{"Semaphore.Acquire", errOnly(permits(semaphore, 1)), parkFor, semaphore.Close},
	}
}

func TestAClosedLockFailsThoseWhoWaitAndThoseWhoCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, l := range heldLocks() {
			before := begin(background, wait(l.call))
			parked(t, before)
			l.close()
			l.close()
			ended(t, core.ErrClosed, before, begin(background, wait(l.call)))
			ok, err := l.park(&core.Waiter{Waker: nobody{}})
			same(t, l.name+" parks", ok, false)
			same(t, l.name+" passive error", err, core.ErrClosed)
		}
	})
}

func TestWhoIsParkedForALockCannotBeParkedAgain(t *testing.T) {
	for _, l := range heldLocks() {
		w := core.Waiter{Waker: nobody{}}
		same(t, l.name+" before any Park: Withdraw", w.Withdraw(), false)
		ok, err := l.park(&w)
		same(t, l.name, ok, true)
		same(t, l.name, err, nil)
		ok, err = l.park(&w)
		same(t, l.name+" again", ok, false)
		same(t, l.name+" again", err, core.ErrParked)
		same(t, l.name+": Withdraw", w.Withdraw(), true)
		same(t, l.name+": Withdraw again", w.Withdraw(), false)
		l.close()
	}
}

func TestAGrantThatCameBeforeTheCancellationCountsAndIsHandedOn(t *testing.T) {
	eachLock(t, func(t *testing.T, l lockKind) {
		holder := take(t, l.lock)
		first, second := begin(background, l.lock), begin(background, l.lock)
		holder.Unlock() // the grant is settled now; first runs later
		first.cancel(nil)
		ended(t, nil, first)
		parked(t, second)
		unlock(t, first)
		ended(t, nil, second)
		unlock(t, second)
		same(t, "stats", l.stats(), core.LockStats{Tenures: 3})
	})
}

func TestACancellationThatCameBeforeTheGrantCountsAndTheNextGetsIt(t *testing.T) {
	eachLock(t, func(t *testing.T, l lockKind) {
		holder := take(t, l.lock)
		first, second := begin(background, l.lock), begin(background, l.lock)
		first.leave()
		ended(t, context.Canceled, first)
		holder.Unlock()
		ended(t, nil, second)
		unlock(t, second)
		same(t, "broken", l.broken(), "")
	})
}

func TestReleasesOfOneTurnServeInTheOrderOfArrival(t *testing.T) {
	eachLock(t, func(t *testing.T, l lockKind) {
		holder := take(t, l.lock)
		a, b := begin(background, l.lock), begin(background, l.lock)
		holder.Unlock()
		late := goCall(background, l.lock)
		ended(t, nil, a)
		parked(t, b, late)
		unlock(t, a)
		ended(t, nil, b)
		parked(t, late)
		unlock(t, b)
		ended(t, nil, late)
		unlock(t, late)
	})
	synctest.Test(t, func(t *testing.T) {
		s := newSemaphore(t, 2)
		x, y := acquireNow(t, s, 1), acquireNow(t, s, 1)
		var calls []*call[*core.Permits]
		for range 4 {
			calls = append(calls, begin(background, permits(s, 1)))
		}
		x.Release()
		y.Release()
		_, err := s.TryAcquire(1)
		same(t, "error of a newcomer", err, core.ErrWouldBlock)
		late := begin(background, permits(s, 1))
		ended(t, nil, calls[:2]...)
		parked(t, append(calls[2:], late)...)
		calls[0].value.Release()
		calls[1].value.Release()
		ended(t, nil, calls[2:]...)
		parked(t, late)
		calls[2].value.Release()
		ended(t, nil, late)
	})
}

func TestTryNeverOvertakes(t *testing.T) {
	eachLock(t, func(t *testing.T, l lockKind) {
		holder := take(t, l.lock)
		_, err := l.try()
		same(t, "error while it is held", err, core.ErrWouldBlock)
		c := begin(background, l.lock)
		holder.Unlock() // hands it over, whether c has run or not
		_, err = l.try()
		same(t, "error after it was handed over", err, core.ErrWouldBlock)
		ended(t, nil, c)
		unlock(t, c)
		g, err := l.try()
		same(t, "error when it is free", err, nil)
		same(t, "error of Unlock", g.Unlock(), nil)
		l.close()
		_, err = l.try()
		same(t, "error when it is closed", err, core.ErrClosed)
	})
	synctest.Test(t, func(t *testing.T) {
		var l core.RWLock
		reader := take(t, l.RLock)
		writer := begin(background, l.Lock)
		_, err := l.TryRLock() // it could share the lock, but the writer came first
		same(t, "error of TryRLock", err, core.ErrWouldBlock)
		reader.Unlock()
		ended(t, nil, writer)
		unlock(t, writer)
		shared, err := l.TryRLock()
		same(t, "error when it is free", err, nil)
		_, err = l.TryLock()
		same(t, "error when it is shared", err, core.ErrWouldBlock)
		shared.Unlock()

		s := newSemaphore(t, 2)
		acquireNow(t, s, 1)
		begin(background, permits(s, 2))
		_, err = s.TryAcquire(1) // is available, but wanted
		same(t, "error of TryAcquire", err, core.ErrWouldBlock)
		s.Close()
	})
}

func TestAGuardGivesBackOnce(t *testing.T) {
	eachLock(t, func(t *testing.T, l lockKind) {
		g := take(t, l.lock)
		same(t, "error of the first Unlock", g.Unlock(), nil)
		same(t, "error of the second", g.Unlock(), core.ErrNotOwner)
		next := take(t, l.lock)
		same(t, "error once another holds it", g.Unlock(), core.ErrNotOwner)
		same(t, "holders", l.stats().Holders, 1)
		same(t, "error of Unlock", next.Unlock(), nil)
	})
	var none *core.Guard
	same(t, "error of no Guard", none.Unlock(), core.ErrNotOwner)
	same(t, "error of the zero Guard", new(core.Guard).Unlock(), core.ErrNotOwner)
	same(t, "no Guard is lost", isLost(none.Lost()), true)
	same(t, "the zero Guard is lost", isLost(new(core.Guard).Lost()), true)
}

func TestOneOfThoseWhoShareGivesBackOnlyItsOwn(t *testing.T) {
	var l core.RWLock
	a, b := take(t, l.RLock), take(t, l.RLock)
	same(t, "error of the first Unlock", a.Unlock(), nil)
	same(t, "error of the second", a.Unlock(), core.ErrNotOwner)
	same(t, "stats", l.Stats(), core.LockStats{Holders: 1, Shared: true, Tenures: 1})
	same(t, "error of the other", b.Unlock(), nil)
	same(t, "locked", l.IsLocked(), false)
}

func TestWhoWantsToShareWaitsBehindWhoWantsItAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.RWLock
		reader := take(t, l.RLock)
		writer := begin(background, l.Lock)
		readers := []holding{begin(background, l.RLock), begin(background, l.RLock)}
		last := begin(background, l.Lock)
		parked(t, append(readers, writer, last)...)
		reader.Unlock()
		ended(t, nil, writer)
		parked(t, readers...)
		unlock(t, writer)
		ended(t, nil, readers...)
		parked(t, last)
		unlock(t, readers[0])
		parked(t, last)
		unlock(t, readers[1])
		ended(t, nil, last)
	})
}

func TestWhenTheOnlyOneWhoWantsItAloneLeavesTheOthersShareIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.RWLock
		take(t, l.RLock)
		writer := begin(background, l.Lock)
		readers := []holding{begin(background, l.RLock), begin(background, l.RLock)}
		writer.leave()
		ended(t, context.Canceled, writer)
		ended(t, nil, readers...)
		same(t, "stats", l.Stats(), core.LockStats{Holders: 3, Shared: true, Tenures: 1})
	})
}

func TestAHigherPriorityGoesFirstAndThenWhoCameFirst(t *testing.T) {
	eachLock(t, func(t *testing.T, l lockKind) {
		holder := take(t, l.lock)
		var order []int
		for i, priority := range []int32{0, -1, 2, 0, 2} {
			begin(core.WithPriority(background, priority), func(ctx context.Context) (int, error) {
				return 0, l.with(ctx, func() error { order = append(order, i); return nil })
			})
		}
		highest := begin(core.WithPriority(background, 9), l.lock)
		parked(t, highest) // a priority changes nothing for who holds
		same(t, "holders", l.stats().Holders, 1)
		holder.Unlock()
		ended(t, nil, highest)
		same(t, "waiting", l.stats().Waiting, 5)
		unlock(t, highest)
		same(t, "who came after whom", [5]int(order), [5]int{2, 4, 0, 3, 1})
	})
	synctest.Test(t, func(t *testing.T) {
		s := newSemaphore(t, 2)
		held := acquireNow(t, s, 1)
		many := begin(background, permits(s, 2))
		few := begin(core.WithPriority(background, 1), permits(s, 1)) // fits, and goes before
		ended(t, nil, few)
		parked(t, many)
		held.Release()
		parked(t, many)
		few.value.Release()
		ended(t, nil, many)
	})
}

func TestAStolenLockIsLostToItsHolderAndNobodyLosesTheirPlace(t *testing.T) {
	type acquire = func(context.Context) (*core.Guard, error)
	for name, kind := range map[string]func() (lock, lockOld acquire, steal func() (*core.Guard, error), stats func() core.LockStats){
		"Lock": func() (acquire, acquire, func() (*core.Guard, error), func() core.LockStats) {
			var l core.Lock
			return l.Lock, l.Lock, l.Steal, l.Stats
		},
		"RWLock that is shared": func() (acquire, acquire, func() (*core.Guard, error), func() core.LockStats) {
			var l core.RWLock
			return l.Lock, l.RLock, l.Steal, l.Stats
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lock, lockOld, steal, stats := kind()
				old := take(t, lockOld)
				lost := old.Lost()
				a, b := begin(background, lock), begin(background, lock)
				same(t, "lost before", isLost(lost), false)
				thief, err := steal()
				same(t, "error of Steal", err, nil)
				same(t, "lost", isLost(lost), true)
				same(t, "lost, asked afterwards", isLost(old.Lost()), true)
				same(t, "error of the old Guard", old.Unlock(), core.ErrNotOwner)
				parked(t, a, b)
				same(t, "stats", stats(), core.LockStats{Holders: 1, Waiting: 2, Tenures: 2})
				same(t, "the thief's is lost", isLost(thief.Lost()), false)
				same(t, "error of Unlock", thief.Unlock(), nil)
				ended(t, nil, a)
				parked(t, b)
				same(t, "error of the old Guard", old.Unlock(), core.ErrNotOwner)
				unlock(t, a)
				ended(t, nil, b)
			})
		})
	}
}

func TestStealingWhatIsFreeTakesNothingFromAnybody(t *testing.T) {
	var l core.Lock
	g := take(t, l.Lock)
	lost := g.Lost()
	g.Unlock()
	thief, err := l.Steal()
	same(t, "error of Steal", err, nil)
	same(t, "lost", isLost(lost), false)
	same(t, "lost, asked afterwards", isLost(g.Lost()), true)
	l.Close()
	_, err = l.Steal()
	same(t, "error when it is closed", err, core.ErrClosed)
	same(t, "lost", isLost(thief.Lost()), false)
	same(t, "error of Unlock when it is closed", thief.Unlock(), nil)
}

func TestWithReleasesOnErrorAndOnPanic(t *testing.T) {
	var (
		lock      core.Lock
		rw        core.RWLock
		reentrant core.ReentrantLock
		semaphore = newSemaphore(t, 2)
	)
	for name, with := range map[string]func(context.Context, func() error) error{
		"Lock":         lock.With,
		"RWLock":       rw.With,
		"RWLock.RWith": rw.RWith,
		"ReentrantLock": func(ctx context.Context, f func() error) error {
			return reentrant.With(ctx, func(g *core.Guard) error {
				within, err := reentrant.LockWithin(g)
				if err != nil {
					return err
				}
				defer within.Unlock()
				return f()
			})
		},
		"Semaphore": func(ctx context.Context, f func() error) error { return semaphore.With(ctx, 2, f) },
	} {
		held := func() int {
			return lock.Stats().Holders + rw.Stats().Holders + reentrant.Stats().Holders + semaphore.Stats().Held
		}
		within := 0
		same(t, name+": error", with(background, func() error { within = held(); return nil }), nil)
		same(t, name+": held", within > 0, true)
		same(t, name+": error of f", with(background, func() error { return errOops }), errOops)
		func() {
			defer func() { same(t, name+": panic", recover() == any(errOops), true) }()
			with(background, func() error { panic(errOops) })
		}()
		ctx, cancel := context.WithCancel(background)
		cancel()
		err := with(ctx, func() error { t.Errorf("%s: f was run", name); return nil })
		same(t, name+": error of a context that is done", err, context.Canceled)
		same(t, name+": held afterwards", held(), 0)
	}
}

func TestAReentrantLockIsFreeWhenTheLastGuardWasGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.ReentrantLock
		outer := take(t, l.Lock)
		inner, err := l.LockWithin(outer)
		same(t, "error of LockWithin", err, nil)
		other := begin(background, l.Lock)
		deepest, err := l.LockWithin(inner) // also while others wait
		same(t, "error of LockWithin", err, nil)
		same(t, "holders", l.Stats().Holders, 3)
		same(t, "error of Unlock", outer.Unlock(), nil) // in any order
		same(t, "error of the second Unlock", outer.Unlock(), core.ErrNotOwner)
		same(t, "error of Unlock", deepest.Unlock(), nil)
		parked(t, other)
		l.Close()
		ended(t, core.ErrClosed, other)
		again, err := l.LockWithin(inner)
		same(t, "error of LockWithin when it is closed", err, nil)
		same(t, "error of Unlock", again.Unlock(), nil)
		same(t, "error of Unlock", inner.Unlock(), nil)
		same(t, "stats", l.Stats(), core.LockStats{Tenures: 1, Closed: true})
	})
}

func TestOnlyAGuardThatHoldsTheLockEntersAgain(t *testing.T) {
	var l, other core.ReentrantLock
	var plain core.Lock
	stale := take(t, l.Lock)
	stale.Unlock()
	holder := take(t, l.Lock)
	for name, g := range map[string]*core.Guard{
		"none": nil, "zero": new(core.Guard), "stale": stale,
		"of another": take(t, other.Lock), "of another kind": take(t, plain.Lock),
	} {
		within, err := l.LockWithin(g)
		same(t, name+": error", err, core.ErrNotOwner)
		same(t, name+": Guard", within, nil)
	}
	same(t, "stats", l.Stats(), core.LockStats{Holders: 1, Tenures: 2})
	same(t, "error of Unlock", holder.Unlock(), nil)
}

func TestWhoDoesNotSayThatItHoldsAReentrantLockWaitsForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.ReentrantLock
		g := take(t, l.Lock)
		c := begin(background, l.Lock)
		parked(t, c)
		g.Unlock()
		ended(t, nil, c)
	})
}

// Holders that go away.

func TestWhoComesAfterAnEventLoopThatWentAwayIsToldAndNobodyAfterwards(t *testing.T) {
	eachLock(t, func(t *testing.T, l lockKind) {
		loop := newLoop()
		var tenure uint64
		loop.do(func() { tenure, _ = l.take() })
		first, second := begin(background, l.lock), begin(background, l.lock)
		parked(t, first, second)
		loop.do(func() { same(t, "error of Abandon", l.abandon(tenure), nil) })
		loop.close()
		ended(t, nil, first)
		parked(t, second)
		same(t, "first is told", first.value.Abandoned(), true)
		same(t, "stats", l.stats(), core.LockStats{Holders: 1, Waiting: 1, Tenures: 2})
		unlock(t, first)
		same(t, "first is told when it has given it back", first.value.Abandoned(), false)
		ended(t, nil, second)
		same(t, "second is told", second.value.Abandoned(), false)
		unlock(t, second)
	})
}

func TestAnEventLoopThatComesAfterOneThatWentAwayIsTold(t *testing.T) {
	eachLock(t, func(t *testing.T, l lockKind) {
		first, _ := l.take()
		same(t, "told of none", l.abandoned(first), false)
		same(t, "error of Abandon", l.abandon(first), nil)
		second, err := l.take()
		same(t, "error of Take", err, nil)
		same(t, "told", l.abandoned(second), true)
		same(t, "told, of a tenure that is over", l.abandoned(first), false)
		same(t, "error of Abandon", l.abandon(second), nil) // in turn
		third, _ := l.take()
		same(t, "told in turn", l.abandoned(third), true)
		same(t, "broken", l.broken(), "")
	})
}

func TestAFreeLockKeepsForTheNextThatItsHolderWentAway(t *testing.T) {
	eachLock(t, func(t *testing.T, l lockKind) {
		tenure, _ := l.take()
		l.abandon(tenure)
		same(t, "stats", l.stats(), core.LockStats{Tenures: 1, Orphaned: true})
		stopped, cancel := context.WithCancel(background)
		cancel()
		_, err := l.lock(stopped) // who does not get it is told nothing
		same(t, "error", err, context.Canceled)
		same(t, "stats", l.stats(), core.LockStats{Tenures: 1, Orphaned: true})
		g, err := l.try()
		same(t, "error of Try", err, nil)
		same(t, "told", g.Abandoned(), true)
		same(t, "stats", l.stats(), core.LockStats{Holders: 1, Tenures: 2})
		g.Unlock()
		g = take(t, l.lock)
		same(t, "told again", g.Abandoned(), false)
	})
	var none *core.Guard
	same(t, "no Guard is told", none.Abandoned(), false)
	same(t, "the zero Guard is told", new(core.Guard).Abandoned(), false)
}

func TestWhoLeavesTheLineIsNotTheNextAfterOneThatWentAway(t *testing.T) {
	eachLock(t, func(t *testing.T, l lockKind) {
		tenure, _ := l.take()
		leaves, stays := begin(background, l.lock), begin(background, l.lock)
		leaves.leave()
		l.abandon(tenure)
		ended(t, context.Canceled, leaves)
		ended(t, nil, stays)
		same(t, "told", stays.value.Abandoned(), true)
		unlock(t, stays)
	})
}

func TestWhoDoesNotHoldTheLockAbandonsNothing(t *testing.T) {
	eachLock(t, func(t *testing.T, l lockKind) {
		over := take(t, l.lock)
		over.Unlock()
		g := take(t, l.lock)
		for _, tenure := range []uint64{0, 1, 3} {
			same(t, "error of Abandon", l.abandon(tenure), core.ErrNotOwner)
			same(t, "told", l.abandoned(tenure), false)
		}
		same(t, "stats", l.stats(), core.LockStats{Holders: 1, Tenures: 2})
		g.Unlock()
		same(t, "error of Abandon when it is free", l.abandon(2), core.ErrNotOwner)
		same(t, "stats", l.stats(), core.LockStats{Tenures: 2})
	})
}

func TestOfOneWhoSharedTheLockNobodyIsToldUnlessItWasItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.RWLock
		gone, _ := l.TakeShared()
		stays := take(t, l.RLock)
		writer := begin(background, l.Lock)
		same(t, "error of Abandon", l.Abandon(gone), nil)
		stays.Unlock()
		ended(t, nil, writer)
		same(t, "told after those who shared it", writer.value.Abandoned(), false)
		same(t, "error of Abandon", l.Abandon(l.Stats().Tenures), nil) // the writer's hold

		a, b := take(t, l.RLock), take(t, l.RLock)
		same(t, "both are told", a.Abandoned() && b.Abandoned(), true)
		same(t, "error of Abandon", l.Abandon(l.Stats().Tenures), nil) // a's hold
		same(t, "stats", l.Stats(), core.LockStats{Holders: 1, Shared: true, Tenures: 3, Orphaned: true})
		thief, _ := l.Steal() // from b
		same(t, "b is told, which holds nothing", b.Abandoned(), false)
		same(t, "the thief is told", thief.Abandoned(), true)
		thief.Unlock()
		same(t, "stats", l.Stats(), core.LockStats{Tenures: 4})
	})
}

func TestWhoEntersAgainIsToldWhatItWasToldAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.ReentrantLock
		tenure, _ := l.Take()
		same(t, "error of Reenter", l.Reenter(tenure), nil)
		next, last := begin(background, l.Lock), begin(background, l.Lock)
		same(t, "error of Abandon", l.Abandon(tenure), nil)
		parked(t, next, last) // it is still inside
		same(t, "error of Abandon", l.Abandon(tenure), nil)
		ended(t, nil, next)
		within, err := l.LockWithin(next.value)
		same(t, "error of LockWithin", err, nil)
		same(t, "both are told", within.Abandoned() && next.value.Abandoned(), true)
		unlock(t, next)
		same(t, "who has left is told", next.value.Abandoned(), false)
		same(t, "who is inside still is told", within.Abandoned(), true)
		within.Unlock()
		ended(t, nil, last)
		same(t, "the last is told", last.value.Abandoned(), false)
		unlock(t, last)
	})
}

func TestOfAHolderThatWasStolenFromNobodyIsTold(t *testing.T) {
	var l core.Lock
	robbed, _ := l.Take()
	thief, _ := l.Steal()
	same(t, "the thief is told", thief.Abandoned(), false)
	same(t, "error of Abandon", l.Abandon(robbed), core.ErrNotOwner)
	thief.Unlock()
	same(t, "stats", l.Stats(), core.LockStats{Tenures: 2})
	tenure, _ := l.Take()
	l.Abandon(tenure)
	thief, _ = l.Steal() // from nobody
	same(t, "the thief is told of another", thief.Abandoned(), true)
}

func TestWhoIsInsideAClosedLockIsTheLastWhoCanGoAway(t *testing.T) {
	eachLock(t, func(t *testing.T, l lockKind) {
		tenure, _ := l.take()
		l.close()
		same(t, "error of Abandon", l.abandon(tenure), nil)
		_, err := l.lock(background)
		same(t, "error", err, core.ErrClosed)
		same(t, "broken", l.broken(), "")
	})
}

func TestAWaitOnAConditionTellsItsGuardOfAHolderThatWentAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.Lock
		c := core.NewCondition(&l)
		notified, cancelled := awaiting(t, background, &l, c), awaiting(t, background, &l, c)
		tenure, _ := l.Take()
		c.Notify(1)
		cancelled.leave()
		l.Abandon(tenure)
		ended(t, nil, notified)
		same(t, "told", notified.value.Abandoned(), true)

		// Who waits gives the lock up, as it is.
		w := begin(background, wait(func(ctx context.Context) error { return c.Wait(ctx, notified.value) }))
		ended(t, context.Canceled, cancelled)
		same(t, "the next is told", cancelled.value.Abandoned(), false)
		same(t, "told while it waits", notified.value.Abandoned(), false)
		same(t, "error of Abandon", l.Abandon(l.Stats().Tenures), nil) // the hold of the one that was cancelled
		same(t, "notified", c.Notify(1), 1)
		ended(t, nil, w)
		same(t, "told again", notified.value.Abandoned(), true)
		unlock(t, notified)
		same(t, "stats", l.Stats(), core.LockStats{Tenures: 6})
	})
}

// The Condition.

// awaiting takes the lock, and waits on the condition. Its result is the Guard.
func awaiting(t *testing.T, ctx context.Context, l *core.Lock, c *core.Condition) *call[*core.Guard] {
	t.Helper()
	w := begin(ctx, func(ctx context.Context) (*core.Guard, error) {
		g, err := l.Lock(background)
		if err != nil {
			return nil, err
		}
		return g, c.Wait(ctx, g)
	})
	parked(t, w)
	return w
}

func TestANotifiedWaiterHoldsTheLockAgainByTheSameGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.Lock
		c := core.NewCondition(&l)
		w := awaiting(t, background, &l, c)
		same(t, "locked while it waits", l.IsLocked(), false)
		g := take(t, l.Lock)
		same(t, "notified", c.Notify(1), 1)
		parked(t, w)
		same(t, "waiting", c.Stats().Waiting, 0)
		same(t, "waiting for the lock", l.Stats().Waiting, 1)
		g.Unlock()
		ended(t, nil, w)
		same(t, "locked", l.IsLocked(), true)
		same(t, "lost", isLost(w.value.Lost()), false)
		unlock(t, w)
		same(t, "locked", l.IsLocked(), false)
		same(t, "notified, when nobody waits", c.NotifyAll(), 0)
	})
}

func TestANotificationThatCameBeforeTheCancellationIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.Lock
		c := core.NewCondition(&l)
		a, b := awaiting(t, background, &l, c), awaiting(t, background, &l, c)
		g := take(t, l.Lock)
		same(t, "notified", c.Notify(1), 1)
		a.leave() // while the lock is being taken
		parked(t, a, b)
		g.Unlock()
		ended(t, nil, a)
		parked(t, b)
		unlock(t, a)
		parked(t, b)
		same(t, "notified", c.Notify(1), 1)
		ended(t, nil, b)
		unlock(t, b)
	})
}

func TestACancelledWaiterHoldsTheLockAndItsNotificationGoesToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.Lock
		c := core.NewCondition(&l)
		ctx, cancel := context.WithCancelCause(background)
		a, b := awaiting(t, ctx, &l, c), awaiting(t, background, &l, c)
		g := take(t, l.Lock)
		cancel(errWhy)
		parked(t, a, b) // until it has the lock
		same(t, "notified", c.Notify(1), 1)
		g.Unlock()
		ended(t, context.Canceled, a)
		ended(t, errWhy, a)
		parked(t, b)
		same(t, "error of Unlock", a.value.Unlock(), nil)
		ended(t, nil, b)
		unlock(t, b)
		same(t, "locked", l.IsLocked(), false)
	})
}

func TestWaitingNeedsAGuardThatHoldsTheLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l, other core.Lock
		c := core.NewCondition(&l)
		unlocked := take(t, l.Lock)
		unlocked.Unlock()
		stolen := take(t, l.Lock)
		thief, _ := l.Steal()
		for name, g := range map[string]*core.Guard{
			"none": nil, "zero": new(core.Guard), "unlocked": unlocked, "stolen": stolen, "foreign": take(t, other.Lock),
		} {
			before := l.Stats()
			same(t, name+": error", c.Wait(background, g), core.ErrNotOwner)
			same(t, name+": stats of the lock", l.Stats(), before)
			same(t, name+": stats", c.Stats(), core.ConditionStats{})
		}
		same(t, "other lock is held", other.IsLocked(), true)
		w := begin(background, wait(func(ctx context.Context) error { return c.Wait(ctx, thief) }))
		l.Close()
		ended(t, core.ErrClosed, w)
		same(t, "locked", l.IsLocked(), false)
		same(t, "error of its guard", thief.Unlock(), core.ErrNotOwner)
	})
}

func TestOnAClosedLockNobodyWaitsAndItsHolderKeepsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.Lock
		c, d := core.NewCondition(&l), core.NewCondition(&l)
		waits, notified := awaiting(t, background, &l, c), awaiting(t, background, &l, d)
		g := take(t, l.Lock)
		d.Notify(1)
		l.Close()
		ended(t, core.ErrClosed, waits, notified)
		same(t, "error of Wait", c.Wait(background, g), core.ErrClosed)
		same(t, "notified", c.NotifyAll()+d.NotifyAll(), 0)
		same(t, "stats", c.Stats(), core.ConditionStats{Closed: true})
		same(t, "error of Unlock", g.Unlock(), nil)
	})
}

func TestAGuardHoldsNothingWhileItWaitsAndAsBeforeAfterwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.Lock
		c := core.NewCondition(&l)
		g := take(t, l.Lock)
		w := begin(background, wait(func(ctx context.Context) error { return c.Wait(ctx, g) }))
		same(t, "lost", isLost(g.Lost()), true)
		same(t, "error of Unlock", g.Unlock(), core.ErrNotOwner)
		same(t, "error of another Wait", c.Wait(background, g), core.ErrNotOwner)
		parked(t, w)
		c.Notify(1)
		ended(t, nil, w)
		same(t, "lost", isLost(g.Lost()), false)
		same(t, "error of Unlock", g.Unlock(), nil)
		same(t, "locked", l.IsLocked(), false)
	})
}

func TestNotifyWakesAsManyAsItSaysInTheOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.Lock
		c := core.NewCondition(&l)
		var order []int
		for i := range 6 {
			begin(background, func(ctx context.Context) (*core.Guard, error) {
				g, err := l.Lock(ctx)
				if err != nil {
					return nil, err
				}
				defer g.Unlock()
				err = c.Wait(ctx, g)
				order = append(order, i)
				return g, err
			})
		}
		notified := func(n, want int, total int) {
			t.Helper()
			same(t, "notified", n, want)
			synctest.Wait()
			same(t, "woken in all", len(order), total)
		}
		notified(c.Notify(0), 0, 0)
		notified(c.Notify(-1), 0, 0)
		notified(c.Notify(2), 2, 2)
		notified(c.Notify(1), 1, 3)
		notified(c.NotifyAll(), 3, 6)
		notified(c.Notify(1), 0, 6)
		same(t, "order", [6]int(order), [6]int{0, 1, 2, 3, 4, 5})
	})
}

func TestWaitForReturnsWhenItIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.Lock
		c := core.NewCondition(&l)
		n, asked := 0, 0
		w := begin(background, func(ctx context.Context) (*core.Guard, error) {
			g, _ := l.Lock(ctx)
			return g, c.WaitFor(ctx, g, func() bool {
				asked++
				same(t, "locked", l.IsLocked(), true)
				return n == 2
			})
		})
		for range 2 {
			parked(t, w)
			l.With(background, func() error { n++; c.NotifyAll(); return nil })
		}
		ended(t, nil, w)
		same(t, "asked", asked, 3)
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		err := c.WaitFor(ctx, w.value, func() bool { return false })
		same(t, "error", err, context.DeadlineExceeded)
		unlock(t, w)
	})
}

func TestConditionsOfOneLockAreNotifiedEachForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l core.Lock
		full, empty := core.NewCondition(&l), core.NewCondition(&l)
		a, b := awaiting(t, background, &l, full), awaiting(t, background, &l, empty)
		same(t, "notified", full.NotifyAll(), 1)
		ended(t, nil, a)
		parked(t, b)
		unlock(t, a)
		parked(t, b)
		same(t, "notified", empty.NotifyAll(), 1)
		ended(t, nil, b)
		unlock(t, b)
	})
}

// The Semaphore.

func newSemaphore(t *testing.T, size int) *core.Semaphore {
	t.Helper()
	s, err := core.NewSemaphore(size)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// permits is Acquire of n permits.
func permits(s *core.Semaphore, n int) func(context.Context) (*core.Permits, error) {
	return func(ctx context.Context) (*core.Permits, error) { return s.Acquire(ctx, n) }
}

// acquireNow acquires what is available.
func acquireNow(t *testing.T, s *core.Semaphore, n int) *core.Permits {
	t.Helper()
	p, err := s.TryAcquire(n)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWhenWhoWantsManyLeavesThoseBehindGetWhatThereIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSemaphore(t, 10)
		acquireNow(t, s, 1)
		all, one := begin(background, permits(s, 10)), begin(background, permits(s, 1))
		parked(t, all, one)
		all.leave()
		ended(t, context.Canceled, all)
		ended(t, nil, one)
		same(t, "stats", s.Stats(), core.SemaphoreStats{Size: 10, Held: 2, Available: 8})
	})
}

func TestAGrantOfPermitsThatCameBeforeTheCancellationCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSemaphore(t, 1)
		held := acquireNow(t, s, 1)
		first, second := begin(background, permits(s, 1)), begin(background, permits(s, 1))
		held.Release()
		first.cancel(nil)
		ended(t, nil, first)
		parked(t, second)
		first.value.Release()
		ended(t, nil, second)
	})
}

func TestPermitsThatCanNeverBeHadAreRefusedAtOnce(t *testing.T) {
	s := newSemaphore(t, 3)
	for n, want := range map[int]error{4: core.ErrTooLarge, 0: core.ErrInvalid, -1: core.ErrInvalid} {
		_, err := s.Acquire(background, n)
		same(t, "Acquire", errors.Is(err, want), true)
		_, err = s.TryAcquire(n)
		same(t, "TryAcquire", errors.Is(err, want), true)
		same(t, "With", errors.Is(s.With(background, n, func() error { return nil }), want), true)
		_, err = s.Park(&core.Waiter{Waker: nobody{}}, n)
		same(t, "Park", errors.Is(err, want), true)
	}
	for _, size := range []int{0, -1} {
		_, err := core.NewSemaphore(size)
		same(t, "NewSemaphore", errors.Is(err, core.ErrInvalid), true)
		same(t, "Resize", errors.Is(s.Resize(size), core.ErrInvalid), true)
		same(t, "Release", errors.Is(s.Release(size), core.ErrInvalid), true)
		same(t, "it says what is wrong", strings.Contains(err.Error(), "at least 1"), true)
	}
	same(t, "stats", s.Stats(), core.SemaphoreStats{Size: 3, Available: 3})
}

func TestMoreThanIsOutCannotBeGivenBack(t *testing.T) {
	s := newSemaphore(t, 3)
	p, q := acquireNow(t, s, 1), acquireNow(t, s, 2)
	same(t, "error of the first Release", p.Release(), nil)
	same(t, "error of the second", p.Release(), core.ErrOverRelease)
	same(t, "error of more than is out", s.Release(3), core.ErrOverRelease)
	same(t, "stats", s.Stats(), core.SemaphoreStats{Size: 3, Held: 2, Available: 1})
	same(t, "error of Release", q.Release(), nil)
	same(t, "error of Release of nothing", s.Release(1), core.ErrOverRelease)
	var none *core.Permits
	same(t, "error of no Permits", none.Release(), core.ErrOverRelease)
	same(t, "error of the zero Permits", new(core.Permits).Release(), core.ErrOverRelease)
	same(t, "stats", s.Stats(), core.SemaphoreStats{Size: 3, Available: 3})
}

func TestASizeBelowWhatIsOutAndBackWakesOnlyWhatIsSpare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSemaphore(t, 5)
		held := acquireNow(t, s, 4)
		extra := acquireNow(t, s, 1)
		resize := func(size int) {
			t.Helper()
			same(t, "error of Resize", s.Resize(size), nil)
			synctest.Wait()
			same(t, "broken", s.Broken(), "")
		}
		resize(2)
		same(t, "stats", s.Stats(), core.SemaphoreStats{Size: 2, Held: 5}) // never less than none are available
		a, b, c := begin(background, permits(s, 1)), begin(background, permits(s, 1)), begin(background, permits(s, 1))
		resize(4) // two more, and yet none to spare
		extra.Release()
		parked(t, a, b, c)
		resize(5)
		ended(t, nil, a)
		parked(t, b, c)
		resize(1)
		held.Release()
		parked(t, b, c)
		resize(3)
		ended(t, nil, b, c)
		same(t, "stats", s.Stats(), core.SemaphoreStats{Size: 3, Held: 3})
	})
}

func TestWhoWantsMoreThanThereWillEverBeIsToldByTheResize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSemaphore(t, 3)
		held := acquireNow(t, s, 1)
		three, two, one := begin(background, permits(s, 3)), begin(background, permits(s, 2)), begin(background, permits(s, 1))
		same(t, "error of Resize", s.Resize(2), nil)
		ended(t, core.ErrTooLarge, three)
		parked(t, two, one)
		held.Release()
		ended(t, nil, two)
		parked(t, one)
		s.Close()
		ended(t, core.ErrClosed, one)
		same(t, "error of Resize when it is closed", s.Resize(9), core.ErrClosed)
		same(t, "error of Release when it is closed", two.value.Release(), nil)
		same(t, "stats", s.Stats(), core.SemaphoreStats{Size: 2, Available: 2, Closed: true})
	})
}

func TestAnEventLoopIsToldWhichTenureWasStolen(t *testing.T) {
	var l core.RWLock
	var stolen []uint64
	l.Stolen = func(tenure uint64) { stolen = append(stolen, tenure) }
	_, err := l.Seize() // from nobody
	same(t, "error", err, nil)
	same(t, "release", l.Release(1), nil)
	for range 2 {
		_, err := l.TakeShared()
		same(t, "error", err, nil)
	}
	tenure, err := l.Seize()
	same(t, "error", err, nil)
	same(t, "tenure", tenure, 3)
	same(t, "stolen", fmt.Sprint(stolen), "[2]")
	l.Close()
	_, err = l.Seize()
	same(t, "error", err, core.ErrClosed)
	same(t, "stolen", fmt.Sprint(stolen), "[2]")
}

func TestWhatMakesNoSenseIsRefusedAndBreaksNothing(t *testing.T) {
	var signal core.Signal
	var checkpoint core.Checkpoint
	var lock core.Lock
	var event core.Event
	var queue core.Queue[int]
	var barrier core.Barrier
	var pool core.Pool[int]
	var once core.Once[int]
	var condition core.Condition
	semaphore, stack := newSemaphore(t, 1), must(core.NewStack[int](3))
	condemned := map[string]func(*core.Waiter) (bool, error){
		"Signal.Park": signal.Park, "Checkpoint.Park": checkpoint.Park, "Checkpoint.ParkArm": checkpoint.ParkArm,
		"Lock.Park": lock.Park, "Event.Park": event.Park, "Queue.ParkGet": queue.ParkGet, "Queue.ParkJoin": queue.ParkJoin,
		"Barrier.Park": barrier.Park, "Once.Park": once.Park,
		"Queue.ParkPut":  func(w *core.Waiter) (bool, error) { return queue.ParkPut(w, 1) },
		"Semaphore.Park": func(w *core.Waiter) (bool, error) { return semaphore.Park(w, 1) },
	}
	for name, park := range condemned {
		for _, w := range []*core.Waiter{nil, {}} {
			ok, err := park(w)
			same(t, name+" parks", ok, false)
			same(t, name+" is invalid", errors.Is(err, core.ErrInvalid), true)
		}
	}
	_, err := barrier.Wait(background)
	same(t, "the zero Barrier", errors.Is(err, core.ErrInvalid), true)
	_, err = pool.Acquire(background)
	same(t, "the zero Pool", errors.Is(err, core.ErrInvalid), true)
	_, err = once.Do(background)
	same(t, "the zero Once", errors.Is(err, core.ErrInvalid), true)
	guard, err := lock.Lock(background)
	same(t, "error", err, nil)
	same(t, "the zero Condition", condition.Wait(background, guard), core.ErrNotOwner)
	same(t, "nobody waits there", condition.NotifyAll(), 0)
	same(t, "With without a function", errors.Is(lock.With(background, nil), core.ErrInvalid), true)
	same(t, "WaitFor without a function", errors.Is(core.NewCondition(&lock).WaitFor(background, guard, nil), core.ErrInvalid), true)
	same(t, "unlock", guard.Unlock(), nil)

	for i := range 3 {
		same(t, "put", stack.TryPut(i), nil)
	}
	claim, err := stack.Claim()
	same(t, "error", err, nil)
	same(t, "take", stack.Take(claim), 2)
	same(t, "take again", stack.Take(claim), 0)
	stack.PutBack(claim, 7, 1<<40) // which nobody has
	same(t, "what is there", fmt.Sprint(stack.CloseNow()), "[1 0]")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
