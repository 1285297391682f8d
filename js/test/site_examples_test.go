//go:build !js

package browser_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
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

// notes keeps what is said on a channel from now on, as globalThis.news.
func (tab *Tab) notes(channel string) {
	tab.t.Helper()
	tab.Do(fmt.Sprintf(`globalThis.news = [];
		globalThis.noting = new BroadcastChannel(%q);
		noting.onmessage = ({ data }) => news.push(data);`, channel))
}

func TestExamplesShowTheSourcesThatTheyRun(t *testing.T) {
	t.Parallel()
	const sources = "../../example-site/src/examples/"
	imports := regexp.MustCompile(`(?m)^(?:import|export) .*from '(.*)';`)
	tab := Open(t, "/below/a/path/examples.html")
	require.Len(t, Eval[[]string](tab, `[...document.querySelectorAll('.examples a')].map((each) => each.href)`), len(siteExamples))
	for _, example := range siteExamples {
		tab.Go("/below/a/path/examples.html")
		tab.Go(strings.TrimPrefix(Eval[string](tab, fmt.Sprintf(`document.querySelector('.examples a[href$="/%s.html"]').href`, example)), server.URL))
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
	require.Regexp(t, `^Tab [12] asks to refresh, and gets token 1\.$`, first.refreshed()[0])

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
	type state struct{ Steps, Temperature, Length, Next, Made, Tour string }
	at := func() state {
		t.Helper()
		return Eval[state](tab, `({ steps: document.querySelector('#steps').textContent,
			temperature: document.querySelector('#temperature').textContent, length: document.querySelector('#length').textContent,
			next: document.querySelector('#next').textContent, made: document.querySelector('#made').textContent,
			tour: document.querySelector('#tour').getAttribute('points') })`)
	}
	number := func(text string) int {
		t.Helper()
		var n int
		_, err := fmt.Sscan(strings.ReplaceAll(text, ",", ""), &n)
		require.NoError(t, err)
		return n
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
	tab.sees(partIs("address", "loaded"))
	require.True(t, Eval[bool](tab, unusable), "the rates are not there yet")
	tab.sees(usable + " && " + partIs("countries", "loaded") + " && " + partIs("rates", "loaded"))

	tab.click("#forget")
	tab.sees(unusable + " && " + partIs("rates", "not loaded"))
	tab.click("#open")
	tab.sees(partIs("countries", "loaded"))
	tab.click("#cancel")
	tab.sees(contains("#status", "Cancelled") + " && " + partIs("rates", "aborted") + " && " + partIs("address", "aborted"))
	require.True(t, Eval[bool](tab, unusable))

	tab.notes("clca form example")
	tab.click("#open")
	tab.sees(usable)
	require.Empty(t, Eval[[]any](tab, `news.filter(({ part }) => part === 'countries')`), "it was loaded before")
	tab.click("#order button")
	tab.sees(contains("#status", "Sent to France"))
}

func TestExampleFormSaysWhatFailed(t *testing.T) {
	t.Parallel()
	tab := openExample(t, "form")
	tab.click("[value=fails]")
	tab.click("#open")
	tab.sees(contains("#status", "The rates did not load: the server says 503.") + " && " + partIs("address", "aborted"))
	require.True(t, Eval[bool](tab, unusable))
	tab.click("[value=slow]")
	tab.click("#open")
	tab.sees(contains("#status", "The rates did not load: it took too long.") + " && " + partIs("rates", "aborted"))
	tab.click("[value=well]")
	tab.click("#open")
	tab.sees(usable)
}

func TestExampleFormThatIsCancelledLeavesAloneWhatAWorkerWaitsFor(t *testing.T) {
	t.Parallel()
	tab := openExample(t, "form")
	tab.click("#too")
	tab.click("#open")
	tab.sees(contains("#worker", "waits"))
	tab.click("#cancel")
	tab.sees(partIs("countries", "aborted") + " && " + partIs("address", "aborted"))
	tab.sees(contains("#worker", "has the rates: 3") + " && " + partIs("rates", "loaded"))
}

func TestExampleDownloadsArriveOnceThoughWorkersAreKilled(t *testing.T) {
	t.Parallel()
	tab := openExample(t, "downloads")
	tab.notes("clca downloads example")
	tab.Do(`globalThis.most = 0;
		new MutationObserver(() => { most = Math.max(most, parseInt(document.querySelector('#queued').textContent)); })
			.observe(document.querySelector('#queued'), { childList: true });`)
	at := func(worker string) string { return attribute("worker", worker) }
	tab.click("#start")
	tab.sees(contains(at("Worker 2")+" output", "downloads"))
	tab.click(at("Worker 2") + " button")
	tab.sees(`document.querySelector('.tiles [data-state=lost]')`)
	lost := Eval[string](tab, `'/file-' + parseInt(document.querySelector('.tiles [data-state=lost]').textContent)`)
	tab.sees(textIs("#status", "All 18 have arrived, each once."))
	require.Equal(t, 18, Eval[int](tab, `document.querySelectorAll('.tiles [data-state=arrived]').length`))
	begun := Eval[map[string]int](tab, `news.filter(({ done }) => done === 0).reduce((begun, { url }) => ({ ...begun, [url]: (begun[url] ?? 0) + 1 }), {})`)
	require.Len(t, begun, 18)
	for url, times := range begun {
		if url == lost {
			require.Equal(t, 2, times, url)
		} else {
			require.Equal(t, 1, times, url)
		}
	}
	require.Equal(t, 4, Eval[int](tab, `most`))
}

func TestExampleDownloadsOutliveAllTheirWorkersAndCanBeCancelled(t *testing.T) {
	t.Parallel()
	tab := openExample(t, "downloads")
	at := func(worker string) string { return attribute("worker", worker) }
	tab.click("#slow") // so that there is something to be cancelled
	tab.click("#start")
	for _, worker := range []string{"Worker 1", "Worker 2", "Worker 3"} {
		tab.sees(contains(at(worker)+" output", "file"))
		tab.click(at(worker) + " button")
	}
	tab.sees(contains("#status", "again") + " && " + contains(at("Worker 3")+" output", "file"))
	tab.click("#cancel")
	tab.sees(contains("#status", "Cancelled"))
	require.Empty(t, Eval[[]any](tab, `[...document.querySelectorAll('.workers output')].filter((each) => each.textContent !== 'not started')`))
	tab.click("#slow")
	tab.click("#start")
	tab.sees(textIs("#status", "All 18 have arrived, each once."))
}
