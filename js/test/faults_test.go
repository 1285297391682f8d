//go:build !js

package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fate is what became of one realm's calls when its hub ended; see fate.ts.
type fate struct {
	Pending, Later, Lost map[string]string
	Closed               string
	Runs                 map[string]int
	Known                float64
}

const faults = "/test/faults.html"

// requireFate holds all realms of a tab to the same end: an error whose text matches, and what closed resolved with.
func requireFate(t *testing.T, tab *Tab, realms int, failure, closed string) {
	t.Helper()
	fates := Eval[map[string]fate](tab, `lab.allFates()`)
	require.Len(t, fates, realms)
	last := 0.0
	for who, f := range fates {
		require.Len(t, f.Pending, 25, who)
		require.Len(t, f.Later, 38, who)
		require.Len(t, f.Lost, 9, who)
		require.Regexp(t, closed, f.Closed, who)
		for _, ends := range []map[string]string{f.Pending, f.Later, f.Lost} {
			for what, end := range ends {
				require.Regexp(t, failure, end, "%s: %s", who, what)
			}
		}
		require.Len(t, f.Runs, 8, who)
		for function, runs := range f.Runs {
			once := 1
			if strings.HasPrefix(function, "later ") {
				once = 0
			}
			require.Equal(t, once, runs, "%s: how often %s was called", who, function)
		}
		last = max(last, f.Known)
	}
	if ended := Eval[float64](tab, `lab.ended`); ended > 0 {
		t.Logf("all realms knew after %.1f ms", last-ended)
	}
}

// everyRealm has a page, a Worker of it, and a Worker of that one wait for their fate.
const everyRealm = `
	await lab.here('%[1]s');
	await lab.below('a Worker of %[1]s', 1);
	await lab.below('a Worker of a Worker of %[1]s', 2);`

func TestClosingTheHubRejectsAllThatIsPendingEverywhere(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"here", "worker"} {
		t.Run(where, func(t *testing.T) {
			tab := Open(t, faults)
			tab.Do(fmt.Sprintf(`await lab.open({ where: '%s' });`, where))
			tab.Do(fmt.Sprintf(everyRealm, "the page"))
			tab.ends(`await lab.hub.close()`)
			requireFate(t, tab, 3, `^ClosedError: `, `^undefined$`)
		})
	}

	t.Run("shared by two tabs", func(t *testing.T) {
		tabs := twoTabs(t, "hub-worker.js")
		tabs[1].ends(`await lab.hub.signal('close the hub').signal()`)
		for _, tab := range tabs {
			requireFate(t, tab, 3, `^ClosedError: `, `^undefined$`)
		}
	})
}

// twoTabs are two tabs on one hub in a SharedWorker, in all realms of which something is pending.
func twoTabs(t *testing.T, script string) [2]*Tab {
	first := Open(t, faults)
	tabs := [2]*Tab{first, first.Beside(faults)}
	for i, tab := range tabs {
		tab.Do(fmt.Sprintf(`await lab.join('%s', 'lab')`, script))
		tab.Do(fmt.Sprintf(everyRealm, fmt.Sprintf("tab %d", i+1)))
	}
	return tabs
}

func TestTheEndOfTheProgramRejectsAllThatIsPendingEverywhere(t *testing.T) {
	t.Parallel()
	for way, why := range map[string]string{
		"panics":    `it had to be`,
		"faults":    `nil pointer dereference`,
		"exits":     `exit code 3`,
		"overflows": `call stack|stack overflow`,
		"exhausts":  `out of memory`,
	} {
		lost := `^HubLostError: .*(` + why + `)`

		t.Run("a goroutine of the page's program "+way, func(t *testing.T) {
			tab := Open(t, faults)
			tab.Do(`await lab.open({ wasm: 'dies.wasm' })`)
			tab.Do(fmt.Sprintf(everyRealm, "the page"))
			tab.ends(fmt.Sprintf(`void lab.hub.signal('%s').signal().catch(() => {})`, way))
			requireFate(t, tab, 3, lost, lost)
			tab.Do(`await (await lab.createHub()).close()`)
		})

		t.Run("a function of the page's program "+way, func(t *testing.T) {
			tab := Open(t, faults)
			tab.Do(`await lab.open({ wasm: 'dies.wasm' })`)
			tab.Do(fmt.Sprintf(everyRealm, "the page"))
			tab.ends(fmt.Sprintf(`try { lab.hub.go['%s']() } catch {}`, way))
			requireFate(t, tab, 3, lost, lost)
		})

		t.Run("a goroutine in a Worker "+way, func(t *testing.T) {
			tab := Open(t, faults)
			tab.Do(`await lab.open({ where: 'worker', wasm: 'dies.wasm' })`)
			tab.Do(fmt.Sprintf(everyRealm, "the page"))
			tab.ends(fmt.Sprintf(`void lab.hub.signal('%s').signal().catch(() => {})`, way))
			requireFate(t, tab, 3, lost, lost)
		})

		t.Run("a goroutine in a SharedWorker "+way, func(t *testing.T) {
			tabs := twoTabs(t, "hub-worker.js?program=dies.wasm")
			tabs[1].ends(fmt.Sprintf(`void lab.hub.signal('%s').signal().catch(() => {})`, way))
			for _, tab := range tabs {
				requireFate(t, tab, 3, lost, lost)
			}
			// The SharedWorker lives, and starts another hub for those who come next.
			for _, tab := range tabs {
				tab.Do(`await lab.join('hub-worker.js?program=dies.wasm', 'lab')`)
			}
			tabs[0].Do(`lab.own = lab.hub.signal('common').wait(); await lab.hub.stats()`)
			tabs[1].Do(`lab.equal(await lab.hub.signal('common').signal(), 1)`)
			tabs[0].Do(`await lab.own`)
		})
	}
}

// ends has the hub end, noting when.
func (tab *Tab) ends(how string) {
	tab.t.Helper()
	for _, each := range tab.profile.tabs {
		if each.ctx.Err() == nil {
			each.Do(`lab.ended = lab.now()`)
		}
	}
	tab.Do(how)
}

func TestTheEndOfTheHubsRealmRejectsAllThatIsPendingEverywhere(t *testing.T) {
	t.Parallel()
	t.Run("a Worker that is terminated", func(t *testing.T) {
		tab := Open(t, faults)
		tab.Do(`await lab.open({ where: 'worker' })`)
		tab.Do(fmt.Sprintf(everyRealm, "the page"))
		tab.ends(`lab.workers[0].terminate()`)
		requireFate(t, tab, 3, `^HubLostError: `, `^HubLostError: `)
		tab.Do(`await (await lab.createHub({ where: 'worker' })).close()`)
	})

	t.Run("a tab whose hub others use", func(t *testing.T) {
		first := Open(t, faults)
		second := first.Beside(faults)
		first.Do(`await lab.open({})`)
		second.reach(first)
		second.Do(fmt.Sprintf(everyRealm, "the second tab"))
		second.ends(``)
		first.Close()
		requireFate(t, second, 3, `^HubLostError: `, `^HubLostError: `)
	})
}
