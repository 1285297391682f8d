/**
 * The rows of the benchmark: what makes the sides of each ready, in a realm of the row's own. The works and the sides
 * are those of `make bench`, without the libraries that come from npm.
 */

import { type Hub, createHub } from 'clca';
import type { FarRealm } from '../../js/test/bench/across/realm.ts';
import * as across from '../../js/test/bench/across/works.ts';
import type { Sides } from '../../js/test/bench/interleave.ts';
import { type Clients, pairs } from '../../js/test/bench/pairs.ts';
import { PlainClient } from '../../js/test/bench/plain.ts';
import { lock } from '../../js/test/bench/realm/lock.ts';
import { getThenPut } from '../../js/test/bench/realm/queue.ts';
import { semaphore } from '../../js/test/bench/realm/semaphore.ts';
import { signal } from '../../js/test/bench/realm/signal.ts';
import { type Subject, sides } from '../../js/test/bench/realm/subject.ts';

const wakes = ['clca', 'navigator.locks', 'floor: plain hub', 'floor: BroadcastChannel'];

export const rows: Record<string, () => Promise<Sides>> = {
  signal: () => inOneRealm(signal, 10_000),
  queue: () => inOneRealm(getThenPut, 10_000),
  semaphore: () => inOneRealm(semaphore, 1000),
  lock: () => inOneRealm(lock, 100),

  async wake() {
    const via = [...wakes, 'floor: MessageChannel', 'floor: Atomics.waitAsync'];
    return between(across.wakeOne(await workers(2)), via);
  },
  wakeMany: async () => between(across.wakeMany(await workers(5)), wakes),
  async contend() {
    const via = ['clca', 'navigator.locks', 'floor: plain hub', 'floor: Atomics.wait'];
    return between(across.lock(await workers(4), false), via);
  },
  handOver: async () => between(across.throughput(await workers(2), 10), ['clca', 'floor: MessageChannel']),

  async waits() {
    const { ours, theirs } = pairs.broadcast(await clients());
    return { clca: () => ours, 'floor: plain hub': () => theirs };
  },
  async unlock() {
    const both = await clients();
    const { ours, theirs } = pairs.lock(both);
    return { clca: () => ours, 'navigator.locks': () => pairs.request(both).theirs, 'floor: plain hub': () => theirs };
  },
  async checkpoint() {
    const { ours, theirs } = pairs.checkpoint(await clients());
    return { clca: () => ours, 'floor: await': () => theirs };
  },
};

async function inOneRealm<T>(subject: Subject<T>, callers: number): Promise<Sides> {
  return sides(subject, await createHub(), callers);
}

/** This realm, as a client of two hubs in Workers. */
async function clients(): Promise<Clients> {
  return { hub: await hubInWorker(), plain: new PlainClient(plainHub()()) };
}

/** So many Workers, as clients of two hubs in Workers. */
async function workers(count: number): Promise<FarRealm[]> {
  const plain = plainHub();
  const kit = (): { plain: MessagePort } => ({ plain: plain() });
  return across.workers({ hub: await hubInWorker(), kit, script: script('./benchmark-realm-worker.js') }, count);
}

function between(work: across.Work, via: string[]): Sides {
  const all = across.sides(work, via);
  for (const name of via) {
    const missing = lacks(name);
    if (missing !== undefined) all[name] = () => Promise.reject(new Error(missing));
  }
  return all;
}

/** Why these means are not to be had here. */
function lacks(name: string): string | undefined {
  if (name.includes('Atomics') && !crossOriginIsolated) return 'needs a cross-origin isolated page';
  if (name.endsWith('waitAsync') && !('waitAsync' in Atomics)) return 'is not in this browser';
  if (name === 'navigator.locks' && navigator.locks === undefined) return 'needs a secure context';
  return undefined;
}

function hubInWorker(): Promise<Hub> {
  return createHub({ where: 'worker' });
}

/** Returns what makes a port to it. */
function plainHub(): () => MessagePort {
  const worker = new Worker(script('./benchmark-plain-worker.js'), { type: 'module' });
  return () => {
    const { port1, port2 } = new MessageChannel();
    worker.postMessage(undefined, [port1]);
    return port2;
  };
}

function script(name: string): URL {
  return new URL(name, import.meta.url);
}
