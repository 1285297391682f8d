//go:build !js

package browser_test

import (
	"fmt"
	"testing"
)

// occupations are what a realm is busy with when it dies. before and after are said in the page, whose hub has seen the
// death once after has come through; busy has the realm begin.
var occupations = map[string]struct{ before, meanwhile, after string }{
	"waiting": {
		before: `lab.own = hub.signal('waiting').wait()`,
		after: `await lab.becomes(async () => (await hub.signal('waiting').stats()).waiting, 1);
			lab.equal(await hub.signal('waiting').signal(), 1);
			await lab.own`,
	},
	"parked": {
		before: `lab.armed = hub.checkpoint('parked').arm(); await hub.stats()`,
		meanwhile: `await lab.armed;
			lab.own = hub.checkpoint('parked').wait()`,
		after: `await lab.becomes(async () => (await hub.checkpoint('parked').stats()).waiting, 1);
			lab.equal((await hub.checkpoint('parked').stats()).state, 'holding');
			lab.equal(await hub.checkpoint('parked').resume(), 1);
			await lab.own`,
	},
	"arming": {
		after: `await lab.becomes(async () => (await hub.checkpoint('arming').stats()).state, 'disarmed');
			await hub.checkpoint('arming').wait()`,
	},
	"holding callers": {
		meanwhile: `await lab.becomes(async () => (await hub.checkpoint('holding callers').stats()).state, 'armed');
			lab.own = hub.checkpoint('holding callers').wait()`,
		after: `await lab.own;
			lab.equal((await hub.checkpoint('holding callers').stats()).state, 'disarmed')`,
	},
	"running a task": {
		after: `lab.equal(await lab.own, 'run by the page');
			await hub.sharedTask('running a task', () => {}).close()`,
	},
	"owning a resource": {
		after: `const { lost } = lab.own;
			await lab.becomes(() => lost.aborted, true);
			lab.equal(lost.reason.name, 'OwnerLostError');
			const resource = hub.sharedResource('owning a resource', { start: () => 'of the page' });
			lab.equal((await resource.acquire()).value, 'of the page');
			await resource.close()`,
	},
}

// joins has the page share what the realm runs or owns.
var joins = map[string]string{
	"running a task": `lab.own = hub.sharedTask('running a task', () => 'run by the page').wait();
		await hub.stats()`,
	"owning a resource": `lab.own = await hub.sharedResource('owning a resource', { start: () => 'not this' }).acquire();
		lab.equal(lab.own.value, 'theirs')`,
}

const (
	countSessions   = `lab.sessions = (await lab.hub.stats()).sessions`
	sessionsAreBack = `await lab.becomes(async () => (await lab.hub.stats()).sessions, lab.sessions)`
)

func TestAWorkerThatDiesGivesBackAllThatItHad(t *testing.T) {
	for way, die := range map[string]string{
		"terminate":  `lab.realm.worker.terminate()`,
		"self.close": `void lab.realm.tell({ end: 'self.close' })`,
		"hub.close":  `await lab.realm.tell({ end: 'hub.close' })`,
	} {
		t.Run(way, func(t *testing.T) {
			tab := Open(t, faults)
			tab.Do(`await lab.open({})`)
			for occupation := range occupations {
				t.Run(occupation, func(t *testing.T) { dieInAWorker(tab, occupation, 1, die) })
			}
		})
	}

	t.Run("terminate the Worker above it", func(t *testing.T) {
		tab := Open(t, faults)
		tab.Do(`await lab.open({ where: 'worker' })`)
		for occupation := range occupations {
			t.Run(occupation, func(t *testing.T) { dieInAWorker(tab, occupation, 2, `lab.realm.worker.terminate()`) })
		}
	})

	t.Run("terminate while it spins", func(t *testing.T) {
		tab := Open(t, faults)
		tab.Do(`await lab.open({})`)
		dieInAWorker(tab, "waiting", 1, `void lab.realm.tell({ spin: true }); lab.realm.worker.terminate()`)
	})
}

func dieInAWorker(tab *Tab, occupation string, depth int, die string) {
	tab.t.Helper()
	o := occupations[occupation]
	tab.Do(countSessions)
	tab.Do(fmt.Sprintf(`const { hub } = lab; %s`, o.before))
	tab.Do(fmt.Sprintf(`const { hub } = lab;
		const occupied = lab.occupied('%s', %d);
		%s;
		await occupied;
		%s`, occupation, depth, o.meanwhile, joins[occupation]))
	tab.Do(die)
	tab.Do(fmt.Sprintf(`const { hub } = lab; %s`, o.after))
	tab.Do(sessionsAreBack)
}

func TestATabThatGoesGivesBackAllThatItHad(t *testing.T) {
	for way, goAway := range map[string]func(*Tab){
		"closed":    (*Tab).Close,
		"crashed":   (*Tab).Crash,
		"reloaded":  (*Tab).Reload,
		"navigated": func(tab *Tab) { tab.Go("/harness/blank.html") },
	} {
		t.Run(way, func(t *testing.T) {
			first := Open(t, faults)
			first.Do(`await lab.open({ where: 'shared' })`)
			for occupation, o := range occupations {
				t.Run(occupation, func(t *testing.T) {
					first.Do(countSessions)
					second := first.Beside(faults)
					second.Do(`await lab.open({ where: 'shared' })`)
					first.Do(fmt.Sprintf(`const { hub } = lab; %s`, o.before))
					second.Do(fmt.Sprintf(`globalThis.occupied = lab.occupy('%s')`, occupation))
					first.Do(fmt.Sprintf(`const { hub } = lab; %s`, o.meanwhile))
					second.Do(`await occupied`)
					first.Do(fmt.Sprintf(`const { hub } = lab; %s`, joins[occupation]))
					goAway(second)
					first.Do(fmt.Sprintf(`const { hub } = lab; %s`, o.after))
					first.Do(sessionsAreBack)
				})
			}
		})
	}
}

func TestWorkersThatDieYoungLeaveNothing(t *testing.T) {
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
