package core_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clca-dev/clca/core"
	"pgregory.net/rapid"
)

// granting fails the test unless the call has ended without an error.
func granting[T any](t *rapid.T, what string, c *timed[T]) T {
	if synctest.Wait(); c.pending() || c.err != nil {
		t.Fatalf("%s: pending %v, %v", what, c.pending(), c.err)
	}
	return c.value
}

// patient drops from calls, which nothing has ended, those that have given up, and fails the test unless the others are
// pending.
func patient[T any](t *rapid.T, calls []*timed[T]) []*timed[T] {
	return slices.DeleteFunc(calls, func(c *timed[T]) bool {
		why := c.gaveUp()
		if c.pending() != (why == nil) || why != nil && !errors.Is(c.err, why) {
			t.Fatalf("a call that should have given up with %v: pending %v, %v", why, c.pending(), c.err)
		}
		return why != nil
	})
}

// offer is a put of a random program.
type offer struct {
	*timed[struct{}]
	item int
}

func TestInRandomProgramsItemsLeaveAQueueInTheOrderOfTheirPuts(t *testing.T) {
	inBubble(t, func(t *rapid.T) {
		capacity := rapid.IntRange(0, 3).Draw(t, "capacity")
		q := must1(core.NewQueue[int](capacity))
		var (
			made  int
			items []int
			puts  []offer // that wait
			gets  []*timed[int]
		)
		// room is what follows when an item was taken.
		room := func(t *rapid.T) {
			for len(items) < capacity && len(puts) > 0 {
				granting(t, "a put for which there is room", puts[0].timed)
				items = append(items, puts[0].item)
				puts = puts[1:]
			}
		}
		// next is the item that must be the next to come.
		next := func(t *rapid.T) (item int, is bool) {
			switch {
			case len(items) > 0:
				item = items[0]
				items = items[1:]
				room(t)
				return item, true
			case len(puts) > 0:
				granting(t, "a put whose item was taken", puts[0].timed)
				item = puts[0].item
				puts = puts[1:]
				return item, true
			}
			return 0, false
		}
		// goes says whether an item that is put now can be at once.
		goes := func(t *rapid.T, item int) bool {
			if len(gets) > 0 {
				if got := granting(t, "a get for which there is an item", gets[0]); got != item {
					t.Fatalf("got %d, want %d", got, item)
				}
				gets = gets[1:]
				return true
			}
			if len(items) < capacity {
				items = append(items, item)
				return true
			}
			return false
		}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				made++
				item := made
				c := beginTimed(t, put(q, item))
				if goes(t, item) {
					granting(t, "a put", c)
				} else {
					puts = append(puts, offer{c, item})
				}
			},
			"try to put": func(t *rapid.T) {
				made++
				err := q.TryPut(made)
				if goes(t, made) != (err == nil) || err != nil && err != core.ErrWouldBlock {
					t.Fatalf("trying to put: %v", err)
				}
			},
			"get": func(t *rapid.T) {
				c := beginTimed(t, q.Get)
				if item, is := next(t); !is {
					gets = append(gets, c)
				} else if got := granting(t, "a get", c); got != item {
					t.Fatalf("got %d, want %d", got, item)
				}
			},
			"try to get": func(t *rapid.T) {
				got, err := q.TryGet()
				if item, is := next(t); is != (err == nil) || got != item || !is && err != core.ErrWouldBlock {
					t.Fatalf("trying to get: %d, %v, want %d", got, err, item)
				}
			},
			"leave": func(t *rapid.T) {
				if len(gets) > 0 { // and nobody puts
					leaveOne(t, gets)
					return
				}
				var calls []*timed[struct{}]
				for _, o := range puts {
					calls = append(calls, o.timed)
				}
				leaveOne(t, calls)
			},
			"pass": pass,
			"": func(t *rapid.T) {
				gets = patient(t, gets)
				puts = slices.DeleteFunc(puts, func(o offer) bool { return len(patient(t, []*timed[struct{}]{o.timed})) == 0 })
				got := q.Stats()
				if got.Len != len(items) || got.Getting != len(gets) || got.Putting != len(puts) || q.Held() != len(puts) {
					t.Fatalf("%d items, %d gets, %d puts: %+v", len(items), len(gets), len(puts), got)
				}
				if broken := q.Broken(); broken != "" {
					t.Fatal(broken)
				}
			},
		})
		if left := q.CloseNow(); !slices.Equal(left, items) {
			t.Fatalf("in the end there are %v, want %v", left, items)
		}
		synctest.Wait()
		for _, c := range gets {
			if c.pending() || c.err != core.ErrClosed {
				t.Fatalf("a get from what is closed: %v", c.err)
			}
		}
		for _, o := range puts {
			if o.pending() || o.err != core.ErrClosed {
				t.Fatalf("a put into what is closed: %v", o.err)
			}
		}
	})
}

func TestInRandomProgramsAllPartiesOfAGenerationPassABarrierOrNone(t *testing.T) {
	inBubble(t, func(t *rapid.T) {
		parties := rapid.IntRange(1, 4).Draw(t, "parties")
		acts := time.Duration(rapid.IntRange(-1, 1).Draw(t, "the action takes")) * 250 * time.Millisecond // less than 0: none
		var act func() error
		ran, generations := 0, 0
		if acts >= 0 {
			act = func() error { ran++; time.Sleep(acts); return nil }
		}
		b := must1(core.NewBarrier(parties, act))
		var calls []*timed[int]
		broken := false
		fails := func(t *rapid.T, c *timed[int]) {
			if c.pending() || !errors.Is(c.err, core.ErrBroken) {
				t.Fatalf("at a broken barrier: pending %v, %v", c.pending(), c.err)
			}
		}
		defer b.Close()
		t.Repeat(map[string]func(*rapid.T){
			"wait": func(t *rapid.T) {
				c := beginTimed(t, b.Wait)
				if broken {
					fails(t, c)
					return
				}
				if calls = append(calls, c); len(calls) < parties {
					return
				}
				time.Sleep(max(0, acts)) // no deadline is so near, and it would not count
				generations++
				for i, c := range calls {
					if index := granting(t, "a party", c); index != i {
						t.Fatalf("the party that came as number %d has the index %d", i, index)
					}
				}
				calls = nil
			},
			"leave": func(t *rapid.T) { leaveOne(t, calls) },
			"pass":  pass,
			"reset": func(t *rapid.T) {
				if n := b.Reset(); n != len(calls) {
					t.Fatalf("the reset has failed %d of %d", n, len(calls))
				}
				synctest.Wait()
				for _, c := range calls {
					fails(t, c)
				}
				calls, broken = nil, false
			},
			"": func(t *rapid.T) {
				gaveUp := 0
				for _, c := range calls { // the first to give up breaks it for the others, whose turn would have come later
					if why := c.gaveUp(); why != nil && !c.pending() && errors.Is(c.err, why) {
						gaveUp++
					}
				}
				if gaveUp > 0 {
					for _, c := range calls {
						if why := c.gaveUp(); why == nil || !errors.Is(c.err, why) {
							fails(t, c)
						}
					}
					calls, broken = nil, true
				}
				calls = patient(t, calls)
				got := b.Stats()
				if got.Waiting != len(calls) || got.Broken != broken || act != nil && ran != generations {
					t.Fatalf("%d wait, broken %v, %d actions: %+v", len(calls), broken, ran, got)
				}
				if broken := b.Broken(); broken != "" {
					t.Fatal(broken)
				}
			},
		})
		for _, c := range calls {
			c.leave()
		}
	})
}

func TestInRandomProgramsAnEventHoldsNobodyWhoCameBeforeItWasSet(t *testing.T) {
	inBubble(t, func(t *rapid.T) {
		var e core.Event
		var calls []*timed[struct{}]
		set := false
		defer e.Close()
		t.Repeat(map[string]func(*rapid.T){
			"wait": func(t *rapid.T) {
				c := beginTimed(t, wait(e.Wait))
				if set {
					granting(t, "a call while it is set", c)
				} else {
					calls = append(calls, c)
				}
			},
			"set, and perhaps clear": func(t *rapid.T) {
				clear := rapid.Bool().Draw(t, "clear")
				if n := e.Set(); n != len(calls) {
					t.Fatalf("it has woken %d of %d", n, len(calls))
				}
				if set = !clear; clear {
					e.Clear()
				}
				for _, c := range calls {
					granting(t, "a call that waited", c)
				}
				calls = nil
			},
			"clear": func(t *rapid.T) {
				if was := e.Clear(); was != set {
					t.Fatalf("it was set: %v, want %v", was, set)
				}
				set = false
			},
			"leave": func(t *rapid.T) { leaveOne(t, calls) },
			"pass":  pass,
			"": func(t *rapid.T) {
				calls = patient(t, calls)
				if got := e.Stats(); got.Waiting != len(calls) || got.Set != set {
					t.Fatalf("%d wait, set %v: %+v", len(calls), set, got)
				}
			},
		})
	})
}

func TestInRandomProgramsAOnceIsTriedUntilItSucceeds(t *testing.T) {
	inBubble(t, func(t *rapid.T) {
		w := &workshop{}
		o := core.NewOnce(func(ctx context.Context) (*thing, error) {
			x, err := w.make(ctx)
			if err == nil {
				w.live--
			}
			return x, err
		})
		var calls []*timed[*thing]
		var result *thing // the same for all
		invariants := func(t *rapid.T) {
			calls = slices.DeleteFunc(calls, func(c *timed[*thing]) bool {
				if c.pending() {
					return false
				}
				c.settled(t)
				switch {
				case c.err == nil && result != nil && result != c.value:
					t.Fatal("two calls have different results")
				case c.err == nil:
					result = c.value
				}
				return true
			})
			if result != nil && (!o.Done() || len(calls) > 0) {
				t.Fatalf("there is a result; done %v, %d wait", o.Done(), len(calls))
			}
			if broken := o.Steps().Broken(); broken != "" {
				t.Fatal(broken)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"do": func(t *rapid.T) {
				w.draw(t)
				calls = append(calls, beginTimed(t, o.Do))
			},
			"leave": func(t *rapid.T) { leaveOne(t, calls) },
			"pass":  pass,
			"":      invariants,
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		invariants(t)
		w.start, w.fails, w.stubborn = 0, false, false
		if x, err := o.Do(background); err != nil || result != nil && x != result || w.live != 0 {
			t.Fatalf("in the end: %v, %d are live", err, w.live)
		}
	})
}
