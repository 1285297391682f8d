//go:build !js

package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// TestSiteLooks keeps what pages show in use, as TestSitePages does with what they show at rest.
func TestSiteLooks(t *testing.T) {
	t.Parallel()
	if screenshots == "" {
		t.Skip("SCREENSHOTS=directory says where they go")
	}
	for name, use := range looks {
		t.Run(name, func(t *testing.T) {
			tab := Open(t, "/harness/blank.html")
			desk := chromedp.EmulateViewport(widths[len(widths)-1], 900)
			tab.do("shape", desk)
			use(tab, func(state string) {
				for _, theme := range themes {
					for _, width := range widths {
						tab.do("shape", chromedp.EmulateViewport(width, 900), still(theme))
						tab.Do(nextFrame)
						require.LessOrEqual(t, Eval[int64](tab, `document.documentElement.scrollWidth`), width, "%s overflows", state)
						tab.keepScreenshot(fmt.Sprintf("%s-%s-%s-%d", name, state, theme, width))
					}
				}
				tab.do("shape", desk)
			})
		})
	}
}

// By the page; each keeps what there is to be seen once that is so.
var looks = map[string]func(tab *Tab, keep func(state string)){
	"diagram": func(tab *Tab, keep func(state string)) {
		for state, play := range map[string]string{
			"story": `feed(story(begin - 9000)); document.querySelector('[data-part=fit]').click();`,
			"chosen": `feed(story(begin - 9000)); document.querySelector('[data-part=fit]').click();
				for (let i = 0; i < 3; i++) document.querySelector('[data-part=closer]').click();
				for (const key of ['Home', ...Array(7).fill('ArrowRight')]) {
					document.querySelector('canvas').dispatchEvent(new KeyboardEvent('keydown', { key }));
				}`,
			"busy": `feed(busyStory(begin - 22000, 60)); document.querySelector('[data-part=fit]').click();`,
			"text": `feed(story(begin - 9000)); document.querySelector('details').open = true;`,
		} {
			tab.Go("/test/diagram.html")
			tab.Do(nextFrame + play)
			keep(state)
		}
	},
	"primitives": func(tab *Tab, keep func(state string)) {
		tab.Go("/primitives.html")
		tab.sees(ready)
		second := tab.Beside("/primitives.html")
		second.sees(ready)
		tab.sees(is("idle", "tab 2 page"))
		tab.beginAll("signal")
		tab.sees(counts("signal", "5 waiting"))
		tab.call("signal signals")
		tab.sees(answered("signal", "5"))
		keep("signal-woken")
		tab.view("lock")
		for _, lane := range []string{laneA, laneInGo, laneB} {
			tab.toggle(lane, "lock")
			tab.sees(`!(` + is("idle", lane) + `)`)
		}
		tab.toggleAs(laneOfPage, "lock", "steal")
		tab.sees(is("holding", laneOfPage) + " && " + is("idle", laneA))
		keep("lock-stolen")
		tab.view("task")
		tab.beginAll("task")
		tab.sees(counts("task", "running · 4 waiting"))
		tab.call("task errs")
		tab.sees(logged(1, "task sees", laneOfPage, laneA, laneB))
		keep("task-failed")
	},
	"scenarios": func(tab *Tab, keep func(state string)) {
		tab.Go("/scenarios.html")
		for _, id := range []string{"signal-second-leaves", "start-timeout"} {
			tab.sees(scenarioIsThere)
			tab.shows(id)
			tab.plays("both")
			tab.sees(`document.querySelectorAll('.ends:is([data-state=right], [data-state=wrong])').length === 2`)
			keep(id)
		}
	},
	"benchmark": func(tab *Tab, keep func(state string)) {
		tab.Go("/benchmark.html?rounds=6")
		tab.sees(offered)
		tab.click("#start")
		tab.sees(rowIs("wakeMany", "done"))
		keep("halfway")
		tab.sees(offered)
		keep("finished")
	},
	"conformance": func(tab *Tab, keep func(state string)) {
		tab.Go(conformance)
		tab.sees(conformanceOffered)
		tab.click("#start")
		tab.sees(conformanceOffered + ` && document.querySelector('.far').textContent.startsWith('Done')`)
		keep("finished")
	},
	"examples": func(tab *Tab, keep func(state string)) {
		for _, each := range []struct{ example, state, press, shows string }{
			{"token", "", "#send", textIs("#refreshes", "1")},
			{"pause", "", "#go", `document.body.dataset.state === 'paused'`},
			{"form", "", "#open", usable},
			{"form", "failed", "[value=fails], #open", contains("#status", "503")},
			{"downloads", "", "#start", contains("#arrived", "4")},
		} {
			tab.Go("/examples/" + each.example + ".html")
			tab.sees(sourcesShown + ` && !document.querySelector('button.main').disabled`)
			if each.example == "pause" {
				tab.click("#go")
				tab.sees(`parseInt(document.querySelector('#steps').textContent) > 4`)
			}
			for _, selector := range strings.Split(each.press, ", ") {
				tab.click(selector)
			}
			tab.sees(each.shows)
			keep(strings.Trim(each.example+"-"+each.state, "-"))
		}
	},
}
