//go:build !js

package browser_test

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"text/tabwriter"
)

// garbageReport is what js/test/bench/garbage/page.ts tells of one run.
type garbageReport struct {
	Calls      int            `json:"calls"`
	Seconds    float64        `json:"seconds"`
	Stays      int            `json:"stays"`
	Inside     float64        `json:"inside"`
	Task       float64        `json:"task"`
	Linear     float64        `json:"linear"`
	Collecting []stay         `json:"collecting"`
	Others     []stay         `json:"others"`
	Histogram  []int          `json:"histogram"`
	Before     garbageFigures `json:"before"`
	After      garbageFigures `json:"after"`
}

type stay struct {
	MS   float64 `json:"ms"`
	What string  `json:"what"`
	At   float64 `json:"at"`
}

type garbageFigures struct {
	Cycles    float64 `json:"cycles"`
	Bytes     float64 `json:"bytes"`
	Objects   float64 `json:"objects"`
	Live      float64 `json:"live"`
	Goal      float64 `json:"goal"`
	Assist    float64 `json:"assist"`
	Dedicated float64 `json:"dedicated"`
	Idle      float64 `json:"idle"`
	Pause     float64 `json:"pause"`
}

// BenchmarkGarbage puts a steady load of 10,000 calls a second on a hub in a page, for a minute (LOAD_SECONDS), and tells
// how long Go kept the page's thread at a time, with a part of a collection inside and without. What else the machine does
// is in these figures too: a run in which nothing is collected says how much. With 100,000 calls that wait, and as many on
// names of their own, there would not be one collection in a minute; so there the heap may grow by a tenth only.
func BenchmarkGarbage(b *testing.B) {
	seconds := cmp.Or(number(os.Getenv("LOAD_SECONDS")), 60)
	for _, of := range []struct {
		name    string
		seconds int
		parked  int
		gogc    string
		budget  float64
	}{
		{"little lives", seconds, 0, "100", 5},
		{"little lives, nothing collected", min(seconds, 20), 0, "off", none},
		{"200,000 calls wait on 100,001 names, GOGC=10", seconds, 100_000, "10", none},
		{"200,000 calls wait on 100,001 names, nothing collected", min(seconds, 20), 100_000, "off", none},
	} {
		r, err := measure[*garbageReport](b, "/bench/garbage/", fmt.Sprintf(
			`garbage.run({ seconds: %d, callsPerSecond: 10_000, parked: %d, names: %[2]d, gogc: %q })`,
			of.seconds, of.parked, of.gogc))
		name := "the longest stay in Go with a part of a collection, against 1 ms: " + of.name
		if err != nil {
			bench.add("garbage", failed(name, err, of.budget))
			continue
		}
		r.print(os.Stdout, of.name)
		if len(r.Collecting) > 0 { // sorted; those below a quarter of a millisecond were not kept
			bench.add("garbage", fixed(name, "ms", r.Collecting[0].MS, 1, of.budget))
		}
	}
}

func (r *garbageReport) print(to io.Writer, name string) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	defer w.Flush()
	collections := r.After.Cycles - r.Before.Cycles
	fmt.Fprintf(w, "\n%s\n", name)
	say := func(what, format string, values ...any) {
		fmt.Fprintf(w, "  %s\t"+format+"\n", append([]any{what}, values...)...)
	}
	say("calls", "%d in %.0f s", r.Calls, r.Seconds)
	say("collections", "%.0f, every %.0f ms", collections, r.Seconds*1000/max(collections, 1))
	say("live heap, goal, linear memory", "%.1f, %.1f, %.1f MB", r.After.Live/1e6, r.After.Goal/1e6, r.Linear/1e6)
	say("allocated per call", "%.0f bytes, %.2f objects", (r.After.Bytes-r.Before.Bytes)/float64(r.Calls),
		(r.After.Objects-r.Before.Objects)/float64(r.Calls))
	say("in Go", "%.2f %% of the time, %d stays, in one task up to %.1f ms", r.Inside/r.Seconds/10, r.Stays, r.Task)
	say("collector", "%.0f ms: assists %.0f, fractional %.0f, idle %.0f, stopped %.0f ms", 1000*(r.After.Assist-r.Before.Assist+
		r.After.Dedicated-r.Before.Dedicated+r.After.Idle-r.Before.Idle+r.After.Pause-r.Before.Pause),
		1000*(r.After.Assist-r.Before.Assist), 1000*(r.After.Dedicated-r.Before.Dedicated),
		1000*(r.After.Idle-r.Before.Idle), 1000*(r.After.Pause-r.Before.Pause))
	say("longest with a collection", "%s", longest(r.Collecting))
	say("longest without", "%s", longest(r.Others))
	var histogram strings.Builder
	for i, n := range r.Histogram {
		if n > 0 {
			fmt.Fprintf(&histogram, "<=%g ms: %d  ", float64(uint(1)<<i)/16, n)
		}
	}
	say("stays", "%s", histogram.String())
}

func longest(stays []stay) string {
	var b strings.Builder
	for _, s := range stays[:min(8, len(stays))] {
		fmt.Fprintf(&b, "%.1f (%s)  ", s.MS, strings.TrimPrefix(s.What, "clca_"))
	}
	return cmp.Or(b.String(), "none of 0.25 ms")
}
