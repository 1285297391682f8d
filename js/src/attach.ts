/** How a realm that has a hub and a realm that wants one find each other, whichever is first. */

import { ClosedError, UnsupportedError } from './errors.ts';
import { type WaitOptions, within } from './options.ts';
import { type NodeEmitter, type Platform, type Port, claim, isScope, listen, node, onEvent, randomName } from './platform.ts';
import { type Handshake, kindOf } from './wire.ts';

/**
 * A Worker (of the browser or of Node), or a MessagePort whose other end connects.
 *
 * @example
 * hub.attach(worker);
 * const { port1, port2 } = new MessageChannel();
 * hub.attach(port1); // for whoever gets port2, and calls connect(port2)
 */
export type Attachable = Platform<'Worker'> | Platform<'MessagePort'> | NodeWorker;

/**
 * A Worker of node:worker_threads.
 *
 * @example
 * const { Worker } = await import('node:worker_threads');
 * const thread = new Worker(new URL('data:text/javascript,'));
 * hub.attach(thread);
 */
export interface NodeWorker extends NodeEmitter {
  postMessage(value: any, transfer?: any): void;
  terminate(): Promise<number>;
}

/** How a realm has left: it is dead, it has closed its session, or the hub of that was lost. */
export type Leave = 'dead' | 'closed' | 'lost';

/** Lets the realm at the other end of a port in, and calls `left` when it has left; returns what shuts it out. */
export type Admit = (port: Port, left: (how: Leave) => void) => () => void;

/**
 * A realm that was let in by `hub.attach`.
 *
 * @example
 * const session = hub.attach(worker, { prefix: 'render/' });
 * session.end();
 */
export class Attachment {
  #ends = new Set<() => void>(); // of its sessions
  #unlisten: () => void = () => {};
  #detach: () => void = () => {};
  #ended = false;
  #onEnd: () => void;

  /** @internal */
  constructor(target: Attachable, limited: boolean, admit: Admit, onEnd: () => void) {
    this.#onEnd = onEnd;
    if (isPort(target)) {
      claim(target);
      this.#admit(admit, target as Port, () => this.end());
      return;
    }
    if (!isWorker(target)) {
      throw new TypeError('target must be a Worker or a MessagePort');
    }
    const served = new Map<string, () => void>(); // by what shuts them out
    this.#unlisten = listen(target, (data, event) => {
      const kind = kindOf(data);
      if (kind !== 'connect' && kind !== 'cancel') return;
      event?.stopImmediatePropagation();
      const { id } = data as Handshake & { clca: 'connect' | 'cancel' };
      if (kind === 'cancel') return served.get(id)?.();
      if (served.has(id)) return; // it spoke twice, since both sides speak first
      if (limited) this.#shut(); // the limit is one for all its sessions
      const { port1, port2 } = new MessageChannel();
      const end = this.#admit(admit, port1, (how) => {
        served.delete(id);
        if (how === 'dead') this.end();
        else if (how === 'lost') send(target, { clca: 'again' }); // in case that it waits at the other end of the port
      });
      served.set(id, end);
      send(target, { clca: 'port', id, port: port2 }, [port2]);
    });
    this.#detach = () => send(target, { clca: 'detach' });
    send(target, { clca: 'attach' });
    if ('on' in target) {
      const unlisten = this.#unlisten;
      const unlistenExit = onEvent(target, 'exit', () => this.end());
      this.#unlisten = () => (unlisten(), unlistenExit());
    }
  }

  #admit(admit: Admit, port: Port, left: (how: Leave) => void): () => void {
    const end = admit(port, (how) => {
      this.#ends.delete(end);
      left(how);
    });
    this.#ends.add(end);
    return end;
  }

  #shut(): void {
    const ends = [...this.#ends];
    this.#ends.clear();
    for (const end of ends) end();
  }

  /**
   * Shuts the realm out: it gets a `ClosedError`, what it waited for is withdrawn, and what it held is given back.
   *
   * @example
   * hub.attach(worker).end(); // also if it is in an endless loop
   */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unlisten();
    this.#shut();
    this.#detach();
    this.#onEnd();
  }
}

export function isPort(value: unknown): boolean {
  return typeof MessagePort === 'function' && value instanceof MessagePort;
}

/** Whether it is a Worker of the browser or of Node. */
export function isWorker(value: unknown): value is Worker | NodeWorker {
  const worker = value as (Worker & NodeWorker) | null | undefined;
  return typeof worker?.postMessage === 'function' && typeof worker.terminate === 'function'
    && (typeof worker.addEventListener === 'function' || typeof worker.on === 'function');
}

/**
 * Gets a port from the realm that started this Worker and attaches it, and has `join` use it; if that port turns out to
 * lead to a hub that is lost, gets another. One that was `attached` before is told when it is not any more.
 */
export async function throughParent(
  options: WaitOptions, attached: boolean, join: (port: Port, bounds: WaitOptions) => Promise<void>,
): Promise<void> {
  const parent = parentOf();
  if (parent === undefined) {
    throw new UnsupportedError('connect() without a port is for Workers; elsewhere, give it a MessagePort or a SharedWorker');
  }
  let id = '';
  let joining = new AbortController();
  let unlisten: (() => void) | undefined;
  try {
    await within<void>(options, (resolve, reject) => {
      const ask = (): void => {
        joining.abort(); // what comes of it is of no interest
        if (id !== '') send(parent, { clca: 'cancel', id });
        id = randomName('clca:connect:');
        joining = new AbortController();
        send(parent, { clca: 'connect', id });
      };
      unlisten = listen(parent as EventTarget, (data, event) => {
        const kind = kindOf(data);
        if (kind === 'attach') {
          event?.stopImmediatePropagation();
          send(parent, { clca: 'connect', id });
        } else if (kind === 'port' && (data as Handshake & { clca: 'port' }).id === id) {
          event?.stopImmediatePropagation();
          attached = true;
          const bounds = { signal: joining.signal };
          join((data as Handshake & { clca: 'port' }).port, bounds).then(resolve, (error) => bounds.signal.aborted || reject(error));
        } else if (kind === 'again' && attached) {
          event?.stopImmediatePropagation();
          ask();
        } else if (kind === 'detach' && attached) {
          event?.stopImmediatePropagation();
          reject(new ClosedError('the session was ended by the realm that attached this one'));
        }
      });
      ask();
    });
  } catch (error) {
    joining.abort();
    send(parent, { clca: 'cancel', id }); // the port may be on its way
    throw error;
  } finally {
    unlisten?.();
  }
}

function send(target: { postMessage(value: any, transfer?: any): void }, message: Handshake, transfer: Transferable[] = []): void {
  target.postMessage(message, transfer);
}

/** What speaks to the realm that started this one, if this is a Worker. */
function parentOf(): (EventTarget | NodeEmitter) & { postMessage(value: any, transfer?: any): void } | undefined {
  const scope = globalThis as unknown as EventTarget & { postMessage(value: any, transfer?: any): void };
  // Deno has Workers of either platform.
  return node?.module('node:worker_threads').parentPort ?? (isScope('DedicatedWorkerGlobalScope') ? scope : undefined);
}
