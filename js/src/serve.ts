/** A hub in a realm of its own: a SharedWorker for all tabs, or a Worker for the realm that started it. */

import { defaultModule, localHub, switchboard } from './create.ts';
import { owner } from './endpoint.ts';
import { HubLostError, UnsupportedError, VersionError } from './errors.ts';
import type { Hub } from './hub.ts';
import { hold } from './liveness.ts';
import { type GoClass, type ModuleSource, load } from './load.ts';
import { clientsOf } from './membership.ts';
import { type Port, listen, locks, node } from './platform.ts';
import type { ServeMessage } from './reach.ts';
import type { Switchboard } from './switchboard.ts';
import type { Trace } from './trace.ts';
import { type Limits, type OverReason, type ToClient, kindOf } from './wire.ts';

/**
 * What a hub's own realm can be told by its script.
 *
 * @example
 * // in a page
 * const script = `
 *   import { serve } from '${new URL('/clca/index.js', location.href)}';
 *   serve({ name: 'mine', started: (hub) => hub.event('started').set() });
 * `;
 * const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })), { type: 'module' });
 * const hub = await connect(worker);
 * await hub.event('started').wait();
 */
export interface ServeOptions {
  /** The module. Default: what the first to connect asks for, or the package's own. */
  wasm?: ModuleSource | undefined;
  /** The class `Go` of the `wasm_exec.js` that goes with it. Default: the package's own. */
  Go?: GoClass | undefined;
  /** Which hub this is. Default: the name of the SharedWorker, or `clca`. */
  name?: string | undefined;
  /** Called each time a hub has started here, with this realm's own view of it. */
  started?: ((hub: Hub) => void) | undefined;
  /**
   * Told each step of the hub, and of the calls of its own realm. It costs nothing while there is none, and a hub that is
   * traced is slower.
   */
  trace?: Trace | undefined;
}

/**
 * Makes this SharedWorker serve a hub to all who `connect(sharedWorker)`, or this Worker serve one to the realm that has
 * started it and calls `connect(worker)`. To be called at once when the script begins: ports that come while the module
 * loads are kept.
 *
 * In a SharedWorker it serves only while it holds the Web Lock of the hub's name, so that there is one hub of that name
 * whatever script it came from; clients of the others are sent on to the one that serves. If the module cannot be loaded,
 * those who wait are told, and the next to connect has it tried again.
 *
 * Throws an `UnsupportedError` where it is no Worker of either kind.
 *
 * @example
 * // in a page
 * const script = `
 *   import { serve } from '${new URL('/clca/index.js', location.href)}';
 *   serve();
 * `; // in a file of its own, such as hub-worker.js
 * const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })), { type: 'module' });
 * const hub = await connect(worker);
 * await hub.signal('go').signal(); // => 0 (of those who waited)
 */
export function serve(options: ServeOptions = {}): void {
  const scope = globalThis as unknown as EventTarget & { name?: string; onconnect?: unknown; postMessage?: unknown };
  if ('onconnect' in scope) {
    const server = new Server(options, options.name ?? (scope.name || 'clca'));
    scope.addEventListener('connect', (event) => server.arrived((event as MessageEvent).ports[0] as Port, {}));
    return;
  }
  const parent = node?.module('node:worker_threads').parentPort ?? (typeof document === 'undefined' && typeof scope.postMessage === 'function' ? scope : undefined);
  if (parent === undefined) throw new UnsupportedError('serve() is for SharedWorkers and Workers');
  const server = new Server(options, undefined);
  listen(parent, (data) => {
    if (kindOf(data) !== 'serve') return;
    const { port, wasm, owner: owns } = data as ServeMessage;
    if (port !== undefined) server.arrived(port as Port, owns === true ? owner : {}, wasm);
  });
}

/** A port that came before the hub was there, with what it said so far. */
interface Visitor {
  port: Port;
  limits: Limits;
  wasm: ServeMessage['wasm']; // that it asks for, should it be the one who has a hub started
  said: unknown[];
  unlisten: () => void;
}

/** How many messages are kept of a visitor, who has no reason to say more than hello before it is answered. */
const mostSaid = 16;

class Server {
  #options: ServeOptions;
  #name: string | undefined; // of the lock; a Worker's hub needs none
  #board: Switchboard | undefined;
  #starting = false;
  #visitors: Visitor[] = [];

  constructor(options: ServeOptions, name: string | undefined) {
    this.#options = options;
    this.#name = name;
  }

  arrived(port: Port, limits: Limits, wasm?: ServeMessage['wasm']): void {
    const visitor: Visitor = { port, limits, wasm, said: [], unlisten: () => {} };
    visitor.unlisten = listen(port, (data) => {
      const kind = kindOf(data);
      if (kind === 'serve') visitor.wasm = (data as ServeMessage).wasm;
      else if (kind === 'hello' || visitor.said.length > 0) {
        if (visitor.said.length < mostSaid) visitor.said.push(data);
      // It speaks to the one who was here before: some browsers start a SharedWorker anew on the same ports.
      } else port.postMessage({ clca: 'over', reason: 'gone', message: 'the hub was started anew', epoch: 0 } satisfies ToClient);
      if (kind === 'hello') void this.#start();
    });
    this.#visitors.push(visitor);
    port.start?.();
  }

  async #start(): Promise<void> {
    if (this.#board?.over !== undefined) this.#board = undefined;
    if (this.#board === undefined) {
      if (this.#starting) return;
      this.#starting = true;
      try {
        this.#board = await this.#serve();
      } catch (error) {
        this.#dismiss({ clca: 'over', reason: reasonOf(error), message: (error as Error).message });
        return;
      } finally {
        this.#starting = false;
      }
    }
    const board = this.#board;
    if (board === undefined) return;
    for (const { port, limits, said } of this.#letGo()) board.admit(port, undefined, limits, said);
  }

  /** Those who have said hello. */
  get #waiting(): Visitor[] {
    return this.#visitors.filter((each) => each.said.length > 0);
  }

  /** Those who have said hello, who are visitors no more. Others have yet to ask: what was found so far is not for them. */
  #letGo(): Visitor[] {
    const waiting = this.#waiting;
    this.#visitors = this.#visitors.filter((each) => each.said.length === 0);
    for (const { unlisten } of waiting) unlisten();
    return waiting;
  }

  /** Starts the hub; undefined if it is served elsewhere, and the visitors were told. */
  async #serve(): Promise<Switchboard | undefined> {
    const release = await this.#claim();
    if (release === undefined) return undefined;
    try {
      const { wasm, Go, started, trace } = this.#options;
      const name = locks() === undefined ? undefined : this.#name;
      const past = name === undefined ? undefined : await clientsOf(name);
      const home = past && { name: name!, generation: past.generation + 1, path: '', ...here() };
      const source = wasm ?? this.#waiting[0]?.wasm ?? defaultModule();
      const board = await switchboard(load(source, Go), trace, home, past?.clients);
      const hub = localHub(board);
      void hub.closed.then(release);
      try {
        started?.(hub);
      } catch (error) {
        board.close();
        throw error;
      }
      return board;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Gets the lock of the hub's name, or sends the visitors to the one that has it. */
  async #claim(): Promise<(() => void) | undefined> {
    const manager = locks();
    if (this.#name === undefined || manager === undefined) return () => {};
    const lock = `clca:hub:${this.#name}`;
    const channel = new BroadcastChannel(lock);
    const stop = new AbortController();
    const elsewhere = new Promise<ToClient>((resolve) => {
      channel.onmessage = ({ data }) => kindOf(data) === 'elsewhere' && resolve(data as ToClient);
      channel.postMessage({ clca: 'where' });
    });
    const held = hold(manager, lock, { signal: stop.signal });
    const first = await Promise.race([held, elsewhere]);
    if (typeof first === 'object') {
      stop.abort();
      void held.then((release) => release?.());
      channel.close();
      this.#dismiss(first);
      return undefined;
    }
    channel.onmessage = ({ data }) => {
      if (kindOf(data) === 'where') channel.postMessage({ clca: 'elsewhere', ...here() } satisfies ToClient);
    };
    channel.postMessage({ clca: 'elsewhere', ...here() } satisfies ToClient); // to who asked while nobody was there to answer
    return () => {
      channel.close();
      first?.();
    };
  }

  /** Answers those who wait with a last message. */
  #dismiss(message: ToClient): void {
    for (const { port } of this.#letGo()) {
      port.postMessage(message);
      port.close();
    }
  }
}

function reasonOf(error: unknown): OverReason {
  if (error instanceof VersionError) return 'version';
  return error instanceof HubLostError ? 'lost' : 'failed';
}

/** Which SharedWorker this is. */
function here(): { url: string; worker: string; module: boolean } {
  return { url: location.href, worker: (globalThis as { name?: string }).name ?? '', module: isModule() };
}

/** Whether this script was started as a module: only in others can importScripts be called. */
function isModule(): boolean {
  try {
    (globalThis as unknown as { importScripts(): void }).importScripts();
    return false;
  } catch {
    return true;
  }
}

