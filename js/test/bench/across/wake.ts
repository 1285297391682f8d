/** Waiting in one realm for what another says: the signals of all peers, and what is done with them. */

import { Resolvers } from '../resolvers.ts';
import { type Signal, roundTrip } from '../signal.ts';
import type { Part, Realm } from './realm.ts';

interface MeansSignal extends Signal {
  /** Resolves once it hears what others say. */
  ready?(): Promise<void>;
  /** Becomes the one that signals. */
  own?(): Promise<void>;
}

type Signals = (realm: Realm, name: string) => MeansSignal;

const signals: Record<string, Signals> = {
  clca: ({ hub }, name) => hub.signal(name),
  comlink: ({ libraries }, name) => ({
    wait: () => libraries!.coordinator.wait(name),
    signal: () => libraries!.coordinator.signal(name),
  }),
  'broadcast-channel': ({ libraries }, name) => new Heard(() => libraries!.channel(name)),
  'floor: BroadcastChannel': (_realm, name) => new Heard(() => new BroadcastChannel(`${name} of the browser`)),
  'navigator.locks': (_realm, name) => new LockSignal(name),
  'floor: plain hub': ({ plain }, name) => plain.signal(name),
  'floor: MessageChannel': ({ lines: [line] }, name) => ({
    wait: () => line!.get(name),
    signal: () => line!.post(name),
  }),
  'floor: Atomics.waitAsync': ({ memory }, name) => new MemorySignal(memory!, name, async (at, seen) => {
    while (Atomics.load(memory!, at) === seen) await Atomics.waitAsync(memory!, at, seen).value;
  }),
  'floor: Atomics.wait': ({ memory }, name) => new MemorySignal(memory!, name, (at, seen) => ({
    then(resolve: () => void) { // blocks when it is awaited
      while (Atomics.load(memory!, at) === seen) Atomics.wait(memory!, at, seen);
      resolve();
    },
  })),
};

export interface Broadcast {
  postMessage(message: unknown): unknown;
  close(): unknown;
  onmessage: any;
}

/** A message to all other realms; each has a table of who waits there. */
class Heard implements MeansSignal {
  #open: () => Broadcast;
  #channel: Broadcast;
  #waiting = new Resolvers();
  #isOpen = false;

  constructor(open: () => Broadcast) {
    this.#open = open;
    this.#channel = open();
    this.#channel.onmessage = (heard: unknown) => {
      if ((heard instanceof MessageEvent ? heard.data : heard) === probe) this.#isOpen = true;
      else this.#waiting.signal();
    };
  }

  wait(): Promise<void> {
    return this.#waiting.wait();
  }

  signal(): unknown {
    return this.#channel.postMessage(true);
  }

  /** A channel is open some time after it was made; and the npm package drops what is sent in the same millisecond. */
  async ready(): Promise<void> {
    const other = this.#open();
    while (!this.#isOpen) {
      other.postMessage(probe);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await other.close();
  }
}

const probe = 'probe';

/**
 * A lock that is held by whoever signals, who lets go of it to wake those who want to share it, and is the next to hold
 * it again.
 */
class LockSignal implements MeansSignal {
  #name: string;
  #release: () => void = () => {};

  constructor(name: string) {
    this.#name = name;
  }

  wait(): Promise<unknown> {
    return navigator.locks.request(this.#name, { mode: 'shared' }, () => {});
  }

  signal(): Promise<void> {
    const before = this.#release;
    const held = new Promise<void>((resolve) => {
      const end = new Promise<void>((release) => (this.#release = release));
      void navigator.locks.request(this.#name, () => (resolve(), end));
    });
    before();
    return held;
  }

  own(): Promise<void> {
    return this.signal();
  }
}

/** A count of signals in shared memory. The notify of one may come so late that it wakes who waits for the next. */
class MemorySignal implements Signal {
  #memory: Int32Array;
  #at: number;
  #waitFor: (at: number, seen: number) => any;

  constructor(memory: Int32Array, name: string, waitFor: (at: number, seen: number) => any) {
    this.#memory = memory;
    this.#at = places.indexOf(name);
    this.#waitFor = waitFor;
  }

  wait(): Promise<unknown> {
    return this.#waitFor(this.#at, Atomics.load(this.#memory, this.#at));
  }

  signal(): number {
    Atomics.add(this.#memory, this.#at, 1);
    return Atomics.notify(this.#memory, this.#at);
  }
}

/** Where in shared memory each signal is; what follows is free. */
export const places = ['ping', 'pong'];

/** A name that no other realm uses. */
const ownName = crypto.randomUUID();

const made = new Map<string, MeansSignal>();

function signalOf(realm: Realm, via: string, name: string): MeansSignal {
  const key = `${via} ${name}`;
  let signal = made.get(key);
  if (signal === undefined) made.set(key, (signal = signals[via]!(realm, name)));
  return signal;
}

/** Makes ready what is used later. */
export const ready: Part = async (realm, _reply, via, names: string[]) => {
  await Promise.all(names.map((name) => signalOf(realm, via, name).ready?.()));
};

/** Becomes the realm that signals. */
export const own: Part = async (realm, _reply, via, name: string) => {
  await signalOf(realm, via, name).own?.();
};

/** By these means one waits in another realm or the browser, which knows of a wait once it answers a later call. */
const elsewhere = new Set(['clca', 'comlink', 'navigator.locks', 'floor: plain hub']);

async function fence(realm: Realm, via: string): Promise<void> {
  if (elsewhere.has(via)) await signalOf(realm, via, ownName).signal();
}

/** Answers so many pings; it waits for the next before it does. Replies once the first can come. */
export const answer: Part = async (realm, reply, via, times: number) => {
  const [ping, pong] = [signalOf(realm, via, 'ping'), signalOf(realm, via, 'pong')];
  let next = ping.wait();
  await fence(realm, via);
  reply();
  for (let left = times; left > 0; left--) {
    await next;
    if (left > 1) next = ping.wait();
    void pong.signal();
  }
};

/** Wakes another realm, which wakes this one; so many times. Returns the milliseconds of all. */
export const roundTrips: Part = async (realm, _reply, via, times: number): Promise<number> => {
  if (via === 'workerpool') return inTurns(realm, times);
  const [ping, pong] = [signalOf(realm, via, 'ping'), signalOf(realm, via, 'pong')];
  const start = performance.now();
  for (let i = 0; i < times; i++) await roundTrip(ping, pong);
  return performance.now() - start;
};

/**
 * A task cannot wait for another realm, and so its end is what wakes: two Workers in turns, each woken by the end of
 * the other's task through the owner of the pools.
 */
async function inTurns({ libraries }: Realm, times: number): Promise<number> {
  const [ping, pong] = [await libraries!.taskPool('ping', 1), await libraries!.taskPool('pong', 1)];
  const start = performance.now();
  for (let i = 0; i < times; i++) {
    await ping.exec('turn');
    await pong.exec('turn');
  }
  return performance.now() - start;
}

/** So many waits. Replies once they are known, and tells the first realm when all have ended. */
export const park: Part = async (realm, reply, via, waits: number) => {
  const all = signalOf(realm, via, 'all');
  const waiting = Array.from({ length: waits }, () => all.wait());
  await fence(realm, via);
  reply();
  await Promise.all(waiting);
  realm.lines[0]!.post('woken', waits);
};

/** Returns the milliseconds from one signal until all other realms have told that their waits have ended. */
export const wake: Part = async (realm, _reply, via): Promise<{ ms: number; woken: number }> => {
  const all = signalOf(realm, via, 'all');
  const told = realm.lines.map((line) => line.get('woken') as Promise<number>);
  const start = performance.now();
  void all.signal();
  const woken = await Promise.all(told);
  return { ms: performance.now() - start, woken: woken.reduce((sum, count) => sum + count) };
};
