//go:build !js

package browser_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	site "github.com/clca-dev/clca/example-site"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// anOrigin serves the site under the strictest policy that clca can live with, and the package once more below /wrong/ with
// a wrong MIME type for its module, and below /next/ as if it were of the next version. What is below /closed/ is for the pages of
// this origin, everything else for those of all.
func anOrigin(t *testing.T, others string) *httptest.Server {
	files := site.Handler(siteDir)
	mux := http.NewServeMux()
	mux.Handle("/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' "+others)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		files.ServeHTTP(w, r)
	}))
	mux.Handle("/closed/", http.StripPrefix("/closed", files))
	mux.HandleFunc("/wrong/clca.wasm", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		http.ServeFile(w, r, siteDir+"/clca/clca.wasm")
	})
	for _, worker := range []string{"/clca/worker.js", "/next/worker.js"} {
		mux.HandleFunc(worker, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `import { connect } from './client.js'; const hub = await connect(); await hub.event('connected').set();`)
		})
	}
	mux.HandleFunc("/next/", func(w http.ResponseWriter, r *http.Request) {
		content, err := os.ReadFile(siteDir + "/clca/" + path.Base(r.URL.Path))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
			content = bytes.Replace(content, fmt.Appendf(nil, "Version = %d;", abi.Version), fmt.Appendf(nil, "Version = %d;", abi.Version+1), 1)
			content = bytes.Replace(content, []byte("exports.clca_boot()"), []byte("exports.clca_boot() + 1"), 1)
		}
		w.Write(content)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// What a hub can be started from, where, and what comes of it.
func TestTheModuleComesFromWhereverItIs(t *testing.T) {
	t.Parallel()
	const works, load, argument = "0", "LoadError", "TypeError" // how many were woken; or the name of the error
	elsewhere := anOrigin(t, "").URL
	tab := openAt(t, anOrigin(t, elsewhere).URL+faults)
	tab.ExpectErrors("blocked by CORS policy", "ERR_FAILED")
	tab.Do(fmt.Sprintf(`
		globalThis.elsewhere = '%s';
		globalThis.start = async (where, options) => {
			try {
				const hub = await lab.createHub({ where, name: String(Math.random()), timeout: 30000, ...options });
				const woken = await hub.signal('s').signal();
				await hub.close();
				return String(woken);
			} catch (error) {
				return error.name;
			}
		}`, elsewhere))
	for _, c := range []struct{ name, source, here, worker, shared string }{
		{"the package's own", `undefined`, works, works, works},
		{"a path", `'/clca/clca.wasm'`, works, works, works},
		{"a URL", `new URL('/clca/clca.wasm', location)`, works, works, works},
		{"a wrong MIME type", `'/wrong/clca.wasm'`, works, works, works},
		{"another origin", `elsewhere + '/clca/clca.wasm'`, works, works, works},
		{"another origin that does not share it", `elsewhere + '/closed/clca/clca.wasm'`, load, load, load},
		{"a response", `await fetch('/clca/clca.wasm')`, works, argument, argument},
		{"a response of another origin", `await fetch(elsewhere + '/clca/clca.wasm')`, works, argument, argument},
		{"a response that nobody may read", `await fetch(elsewhere + '/closed/clca/clca.wasm', { mode: 'no-cors' })`, load, argument, argument},
		{"a response to come", `fetch('/clca/clca.wasm')`, works, argument, argument},
		{"bytes", `await (await fetch('/clca/clca.wasm')).arrayBuffer()`, works, works, works},
		{"a view of bytes", `new Uint8Array(await (await fetch('/clca/clca.wasm')).arrayBuffer())`, works, works, works},
		{"a compiled module", `await WebAssembly.compileStreaming(fetch('/clca/clca.wasm'))`, works, works, argument},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Eval[[]string](tab, fmt.Sprintf(`(async () => {
				const results = [];
				for (const where of ['here', 'worker', 'shared']) results.push(await start(where, { wasm: %s }));
				return results;
			})()`, c.source))
			require.Equal(t, []string{c.here, c.worker, c.shared}, got, "here, worker, shared")
		})
	}
}

// As from a CDN: whoever may read the scripts can run them.
func TestThePackageMayBeOfAnotherOrigin(t *testing.T) {
	t.Parallel()
	tab := Open(t, faults)
	tab.Do(fmt.Sprintf(`
		const { createHub } = await import('%s/clca/index.js');
		for (const where of ['here', 'worker']) {
			const hub = await createHub({ where, timeout: 30000 });
			lab.equal(await hub.signal('s').signal(), 0);
			await hub.close();
		}
		await lab.rejects(createHub({ where: 'shared' }), 'LoadError', /own origin/);`, anOrigin(t, "").URL))
}

// Two copies of the package, of which one is a version older, as when a library has brought its own.
func TestTwoVersionsOnOnePageDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	tab := openAt(t, anOrigin(t, "").URL+faults)
	tab.Do(`
		const { becomes, equal, rejects } = lab;
		const globals = Object.getOwnPropertyNames(globalThis).sort();
		const [one, next] = [await import('/clca/index.js'), await import('/next/index.js')];
		const start = (options) => Promise.all([one.createHub(options), next.createHub(options)]);
		for (const [mine, other] of [await start(), await start({ where: 'worker' })]) {
			const held = await mine.lock('l').acquire();
			const waiting = mine.signal('s').wait();
			await mine.stats();
			equal(await (await other.lock('l').tryAcquire()).release(), undefined);
			equal(await other.signal('s').signal(), 0);
			const workers = ['/clca/worker.js', '/next/worker.js'].map((url) => new Worker(url, { type: 'module' }));
			mine.attach(workers[0]);
			other.attach(workers[1]);
			await Promise.all([mine.event('connected').wait(), other.event('connected').wait()]);

			for (const [hub, { connect, VersionError }] of [[mine, next], [other, one]]) {
				const { port1, port2 } = new MessageChannel();
				hub.attach(port1);
				const error = await connect(port2).catch((error) => error);
				equal(error instanceof VersionError, true);
				equal(/version \d.*version \d/.test(error.message), true);
			}

			await other.close();
			for (const worker of workers) worker.terminate();
			equal(held.lost.aborted, false);
			equal(await mine.signal('s').signal(), 1);
			await waiting;
			await mine.close();
		}
		const shared = await one.createHub({ where: 'shared', name: 'one' });
		await rejects(next.createHub({ where: 'shared', name: 'one' }), 'VersionError');
		const another = await next.createHub({ where: 'shared', name: 'another' });
		equal([await shared.signal('s').signal(), await another.signal('s').signal()], [0, 0]);
		equal(Object.getOwnPropertyNames(globalThis).sort(), globals);`)
}
