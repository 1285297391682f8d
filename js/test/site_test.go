//go:build !js

package browser_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The example site, used as a person would: by its buttons, looking at what the lanes show.

// Lanes of the first tab.
const (
	laneOfPage = "tab 1 page"
	laneA      = "tab 1 A"
	laneB      = "tab 1 B"
	laneInGo   = "goroutine"
)

var lanesOfOneTab = []string{laneOfPage, laneA, laneB, laneInGo}

func openSite(t testing.TB, path string) *Tab {
	t.Helper()
	if _, err := os.Stat(siteDir + "/index.html"); err != nil {
		require.FailNow(t, "the site is not built, run make site", err.Error())
	}
	tab := Open(t, path)
	tab.sees(ready)
	return tab
}

const ready = `document.querySelector('.actions').disabled === false &&
	[...document.querySelectorAll('.lane fieldset')].every((each) => !each.disabled)`

// sees waits until a condition holds in the page, looking again at each change of the document.
func (tab *Tab) sees(condition string) {
	tab.t.Helper()
	tab.Do(fmt.Sprintf(`await new Promise((resolve, reject) => {
		const check = () => {
			if (!(%s)) return;
			observer.disconnect();
			clearTimeout(timer);
			resolve();
		};
		const observer = new MutationObserver(check);
		const timer = setTimeout(() => {
			observer.disconnect();
			reject(new Error('the page never came to show it, but shows:\n' + document.body.innerText));
		}, 20000);
		observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
		check();
	})`, condition))
}

func (tab *Tab) click(selector string) {
	tab.t.Helper()
	tab.sees(fmt.Sprintf(`!document.querySelector(%q).matches(':disabled')`, selector))
	tab.do("click "+selector, chromedp.Click(chromedp.CSS(selector)))
}

func (tab *Tab) view(name string) {
	tab.t.Helper()
	tab.click(`.views a[href="#` + name + `"]`)
}

// toggle presses the button by which a lane begins an activity, or ends it.
func (tab *Tab) toggle(lane, activity string) {
	tab.t.Helper()
	tab.click(inLane(lane, `[data-toggle=`+activity+`]`))
}

func inLane(lane, selector string) string { return `[data-lane="` + lane + `"] ` + selector }

// is says that the lanes show exactly these states.
func is(states string, lanes ...string) string {
	var all []string
	for _, lane := range lanes {
		all = append(all, fmt.Sprintf(`document.querySelector(%q).textContent === %q`, inLane(lane, ".chips"), states))
	}
	return strings.Join(all, " && ")
}

// logged says how many times the lanes tell a step.
func logged(times int, step string, lanes ...string) string {
	var all []string
	for _, lane := range lanes {
		all = append(all, fmt.Sprintf(`document.querySelectorAll(%q).length === %d`,
			inLane(lane, `[data-step="`+step+`"]`), times))
	}
	return strings.Join(all, " && ")
}

func contains(selector, text string) string {
	return fmt.Sprintf(`document.querySelector(%q).textContent.includes(%q)`, selector, text)
}

func counts(view, text string) string { return contains(`[data-stats=`+view+`]`, text) }

func answered(view, text string) string {
	return fmt.Sprintf(`document.querySelector('[data-call=%s] output').textContent === %q`, view, "→ "+text)
}

func (tab *Tab) steps(lane string) int {
	tab.t.Helper()
	shown := Eval[string](tab, fmt.Sprintf(`document.querySelector(%q).textContent`, inLane(lane, ".steps b")))
	n, err := strconv.Atoi(shown)
	require.NoError(tab.t, err)
	return n
}

// Each scenario is played at the root, below a path, and without SharedWorkers.
func eachSite(t *testing.T, test func(t *testing.T, tab *Tab)) {
	for name, path := range map[string]string{
		"shared":     "/",
		"below":      "/below/a/path/",
		"own worker": "/?worker",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := openSite(t, path)
			test(t, tab)
			where := "SharedWorker"
			if name == "own worker" {
				where = "in a Worker"
			}
			require.True(t, Eval[bool](tab, contains("#place", where)))
		})
	}
}

func TestSiteSignal(t *testing.T) {
	eachSite(t, func(t *testing.T, tab *Tab) {
		tab.click("#all-wait")
		tab.sees(is("waiting", lanesOfOneTab...))
		tab.sees(counts("signal", "4 waiting"))
		tab.click("#wake")
		tab.sees(answered("signal", "4"))
		tab.sees(is("idle", lanesOfOneTab...))
		tab.sees(logged(1, "signal woken", lanesOfOneTab...))
		tab.sees(counts("signal", "0 waiting"))

		tab.click("#wake")
		tab.sees(answered("signal", "0"))

		for _, lane := range lanesOfOneTab {
			tab.toggle(lane, "signal")
			tab.sees(is("waiting", lane))
		}
		tab.toggle(laneA, "signal")
		tab.sees(is("idle", laneA) + " && " + logged(1, "signal leaves", laneA))
		tab.toggle(laneInGo, "signal")
		tab.sees(is("idle", laneInGo) + " && " + logged(1, "signal leaves", laneInGo))
		tab.sees(counts("signal", "2 waiting"))
		tab.click(inLane(laneInGo, "[data-signal]"))
		tab.sees(is("idle", lanesOfOneTab...))
		tab.sees(logged(2, "signal woken", laneOfPage, laneB) + " && " + logged(1, "signal woken", laneA, laneInGo))
		tab.sees(contains(inLane(laneInGo, `[data-step="signal signals"]`), "wakes 2"))
	})
}

func TestSiteCheckpoint(t *testing.T) {
	eachSite(t, func(t *testing.T, tab *Tab) {
		tab.view("checkpoint")
		for _, lane := range []string{laneA, laneInGo} {
			tab.toggle(lane, "checkpoint")
			tab.sees(is("running", lane))
		}
		tab.sees(fmt.Sprintf(`document.querySelector(%q).textContent > 2`, inLane(laneA, ".steps b")))
		tab.click("#arm")
		tab.sees(answered("checkpoint", "somebody is parked"))
		tab.sees(is("parked", laneA, laneInGo) + " && " + counts("checkpoint", "holding · 2 parked"))
		before := tab.steps(laneA)

		tab.click("#arm")
		tab.sees(contains("[data-call=checkpoint] output", "AlreadyArmedError"))
		tab.click("#disarm")
		tab.sees(answered("checkpoint", "false"))
		require.Equal(t, before, tab.steps(laneA), "a parked lane does not work")
		tab.click("#resume")
		tab.sees(answered("checkpoint", "2"))
		tab.sees(is("running", laneA, laneInGo) + " && " + logged(1, "checkpoint resumed", laneA, laneInGo))
		tab.sees(fmt.Sprintf(`document.querySelector(%q).textContent > %d`, inLane(laneA, ".steps b"), before+1))

		for _, lane := range []string{laneA, laneInGo} {
			tab.toggle(lane, "checkpoint")
		}
		tab.sees(is("idle", lanesOfOneTab...))
		tab.click("#arm")
		tab.sees(counts("checkpoint", "armed"))
		tab.click("#resume")
		tab.sees(answered("checkpoint", "0"))
		tab.click("#disarm")
		tab.sees(answered("checkpoint", "true"))
		tab.sees(contains(inLane(laneOfPage, ".log"), "DisarmedError"))

		tab.click("#arm")
		tab.sees(counts("checkpoint", "armed"))
		tab.click("#all-work")
		tab.sees(is("parked", lanesOfOneTab...))
		tab.toggle(laneB, "checkpoint")
		tab.toggle(laneInGo, "checkpoint")
		tab.sees(is("idle", laneB, laneInGo) + " && " + is("parked", laneOfPage, laneA))
		tab.click("#resume")
		tab.sees(answered("checkpoint", "2"))
	})
}

func TestSiteSharedTask(t *testing.T) {
	eachSite(t, func(t *testing.T, tab *Tab) {
		tab.view("task")
		play := func(scenario string, result ...string) {
			t.Helper()
			tab.click(`[data-scenario=` + scenario + `] button`)
			for _, text := range result {
				tab.sees(contains(`[data-scenario=`+scenario+`] output`, text))
			}
			tab.sees(ready + " && " + is("idle", laneA, laneB))
			tab.sees(`document.querySelector('[data-scenario=` + scenario + `] li:not([data-done])') === null`)
		}
		play("fails", "A sees Error: the stream did not start", "B sees Error: the stream did not start")
		tab.sees(logged(1, "task sees", laneA, laneB) + " && " + logged(1, "task throws", laneA))
		play("one-leaves", "A leaves", "B gets the stream")
		tab.sees(logged(1, "task gets", laneB) + " && " + logged(0, "task gets", laneA))
		tab.sees(logged(1, "task returns", laneA))
		play("both-leave", "A leaves", "B leaves", "the start is cancelled")
		tab.sees(logged(1, "task cancelled", laneA) + " && " + logged(1, "task leaves", laneB))
		play("fails", "A sees Error", "B sees Error")
		tab.sees(logged(2, "task sees", laneA, laneB) + " && " + logged(2, "task throws", laneA))
		tab.sees(logged(4, "task runs", laneA) + " && " + logged(0, "task runs", laneB))
	})
}

func TestSiteSharedResource(t *testing.T) {
	eachSite(t, func(t *testing.T, tab *Tab) {
		tab.view("resource")
		tab.toggle(laneA, "resource")
		tab.sees(is("holding", laneA))
		tab.click("#all-acquire")
		holders := []string{laneOfPage, laneA, laneB}
		tab.sees(is("holding", holders...) + " && " + counts("resource", "live · held by 3"))
		tab.sees(logged(1, "resource starts", laneA) + " && " + logged(0, "resource starts", laneOfPage, laneB))
		held := Eval[[]string](tab, `[...document.querySelectorAll('[data-step="resource holds"]')].map((each) =>
			each.lastChild.textContent)`)
		require.Equal(t, []string{held[0], held[0], held[0]}, held, "one resource for all")

		tab.toggle(laneA, "resource")
		tab.sees(is("idle", laneA) + " && " + counts("resource", "live · held by 2"))
		tab.click("#all-release")
		tab.sees(is("idle", holders...) + " && " + counts("resource", "idle · held by 0"))
		tab.sees(logged(1, "resource closes", laneA) + " && " + logged(0, "resource closes", laneOfPage, laneB))

		tab.toggle(laneB, "resource")
		tab.sees(is("holding", laneB) + " && " + logged(1, "resource starts", laneB))
		tab.toggle(laneB, "resource")
		tab.sees(is("idle", laneB) + " && " + logged(1, "resource closes", laneB))
	})
}

func TestSiteSecondTab(t *testing.T) {
	const laneOf2 = "tab 2 page"
	tab := openSite(t, "/")
	tab.toggle(laneInGo, "signal")
	tab.sees(is("waiting", laneInGo))

	second := tab.Beside("/")
	second.sees(ready + " && " + is("waiting", laneInGo) + " && " + is("idle", laneOfPage))
	tab.sees(is("idle", laneOf2))

	tab.click("#all-wait")
	tab.sees(is("waiting", append(lanesOfOneTab, laneOf2)...) + " && " + counts("signal", "5 waiting"))
	second.toggle("tab 2 A", "signal")
	tab.sees(counts("signal", "6 waiting") + " && " + contains(inLane(laneOf2, ".log"), "Worker A: waits"))
	second.click("#wake")
	second.sees(answered("signal", "6"))
	tab.sees(is("idle", append(lanesOfOneTab, laneOf2)...) + " && " + logged(1, "signal woken", lanesOfOneTab...))
	tab.sees(contains(inLane(laneOf2, ".log"), "signals, and wakes 6"))

	// What a tab holds and waits for ends with it, and so does its lane.
	tab.click("#all-wait")
	tab.sees(is("waiting", append(lanesOfOneTab, laneOf2)...) + " && " + counts("signal", "5 waiting"))
	second.Close()
	tab.sees(`document.querySelectorAll('.lane').length === 4`)
	tab.click("#wake")
	tab.sees(answered("signal", "4"))

	// Its number is free for the next, and a tab that crashes is missed as well.
	third := tab.Beside("/")
	third.sees(ready)
	tab.sees(is("idle", laneOf2))
	third.Crash()
	tab.sees(`document.querySelectorAll('.lane').length === 4`)
}

func TestSiteComesBack(t *testing.T) {
	for _, path := range []string{"/", "/?worker"} {
		tab := openSite(t, path)
		tab.click("#all-wait")
		tab.sees(is("waiting", lanesOfOneTab...))
		tab.Reload()
		tab.sees(ready)
		tab.click("#all-wait")
		tab.sees(is("waiting", lanesOfOneTab...))
		tab.Go("/harness/blank.html")
		tab.Back()
		tab.sees(ready)
		tab.click("#all-wait")
		tab.sees(is("waiting", lanesOfOneTab...))
		tab.click("#wake")
		tab.sees(answered("signal", "4"))
	}
}

func TestSiteStaysInPlace(t *testing.T) {
	tab := openSite(t, "/")
	tab.click("#all-wait")
	tab.sees(is("waiting", lanesOfOneTab...))
	tab.click("#wake")
	tab.sees(is("idle", lanesOfOneTab...))
	shifted := Eval[[]string](tab, `new Promise((resolve) => {
		const shifted = [];
		const add = (entries) => {
			for (const { sources } of entries) {
				for (const { node, previousRect, currentRect } of sources) {
					const text = node?.outerHTML ?? node?.parentNode?.outerHTML;
					shifted.push(text + JSON.stringify([previousRect, currentRect]));
				}
			}
		};
		const observer = new PerformanceObserver((list) => add(list.getEntries()));
		observer.observe({ type: 'layout-shift', buffered: true });
		requestAnimationFrame(() => setTimeout(() => { add(observer.takeRecords()); resolve(shifted); }));
	})`)
	require.Empty(t, shifted, "layout shift")
}

func TestSiteByKeyboard(t *testing.T) {
	tab := openSite(t, "/")
	focused := `document.activeElement.textContent`
	for _, want := range []string{"Signal", "Checkpoint", "Task", "Resource", "All wait", "Wake all", "Wait"} {
		tab.do("tab on", chromedp.KeyEvent("\t"))
		require.Equal(t, want, Eval[string](tab, focused))
	}
	tab.do("press", chromedp.KeyEvent(" "))
	tab.sees(is("waiting", laneOfPage))
	require.Equal(t, "Leave", Eval[string](tab, focused))
	tab.do("press", chromedp.KeyEvent("\r"))
	tab.sees(is("idle", laneOfPage))
}

// TestSiteLooks takes pictures for people to look at, into the directory that the environment names.
func TestSiteLooks(t *testing.T) {
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		t.Skip("SCREENSHOTS=directory says where they go")
	}
	tab := openSite(t, "/")
	second := tab.Beside("/")
	second.sees(ready)
	tab.sees(is("idle", "tab 2 page"))
	shoot := func(view string) {
		for _, theme := range []string{"light", "dark"} {
			for name, width := range map[string]int64{"narrow": 390, "medium": 820, "wide": 1440} {
				height := int64(900)
				tab.do("shape", chromedp.EmulateViewport(width, height), emulate(theme))
				tab.Do(`await new Promise((resolve) => setTimeout(resolve, 1300))`) // animations end
				ctx, cancel := tab.limited()
				picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
				cancel()
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(dir, view+"-"+theme+"-"+name+".png"), picture, 0o644))
			}
		}
		tab.do("shape", chromedp.EmulateViewport(1440, 900))
	}
	tab.do("shape", chromedp.EmulateViewport(1440, 900))

	tab.click("#all-wait")
	tab.sees(counts("signal", "5 waiting"))
	tab.click("#wake")
	tab.sees(answered("signal", "5"))
	tab.toggle(laneA, "signal")
	tab.toggle(laneInGo, "signal")
	tab.sees(is("waiting", laneA, laneInGo))
	shoot("signal")
	tab.view("checkpoint")
	tab.toggle(laneA, "checkpoint")
	tab.toggle(laneB, "checkpoint")
	tab.sees(is("running", laneB))
	tab.click("#arm")
	tab.sees(is("parked", laneB))
	shoot("checkpoint")
	tab.click("#resume")
	tab.toggle(laneA, "checkpoint")
	tab.toggle(laneB, "checkpoint")
	tab.view("task")
	tab.click(`[data-scenario=fails] button`)
	tab.sees(contains(`[data-scenario=fails] output`, "Error"))
	tab.sees(ready)
	tab.click(`[data-scenario=both-leave] button`)
	tab.sees(logged(1, "task leaves", laneA))
	shoot("task")
	tab.view("resource")
	tab.toggle(laneOfPage, "resource")
	tab.toggle(laneB, "resource")
	tab.sees(is("holding", laneOfPage, laneB))
	shoot("resource")
}

func emulate(theme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
		})
		return err
	})
}
