import type { GoProgram } from './go.ts';
import { LoadError, UnsupportedError } from './errors.ts';
import { Hub } from './hub.ts';
import { holdLifeLock } from './liveness.ts';
import { type GoClass, type ModuleSource, adopt, load } from './load.ts';
import { type ConnectOptions, remoteHub } from './connect.ts';
import type { Client } from './membership.ts';
import { checkHook, checkOptions } from './options.ts';
import { type PlatformWasm, node } from './platform.ts';
import { type AnyWorker, type ServeMessage, reachShared, reachWorker } from './reach.ts';
import { Switchboard } from './switchboard.ts';
import type { Trace } from './trace.ts';
import type { Home } from './wire.ts';

/**
 * How to start a hub.
 *
 * @example
 * const hub = await createHub({ where: 'worker', timeout: 30_000 });
 * await hub.close();
 */
export interface HubOptions extends ConnectOptions {
  /**
   * Where the Go program runs: `here`, in this realm; in a `worker` of its own; or `shared`, in one SharedWorker for all
   * tabs of this origin. Default: `here`.
   */
  where?: 'here' | 'worker' | 'shared' | undefined;
  /** With `where: 'shared'`, which hub: one per origin and name. Default: `clca`. */
  name?: string | undefined;
  /**
   * The module. With `where: 'here'`: a URL, a Response, its bytes, a compiled module, or a promise of one of these. For a Worker: a
   * URL, bytes or a compiled module. For a SharedWorker: a URL or bytes, and whoever starts it decides. Default: the package's
   * own, beside the script.
   */
  wasm?: ModuleSource | undefined;
  /** With `where: 'here'`: the class `Go` of the `wasm_exec.js` that goes with `wasm`. Default: the package's own. */
  Go?: GoClass | undefined;
  /** With `instance`: the `Go` object that runs it. Takes over a Go program that was started already. */
  go?: object | undefined;
  /** With `go`: the instance that it runs. */
  instance?: PlatformWasm<'Instance'> | undefined;
}

/** The package's own module. */
export function defaultModule(): URL {
  return new URL('./clca.wasm', import.meta.url);
}

/**
 * Starts a hub, or with `where: 'shared'` joins the one of that name, and resolves once it serves.
 *
 * A hub that is shared lives while a tab uses it. If the browser ends its SharedWorker before, the tabs start another: each
 * reports the locks, permits and held checkpoints that it has, and keeps them; nothing is granted that another may have
 * before all have reported or are dead. What the hub alone knew is lost: set events, counts, barriers, queues, kept
 * results; and so are leases of pools and refs of shared resources, whose `lost` says so. What waits rejects with a
 * `HubLostError`, or goes on with `reconnect: true`.
 *
 * Rejects with a `LoadError` that says what to do if the module cannot be loaded, or says how its program ended before it
 * served; with a `VersionError` if it is not of this version, with an `UnsupportedError` where the platform has no such
 * Worker, with a `HubLostError` if the hub dies as soon as it serves, with a `TypeError` if the options are bad, and with the
 * reason of an abort or a `TimeoutError`. A download that stalls is waited for as long as `timeout` says. After a rejection
 * nothing is left, and it can be called again.
 *
 * @example
 * // in a page
 * const hub = await createHub();
 * hub.attach(new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }));
 * await hub.event('done').wait(); // the Worker says hub.event('done').set()
 */
export async function createHub(options: HubOptions = {}): Promise<Hub> {
  checkOptions(options);
  checkHook(options.onReconnect, 'onReconnect');
  checkHook(options.trace, 'trace');
  const { where = 'here' } = options;
  options.signal?.throwIfAborted();
  if (where !== 'here' && (options.Go ?? options.go ?? options.instance) !== undefined) {
    throw new TypeError("Go, go and instance are for where: 'here'");
  }
  switch (where) {
    case 'here': return here(options);
    case 'worker': return inWorker(options);
    case 'shared': return shared(options);
    default: throw new TypeError("where must be 'here', 'worker' or 'shared'");
  }
}

async function here(options: HubOptions): Promise<Hub> {
  const { go, instance, wasm, Go, trace } = options;
  if (go === undefined && instance !== undefined) throw new TypeError('go must be given with instance');
  return localHub(await switchboard(go === undefined
    ? load(wasm === undefined ? defaultModule() : wasm, Go, options)
    : adopt(go, instance as WebAssembly.Instance, options), trace));
}

/** The switchboard of a program that is being loaded; it may follow a hub of which these are the clients. */
export async function switchboard(loading: Promise<GoProgram>, trace?: Trace, home?: Home, clients?: Client[]): Promise<Switchboard> {
  const life = holdLifeLock();
  try {
    const board = new Switchboard(await loading, await life, trace, home);
    board.begin(clients);
    return board;
  } catch (error) {
    (await life).release();
    throw error;
  }
}

/** The hub whose Go program runs in this realm. */
export function localHub(board: Switchboard): Hub {
  return new Hub({
    session: board.session,
    admit: (port, limits, left) => board.admit(port, undefined, limits, [], { left }),
    close: () => board.close(),
    published: board.program.published,
    onOver: (listener) => board.onOver(listener),
  });
}

async function inWorker(options: HubOptions): Promise<Hub> {
  const wasm = sendable(options.wasm, 'Worker');
  const worker = startWorker();
  try {
    const link = await reachWorker(worker, options, { wasm, owner: true });
    const hub = remoteHub(link, () => link.closeHub());
    void hub.closed.then(() => worker.terminate());
    return hub;
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

function startWorker(): AnyWorker {
  if (node !== undefined) {
    const { Worker } = node.module('node:worker_threads');
    const worker = new Worker(unbundledScript(), { execArgv: [] }); // those of this program may be for its script alone
    worker.unref();
    return worker;
  }
  if (typeof Worker !== 'function') throw new UnsupportedError("where: 'worker' needs Web Workers");
  if (isForeign()) return new Worker(proxyScript(), { type: 'module' });
  return new Worker(new URL('./shared-worker.js', import.meta.url), { type: 'module' });
}

/**
 * Whether the package is of another origin than the page, as from a CDN: browsers start no Worker from there. Its module
 * tells, since to most bundlers `import.meta.url` by itself is where the script was built.
 */
function isForeign(): boolean {
  const { protocol, origin } = defaultModule();
  return protocol.startsWith('http') && origin !== location.origin;
}

/** A script of the page's origin that imports the Worker's. */
function proxyScript(): string {
  const text = `import ${JSON.stringify(unbundledScript().href)};`;
  return URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
}

/** The Worker's script where no bundler was: beside the module, in words that do not have bundlers emit it once more. */
function unbundledScript(): URL {
  return new URL('shared-worker.js', defaultModule());
}

async function shared(options: HubOptions): Promise<Hub> {
  const { name = 'clca' } = options;
  if (typeof name !== 'string') throw new TypeError('name must be a string');
  if (typeof SharedWorker !== 'function') {
    throw new UnsupportedError("where: 'shared' needs SharedWorkers, which this realm does not have; " +
      'a Worker gets in through hub.attach() of its page');
  }
  if (isForeign()) {
    throw new LoadError("where: 'shared' needs the package's scripts on the page's own origin: other tabs start them too");
  }
  const wasm = sendable(options.wasm, 'SharedWorker');
  const start = (): SharedWorker => new SharedWorker(new URL('./shared-worker.js', import.meta.url), { type: 'module', name });
  return remoteHub(await reachShared(start(), options, wasm, start));
}

/** What a Worker can be sent. A SharedWorker is of another process: a compiled module would be lost on the way there. */
function sendable(source: ModuleSource | undefined, to: 'Worker' | 'SharedWorker'): ServeMessage['wasm'] {
  if (source === undefined) return undefined;
  if (typeof source === 'string') return typeof location === 'object' ? absolute(source) : source;
  if (source instanceof URL) return source.href;
  if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) return source;
  if (source instanceof WebAssembly.Module && to === 'Worker') return source;
  throw new TypeError(`wasm must be a URL${to === 'Worker' ? ', bytes or a compiled module' : ' or bytes'} to be used in a ${to}`);
}

/** What is no URL stays as it is: whoever is to load it says so. */
function absolute(url: string): string {
  try {
    return new URL(url, location.href).href;
  } catch {
    return url;
  }
}
