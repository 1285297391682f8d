//go:build !js

package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The page of conformance: that it runs what it lists, everywhere, and shows and tells what came of it.

const (
	// Of three cases.
	conformance        = "/conformance.html?only=signal+wakes"
	conformanceOffered = `document.querySelector('#start')?.textContent === 'Start' && !document.querySelector('fieldset').disabled`
)

// openConformance opens the page; the script runs before all others, in the page and in its frames.
func openConformance(t testing.TB, path, script string) *Tab {
	t.Helper()
	tab := Open(t, "/harness/blank.html")
	tab.plant(script)
	tab.Go(path)
	tab.sees(conformanceOffered)
	return tab
}

// plant has a script run before all others, in each page that is loaded from now on and in its frames.
func (tab *Tab) plant(script string) {
	tab.t.Helper()
	tab.do("plant", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	}))
}

// comesTo waits until all is over, and requires what the page counts.
func (tab *Tab) comesTo(passed, failed, skipped int) {
	tab.t.Helper()
	tab.sees(conformanceOffered + ` && document.querySelector('.far').textContent.startsWith('Done')`)
	require.Equal(tab.t, fmt.Sprintf("Done: %d passed, %d failed, %d skipped.", passed, failed, skipped),
		Eval[string](tab, `document.querySelector('.far').textContent`))
	require.Equal(tab.t, []int{passed, failed, skipped, 0},
		Eval[[]int](tab, `[...document.querySelectorAll('.tally dd')].map(({ textContent }) => Number(textContent))`))
}

// visible are the texts of all elements of the selector that are shown.
func (tab *Tab) visible(selector string) []string {
	tab.t.Helper()
	return Eval[[]string](tab, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter((each) => each.checkVisibility())
		.map(({ textContent }) => textContent)`, selector))
}

type conformanceReport struct {
	Browser string
	Places  []struct {
		Place, Skipped, Error string
		Cases                 []struct {
			Name, Error string
			OK          bool
		}
	}
}

func (tab *Tab) conformanceReport() (report conformanceReport) {
	tab.t.Helper()
	require.NoError(tab.t, json.Unmarshal([]byte(tab.copied("json")), &report))
	return report
}

func TestSiteConformanceRunsEveryCaseInEveryPlace(t *testing.T) {
	t.Parallel()
	tab := openConformance(t, "/below/a/path"+conformance, "")
	names := tab.visible(".cases ul summary .name")
	require.Len(t, names, 3)
	tab.click("#start")
	tab.comesTo(27, 0, 0)
	require.Equal(t, []string{"passed in 9", "passed in 9", "passed in 9"}, tab.visible(".cases ul summary .state"))
	report := tab.conformanceReport()
	listed := append(slices.Clone(places), "a second tab")
	require.Equal(t, listed, tab.visible(".places .name"))
	for i, each := range report.Places {
		require.Equal(t, listed[i], each.Place)
		require.Len(t, each.Cases, 3)
		for j, c := range each.Cases {
			require.Equal(t, names[j], c.Name)
			require.True(t, c.OK, c.Error)
		}
	}

	// A case alone, everywhere; and a place alone.
	tab.click(".cases li:not([hidden]) summary")
	tab.click(".cases li details[open] button")
	tab.comesTo(9, 0, 0)
	require.Equal(t, []string{"passed in 9", "not run", "not run"}, tab.visible(".cases ul summary .state"))
	require.Len(t, tab.visible(".cases li details li[data-state=passed]"), 9)
	tab.click(".places button")
	tab.comesTo(3, 0, 0)
	require.Equal(t, "3 of 3 passed", tab.visible(".places .state")[0])
}

func TestSiteConformanceListsEveryCase(t *testing.T) {
	t.Parallel()
	tab := openConformance(t, "/conformance.html", "")
	require.Empty(t, tab.visible(".cases ul summary .name"), "the parts are closed, as long as there is much in them")
	tab.Do(`for (const part of document.querySelectorAll('.cases > div > details')) part.open = true;`)
	tab.sees(`document.querySelectorAll('.cases > div > details > ul:empty').length === 0`)
	listed := tab.visible(".cases ul summary .name")
	require.Greater(t, len(listed), 600)
	require.Equal(t, fmt.Sprintf("%d cases in %d places", len(listed), len(places)+1), Eval[string](tab, `document.querySelector('.far').textContent`))
	tab.do("filter", chromedp.SendKeys(chromedp.CSS("[name=only]"), "hub.locks: a query"))
	named := slices.DeleteFunc(listed, func(name string) bool { return !strings.Contains(name, "hub.locks: a query") })
	require.NotEmpty(t, named)
	require.Equal(t, named, tab.visible(".cases ul summary .name"))
	require.Equal(t, []string{"hub.locks"}, tab.visible(".cases h4"))
}

// inFrames is a script that alters what a frame says of the suite.
func inFrames(alter string) string {
	return `if (parent !== window) {
		const real = parent;
		const postMessage = (said, origin) => { ` + alter + `; real.postMessage(said, origin); };
		Object.defineProperty(globalThis, 'parent', { value: { postMessage } });
	}`
}

func TestSiteConformanceShowsWhatFails(t *testing.T) {
	t.Parallel()
	tab := openConformance(t, conformance, inFrames(`
		if (said.ended?.name.includes('all realms')) said = { ended: { ...said.ended, ok: false, error: 'Error: planted\n  at a line' } }`))
	tab.click("#start")
	tab.comesTo(18, 9, 0)
	tab.click("label:has([value=failed])")
	failed := tab.visible(".cases ul summary .name")
	require.Len(t, failed, 1)
	require.Contains(t, failed[0], "all realms")
	require.Equal(t, []string{"failed in 9"}, tab.visible(".cases ul summary .state"))
	tab.click(".cases li:not([hidden]) summary")
	tab.sees(`document.querySelectorAll('.cases pre').length === 9`)
	require.Equal(t, "2 of 3 passed, 1 failed", tab.visible(".places .state")[0])
	require.Equal(t, 9, strings.Count(tab.copied("text"), "  Error: planted\n    at a line\n"))
	for _, each := range tab.conformanceReport().Places {
		require.Equal(t, "Error: planted\n  at a line", each.Cases[slices.IndexFunc(each.Cases, func(c struct {
			Name, Error string
			OK          bool
		}) bool {
			return !c.OK
		})].Error)
	}
}

func TestSiteConformanceSaysWhatABrowserLacks(t *testing.T) {
	t.Parallel()
	tab := openConformance(t, conformance, `delete globalThis.SharedWorker`)
	tab.click("#start")
	tab.comesTo(15, 0, 12)
	require.Equal(t, "passed in 5", tab.visible(".cases ul summary .state")[0])
	skipped := 0
	for _, each := range tab.conformanceReport().Places {
		if each.Skipped != "" {
			require.Equal(t, "there is no SharedWorker in this browser", each.Skipped)
			skipped++
		}
	}
	require.Equal(t, 4, skipped)
}

func TestSiteConformanceGoesOnAfterAPlaceThatCannotBeRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script, why    string
		passed, failed int
	}{
		"it fails to start": {
			`globalThis.Worker = class { constructor() { throw new Error('no Workers here'); } };`, "no Workers here", 3, 8,
		},
		"it never says a thing": {
			inFrames(`return`) + `{
				const plain = setTimeout;
				globalThis.setTimeout = (f, ms) => plain(f, ms === 90000 ? 1 : ms);
			}`, "nothing was heard for 90 s", 0, 9,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tab := openConformance(t, conformance, c.script)
			tab.click("#start")
			tab.comesTo(c.passed, c.failed, 0)
			because := 0
			for _, each := range tab.conformanceReport().Places {
				if each.Error != "" {
					require.Contains(t, each.Error, c.why)
					because++
				}
			}
			require.Equal(t, c.failed, because)
			require.Contains(t, tab.copied("text"), c.why)
		})
	}
}

func TestSiteConformanceStopsAndNothingOfItIsLeft(t *testing.T) {
	t.Parallel()
	tab := openConformance(t, "/conformance.html", "")
	tab.click("#start")
	tab.sees(`document.querySelector('.tally dd').textContent !== '0'`)
	require.NotZero(t, Eval[int](tab, locksHeld))
	tab.click("#start")
	tab.sees(conformanceOffered + ` && document.querySelector('.far').textContent.startsWith('Stopped')`)
	tab.Do(`while (await ` + locksHeld + ` > 0) await new Promise((resolve) => setTimeout(resolve, 10));`)
	require.Zero(t, Eval[int](tab, `document.querySelectorAll('iframe, [data-state=running]').length`))
}

func TestSiteConformanceStaysInPlaceWhileItRuns(t *testing.T) {
	t.Parallel()
	staysInPlace(t, conformance, conformanceOffered, func(tab *Tab) {
		tab.click(".places button")
		tab.comesTo(3, 0, 0)
	})
}

func TestSiteConformanceByKeyboard(t *testing.T) {
	t.Parallel()
	tab := openConformance(t, conformance, "")
	next := func(want string) {
		t.Helper()
		tab.do("tab on", chromedp.KeyEvent("\t"))
		require.Equal(t, want, Eval[string](tab, `document.activeElement.ariaLabel ?? (document.activeElement.textContent || document.activeElement.value)`))
	}
	for _, want := range []string{"Skip to the suite", "clca", "Primitives", "Scenarios", "Examples", "Benchmark", "Conformance", "Start"} {
		next(want)
	}
	tab.do("press", chromedp.KeyEvent("\r"))
	tab.sees(`document.activeElement.textContent === 'Stop'`)
	tab.do("press", chromedp.KeyEvent(" "))
	tab.sees(conformanceOffered)
	for _, want := range []string{"Only cases with this in their names", "all"} {
		next(want)
	}
	for _, place := range append(slices.Clone(places), "a second tab") {
		next("Run alone: " + place)
	}
	tab.do("press", chromedp.KeyEvent("\r"))
	tab.comesTo(3, 0, 0)
	tab.do("tab on over the part, and press", chromedp.KeyEvent("\t"), chromedp.KeyEvent("\t"), chromedp.KeyEvent("\r"))
	tab.sees(`document.querySelectorAll('.cases li details[open]').length === 1`)
}
