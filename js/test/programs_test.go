//go:build !js

package browser_test

import "testing"

// A program of one's own comes with the wasm_exec.js of its own toolchain, which defines the global Go.
const ownGo = `
	const script = document.createElement('script');
	script.src = '/wasm_exec.js';
	await new Promise((resolve) => { script.onload = resolve; document.head.append(script); });
	lab.start = async () => {
		const go = new Go();
		const { instance } = await WebAssembly.instantiateStreaming(fetch('tools.wasm'), go.importObject);
		return { go, instance };
	};`

func TestAProgramOfOnesOwn(t *testing.T) {
	t.Parallel()
	t.Run("started by the package, with one's own Go class", func(t *testing.T) {
		tab := Open(t, faults)
		tab.Do(ownGo)
		tab.Do(`await lab.open({ wasm: 'tools.wasm', Go });
			lab.equal(lab.hub.go.call(() => 'called'), 'called');
			lab.equal(await lab.hub.signal('grow').signal(), 1);
			await lab.hub.close()`)
	})

	for name, wait := range map[string]string{
		"that serves already": `await new Promise((resolve) => setTimeout(resolve))`,
		"that has just begun": ``,
	} {
		t.Run("taken over, "+name, func(t *testing.T) {
			tab := Open(t, faults)
			tab.Do(ownGo)
			tab.Do(`const { go, instance } = await lab.start();
				const ended = go.run(instance);` + wait + `;
				await lab.open({ go, instance });
				lab.equal(await lab.hub.signal('grow').signal(), 1);
				await lab.below('a Worker', 1);
				lab.equal((await lab.hub.stats()).sessions, 2);
				await lab.hub.close();
				await ended`)
			requireFate(t, tab, 1, `^ClosedError: `, `^undefined$`)
		})
	}

	t.Run("taken over twice, or too late", func(t *testing.T) {
		tab := Open(t, faults)
		tab.Do(ownGo)
		tab.Do(`const { go, instance } = await lab.start();
			const ended = go.run(instance);
			const hub = await lab.createHub({ go, instance });
			await lab.rejects(lab.createHub({ go, instance }), 'LoadError', /has a hub already/);
			lab.equal(await hub.signal('x').signal(), 0);
			await hub.close();
			await ended;
			await lab.rejects(lab.createHub({ go, instance }), 'LoadError', /ended/)`)
	})

	t.Run("what it publishes is in its realm only", func(t *testing.T) {
		tab := Open(t, faults)
		tab.Do(`await lab.open({ wasm: 'tools.wasm' });
			const { port1, port2 } = new MessageChannel();
			lab.hub.attach(port1);
			const other = await lab.connect(port2);
			lab.equal([typeof lab.hub.go.call, Object.keys(other.go)], ['function', []])`)
	})
}

func TestWhatARealmCannotDoIsUnsupported(t *testing.T) {
	t.Parallel()
	tab := Open(t, faults)
	tab.Do(`const page = await lab.rejects(lab.connect({ timeout: 1000 }), 'UnsupportedError');
		lab.equal(page.code, 'UNSUPPORTED');
		let thrown;
		try { lab.serve() } catch (error) { thrown = error.name }
		lab.equal(thrown, 'UnsupportedError');
		await lab.open({});
		const realm = lab.newRealm();
		lab.equal(await realm.tell({ createShared: true }), 'UnsupportedError');`)
}
