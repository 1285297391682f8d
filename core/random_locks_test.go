package core_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/clca-dev/clca/core"
	"pgregory.net/rapid"
)

// claim is a call of a random program for something to hold.
type claim[T any] struct {
	*timed[T]
	priority int32
	what     string
}

// claims are those that were made, and the holds that came of them.
type claims[T any] struct {
	waiting []*claim[T] // in the order of arrival
	held    []*claim[T]
}

// claim draws a priority and begins a call.
func (c *claims[T]) claim(t *rapid.T, what string, f func(context.Context) (T, error)) {
	priority := rapid.SampledFrom([]int32{0, 0, 1}).Draw(t, "priority")
	c.waiting = append(c.waiting, &claim[T]{beginTimed(t, func(ctx context.Context) (T, error) {
		return f(core.WithPriority(ctx, priority))
	}), priority, what})
}

func (c *claims[T]) leave(t *rapid.T) {
	var calls []*timed[T]
	for _, w := range c.waiting {
		calls = append(calls, w.timed)
	}
	leaveOne(t, calls)
}

// release gives back one of those that are held.
func (c *claims[T]) release(t *rapid.T, f func(T) error) {
	if len(c.held) == 0 {
		t.Skip("nobody holds it")
	}
	i := rapid.IntRange(0, len(c.held)-1).Draw(t, "who releases")
	held := c.held[i]
	c.held = slices.Delete(c.held, i, i+1)
	if err := f(held.value); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

// settle takes those that have ended out of those that wait. Who was granted something left nobody waiting that came
// before it, or has a higher priority.
func (c *claims[T]) settle(t *rapid.T) {
	var still []*claim[T]
	for _, w := range c.waiting {
		switch why := w.gaveUp(); {
		case w.pending() && why != nil:
			t.Fatalf("a call that should have given up with %v has not", why)
		case w.pending():
			still = append(still, w)
		case w.err != nil && (why == nil || !errors.Is(w.err, why)):
			t.Fatalf("a call has ended with %v", w.err)
		case w.err == nil:
			c.held = append(c.held, w)
			if slices.ContainsFunc(still, func(s *claim[T]) bool { return s.priority >= w.priority }) {
				t.Fatal("somebody was overtaken")
			}
		}
	}
	c.waiting = still
}

// mark is what is known of those who went away with a lock.
type mark struct {
	tenure   uint64 // of those inside, or of the last who were
	told     bool   // those inside are
	orphaned bool   // those who come next will be
}

// abandon has one of those inside go away.
func (m *mark) abandon(t *rapid.T, l interface {
	Abandon(tenure uint64) error
	Stats() core.LockStats
}) {
	if m.told || !l.Stats().Shared {
		m.orphaned = true
	}
	if err := l.Abandon(m.tenure); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

// check holds that it is right, in a step after which at most one tenure has begun.
func (m *mark) check(t *rapid.T, got core.LockStats, inside ...*core.Guard) {
	if got.Tenures != m.tenure {
		*m = mark{got.Tenures, m.orphaned, false}
	}
	if got.Orphaned != m.orphaned {
		t.Fatalf("the next will be told: %v, want %v", got.Orphaned, m.orphaned)
	}
	for _, g := range inside {
		if g.Abandoned() != m.told {
			t.Fatalf("told that one went away: %v, want %v", g.Abandoned(), m.told)
		}
	}
}

func TestInRandomProgramsALockIsHeldAloneOrSharedAndNobodyIsOvertaken(t *testing.T) {
	inBubble(t, func(t *rapid.T) {
		var l core.RWLock
		var c claims[*core.Guard]
		var gone mark
		defer l.Close()
		t.Repeat(map[string]func(*rapid.T){
			"lock":   func(t *rapid.T) { c.claim(t, "alone", l.Lock) },
			"share":  func(t *rapid.T) { c.claim(t, "shared", l.RLock) },
			"leave":  c.leave,
			"pass":   pass,
			"unlock": func(t *rapid.T) { c.release(t, (*core.Guard).Unlock) },
			"abandon": func(t *rapid.T) {
				c.release(t, func(*core.Guard) error { gone.abandon(t, &l); return nil })
			},
			"steal": func(t *rapid.T) {
				gone.orphaned = gone.orphaned || gone.told && l.IsLocked() // who was told has not dealt with it
				g, err := l.Steal()
				if err != nil {
					t.Fatal(err)
				}
				for _, h := range c.held {
					if h.value.Unlock() != core.ErrNotOwner {
						t.Fatal("a stolen hold was given back")
					}
				}
				thief := &timed[*core.Guard]{call: &call[*core.Guard]{value: g}}
				c.held = []*claim[*core.Guard]{{thief, 0, "alone"}}
			},
			"": func(t *rapid.T) {
				c.settle(t)
				for _, h := range c.held {
					if h.what != c.held[0].what || h.what == "alone" && len(c.held) > 1 {
						t.Fatalf("%d hold it, and one alone", len(c.held))
					}
				}
				if got := l.Stats(); got.Holders != len(c.held) || got.Waiting != len(c.waiting) {
					t.Fatalf("%d hold it and %d wait: %+v", len(c.held), len(c.waiting), got)
				}
				var inside []*core.Guard
				for _, h := range c.held {
					inside = append(inside, h.value)
				}
				gone.check(t, l.Stats(), inside...)
				if broken := l.Broken(); broken != "" {
					t.Fatal(broken)
				}
			},
		})
	})
}

func TestInRandomProgramsASemaphoreHandsOutWhatItHasInOrder(t *testing.T) {
	inBubble(t, func(t *rapid.T) {
		const size = 4
		s, _ := core.NewSemaphore(size)
		var c claims[*core.Permits]
		wants := map[string]int{"one": 1, "two": 2, "all": size}
		defer s.Close()
		t.Repeat(map[string]func(*rapid.T){
			"acquire": func(t *rapid.T) {
				what := rapid.SampledFrom([]string{"one", "one", "two", "all"}).Draw(t, "what")
				c.claim(t, what, permits(s, wants[what]))
			},
			"leave":   c.leave,
			"pass":    pass,
			"release": func(t *rapid.T) { c.release(t, (*core.Permits).Release) },
			"": func(t *rapid.T) {
				c.settle(t)
				held := 0
				for _, h := range c.held {
					held += wants[h.what]
				}
				want := core.SemaphoreStats{Size: size, Held: held, Available: size - held, Waiting: len(c.waiting)}
				if got := s.Stats(); got != want {
					t.Fatalf("got %+v, want %+v", got, want)
				}
				if broken := s.Broken(); broken != "" {
					t.Fatal(broken)
				}
			},
		})
	})
}

func TestInRandomProgramsAWaitOnAConditionEndsHoldingTheLock(t *testing.T) {
	inBubble(t, func(t *rapid.T) {
		var (
			l        core.Lock
			c        = core.NewCondition(&l)
			waits    []*timed[*core.Guard]
			notified = map[*timed[*core.Guard]]bool{}
			holder   *core.Guard
			gone     mark
		)
		defer l.Close()
		t.Repeat(map[string]func(*rapid.T){
			"lock": func(t *rapid.T) {
				if holder != nil {
					t.Skip("it is held")
				}
				holder, _ = l.TryLock()
			},
			"unlock": func(t *rapid.T) {
				if holder == nil {
					t.Skip("nobody holds it")
				}
				if err := holder.Unlock(); err != nil {
					t.Fatal(err)
				}
				holder = nil
				synctest.Wait()
			},
			"abandon": func(t *rapid.T) {
				if holder == nil {
					t.Skip("nobody holds it")
				}
				holder = nil
				gone.abandon(t, &l)
			},
			"wait": func(t *rapid.T) {
				if holder == nil {
					t.Skip("nobody holds it")
				}
				g := holder
				holder = nil
				waits = append(waits, beginTimed(t, func(ctx context.Context) (*core.Guard, error) {
					return g, c.Wait(ctx, g)
				}))
			},
			"notify": func(t *rapid.T) {
				n := rapid.IntRange(1, 3).Draw(t, "how many")
				told := 0
				for _, w := range waits {
					if told < n && !notified[w] && w.gaveUp() == nil {
						notified[w] = true
						told++
					}
				}
				if got := c.Notify(n); got != told {
					t.Fatalf("%d were notified, want %d", got, told)
				}
				synctest.Wait()
			},
			"leave": func(t *rapid.T) { leaveOne(t, waits) },
			"pass":  pass,
			"": func(t *rapid.T) {
				waiting, retaking := 0, 0
				waits = slices.DeleteFunc(waits, func(w *timed[*core.Guard]) bool {
					why := w.gaveUp()
					switch {
					case w.pending() && why == nil && !notified[w]:
						waiting++
					case w.pending():
						retaking++
					case holder != nil:
						t.Fatal("a wait has ended while another held the lock")
					case notified[w] && w.err != nil, !notified[w] && (why == nil || !errors.Is(w.err, why)):
						t.Fatalf("a wait has ended with %v; notified: %v", w.err, notified[w])
					default:
						holder = w.value
					}
					return !w.pending()
				})
				if got, stats := c.Stats().Waiting, l.Stats(); got != waiting || stats.Waiting != retaking {
					t.Fatalf("%d wait and %d retake, want %d and %d", got, stats.Waiting, waiting, retaking)
				} else if held := holder != nil; held != (stats.Holders == 1) || !held && retaking > 0 {
					t.Fatalf("held: %v, and %d want it back", held, retaking)
				}
				if holder == nil {
					gone.check(t, l.Stats())
				} else {
					gone.check(t, l.Stats(), holder)
				}
				if broken := c.Broken() + l.Broken(); broken != "" {
					t.Fatal(broken)
				}
			},
		})
	})
}
