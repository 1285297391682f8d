/** Reaching the hub that a Worker or SharedWorker serves, whose script may turn out not to load. */

import { LoadError } from './errors.ts';
import { Elsewhere, Link } from './link.ts';
import { type WaitOptions, timeoutError } from './options.ts';
import { type Port, onEvent } from './platform.ts';

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

/** Links to the hub that a Worker serves to who has started it. */
export function reachWorker(worker: AnyWorker, options: WaitOptions, ask: Partial<ServeMessage> = {}): Promise<Link> {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ ...ask, clca: 'serve', port: port2 } satisfies ServeMessage, [port2]);
  return opened(worker, port1 as Port, options);
}

/** Links to the hub that a SharedWorker serves, or that of its name which another SharedWorker serves. */
export async function reachShared(
  worker: SharedWorker,
  options: WaitOptions,
  wasm?: ServeMessage['wasm'],
): Promise<Link> {
  const { timeout } = options;
  const started = performance.now();
  for (;;) {
    if (wasm !== undefined) worker.port.postMessage({ clca: 'serve', wasm } satisfies ServeMessage);
    try {
      return await opened(worker, worker.port as Port, options);
    } catch (error) {
      if (!(error instanceof Elsewhere)) throw error;
      if (timeout !== undefined) {
        const left = timeout - (performance.now() - started);
        if (left <= 0) throw timeoutError();
        options = { ...options, timeout: left };
      }
      worker = new SharedWorker(error.url, { type: error.module ? 'module' : 'classic', name: error.worker });
    }
  }
}

async function opened(worker: object, port: Port, options: WaitOptions): Promise<Link> {
  const failed = new AbortController();
  const { signal } = options;
  const onAbort = (): void => failed.abort(signal!.reason);
  signal?.addEventListener('abort', onAbort);
  const unlisten = onEvent(worker as EventTarget, 'error', ({ message }: { message?: string }) => {
    const why = message ? `: ${message}` : ' to load (is its URL right, and does worker-src allow it?)';
    failed.abort(new LoadError(`the script of the hub's Worker failed${why}`));
  });
  try {
    return await Link.open(port, { ...options, signal: failed.signal });
  } finally {
    unlisten();
    signal?.removeEventListener('abort', onAbort);
  }
}
