//go:build !js

package browser_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/stretchr/testify/require"
)

// A hub that is blocked delays what it has to grant or to decide, and nothing else; see outlast.ts.
func TestAClientOutlastsAHubThatIsBlocked(t *testing.T) {
	t.Parallel()
	for where, open := range map[string]string{
		"in a Worker":       `lab.hub = await lab.connect(new Worker('blocking-hub.js', { type: 'module' }))`,
		"in a SharedWorker": `await lab.join('blocking-hub.js', 'lab')`,
	} {
		for who, outlast := range map[string]string{"a page": inThePage, "a Worker": inAWorker} {
			t.Run(where+", "+who, func(t *testing.T) {
				tab := Open(t, faults)
				tab.Do(open)
				tab.Do(fmt.Sprintf(outlast, newTurnstile(t, 0)))
			})
		}
	}

	t.Run("in a page, a Worker", func(t *testing.T) {
		tab := Open(t, faults)
		tab.Do(`await lab.open({}); lab.heed()`)
		tab.Do(fmt.Sprintf(inAWorker, newTurnstile(t, 0)))
	})

	t.Run("in a page, another page", func(t *testing.T) {
		first := Open(t, faults)
		second := first.Beside(faults)
		first.Do(`await lab.open({}); lab.heed()`)
		second.reach(first)
		second.Do(fmt.Sprintf(inThePage, newTurnstile(t, 0)))
	})

	t.Run("in a Worker, for five seconds, a page", func(t *testing.T) {
		tab := Open(t, faults)
		tab.Do(`lab.hub = await lab.connect(new Worker('blocking-hub.js', { type: 'module' }))`)
		tab.Do(fmt.Sprintf(inThePage, newTurnstile(t, 5*time.Second)))
	})
}

const (
	inThePage = `await lab.outlast(%q)`
	inAWorker = `lab.equal(await lab.newRealm().tell({ outlast: %q }), 'outlasted')`
)

// reach connects to the hub of another tab's page, by a port that a SharedWorker's hands pass.
func (tab *Tab) reach(other *Tab) {
	tab.t.Helper()
	const hands = `const hands = new SharedWorker('pass-port.js', { type: 'module' }).port; `
	other.Do(hands + `const { port1, port2 } = new MessageChannel();
		lab.hub.attach(port1);
		hands.postMessage({ give: port2 }, [port2])`)
	tab.Do(hands + `lab.hub = await lab.connect(await new Promise((resolve) => {
		hands.onmessage = ({ data }) => resolve(data.port);
	}))`)
}

// A tab that the browser has frozen does nothing, but has gone nowhere.
func TestAFrozenTabHoldsWhatItHolds(t *testing.T) {
	t.Parallel()
	first := Open(t, faults)
	second := first.Beside(faults)
	for _, tab := range []*Tab{first, second} {
		tab.Do(`await lab.open({ where: 'shared' })`)
	}
	second.Do(`lab.guard = await lab.hub.lock('l').acquire();
		lab.ticks = 0;
		setInterval(() => lab.ticks++, 1)`)
	second.Do(`await lab.becomes(() => lab.ticks > 1, true)`)
	second.lifecycle(page.SetWebLifecycleStateStateFrozen)
	ticks := Eval[int](second, `lab.ticks`)
	first.Do(`lab.next = lab.hub.lock('l').acquire();
		lab.equal(await lab.hub.lock('l').tryAcquire(), undefined);
		for (let i = 0; i < 100; i++) await new Promise((due) => setTimeout(due, 1));
		lab.equal((await lab.hub.lock('l').stats()).waiting, 1);
		lab.equal((await lab.hub.stats()).sessions, 3);
		lab.thief = await lab.hub.lock('l').steal();
		lab.equal(lab.thief.abandoned, false)`)
	require.Equal(t, ticks, Eval[int](second, `lab.ticks`), "it is not frozen")
	require.False(t, Eval[bool](second, `lab.guard.lost.aborted`), "it is not frozen")

	second.lifecycle(page.SetWebLifecycleStateStateActive)
	second.Do(`await lab.becomes(() => lab.guard.lost.aborted, true);
		lab.equal(lab.guard.lost.reason.name, 'StolenError');
		await lab.guard.release();
		await lab.hub.stats()`)
	first.Do(`lab.equal(lab.thief.lost.aborted, false);
		lab.equal(await lab.hub.lock('l').stats(), { held: 1, shared: false, waiting: 1, tenures: 2, abandoned: false });
		await lab.thief.release();
		await (await lab.next).release()`)
}

// A turnstile is where realms stand, blocked by a request that is answered once it is opened; see turnstile.ts.
type turnstile struct {
	enter, open     sync.Once
	entered, opened chan struct{}
	atLeast         time.Duration // that the first of them stands there
	until           time.Time
}

var (
	turnstiles    sync.Map // by name
	lastTurnstile atomic.Int64
)

// newTurnstile returns the name of one that is opened at the end of the test at the latest.
func newTurnstile(t testing.TB, atLeast time.Duration) string {
	one := &turnstile{entered: make(chan struct{}), opened: make(chan struct{}), atLeast: atLeast}
	name := strconv.FormatInt(lastTurnstile.Add(1), 10)
	turnstiles.Store(name, one)
	t.Cleanup(func() {
		turnstiles.Delete(name)
		one.open.Do(func() { close(one.opened) })
	})
	return name
}

func serveTurnstile(w http.ResponseWriter, r *http.Request) {
	found, ok := turnstiles.Load(r.PathValue("name"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	one := found.(*turnstile)
	await := func(until <-chan struct{}) {
		select {
		case <-until:
		case <-r.Context().Done():
		}
	}
	switch r.PathValue("do") {
	case "enter":
		one.enter.Do(func() {
			one.until = time.Now().Add(one.atLeast)
			close(one.entered)
		})
		await(one.opened)
	case "watch":
		await(one.entered)
	case "open":
		await(one.entered)
		time.Sleep(time.Until(one.until))
		one.open.Do(func() { close(one.opened) })
	}
}
