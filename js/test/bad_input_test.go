//go:build !js

package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	site "github.com/clca-dev/clca/example-site"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// oddServer serves the site, and beside it what a server should not: modules that are none, and all of it again below
// /csp/ and /wasm-csp/ with a Content-Security-Policy that forbids WebAssembly, or that allows it.
func oddServer(t *testing.T) string {
	files := site.Handler(siteDir)
	mux := http.NewServeMux()
	mux.Handle("/", files)
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/odd/wrong-type.wasm", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		http.ServeFile(w, r, siteDir+"/clca/clca.wasm")
	})
	for name, content := range map[string]string{
		"garbage":  "this is no module",
		"page":     "<!doctype html><title>not found, but with status 200</title>",
		"empty":    "",
		"smallest": "\x00asm\x01\x00\x00\x00",
	} {
		mux.HandleFunc("/odd/"+name+".wasm", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/wasm")
			fmt.Fprint(w, content)
		})
	}
	for prefix, policy := range map[string]string{
		"/csp":      "script-src 'self'",
		"/wasm-csp": "script-src 'self' 'wasm-unsafe-eval'",
	} {
		mux.Handle(prefix+"/", http.StripPrefix(prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", policy)
			files.ServeHTTP(w, r)
		})))
	}
	for prefix, answer := range scriptless {
		mux.Handle(prefix+"/", http.StripPrefix(prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/shared-worker.js") {
				answer(w, r)
				return
			}
			if prefix == "/no-workers" {
				w.Header().Set("Content-Security-Policy", "worker-src 'none'")
			}
			files.ServeHTTP(w, r)
		})))
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// scriptless are the paths below which the script of the hub's Worker does not load, by what is answered for it.
var scriptless = map[string]http.HandlerFunc{
	"/no-workers": http.NotFound, // which nobody asks for
	"/no-script":  http.NotFound,
	"/a-page": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>not found, but with status 200</title>")
	},
}

// openAt is Open for another server.
func openAt(t testing.TB, url string) *Tab {
	tab := Open(t, "/harness/blank.html")
	tab.do("load "+url, chromedp.Navigate(url))
	return tab
}

const (
	failsWith = `await lab.rejects(lab.createHub({ where: '%s', %s }), '%s', /%s/);`
	thenWorks = `
		const hub = await lab.createHub({ where: '%s', wasm: undefined });
		lab.equal(await hub.signal('x').signal(), 0);
		await hub.close();`
)

func TestAModuleThatDoesNotLoadSaysWhatToDo(t *testing.T) {
	t.Parallel()
	url := oddServer(t)
	for _, where := range []string{"here", "worker"} {
		tab := openAt(t, url+faults)
		if where == "here" { // of a Worker it is not told
			tab.ExpectErrors("404", "ERR_")
		}
		for name, c := range map[string]struct{ wasm, class, says string }{
			"404":                 {`'/odd/missing.wasm'`, "LoadError", "404 Not Found.*createHub"},
			"no server":           {`'http://localhost:1/x.wasm'`, "LoadError", "could not be fetched"},
			"garbage":             {`'/odd/garbage.wasm'`, "LoadError", "odd.garbage.wasm is no WebAssembly module"},
			"no URL":              {`'http://['`, "LoadError", "could not be fetched from http:"},
			"a page":              {`'/odd/page.wasm'`, "LoadError", "no WebAssembly module"},
			"a page by its type":  {`'/test/faults.html'`, "LoadError", "is a page and no WebAssembly module.*optimizeDeps"},
			"empty":               {`'/odd/empty.wasm'`, "LoadError", "no WebAssembly module"},
			"bytes that are none": {`new Uint8Array(100)`, "LoadError", "no WebAssembly module"},
			"a module of no Go":   {`'/odd/smallest.wasm'`, "VersionError", "wasm.hub"},
			"a Go without a hub":  {`'/test/hubless.wasm'`, "VersionError", "wasm.hub"},
			"a Go that returns":   {`'/test/returns.wasm'`, "LoadError", "before it served.* ended.*nothing to do"},
			"and after a while":   {`'/test/leaves.wasm'`, "LoadError", "before it served.* ended.*nothing comes"},
		} {
			t.Run(name+", "+where, func(t *testing.T) {
				fails := fmt.Sprintf(failsWith, where, "wasm: "+c.wasm, c.class, c.says)
				_, err := TryEval[chromedp.Void](tab, "(async () => {"+fails+fmt.Sprintf(thenWorks, where)+"})()")
				require.NoError(t, err)
			})
		}
	}
}

// That a Worker's script does not load is said once, and here before anything else that createHub waits for. A browser
// under load has been seen to say nothing of a first SharedWorker, once in hundreds of times: createHub then starts another.
func TestAHubWhoseScriptDoesNotLoadFailsAtOnce(t *testing.T) {
	t.Parallel()
	url := oddServer(t)
	for path, complaints := range map[string]map[string][]string{ // on the console
		"/no-workers": {"worker": {"worker-src"}, "shared": {"worker-src"}},
		"/no-script":  {"worker": nil, "shared": {"Failed to fetch a worker script"}},
		"/a-page":     {"worker": {"MIME"}, "shared": {"Failed to fetch a worker script"}},
	} {
		for where, complaints := range complaints {
			t.Run(path[1:]+", "+where, func(t *testing.T) {
				tab := openAt(t, url+path+faults)
				tab.ExpectErrors(complaints...)
				tab.Do(`
					const said = new Promise((resolve) => {
						for (const kind of ['Worker', 'SharedWorker']) {
							globalThis[kind] = class extends globalThis[kind] {
								constructor(...given) {
									super(...given);
									this.addEventListener('error', resolve);
								}
							};
						}
					});
					const enough = new Promise((resolve) => setTimeout(resolve, 10_000));
					const { request } = navigator.locks;
					navigator.locks.request = async (...given) => (await Promise.race([said, enough]), request.apply(navigator.locks, given));`)
				tab.Do(fmt.Sprintf(failsWith, where, "", "LoadError", "script of the hub's Worker failed to load"))
			})
		}
	}
}

// A timer of Go's that is due runs as soon as anything enters Go, which may be the loader.
func TestAGoProgramThatEndsWhileItIsTakenOverIsALoadErrorAsItIsBeforeAndAfter(t *testing.T) {
	t.Parallel()
	tab := Open(t, faults)
	tab.Do(`
		await import('/wasm_exec.js');
		globalThis.Busy = class extends Go {
			run(instance) {
				const ended = super.run(instance);
				for (const until = performance.now() + 200; performance.now() < until;);
				return ended;
			}
		}`)
	tab.Do(fmt.Sprintf(failsWith, "here", `wasm: '/test/leaves.wasm', Go: Busy`, "LoadError", "before it served.* ended.*nothing comes"))
	tab.Do(fmt.Sprintf(thenWorks, "here"))
}

func TestASharedHubThatDoesNotLoadIsTriedAgain(t *testing.T) {
	t.Parallel()
	tab := openAt(t, oddServer(t)+faults)
	tab.Do(fmt.Sprintf(failsWith, "shared", `wasm: '/odd/garbage.wasm'`, "LoadError", "no WebAssembly module"))
	tab.Do(fmt.Sprintf(failsWith, "shared", `wasm: '/test/hubless.wasm'`, "VersionError", "wasm.hub"))
	tab.Do(fmt.Sprintf(failsWith, "shared", `wasm: '/test/leaves.wasm'`, "LoadError", "before it served.* ended.*nothing comes"))
	tab.Do(fmt.Sprintf(failsWith, "shared", `wasm: 42`, "TypeError", "wasm must be a URL or bytes to be used in a SharedWorker"))
	tab.Do(fmt.Sprintf(thenWorks, "shared"))
}

func TestAWrongMIMETypeIsNoHindrance(t *testing.T) {
	t.Parallel()
	url := oddServer(t)
	for _, where := range []string{"here", "worker", "shared"} {
		t.Run(where, func(t *testing.T) {
			tab := openAt(t, url+faults)
			tab.Do(fmt.Sprintf(`await lab.open({ where: '%s', wasm: '/odd/wrong-type.wasm' });
				lab.equal(await lab.hub.signal('x').signal(), 0)`, where))
		})
	}
}

func TestAContentSecurityPolicyThatForbidsWebAssemblyIsNamed(t *testing.T) {
	t.Parallel()
	url := oddServer(t)
	for _, where := range []string{"here", "worker", "shared"} {
		t.Run(where, func(t *testing.T) {
			tab := openAt(t, url+"/csp"+faults)
			tab.Do(fmt.Sprintf(failsWith, where, "", "LoadError", `'wasm-unsafe-eval'`))
		})
		t.Run(where+" allowed", func(t *testing.T) {
			tab := openAt(t, url+"/wasm-csp"+faults)
			tab.Do(fmt.Sprintf(thenWorks, where))
		})
	}
}

func TestAModuleOfAnotherVersionIsAVersionError(t *testing.T) {
	t.Parallel()
	tab := Open(t, faults)
	// Stands in for a module whose exports are others.
	tab.Do(`const { instantiate } = WebAssembly;
		globalThis.pretend = (change) => {
			WebAssembly.instantiate = async (...args) => {
				WebAssembly.instantiate = instantiate;
				const { exports } = await instantiate(...args);
				return Object.create(WebAssembly.Instance.prototype, { exports: { value: change({ ...exports }) } });
			};
		};
		pretend((exports) => ({ ...exports, clca_boot: () => exports.clca_boot() + 1 }));`)
	tab.Do(fmt.Sprintf(failsWith, "here", "", "VersionError",
		fmt.Sprintf("version %d of the protocol, this package version %d", abi.Version+1, abi.Version)))
	tab.Do(`pretend(({ clca_call, ...exports }) => exports)`)
	tab.Do(fmt.Sprintf(failsWith, "here", "", "VersionError", `clca_call`))
	tab.Do(fmt.Sprintf(thenWorks, "here"))
}

func TestBadArgumentsOfCreateHubAreNamedAndNeverThrown(t *testing.T) {
	t.Parallel()
	tab := Open(t, faults)
	for options, names := range map[string]string{
		`null`: "options", `5`: "options", `'here'`: "options",
		`{ where: 'nowhere' }`: "where", `{ where: 5 }`: "where", `{ where: null }`: "where",
		`{ timeout: 0 }`: "timeout", `{ signal: {} }`: "signal",
		`{ where: 'shared', name: 5 }`:      "name",
		`{ where: 'worker', Go: class {} }`: "Go", `{ where: 'shared', go: {} }`: "go",
		`{ wasm: 5 }`: "wasm", `{ wasm: {} }`: "wasm", `{ wasm: null }`: "wasm",
		`{ where: 'worker', wasm: 5 }`: "wasm", `{ where: 'worker', wasm: new Response('') }`: "wasm",
		`{ where: 'shared', wasm: {} }`: "wasm",
		`{ Go: 5 }`:                     "Go", `{ Go: class {} }`: "Go",
		`{ go: {} }`: "instance", `{ go: 5, instance: 6 }`: "instance", `{ instance: {} }`: "go",
	} {
		t.Run(options, func(t *testing.T) {
			_, err := TryEval[chromedp.Void](tab, fmt.Sprintf(`(async () => {
				let promise;
				try { promise = lab.createHub(%s); } catch (error) { throw new Error('thrown', { cause: error }); }
				await lab.rejects(promise, 'TypeError', /\b%s\b/);
			})()`, options, names))
			require.NoError(t, err)
		})
	}
	tab.Do(fmt.Sprintf(thenWorks, "here"))
}

func TestCreateHubIsAsPatientAsItIsTold(t *testing.T) {
	t.Parallel()
	tab := Open(t, faults)
	for _, where := range []string{"here", "worker", "shared"} {
		t.Run(where, func(t *testing.T) {
			tab.Do(fmt.Sprintf(`
				lab.equal(await lab.rejection(lab.createHub({ where: '%[1]s', signal: AbortSignal.abort('before') })), 'before');
				const stop = new AbortController();
				const starting = lab.createHub({ where: '%[1]s', signal: stop.signal });
				stop.abort('meanwhile');
				lab.equal(await lab.rejection(starting), 'meanwhile');`, where))
			tab.Do(fmt.Sprintf(thenWorks, where))
		})
	}
	tab.Do(`await lab.rejects(lab.createHub({ wasm: new Promise(() => {}), timeout: 1 }), 'TimeoutError')`)
}

func TestAHubDefinesNoGlobal(t *testing.T) {
	t.Parallel()
	tab := Open(t, faults)
	tab.Do(`const before = Object.getOwnPropertyNames(globalThis).sort();
		await lab.open({});
		await lab.below('a Worker', 1);
		await lab.hub.signal('x').signal();
		lab.equal(Object.getOwnPropertyNames(globalThis).sort(), before);
		await lab.hub.close();
		lab.equal(Object.getOwnPropertyNames(globalThis).sort(), before);`)
}

func TestAWorkerConnectsHoweverLateOrEarly(t *testing.T) {
	t.Parallel()
	tab := Open(t, faults)
	tab.Do(`await lab.open({});
		lab.newcomer = () => {
			const worker = new Worker('connect-worker.js', { type: 'module' });
			const waiting = [];
			worker.onmessage = ({ data }) => {
				for (const each of waiting) each(data);
			};
			const reply = (kind) => new Promise((resolve) => waiting.push((data) => kind in data && resolve(data[kind])));
			return { worker, reply, say: (message) => worker.postMessage(message) };
		};
		lab.waited = lab.hub.signal('from the Worker');`)

	t.Run("connect first", func(t *testing.T) {
		tab.Do(`const { worker, reply, say } = lab.newcomer();
			const connecting = reply('connecting');
			say({ connect: 30000 });
			await connecting;
			const connected = reply('connected');
			lab.hub.attach(worker);
			lab.equal(await connected, [0])`)
	})
	t.Run("attach first", func(t *testing.T) {
		tab.Do(`const { worker, reply, say } = lab.newcomer();
			lab.hub.attach(worker);
			const connected = reply('connected');
			say({ hello: 1 });
			say({ connect: 30000 });
			lab.equal(await connected, [0])`)
	})
	t.Run("nobody attaches", func(t *testing.T) {
		tab.Do(`const { reply, say } = lab.newcomer();
			const failed = reply('failed');
			say({ connect: 1 });
			lab.equal(await failed, 'TimeoutError');
			const aborted = reply('failed');
			say({ connect: 30000, abort: 'bored' });
			lab.equal(await aborted, 'bored')`)
	})
	t.Run("after a timeout", func(t *testing.T) {
		tab.Do(`const { worker, reply, say } = lab.newcomer();
			const failed = reply('failed');
			say({ connect: 1 });
			await failed;
			const connected = reply('connected');
			lab.hub.attach(worker);
			say({ connect: 30000 });
			lab.equal(await connected, [0])`)
	})
	t.Run("twice at once", func(t *testing.T) {
		tab.Do(`const { sessions } = await lab.hub.stats();
			const { worker, reply, say } = lab.newcomer();
			const session = lab.hub.attach(worker);
			const wait = lab.waited.wait();
			const connected = reply('connected');
			say({ connect: 30000, times: 2 });
			const counts = await connected;
			lab.equal(counts.reduce((a, b) => a + b), 1);
			await wait;
			lab.equal((await lab.hub.stats()).sessions, sessions + 2);
			session.end();
			await lab.becomes(async () => (await lab.hub.stats()).sessions, sessions)`)
	})
	t.Run("again after it was shut out", func(t *testing.T) {
		tab.Do(`const { worker, reply, say } = lab.newcomer();
			const session = lab.hub.attach(worker);
			const first = reply('connected');
			say({ connect: 30000 });
			await first;
			session.end();
			lab.hub.attach(worker);
			const second = reply('connected');
			say({ connect: 30000 });
			lab.equal(await second, [0])`)
	})
	t.Run("among messages of its own", func(t *testing.T) {
		tab.Do(`const { worker, reply, say } = lab.newcomer();
			say({ n: 1 });
			lab.hub.attach(worker);
			const seen = [];
			worker.addEventListener('message', ({ data }) => seen.push(data));
			say({ n: 2 });
			const connected = reply('said');
			say({ connect: 30000 });
			say({ n: 3 });
			lab.equal(await connected, [{ n: 1 }, { n: 2 }, { connect: 30000 }, { n: 3 }]);
			lab.equal(seen.filter((each) => 'clca' in each), [])`)
	})
}

func TestAPageThatComesBackFromTheCacheBeginsAnew(t *testing.T) {
	t.Parallel()
	first := Open(t, faults)
	first.Do(`await lab.open({ where: 'shared' })`)
	first.Do(countSessions)
	second := first.Beside(faults)
	second.Do(`await lab.open({ where: 'shared' });
		lab.wait = lab.hub.signal('waiting').wait();
		lab.wait.catch(() => {});
		lab.ref = await lab.hub.sharedResource('live', { start: () => 1 }).acquire();
		lab.persisted = new Promise((resolve) => addEventListener('pageshow', (event) => resolve(event.persisted)))`)
	second.Go("/harness/blank.html")
	first.Do(sessionsAreBack)
	first.Do(`lab.equal(await lab.hub.signal('waiting').signal(), 0)`)
	second.Do(`setTimeout(() => history.back())`)
	require.Eventually(t, func() bool {
		back, err := TryEval[bool](second, `'lab' in globalThis`)
		return err == nil && back
	}, limit, 10*time.Millisecond)
	require.True(t, Eval[bool](second, `lab.persisted`))
	second.Do(`await lab.rejects(lab.wait, 'SuspendedError');
		lab.equal(lab.ref.lost.reason.name, 'SuspendedError');
		await lab.ref.release();
		lab.again = lab.hub.signal('waiting').wait();
		await lab.hub.stats()`)
	first.Do(`lab.equal(await lab.hub.signal('waiting').signal(), 1)`)
	second.Do(`await lab.again`)
}
