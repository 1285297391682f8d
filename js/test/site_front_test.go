//go:build !js

package browser_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The front page: thousands of calls that wait in four event loops and more, and one that wakes them. Most of it is looked
// at with reduced motion, where the page shows at once what came of a wake.

var loopsOfFront = []string{"page", "A", "B", "goroutines"}

func openFront(t testing.TB, path string, sayCalm bool) *Tab {
	t.Helper()
	tab := Open(t, "/harness/blank.html")
	tab.enterFront(path, sayCalm)
	tab.sees(hubCounts(10000))
	return tab
}

func (tab *Tab) enterFront(path string, sayCalm bool) {
	tab.t.Helper()
	if sayCalm {
		tab.do("calm", chromedp.Func(calm))
	}
	tab.do("shape", chromedp.EmulateViewport(1280, 800))
	tab.Go(path)
	tab.sees(pageIsThere)
}

func calm(ctx context.Context, t *chromedp.Target) error {
	_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	return err
}

// thousands writes a number as the page does.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

func hubCounts(waiting int) string {
	return contains("#counts", "The hub counts "+thousands(waiting)+" waiting")
}

func inLoop(loop, selector string) string { return attribute("loop", loop) + " " + selector }

// wait says that so many calls wait in a loop.
func waits(loop string, calls int) string {
	return fmt.Sprintf(`document.querySelector(%q).dataset.waiting === '%d'`, attribute("loop", loop), calls)
}

// woke says that the page has shown a wake: of so many as signal() answered, and of so many in each loop.
func woke(answered, loops int, each map[string]int) string {
	condition := fmt.Sprintf(`document.querySelector('#answer').textContent === %q`, thousands(answered)) + " && " +
		contains("#fact", fmt.Sprintf("woke %s calls in %d event loops in ", thousands(answered), loops))
	sum := 0
	for loop, calls := range each {
		sum += calls
		condition += fmt.Sprintf(` && document.querySelector(%q).dataset.woken === '%d'`, attribute("loop", loop), calls)
	}
	if sum != answered {
		panic("these are not as many")
	}
	return condition
}

func allBut(but map[string]int) map[string]int {
	each := map[string]int{}
	for _, loop := range loopsOfFront {
		each[loop] = 2500 - but[loop]
	}
	return each
}

// press presses the dot in the middle of a loop: the call that is the first in its line.
func (tab *Tab) press(loop string) {
	tab.t.Helper()
	tab.do("press a dot", chromedp.Click(chromedp.CSS(inLoop(loop, "canvas"))))
}

func eachFront(t *testing.T, test func(t *testing.T, tab *Tab)) {
	for name, path := range map[string]string{"shared": below, "own worker": "/?worker"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, openFront(t, path, true))
		})
	}
}

func TestSiteFrontShowsAsManyWokenAsSignalAnswered(t *testing.T) {
	t.Parallel()
	eachFront(t, func(t *testing.T, tab *Tab) {
		tab.click("#wake")
		tab.sees(woke(10000, 4, allBut(nil)))
		tab.sees(hubCounts(10000) + " && " + contains("#counts", "1 signal woke 10,000 calls"))
		for _, loop := range loopsOfFront {
			tab.sees(waits(loop, 2500) + " && " + contains(inLoop(loop, ".times"), "last after"))
		}
		require.True(t, Eval[bool](tab, `document.querySelector('#said').textContent === document.querySelector('#fact').textContent`))
		require.Equal(t, Eval[bool](tab, `new URL(location).searchParams.has('worker')`), Eval[bool](tab, `another.hidden`))
	})
}

func TestSiteFrontOneCallLeavesAlone(t *testing.T) {
	t.Parallel()
	eachFront(t, func(t *testing.T, tab *Tab) {
		gone := map[string]int{}
		leaves := func(loop string) {
			t.Helper()
			gone[loop]++
			for _, each := range loopsOfFront {
				tab.sees(waits(each, 2500-gone[each]))
			}
		}
		for _, loop := range loopsOfFront {
			tab.press(loop)
			leaves(loop)
		}
		tab.press("A") // its dot is hollow: nobody is there to leave
		tab.click("#leave")
		leaves("page")
		tab.sees(hubCounts(9995) + " && " + contains(inLoop("page", ".state"), "2,498 calls wait, 2 left"))
		tab.click("#wake")
		tab.sees(woke(9995, 4, allBut(gone)))
		tab.sees(hubCounts(10000))
		tab.click("#wake")
		tab.sees(woke(10000, 4, allBut(nil)))
	})
}

func TestSiteFrontWithdrawsTheWaitsOfAKilledWorker(t *testing.T) {
	t.Parallel()
	eachFront(t, func(t *testing.T, tab *Tab) {
		tab.click("#kill")
		tab.sees(contains(inLoop("B", ".state"), "Killed") + " && " + contains(inLoop("B", ".times"), "its 2,500 waits were withdrawn"))
		tab.sees(hubCounts(7500) + " && " + waits("B", 0))
		tab.click("#wake")
		tab.sees(woke(7500, 3, map[string]int{"page": 2500, "A": 2500, "goroutines": 2500}))
		require.True(t, Eval[bool](tab, contains(inLoop("B", ".state"), "Killed")))
		tab.click("#kill")
		tab.sees(hubCounts(10000) + " && " + waits("B", 2500))
		tab.click("#wake")
		tab.sees(woke(10000, 4, allBut(nil)))
	})
}

func TestSiteFrontOfAnotherTabWaitsInTheSameLine(t *testing.T) {
	t.Parallel()
	tab := openFront(t, "/", true)
	other := tab.Beside("/harness/blank.html")
	other.enterFront("/", true)
	both := func(condition string) {
		t.Helper()
		tab.sees(condition)
		other.sees(condition)
	}
	both(hubCounts(17500) + " && " + waits("tabs", 7500))
	tab.sees(contains(inLoop("tabs", "h3"), "Tab 2"))

	each := allBut(nil)
	each["tabs"] = 7500
	tab.click("#wake")
	both(woke(17500, 7, each))
	tab.sees(contains("#fact", "One call woke"))
	other.sees(contains("#fact", "One call in tab 1 woke"))
	both(hubCounts(17500))

	other.press("tabs")
	both(hubCounts(17499))
	other.click("#wake")
	each = allBut(nil)
	each["tabs"] = 7499
	other.sees(woke(17499, 7, each))
	tab.sees(contains("#fact", "One call in tab 2 woke 17,499 calls in 7 event loops"))
	both(hubCounts(17500))

	other.Close()
	tab.sees(hubCounts(10000) + " && " + waits("tabs", 0) + " && " + contains(inLoop("tabs", "h3"), "Other tabs"))
	tab.click("#wake")
	tab.sees(woke(10000, 4, allBut(nil)))
}

func TestSiteFrontAnswersEachOfManyPresses(t *testing.T) {
	t.Parallel()
	tab := openFront(t, "/", false)
	tab.Do(`for (let i = 0; i < 5; i++) document.querySelector('#wake').click()`)
	tab.sees(contains("#counts", "5 signals woke 50,000 calls"))
	tab.sees(woke(10000, 4, allBut(nil)))
	tab.sees(waits("page", 2500) + " && " + hubCounts(10000))
}

func TestSiteFrontShowsAWakeSlowedDown(t *testing.T) {
	t.Parallel()
	tab := openFront(t, "/", false)
	tab.Do(`globalThis.seen = [];
		new MutationObserver(() => seen.push(more.textContent)).observe(more, { childList: true });
		globalThis.frames = 0;
		const { requestAnimationFrame } = globalThis;
		globalThis.requestAnimationFrame = (draw) => (frames++, requestAnimationFrame(draw));`)
	tab.click("#wake")
	tab.sees(woke(10000, 4, allBut(nil)))
	require.Equal(t, "0 of 10,000", Eval[string](tab, `seen[0].slice(0, 11)`))
	require.Equal(t, "10,000 of 10,000", Eval[string](tab, `seen.at(-2).slice(0, 16)`))
	require.Positive(t, Eval[int](tab, `frames`))

	tab.do("calm", chromedp.Func(calm))
	for _, loop := range loopsOfFront {
		tab.sees(contains(inLoop(loop, ".state"), "2,500 calls wait"))
	}
	tab.Do(`frames = 0`)
	tab.click("#leave")
	tab.sees(hubCounts(9999))
	tab.click("#wake")
	tab.sees(woke(9999, 4, allBut(map[string]int{"page": 1})))
	for _, loop := range loopsOfFront {
		tab.sees(contains(inLoop(loop, ".state"), "2,500 calls wait"))
	}
	require.Zero(t, Eval[int](tab, `frames`), "frames without motion")
}

func TestSiteFrontByKeyboard(t *testing.T) {
	t.Parallel()
	tab := openFront(t, "/", true)
	tab.do("press", chromedp.KeyEvent("\r")) // with the focus nowhere
	tab.sees(woke(10000, 4, allBut(nil)))
	next := func(want string) {
		t.Helper()
		tab.do("tab on", chromedp.KeyEvent("\t"))
		require.Equal(t, want, Eval[string](tab, `document.activeElement.textContent`))
	}
	for _, each := range []string{"Skip to what it is", "clca", "Primitives", "Scenarios", "Examples", "Benchmark", "Conformance",
		"README and source", "Wake them all"} {
		next(each)
	}
	tab.do("press", chromedp.KeyEvent(" "))
	tab.sees(contains("#counts", "2 signals woke 20,000 calls"))
	next("Open another tab")
	next("Let one leave")
	tab.do("press", chromedp.KeyEvent("\r"))
	tab.sees(hubCounts(9999) + " && " + contains("#said", "A call of This page has left"))
	next("Kill Worker B")
	tab.do("press", chromedp.KeyEvent(" "))
	tab.sees(hubCounts(7499))
	require.Equal(t, "Start Worker B again", Eval[string](tab, `document.activeElement.textContent`))
}

func TestSiteFrontComesBack(t *testing.T) {
	t.Parallel()
	tab := openFront(t, "/", true)
	wakes := func() {
		t.Helper()
		tab.sees(hubCounts(10000))
		tab.click("#wake")
		tab.sees(woke(10000, 4, allBut(nil)))
	}
	tab.follow(`.top [href="./examples.html"]`)
	require.Equal(t, "/examples.html", Eval[string](tab, `location.pathname`))
	tab.Back()
	wakes()
	tab.Reload()
	wakes()
}

func TestSiteFrontStaysInPlace(t *testing.T) {
	t.Parallel()
	tab := openFront(t, "/", true)
	tab.do("shape", chromedp.EmulateViewport(390, 900))
	for _, width := range []int64{390, 1280} {
		tab.do("shape", chromedp.EmulateViewport(width, 900))
		tab.watchShifts(false)
		tab.click("#wake")
		tab.sees(contains("#fact", "woke 10,000 calls"))
		tab.click("#kill")
		tab.sees(hubCounts(7500))
		tab.click("#kill")
		tab.sees(hubCounts(10000))
		require.Empty(t, tab.shifts(), "at %d", width)
	}
}

// TestSiteFrontLooks takes pictures for people to look at, into the directory that the environment names.
func TestSiteFrontLooks(t *testing.T) {
	t.Parallel()
	if screenshots == "" {
		t.Skip("SCREENSHOTS=directory says where they go")
	}
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 1280, 1920} {
			tab := Open(t, "/harness/blank.html")
			tab.do("shape", chromedp.EmulateViewport(width, 800), emulate(theme))
			tab.Go("/")
			tab.sees(contains("#counts", ",") + " || " + contains("#counts", "2,500"))
			at := func(when string) { tab.keepScreenshot(fmt.Sprintf("front-%s-%d-%s", theme, width, when)) }
			at("waits")
			tab.click("#wake")
			tab.sees(contains("#more", "shown"))
			tab.Do(`await new Promise((later) => setTimeout(later, 900))`)
			at("wakes")
			tab.sees(contains("#fact", "One call woke"))
			at("woken")
			if width == 1280 {
				other := tab.Beside("/")
				other.sees(contains("#counts", "17,500 waiting"))
				tab.sees(contains("[data-loop=tabs] .state", "7,500 calls wait"))
				for range 9 {
					tab.click("#leave")
				}
				tab.click("#kill")
				tab.sees(contains(inLoop("B", ".times"), "withdrawn"))
				at("killed")
				other.Close()
			}
			tab.Close()
		}
	}
}
