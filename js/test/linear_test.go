//go:build !js

package browser_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	site "github.com/clca-dev/clca/example-site"
)

const (
	workers   = 4
	lanes     = 4  // of each Worker: calls that it has under way
	laneCalls = 50 // of each lane, one after the other
	passes    = 2  // over all kinds, each with a seed of its own
)

// A linearRun is a Run of pages/linear-worker.ts, and what it is checked against.
type linearRun struct {
	kind  string
	size  int
	model porcupine.Model
}

func (r linearRun) String() string { return fmt.Sprintf("%s of %d", r.kind, r.size) }

var linearRuns = []linearRun{
	{"lock", 1, model(&permitsModel{free: 1})},
	{"semaphore", 3, model(&permitsModel{free: 3})},
	{"queue", 0, model(&queueModel{capacity: 0})},
	{"queue", 1, model(&queueModel{capacity: 1})},
	{"queue", 5, model(&queueModel{capacity: 5})},
	{"task", 0, model(&taskModel{})},
}

// Four Workers make random calls on one name, several at a time each, at full speed. What they record must be what the
// models of linear_models_test.go do if they take one step after the other. SEED=n begins with the calls of that seed,
// though when they come is another matter; SOAK=minutes goes on for so long, with new seeds.
func TestWhatFourWorkersSeeIsLinearizable(t *testing.T) {
	t.Parallel()
	seed := rand.Uint32() >> 1
	if given := os.Getenv("SEED"); given != "" {
		n, err := strconv.ParseUint(given, 10, 31)
		require.NoError(t, err, "SEED")
		seed = uint32(n)
	}
	until := time.Now().Add(time.Duration(numberFrom(t, "SOAK", 0) * float64(time.Minute)))
	url := isolatedServer(t)
	happened := map[string]int{}
	for first := true; !t.Failed() && (first || time.Now().Before(until)); first = false {
		for _, where := range []string{"here", "worker", "shared"} {
			if t.Failed() {
				break // each may take the limit, where somebody waits for ever
			}
			t.Run(where, func(t *testing.T) {
				tab := openAt(t, url+"/test/linear.html")
				tab.Do(fmt.Sprintf(`await linear.open(%q, %d)`, where, workers))
				for i := range passes * len(linearRuns) {
					run, seed := linearRuns[i%len(linearRuns)], seed+uint32(i/len(linearRuns))
					played := Eval[[][]step](tab, fmt.Sprintf(
						`linear.play({ kind: %q, run: %d, seed: %d, size: %d, lanes: %d, calls: %d })`,
						run.kind, i, seed, run.size, lanes, laneCalls))
					result, longest, text := linearize(run.model, historyOf(t, played))
					require.Equal(t, porcupine.Ok, result, "%v, SEED=%d: %s", run, seed, text)
					tally(run, longest, happened)
				}
			})
		}
		seed += passes
	}
	t.Log(happened)
	for _, what := range []string{
		"lock end of what was granted", "lock steal", "lock release of what was stolen",
		"semaphore end of what waited", "semaphore end of what was granted",
		"queue end of what waited", "queue end of what was granted", "queue withdraw",
		"task end of what waited", "task end of what was granted", "task started", "task close",
	} {
		require.NotZero(t, happened[what], what)
	}
}

// isolatedServer serves the site so that its realms may share memory: the clock of all that is recorded.
func isolatedServer(t testing.TB) string {
	files := site.Handler(siteDir)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/favicon.ico" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// historyOf returns the steps of all sessions in the order of their calls.
func historyOf(t *testing.T, played [][]step) []step {
	var all []step
	for session, steps := range played {
		for i := range steps {
			steps[i].Session = session
		}
		slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.Call, b.Call) })
		numbered := slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.Number < 0 })
		require.True(t, slices.IsSortedFunc(numbered, func(a, b step) int { return cmp.Compare(a.Number, b.Number) }),
			"what one session says is taken up in another order")
		all = append(all, steps...)
	}
	slices.SortFunc(all, func(a, b step) int { return cmp.Compare(a.Call, b.Call) })
	return all
}

// linearize looks for an order of the steps that the model takes, in which those with a number are as they are
// numbered. It returns how far it came, and in words what it is that the model does not do.
func linearize(m porcupine.Model, history []step) (porcupine.CheckResult, []step, string) {
	history = inOrder(history)
	result, info := porcupine.CheckOperationsVerbose(m, operations(history), 10*time.Second)
	var longest []step
	for _, partial := range info.PartialLinearizationsOperations()[0] {
		if len(partial) > len(longest) {
			longest = longest[:0]
			for _, op := range partial {
				longest = append(longest, op.Input.(step))
			}
		}
	}
	if result == porcupine.Ok {
		return result, longest, ""
	}
	return result, longest, inWords(m, history, longest)
}

// inOrder gives each step that has a number its place, and narrows its time: it was taken up after those before it were
// said, and before any after it was answered.
func inOrder(history []step) []step {
	history = slices.Clone(history)
	var steps []*step
	for i := range history {
		if history[i].Number >= 0 {
			steps = append(steps, &history[i])
		}
	}
	slices.SortFunc(steps, func(a, b *step) int { return cmp.Compare(a.Number, b.Number) })
	for i, s := range steps {
		s.place = i + 1
		if i > 0 {
			s.Call = max(s.Call, steps[i-1].Call)
		}
	}
	for i := len(steps) - 2; i >= 0; i-- {
		steps[i].Return = min(steps[i].Return, steps[i+1].Return)
	}
	return history
}

// operations makes time finer, so that what was seen at a time was so after all that had returned by then.
func operations(history []step) []porcupine.Operation {
	all := make([]porcupine.Operation, len(history))
	for i, s := range history {
		all[i] = porcupine.Operation{Input: s, Call: 4 * s.Call, Return: 4*s.Return - 2}
		if s.Call == s.Return {
			all[i].Call, all[i].Return = 4*s.Call-1, 4*s.Call
		}
	}
	return all
}

// inWords tells how far a model comes, and what it does not do then.
func inWords(m porcupine.Model, history, longest []step) string {
	const some = 20
	var text strings.Builder
	state := m.Init()
	fmt.Fprintf(&text, "%d of %d steps, the last of them:\n", len(longest), len(history))
	done := map[string]bool{}
	for i, s := range longest {
		done[s.String()] = true
		_, state = m.Step(state, s, nil)
		if i >= len(longest)-some {
			fmt.Fprintf(&text, "%v\n\t%s\n", s, m.DescribeState(state))
		}
	}
	text.WriteString("and then none of:\n")
	left := slices.DeleteFunc(slices.Clone(history), func(s step) bool { return done[s.String()] })
	for _, s := range left[:min(some, len(left))] {
		fmt.Fprintln(&text, s)
	}
	return text.String()
}

// tally counts what has happened.
func tally(run linearRun, steps []step, happened map[string]int) {
	state := run.model.Init()
	for _, s := range steps {
		what := run.kind + " " + s.Op
		switch {
		case s.Op == "end" && state.(progress).granted(s.ID):
			what += " of what was granted"
		case s.Op == "end":
			what += " of what waited"
		case s.Op == "release" && s.Args[0] == 1:
			what += " of what was stolen"
		}
		happened[what]++
		_, state = run.model.Step(state, s, nil)
	}
}
