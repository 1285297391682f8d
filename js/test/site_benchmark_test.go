//go:build !js

package browser_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The benchmark of the site: that it runs, stops, and tells what it found. What it finds is not for a test to say. It keeps
// all cores busy for as long as it takes, so that no test here is parallel to others.

const (
	benchmark = "/benchmark.html?rounds=2&sample=1"
	offered   = `document.querySelector('#start')?.textContent === 'Start' && !document.querySelector('fieldset').disabled`
)

func openBenchmark(t testing.TB, path string) *Tab {
	t.Helper()
	tab := Open(t, path)
	tab.sees(offered)
	return tab
}

func benchmarkRow(row string) string { return attribute("row", row) }

// runsRow presses the button that runs one row alone.
func (tab *Tab) runsRow(row string) {
	tab.t.Helper()
	tab.click(benchmarkRow(row) + " button")
	tab.sees(rowIs(row, "done") + " && " + offered)
}

func rowIs(row, state string) string {
	return fmt.Sprintf(`document.querySelector(%q).dataset.state === %q`, benchmarkRow(row), state)
}

// side is what the page shows of one side of a row.
type side struct {
	Row, Side, State, Value, Ratio, Why string
}

func (tab *Tab) sides() []side {
	tab.t.Helper()
	return Eval[[]side](tab, `[...document.querySelectorAll('[data-side]')].map((side) => ({
		row: side.closest('[data-row]').dataset.row, side: side.dataset.side, state: side.dataset.state,
		value: side.querySelector('.value').textContent, ratio: side.querySelector('.ratio').textContent,
		why: side.querySelector('.why').textContent }))`)
}

// runAll starts all rows, and sees each of them end.
func (tab *Tab) runAll() {
	tab.t.Helper()
	tab.click("#start")
	rows := Eval[[]string](tab, `[...document.querySelectorAll('[data-row]')].map((row) => row.dataset.row)`)
	require.GreaterOrEqual(tab.t, len(rows), 8)
	for _, row := range rows {
		tab.sees(rowIs(row, "done"))
	}
	tab.sees(offered + ` && document.querySelector('.far').textContent === 'Done.'`)
}

func TestSiteBenchmarkHasAFigureOrAReasonForEverySideOfEveryRow(t *testing.T) {
	tab := openBenchmark(t, "/below/a/path"+benchmark)
	tab.runAll()
	sides := tab.sides()
	peers := 0
	for _, s := range sides {
		if s.Side != "clca" {
			peers++
		}
		if strings.Contains(s.Side, "Atomics") {
			require.Equal(t, "failed", s.State, "%+v", s)
			require.Equal(t, "needs a cross-origin isolated page", s.Why, "%+v", s)
		} else {
			s.isMeasured(t)
		}
	}
	require.Equal(t, 1.0, Eval[float64](tab, `document.querySelector('progress').value`))
	require.Equal(t, "2 rounds", Eval[string](tab, `document.querySelector('[data-row] .state').textContent`))
	require.Equal(t, peers, strings.Count(tab.copied("json"), `"name"`), "the page shows all sides that there are")
}

func TestSiteBenchmarkHasAtomicsWhereThePageIsIsolated(t *testing.T) {
	tab := openAt(t, isolatedServer(t)+benchmark)
	tab.sees(offered)
	for _, row := range []string{"wake", "contend"} {
		tab.runsRow(row)
	}
	for _, s := range tab.sides() {
		if s.State != "empty" {
			s.isMeasured(t)
		}
	}
}

func (s side) isMeasured(t *testing.T) {
	t.Helper()
	require.Equal(t, "measured", s.State, "%+v", s)
	require.Regexp(t, `^\d+(\.\d+)? (ns|µs|ms|s)$`, s.Value, "%+v", s)
	require.Equal(t, s.Side != "clca", s.Ratio != "", "%+v", s)
}

func TestSiteBenchmarkStaysInPlaceWhileItRuns(t *testing.T) {
	staysInPlace(t, benchmark, offered, func(tab *Tab) {
		tab.click("#start")
		tab.sees(rowIs("queue", "done"))
		tab.click("#start")
		tab.sees(offered)
		tab.runsRow("wake") // of which not every side can run
	})
}

// A hub and a Worker each hold a lock while they live.
const locksHeld = `navigator.locks.query().then(({ held }) => held.length)`

func TestSiteBenchmarkStopsAndNothingOfItIsLeft(t *testing.T) {
	tab := openBenchmark(t, "/benchmark.html?rounds=100")
	tab.click("#start")
	tab.sees(rowIs("signal", "running"))
	tab.click("#start")
	tab.sees(offered + ` && document.querySelector('.far').textContent === 'Stopped.'`)

	tab.click(benchmarkRow("wake") + " button")
	state := fmt.Sprintf(`document.querySelector(%q).textContent`, benchmarkRow("wake")+" .state")
	tab.sees(state + `.endsWith('of 100 rounds')`)
	require.NotZero(t, Eval[int](tab, locksHeld))
	tab.click("#start")
	tab.sees(offered + " && " + state + `.startsWith('stopped after')`)
	tab.Do(`while (await ` + locksHeld + ` > 0) await new Promise((resolve) => setTimeout(resolve, 10));`)
	for _, s := range tab.sides() {
		if s.Row != "wake" {
			require.Contains(t, []string{"empty", "measured"}, s.State, "%+v", s)
		}
	}
	require.Equal(t, "not run yet", Eval[string](tab, `document.querySelector('[data-row=contend] .state').textContent`))
}

func TestSiteBenchmarkRunsARowAgainAlone(t *testing.T) {
	tab := openBenchmark(t, benchmark)
	for range 2 {
		tab.runsRow("checkpoint")
		for _, s := range tab.sides() {
			want := "empty"
			if s.Row == "checkpoint" {
				want = "measured"
			}
			require.Equal(t, want, s.State, "%+v", s)
		}
	}
}

// While the tab is not in front, no round begins, and the one in which it left does not count.
func TestSiteBenchmarkPausesWhileTheTabIsNotInFront(t *testing.T) {
	tab := openBenchmark(t, "/benchmark.html?rounds=4&sample=1")
	const leaveInRound = 6 // of those that are begun by a verdict; the third begins the first that counts
	tab.Do(fmt.Sprintf(`
		let hidden = false;
		Object.defineProperty(document, 'hidden', { get: () => hidden });
		globalThis.turn = (away) => { hidden = away; document.dispatchEvent(new Event('visibilitychange')); };
		globalThis.verdicts = [];
		const { postMessage } = Worker.prototype;
		Worker.prototype.postMessage = function (message, ...rest) {
			if (typeof message === 'boolean' && verdicts.push(message) === %d) turn(true);
			return postMessage.call(this, message, ...rest);
		};`, leaveInRound))
	state := `document.querySelector('[data-row=signal] .state').textContent`
	tab.click(benchmarkRow("signal") + " button")
	tab.sees(state + ` === '4 of 4 rounds'`)
	require.Contains(t, Eval[string](tab, `document.querySelector('.far').textContent`), "Paused")
	tab.Do(`for (let i = 0; i < 20; i++) await new Promise((resolve) => requestAnimationFrame(resolve));`)
	require.Len(t, Eval[[]bool](tab, `verdicts`), leaveInRound)
	tab.Do(`turn(false)`)
	tab.sees(rowIs("signal", "done") + " && " + state + ` === '4 rounds'`)
	require.Equal(t, []bool{true, true, true, true, true, true, false, true}, Eval[[]bool](tab, `verdicts`))
}

func TestSiteBenchmarkSaysWhyARowCannotRun(t *testing.T) {
	tab := openBenchmark(t, benchmark)
	tab.Do(`globalThis.Worker = class { constructor() { throw new Error('no Workers here'); } };`)
	tab.click(benchmarkRow("lock") + " button")
	tab.sees(rowIs("lock", "failed") + " && " + offered)
	for _, s := range tab.sides() {
		if s.Row == "lock" {
			require.Equal(t, "no Workers here", s.Why)
		}
	}
	var report struct{ Rows []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(tab.copied("json")), &report))
	require.Len(t, report.Rows, 1)
	require.Equal(t, "no Workers here", report.Rows[0]["error"])
}

// copied presses a button that copies, and returns what is in the clipboard.
var clipboard sync.Mutex // the browser has one for all profiles

func (tab *Tab) copied(format string) string {
	tab.t.Helper()
	_, err := chromedp.CallBrowser(browser, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
		BrowserContextID: tab.profile.id, Setting: cdpbrowser.PermissionSettingGranted,
		Permission: &cdpbrowser.PermissionDescriptor{Name: "clipboard-read"},
	})
	require.NoError(tab.t, err)
	clipboard.Lock()
	defer clipboard.Unlock()
	tab.click(attribute("copy", format))
	tab.sees(`document.querySelector('.copied').textContent === 'Copied.'`)
	return Eval[string](tab, `navigator.clipboard.readText()`)
}

func TestSiteBenchmarkIsCopiedAsTheRowsOfTheBenchmark(t *testing.T) {
	tab := openBenchmark(t, benchmark)
	tab.runsRow("lock")
	tab.runsRow("wake")
	var report struct {
		Browser, UserAgent string
		Rows               []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(tab.copied("json")), &report))
	require.Regexp(t, `^Headless Chrome \d+ on Linux$`, report.Browser)
	require.Contains(t, report.UserAgent, "Chrome")
	require.Len(t, report.Rows, 2+5)
	for _, row := range report.Rows {
		for _, key := range []string{"group", "name", "ours", "theirs", "unit", "ratio", "budget"} {
			require.Contains(t, row, key)
		}
		if strings.Contains(row["name"].(string), "Atomics") {
			require.Equal(t, "needs a cross-origin isolated page", row["error"])
			continue
		}
		require.InDelta(t, row["ours"].(float64)/row["theirs"].(float64), row["ratio"], 1e-9)
		require.Equal(t, 2.0, row["rounds"])
	}

	table := tab.copied("markdown")
	require.Contains(t, table, report.Browser)
	require.Equal(t, 2+2+5, strings.Count(table, "\n|")) // its head too
	require.Contains(t, table, "navigator.locks: ")

	// Where the clipboard is refused, the text is there to be copied by hand.
	tab.Do(`navigator.clipboard.writeText = () => Promise.reject(new DOMException('not you', 'NotAllowedError'));`)
	tab.click(attribute("copy", "markdown"))
	tab.sees(`document.querySelector('dialog').open`)
	require.Equal(t, table, Eval[string](tab, `getSelection().toString()`))
}

func TestSiteBenchmarkByKeyboard(t *testing.T) {
	tab := openBenchmark(t, benchmark)
	next := func(want string) {
		t.Helper()
		tab.do("tab on", chromedp.KeyEvent("\t"))
		require.Equal(t, want, Eval[string](tab, `document.activeElement.ariaLabel ?? (document.activeElement.textContent || document.activeElement.value)`))
	}
	for _, want := range []string{"Skip to the benchmark", "clca", "Primitives", "Scenarios", "Examples", "Benchmark", "Conformance", "Start"} {
		next(want)
	}
	tab.do("press", chromedp.KeyEvent("\r"))
	tab.sees(rowIs("signal", "running"))
	require.Equal(t, "Stop", Eval[string](tab, `document.activeElement.textContent`))
	tab.do("press", chromedp.KeyEvent(" "))
	tab.sees(offered)
	next("quick")
	next("Run alone: 10,000 wait, one call wakes them")
	tab.do("press", chromedp.KeyEvent("\r"))
	tab.sees(rowIs("signal", "done") + " && " + offered)
}
