/** How a realm that has a hub and a realm that wants one find each other, whichever is first. */

import { ClosedError, UnsupportedError } from './errors.ts';
import { type WaitOptions, startTimer, timeoutError } from './options.ts';
import { type NodeEmitter, type Port, claim, listen, node, onEvent, randomName } from './platform.ts';
import { type Handshake, kindOf } from './wire.ts';

/** A Worker (of the browser or of Node), or a MessagePort whose other end connects. */
export type Attachable = Worker | MessagePort | NodeWorker;

/** A Worker of node:worker_threads. */
export interface NodeWorker extends NodeEmitter {
  postMessage(value: any, transfer?: any): void;
  terminate(): Promise<number>;
}

/** Lets the realm at the other end of a port in, and calls `left` when it has left, dead or not; returns what shuts it out. */
export type Admit = (port: Port, left: (dead: boolean) => void) => () => void;

/** A realm that was let in by `hub.attach`. */
export class Attachment {
  #ends = new Set<() => void>(); // of its sessions
  #unlisten: () => void = () => {};
  #detach: () => void = () => {};
  #ended = false;
  #onEnd: () => void;

  /** @internal */
  constructor(target: Attachable, admit: Admit, onEnd: () => void) {
    this.#onEnd = onEnd;
    if (isPort(target)) {
      claim(target);
      this.#admit(admit, target as Port, () => this.end());
      return;
    }
    if (!isWorker(target)) {
      throw new TypeError('target must be a Worker or a MessagePort');
    }
    const served = new Set<string>();
    this.#unlisten = listen(target, (data, event) => {
      if (kindOf(data) !== 'connect') return;
      event?.stopImmediatePropagation();
      const { id } = data as Handshake & { clca: 'connect' };
      if (served.has(id)) return; // it spoke twice, since both sides speak first
      served.add(id);
      const { port1, port2 } = new MessageChannel();
      // A Worker that has left may connect again, unless it is dead.
      this.#admit(admit, port1, (dead) => dead && this.end());
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

  #admit(admit: Admit, port: Port, left: (dead: boolean) => void): void {
    const end = admit(port, (dead) => {
      this.#ends.delete(end);
      left(dead);
    });
    this.#ends.add(end);
  }

  /** Shuts the realm out: it gets a `ClosedError`, what it waited for is withdrawn, and what it held is given back. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unlisten();
    const ends = [...this.#ends];
    this.#ends.clear();
    for (const end of ends) end();
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
 * Gets a port from the realm that started this Worker and attaches it. If it was `attached` before, it is told when it is
 * not any more.
 */
export async function portFromParent(options: WaitOptions, attached = false): Promise<Port> {
  const parent = parentOf();
  if (parent === undefined) {
    throw new UnsupportedError('connect() without a port is for Workers; elsewhere, give it a MessagePort or a SharedWorker');
  }
  const id = randomName('clca:connect:');
  const { signal, timeout } = options;
  let cleanUp: (() => void)[] = [];
  try {
    return await new Promise<Port>((resolve, reject) => {
      cleanUp.push(listen(parent as EventTarget, (data, event) => {
        const kind = kindOf(data);
        if (kind === 'attach') {
          event?.stopImmediatePropagation();
          send(parent, { clca: 'connect', id });
        } else if (kind === 'port' && (data as Handshake & { clca: 'port' }).id === id) {
          event?.stopImmediatePropagation();
          resolve((data as Handshake & { clca: 'port' }).port);
        } else if (kind === 'detach' && attached) {
          reject(new ClosedError('the session was ended by the realm that attached this one'));
        }
      }));
      if (timeout !== undefined) cleanUp.push(startTimer(timeout, () => reject(timeoutError())));
      if (signal !== undefined) {
        const onAbort = (): void => reject(signal.reason);
        signal.addEventListener('abort', onAbort);
        cleanUp.push(() => signal.removeEventListener('abort', onAbort));
      }
      send(parent, { clca: 'connect', id });
    });
  } finally {
    for (const each of cleanUp) each();
  }
}

function send(target: { postMessage(value: any, transfer?: any): void }, message: Handshake, transfer: Transferable[] = []): void {
  target.postMessage(message, transfer);
}

/** What speaks to the realm that started this one, if this is a Worker. */
function parentOf(): (EventTarget | NodeEmitter) & { postMessage(value: any, transfer?: any): void } | undefined {
  if (node !== undefined) return node.module('node:worker_threads').parentPort ?? undefined;
  const scope = globalThis as unknown as EventTarget & { postMessage(value: any, transfer?: any): void };
  const Dedicated = (globalThis as { DedicatedWorkerGlobalScope?: Function }).DedicatedWorkerGlobalScope;
  return Dedicated !== undefined && scope instanceof (Dedicated as any) ? scope : undefined;
}
