//go:build !js

package browser_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

const comeback = "/test/comeback.html"

// waysOut are how a hub's SharedWorker goes while its tabs live.
var waysOut = map[string]func(tab *Tab){
	"closes itself":           func(tab *Tab) { tab.Do(`void lab.hub.signal('close the realm').signal().catch(() => {})`) },
	"is ended by the browser": (*Tab).EndSharedWorkers,
}

// EndSharedWorkers has the browser end all SharedWorkers of the profile. One that is started again is the same target, so
// only those who miss them can tell when they are gone.
func (tab *Tab) EndSharedWorkers() {
	tab.t.Helper()
	require.NotZero(tab.t, tab.endSharedWorkers(""), "no SharedWorker to end")
}

// endSharedWorkers ends those that there are of a script, and returns how many that were.
func (tab *Tab) endSharedWorkers(script string) (ended int) {
	tab.t.Helper()
	ctx, cancel := tab.limited()
	defer cancel()
	for _, info := range tab.sharedWorkers() {
		if !strings.HasSuffix(info.URL, script) {
			continue
		}
		_, err := chromedp.CallBrowser(ctx, target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID})
		if err == nil {
			ended++
		}
	}
	return ended
}

func (tab *Tab) sharedWorkers() []*target.Info {
	targets, err := chromedp.Targets(browser)
	require.NoError(tab.t, err)
	return slices.DeleteFunc(targets, func(info *target.Info) bool {
		return info.Type != "shared_worker" || info.BrowserContextID != tab.profile.id
	})
}

// A member is a client of the shared hub: a page, or a realm at the end of a path that begins at one.
type member struct {
	*Tab
	path []string
}

func (m member) Do(statements string) {
	m.t.Helper()
	path, _ := json.Marshal(append([]string{}, m.path...))
	text, _ := json.Marshal(statements)
	m.Tab.Do(fmt.Sprintf(`await lab.at(%s, %s)`, path, text))
}

// join opens a tab for each path, beside the first, and returns the realms at their ends, all of which are members.
func join(t *testing.T, paths ...string) []member {
	t.Helper()
	return joinAt(t, "hub-worker.js", paths...)
}

// joinAt is join at the hub of another script.
func joinAt(t *testing.T, script string, paths ...string) []member {
	t.Helper()
	var all []member
	for _, path := range paths {
		tab := openOrBeside(t, all, comeback)
		tab.Do(fmt.Sprintf(`await lab.join('%s')`, script))
		m := member{tab, strings.Fields(path)}
		m.Do(``)
		all = append(all, m)
	}
	return all
}

func openOrBeside(t *testing.T, all []member, path string) *Tab {
	t.Helper()
	if len(all) == 0 {
		return Open(t, path)
	}
	return all[0].Beside(path)
}

// comesBack returns once each has gone on so many times.
func comesBack(all []member, times int) {
	for _, m := range all {
		m.t.Helper()
		m.Do(fmt.Sprintf(`await lab.becomes(() => lab.again, %d)`, times))
	}
}

// settled returns once all have reported to the hub of this one.
func (m member) settled() {
	m.t.Helper()
	m.Do(`await lab.becomes(async () => (await lab.hub.stats()).unreported, 0)`)
}

// A door is what the tests' server is to one test: it has the script of a SharedWorker, and counts who is inside.
type door struct {
	url string // of the door

	mu      sync.Mutex
	missing bool          // the script is not there any more
	behind  chan struct{} // if not nil, what keeps the script back, and who stands at the door
	asked   chan struct{} // one for each who came to it
	inside  map[string]int
	entries map[string]int
	wrong   []string
}

var (
	doors    sync.Map // by name
	lastDoor atomic.Int64
)

func newDoor(t testing.TB) *door {
	name := strconv.FormatInt(lastDoor.Add(1), 10)
	d := &door{url: "/comeback/" + name, asked: make(chan struct{}, 1000), inside: map[string]int{}, entries: map[string]int{}}
	doors.Store(name, d)
	t.Cleanup(func() {
		d.open()
		doors.Delete(name)
	})
	return d
}

func (d *door) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.behind = make(chan struct{})
}

func (d *door) open() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.behind != nil {
		close(d.behind)
		d.behind = nil
	}
}

func (d *door) remove() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.missing = true
}

// hubScript is a SharedWorker's, which serves the hub of that name.
const hubScript = `import { serve } from '/clca/index.js';
serve({ name: 'lab', started: (hub) => void hub.signal('close the realm').wait().then(() => close(), () => {}) });`

func serveDoor(w http.ResponseWriter, r *http.Request) {
	found, ok := doors.Load(r.PathValue("name"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	d := found.(*door)
	if strings.HasSuffix(r.PathValue("do"), ".js") {
		d.serveScript(w, r)
		return
	}
	of := r.FormValue("of")
	weight, _ := strconv.Atoi(r.FormValue("weight"))
	most, _ := strconv.Atoi(r.FormValue("most"))
	if r.PathValue("do") == "stand" {
		d.wait(r)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch r.PathValue("do") {
	case "enter":
		d.entries[of]++
		if d.inside[of] += weight; d.inside[of] > most {
			d.wrong = append(d.wrong, fmt.Sprintf("%d inside %s, where %d may be", d.inside[of], of, most))
		}
	case "leave":
		d.inside[of] -= weight
	default:
		http.NotFound(w, r)
	}
}

// wait is where those stand whom the door is closed for.
func (d *door) wait(r *http.Request) {
	d.mu.Lock()
	behind := d.behind
	d.mu.Unlock()
	d.asked <- struct{}{}
	if behind != nil {
		select {
		case <-behind:
		case <-r.Context().Done():
		}
	}
}

func (d *door) serveScript(w http.ResponseWriter, r *http.Request) {
	d.wait(r)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.missing {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(hubScript))
}

func TestWhatRealmsHoldOutlivesTheHubThatTabsShare(t *testing.T) {
	t.Parallel()
	for way, goAway := range waysOut {
		t.Run(way, func(t *testing.T) {
			all := join(t, "", "worker", "worker worker", "frame")
			for i, m := range all {
				m.Do(fmt.Sprintf(`lab.held = await lab.Holdings.take(lab.hub, '%d', %d)`, i, 10*(i+1)))
			}
			for times := 1; times <= 2; times++ {
				goAway(all[0].Tab)
				comesBack(all, times)
				for i, m := range all {
					m.settled()
					m.Do(`lab.held.check()`)
					for asker := range 2 {
						all[(i+asker)%len(all)].Do(fmt.Sprintf(`lab.equal(await lab.busy(lab.hub, '%d'),
							{ web: true, checkpoint: true, lock: true, twice: true, exclusive: true })`, i))
					}
				}
				all[0].Do(`lab.equal((await lab.hub.semaphore('weights', 100).stats()).available, 0);
					lab.equal((await lab.hub.rwlock('shared').stats()).held, 4)`)
			}
			for i, m := range all {
				m.Do(`lab.held.check();
					lab.equal(await lab.hub.rwlock('shared').tryAcquire(), undefined);
					await lab.held.release()`)
				all[0].Do(fmt.Sprintf(`lab.equal(await lab.busy(lab.hub, '%d'),
					{ web: false, checkpoint: false, lock: false, twice: false, exclusive: false })`, i))
			}
			all[1].Do(`lab.ok(await lab.hub.rwlock('shared').tryAcquire(), 'nobody shares it any more');
				lab.equal((await lab.hub.semaphore('weights', 100).stats()).available, 100)`)
		})
	}
}

// A sleeper is a client that hears nothing for a while.
type sleeper struct {
	path  string
	late  bool // it is not the first of all, in whose process SharedWorkers start
	sleep func(m member, d *door)
	wake  func(m member, d *door)
	die   func(m member)
}

var sleepers = map[string]sleeper{
	"a Worker that is blocked": {
		path: "worker",
		sleep: func(m member, d *door) {
			d.close()
			m.Tab.Do(fmt.Sprintf(`void lab.realms.worker.at([], 'lab.stand("%s")').catch(() => {})`, d.url))
			<-d.asked
		},
		wake: func(_ member, d *door) { d.open() },
		die:  func(m member) { m.Tab.Do(`lab.realms.worker.worker.terminate()`) },
	},
	"a page that is blocked": {
		late: true,
		sleep: func(m member, d *door) {
			d.close()
			m.Tab.Do(fmt.Sprintf(`setTimeout(() => lab.stand('%s'))`, d.url))
			<-d.asked
		},
		wake: func(_ member, d *door) { d.open() },
		die:  func(m member) { m.Crash() },
	},
	"a page that is frozen": {
		sleep: func(m member, _ *door) { m.lifecycle(page.SetWebLifecycleStateStateFrozen) },
		wake:  func(m member, _ *door) { m.lifecycle(page.SetWebLifecycleStateStateActive) },
		die:   func(m member) { m.Close() },
	},
}

// join returns it, and two others, of which it is the first to learn that the hub is gone, if it can be.
func (how sleeper) join(t *testing.T) (asleep member, awake []member) {
	if how.late {
		all := join(t, "worker", how.path, "")
		return all[1], []member{all[2], all[0]}
	}
	all := join(t, how.path, "", "worker")
	return all[0], all[1:]
}

func (tab *Tab) lifecycle(state page.SetWebLifecycleStateState) {
	tab.t.Helper()
	ctx, cancel := tab.limited()
	defer cancel()
	_, err := chromedp.Call(ctx, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state})
	require.NoError(tab.t, err)
}

func TestAClientThatHasNotReportedHoldsUpAllThatTakesButNothingElse(t *testing.T) {
	t.Parallel()
	for name, how := range sleepers {
		t.Run(name, func(t *testing.T) {
			d := newDoor(t)
			asleep, awake := how.join(t)
			asleep.Do(`lab.kept = await lab.hub.lock('kept').acquire();
				lab.stolen = await lab.hub.lock('stolen').acquire();
				lab.permits = await lab.hub.semaphore('s', 3).acquire({ permits: 2 })`)
			awake[0].Do(`lab.waits = [lab.hub.lock('kept').acquire({ reconnect: true })]; await lab.hub.stats()`)
			how.sleep(asleep, d)
			awake[0].EndSharedWorkers()
			comesBack(awake, 1)
			awake[0].Do(`lab.ok((await lab.hub.stats()).unreported > 0, 'somebody has not reported');
				lab.equal(await lab.hub.lock('free').tryAcquire(), undefined);
				lab.equal(await lab.hub.semaphore('s', 3).tryAcquire(), undefined);
				await lab.rejects(lab.hub.lock('free').acquire({ timeout: 1 }), 'TimeoutError');
				const stop = new AbortController();
				const aborted = lab.rejection(lab.hub.rwlock('free').acquire({ signal: stop.signal }));
				await lab.hub.stats();
				stop.abort('enough');
				lab.equal(await aborted, 'enough');
				lab.thief = await lab.hub.lock('stolen').steal();
				lab.waits.push(lab.hub.lock('free').acquire());
				lab.waits.push(lab.hub.semaphore('s', 3).acquire({ permits: 2 }));
				lab.done = [];
				lab.waits.forEach((wait, i) => wait.then(() => lab.done.push(i)));
				const heard = lab.hub.signal('s').wait();
				await lab.hub.event('e').set();
				await lab.hub.queue('q').put(1);
				lab.equal(await lab.hub.signal('s').signal(), 1);
				await heard;
				await lab.hub.event('e').wait();
				lab.equal(await lab.hub.queue('q').get(), 1);
				await lab.hub.queue('q').taskDone();
				await lab.hub.stats();
				lab.equal(lab.done, [])`)
			awake[1].Do(`await lab.rejects(lab.hub.pool('p', { max: 1, create: () => 1 }).acquire({ timeout: 1 }), 'TimeoutError');
				await lab.rejects(lab.hub.sharedResource('r', { start: () => 1 }).acquire({ timeout: 1 }), 'TimeoutError');
				await lab.rejects(lab.hub.sharedTask('t', () => 1).wait({ timeout: 1 }), 'TimeoutError');
				await lab.rejects(lab.hub.checkpoint('c').arm({ timeout: 1 }), 'TimeoutError');
				await lab.rejects(lab.hub.checkpoint('c').wait({ timeout: 1 }), 'TimeoutError')`)
			how.wake(asleep, d)
			comesBack([]member{asleep}, 1)
			awake[0].settled()
			asleep.Do(`lab.equal(lab.kept.lost.aborted, false);
				lab.equal(lab.permits.lost.aborted, false);
				lab.equal(lab.stolen.lost.reason?.name, 'StolenError');
				await lab.stolen.release()`)
			awake[0].Do(`lab.equal(lab.thief.lost.aborted, false);
				await lab.becomes(() => lab.done, [1]);
				await lab.thief.release()`)
			asleep.Do(`await Promise.all([lab.kept.release(), lab.permits.release()])`)
			awake[0].Do(`for (const wait of lab.waits) await (await wait).release();
				await lab.hub.event('e').clear();
				lab.equal((await lab.hub.stats()).names, 2)`) // those for which the script waits
		})
	}
}

func TestAClientThatDiesBeforeItHasReportedHoldsUpNobodyAnyLonger(t *testing.T) {
	t.Parallel()
	for name, how := range sleepers {
		t.Run(name, func(t *testing.T) {
			asleep, awake := how.join(t)
			asleep.Do(`lab.kept = await lab.hub.lock('kept').acquire()`)
			how.sleep(asleep, newDoor(t))
			awake[0].EndSharedWorkers()
			comesBack(awake, 1)
			awake[0].Do(`lab.wait = lab.hub.lock('kept').acquire()`)
			how.die(asleep)
			awake[0].Do(`await (await lab.wait).release()`)
			awake[1].Do(`await (await lab.hub.lock('kept').acquire()).release()`)
			awake[0].settled()
		})
	}
}

func TestTheHubComesBackWhenItDiesWithTheTabThatStartedIt(t *testing.T) {
	t.Parallel()
	all := join(t, "", "worker", "frame", "worker worker")
	for i, m := range all {
		m.Do(fmt.Sprintf(`lab.held = await lab.Holdings.take(lab.hub, '%d', %d)`, i, 10))
	}
	all[0].Crash() // the SharedWorker is in the same process
	others := all[1:]
	comesBack(others, 1)
	for i, m := range others {
		m.settled()
		m.Do(fmt.Sprintf(`lab.equal(await lab.busy(lab.hub, '%d'),
				{ web: true, checkpoint: true, lock: true, twice: true, exclusive: true });
			lab.equal(await lab.busy(lab.hub, '0'),
				{ web: false, checkpoint: false, lock: false, twice: false, exclusive: false });
			await lab.held.release()`, i+1))
	}
}

// competitors opens four tabs in which pages, an iframe and Workers want the same, and record at the door what they have.
func competitors(t *testing.T, d *door) []member {
	var all []member
	for _, m := range join(t, "", "worker", "worker worker", "frame") {
		all = append(all, m)
		for i := range m.path { // those on the way are clients as well
			all = append(all, member{m.Tab, m.path[:i]})
		}
	}
	for _, m := range all {
		m.Do(fmt.Sprintf(`lab.door = '%s'; lab.competing = lab.compete(); lab.competing.catch(() => {})`, d.url))
	}
	return all
}

// had returns how often somebody was inside of anything.
func (d *door) had() (entries int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range d.entries {
		entries += n
	}
	return entries
}

func TestThereAreNeverTwoOwnersHoweverOftenTheHubIsLost(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	all := competitors(t, d)
	random := rand.New(rand.NewPCG(1, uint64(len(all))))
	soak, _ := strconv.ParseFloat(os.Getenv("SOAK"), 64) // minutes
	until := time.Now().Add(time.Duration(soak * float64(time.Minute)))
	for i := 0; i < 20 || time.Now().Before(until); i++ {
		for again := range 1 + random.IntN(3) { // as it starts, too
			require.Eventually(t, func() bool { return all[0].endSharedWorkers("") > 0 || again > 0 }, limit, time.Millisecond)
		}
		progress := d.had() + 1 + random.IntN(100)
		require.Eventually(t, func() bool { return d.had() >= progress }, limit, time.Millisecond)
	}
	for _, m := range all {
		m.Do(`lab.stopped = true`)
	}
	for _, m := range all {
		m.Do(`for (const [kind, times] of Object.entries(await lab.competing)) lab.ok(times > 0, kind + ' was had')`)
	}
	require.Empty(t, d.wrong)
	t.Logf("%d times somebody was inside", d.had())
	all[0].Do(`await lab.becomes(async () => (await lab.hub.stats()).unreported, 0);
		await lab.becomes(async () => (await lab.hub.stats()).names, 2)`) // those for which the script waits
}

// A hub that is lost, and whose script is kept back, so that the next one comes when the test wants it to.
func TestWhatIsCalledBetweenTwoHubs(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	all := joinAt(t, d.url+"/hub.js", "", "worker", "", "")
	holder, caller, closer, leaver := all[0], all[1], all[2], all[3].Tab
	<-d.asked
	holder.Do(`lab.kept = await lab.hub.lock('kept').acquire();
		lab.given = await lab.hub.lock('given').acquire();
		lab.permit = await lab.hub.semaphore('s', 2).acquire({ permits: 2 })`)
	closer.Do(`lab.closing = await lab.hub.lock('closing').acquire()`)
	leaver.Do(`lab.leaving = await lab.hub.lock('leaving').acquire()`)
	caller.Do(`const { hub } = lab;
		lab.stop = new AbortController();
		const again = { reconnect: true };
		lab.waits = [
			hub.lock('kept').acquire(again),
			hub.semaphore('s', 2).acquire(again),
			hub.queue('q').get(again),
			hub.queue('items').items(again).next(),
		];
		lab.aborted = lab.rejection(hub.lock('kept').acquire({ ...again, signal: lab.stop.signal }));
		lab.timed = lab.rejection(hub.lock('kept').acquire({ ...again, timeout: 300 }));
		await hub.event('set').set();
		void hub.queue('full', { capacity: 1 }).put(0);
		lab.lost = [
			hub.lock('kept').acquire(), hub.rwlock('kept').isLocked().then(() => hub.signal('s').wait()), hub.event('e').wait(),
			hub.barrier('b', 2).wait(), hub.latch('l', 1).wait(), hub.queue('full').put(1), hub.queue('none').get(),
			hub.sharedTask('t', lab.untilAborted).wait(), hub.semaphore('s', 2).acquire(),
		].map(lab.rejection);
		await hub.stats()`)
	d.close()
	holder.EndSharedWorkers()
	<-d.asked
	caller.Do(`for (const error of await Promise.all(lab.lost)) lab.equal(error.name, 'HubLostError');
		const { hub } = lab;
		lab.stop.abort('enough');
		lab.equal(await lab.aborted, 'enough');
		lab.equal((await lab.timed).name, 'TimeoutError');
		await lab.rejects(hub.lock('kept').acquire({ reconnect: true, timeout: 1 }), 'TimeoutError');
		await lab.rejects(hub.signal('s').wait({ reconnect: true }), 'TypeError');
		await lab.rejects(hub.sharedTask('t', () => 1).wait({ reconnect: true }), 'TypeError');
		await lab.rejects(hub.queue('q').put(1, { reconnect: true }), 'TypeError');
		lab.late = hub.lock('given').acquire();
		lab.try = hub.lock('kept').tryAcquire();
		lab.calls = [hub.event('e').set(), hub.queue('q').put(7), hub.queue('items').put(8), hub.event('set').isSet()]`)
	// Each of the others has to know before it calls.
	for _, m := range []member{holder, closer, {leaver, nil}} {
		m.Do(`await lab.becomes(() => lab.hub.event('e').wait({ timeout: 1 }).catch((error) => error.name), 'TimeoutError')`)
	}
	holder.Do(`lab.release = lab.given.release();
		lab.late = lab.begin('late');
		lab.equal(lab.kept.lost.aborted, false)`)
	closer.Do(`await lab.hub.close(); lab.equal(lab.closing.lost.aborted, true)`)
	leaver.Go("/harness/blank.html")
	d.open()
	comesBack([]member{holder, caller}, 1)
	holder.Do(`await lab.release;
		await lab.late;
		await lab.at(['late'], 'lab.equal(await lab.hub.event("e").isSet(), true)');
		lab.equal((await lab.hub.lock('kept').stats()).waiting, 1);
		await lab.kept.release();
		await lab.permit.release()`)
	caller.Do(`await (await lab.late).release();
		lab.equal(await lab.try, undefined);
		lab.equal((await Promise.all(lab.calls)).at(-1), false); // events are as new
		const [lock, permits, item, next] = await Promise.all(lab.waits);
		lab.equal(item, 7);
		lab.equal(next, { value: 8, done: false });
		await lock.release();
		await permits.release();
		await (await lab.hub.lock('closing').acquire()).release();
		await (await lab.hub.lock('leaving').acquire()).release();
		lab.equal((await lab.hub.stats()).unreported, 0)`)
}

func TestWhatALostHubHadRunEndsBeforeTheNextOneStartsAny(t *testing.T) {
	t.Parallel()
	for end, how := range map[string]string{
		"in time":         `lab.gate.open()`,
		"with its realm":  ``,
		"after one more":  `lab.gate.open()`,
		"when it was one": `lab.gate.fail(new Error('no'))`,
	} {
		t.Run(end, func(t *testing.T) {
			all := join(t, "", "worker", "")
			runner, other, third := all[1], all[0], all[2]
			if strings.Contains(how, "fail") {
				other.ExpectErrors(`Error: no`) // reported where it was thrown
			}
			runner.Do(`const { hub } = lab;
				lab.gate = lab.gate();
				lab.log = [];
				const run = (name) => () => (lab.log.push(name), lab.gate.opened.catch(() => {}));
				lab.ref = await hub.sharedResource('r', { start: () => 'first', stop: run('stopped') }).acquire();
				lab.lease = await hub.pool('p', { max: 1, create: () => 'first', destroy: run('destroyed') }).acquire();
				lab.rejected = ['sharedTask', 'once'].map((kind) => lab.rejection(hub[kind]('t', (signal) => {
					signal.addEventListener('abort', () => lab.log.push(kind + ' ' + signal.reason.name));
					return lab.gate.opened;
				})[kind === 'once' ? 'run' : 'wait']()));
				await hub.stats()`)
			started := `{ const { hub } = lab;
				lab.started = [];
				const start = (name) => () => (lab.started.push(name), name);
				lab.waits = [
					hub.sharedResource('r', { start: start('r') }).acquire({ reconnect: true }).then((ref) => ref.release()),
					hub.pool('p', { max: 1, create: start('p') }).acquire({ reconnect: true }).then((lease) => lease.release()),
					hub.sharedTask('t', start('t')).wait(),
					hub.once('t', start('o')).run(),
				]; }`
			times := 1
			other.EndSharedWorkers()
			comesBack(all, times)
			if end == "after one more" {
				times++
				other.EndSharedWorkers()
				comesBack(all, times)
			}
			runner.Do(`lab.equal((await Promise.all(lab.rejected)).map((error) => error.name), ['HubLostError', 'HubLostError']);
				lab.equal([lab.ref.lost.reason.name, lab.lease.lost.reason.name], ['HubLostError', 'HubLostError']);
				await lab.becomes(() => lab.log.toSorted(), ['destroyed', 'once HubLostError', 'sharedTask HubLostError', 'stopped'])`)
			third.settled()
			other.Do(started + `
				await lab.rejects(lab.hub.sharedResource('r', { start: () => {} }).acquire({ timeout: 1 }), 'TimeoutError');
				lab.equal(await lab.hub.pool('p', { max: 1, create: () => {} }).tryAcquire(), undefined);
				await lab.hub.stats();
				lab.equal(lab.started, [])`)
			if how == "" {
				runner.Tab.Do(`lab.realms.worker.worker.terminate()`)
			} else {
				runner.Do(how)
			}
			other.Do(`await Promise.all(lab.waits);
				lab.equal(lab.started.toSorted(), ['o', 'p', 'r', 't'])`)
		})
	}
}

func TestAHubWhoseScriptIsGoneIsLostForGood(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	all := joinAt(t, d.url+"/hub.js", "", "worker", "worker worker")
	all[0].ExpectErrors(`Failed to fetch a worker script`)
	for i, m := range all {
		m.Do(fmt.Sprintf(`lab.guard = await lab.hub.lock('%d').acquire();
			lab.lost = lab.rejection(lab.hub.signal('s').wait());
			lab.wait = lab.rejection(lab.hub.lock('%[1]d').acquire({ reconnect: true }));
			lab.request = lab.rejection(lab.hub.locks.request('%[1]d', () => new Promise(() => {})));
			await lab.hub.stats()`, i))
	}
	for _, m := range all {
		for depth := range len(m.path) + 1 {
			member{m.Tab, m.path[:depth]}.Do(`lab.hurry()`)
		}
	}
	d.remove()
	all[0].EndSharedWorkers()
	for _, m := range all {
		m.Do(`lab.equal((await lab.lost).name, 'HubLostError');
			lab.late = lab.rejection(lab.hub.lock('late').acquire());
			for (const error of [await lab.wait, await lab.request, await lab.hub.closed, await lab.late, lab.guard.lost.reason]) {
				lab.equal(error?.name, 'HubLostError');
				lab.ok(error.message.includes('could not be started again'), error.message);
			}
			await lab.guard.release();
			await lab.rejects(lab.hub.signal('s').signal(), 'HubLostError');
			lab.equal(lab.again, 0)`)
	}
}

func TestAnotherScriptTakesTheNameOverFromOneThatDoesNotCome(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	all := joinAt(t, d.url+"/hub.js", "", "worker")
	<-d.asked
	late := all[0].Beside(comeback)
	late.Do(`await lab.join()`) // is sent on to the hub that serves
	for i, m := range append(all, member{late, nil}) {
		m.Do(fmt.Sprintf(`lab.held = await lab.Holdings.take(lab.hub, '%d', 1)`, i))
	}
	d.close()
	all[0].EndSharedWorkers()
	<-d.asked
	fresh := late.Beside(comeback)
	fresh.Do(`await lab.join();
		lab.equal(await lab.hub.lock('lock 0').tryAcquire(), undefined)`)
	d.open()
	everybody := append(all, member{late, nil})
	comesBack(everybody, 1)
	for i, m := range everybody {
		m.settled()
		fresh.Do(fmt.Sprintf(`lab.equal(await lab.busy(lab.hub, '%d'),
			{ web: true, checkpoint: true, lock: true, twice: true, exclusive: true })`, i))
		m.Do(`await lab.held.release()`)
	}
}

func TestAPageInTheCacheDoesNotHoldUpTheNextHub(t *testing.T) {
	t.Parallel()
	all := join(t, "", "")
	first, cached := all[0], all[1].Tab
	cached.Do(`lab.guard = await lab.hub.lock('cached').acquire()`)
	cached.Go("/harness/blank.html")
	first.Do(`await (await lab.hub.lock('cached').acquire()).release()`)
	first.EndSharedWorkers()
	comesBack(all[:1], 1)
	first.Do(`lab.guard = await lab.hub.lock('cached').acquire();
		lab.equal((await lab.hub.stats()).unreported, 0)`)
	cached.Do(`setTimeout(() => history.back())`)
	require.Eventually(t, func() bool {
		back, err := TryEval[bool](cached, `'lab' in globalThis`)
		return err == nil && back
	}, limit, 10*time.Millisecond)
	// Chromium has thrown it out of the cache, but need not.
	cached.Do(`if (lab.guard === undefined) await lab.join();
		else lab.equal([lab.guard.lost.reason.name, await lab.guard.release()], ['SuspendedError', undefined]);
		lab.equal(await lab.hub.lock('cached').tryAcquire(), undefined);
		lab.wait = lab.hub.lock('cached').acquire();
		await lab.hub.stats()`)
	first.Do(`await lab.guard.release()`)
	cached.Do(`await (await lab.wait).release()`)
}

func TestAHubThatWasClosedDoesNotComeBack(t *testing.T) {
	t.Parallel()
	for name, how := range sleepers {
		t.Run(name, func(t *testing.T) {
			d := newDoor(t)
			asleep, awake := how.join(t)
			all := append(awake, asleep)
			for _, m := range all {
				m.Do(`lab.wait = lab.rejection(lab.hub.lock('held').acquire({ reconnect: true }).then((token) => {
					lab.guard = token;
					return lab.hub.lock('held').acquire({ reconnect: true });
				}));
				await lab.hub.stats()`)
			}
			how.sleep(asleep, d)
			awake[0].Do(`void lab.hub.signal('close the hub').signal().catch(() => {}); await lab.hub.closed`)
			how.wake(asleep, d)
			for _, m := range all {
				m.Do(`lab.equal(await lab.hub.closed, undefined);
					lab.equal((await lab.wait).name, 'ClosedError');
					lab.equal(lab.guard?.lost.aborted ?? true, true);
					lab.equal(lab.again, 0)`)
			}
		})
	}
}

func TestAHubCannotBeSharedWhereThereAreNoSharedWorkers(t *testing.T) {
	t.Parallel()
	all := join(t, "worker")
	all[0].Do(`await lab.rejects(lab.createHub({ where: 'shared' }), 'UnsupportedError', /SharedWorker/)`)
	all[0].Tab.Do(`globalThis.SharedWorker = undefined;
		await lab.rejects(lab.createHub({ where: 'shared' }), 'UnsupportedError', /SharedWorker/)`)
}

func TestARealmThatIsLetInWhileTheHubIsLostGetsIn(t *testing.T) {
	t.Parallel()
	all := join(t, "", "worker")
	for i := range 6 {
		for j, m := range all { // told, and not waited for
			m.Do(fmt.Sprintf(`lab.begun = lab.begin('late %d %d'); lab.begun.catch(() => {})`, i, j))
		}
		if i%2 == 0 {
			all[0].Do(`const { worker } = Object.values(lab.realms).at(-1);
				await new Promise((resolve) => worker.addEventListener('message', resolve, { once: true }))`)
		}
		all[0].EndSharedWorkers()
		for j, m := range all {
			m.Do(fmt.Sprintf(`await lab.begun;
				await lab.at(['late %d %d'],
					'await lab.becomes(() => lab.hub.stats().then(() => "in", (error) => error.name), "in")')`, i, j))
		}
		comesBack(all, i+1)
	}
}
