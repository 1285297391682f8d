//go:build !js

package browser_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever script a SharedWorker has, there is one hub of a name; who asks another script is sent on to it.
func TestThereIsOneSharedHubOfANameWhateverItsScript(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]string{
		"by connect":   `connect(new SharedWorker('/clca/shared-worker.js', { type: 'module', name: 'one' }))`,
		"by createHub": `createHub({ where: 'shared', name: 'one' })`,
	} {
		t.Run(name, func(t *testing.T) {
			tab := Open(t, "/harness/blank.html")
			require.Equal(t, 1, Eval[int](tab, `(async () => {
				const { connect, createHub } = await import('/clca/index.js');
				const first = await connect(new SharedWorker('/test/hub-worker.js', { type: 'module', name: 'one' }));
				const second = await `+second+`;
				const heard = first.signal('s').wait();
				await first.stats();
				const woken = await second.signal('s').signal();
				await heard;
				return woken;
			})()`))
		})
	}
}

func TestAWorkersOwnScriptServesTheRealmThatStartedIt(t *testing.T) {
	t.Parallel()
	tab := Open(t, "/harness/blank.html")
	require.Equal(t, 1, Eval[int](tab, `(async () => {
		const { connect } = await import('/clca/index.js');
		const worker = new Worker('/test/hub-worker.js', { type: 'module' });
		const one = await connect(worker), other = await connect(worker);
		const heard = one.signal('s').wait();
		await one.stats();
		const woken = await other.signal('s').signal();
		await heard;
		await one.close();
		await other.signal('s').signal(); // the end of one session is not the end of the hub
		return woken;
	})()`))
}

func TestAHubScriptThatDoesNotLoadIsALoadError(t *testing.T) {
	t.Parallel()
	tab := Open(t, "/harness/blank.html")
	tab.ExpectErrors(`Failed to fetch a worker script`)
	require.Equal(t, "LoadError LoadError", Eval[string](tab, `(async () => {
		const { connect } = await import('/clca/index.js');
		const name = (promise) => promise.then(() => 'connected', (error) => error.name);
		return await name(connect(new SharedWorker('/nowhere.js', { type: 'module' }))) + ' ' +
			await name(connect(new Worker('/nowhere.js', { type: 'module' })));
	})()`))
}

func TestAHubThatDiesAsItBeginsIsARejectionAndItsNameIsFree(t *testing.T) {
	t.Parallel()
	tab := Open(t, "/harness/blank.html")
	require.Equal(t, []string{"HubLostError", "0"}, Eval[[]string](tab, `(async () => {
		const { createHub } = await import('/clca/index.js');
		const start = async (wasm) => {
			const hub = await createHub({ where: 'shared', name: 'early', wasm, timeout: 30000 });
			const count = await hub.signal('s').signal().catch((error) => error);
			return count instanceof Error ? (await hub.closed ?? count).name : String(count);
		};
		const first = await start('/test/stillborn.wasm').catch((error) => error.name);
		return [first, await start('/clca/clca.wasm')];
	})()`))
}

func TestWhoeverHasAHubStartedDecidesItsModuleWheneverOthersAskedForTheirs(t *testing.T) {
	t.Parallel()
	for kind, port := range map[string]string{
		"SharedWorker": `new SharedWorker('/clca/shared-worker.js', { type: 'module', name: 'asked' }).port`,
		"Worker":       `channel.port1`,
	} {
		t.Run(kind, func(t *testing.T) {
			tab := Open(t, "/harness/blank.html")
			require.Equal(t, []string{"HubLostError", "LoadError", "true"}, Eval[[]string](tab, `(async () => {
				const { connect } = await import('/clca/index.js');
				const worker = new Worker('/clca/shared-worker.js', { type: 'module' });
				const ask = (wasm) => {
					const channel = new MessageChannel();
					const port = `+port+`;
					if (port === channel.port1) worker.postMessage({ clca: 'serve', wasm, port: channel.port2 }, [channel.port2]);
					else port.postMessage({ clca: 'serve', wasm });
					return port;
				};
				const early = ask('/nowhere.wasm');
				const heard = new Promise((resolve) => early.addEventListener('message', resolve, { once: true }));
				early.start();
				early.postMessage({ clca: 'pong' }); // which is answered, once what it asked for was heard
				await heard;
				const hub = await connect(ask('/test/dies.wasm'));
				void hub.signal('exits').signal().catch(() => {});
				const end = (await hub.closed).name;
				const error = await connect(early).then(() => new Error('connected'), (error) => error);
				return [end, error.name, String(error.message.includes('/nowhere.wasm'))];
			})()`))
		})
	}
}
