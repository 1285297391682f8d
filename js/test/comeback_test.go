//go:build !js

package browser_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// waysOut are how a hub's SharedWorker goes while its tabs live.
var waysOut = map[string]func(tab *Tab){
	"closes itself":           func(tab *Tab) { tab.Do(`void lab.hub.signal('close the realm').signal().catch(() => {})`) },
	"is ended by the browser": (*Tab).EndSharedWorkers,
}

// EndSharedWorkers has the browser end all SharedWorkers of the profile, and returns when they are gone.
func (tab *Tab) EndSharedWorkers() {
	tab.t.Helper()
	ctx, cancel := tab.limited()
	defer cancel()
	var gone []target.ID
	for _, info := range tab.sharedWorkers() {
		_, err := chromedp.CallBrowser(ctx, target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID})
		require.NoError(tab.t, err)
		gone = append(gone, info.TargetID)
	}
	require.NotEmpty(tab.t, gone, "no SharedWorker to end")
	require.Eventually(tab.t, func() bool {
		return !slices.ContainsFunc(tab.sharedWorkers(), func(info *target.Info) bool { return slices.Contains(gone, info.TargetID) })
	}, limit, 5*time.Millisecond)
}

func (tab *Tab) sharedWorkers() []*target.Info {
	targets, err := chromedp.Targets(browser)
	require.NoError(tab.t, err)
	return slices.DeleteFunc(targets, func(info *target.Info) bool {
		return info.Type != "shared_worker" || info.BrowserContextID != tab.profile.id
	})
}

func TestASharedHubThatIsLostComesBackWithWhatItsClientsHold(t *testing.T) {
	for way, goAway := range waysOut {
		t.Run(way, func(t *testing.T) {
			first := Open(t, faults)
			second := first.Beside(faults)
			for _, tab := range []*Tab{first, second} {
				tab.Do(`lab.again = 0;
					const worker = new SharedWorker('hub-worker.js', { type: 'module', name: 'lab' });
					lab.hub = await lab.connect(worker, { onReconnect: () => lab.again++ })`)
			}
			first.Do(`lab.guard = await lab.hub.lock('l').acquire();
				lab.permit = await lab.hub.semaphore('s', 3).acquire({ permits: 2 })`)
			second.Do(`lab.wait = lab.hub.lock('l').acquire({ reconnect: true });
				lab.rejected = lab.rejection(lab.hub.lock('l').acquire());
				await lab.hub.stats()`)
			goAway(first)
			first.Do(`await lab.becomes(() => lab.again, 1)`)
			second.Do(`await lab.becomes(() => lab.again, 1);
				lab.equal((await lab.rejected).name, 'HubLostError');
				lab.equal(await lab.hub.lock('l').stats(), { held: 1, shared: false, waiting: 1, tenures: 1, abandoned: false });
				lab.equal((await lab.hub.semaphore('s', 3).stats()).held, 2);
				lab.equal((await lab.hub.stats()).unreported, 0)`)
			first.Do(`lab.equal(lab.guard.lost.aborted, false);
				await lab.guard.release();
				await lab.permit.release()`)
			second.Do(`await (await lab.wait).release();
				lab.equal((await lab.hub.stats()).names, 2) // those on which the script itself waits`)
		})
	}
}

var _ = context.Background
