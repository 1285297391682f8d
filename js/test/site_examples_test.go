//go:build !js

package browser_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The examples of the site: each is used as a person would, and shows the sources that it runs.

var siteExamples = []string{"token", "pause", "form", "downloads"}

const sourcesShown = `document.querySelectorAll('[data-file] code').length === document.querySelectorAll('[data-file]').length`

// openExample opens a page; its address may say how long what it pretends takes.
func openExample(t *testing.T, name string) *Tab {
	t.Helper()
	tab := Open(t, "/examples/"+name)
	tab.sees(sourcesShown + ` && !document.querySelector('button.main').disabled`)
	return tab
}

func textIs(selector, text string) string {
	return fmt.Sprintf(`document.querySelector(%q).textContent === %q`, selector, text)
}

func (tab *Tab) text(selector string) string {
	tab.t.Helper()
	return Eval[string](tab, fmt.Sprintf(`document.querySelector(%q).textContent`, selector))
}

// Some wait most of the time for the servers that they pretend to have. These are used at once, and the others meanwhile.
func TestSiteExamples(t *testing.T) {
	t.Parallel()
	var waiting sync.WaitGroup
	for name, use := range map[string]func(t *testing.T){
		"token is refreshed by one tab for all":                       tokenIsRefreshedByOneTabForAll,
		"token outlives its hub":                                      tokenOutlivesItsHub,
		"form waits for all three and can be cancelled":               formWaitsForAllThreeAndCanBeCancelled,
		"form says what failed":                                       formSaysWhatFailed,
		"form that is cancelled leaves alone what a Worker waits for": formLeavesAloneWhatAWorkerWaitsFor,
		"downloads arrive once though Workers are killed":             downloadsArriveOnceThoughWorkersAreKilled,
	} {
		waiting.Go(func() { t.Run(name, use) })
	}
	t.Run("they show the sources that they run", showTheSourcesThatTheyRun)
	t.Run("they stay in place", stayInPlace)
	t.Run("they say that there is no hub", sayThatThereIsNoHub)
	t.Run("pause stands still and goes on", pauseStandsStillAndGoesOn)
	waiting.Wait()
}

func showTheSourcesThatTheyRun(t *testing.T) {
	const sources = "../../example-site/src/examples/"
	imports := regexp.MustCompile(`(?m)^(?:import|export) .*from '(.*)';`)
	index := Open(t, "/below/a/path/examples.html")
	links := Eval[[]string](index, `[...document.querySelectorAll('.examples a')].map((each) => new URL(each.href).pathname)`)
	require.Len(t, links, len(siteExamples))
	var tab *Tab
	for i, example := range siteExamples {
		require.Equal(t, "/below/a/path/examples/"+example+".html", links[i])
		tab = index.Beside(links[i])
		tab.sees(sourcesShown)
		page, err := os.ReadFile(siteDir + "/examples/" + example + "/page.js")
		require.NoError(t, err)
		shown := map[string]bool{}
		for _, figure := range Eval[[]struct{ File, Script, Text string }](tab, `[...document.querySelectorAll('[data-file]')].map((figure) =>
			({ file: figure.dataset.file, script: figure.dataset.script, text: figure.querySelector('code').textContent }))`) {
			source, err := os.ReadFile(sources + figure.File)
			require.NoError(t, err)
			require.Equal(t, string(source), figure.Text, figure.File)
			shown[path.Base(figure.File)] = true
			for _, from := range imports.FindAllStringSubmatch(figure.Text, -1) {
				require.Regexp(t, `^(clca|clca/client|\.\.?/.*\.ts)$`, from[1], figure.File)
			}

			// The script is what the page runs, or what it starts; and it was built from that source.
			script := path.Base(figure.Script)
			if script != "page.js" {
				require.Contains(t, string(page), `new URL("./`+script+`", import.meta.url)`)
			}
			built, err := os.ReadFile(filepath.Join(siteDir, "examples", figure.Script+".map"))
			require.NoError(t, err)
			var from struct{ SourcesContent []string }
			require.NoError(t, json.Unmarshal(built, &from))
			require.Contains(t, from.SourcesContent, figure.Text)
		}
		files, err := os.ReadDir(sources + example)
		require.NoError(t, err)
		for _, file := range files {
			require.True(t, shown[file.Name()], "%s is not shown", file.Name())
		}
		if i < len(siteExamples)-1 {
			tab.Close()
		}
	}

	_, err := chromedp.CallBrowser(browser, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
		BrowserContextID: tab.profile.id, Setting: cdpbrowser.PermissionSettingGranted,
		Permission: &cdpbrowser.PermissionDescriptor{Name: "clipboard-read"},
	})
	require.NoError(t, err)
	tab.click("figcaption button")
	tab.sees(textIs("#copied", "Copied"))
	source, err := os.ReadFile(sources + "downloads/downloads.ts")
	require.NoError(t, err)
	require.Equal(t, string(source), Eval[string](tab, `navigator.clipboard.readText()`))
}

func stayInPlace(t *testing.T) {
	for _, example := range siteExamples {
		staysInPlace(t, "/examples/"+example+".html", sourcesShown+` && !document.querySelector('button.main').disabled`, func(tab *Tab) {
			status := tab.text("#status")
			tab.click("button.main")
			tab.sees(`!(` + textIs("#status", status) + `)`)
		})
	}
}

// refreshed is who refreshed the token since it expired last, as a tab shows it.
func (tab *Tab) refreshed() []string {
	tab.t.Helper()
	return Eval[[]string](tab, `[...document.querySelectorAll('#log li')].map((each) => each.textContent)`)
}

func tokenIsRefreshedByOneTabForAll(t *testing.T) {
	first := openExample(t, "token.html")
	first.sees(textIs("#tab", "1"))
	second := first.Beside("/examples/token.html")
	second.sees(textIs("#tab", "2") + ` && !document.querySelector('#send').disabled`)

	first.refreshesTake("0.1")
	first.click("#send")
	first.sees(textIs("#refreshes", "1") + " && " + allAnswered)
	second.sees(textIs("#refreshes", "1") + " && " + allAnswered)
	require.Regexp(t, `^Tab [12] asks to refresh, and gets token [0-9a-f]{4}\.$`, first.refreshed()[0])

	first.refreshesTake("15")
	second.click("#send")
	first.sees(textIs("#log", "Tab 1 asks to refresh.") + " || " + textIs("#log", "Tab 2 asks to refresh."))
	refreshes, takesOver, other := first, second, "Tab 2"
	if first.text("#log") != "Tab 1 asks to refresh." {
		refreshes, takesOver, other = second, first, "Tab 1"
	}
	takesOver.sees(allWait)
	takesOver.refreshesTake("0.1")
	takesOver.Do(`globalThis.said = [];
		new MutationObserver(() => {
			const asks = [...document.querySelectorAll('#log li')].at(-1)?.textContent;
			said.push(asks + ' ' + document.querySelector('#status').textContent);
		}).observe(document.querySelector('#log'), { childList: true });`)
	refreshes.Close()
	takesOver.sees(allAnswered + ` && document.querySelector('#status').textContent.endsWith('for all.')`)
	log := takesOver.refreshed()
	require.Len(t, log, 2)
	require.Regexp(t, `^`+other+` asks to refresh, and gets token`, log[1])
	require.Contains(t, Eval[[]string](takesOver, `said`), other+" asks to refresh. "+other+" refreshes. Close this tab now, and another one will.")
}

const (
	allAnswered = `document.querySelector('#answered').textContent === '10 of 10'`
	allWait     = `document.querySelectorAll('.tiles [data-state=waiting]').length === 10`
)

// refreshesTake says how long the server of the example is to take for a refresh.
func (tab *Tab) refreshesTake(seconds string) {
	tab.t.Helper()
	tab.Do(fmt.Sprintf(`const seconds = document.querySelector('#seconds');
		seconds.value = %q;
		seconds.dispatchEvent(new Event('change'));`, seconds))
	tab.sees(textIs("#took", seconds+" s"))
}

func tokenOutlivesItsHub(t *testing.T) {
	tabs := []*Tab{openExample(t, "token.html")}
	tabs = append(tabs, tabs[0].Beside("/examples/token.html"))
	goOn := func(refreshes string) {
		t.Helper()
		for _, tab := range tabs {
			tab.sees(allAnswered + " && " + textIs("#refreshes", refreshes))
			require.True(t, Eval[bool](tab, `document.querySelector('#trouble').hidden`))
		}
	}
	endTheHub := func() {
		t.Helper()
		require.Equal(t, 1, tabs[0].endSharedWorkers("shared-worker.js"))
	}

	tabs[1].sees(`!document.querySelector('#send').disabled`)
	tabs[0].refreshesTake("15")
	tabs[0].click("#send")
	for _, tab := range tabs {
		tab.sees(allWait + " && " + textIs("#refreshes", "1"))
	}
	tabs[1].refreshesTake("0.1")
	endTheHub()
	goOn("2") // the first is aborted

	endTheHub()
	tabs[1].click("#send")
	goOn("1")
}

// No hub can start, neither in the page nor in a SharedWorker.
const noHub = `WebAssembly.compileStreaming = () => Promise.reject(new Error('it has to be'));
	globalThis.SharedWorker = undefined;`

// A hub in the page, whose program dies when it is entered next after 'dying' is set.
const mortalHub = `{
		const { instantiate } = WebAssembly;
		WebAssembly.instantiate = (source, { gojs, ...rest }) => instantiate.call(WebAssembly, source, {
			...rest,
			gojs: Object.fromEntries(Object.entries(gojs).map(([name, run]) => [name, (...args) => {
				if (!globalThis.dying) return run(...args);
				globalThis.dying = false;
				throw new Error('it had to be');
			}])),
		});
	}`

func sayThatThereIsNoHub(t *testing.T) {
	says := func(words string) string {
		return contains("#trouble", words) + ` && !document.querySelector('#trouble').hidden`
	}
	for _, example := range siteExamples {
		tab := Open(t, "/harness/blank.html")
		tab.plant(noHub)
		tab.ExpectErrors(`Uncaught (LoadError|UnsupportedError)`)
		tab.Go("/examples/" + example + ".html")
		tab.sees(says("LoadError") + " || " + says("UnsupportedError"))
	}
	tab := Open(t, "/harness/blank.html")
	tab.plant(mortalHub)
	tab.Go("/examples/form.html")
	tab.sees(pageIsThere)
	tab.Do(`globalThis.dying = true;
		document.querySelector('button.main').click();`) // at once, before the program enters itself
	tab.sees(says("Reload the page to start again."))
}

func pauseStandsStillAndGoesOn(t *testing.T) {
	tab := openExample(t, "pause.html")
	type state struct{ Steps, Temperature, Length, By, Made, Tour string }
	at := func() state {
		t.Helper()
		return Eval[state](tab, `({ steps: document.querySelector('#steps').textContent,
			temperature: document.querySelector('#temperature').textContent, length: document.querySelector('#length').textContent,
			by: document.querySelector('#by').textContent, made: document.querySelector('#made').textContent,
			tour: document.querySelector('#tour').getAttribute('points') })`)
	}
	number := func(text string) int {
		t.Helper()
		var n int
		_, err := fmt.Sscan(strings.ReplaceAll(text, ",", ""), &n)
		require.NoError(t, err)
		return n
	}
	float := func(text string) float64 {
		t.Helper()
		x, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return x
	}
	asksAgain := func() { // ten times more, the Worker is asked for its state and says it
		t.Helper()
		tab.sees(fmt.Sprintf(`Number(document.querySelector('#asked').textContent.replaceAll(',', '')) > %d`, number(tab.text("#asked"))+10))
	}
	goesOnFrom := func(steps int) {
		t.Helper()
		tab.sees(fmt.Sprintf(`Number(document.querySelector('#steps').textContent.replaceAll(',', '')) > %d`, steps+1000))
	}
	is := func(state string) string { return fmt.Sprintf(`document.body.dataset.state === %q`, state) }

	asleep := at()
	require.Equal(t, "0", asleep.Steps, "it computes what nobody has asked for")
	require.NotEmpty(t, asleep.Tour)
	tab.click("#go")
	goesOnFrom(0)
	tab.click("#go")
	tab.sees(is("paused"))
	before := at()
	asksAgain()
	require.Equal(t, before, at())

	for range 5 {
		tab.click("#step")
		tab.sees(fmt.Sprintf(`document.querySelector('#status').textContent.startsWith('It stands before step %s,')`, group(number(before.Steps)+2)))
		after := at()
		require.Equal(t, number(before.Steps)+1, number(after.Steps))
		if before.Made == "no" {
			require.Equal(t, before.Tour, after.Tour)
			require.Equal(t, before.Length, after.Length)
		} else {
			require.InDelta(t, float(before.Length)+float(strings.Replace(before.By, "−", "-", 1)), float(after.Length), 0.02)
		}
		before = after
	}
	asksAgain()
	require.Equal(t, before, at())

	tab.click("#go")
	goesOnFrom(number(before.Steps))

	// It can be started again from wherever it is, and be paused anew.
	for range 2 {
		tab.click("#go")
		tab.sees(is("paused"))
		tab.click("#again")
		tab.sees(is("running"))
		goesOnFrom(0)
	}
}

// group writes a number as the page does.
func group(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func partIs(part, state string) string {
	return fmt.Sprintf(`document.querySelector(%q).dataset.state === %q`, attribute("part", part), state)
}

const (
	usable   = `!document.querySelector('#order fieldset').disabled`
	unusable = `document.querySelector('#order fieldset').disabled`
)

func formWaitsForAllThreeAndCanBeCancelled(t *testing.T) {
	tab := openExample(t, "form.html?pace=0.5&timeout=60000")
	tab.click("[value=slow]")
	tab.click("#open")
	tab.sees(partIs("countries", "loaded") + " && " + partIs("address", "loaded"))
	require.True(t, Eval[bool](tab, partIs("rates", "loading")+" && "+unusable))
	tab.click("#cancel")
	tab.sees(contains("#status", "Cancelled") + " && " + partIs("rates", "aborted") + " && " + unusable)
	tab.click("[value=well]")
	tab.click("#open")
	tab.sees(usable)
	tab.click("#order button")
	tab.sees(contains("#status", "Ordered for France"))

	slow := tab.Beside("/examples/form.html?pace=50&timeout=60000")
	slow.click("#open")
	slow.sees(`document.querySelectorAll('[data-part][data-state=loading]').length === 3`)
	slow.click("#cancel")
	slow.sees(contains("#status", "Cancelled") + ` && document.querySelectorAll('[data-part][data-state=aborted]').length === 3`)
	require.True(t, Eval[bool](slow, unusable))
	slow.click("#open")
	slow.sees(`document.querySelectorAll('[data-part][data-state=loading]').length === 3`)
}

func formSaysWhatFailed(t *testing.T) {
	tab := openExample(t, "form.html?pace=3&timeout=60000")
	tab.click("[value=fails]")
	tab.click("#open")
	tab.sees(contains("#status", "The rates did not load: the server says 503.") + " && " + partIs("rates", "failed") +
		" && " + partIs("address", "aborted"))
	require.True(t, Eval[bool](tab, unusable))

	// What has loaded is not loaded again.
	tab.Do(`history.replaceState(null, '', '?pace=0.2');
		globalThis.missing = [...document.querySelectorAll('[data-part]:not([data-state=loaded])')].map((each) => each.dataset.part);
		globalThis.loads = new Set();
		addEventListener('message', ({ data }) => loads.add(data.part));`)
	tab.click("[value=well]")
	tab.click("#open")
	tab.sees(usable)
	require.Equal(t, Eval[[]string](tab, `missing.sort()`), Eval[[]string](tab, `[...loads].sort()`))

	late := tab.Beside("/examples/form.html?pace=50&timeout=200")
	late.click("#open")
	late.sees(contains("#status", "did not load: it took too long.") + ` && document.querySelectorAll('[data-part][data-state=aborted]').length === 3`)
	require.True(t, Eval[bool](late, unusable))
}

func formLeavesAloneWhatAWorkerWaitsFor(t *testing.T) {
	tab := openExample(t, "form.html?pace=50&timeout=60000")
	tab.click("#too")
	tab.click("#open")
	tab.sees(contains("#worker", "waits"))
	tab.click("#cancel")
	tab.sees(contains("#status", "Cancelled") + " && " + partIs("countries", "aborted") + " && " + partIs("address", "aborted"))
	done := `document.querySelector('[data-part=rates] progress').value`
	tab.sees(fmt.Sprintf(`%s > %v`, done, Eval[float64](tab, done)))
	require.True(t, Eval[bool](tab, partIs("rates", "loading")))
}

func downloadsArriveOnceThoughWorkersAreKilled(t *testing.T) {
	at := func(worker string) string { return attribute("worker", worker) }
	atWork := func(worker string) string { return contains(at(worker)+" output", "downloads") }

	// All are killed, others come for them, and it is cancelled.
	slow := openExample(t, "downloads.html?pace=50")
	slow.click("#start")
	for _, worker := range []string{"Worker 1", "Worker 2", "Worker 3"} {
		slow.sees(atWork(worker))
		slow.click(at(worker) + " button")
	}
	slow.sees(contains("#status", "again") + " && " + atWork("Worker 3"))
	slow.click("#cancel")
	slow.sees(contains("#status", "Cancelled"))
	require.Empty(t, Eval[[]any](slow, `[...document.querySelectorAll('.workers output')].filter((each) => each.textContent !== 'ended')`))
	slow.click("#start")
	slow.sees(atWork("Worker 1"))

	// One is killed as soon as it is at work. What it was at is begun once more, and nothing else.
	tab := slow.Beside("/examples/downloads.html?pace=0.5")
	tab.Do(`globalThis.most = 0;
		globalThis.times = { downloading: {}, arrived: {} };
		new MutationObserver((changes) => {
			for (const { target } of changes) {
				const [file, of] = [parseInt(target.textContent), times[target.dataset.state]];
				if (of !== undefined) of[file] = (of[file] ?? 0) + 1;
				if (globalThis.lost === undefined && target.dataset.state === 'downloading' && target.dataset.by === 'Worker 2') {
					globalThis.lost = file;
					setTimeout(() => document.querySelector('[data-worker="Worker 2"] button').click());
				}
			}
		}).observe(document.querySelector('.tiles'), { subtree: true, attributeFilter: ['data-state'] });
		new MutationObserver(() => { most = Math.max(most, parseInt(document.querySelector('#queued').textContent)); })
			.observe(document.querySelector('#queued'), { childList: true });`)
	tab.click("#start")
	tab.sees(textIs("#status", "All 18 have arrived, each once."))
	times := Eval[struct{ Downloading, Arrived map[int]int }](tab, `times`)
	once := map[int]int{}
	for file := range 18 {
		once[file+1] = 1
	}
	require.Equal(t, once, times.Arrived)
	lost := Eval[int](tab, `lost`)
	require.Contains(t, []int{1, 2}, times.Downloading[lost], "it may have been handed over in the very moment")
	once[lost] = times.Downloading[lost]
	require.Equal(t, once, times.Downloading)
	require.Equal(t, 4, Eval[int](tab, `most`))
}
