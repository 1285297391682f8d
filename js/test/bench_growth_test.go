//go:build !js

package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// growth is a series of measurements of the same thing in growing numbers.
type growth struct {
	name   string
	setUp  string // makes what js/test/bench/growth/page.ts grows, of %d units
	sizes  []int
	realms []string // Workers whose heaps count beside that of the page
}

var (
	decades    = []int{10, 100, 1_000, 10_000, 100_000, 1_000_000}
	upTo100000 = []int{1, 10, 100, 1_000, 10_000, 100_000}
)

var growths = struct{ waiters, names, sessions []growth }{
	waiters: []growth{
		{"waits made in one go", `growth.here('signal', %d)`, decades, nil},
		{"waits, each a call of its own", `growth.here('calls', %d)`, decades, nil},
		{"waits from a Worker, each a call of its own", `growth.inWorker('calls', %d)`, decades, []string{"crowd"}},
		{"in line for a lock", `growth.here('lock', %d)`, decades, nil},
		{"in line for a semaphore", `growth.here('semaphore', %d)`, decades, nil},
		{"no hub: an array of resolvers", `growth.here('resolvers', %d)`, decades, nil},
	},
	names: []growth{
		{"a name comes, is waited for, woken, and goes", `growth.here('names', %d)`, upTo100000, nil},
		{"one wake among so many names", `growth.here('among', %d)`, upTo100000, nil},
	},
	sessions: []growth{
		{"sessions by MessagePort, in 2 Workers", `growth.sessions(%d, 2)`,
			[]int{2, 5, 10, 20, 50, 100, 200}, []string{"crowd 0", "crowd 1"}},
		{"a Worker for each session", `growth.sessions(%[1]d, %[1]d)`, []int{1, 2, 4, 8, 16}, nil},
	},
}

// size is what is measured at one of them.
type size struct {
	Series string  `json:"series"`
	Units  int     `json:"units"`
	Took   float64 `json:"us"` // microseconds for a unit: the median
	Low    float64 `json:"low"`
	High   float64 `json:"high"` // and the quartiles
	Heap   float64 `json:"heap"` // bytes for a unit, of JavaScript's heaps, parked
	Linear float64 `json:"linear"`
	Opened float64 `json:"opened,omitempty"` // microseconds to open a session
}

// BenchmarkGrowth measures how time and memory of a unit change as there are more of them. With CURVES=dir it draws
// them there.
func BenchmarkGrowth(b *testing.B) {
	waiters, names, sessions := grow(b, growths.waiters), grow(b, growths.names), grow(b, growths.sessions)
	all := append(append(append([]size(nil), waiters...), names...), sessions...)
	fmt.Printf("%-46s %9s %10s %19s %12s %12s\n", "", "units", "µs/unit", "quartiles", "heap/unit", "linear/unit")
	for _, f := range all {
		fmt.Printf("%-46s %9d %10.3f %9.3f..%8.3f %10.0f B %10.0f B",
			f.Series, f.Units, f.Took, f.Low, f.High, f.Heap, f.Linear)
		if f.Opened > 0 {
			fmt.Printf("   opened in %.0f µs", f.Opened)
		}
		fmt.Println()
	}
	if file := os.Getenv("GROWTH"); file != "" {
		out, err := json.MarshalIndent(all, "", "  ")
		require.NoError(b, err)
		require.NoError(b, os.WriteFile(file, append(out, '\n'), 0o644))
	}
	if dir := os.Getenv("CURVES"); dir != "" {
		require.NoError(b, os.MkdirAll(dir, 0o755))
		for name, c := range curvesOf(waiters, names, sessions) {
			require.NoError(b, os.WriteFile(filepath.Join(dir, name+".svg"), []byte(c.svg()), 0o644))
		}
	}
}

func grow(b *testing.B, series []growth) []size {
	var sizes []size
	for _, s := range series {
		if only := os.Getenv("ONLY"); only != "" && !strings.Contains(s.name, only) {
			continue
		}
		for _, units := range s.sizes {
			sizes = append(sizes, s.measure(b, units))
		}
	}
	return sizes
}

// measure opens a fresh page, so that neither side's memory has been used before.
func (s growth) measure(b *testing.B, units int) size {
	tab := Open(b, "/bench/growth/")
	defer tab.Close()
	realms := []context.Context{tab.target}
	// The empty program first: what is left is the units'.
	tab.Do(fmt.Sprintf(`globalThis.of = await `+s.setUp, units))
	for _, name := range s.realms {
		realms = append(realms, tab.worker(name))
	}
	heap, linear := heapOf(b, realms...), linearOf(tab)
	tab.Do(`await of.park()`)
	f := size{Series: s.name, Units: units}
	f.Heap, f.Linear = (heapOf(b, realms...)-heap)/float64(units), (linearOf(tab)-linear)/float64(units)
	tab.Do(`await of.wake()`)
	rounds := rounds()
	if units == 1_000_000 {
		rounds = max(3, rounds/4)
	}
	var took []float64
	for len(took) < rounds { // one at a time: each has its limit
		took = append(took, Eval[[]float64](tab, fmt.Sprintf(`of.time(%d)`, min(5, rounds-len(took))))...)
	}
	f.Took, f.Low, f.High = 1000*quantile(took, 0.5), 1000*quantile(took, 0.25), 1000*quantile(took, 0.75)
	f.Opened = 1000 * Eval[float64](tab, `of.opened ?? 0`)
	return f
}

// heapOf is how much of the realms' JavaScript heaps is in use, once their garbage was collected.
func heapOf(b *testing.B, realms ...context.Context) float64 {
	var used float64
	for _, realm := range realms {
		ctx, cancel := context.WithTimeout(realm, limit)
		defer cancel()
		for range 2 {
			_, err := chromedp.Call(ctx, heapprofiler.CollectGarbage, cdp.Empty{})
			require.NoError(b, err)
		}
		usage, err := chromedp.Call(ctx, runtime.GetHeapUsage, cdp.Empty{})
		require.NoError(b, err)
		used += usage.UsedSize
	}
	return used
}

func linearOf(tab *Tab) float64 { return Eval[float64](tab, `growth.linear()`) }

// BenchmarkMemory compares 100,000 calls that wait with as many goroutines, and what they take the 100th time that they
// are parked and woken with the first.
func BenchmarkMemory(b *testing.B) {
	const units = 100_000
	goroutines := func() float64 {
		tab := Open(b, "/bench/growth/")
		defer tab.Close()
		tab.Do(`globalThis.of = await growth.goroutines()`)
		before := linearOf(tab)
		tab.Do(fmt.Sprintf(`of.park(%d)`, units))
		return linearOf(tab) - before
	}()
	fmt.Printf("%-50s %6.1f MB\n", "100,000 goroutines", goroutines/1e6)
	for _, of := range []struct{ kind, name string }{
		{"calls", "100,000 waits, each a call of its own"}, {"signal", "100,000 waits made in one go"},
	} {
		tab := Open(b, "/bench/growth/")
		tab.Do(fmt.Sprintf(`globalThis.of = await growth.here('%s', %d)`, of.kind, units))
		heap, linear := heapOf(b, tab.target), linearOf(tab)
		measure := func(when string) float64 {
			h, l := heapOf(b, tab.target)-heap, linearOf(tab)-linear
			fmt.Printf("%-50s %6.1f MB: JavaScript's heap %5.1f, Go's memory %5.1f\n", when, (h+l)/1e6, h/1e6, l/1e6)
			return h + l
		}
		tab.Do(`await of.park()`)
		first := measure(of.name)
		tab.Do(`await of.wake()`)
		measure("  woken")
		tab.Do(`for (let i = 1; i < 99; i++) { await of.park(); await of.wake(); }`)
		tab.Do(`await of.park()`)
		last := measure("  the 100th time")
		tab.Do(`await of.wake()`)
		measure("  woken")
		tab.Close()
		bench.add("memory",
			fixed(of.name+"; against 100,000 goroutines", "MB", first/1e6, goroutines/1e6, 0.15),
			fixed(of.name+", the 100th time; against the first", "MB", last/1e6, first/1e6, flat))
	}
}

// flat allows for what collections leave now and not then.
const flat = 1.05
