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
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The examples of the site: each is used as a person would, and shows the sources that it runs.

var siteExamples = []string{"token", "pause", "form", "downloads"}

const sourcesShown = `document.querySelectorAll('[data-file] code').length === document.querySelectorAll('[data-file]').length`

func openExample(t *testing.T, name string) *Tab {
	t.Helper()
	tab := Open(t, "/examples/"+name+".html")
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

func TestExamplesShowTheSourcesThatTheyRun(t *testing.T) {
	t.Parallel()
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

func TestExamplesStayInPlace(t *testing.T) {
	t.Parallel()
	blank := Open(t, "/harness/blank.html")
	for width, uses := range map[int64][]string{1280: {"pause", "downloads"}, 360: {"token", "form"}} {
		for _, example := range uses {
			tab := blank.Beside("/harness/blank.html")
			tab.do("shape", chromedp.EmulateViewport(width, 900))
			tab.Go("/examples/" + example + ".html")
			tab.sees(sourcesShown + ` && !document.querySelector('button.main').disabled`)
			tab.watchShifts(true)
			status := tab.text("#status")
			tab.click("button.main")
			tab.sees(`!(` + textIs("#status", status) + `)`)
			require.Empty(t, tab.shifts(), "%s at %d", example, width)
			require.True(t, Eval[bool](tab, `document.documentElement.scrollWidth <= innerWidth`), "%s overflows at %d", example, width)
			tab.Close()
		}
	}
}

// refreshed is who refreshed the token since it expired last, as a tab shows it.
func (tab *Tab) refreshed() []string {
	tab.t.Helper()
	return Eval[[]string](tab, `[...document.querySelectorAll('#log li')].map((each) => each.textContent)`)
}

func TestExampleTokenIsRefreshedByOneTabForAll(t *testing.T) {
	t.Parallel()
	first := openExample(t, "token")
	first.sees(textIs("#tab", "1"))
	second := first.Beside("/examples/token.html")
	second.sees(textIs("#tab", "2") + ` && !document.querySelector('#send').disabled`)
	answered := textIs("#answered", "10 of 10")

	first.click("#send")
	first.sees(textIs("#refreshes", "1") + " && " + answered)
	second.sees(textIs("#refreshes", "1") + " && " + answered)
	require.Regexp(t, `^Tab [12] asks to refresh, and gets token [0-9a-f]{4}\.$`, first.refreshed()[0])

	second.click("#send")
	first.sees(textIs("#log", "Tab 1 asks to refresh.") + " || " + textIs("#log", "Tab 2 asks to refresh."))
	refreshes, takesOver, other := first, second, "Tab 2"
	if first.text("#log") != "Tab 1 asks to refresh." {
		refreshes, takesOver, other = second, first, "Tab 1"
	}
	refreshes.Close()
	takesOver.sees(answered + ` && document.querySelector('#status').textContent.endsWith('for all.')`)
	log := takesOver.refreshed()
	require.Len(t, log, 2)
	require.Regexp(t, `^`+other+` asks to refresh, and gets token`, log[1])
}

func TestExamplePauseStandsStillAndGoesOn(t *testing.T) {
	t.Parallel()
	tab := openExample(t, "pause")
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
	stands := `document.body.dataset.state === 'paused'`

	goesOnFrom(0)
	tab.click("#pause")
	tab.sees(stands)
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

	tab.click("#resume")
	goesOnFrom(number(before.Steps))

	// It can be started again from wherever it is, and be paused anew.
	for range 2 {
		tab.click("#pause")
		tab.sees(stands)
		tab.click("#again")
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

func TestExampleFormWaitsForAllThreeAndCanBeCancelled(t *testing.T) {
	t.Parallel()
	tab := openExample(t, "form")
	tab.click("#open")
	tab.sees(partIs("address", "loaded") + " && " + unusable)
	tab.sees(usable)
	for _, part := range []string{"countries", "rates", "address"} {
		require.True(t, Eval[bool](tab, partIs(part, "loaded")), part)
	}

	tab.click("#forget")
	tab.sees(unusable + " && " + partIs("rates", "not loaded"))
	tab.Do(`new MutationObserver((_, observer) => {
			if (!(` + partIs("countries", "loaded") + ` && document.querySelector('[data-part=address] progress').value > 0.7)) return;
			observer.disconnect();
			document.querySelector('#cancel').click();
		}).observe(document.querySelector('.loads'), { subtree: true, attributes: true });`)
	tab.click("#open")
	tab.sees(contains("#status", "Cancelled") + " && " + partIs("rates", "aborted") + " && " + partIs("address", "aborted"))
	require.True(t, Eval[bool](tab, unusable))

	// What has loaded is not loaded again.
	tab.Do(`globalThis.loads = new Set();
		addEventListener('message', ({ data }) => loads.add(data.part));`)
	tab.click("#open")
	tab.sees(usable)
	require.Equal(t, []string{"address", "rates"}, Eval[[]string](tab, `[...loads].sort()`))
	tab.click("#order button")
	tab.sees(contains("#status", "Ordered for France"))
}

func TestExampleFormSaysWhatFailed(t *testing.T) {
	t.Parallel()
	late := openExample(t, "form")
	late.click("[value=slow]")
	late.click("#open")

	fails := late.Beside("/examples/form.html")
	fails.click("[value=fails]")
	fails.click("#open")
	fails.sees(contains("#status", "The rates did not load: the server says 503.") + " && " + partIs("address", "aborted"))
	require.True(t, Eval[bool](fails, unusable))
	fails.click("[value=well]")
	fails.click("#open")
	fails.sees(usable)

	late.sees(contains("#status", "The rates did not load: it took too long.") + " && " + partIs("rates", "aborted"))
	require.True(t, Eval[bool](late, unusable))
}

func TestExampleFormThatIsCancelledLeavesAloneWhatAWorkerWaitsFor(t *testing.T) {
	t.Parallel()
	tab := openExample(t, "form")
	tab.click("#too")
	tab.click("#open")
	tab.sees(contains("#worker", "waits"))
	tab.click("#cancel")
	tab.sees(contains("#status", "Cancelled"))
	require.False(t, Eval[bool](tab, partIs("rates", "aborted")))
	tab.sees(contains("#worker", "has 3 rates") + " && " + partIs("rates", "loaded"))
}

func TestExampleDownloadsArriveOnceThoughWorkersAreKilled(t *testing.T) {
	t.Parallel()
	tab := openExample(t, "downloads")
	at := func(worker string) string { return attribute("worker", worker) }
	atWork := func(worker string) string {
		return fmt.Sprintf(`/downloads|hands over/.test(document.querySelector(%q).textContent)`, at(worker)+" output")
	}

	// All are killed, others come for them, and it is cancelled.
	tab.click("#slow")
	tab.click("#start")
	for _, worker := range []string{"Worker 1", "Worker 2", "Worker 3"} {
		tab.sees(atWork(worker))
		tab.click(at(worker) + " button")
	}
	tab.sees(contains("#status", "again") + " && " + atWork("Worker 3"))
	tab.click("#cancel")
	tab.sees(contains("#status", "Cancelled"))
	require.Empty(t, Eval[[]any](tab, `[...document.querySelectorAll('.workers output')].filter((each) => each.textContent !== 'not started')`))
	tab.click("#slow")

	// One is killed, and only what it was at is begun once more.
	tab.Do(`globalThis.most = 0;
		globalThis.times = { downloading: {}, arrived: {} };
		new MutationObserver((changes) => {
			for (const { target } of changes) {
				const [file, of] = [parseInt(target.textContent), times[target.dataset.state]];
				if (of !== undefined) of[file] = (of[file] ?? 0) + 1;
			}
		}).observe(document.querySelector('.tiles'), { subtree: true, attributeFilter: ['data-state'] });
		new MutationObserver(() => { most = Math.max(most, parseInt(document.querySelector('#queued').textContent)); })
			.observe(document.querySelector('#queued'), { childList: true });`)
	tab.click("#start")
	tab.sees(contains(at("Worker 2")+" output", "downloads"))
	tab.click(at("Worker 2") + " button")
	tab.sees(`document.querySelector('.tiles [data-state=lost]')`)
	lost := Eval[int](tab, `parseInt(document.querySelector('.tiles [data-state=lost]').textContent)`)
	tab.sees(textIs("#status", "All 18 have arrived, each once."))
	times := Eval[struct{ Downloading, Arrived map[int]int }](tab, `times`)
	once := map[int]int{}
	for file := range 18 {
		once[file+1] = 1
	}
	require.Equal(t, once, times.Arrived)
	delete(once, lost)
	delete(times.Downloading, lost) // It may have been handed over in the very moment.
	require.Equal(t, once, times.Downloading)
	require.Equal(t, 4, Eval[int](tab, `most`))
}

func TestExamplesLook(t *testing.T) {
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		t.Skip("SCREENSHOTS=directory says where they go")
	}
	tab := Open(t, "/harness/blank.html")
	shoot := func(name string) {
		for _, theme := range []string{"light", "dark"} {
			for shape, width := range map[string]int64{"360": 360, "1280": 1280} {
				tab.do("shape", chromedp.EmulateViewport(width, 900), emulate(theme))
				require.True(t, Eval[bool](tab, `document.documentElement.scrollWidth <= innerWidth`), "%s overflows at %d", name, width)
				ctx, cancel := tab.limited()
				picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
				cancel()
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(dir, "examples-"+name+"-"+theme+"-"+shape+".png"), picture, 0o644))
			}
		}
	}
	tab.Go("/examples.html")
	shoot("all")
	tab.Go("/examples/token.html")
	tab.sees(`!document.querySelector('#send').disabled`)
	tab.click("#send")
	tab.sees(textIs("#refreshes", "1"))
	shoot("token")
	tab.Go("/examples/pause.html")
	tab.sees(`parseInt(document.querySelector('#steps').textContent) > 4`)
	tab.click("#pause")
	tab.sees(`document.body.dataset.state === 'paused'`)
	shoot("pause")
	tab.Go("/examples/form.html")
	tab.sees(sourcesShown)
	tab.click("#open")
	tab.sees(usable)
	shoot("form")
	tab.click("#forget")
	tab.click("#too")
	tab.click("[value=fails]")
	tab.click("#open")
	tab.sees(contains("#status", "503"))
	shoot("form-failed")
	tab.Go("/examples/downloads.html")
	tab.sees(sourcesShown)
	tab.click("#start")
	tab.sees(contains(attribute("worker", "Worker 2")+" output", "downloads"))
	tab.click(attribute("worker", "Worker 2") + " button")
	tab.sees(contains("#arrived", "4"))
	shoot("downloads")
}
