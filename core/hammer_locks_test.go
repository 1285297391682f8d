package core_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/clca-dev/clca/core"
)

// What the locks protect here are plain variables: that they do is for the race detector to say.

// ranking returns ctx with a priority of its own.
func ranking(ctx context.Context, chance *rand.Rand) context.Context {
	return core.WithPriority(ctx, chance.Int32N(3))
}

// leftAlone fails the test if a call has failed for another reason than its own end, and says whether it failed.
func leftAlone(t *testing.T, err error) bool {
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	return err != nil
}

func TestUnderTheHammerALockLetsInOneAtATime(t *testing.T) {
	var (
		lock      core.Lock
		rw        core.RWLock
		reentrant core.ReentrantLock
	)
	for name, l := range map[string]struct {
		lock  func(context.Context) (*core.Guard, error)
		try   func() (*core.Guard, error)
		stats func() core.LockStats
	}{
		"Lock":          {lock.Lock, lock.TryLock, lock.Stats},
		"RWLock":        {rw.Lock, rw.TryLock, rw.Stats},
		"ReentrantLock": {reentrant.Lock, reentrant.TryLock, reentrant.Stats},
	} {
		t.Run(name, func(t *testing.T) {
			entered, counted := 0, atomic.Int64{}
			hammer(8, func(chance *rand.Rand) {
				g, err := l.lock(ranking(fleeting(chance), chance))
				if leftAlone(t, err) {
					if g, err = l.try(); err != nil {
						return
					}
				}
				entered++
				counted.Add(1)
				if err := g.Unlock(); err != nil {
					t.Errorf("unlock: %v", err)
				}
			})
			same(t, "entered", int64(entered), counted.Load())
			same(t, "stats", l.stats(), core.LockStats{Tenures: uint64(entered)})
		})
	}
}

func TestUnderTheHammerWhoComesAfterOneThatWentAwayKnowsItAndNobodyElse(t *testing.T) {
	var (
		lock      core.Lock
		rw        core.RWLock
		reentrant core.ReentrantLock
	)
	for name, l := range map[string]struct {
		lock    func(context.Context) (*core.Guard, error)
		abandon func(tenure uint64) error
		stats   func() core.LockStats
	}{
		"Lock":          {lock.Lock, lock.Abandon, lock.Stats},
		"RWLock":        {rw.Lock, rw.Abandon, rw.Stats},
		"ReentrantLock": {reentrant.Lock, reentrant.Abandon, reentrant.Stats},
	} {
		t.Run(name, func(t *testing.T) {
			gone, entered := false, 0
			hammer(8, func(chance *rand.Rand) {
				g, err := l.lock(ranking(fleeting(chance), chance))
				if leftAlone(t, err) {
					return
				}
				entered++
				if g.Abandoned() != gone {
					t.Errorf("the one before went away: %v, and this one is told the contrary", gone)
				}
				if gone = chance.IntN(3) == 0; gone {
					err = l.abandon(uint64(entered)) // each has a tenure of its own
				} else {
					err = g.Unlock()
				}
				if err != nil {
					t.Errorf("leave: %v", err)
				}
			})
			same(t, "stats", l.stats(), core.LockStats{Tenures: uint64(entered), Orphaned: gone})
		})
	}
}

func TestUnderTheHammerNobodySharesWhatOneHoldsAlone(t *testing.T) {
	var l core.RWLock
	value, written := 0, atomic.Int64{}
	hammer(8, func(chance *rand.Rand) {
		ctx := ranking(fleeting(chance), chance)
		if chance.IntN(4) == 0 {
			leftAlone(t, l.With(ctx, func() error { value++; written.Add(1); return nil }))
			return
		}
		leftAlone(t, l.RWith(ctx, func() error {
			before := value
			runtime.Gosched()
			if value != before {
				t.Error("it was changed while it was shared")
			}
			return nil
		}))
	})
	same(t, "written", int64(value), written.Load())
	same(t, "holders", l.Stats().Holders, 0)
	same(t, "broken", l.Broken(), "")
}

func TestUnderTheHammerAHoldIsGivenBackOrStolenAndNeverBoth(t *testing.T) {
	var l core.Lock
	hammer(8, func(chance *rand.Rand) {
		var g *core.Guard
		var err error
		if chance.IntN(4) == 0 {
			g, err = l.Steal()
		} else {
			g, err = l.Lock(fleeting(chance))
		}
		if leftAlone(t, err) {
			return
		}
		lost := g.Lost()
		runtime.Gosched()
		switch err := g.Unlock(); {
		case err == nil && g.Unlock() != core.ErrNotOwner:
			t.Error("it was given back twice")
		case err != nil && !isLost(lost):
			t.Errorf("not stolen, and yet %v", err)
		}
	})
	same(t, "holders", l.Stats().Holders, 0)
	same(t, "broken", l.Broken(), "")
}

func TestUnderTheHammerAReentrantLockIsHeldToTheLastGuard(t *testing.T) {
	var l core.ReentrantLock
	depth := 0
	hammer(8, func(chance *rand.Rand) {
		leftAlone(t, l.With(fleeting(chance), func(g *core.Guard) error {
			inner, err := l.LockWithin(g)
			if err != nil {
				return err
			}
			if depth++; depth != 1 {
				t.Error("two are inside at once")
			}
			g.Unlock()
			runtime.Gosched()
			depth--
			return inner.Unlock()
		}))
	})
	same(t, "holders", l.Stats().Holders, 0)
	same(t, "broken", l.Broken(), "")
}

func TestUnderTheHammerEveryNotificationReachesSomebody(t *testing.T) {
	var l core.Lock
	filled := core.NewCondition(&l)
	items := 0
	var givers sync.WaitGroup
	givers.Go(func() {
		hammer(4, func(*rand.Rand) {
			l.With(background, func() error { items++; filled.Notify(1); return nil })
		})
	})
	hammer(4, func(chance *rand.Rand) { // as many take as give
		g, _ := l.Lock(background)
		defer g.Unlock()
		for ctx := fleeting(chance); filled.WaitFor(ctx, g, func() bool { return items > 0 }) != nil; ctx = background {
			// The second wait ends only if no notification was lost.
		}
		items--
	})
	givers.Wait()
	same(t, "items", items, 0)
	same(t, "waiting", filled.Stats().Waiting, 0)
	same(t, "holders", l.Stats().Holders, 0)
	same(t, "broken", l.Broken(), "")
}

func TestUnderTheHammerNoMorePermitsAreOutThanThereAre(t *testing.T) {
	const most = 5
	s := newSemaphore(t, most)
	var out atomic.Int64
	size := most
	whileStriking(func() {
		hammer(8, func(chance *rand.Rand) {
			n := 1 + chance.IntN(3)
			p, err := s.Acquire(ranking(fleeting(chance), chance), n)
			if leftAlone(t, err) {
				return
			}
			if out.Add(int64(n)) > most {
				t.Error("too many are out")
			}
			runtime.Gosched()
			out.Add(int64(-n))
			if err := p.Release(); err != nil {
				t.Errorf("release: %v", err)
			}
		})
	}, func() {
		if size = size%most + 1; size >= 3 { // so that nobody wants more than there are
			s.Resize(size)
		}
	})
	s.Resize(most)
	same(t, "stats", s.Stats(), core.SemaphoreStats{Size: most, Available: most})
	same(t, "broken", s.Broken(), "")
}
