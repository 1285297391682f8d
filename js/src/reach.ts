/** Reaching the hub that a Worker or SharedWorker serves, whose script may turn out not to load. */

import { throughParent } from './attach.ts';
import { LoadError } from './errors.ts';
import { Elsewhere, Link } from './link.ts';
import { type WaitOptions, timeoutError } from './options.ts';
import { type Port, onEvent } from './platform.ts';
import type { Trace } from './trace.ts';

/** What a realm that wants a hub served says first. */
export interface ServeMessage {
  clca: 'serve';
  /** With a dedicated Worker: the port of the one who asks. */
  port?: MessagePort;
  /** Whether that one may end the hub. */
  owner?: boolean;
  wasm?: string | BufferSource | WebAssembly.Module | undefined;
}

/** A Worker of the browser or of Node. */
export interface AnyWorker {
  postMessage(message: unknown, transfer: any): void;
  terminate(): unknown;
}

/** What a link can be told when it is made. */
export interface LinkOptions extends WaitOptions {
  onReconnect?: (() => void) | undefined;
  trace?: Trace | undefined;
}

/** Makes a link, and has it join in some way. */
async function linked(options: LinkOptions, join: (link: Link) => Promise<void>): Promise<Link> {
  const link = await Link.create();
  link.onReconnect = options.onReconnect;
  link.session!.trace = options.trace;
  try {
    options.signal?.throwIfAborted();
    await join(link);
    return link;
  } catch (error) {
    link.leave();
    throw error;
  }
}

/** Links to the hub of whoever attaches the other end of the port. */
export function reachPort(port: Port, options: LinkOptions): Promise<Link> {
  return linked(options, (link) => link.join(port, options));
}

/** Links to the hub of the realm that attaches this Worker. */
export function reachParent(options: LinkOptions): Promise<Link> {
  return linked(options, (link) => {
    const join = (port: Port, bounds: WaitOptions): Promise<void> => link.join(port, bounds);
    link.again = (_home, bounds) => throughParent(bounds, true, join);
    return throughParent(options, false, join);
  });
}

/** Links to the hub that a Worker serves to who has started it. */
export function reachWorker(worker: AnyWorker, options: LinkOptions, ask: Partial<ServeMessage> = {}): Promise<Link> {
  const script = scriptOf(worker);
  return linked(options, (link) => {
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ ...ask, clca: 'serve', port: port2 } satisfies ServeMessage, [port2]);
    return joined(link, script, port1 as Port, options);
  });
}

/**
 * Links to the hub that a SharedWorker serves, or that of its name which another SharedWorker serves. If it is known how
 * to start that SharedWorker, one that does not answer for a while is tried again: it may just have been ended.
 */
export function reachShared(
  worker: SharedWorker, options: LinkOptions, wasm?: ServeMessage['wasm'], start?: () => SharedWorker,
): Promise<Link> {
  const script = scriptOf(worker);
  return linked(options, (link) => {
    link.again = (home, within) => joinShared(link, scriptOf(sharedWorker(home)), within, wasm);
    return joinShared(link, script, options, wasm, start);
  });
}

/** For how many milliseconds a SharedWorker may say nothing. */
const silence = 5_000;

async function joinShared(
  link: Link, script: Script<SharedWorker>, options: WaitOptions, wasm: ServeMessage['wasm'], start?: () => SharedWorker,
): Promise<void> {
  const { signal, timeout = Infinity } = options;
  const started = performance.now();
  for (;;) {
    const left = timeout - (performance.now() - started);
    if (left <= 0) throw timeoutError();
    const trial = start === undefined ? left : Math.min(left, silence);
    const { port } = script.worker;
    if (wasm !== undefined) port.postMessage({ clca: 'serve', wasm } satisfies ServeMessage);
    try {
      return await joined(link, script, port as Port, { signal, timeout: trial === Infinity ? undefined : trial });
    } catch (error) {
      if (error instanceof Elsewhere) script = scriptOf(sharedWorker(error));
      else if (trial < left && (error as Error).name === 'TimeoutError' && !signal?.aborted) script = scriptOf(start!());
      else throw error;
    }
  }
}

function sharedWorker({ url, module, worker }: { url: string; module: boolean; worker: string }): SharedWorker {
  return new SharedWorker(url, { type: module ? 'module' : 'classic', name: worker });
}

/** The script of a Worker, which may turn out not to load. */
interface Script<W> {
  worker: W;
  failed: AbortController;
  unlisten: () => void;
}

/** Is to be called as soon as the Worker is there: that its script does not load may be said at once, and is said only once. */
function scriptOf<W extends object>(worker: W): Script<W> {
  const failed = new AbortController();
  return {
    worker, failed,
    unlisten: onEvent(worker as EventTarget, 'error', ({ message }: { message?: string }) => {
      const why = message ? `: ${message}` : ' to load (is the URL right? does worker-src allow it?)';
      failed.abort(new LoadError(`the script of the hub's Worker failed${why}`));
    }),
  };
}

async function joined(link: Link, { failed, unlisten }: Script<object>, port: Port, options: WaitOptions): Promise<void> {
  const { signal } = options;
  const onAbort = (): void => failed.abort(signal!.reason);
  signal?.addEventListener('abort', onAbort);
  try {
    await link.join(port, { ...options, signal: failed.signal });
  } finally {
    unlisten();
    signal?.removeEventListener('abort', onAbort);
  }
}
