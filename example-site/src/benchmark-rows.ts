/**
 * The rows of the benchmark: what makes the sides of each ready, in a realm of the row's own. The works and the sides are
 * those of `make bench`, without npm's libraries.
 */

import { type Hub, createHub } from 'clca';
import type { Sides } from '../../js/test/bench/interleave.ts';
import { type Clients, pairs } from '../../js/test/bench/pairs.ts';
import { PlainClient } from '../../js/test/bench/plain.ts';
import { lock } from '../../js/test/bench/realm/lock.ts';
import { getThenPut } from '../../js/test/bench/realm/queue.ts';
import { semaphore } from '../../js/test/bench/realm/semaphore.ts';
import { signal } from '../../js/test/bench/realm/signal.ts';
import { type Subject, sides } from '../../js/test/bench/realm/subject.ts';

export const rows: Record<string, () => Promise<Sides>> = {
  signal: () => inOneRealm(signal, 10_000),
  queue: () => inOneRealm(getThenPut, 10_000),
  semaphore: () => inOneRealm(semaphore, 1000),
  lock: () => inOneRealm(lock, 100),

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
  return { hub: await hubInWorker(), plain: new PlainClient(plainPort()) };
}

function hubInWorker(): Promise<Hub> {
  return createHub({ where: 'worker' });
}

function plainPort(): MessagePort {
  const worker = new Worker(new URL('./benchmark-plain-worker.js', import.meta.url), { type: 'module' });
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(undefined, [port1]);
  return port2;
}
