//go:build !js

package browser_test

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

const (
	countSessions   = `lab.sessions = (await lab.hub.stats()).sessions`
	sessionsAreBack = `await lab.becomes(async () => (await lab.hub.stats()).sessions, lab.sessions)`
)

// A death is a way in which a realm goes away.
type death struct {
	which string          // of occupations.ts; "heard" unless it says otherwise
	live  func(as string) // has the realm be at them
	block func()          // keeps it from hearing anything more; may be nil
	die   func()
	stays bool // the browser does not give up the locks of the realm
}

// everythingGoesBack has a realm die that is at everything, and a tab find what comes of it.
func everythingGoesBack(t *testing.T, tab *Tab, d death) {
	t.Helper()
	d.which = cmp.Or(d.which, "heard")
	tab.Do(fmt.Sprintf(`await lab.survive('%s')`, d.which))
	d.live(d.which)
	tab.Do(`await lab.survivors.meanwhile()`)
	if d.block != nil {
		d.block()
	}
	if d.which == "all" {
		tab.Do(`await lab.survivors.unheard()`)
	}
	tab.Do(fmt.Sprintf(`await lab.survivors.watch(%t)`, !d.stays))
	d.die()
	times := Eval[struct{ Freed, Granted float64 }](tab, `lab.survivors.learn()`)
	if d.stays {
		t.Logf("granted %.1f ms after it was told to go", times.Granted)
	} else {
		t.Logf("granted %.1f ms after it was told to die, and %.1f ms after the browser gave its locks up", times.Granted,
			times.Granted-times.Freed)
	}
	names := Eval[[]string](tab, `lab.survivors.names`)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			_, err := TryEval[chromedp.Void](tab, fmt.Sprintf(`lab.survivors.find(%q)`, name))
			require.NoError(t, err)
		})
	}
	tab.Do(`await lab.survivors.leave()`)
}

func TestAWorkerThatDiesGivesBackAllThatItHad(t *testing.T) {
	t.Parallel()
	const (
		terminate = `lab.realm.worker.terminate()`
		spins     = `await lab.realm.tell({ spin: true })`
		blocks    = `void lab.realm.tell({ block: lab.turnstile }); await lab.blocked(lab.turnstile)`
		waitsSync = `void lab.realm.tell({ blockIn: ['signal', 'waitSync', 'blocked'] });
			await lab.becomes(async () => (await lab.hub.signal('blocked').stats()).waiting, 1)`
	)
	for way, d := range map[string]struct {
		where      string
		depth      int
		block, die string
		which      string
		stays      bool
	}{
		"terminate":                     {where: "here", depth: 1, die: terminate},
		"terminate, hub in a Worker":    {where: "worker", depth: 1, die: terminate},
		"terminate, hub shared":         {where: "shared", depth: 1, die: terminate},
		"self.close":                    {where: "here", depth: 1, die: `void lab.realm.tell({ end: 'self.close' })`},
		"hub.close":                     {where: "here", depth: 1, die: `void lab.realm.tell({ end: 'hub.close' })`, stays: true},
		"terminate the Worker above it": {where: "worker", depth: 2, die: terminate},
		"terminate while it spins":      {where: "here", depth: 1, block: spins, which: "all", die: terminate},
		// Such a one goes on for a moment when it is terminated, and may hear of something.
		"terminate while it is blocked":             {where: "here", depth: 1, block: blocks, die: terminate},
		"terminate while it is blocked in waitSync": {where: "here", depth: 1, block: waitsSync, which: "all", die: terminate},
		"terminate in waitSync, hub in a Worker":    {where: "worker", depth: 1, block: waitsSync, which: "all", die: terminate},
	} {
		t.Run(way, func(t *testing.T) {
			tab := Open(t, "/isolated"+faults) // no less can be done there
			tab.Do(fmt.Sprintf(`await lab.open({ where: '%s' })`, d.where))
			one := death{
				which: d.which,
				live:  func(as string) { tab.Do(fmt.Sprintf(`await lab.live(%d, '%s')`, d.depth, as)) },
				die:   func() { tab.Do(d.die) },
				stays: d.stays,
			}
			if d.block != "" {
				one.block = func() { tab.Do(fmt.Sprintf(`lab.turnstile = %q; %s`, newTurnstile(t, 0), d.block)) }
			}
			everythingGoesBack(t, tab, one)
		})
	}
}

// inTab are those who go with a tab, by how deep below it they are.
var inTab = map[string]int{"a page": 0, "a Worker": 1}

// A tab that goes shares the hub of the one that stays.
func TestATabThatGoesGivesBackAllThatItHad(t *testing.T) {
	t.Parallel()
	for way, d := range map[string]struct {
		block bool
		which string
		die   func(*Tab)
	}{
		"closed":                  {die: (*Tab).Close},
		"closed while it blocks":  {die: (*Tab).Close, block: true},
		"crashed":                 {die: (*Tab).Crash},
		"crashed while it blocks": {die: (*Tab).Crash, block: true, which: "all"},
		"reloaded":                {die: (*Tab).Reload},
		"navigated without cache": {die: func(tab *Tab) {
			tab.Do(`addEventListener('unload', () => {})`) // keeps it out of there
			tab.Go("/harness/blank.html")
			tab.goBack()
			require.False(tab.t, Eval[bool](tab, `lab.persisted`))
		}},
	} {
		for who, depth := range inTab {
			if d.block && depth > 0 {
				continue // it has died alone already
			}
			t.Run(way+", "+who, func(t *testing.T) {
				first, second := twoOnTheSharedHub(t)
				one := death{
					which: d.which,
					live:  func(as string) { second.live(depth, as) },
					die:   func() { d.die(second) },
				}
				if d.block {
					one.block = func() {
						name := newTurnstile(t, 0)
						second.Do(fmt.Sprintf(`setTimeout(() => lab.block(%q))`, name))
						first.Do(fmt.Sprintf(`await lab.blocked(%q)`, name))
					}
				}
				everythingGoesBack(t, first, one)
			})
		}
	}
}

// The second comes when it is told to live.
func twoOnTheSharedHub(t *testing.T) (first, second *Tab) {
	first = Open(t, faults)
	first.Do(`await lab.open({ where: 'shared' })`)
	return first, first.Beside(faults)
}

func (tab *Tab) live(depth int, as string) {
	tab.t.Helper()
	tab.Do(fmt.Sprintf(`await lab.open({ where: 'shared' }); await lab.live(%d, '%s')`, depth, as))
}

// A page that goes into the back/forward cache, and its Workers, are told when they come back.
func TestATabThatIsKeptInTheCacheGivesBackAllThatItHad(t *testing.T) {
	t.Parallel()
	for who, depth := range inTab {
		t.Run(who, func(t *testing.T) {
			first, second := twoOnTheSharedHub(t)
			everythingGoesBack(t, first, death{
				live:  func(as string) { second.live(depth, as) },
				die:   func() { second.Go("/harness/blank.html") },
				stays: true,
			})
			second.goBack()
			require.True(t, Eval[bool](second, `lab.persisted`))
			ends := Eval[map[string][]string](second, fmt.Sprintf(`lab.ends(%d)`, depth))
			require.Greater(t, len(ends), 25)
			for what, ends := range ends {
				for _, end := range ends {
					require.Equal(t, "SuspendedError", end, what)
				}
			}
		})
	}
}

// A page that comes back from the cache asks the hub again whether it may pass: it was not told meanwhile.
func TestATabThatIsKeptInTheCacheKnowsNothingOfCheckpointsAnyMore(t *testing.T) {
	t.Parallel()
	first, second := twoOnTheSharedHub(t)
	second.Do(`await lab.open({ where: 'shared' });
		lab.checkpoint = lab.hub.checkpoint('hot');
		for (let i = 0; i < 5; i++) await lab.checkpoint.wait()`)
	second.Go("/harness/blank.html")
	first.Do(`lab.armed = lab.hub.checkpoint('hot').arm(); await lab.hub.stats()`)
	second.goBack()
	require.True(t, Eval[bool](second, `lab.persisted`))
	second.Do(`lab.parked = lab.checkpoint.wait()`)
	first.Do(`await lab.armed; lab.equal(await lab.hub.checkpoint('hot').resume(), 1)`)
	second.Do(`await lab.parked; for (let i = 0; i < 5; i++) await lab.checkpoint.wait()`)
}

// goBack returns to a page of lab, which may be the one that was there or be loaded anew.
func (tab *Tab) goBack() {
	tab.t.Helper()
	tab.Do(`setTimeout(() => history.back())`)
	require.Eventually(tab.t, func() bool {
		back, err := TryEval[bool](tab, `globalThis.lab?.persisted !== undefined`)
		return err == nil && back
	}, limit, 10*time.Millisecond)
}

func TestAFrameThatIsRemovedGivesBackAllThatItHad(t *testing.T) {
	t.Parallel()
	for way, d := range map[string]struct{ where, open string }{
		"of the shared hub": {"shared", `await theirs.open({ where: 'shared' })`},
		"with a port": {"here", `
			const { port1, port2 } = new MessageChannel();
			lab.hub.attach(port1);
			theirs.hub = await theirs.connect(lab.frame.contentWindow.structuredClone(port2, { transfer: [port2] }))`},
	} {
		t.Run(way, func(t *testing.T) {
			tab := Open(t, faults)
			tab.Do(fmt.Sprintf(`await lab.open({ where: '%s' })`, d.where))
			everythingGoesBack(t, tab, death{
				live: func(as string) {
					tab.Do(fmt.Sprintf(`lab.frame = document.createElement('iframe');
						lab.frame.src = 'faults.html';
						const loaded = new Promise((resolve) => { lab.frame.onload = resolve; });
						document.body.append(lab.frame);
						await loaded;
						const theirs = lab.frame.contentWindow.lab;
						%s;
						await theirs.live(0, '%s')`, d.open, as))
				},
				die: func() { tab.Do(`lab.frame.remove()`) },
			})
		})
	}
}

// A client of which nobody can reach anything, neither its hub nor what it holds, goes when that is collected.
func TestAClientThatIsForgottenGivesBackAllThatItHad(t *testing.T) {
	t.Parallel()
	for way, d := range map[string]struct{ where, connect string }{
		"of the shared hub": {"shared", `lab.createHub({ where: 'shared' })`},
		"with a port": {"here", `(() => {
			const { port1, port2 } = new MessageChannel();
			lab.hub.attach(port1);
			return lab.connect(port2);
		})()`},
	} {
		t.Run(way, func(t *testing.T) {
			tab := Open(t, faults)
			tab.Do(fmt.Sprintf(`await lab.open({ where: '%s' })`, d.where))
			tab.Do(countSessions)
			everythingGoesBack(t, tab, death{
				which: "forgettable",
				live:  func(string) { tab.Do(fmt.Sprintf(`await lab.forget(%s)`, d.connect)) },
				die: func() {
					require.Eventually(t, func() bool {
						_, err := chromedp.Call(tab.ctx, heapprofiler.CollectGarbage, cdp.Empty{})
						require.NoError(t, err)
						return Eval[bool](tab, `lab.hub.stats().then(({ sessions }) => sessions === lab.sessions)`)
					}, limit, 10*time.Millisecond)
				},
				stays: true,
			})
		})
	}
}

func TestWorkersThatDieYoungLeaveNothing(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"here", "worker"} {
		t.Run(where, func(t *testing.T) {
			tab := Open(t, faults)
			tab.Do(fmt.Sprintf(`await lab.open({ where: '%s' })`, where))
			tab.Do(countSessions)
			tab.Do(`
				const start = () => {
					const worker = new Worker('connect-worker.js', { type: 'module' });
					lab.hub.attach(worker);
					return worker;
				};
				const until = (worker, kind) => new Promise((resolve) => {
					worker.onmessage = ({ data }) => kind in data && resolve();
					worker.postMessage({ connect: 30000 });
				});
				for (let i = 0; i < 10; i++) start().terminate();
				await Promise.all(Array.from({ length: 20 }, async (_, i) => {
					const worker = start();
					await until(worker, 'connecting');
					for (let turns = 0; turns < i; turns++) await lab.hub.stats();
					worker.terminate();
				}));
				await Promise.all(Array.from({ length: 10 }, async () => {
					const worker = start();
					await until(worker, 'connected');
					worker.terminate();
				}));`)
			tab.Do(sessionsAreBack)
			tab.Do(`lab.equal((await lab.hub.stats()).calls, 0)`)
		})
	}
}
