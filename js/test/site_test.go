//go:build !js

package browser_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

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

// afterTwentySeconds calls a function then, unless what it returns was called. It counts the seconds of the page: those in
// which the machine stands still are not among them.
const afterTwentySeconds = `((late) => {
	let left = 200;
	const timer = setInterval(() => {
		if (--left > 0) return;
		clearInterval(timer);
		late();
	}, 100);
	return () => clearInterval(timer);
})`

// sees waits until a condition holds in the page, looking again at each change of the document.
func (tab *Tab) sees(condition string) {
	tab.t.Helper()
	tab.Do(fmt.Sprintf(`await new Promise((resolve, reject) => {
		const check = () => {
			if (!(%s)) return;
			observer.disconnect();
			stop();
			resolve();
		};
		const observer = new MutationObserver(check);
		const stop = %s(() => {
			observer.disconnect();
			reject(new Error('the page never came to show it, but shows:\n' + document.body.innerText));
		});
		observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
		check();
	})`, condition, afterTwentySeconds))
}

func (tab *Tab) click(selector string) {
	tab.t.Helper()
	tab.sees(fmt.Sprintf(`!document.querySelector(%q).matches(':disabled, [aria-disabled=true]')`, selector))
	tab.do("click "+selector, chromedp.Click(chromedp.CSS(selector)))
}

// follow clicks a link, and returns once the page that it leads to has loaded.
func (tab *Tab) follow(selector string) {
	tab.t.Helper()
	ctx, cancel := tab.limited()
	defer cancel()
	_, err := chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(selector)))
	require.NoError(tab.t, err)
}

func (tab *Tab) view(name string) {
	tab.t.Helper()
	tab.click(`.views a[href="#` + name + `"]`)
}

// toggle presses the button by which a lane begins an activity, or ends it.
func (tab *Tab) toggle(lane, activity string) {
	tab.t.Helper()
	tab.click(inLane(lane, attribute("toggle", activity)))
}

// toggleAs is toggle for one of several ways.
func (tab *Tab) toggleAs(lane, activity, how string) {
	tab.t.Helper()
	tab.click(inLane(lane, attribute("toggle", activity)+attribute("how", how)))
}

// callIn presses the button by which a lane makes a call.
func (tab *Tab) callIn(lane, call string) {
	tab.t.Helper()
	tab.click(inLane(lane, attribute("call", call)))
}

// beginAll, endAll, release and call press a button of a panel.
func (tab *Tab) beginAll(activity string) {
	tab.t.Helper()
	tab.click(".actions " + attribute("begin", activity))
}
func (tab *Tab) endAll(activity string) {
	tab.t.Helper()
	tab.click(".actions " + attribute("end", activity))
}
func (tab *Tab) release(activity string) {
	tab.t.Helper()
	tab.click(".actions " + attribute("release", activity))
}
func (tab *Tab) call(call string) { tab.t.Helper(); tab.click(".actions " + attribute("call", call)) }

func attribute(name, value string) string { return fmt.Sprintf(`[data-%s=%q]`, name, value) }

func inLane(lane, selector string) string { return `[data-lane="` + lane + `"] ` + selector }

// is says that the lanes show exactly these states. One that is idle at what is shown may be at something else.
func is(states string, lanes ...string) string {
	var all []string
	for _, lane := range lanes {
		all = append(all, fmt.Sprintf(`document.querySelector(%q).textContent.replace(/ here$/, '') === %q`, inLane(lane, ".chips"), states))
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

func counts(view, text string) string { return contains(attribute("panel", view)+" .hub", text) }

func asked(view, code string) string {
	return fmt.Sprintf(`document.querySelector(%q).textContent === %q`, attribute("panel", view)+" .call code", code)
}

func answered(view, text string) string {
	return fmt.Sprintf(`document.querySelector(%q).textContent === %q`, attribute("panel", view)+" output", "→ "+text)
}

// lists says what a panel lists, each entry by its first word.
func lists(list string, words ...string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].map((each) => each.textContent.split(' ')[0]).join(' ') === %q`,
		attribute("list", list)+" li", strings.Join(words, " "))
}

// told returns what the lanes tell by a step, without the times.
func (tab *Tab) told(step string, lanes ...string) []string {
	tab.t.Helper()
	var all []string
	for _, lane := range lanes {
		all = append(all, Eval[[]string](tab, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((each) => each.lastChild.textContent).reverse()`,
			inLane(lane, attribute("step", step))))...)
	}
	return all
}

func (tab *Tab) steps(lane string) int {
	tab.t.Helper()
	shown := Eval[string](tab, fmt.Sprintf(`document.querySelector(%q).textContent`, inLane(lane, ".steps b")))
	n, err := strconv.Atoi(shown)
	require.NoError(tab.t, err)
	return n
}

// onSite plays a scenario on a hub that tabs share, below a path.
func onSite(t *testing.T, test func(t *testing.T, tab *Tab)) {
	tab := openSite(t, below+"primitives.html")
	test(t, tab)
	require.True(t, Eval[bool](tab, contains("#place", "SharedWorker")))
}

// onEachSite is onSite, and the same on a hub of the page's own: for a few, since a primitive has nothing to do with that.
func onEachSite(t *testing.T, test func(t *testing.T, tab *Tab)) {
	t.Run("shared", func(t *testing.T) {
		t.Parallel()
		onSite(t, test)
	})
	t.Run("own worker", func(t *testing.T) {
		t.Parallel()
		tab := openSite(t, "/primitives.html?worker")
		test(t, tab)
		require.True(t, Eval[bool](tab, contains("#place", "in a Worker")))
	})
}

func TestSiteSignal(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, tab *Tab) {
		tab.beginAll("signal")
		tab.sees(is("waiting", lanesOfOneTab...))
		tab.sees(counts("signal", "4 waiting"))
		tab.call("signal signals")
		tab.sees(answered("signal", "4"))
		tab.sees(is("idle", lanesOfOneTab...))
		tab.sees(logged(1, "signal woken", lanesOfOneTab...))
		tab.sees(counts("signal", "0 waiting"))

		tab.call("signal signals")
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
		tab.callIn(laneInGo, "signal signals")
		tab.sees(is("idle", lanesOfOneTab...))
		tab.sees(logged(2, "signal woken", laneOfPage, laneB) + " && " + logged(1, "signal woken", laneA, laneInGo))
		tab.sees(contains(inLane(laneInGo, `[data-step="signal signals"]`), "wakes 2"))
	})
}

// A Worker that is still to start does what all were told to do before it was there.
func TestSiteTellsThoseThatAreStillToStart(t *testing.T) {
	t.Parallel()
	tab := openSite(t, "/primitives.html")
	const laneC = "tab 1 C"
	addAnd := func(selector string) {
		t.Helper()
		tab.Do(fmt.Sprintf(`document.getElementById('add').click(); document.querySelector(%q).click()`, selector))
	}
	addAnd(`.actions [data-begin=signal]`)
	tab.sees(is("waiting", append(lanesOfOneTab, laneC)...) + " && " + counts("signal", "5 waiting"))
	tab.view("semaphore")
	addAnd(`.actions [data-begin=semaphore]`)
	tab.sees(is("holding 1", laneC) + ` && document.querySelectorAll('.chip[data-state=holding]').length === 4 && ` +
		`document.querySelectorAll('.chip[data-state=waiting]').length === 2`)
}

func TestSiteCheckpoint(t *testing.T) {
	t.Parallel()
	onSite(t, func(t *testing.T, tab *Tab) {
		tab.view("checkpoint")
		for _, lane := range []string{laneA, laneInGo} {
			tab.toggle(lane, "checkpoint")
			tab.sees(is("running", lane))
		}
		tab.sees(fmt.Sprintf(`document.querySelector(%q).textContent > 2`, inLane(laneA, ".steps b")))
		tab.call("checkpoint arms")
		tab.sees(answered("checkpoint", "done"))
		tab.sees(is("parked", laneA, laneInGo) + " && " + counts("checkpoint", "holding · 2 parked"))
		before := tab.steps(laneA)

		tab.call("checkpoint arms")
		tab.sees(contains(attribute("panel", "checkpoint")+" output", "AlreadyArmedError"))
		tab.call("checkpoint disarms")
		tab.sees(answered("checkpoint", "false"))
		require.Equal(t, before, tab.steps(laneA), "a parked lane does not work")
		tab.call("checkpoint resumes")
		tab.sees(answered("checkpoint", "2"))
		tab.sees(is("running", laneA, laneInGo) + " && " + logged(1, "checkpoint resumed", laneA, laneInGo))
		tab.sees(fmt.Sprintf(`document.querySelector(%q).textContent > %d`, inLane(laneA, ".steps b"), before+1))

		for _, lane := range []string{laneA, laneInGo} {
			tab.toggle(lane, "checkpoint")
		}
		tab.sees(is("idle", lanesOfOneTab...))
		tab.call("checkpoint arms")
		tab.sees(counts("checkpoint", "armed"))
		tab.call("checkpoint resumes")
		tab.sees(answered("checkpoint", "0"))
		tab.call("checkpoint disarms")
		tab.sees(answered("checkpoint", "true"))
		tab.sees(contains(inLane(laneOfPage, ".log"), "DisarmedError"))

		tab.call("checkpoint arms")
		tab.sees(counts("checkpoint", "armed"))
		tab.beginAll("checkpoint")
		tab.sees(is("parked", lanesOfOneTab...))
		tab.toggle(laneB, "checkpoint")
		tab.toggle(laneInGo, "checkpoint")
		tab.sees(is("idle", laneB, laneInGo) + " && " + is("parked", laneOfPage, laneA))
		tab.call("checkpoint resumes")
		tab.sees(answered("checkpoint", "2"))
	})
}

func TestSiteSharedTask(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, tab *Tab) {
		tab.view("task")
		lanes := []string{laneOfPage, laneA, laneB}
		tab.toggle(laneA, "task")
		tab.sees(logged(1, "task runs", laneA) + " && " + counts("task", "running · 1 waiting"))
		tab.beginAll("task")
		tab.sees(is("waiting", laneOfPage, laneB) + " && " + counts("task", "running · 3 waiting"))
		tab.toggle(laneA, "task")
		tab.sees(logged(1, "task leaves", laneA) + " && " + is("running", laneA) + " && " + counts("task", "running · 2 waiting"))
		tab.call("task succeeds")
		tab.sees(is("idle", lanes...) + " && " + logged(1, "task gets", laneOfPage, laneB))
		tab.toggle(laneA, "task")
		tab.sees(logged(1, "task gets", lanes...) + " && " + counts("task", "done"))
		for _, got := range tab.told("task gets", lanes...) {
			require.Equal(t, "gets what Worker A has done", got)
		}

		tab.call("task closes")
		tab.sees(answered("task", "done"))
		tab.toggle(laneB, "task")
		tab.sees(logged(1, "task runs", laneB))
		tab.toggle(laneOfPage, "task")
		tab.sees(is("waiting", laneOfPage))
		tab.call("task errs")
		tab.sees(is("idle", lanes...) + " && " + logged(1, "task throws", laneB))
		tab.toggle(laneA, "task")
		tab.sees(logged(1, "task sees", lanes...))
		require.Equal(t, slices.Repeat([]string{"sees Error: the server is down"}, 3), tab.told("task sees", lanes...))

		tab.call("task closes")
		tab.sees(answered("task", "done"))
		tab.beginAll("task")
		tab.sees(counts("task", "running · 3 waiting"))
		for _, lane := range lanes {
			tab.toggle(lane, "task")
		}
		tab.sees(`document.querySelectorAll('[data-step="task cancelled"]').length === 1 && ` + is("idle", lanes...))
	})
}

func TestSiteSharedResource(t *testing.T) {
	t.Parallel()
	onSite(t, func(t *testing.T, tab *Tab) {
		tab.view("resource")
		tab.toggle(laneA, "resource")
		tab.sees(is("holding", laneA))
		tab.beginAll("resource")
		holders := []string{laneOfPage, laneA, laneB}
		tab.sees(is("holding", holders...) + " && " + counts("resource", "live · held by 3"))
		tab.sees(logged(1, "resource starts", laneA) + " && " + logged(0, "resource starts", laneOfPage, laneB))
		held := tab.told("resource holds", holders...)
		require.Equal(t, []string{held[0], held[0], held[0]}, held, "one resource for all")

		tab.toggle(laneA, "resource")
		tab.sees(is("idle", laneA) + " && " + counts("resource", "live · held by 2"))
		tab.endAll("resource")
		tab.sees(is("idle", holders...) + " && " + counts("resource", "idle · held by 0"))
		tab.sees(logged(1, "resource closes", laneA) + " && " + logged(0, "resource closes", laneOfPage, laneB))

		tab.toggle(laneB, "resource")
		tab.sees(is("holding", laneB) + " && " + logged(1, "resource starts", laneB))
		tab.toggle(laneB, "resource")
		tab.sees(is("idle", laneB) + " && " + logged(1, "resource closes", laneB))

		tab.call("resource errs")
		tab.sees(answered("resource", "true"))
		tab.toggle(laneB, "resource")
		tab.toggle(laneA, "resource")
		tab.sees(logged(1, "resource sees", laneA, laneB) + " && " + is("idle", holders...))
		require.Equal(t, slices.Repeat([]string{"sees Error: no such stream"}, 2), tab.told("resource sees", laneA, laneB))
		require.Len(t, tab.told("resource throws", laneA, laneB), 1, "one start, and one fault")
		tab.toggle(laneB, "resource")
		tab.sees(is("holding", laneB))
	})
}

func TestSiteLock(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, tab *Tab) {
		tab.view("lock")
		tab.toggle(laneA, "lock")
		tab.sees(is("holding", laneA))
		for _, lane := range []string{laneInGo, laneB, laneOfPage} {
			tab.toggle(lane, "lock")
			tab.sees(is("waiting", lane))
		}
		tab.sees(counts("lock", "held · 3 waiting"))
		tab.toggle(laneB, "lock")
		tab.sees(is("idle", laneB) + " && " + logged(1, "lock leaves", laneB) + " && " + counts("lock", "held · 2 waiting"))
		tab.release("lock")
		tab.sees(is("holding", laneInGo) + " && " + is("idle", laneA) + " && " + is("waiting", laneOfPage))
		tab.release("lock")
		tab.sees(is("holding", laneOfPage) + " && " + is("idle", laneInGo) + " && " + counts("lock", "held · 0 waiting"))

		tab.toggle(laneA, "lock")
		tab.sees(is("waiting", laneA))
		tab.toggle(laneInGo, "lock")
		tab.sees(is("waiting", laneInGo))
		tab.toggleAs(laneB, "lock", "steal")
		tab.sees(is("holding", laneB) + " && " + is("idle", laneOfPage) + " && " + is("waiting", laneA, laneInGo))
		require.Contains(t, tab.told("lock loses", laneOfPage)[0], "StolenError")
		tab.toggleAs(laneB, "lock", "steal")
		tab.sees(is("holding", laneA) + " && " + is("idle", laneB) + " && " + is("waiting", laneInGo))
		tab.toggle(laneA, "lock")
		tab.sees(is("holding", laneInGo) + " && " + is("idle", laneA))
		tab.toggleAs(laneOfPage, "lock", "steal")
		tab.sees(is("holding", laneOfPage) + " && " + is("idle", laneInGo) + " && " + logged(1, "lock loses", laneInGo))
		tab.toggleAs(laneInGo, "lock", "steal")
		tab.sees(is("holding", laneInGo) + " && " + is("idle", laneOfPage) + " && " + logged(2, "lock loses", laneOfPage))

		tab.beginAll("lock")
		tab.sees(counts("lock", "held · 3 waiting"))
		for range lanesOfOneTab {
			tab.sees(`document.querySelectorAll('.chip[data-state=holding]').length === 1`)
			holder := Eval[string](tab, `document.querySelector('.lane[data-state=holding]').dataset.lane`)
			tab.release("lock")
			tab.sees(is("idle", holder))
		}
		tab.sees(is("idle", lanesOfOneTab...) + " && " + counts("lock", "free · 0 waiting"))
	})
}

func TestSiteReentrantLock(t *testing.T) {
	t.Parallel()
	onSite(t, func(t *testing.T, tab *Tab) {
		tab.view("lock")
		enter := func(lane string) { t.Helper(); tab.click(inLane(lane, attribute("begin", "lock again"))) }
		exit := func(lane string) { t.Helper(); tab.click(inLane(lane, attribute("end", "lock again"))) }
		hands := func(from, to string) {
			t.Helper()
			enter(from)
			tab.sees(is("holding ×1", from))
			enter(to)
			tab.sees(is("waiting", to))
			enter(from)
			tab.sees(is("holding ×2", from) + " && " + counts("lock", "entered 2 deep · 1 waiting"))
			exit(from)
			tab.sees(is("holding ×1", from) + " && " + is("waiting", to) + " && " + counts("lock", "entered 1 deep · 1 waiting"))
			exit(from)
			tab.sees(is("idle", from) + " && " + is("holding ×1", to))
			exit(to)
			tab.sees(is("idle", to) + " && " + counts("lock", "entered 0 deep · 0 waiting"))
		}
		hands(laneA, laneInGo)
		hands(laneInGo, laneOfPage)
		enter(laneB)
		tab.sees(is("holding ×1", laneB))
		enter(laneInGo)
		tab.sees(is("waiting", laneInGo))
		exit(laneInGo)
		tab.sees(is("idle", laneInGo) + " && " + logged(1, "lock leaves", laneInGo) + " && " + is("holding ×1", laneB))
	})
}

func TestSiteRWLock(t *testing.T) {
	t.Parallel()
	onSite(t, func(t *testing.T, tab *Tab) {
		tab.view("rwlock")
		tab.toggleAs(laneA, "rwlock", "shared")
		tab.toggleAs(laneInGo, "rwlock", "shared")
		tab.sees(is("holding shared", laneA, laneInGo) + " && " + counts("rwlock", "shared by 2 · 0 waiting"))
		tab.toggleAs(laneB, "rwlock", "exclusive")
		tab.sees(is("waiting exclusive", laneB))
		tab.toggleAs(laneOfPage, "rwlock", "shared")
		tab.sees(is("waiting shared", laneOfPage) + " && " + counts("rwlock", "shared by 2 · 2 waiting"))
		tab.sees(lists("held", "shared") + " && " + lists("pending", "exclusive", "shared")) // a goroutine has no session
		tab.toggleAs(laneB, "rwlock", "exclusive")
		tab.sees(is("idle", laneB) + " && " + is("holding shared", laneOfPage, laneA, laneInGo))
		tab.sees(counts("rwlock", "shared by 3") + " && " + lists("held", "shared", "shared") + " && " + lists("pending"))

		tab.toggleAs(laneB, "rwlock", "exclusive")
		tab.sees(is("waiting exclusive", laneB))
		tab.toggleAs(laneInGo, "rwlock", "shared")
		tab.sees(is("idle", laneInGo))
		tab.toggleAs(laneInGo, "rwlock", "exclusive")
		tab.sees(is("waiting exclusive", laneInGo))
		tab.toggleAs(laneOfPage, "rwlock", "shared")
		tab.sees(is("idle", laneOfPage) + " && " + is("waiting exclusive", laneB, laneInGo))
		tab.toggleAs(laneA, "rwlock", "shared")
		tab.sees(is("holding exclusive", laneB) + " && " + lists("held", "exclusive") + " && " + lists("pending"))
		tab.toggleAs(laneB, "rwlock", "exclusive")
		tab.sees(is("holding exclusive", laneInGo) + " && " + counts("rwlock", "held by one alone") + " && " + lists("held"))
		tab.endAll("rwlock")
		tab.sees(is("idle", lanesOfOneTab...))
		tab.beginAll("rwlock")
		tab.sees(is("holding shared", lanesOfOneTab...) + " && " + counts("rwlock", "shared by 4"))
	})
}

func TestSiteSemaphore(t *testing.T) {
	t.Parallel()
	onSite(t, func(t *testing.T, tab *Tab) {
		tab.view("semaphore")
		tab.toggleAs(laneA, "semaphore", "3")
		tab.sees(is("holding 3", laneA))
		tab.toggleAs(laneB, "semaphore", "3")
		tab.sees(is("waiting 3", laneB))
		for _, lane := range []string{laneInGo, laneOfPage} {
			tab.toggleAs(lane, "semaphore", "1")
			tab.sees(is("waiting 1", lane))
		}
		tab.sees(counts("semaphore", "1 of 4 permits available · 3 waiting"))
		tab.toggleAs(laneB, "semaphore", "3")
		tab.sees(is("holding 1", laneInGo) + " && " + is("waiting 1", laneOfPage) + " && " + logged(1, "semaphore leaves", laneB))
		tab.sees(counts("semaphore", "0 of 4 permits available · 1 waiting"))

		tab.call("semaphore grows")
		tab.sees(answered("semaphore", "done") + " && " + is("holding 1", laneOfPage))
		tab.sees(counts("semaphore", "1 of 6 permits available · 0 waiting"))
		tab.toggleAs(laneB, "semaphore", "3")
		tab.sees(is("waiting 3", laneB))
		tab.toggleAs(laneA, "semaphore", "3")
		tab.sees(is("holding 3", laneB) + " && " + counts("semaphore", "1 of 6"))
		tab.call("semaphore shrinks")
		tab.sees(counts("semaphore", "0 of 4 permits available"))
		for lane, permits := range map[string]string{laneOfPage: "1", laneB: "3", laneInGo: "1"} {
			tab.toggleAs(lane, "semaphore", permits)
		}
		tab.sees(is("idle", lanesOfOneTab...) + " && " + counts("semaphore", "4 of 4 permits available"))
		tab.toggleAs(laneInGo, "semaphore", "3")
		tab.sees(is("holding 3", laneInGo))
		tab.toggleAs(laneA, "semaphore", "3")
		tab.sees(is("waiting 3", laneA))
		tab.toggleAs(laneInGo, "semaphore", "3")
		tab.sees(is("holding 3", laneA))
	})
}

func TestSiteEvent(t *testing.T) {
	t.Parallel()
	onSite(t, func(t *testing.T, tab *Tab) {
		tab.view("event")
		tab.beginAll("event")
		tab.sees(is("waiting", lanesOfOneTab...) + " && " + counts("event", "not set · 4 waiting"))
		tab.toggle(laneA, "event")
		tab.sees(is("idle", laneA) + " && " + logged(1, "event leaves", laneA))
		tab.call("event sets")
		tab.sees(answered("event", "3") + " && " + is("idle", lanesOfOneTab...))
		tab.sees(logged(1, "event woken", laneOfPage, laneB, laneInGo) + " && " + counts("event", "set · 0 waiting"))
		tab.beginAll("event")
		tab.sees(logged(1, "event passes", lanesOfOneTab...))
		tab.call("event sets")
		tab.sees(answered("event", "0"))
		tab.call("event clears")
		tab.sees(answered("event", "true"))
		tab.toggle(laneB, "event")
		tab.sees(is("waiting", laneB))
		tab.callIn(laneInGo, "event sets")
		tab.sees(is("idle", laneB) + " && " + logged(2, "event woken", laneB))
		tab.sees(contains(inLane(laneInGo, `[data-step="event sets"]`), "wakes 1"))
	})
}

func TestSiteCondition(t *testing.T) {
	t.Parallel()
	onSite(t, func(t *testing.T, tab *Tab) {
		tab.view("condition")
		for i, lane := range []string{laneA, laneB, laneOfPage} {
			tab.toggle(lane, "condition")
			tab.sees(counts("condition", fmt.Sprintf("%d waiting to be notified · the lock is free", i+1)))
		}
		tab.sees(is("waiting", laneA, laneB, laneOfPage))
		tab.call("condition notifies")
		tab.sees(asked("condition", "condition.notify()") + " && " + answered("condition", "1"))
		tab.sees(is("holding", laneA) + " && " + is("waiting", laneB, laneOfPage))
		tab.toggle(laneA, "condition")
		tab.sees(is("idle", laneA) + " && " + counts("condition", "2 waiting to be notified · the lock is free"))

		tab.toggle(laneInGo, "condition lock")
		tab.sees(is("holding", laneInGo))
		tab.call("condition notifiesAll")
		tab.sees(answered("condition", "2") + " && " + is("waiting", laneB, laneOfPage))
		tab.sees(counts("condition", "0 waiting to be notified · the lock is held, 2 in its line"))
		tab.toggle(laneInGo, "condition lock")
		tab.sees(is("holding", laneB) + " && " + is("idle", laneInGo) + " && " + is("waiting", laneOfPage))
		tab.toggle(laneB, "condition")
		tab.sees(is("holding", laneOfPage) + " && " + is("idle", laneB))
		tab.toggle(laneOfPage, "condition")
		tab.sees(is("idle", lanesOfOneTab...) + " && " + counts("condition", "the lock is free, 0 in its line"))
		tab.call("condition notifies")
		tab.sees(answered("condition", "0"))

		// Who leaves holds the lock again before the call ends, and so waits for it.
		for i, lane := range []string{laneA, laneB} {
			tab.toggle(lane, "condition")
			tab.sees(counts("condition", fmt.Sprintf("%d waiting to be notified", i+1)))
		}
		tab.toggle(laneInGo, "condition lock")
		tab.sees(is("holding", laneInGo))
		tab.toggle(laneA, "condition")
		tab.sees(counts("condition", "1 waiting to be notified · the lock is held, 1 in its line") + " && " + is("waiting", laneA))
		tab.toggle(laneInGo, "condition lock")
		tab.sees(is("idle", laneA) + " && " + logged(1, "condition leaves", laneA) + " && " + is("waiting", laneB))
		tab.call("condition notifies")
		tab.sees(is("holding", laneB) + " && " + logged(2, "condition woken", laneB))
	})
}

func TestSiteBarrier(t *testing.T) {
	t.Parallel()
	onSite(t, func(t *testing.T, tab *Tab) {
		tab.view("barrier")
		two := []string{laneA, laneInGo}
		arrive := func() {
			t.Helper()
			for _, lane := range two {
				tab.toggle(lane, "barrier")
				tab.sees(is("waiting", lane))
			}
			tab.sees(counts("barrier", "2 of 3 are there"))
		}
		arrive()
		tab.toggle(laneB, "barrier")
		tab.sees(is("idle", lanesOfOneTab...) + " && " + counts("barrier", "0 of 3 are there · generation 1"))
		require.Equal(t, []string{"goes on; index 0", "goes on; index 1", "goes on; index 2"},
			tab.told("barrier goes", laneA, laneInGo, laneB))

		arrive()
		tab.toggle(laneInGo, "barrier")
		tab.sees(is("idle", two...) + " && " + logged(1, "barrier leaves", laneInGo) + " && " + counts("barrier", "broken"))
		require.Contains(t, tab.told("barrier sees", laneA)[0], "BrokenBarrierError")
		tab.toggle(laneOfPage, "barrier")
		tab.toggle(laneInGo, "barrier")
		tab.sees(logged(1, "barrier sees", laneOfPage, laneInGo))
		tab.call("barrier resets")
		tab.sees(answered("barrier", "0") + " && " + counts("barrier", "0 of 3 are there"))

		tab.beginAll("barrier")
		tab.sees(counts("barrier", "1 of 3 are there") + ` && document.querySelectorAll('.chip[data-state=idle]').length === 3`)
		tab.call("barrier resets")
		tab.sees(answered("barrier", "1") + " && " + is("idle", lanesOfOneTab...))
	})
}

func TestSiteLatch(t *testing.T) {
	t.Parallel()
	onSite(t, func(t *testing.T, tab *Tab) {
		tab.view("latch")
		tab.beginAll("latch")
		tab.sees(is("waiting", lanesOfOneTab...) + " && " + counts("latch", "3 to go · 4 waiting"))
		tab.toggle(laneB, "latch")
		tab.sees(is("idle", laneB) + " && " + logged(1, "latch leaves", laneB))
		tab.call("latch counts")
		tab.sees(answered("latch", "2") + " && " + counts("latch", "2 to go · 3 waiting"))
		tab.callIn(laneA, "latch counts")
		tab.sees(counts("latch", "1 to go · 3 waiting") + " && " + is("waiting", laneOfPage, laneA, laneInGo))
		tab.callIn(laneInGo, "latch counts")
		tab.sees(is("idle", lanesOfOneTab...) + " && " + logged(1, "latch woken", laneOfPage, laneA, laneInGo))
		tab.beginAll("latch")
		tab.sees(logged(1, "latch passes", lanesOfOneTab...))
		tab.call("latch counts")
		tab.sees(contains(attribute("panel", "latch")+" output", "OverReleaseError"))

		tab.call("latch closes")
		tab.sees(answered("latch", "done") + " && " + counts("latch", "3 to go · 0 waiting"))
		tab.toggle(laneA, "latch")
		tab.toggle(laneInGo, "latch")
		tab.sees(is("waiting", laneA, laneInGo) + " && " + counts("latch", "3 to go · 2 waiting"))
		tab.toggle(laneInGo, "latch")
		tab.sees(is("idle", laneInGo) + " && " + logged(1, "latch leaves", laneInGo))
		tab.call("latch closes")
		tab.sees(is("idle", laneA))
		require.Contains(t, tab.told("latch sees", laneA)[0], "ClosedError")
	})
}

func TestSiteQueue(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, tab *Tab) {
		tab.view("queue")
		tab.toggle(laneA, "queue put")
		tab.sees(is("waiting", laneA) + " && " + counts("queue", "3 of 3 items · 1 waiting to put, 0 to get · 3 not done"))
		tab.sees(logged(3, "queue puts", laneA))
		tab.toggle(laneA, "queue put")
		tab.sees(is("idle", laneA) + " && " + logged(1, "queue leaves", laneA) + " && " + counts("queue", "0 waiting to put"))

		tab.toggle(laneB, "queue put")
		tab.sees(is("waiting", laneB) + " && " + logged(0, "queue puts", laneB))
		tab.toggle(laneOfPage, "queue get")
		tab.toggle(laneA, "queue get")
		tab.sees(fmt.Sprintf(`document.querySelectorAll(%q).length > 3`, inLane(laneB, `[data-step="queue puts"]`)))
		tab.endAll("queue put")
		tab.sees(is("idle", laneB))
		tab.sees(is("waiting", laneOfPage, laneA) + " && " + counts("queue", "0 of 3 items · 0 waiting to put, 2 to get · 0 not done"))
		put, taken := tab.told("queue puts", laneA, laneB), tab.told("queue takes", laneOfPage, laneA)
		for i := range put {
			put[i] = strings.TrimPrefix(put[i], "has put ")
		}
		for i := range taken {
			taken[i] = strings.TrimPrefix(taken[i], "takes ")
		}
		require.ElementsMatch(t, put, taken, "each item goes to one")
		require.Equal(t, put[0], taken[0], "the oldest goes first")

		tab.call("queue closes")
		tab.sees(asked("queue", "queue.close()") + " && " + answered("queue", "[]"))
		tab.sees(is("idle", laneOfPage, laneA))
		require.Contains(t, tab.told("queue sees", laneOfPage)[0], "ClosedError")

		tab.beginAll("queue put")
		tab.sees(is("waiting", laneOfPage, laneA, laneB) + " && " + counts("queue", "3 of 3 items · 3 waiting to put"))
		tab.call("queue closes")
		tab.sees(is("idle", laneOfPage, laneA, laneB) + " && " + counts("queue", "3 of 3 items · 0 waiting to put"))
		tab.toggle(laneB, "queue get")
		tab.sees(logged(3, "queue takes", laneB) + " && " + counts("queue", "0 of 3 items"))
	})
}

func TestSitePool(t *testing.T) {
	t.Parallel()
	onSite(t, func(t *testing.T, tab *Tab) {
		tab.view("pool")
		for _, lane := range []string{laneA, laneB} {
			tab.toggle(lane, "pool")
			tab.sees(is("holding", lane) + " && " + logged(1, "pool opens", lane))
		}
		tab.toggle(laneOfPage, "pool")
		tab.sees(is("waiting", laneOfPage) + " && " + counts("pool", "2 lent, 0 idle, 0 being made or unmade, of 2 · 1 waiting"))
		tab.toggle(laneOfPage, "pool")
		tab.sees(is("idle", laneOfPage) + " && " + logged(1, "pool leaves", laneOfPage))
		tab.toggle(laneOfPage, "pool")
		tab.sees(is("waiting", laneOfPage))
		tab.toggle(laneA, "pool")
		tab.sees(is("holding", laneOfPage) + " && " + is("idle", laneA) + " && " + logged(1, "pool closes", laneA))

		tab.toggle(laneB, "pool")
		tab.sees(contains(inLane(laneB, ".chips"), "keeping socket B") + " && " + counts("pool", "1 lent, 1 idle"))
		tab.toggle(laneB, "pool")
		tab.sees(is("holding", laneB) + " && " + logged(2, "pool holds", laneB))
		used := tab.told("pool holds", laneB)
		require.Equal(t, used[0], used[1], "what was kept is used again")
		tab.endAll("pool")
		tab.sees(counts("pool", "0 lent, 2 idle"))
		tab.sees(contains(inLane(laneB, ".chips"), "keeping") + " && " + contains(inLane(laneOfPage, ".chips"), "keeping"))
		tab.toggle(laneA, "pool")
		tab.sees(is("holding", laneA) + " && " + counts("pool", "1 lent, 1 idle"))
		require.Len(t, tab.told("pool closes", laneOfPage, laneB), 1, "one that is idle elsewhere makes room")

		tab.toggle(laneA, "pool")
		tab.sees(contains(inLane(laneA, ".chips"), "keeping"))
		tab.call("pool errs")
		tab.sees(answered("pool", "true"))
		without := Eval[string](tab, fmt.Sprintf(`%q.split(' ').find((lane) => !document.querySelector('[data-lane="tab 1 ' + lane + '"] .chips').textContent.includes('keeping'))`, "page A B"))
		tab.toggle("tab 1 "+without, "pool")
		tab.sees(logged(1, "pool sees", "tab 1 "+without) + " && " + logged(1, "pool throws", "tab 1 "+without))
		require.Equal(t, []string{"sees Error: refused"}, tab.told("pool sees", "tab 1 "+without))
		tab.toggle("tab 1 "+without, "pool")
		tab.sees(is("holding", "tab 1 "+without))
	})
}

func TestSiteOnce(t *testing.T) {
	t.Parallel()
	onSite(t, func(t *testing.T, tab *Tab) {
		tab.view("once")
		lanes := []string{laneOfPage, laneA, laneB}
		tab.toggle(laneA, "once")
		tab.sees(logged(1, "once runs", laneA) + " && " + counts("once", "running · 1 waiting"))
		tab.beginAll("once")
		tab.sees(is("waiting", laneOfPage, laneB) + " && " + counts("once", "running · 3 waiting"))
		tab.call("once errs")
		tab.sees(answered("once", "true") + " && " + is("idle", lanes...))
		tab.sees(logged(1, "once sees", lanes...) + " && " + logged(0, "once runs", laneOfPage, laneB))

		tab.toggle(laneB, "once")
		tab.sees(logged(1, "once runs", laneB))
		tab.toggle(laneOfPage, "once")
		tab.sees(is("waiting", laneOfPage))
		tab.toggle(laneOfPage, "once")
		tab.sees(is("idle", laneOfPage) + " && " + logged(1, "once leaves", laneOfPage))
		tab.call("once succeeds")
		tab.sees(is("idle", lanes...) + " && " + counts("once", "done · 0 waiting"))
		tab.beginAll("once")
		tab.sees(logged(1, "once gets", laneOfPage, laneA) + " && " + logged(2, "once gets", laneB) + " && " + logged(1, "once runs", laneA))
		for _, got := range tab.told("once gets", lanes...) {
			require.Equal(t, "gets what Worker B has done", got)
		}
		tab.call("once succeeds")
		tab.sees(answered("once", "false"))

		tab.call("once closes")
		tab.sees(answered("once", "done"))
		tab.toggle(laneOfPage, "once")
		tab.sees(logged(1, "once runs", laneOfPage))
		tab.toggle(laneOfPage, "once")
		tab.sees(is("idle", laneOfPage) + " && " + logged(1, "once cancelled", laneOfPage))
	})
}

func TestSiteSecondTab(t *testing.T) {
	t.Parallel()
	const laneOf2 = "tab 2 page"
	tab := openSite(t, "/primitives.html")
	tab.toggle(laneInGo, "signal")
	tab.sees(is("waiting", laneInGo))

	second := tab.Beside("/primitives.html")
	second.sees(ready + " && " + is("waiting", laneInGo) + " && " + is("idle", laneOfPage))
	tab.sees(is("idle", laneOf2))

	tab.beginAll("signal")
	tab.sees(is("waiting", append(lanesOfOneTab, laneOf2)...) + " && " + counts("signal", "5 waiting"))
	second.toggle("tab 2 A", "signal")
	tab.sees(counts("signal", "6 waiting") + " && " + contains(inLane(laneOf2, ".log"), "Worker A: waits"))
	second.call("signal signals")
	second.sees(answered("signal", "6"))
	tab.sees(is("idle", append(lanesOfOneTab, laneOf2)...) + " && " + logged(1, "signal woken", lanesOfOneTab...))
	tab.sees(contains(inLane(laneOf2, ".log"), "signals, and wakes 6"))

	// What a tab holds and waits for ends with it, and so does its lane.
	tab.beginAll("signal")
	tab.sees(is("waiting", append(lanesOfOneTab, laneOf2)...) + " && " + counts("signal", "5 waiting"))
	second.Close()
	tab.sees(`document.querySelectorAll('.lane').length === 4`)
	tab.call("signal signals")
	tab.sees(answered("signal", "4"))

	// Its number is free for the next, and a tab that crashes is missed as well.
	third := tab.Beside("/primitives.html")
	third.sees(ready)
	tab.sees(is("idle", laneOf2))
	third.Crash()
	tab.sees(`document.querySelectorAll('.lane').length === 4`)
}

// What a second tab does at each primitive meets what the lanes of the first do, and ends with it.
func TestSiteSecondTabAtEachPrimitive(t *testing.T) {
	t.Parallel()
	const of2 = "tab 2 page"
	first := openSite(t, "/primitives.html")
	second := first.Beside("/primitives.html")
	second.sees(ready)
	first.sees(is("idle", of2))
	view := func(name string) { first.view(name); second.view(name) }

	view("event")
	second.toggle(of2, "event")
	first.sees(is("waiting", of2))
	first.callIn(laneInGo, "event sets")
	second.sees(is("idle", of2) + " && " + logged(1, "event woken", of2) + " && " + counts("event", "set · 0 waiting"))

	view("latch")
	second.call("latch closes")
	first.sees(contains(inLane(of2, ".log"), "for a new one"))
	first.beginAll("latch")
	second.sees(is("waiting", of2, laneInGo))
	first.sees(counts("latch", "3 to go · 5 waiting"))
	for _, lane := range []string{of2, "tab 2 A", "tab 2 B"} {
		second.callIn(lane, "latch counts")
	}
	first.sees(is("idle", append(lanesOfOneTab, of2)...) + " && " + logged(1, "latch woken", append(lanesOfOneTab, of2)...))

	view("once")
	first.toggle(laneA, "once")
	first.sees(logged(1, "once runs", laneA))
	second.toggle(of2, "once")
	second.sees(is("waiting", of2))
	second.call("once succeeds")
	second.sees(contains(inLane(of2, ".log"), "gets what Worker A has done"))

	view("queue")
	second.toggle("tab 2 A", "queue put")
	first.sees(counts("queue", "3 of 3 items · 1 waiting to put"))
	first.toggle(laneB, "queue get")
	first.sees(logged(1, "queue takes", laneB) + " && " + contains(inLane(laneB, ".log"), "takes A"))

	view("condition")
	first.toggle(laneA, "condition")
	first.sees(counts("condition", "1 waiting to be notified"))
	second.toggle(of2, "condition lock")
	second.sees(is("holding", of2))
	first.call("condition notifies")
	first.sees(counts("condition", "0 waiting to be notified · the lock is held, 1 in its line"))

	view("lock")
	second.toggle(of2, "lock")
	second.sees(is("holding", of2))
	for _, lane := range []string{laneInGo, laneA} {
		first.toggle(lane, "lock")
		first.sees(is("waiting", lane))
	}
	second.click(inLane(of2, attribute("begin", "lock again")))
	second.sees(is("holding"+"holding ×1", of2))
	first.click(inLane(laneB, attribute("begin", "lock again")))
	first.sees(is("waiting", laneB))

	view("rwlock")
	second.toggleAs(of2, "rwlock", "exclusive")
	second.sees(is("holding exclusive", of2))
	first.beginAll("rwlock")
	first.sees(is("waiting shared", lanesOfOneTab...))
	first.sees(lists("held", "exclusive") + " && " + lists("pending", "shared", "shared", "shared"))

	view("semaphore")
	second.toggleAs(of2, "semaphore", "3")
	second.sees(is("holding 3", of2))
	first.toggleAs(laneInGo, "semaphore", "3")
	first.sees(is("waiting 3", laneInGo))

	view("pool")
	for _, lane := range []string{of2, "tab 2 A"} {
		second.toggle(lane, "pool")
		second.sees(is("holding", lane))
	}
	first.toggle(laneB, "pool")
	first.sees(is("waiting", laneB) + " && " + counts("pool", "2 lent"))

	view("barrier")
	second.toggle(of2, "barrier")
	second.sees(is("waiting", of2))
	first.toggle(laneInGo, "barrier")
	first.sees(counts("barrier", "2 of 3 are there"))

	// All that the tab held and waited for is given back as it closes.
	second.Close()
	first.sees(is("idle", laneInGo) + " && " + logged(1, "barrier sees", laneInGo) + " && " + counts("barrier", "broken"))
	first.view("pool")
	first.sees(is("holding", laneB) + " && " + counts("pool", "1 lent, 0 idle"))
	first.view("semaphore")
	first.sees(is("holding 3", laneInGo))
	first.view("rwlock")
	first.sees(is("holding shared", lanesOfOneTab...))
	first.view("lock")
	first.sees(is("holding", laneInGo) + " && " + is("waiting", laneA) + " && " + is("holding ×1", laneB))
	first.view("condition")
	first.sees(is("holding", laneA) + " && " + logged(1, "condition woken", laneA))
}

// A primitive has an address, and the history knows where one was.
func TestSiteHasAnAddressForEachPrimitive(t *testing.T) {
	t.Parallel()
	shows := func(view string) string {
		return fmt.Sprintf(`document.querySelector('.views [aria-current]').hash === '#%[1]s' &&
			document.querySelectorAll('[data-panel]:not([hidden])').length === 1 &&
			!document.querySelector('[data-panel=%[1]s]').hidden`, view)
	}
	for _, path := range []string{"/primitives.html", "/below/a/path/primitives.html", "/primitives.html?worker"} {
		tab := openSite(t, path+"#barrier")
		tab.sees(shows("barrier"))
		tab.beginAll("barrier")
		tab.sees(counts("barrier", "1 of 3 are there · generation 1"))
		tab.view("queue")
		tab.sees(shows("queue") + ` && [...document.querySelectorAll('.chips')].map((each) => each.title + each.textContent).sort().join() ===
			'at barrier: waitingidle here,idle,idle,idle'`)
		tab.view("lock")
		tab.sees(shows("lock"))
		tab.Back()
		tab.sees(shows("queue"))
		tab.Back()
		tab.sees(shows("barrier") + ` && document.title.startsWith('Barrier')`)
		tab.sees(`document.querySelectorAll('.chip[data-state=waiting]').length === 1`)
	}
}

func TestSiteComesBack(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/primitives.html", "/primitives.html?worker"} {
		tab := openSite(t, path)
		tab.beginAll("signal")
		tab.sees(is("waiting", lanesOfOneTab...))
		tab.Reload()
		tab.sees(ready)
		tab.beginAll("signal")
		tab.sees(is("waiting", lanesOfOneTab...))
		tab.Go("/harness/blank.html")
		tab.Back()
		tab.sees(ready)
		tab.beginAll("signal")
		tab.sees(is("waiting", lanesOfOneTab...))
		tab.call("signal signals")
		tab.sees(answered("signal", "4"))
	}
}

func TestSiteStaysInPlace(t *testing.T) {
	t.Parallel()
	staysInPlace(t, "/primitives.html", ready, func(tab *Tab) {
		for _, view := range tab.views() {
			tab.view(view)
			tab.sees(counts(view, "The hub counts"))
			tab.watchShifts(false)
			tab.click(attribute("panel", view) + " .actions [data-begin]")
			tab.sees(fmt.Sprintf(`document.querySelector(%q)`, inLane(laneB, `.log li:not([hidden])`)))
			tab.click(inLane(laneB, `.buttons div:not([hidden]) [data-toggle]`))
			tab.sees(fmt.Sprintf(`document.querySelectorAll(%q).length > 1`, inLane(laneB, `.log li:not([hidden])`)))
			require.Empty(t, tab.shifts(), "layout shift at %s", view)
		}
	})
}

// staysInPlace opens a page on a desk and on a phone, waits until it is there, and uses it: nothing in it moves.
func staysInPlace(t *testing.T, path, there string, use func(tab *Tab)) {
	for _, width := range widths {
		t.Run(strconv.FormatInt(width, 10), func(t *testing.T) {
			tab := Open(t, "/harness/blank.html")
			tab.do("shape", chromedp.EmulateViewport(width, 900))
			tab.Go(path)
			tab.sees(there)
			tab.watchShifts(true)
			require.Empty(t, tab.shifts(), "while it was loaded")
			use(tab)
			require.Empty(t, tab.shifts())
			require.LessOrEqual(t, Eval[int64](tab, `document.documentElement.scrollWidth`), width, "nothing is wider than the page")
		})
	}
}

// watchShifts notes from now on what moves in the page, or with those buffered, since it was loaded.
func (tab *Tab) watchShifts(buffered bool) {
	tab.t.Helper()
	tab.Do(fmt.Sprintf(`await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
		globalThis.shifted = [];
		globalThis.add = (entries) => {
			for (const { sources } of entries) {
				for (const { node, previousRect, currentRect } of sources) {
					const text = node?.outerHTML ?? node?.parentNode?.outerHTML;
					shifted.push(text + JSON.stringify([previousRect, currentRect]));
				}
			}
		};
		globalThis.observer?.disconnect();
		globalThis.observer = new PerformanceObserver((list) => add(list.getEntries()));
		observer.observe({ type: 'layout-shift', buffered: %t });`, buffered))
}

// shifts are the elements that have moved.
func (tab *Tab) shifts() []string {
	tab.t.Helper()
	return Eval[[]string](tab, `new Promise((resolve) => {
		requestAnimationFrame(() => setTimeout(() => { add(observer.takeRecords()); resolve(shifted); }));
	})`)
}

// views are the names of the primitives, as the index of the page has them.
func (tab *Tab) views() []string {
	tab.t.Helper()
	return Eval[[]string](tab, `[...document.querySelectorAll('.views a')].map((each) => each.hash.slice(1))`)
}

func TestSiteByKeyboard(t *testing.T) {
	t.Parallel()
	tab := openSite(t, "/primitives.html")
	focused := `document.activeElement.textContent`
	next := func(want string) {
		t.Helper()
		tab.do("tab on", chromedp.KeyEvent("\t"))
		require.Equal(t, want, Eval[string](tab, focused))
	}
	next("Skip to the primitive")
	for _, name := range []string{"clca", "Primitives", "Scenarios", "Examples", "Benchmark", "Conformance"} {
		next(name)
	}
	require.Len(t, tab.views(), 14)
	for _, view := range Eval[[]string](tab, `[...document.querySelectorAll('.views a')].map((each) => each.textContent)`) {
		next(view)
	}
	next("Its scenarios")
	next("All wait")
	next("Wake all")
	next("Add a Worker")
	next("Open another tab")
	for Eval[bool](tab, `document.activeElement.closest('.lanes') === null`) { // the diagram comes first
		tab.do("tab on", chromedp.KeyEvent("\t"))
	}
	require.Equal(t, "Wait", Eval[string](tab, focused))
	tab.do("press", chromedp.KeyEvent(" "))
	tab.sees(is("waiting", laneOfPage))
	require.Equal(t, "Leave", Eval[string](tab, focused))
	tab.do("press", chromedp.KeyEvent("\r"))
	tab.sees(is("idle", laneOfPage))
}

func emulate(theme string) chromedp.Action[chromedp.Void] {
	return media("prefers-color-scheme", theme)
}
