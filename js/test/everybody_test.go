//go:build !js

package browser_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Those who wait on one signal, by where they are. The first three live in the SharedWorker that serves the hub; see
// everybody-worker.ts and programs/everybody.
const (
	goroutines     = 5
	promiseCallers = 3
	hubClients     = 2
	perTab         = 2
	firstWorkers   = 4
	secondWorkers  = 1
	everybody      = goroutines + promiseCallers + hubClients + 2*perTab + firstWorkers + secondWorkers
)

func TestOneWakeReachesEverybody(t *testing.T) {
	t.Parallel()
	first := Open(t, faults)
	second := first.Beside(faults)
	for tab, workers := range map[*Tab]int{first: firstWorkers, second: secondWorkers} {
		tab.Do(fmt.Sprintf(`await lab.join('everybody-worker.js', 'everybody');
			lab.loops = Array.from({ length: %d }, () => new lab.WaitLoop(lab.hub));
			lab.realms = Array.from({ length: %d }, () => lab.newRealm());
			await Promise.all(lab.realms.map((each) => each.tell({ keepWaiting: true })));
			lab.wakes = async () => [
				...lab.loops.map((each) => each.woken),
				...await Promise.all(lab.realms.map((each) => each.tell({ countWakes: true }))),
			];
			const channel = new BroadcastChannel('clca-test:everybody');
			lab.ask = (question, answer) => new Promise((resolve) => {
				channel.onmessage = ({ data }) => typeof data === 'object' && answer in data && resolve(data[answer]);
				channel.postMessage(question);
			});`, perTab, workers))
	}

	for i, by := range []struct {
		what   string
		tab    *Tab
		signal string
	}{
		{"a Worker", first, `lab.realms[3].tell({ signal: true })`},
		{"a page", first, `lab.hub.signal('all').signal()`},
		{"the Promise API", second, `lab.ask('signal', 'signalled')`},
		{"the second tab", second, `lab.hub.signal('all').signal()`},
		{"a Worker of the second tab", second, `lab.realms[0].tell({ signal: true })`},
		{"a Worker once more", first, `lab.realms[0].tell({ signal: true })`},
	} {
		rounds := i + 1
		first.Do(fmt.Sprintf(`await lab.becomes(async () => (await lab.hub.signal('all').stats()).waiting, %d)`, everybody))
		require.Equal(t, everybody, Eval[int](by.tab, by.signal), by.what)
		// Whoever is woken waits again: when all do, all have been woken, and nobody twice.
		first.Do(fmt.Sprintf(`await lab.becomes(() => lab.hub.signal('all').stats(),
			{ waiting: %d, signals: %d, woken: %d })`, everybody, rounds, everybody*rounds))
		require.Equal(t, each(perTab+firstWorkers, rounds), Eval[[]int](first, `lab.wakes()`), by.what)
		require.Equal(t, each(perTab+secondWorkers, rounds), Eval[[]int](second, `lab.wakes()`), by.what)
		woken := Eval[struct {
			Goroutines        int
			Promises, Clients []int
		}](first, `lab.ask('woken', 'woken')`)
		require.Equal(t, goroutines*rounds, woken.Goroutines, by.what)
		require.Equal(t, each(promiseCallers, rounds), woken.Promises, by.what)
		require.Equal(t, each(hubClients, rounds), woken.Clients, by.what)
	}
}

func each(n, value int) []int {
	values := make([]int, n)
	for i := range values {
		values[i] = value
	}
	return values
}
