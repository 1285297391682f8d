/**
 * A hub of signals and locks in plain JavaScript, and its client, as one would write them with arrays and maps: the same topology
 * as clca's, and the same messages. A realm's calls of one microtask are one Uint32Array of (op, name, id), and so are
 * the answers to it, of (id, value). It knows no cancellation and no sessions, and nobody's end.
 *
 * Pending calls are in a Map by running number, as is usual; a table of slots that are used again halves what 10,000
 * waits cost here.
 */

import type { Lock } from './lock.ts';
import type { Signal } from './signal.ts';

const opWait = 0;
const opSignal = 1;
const opAcquire = 2;
const opRelease = 3;

interface Waiter {
  client: Client;
  id: number;
}

/** A port and what is to be sent through it. */
class Client {
  names: Waiting[] = [];
  #out: number[] = [];

  constructor(readonly port: MessagePort) {}

  answer(id: number, value: number): void {
    if (this.#out.length === 0) queueMicrotask(() => this.#flush());
    this.#out.push(id, value);
  }

  #flush(): void {
    const out = new Uint32Array(this.#out);
    this.#out = [];
    this.port.postMessage(out);
  }
}

/** A signal, or a lock. */
interface Waiting {
  waiters: Waiter[];
  locked: boolean;
}

export class PlainHub {
  #signals = new Map<string, Waiting>();

  admit(port: MessagePort): void {
    const client = new Client(port);
    port.onmessage = ({ data }) => {
      if (data instanceof Uint32Array) this.#calls(client, data);
      else client.names[data.index] = this.#signal(data.name);
    };
  }

  #signal(name: string): Waiting {
    let signal = this.#signals.get(name);
    if (signal === undefined) this.#signals.set(name, (signal = { waiters: [], locked: false }));
    return signal;
  }

  #calls(client: Client, words: Uint32Array): void {
    for (let at = 0; at < words.length; at += 3) {
      const signal = client.names[words[at + 1]!]!;
      const id = words[at + 2]!;
      const op = words[at];
      if (op === opWait || op === opAcquire && signal.locked) {
        signal.waiters.push({ client, id });
      } else if (op === opAcquire) {
        signal.locked = true;
        client.answer(id, 0);
      } else if (op === opRelease) {
        const next = signal.waiters.shift();
        if (next === undefined) signal.locked = false;
        else next.client.answer(next.id, 0);
        client.answer(id, 0);
      } else {
        const { waiters } = signal;
        signal.waiters = [];
        for (const waiter of waiters) waiter.client.answer(waiter.id, 0);
        client.answer(id, waiters.length);
      }
    }
  }
}

export class PlainClient {
  #port: MessagePort;
  #names = 0;
  #id = 0;
  #pending = new Map<number, (value: number) => void>();
  #out: number[] = [];

  constructor(port: MessagePort) {
    this.#port = port;
    port.onmessage = ({ data }) => this.#answers(data);
  }

  #bind(name: string): number {
    const index = this.#names++;
    this.#port.postMessage({ index, name });
    return index;
  }

  lock(name: string): Lock {
    const index = this.#bind(name);
    const release = (): Promise<number> => this.#call(opRelease, index);
    return { acquire: () => this.#call(opAcquire, index).then(() => ({ release })) };
  }

  signal(name: string): Signal {
    const index = this.#bind(name);
    return {
      wait: () => this.#call(opWait, index),
      signal: () => this.#call(opSignal, index),
    };
  }

  #call(op: number, name: number): Promise<number> {
    return new Promise((resolve) => {
      const id = this.#id++;
      this.#pending.set(id, resolve);
      if (this.#out.length === 0) queueMicrotask(() => this.#flush());
      this.#out.push(op, name, id);
    });
  }

  #flush(): void {
    const out = new Uint32Array(this.#out);
    this.#out = [];
    this.#port.postMessage(out);
  }

  #answers(words: Uint32Array): void {
    for (let at = 0; at < words.length; at += 2) {
      const id = words[at]!;
      const resolve = this.#pending.get(id)!;
      this.#pending.delete(id);
      resolve(words[at + 1]!);
    }
  }
}
