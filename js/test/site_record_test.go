//go:build !js

package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// What the site's diagram is fed with is what has happened: the events of each call, in its order, with who caused them.

// records has the page keep what is recorded from now on.
func (tab *Tab) records() {
	tab.t.Helper()
	tab.Do(`globalThis.record = [];
		const host = document.getElementById('diagram');
		host.addEventListener('recorded', ({ detail }) => record.push(detail));
		globalThis.call = (lane, text, from = 0) => record.slice(from).find((each) => each.type === 'call' && each.lane === lane && each.text === text)?.call;
		globalThis.of = (type, call) => call && record.find((each) => each.type === type && each.call === call);
		globalThis.lane = (type, lane) => record.find((each) => each.type === type && each.lane === lane);
		globalThis.inOrder = (...events) => events.every((each, i) => each !== undefined && (i === 0 || each.at >= events[i - 1].at));
		globalThis.recorded = (holds) => new Promise((resolve, reject) => {
			const check = () => {
				if (!holds()) return;
				host.removeEventListener('recorded', check);
				stop();
				resolve();
			};
			const stop = ` + afterTwentySeconds + `(() => reject(new Error(JSON.stringify(record, undefined, 1))));
			host.addEventListener('recorded', check);
			check();
		});`)
}

// recorded waits until a condition holds of what is recorded.
func (tab *Tab) recorded(condition string) {
	tab.t.Helper()
	tab.Do(fmt.Sprintf(`await recorded(() => %s)`, condition))
}

// holds looks at what is recorded now.
func (tab *Tab) holds(condition string) {
	tab.t.Helper()
	require.True(tab.t, Eval[bool](tab, condition), "%s, of %s", condition, Eval[string](tab, `JSON.stringify(record, undefined, 1)`))
}

func TestSiteRecord(t *testing.T) {
	t.Parallel()
	tab := openSite(t, "/primitives.html")
	tab.records()
	forget := func() { tab.Do(`record.length = 0`) }
	const (
		wait   = `hub.signal('go').wait()`
		signal = `hub.signal('go').signal()`
		lock   = `hub.lock('door').acquire()`
	)
	call := func(lane, text string) string { return fmt.Sprintf(`call(%q, %q)`, lane, text) }
	of := func(what, lane, text string) string { return fmt.Sprintf(`of(%q, %s)`, what, call(lane, text)) }
	inOrder := func(lane, text string, steps ...string) string {
		all := ""
		for _, step := range steps {
			all += of(step, lane, text) + ", "
		}
		return "inOrder(" + all + ")"
	}

	t.Run("a wake is by the call that caused it", func(t *testing.T) {
		tab.toggle(laneA, "signal")
		tab.toggle(laneInGo, "signal")
		tab.sees(is("waiting", laneA, laneInGo))
		tab.callIn(laneB, "signal signals")
		inGo := `hub.Signal("go").Wait(ctx)`
		tab.recorded(of("settled", laneA, wait) + " && " + of("settled", laneB, signal) + " && " + of("settled", laneInGo, inGo))
		tab.holds(inOrder(laneB, signal, "call", "taken", "answer", "settled"))
		tab.holds(inOrder(laneA, wait, "call", "taken", "answer", "settled"))
		tab.holds(inOrder(laneInGo, inGo, "call", "taken", "answer", "settled"))
		for lane, text := range map[string]string{laneA: wait, laneInGo: inGo} {
			tab.holds(of("answer", lane, text) + ".by === " + call(laneB, signal))
			tab.holds(of("settled", lane, text) + ".ok")
			tab.holds(fmt.Sprintf("inOrder(%s, %s)", of("taken", laneB, signal), of("answer", lane, text)))
		}
		tab.holds(of("settled", laneB, signal) + ".text === '2' && !" + of("answer", laneB, signal) + ".by")
	})

	t.Run("what the goroutine wakes is by its call", func(t *testing.T) {
		forget()
		tab.toggle(laneA, "signal")
		tab.sees(is("waiting", laneA))
		tab.callIn(laneInGo, "signal signals")
		tab.recorded(of("settled", laneA, wait))
		tab.holds(of("answer", laneA, wait) + ".by === " + call(laneInGo, `hub.Signal("go").Signal()`))
	})

	t.Run("who leaves gives its call up", func(t *testing.T) {
		forget()
		tab.toggle(laneA, "signal")
		tab.sees(is("waiting", laneA))
		tab.toggle(laneA, "signal")
		tab.recorded(of("cancel", laneA, wait) + " && " + of("settled", laneA, wait))
		tab.holds("!" + of("settled", laneA, wait) + ".ok && " + of("answer", laneA, wait) + " === undefined")
	})

	t.Run("what is blocked hears late of what happened meanwhile", func(t *testing.T) {
		forget()
		tab.toggle(laneA, "signal")
		tab.sees(is("waiting", laneA))
		tab.Do(fmt.Sprintf(`const block = document.querySelector(%q);
			block.dataset.block = 1000; // long enough for two clicks of one task
			block.click();
			await recorded(() => lane('blocked', %q));
			document.querySelector(%q).click();`,
			inLane(laneA, "[data-block]"), laneA, inLane(laneB, attribute("call", "signal signals"))))
		tab.recorded(of("settled", laneA, wait))
		tab.holds(fmt.Sprintf("inOrder(lane('blocked', %q), %s, lane('unblocked', %q), %s)",
			laneA, of("answer", laneA, wait), laneA, of("settled", laneA, wait)))
	})

	t.Run("a Worker can be added and killed, and what it held goes on", func(t *testing.T) {
		forget()
		const laneC = "tab 1 C"
		tab.click("#add")
		tab.sees(is("idle", laneC))
		tab.recorded(fmt.Sprintf(`lane('lane', %q)?.kind === 'worker'`, laneC))
		tab.view("lock")
		tab.toggle(laneC, "lock")
		tab.sees(is("holding", laneC))
		for _, lane := range []string{laneA, laneInGo} {
			tab.toggle(lane, "lock")
			tab.sees(is("waiting", lane))
		}
		tab.click(inLane(laneC, "[data-kill]"))
		tab.sees(is("holding", laneA) + fmt.Sprintf(` && document.querySelector('[data-lane=%q]') === null`, laneC))
		require.Equal(t, "add", Eval[string](tab, `document.activeElement.id`), "who works by the keyboard goes on there")
		tab.recorded(of("held", laneA, lock))
		tab.holds(inOrder(laneC, lock, "call", "taken", "answer", "settled", "held"))
		tab.holds("!" + of("released", laneC, lock) + " && " + of("held", laneA, lock) + ".abandoned")
		tab.holds(fmt.Sprintf("%s.by === %q && inOrder(lane('gone', %q), lane('missed', %q), %s)",
			of("answer", laneA, lock), laneC, laneC, laneC, of("answer", laneA, lock)))
		require.Equal(t, []string{"holds (abandoned)"}, tab.told("lock holds", laneA))
		tab.holds(fmt.Sprintf(`lane('gone', %q).how === 'killed' && record.filter((each) => each.type === 'gone').length === 1`, laneC))
		tab.toggle(laneA, "lock")
		tab.sees(is("holding", laneInGo))
		tab.recorded(of("held", laneInGo, `hub.Lock("door").Lock(ctx)`))
		tab.holds(of("answer", laneInGo, `hub.Lock("door").Lock(ctx)`) + ".by === " + call(laneA, lock))
		tab.toggle(laneInGo, "lock")
		tab.sees(is("idle", laneInGo))
	})

	t.Run("a call is written as one would write it", func(t *testing.T) {
		forget()
		for _, each := range []struct{ lane, view, how, text string }{
			{laneB, "semaphore", "3", `hub.semaphore('permits', 4).acquire({ permits: 3 })`},
			{laneA, "rwlock", "shared", `hub.rwlock('cache').acquire({ mode: 'shared' })`},
			{laneInGo, "rwlock", "shared", `hub.RWLock("cache").RLock(ctx)`},
		} {
			tab.view(each.view)
			tab.toggleAs(each.lane, each.view, each.how)
			tab.recorded(of("held", each.lane, each.text))
			tab.sees(is("holding "+each.how, each.lane))
			tab.toggleAs(each.lane, each.view, each.how)
			tab.recorded(of("released", each.lane, each.text))
		}
	})

	t.Run("the lanes of another tab come and go", func(t *testing.T) {
		forget()
		require.True(t, Eval[bool](tab, `!document.getElementById('another').hidden && document.getElementById('another').target === '_blank'`))
		second := tab.Beside("/primitives.html")
		second.sees(ready)
		tab.recorded(`['page', 'A', 'B'].every((each) => lane('lane', 'tab 2 ' + each))`)
		second.view("lock")
		second.toggle("tab 2 A", "lock")
		tab.recorded(of("held", "tab 2 A", lock))
		second.Close()
		tab.recorded(`['page', 'A', 'B'].every((each) => lane('gone', 'tab 2 ' + each))`)
		tab.recorded(`lane('missed', 'tab 2 A')`)
	})

	t.Run("nothing is recorded that nobody did", func(t *testing.T) {
		forget()
		tab.view("signal")
		tab.sees(counts("signal", "0 waiting"))
		tab.callIn(laneB, "signal signals") // whatever was asked of the hub before is in the record before
		tab.recorded(of("settled", laneB, signal))
		tab.holds(`record.every((each) => each.call === ` + call(laneB, signal) + `)`)
	})
}

// A tab that comes late shows what happened before as those do that were there, and joins in.
func TestSiteTabThatComesLateSeesWhatWasBefore(t *testing.T) {
	t.Parallel()
	const laneC = "tab 1 C"
	tall := chromedp.EmulateViewport(1280, 1600) // what nobody can see is not drawn
	first := openSite(t, "/primitives.html")
	first.do("shape", tall)
	first.click("#add")
	first.sees(is("idle", laneC))
	for _, lane := range []string{laneA, laneInGo, laneC} {
		first.toggle(lane, "signal")
		first.sees(is("waiting", lane))
	}
	first.click(inLane(laneC, "[data-kill]"))
	first.sees(counts("signal", "2 waiting"))
	first.callIn(laneB, "signal signals")
	first.sees(is("idle", laneA, laneInGo))
	gone := first.Beside("/primitives.html")
	gone.sees(ready)
	gone.toggle("tab 2 A", "signal")
	first.sees(counts("signal", "1 waiting"))
	gone.Close()
	first.sees(counts("signal", "0 waiting"))
	first.toggle(laneA, "signal")
	first.sees(is("waiting", laneA))

	late := first.Beside("/primitives.html")
	late.do("shape", tall)
	late.sees(ready)
	require.Equal(t, "tab 2", Eval[string](late, `document.querySelector('.lane').dataset.lane.slice(0, 5)`), "a number that is free again")
	showsTheSame := func(count int, last string) {
		t.Helper()
		shown := [2][]string{}
		for i, tab := range []*Tab{first, late} {
			tab.Do(`document.querySelector('#diagram details').open = true`)
			tab.sees(fmt.Sprintf(`(%[1]s).length >= %[2]d && (%[1]s).at(-1).includes(%[3]q)`, callsAsText, count, last))
			shown[i] = Eval[[]string](tab, callsAsText)
		}
		require.Len(t, shown[0], count)
		require.Equal(t, shown[0], shown[1])
	}
	showsTheSame(7, "; waits")
	for _, name := range []string{"Tab 1 Worker C killed", "Tab 2 Page closed", "Tab 2 Worker A closed"} {
		late.sees(fmt.Sprintf(`[...document.querySelectorAll('.names li.gone')].some((each) => [...each.children].map((of) => of.textContent).join(' ') === %q)`, name))
	}
	late.sees(`['Page', 'Worker A', 'Tab 1 Page', 'Tab 1 Worker A', 'Goroutine'].every((name) =>
		[...document.querySelectorAll('.names li:not(.gone) b')].filter((each) => each.textContent === name).length === 1)`)

	// What had begun before ends in both.
	late.callIn(laneInGo, "signal signals")
	showsTheSame(8, "woke ")
}

// What waits is told so when the hub is lost; the realms go on, and what one of them holds it holds at the next hub too.
func TestSiteRecordOfALostHub(t *testing.T) {
	t.Parallel()
	const (
		lock = `hub.lock('door').acquire()`
		inGo = `hub.Lock("door").Lock(ctx)`
		kept = `hub.lock('door'), held on`
		wait = `hub.signal('go').wait()`
		gone = `record.filter((each) => each.type === 'gone').map(({ lane, how }) => lane + ' ' + how).join()`
		text = `[...document.querySelectorAll('[data-part=list] tr')].map((row) => row.textContent)`
	)
	call := func(lane, text string) string { return fmt.Sprintf(`call(%q, %q)`, lane, text) }
	of := func(what, lane, text string) string { return fmt.Sprintf(`of(%q, %s)`, what, call(lane, text)) }
	tab := openSite(t, "/primitives.html#lock")
	tab.records()
	tab.toggle(laneInGo, "lock")
	tab.sees(is("holding", laneInGo))
	for _, lane := range []string{laneOfPage, laneA} {
		tab.toggle(lane, "lock")
		tab.sees(is("waiting", lane))
	}
	tab.Do(`document.querySelector('#diagram details').open = true`)
	tab.recorded(of("taken", laneA, lock) + " && " + of("taken", laneOfPage, lock) + " && " + of("held", laneInGo, inGo))

	tab.EndSharedWorkers()
	tab.recorded(`record.some((each) => each.type === 'note' && each.text === 'starts anew')`)
	for _, lane := range []string{laneOfPage, laneA} {
		tab.recorded(of("settled", lane, lock) + `?.text === 'HubLostError'`)
	}
	tab.sees(is("idle", lanesOfOneTab...) + " && " + counts("lock", "free · 0 waiting"))
	require.Equal(t, "hub 1 lost,goroutine lost", Eval[string](tab, gone))
	for _, lane := range []string{laneOfPage, laneA} {
		tab.holds(fmt.Sprintf(`inOrder(lane('gone', 'hub 1'), %s)`, of("settled", lane, lock)))
	}
	tab.sees(`/: 0 wait, 0 hold$/.test(` + status + `)`)
	require.NotContains(t, strings.Join(Eval[[]string](tab, text), "\n"), "; waits")

	tab.toggle(laneA, "lock")
	tab.sees(is("holding", laneA))
	tab.toggle(laneInGo, "lock")
	tab.sees(is("waiting", laneInGo))
	tab.Do(`record.length = 0`)
	tab.EndSharedWorkers()
	tab.recorded(of("held", laneA, kept))
	tab.sees(is("holding", laneA) + " && " + counts("lock", "held · 0 waiting"))
	tab.sees(`/: 0 wait, 1 holds$/.test(` + status + `)`)
	tab.toggle(laneB, "lock")
	tab.sees(is("waiting", laneB))
	tab.toggle(laneA, "lock")
	tab.recorded(of("held", laneB, lock))
	tab.holds(of("answer", laneB, lock) + ".by === " + call(laneA, kept))
	tab.holds(of("released", laneA, kept) + ".at > " + of("held", laneA, kept) + ".at")

	tab.view("signal")
	tab.beginAll("signal")
	tab.sees(is("waiting", lanesOfOneTab...))
	tab.call("signal signals")
	tab.recorded(of("settled", laneOfPage, wait) + " && " + of("settled", laneA, wait))
	for _, lane := range []string{laneOfPage, laneA, laneB} {
		tab.holds(of("answer", lane, wait) + ".by === " + call(laneOfPage, `hub.signal('go').signal()`))
	}
}

// The calls and the deaths that the diagram tells, in the words of the first tab.
const callsAsText = `[...document.querySelectorAll('[data-part=list] tr')].map((row) => row.textContent)
	.filter((text) => /hub\.|is killed/.test(text)).map((text) => text.replaceAll('Tab 1 ', ''))`

// As many Workers as there may be, and none more; who works by the keyboard adds and kills as well.
func TestSiteWorkersByKeyboard(t *testing.T) {
	t.Parallel()
	tab := openSite(t, "/primitives.html")
	tab.Do(`document.getElementById('add').focus()`)
	place := Eval[float64](tab, `document.getElementById('add').getBoundingClientRect().y`)
	for range 7 {
		tab.do("press", chromedp.KeyEvent("\r"))
	}
	tab.sees(`document.querySelectorAll('[data-kill]:not([hidden])').length === 8 && document.getElementById('add').ariaDisabled === 'true'`)
	tab.sees(ready)
	require.Equal(t, "8 Workers are the most: kill one to add one.",
		Eval[string](tab, `document.getElementById(document.getElementById('add').getAttribute('aria-describedby')).textContent`))
	require.Equal(t, "Kill Worker H", Eval[string](tab, `document.querySelector('[data-lane="tab 1 H"] [data-kill]').ariaLabel`))
	require.Equal(t, place, Eval[float64](tab, `document.getElementById('add').getBoundingClientRect().y`), "it stays under the pointer")
	require.Equal(t, "Wait: Worker H", Eval[string](tab, `document.querySelector('[data-lane="tab 1 H"] [data-toggle=signal]').ariaLabel`))
	tab.Do(`document.querySelector('[data-lane="tab 1 H"] [data-kill]').focus()`)
	tab.do("press", chromedp.KeyEvent(" "))
	tab.sees(`document.querySelector('[data-lane="tab 1 H"]') === null && document.getElementById('add').ariaDisabled === null`)
	require.Equal(t, "Worker H is gone.", Eval[string](tab, `document.getElementById('realms-said').textContent`))
}
