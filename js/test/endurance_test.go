//go:build !js

package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// After so many rounds, which let caches fill, what is counted is not more than then, and memory stays where it is.
const (
	warmUpRounds   = 4
	measuredRounds = 6
	few            = 8 // less than one a round
)

// TestEnduranceLeavesNothingBehind has a page and its Workers wait, give up, use names, and open and kill sessions:
// whatever is counted afterwards is what it was before, and memory does not grow. With SOAK=… each place has a million
// waits, 10,000 sessions, of which 1,000 are Workers, and 100,000 names; without, a small part of that.
func TestEnduranceLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	waits, names, opened, killed := 1_000, 100, 40, 2 // in a round; of the former two, in each realm
	// Go's own objects come and go by a few hundred; one left by each tenth wait, or by each name, is more.
	// Its tables grow a few times more, by 48 KB each, and then no more: seen in fifty rounds. It takes 512 KB of linear
	// memory when a burst comes before its collector: seen twice in fifty.
	slack := map[string]float64{"bytes": 256 << 10, "objects": 500, "goroutines": 0, "linear": 3 * 512 << 10, "locks": 0}
	heapSlack := 256.0 * (1 << 10)
	if os.Getenv("SOAK") != "" {
		waits, names, opened, killed = 34_000, 3_400, 900, 100
		slack["bytes"], slack["objects"], heapSlack = 512<<10, 800, 1<<20
	}
	for where, workers := range map[string][]string{"here": {"mate"}, "worker": {"hub", "mate"}} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			tab := Open(t, "/test/endurance.html")
			tab.Do(fmt.Sprintf(`await lab.start('%s')`, where))
			realms := map[string]context.Context{"page": tab.target}
			for _, name := range workers {
				realms[name] = tab.worker(name)
			}
			chart := chart{}
			var before map[string]census
			for round := range warmUpRounds + measuredRounds {
				tab.Do(fmt.Sprintf(`await lab.round({ waits: %d, names: %d }, %d, %d)`, waits, names, opened, killed))
				now := settled(t, before, func() map[string]census {
					for what, value := range Eval[map[string]float64](tab, `lab.figures()`) {
						chart.add(round, what, value)
					}
					return takeAll(t, realms)
				})
				for name, c := range now {
					chart.add(round, name+"'s heap", c.heap)
					chart.add(round, name+"'s platform objects", c.platform)
					chart.add(round, name+"'s array entries", float64(c.entries))
					chart.add(round, name+"'s objects", float64(c.objects()))
				}
				if round == warmUpRounds-1 {
					before = now
				}
			}
			t.Log("\n" + chart.String())
			for what, slack := range slack {
				chart.requireFlat(t, what, slack)
			}
			for name := range realms {
				chart.requireFlat(t, name+"'s heap", heapSlack)
				chart.requireFlat(t, name+"'s platform objects", heapSlack)
				// An array grows by half when its realm is late for once: seen, by 90. One entry left by each session would be 240.
				chart.requireFlat(t, name+"'s array entries", 200)
			}
		})
	}
}

// worker is the Worker of that name, to be asked by the debugger's protocol.
func (tab *Tab) worker(name string) context.Context {
	tab.t.Helper()
	targets, err := chromedp.Targets(browser)
	require.NoError(tab.t, err)
	for _, info := range targets {
		if info.Type != "worker" || info.BrowserContextID != tab.profile.id {
			continue
		}
		w := tab.profile.attach(info)
		<-w.attached
		require.NoError(tab.t, w.err)
		found, err := chromedp.Run(w.ctx, chromedp.Evaluate[string](`self.name`))
		require.NoError(tab.t, err)
		if found == name {
			return w.ctx
		}
	}
	require.FailNow(tab.t, "no such Worker", name)
	return nil
}

// census is what lives in a realm once all garbage was collected.
type census struct {
	heap, platform float64 // in bytes; the latter are objects of the browser's own
	entries        int     // of all arrays, some of which are as long as they ever had to be
	counts         map[string]int
}

func (c census) objects() int {
	n := 0
	for name, count := range c.counts {
		if !strings.HasPrefix(name, "in ") {
			n += count
		}
	}
	return n
}

func take(ctx context.Context) (c census, err error) {
	const group = "census"
	prototype, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: `Object.prototype`, ObjectGroup: group})
	if err != nil {
		return c, err
	}
	found, err := chromedp.Call(ctx, runtime.QueryObjects,
		runtime.QueryObjectsParams{PrototypeObjectID: prototype.Result.ObjectID, ObjectGroup: group})
	if err != nil {
		return c, err
	}
	byValue := true
	counted, err := chromedp.Call(ctx, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: `function () { return tally(this); }`, ObjectID: found.Objects.ObjectID, ReturnByValue: &byValue,
	})
	if err == nil && counted.ExceptionDetails != nil {
		err = errors.New(text(counted.ExceptionDetails.Exception))
	}
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(counted.Result.Value, &c.counts); err != nil {
		return c, err
	}
	if _, err := chromedp.Call(ctx, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: group}); err != nil {
		return c, err
	}
	if _, err := chromedp.Call(ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
		return c, err
	}
	usage, err := chromedp.Call(ctx, runtime.GetHeapUsage, cdp.Empty{})
	c.heap, c.platform, c.entries = usage.UsedSize, usage.EmbedderHeapUsedSize, c.counts["in Arrays"]
	for _, noise := range []string{"in Arrays", "global Function", "AsyncFunction"} {
		delete(c.counts, noise)
	}
	return c, err
}

func takeAll(t *testing.T, realms map[string]context.Context) map[string]census {
	t.Helper()
	all := map[string]census{}
	for name, realm := range realms {
		ctx, cancel := context.WithTimeout(realm, limit)
		c, err := take(ctx)
		cancel()
		require.NoError(t, err, name)
		all[name] = c
	}
	return all
}

// settled measures until there is no more of anything than before, or, the first times, than a moment later: what is
// finalized, and ports that close, take tasks of their own.
func settled(t *testing.T, before map[string]census, measure func() map[string]census) map[string]census {
	t.Helper()
	last := measure()
	for patience := 50; ; patience-- {
		now := measure()
		more := excess(last, now)
		if before != nil {
			more = excess(now, before)
		}
		if len(more) == 0 {
			return now
		}
		require.Positive(t, patience, "there is more than there was: %s", strings.Join(more, ", "))
		last = now
	}
}

// excess is what there is more of now than there was. The platform has a few objects more or less.
func excess(now, before map[string]census) []string {
	var more []string
	for realm, c := range now {
		for name, n := range c.counts {
			had, slack := before[realm].counts[name], 0
			if strings.HasPrefix(name, "global ") {
				slack = few
			}
			if n > had+slack {
				more = append(more, fmt.Sprintf("%s of the %s: %d, not %d", name, realm, n, had))
			}
		}
	}
	slices.Sort(more)
	return more
}

// chart has a row of figures for each thing that is measured, with a column for each round.
type chart map[string]*[warmUpRounds + measuredRounds]float64

func (c chart) add(round int, what string, value float64) {
	if c[what] == nil {
		c[what] = new([warmUpRounds + measuredRounds]float64)
	}
	c[what][round] = value
}

func (c chart) String() string {
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(&b, "%-26s", what)
		for _, value := range c[what] {
			fmt.Fprintf(&b, "%10.0f", value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// requireFlat compares the middle of the last three rounds with that of the first three that are measured.
func (c chart) requireFlat(t *testing.T, what string, slack float64) {
	t.Helper()
	require.Contains(t, c, what)
	middle := func(some []float64) float64 { return slices.Sorted(slices.Values(some))[1] }
	first, last := middle(c[what][warmUpRounds:][:3]), middle(c[what][len(c[what])-3:])
	require.LessOrEqual(t, last, first+slack, what)
}
