//go:build !js

package browser_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// fate is what became of one realm's calls when its hub ended; see fate.ts.
type fate struct {
	Pending, Later map[string]string
	Closed, Lost   string
}

const faults = "/test/faults.html"

// requireFate holds all realms of a tab to the same end: an error whose text matches, and what closed resolved with.
func requireFate(t *testing.T, tab *Tab, realms int, failure, closed string) {
	t.Helper()
	fates := Eval[map[string]fate](tab, `lab.allFates()`)
	require.Len(t, fates, realms)
	for who, f := range fates {
		require.Len(t, f.Pending, 7, who)
		require.Len(t, f.Later, 7, who)
		require.Regexp(t, closed, f.Closed, who)
		require.Regexp(t, failure, f.Lost, who)
		for _, calls := range []map[string]string{f.Pending, f.Later} {
			for call, end := range calls {
				require.Regexp(t, failure, end, "%s: %s", who, call)
			}
		}
	}
}

// everyRealm has a page, a Worker of it, and a Worker of that one wait for their fate.
const everyRealm = `
	await lab.here('%[1]s');
	await lab.below('a Worker of %[1]s', 1);
	await lab.below('a Worker of a Worker of %[1]s', 2);`

func TestClosingTheHubRejectsAllThatIsPendingEverywhere(t *testing.T) {
	for _, where := range []string{"here", "worker"} {
		t.Run(where, func(t *testing.T) {
			tab := Open(t, faults)
			tab.Do(fmt.Sprintf(`await lab.open({ where: '%s' });`, where))
			tab.Do(fmt.Sprintf(everyRealm, "the page"))
			tab.Do(`await lab.hub.close()`)
			requireFate(t, tab, 3, `^ClosedError: `, `^undefined$`)
		})
	}

	t.Run("shared by two tabs", func(t *testing.T) {
		tabs := twoTabs(t, "hub-worker.js")
		tabs[1].Do(`await lab.hub.signal('close the hub').signal()`)
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
	for way, why := range map[string]string{
		"panics":    `it had to be`,
		"faults":    `nil pointer dereference`,
		"exits":     `exit code 3`,
		"overflows": `call stack|stack overflow`,
	} {
		lost := `^HubLostError: .*(` + why + `)`

		t.Run("a goroutine of the page's program "+way, func(t *testing.T) {
			tab := Open(t, faults)
			tab.Do(`await lab.open({ wasm: 'dies.wasm' })`)
			tab.Do(fmt.Sprintf(everyRealm, "the page"))
			tab.Do(fmt.Sprintf(`void lab.hub.signal('%s').signal().catch(() => {})`, way))
			requireFate(t, tab, 3, lost, lost)
			tab.Do(`await (await lab.createHub()).close()`)
		})

		t.Run("a function of the page's program "+way, func(t *testing.T) {
			tab := Open(t, faults)
			tab.Do(`await lab.open({ wasm: 'dies.wasm' })`)
			tab.Do(fmt.Sprintf(everyRealm, "the page"))
			tab.Do(fmt.Sprintf(`try { lab.hub.go['%s']() } catch {}`, way))
			requireFate(t, tab, 3, lost, lost)
		})

		t.Run("a goroutine in a Worker "+way, func(t *testing.T) {
			tab := Open(t, faults)
			tab.Do(`await lab.open({ where: 'worker', wasm: 'dies.wasm' })`)
			tab.Do(fmt.Sprintf(everyRealm, "the page"))
			tab.Do(fmt.Sprintf(`void lab.hub.signal('%s').signal().catch(() => {})`, way))
			requireFate(t, tab, 3, lost, lost)
		})
	}

	t.Run("a goroutine in a SharedWorker panics", func(t *testing.T) {
		tabs := twoTabs(t, "hub-worker.js?program=dies.wasm")
		tabs[1].Do(`void lab.hub.signal('panics').signal().catch(() => {})`)
		for _, tab := range tabs {
			requireFate(t, tab, 3, `^HubLostError: .*it had to be`, `^HubLostError: .*it had to be`)
		}
		// The SharedWorker lives, and starts another for who comes next.
		tabs[0].Do(`await lab.join('hub-worker.js?program=dies.wasm', 'lab');
			lab.equal(await lab.hub.signal('x').signal(), 0)`)
	})
}

func TestTheEndOfTheHubsRealmRejectsAllThatIsPendingEverywhere(t *testing.T) {
	t.Run("a Worker that is terminated", func(t *testing.T) {
		tab := Open(t, faults)
		tab.Do(`await lab.open({ where: 'worker' })`)
		tab.Do(fmt.Sprintf(everyRealm, "the page"))
		tab.Do(`lab.workers[0].terminate()`)
		requireFate(t, tab, 3, `^HubLostError: `, `^HubLostError: `)
		tab.Do(`await (await lab.createHub({ where: 'worker' })).close()`)
	})

	t.Run("a SharedWorker that closes itself", func(t *testing.T) {
		tabs := twoTabs(t, "hub-worker.js")
		tabs[0].Do(`void lab.hub.signal('close the realm').signal().catch(() => {})`)
		for _, tab := range tabs {
			requireFate(t, tab, 3, `^HubLostError: `, `^HubLostError: `)
		}
	})

	t.Run("a tab whose hub others use", func(t *testing.T) {
		first := Open(t, faults)
		second := first.Beside(faults)
		// A port of the first tab's hub reaches the second through a SharedWorker's hands.
		pass := `new SharedWorker('pass-port.js', { type: 'module' }).port`
		first.Do(`await lab.open({});
			const { port1, port2 } = new MessageChannel();
			lab.hub.attach(port1);
			const hands = ` + pass + `;
			hands.postMessage({ give: port2 }, [port2]);`)
		second.Do(`const hands = ` + pass + `;
			const port = await new Promise((resolve) => { hands.onmessage = ({ data }) => resolve(data.port); });
			lab.hub = await lab.connect(port);`)
		second.Do(fmt.Sprintf(everyRealm, "the second tab"))
		first.Close()
		requireFate(t, second, 3, `^HubLostError: `, `^HubLostError: `)
	})
}
