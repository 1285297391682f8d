/** What is grown: so many units, which are parked and woken again and again. */

import type { Hub } from 'clca';

export interface Crowd {
  /** Parks them all. */
  park(): void;
  /** Wakes them all, and resolves when each has settled. */
  wake(): Promise<unknown>;
  /** How many units park and wake are; else, as many as there are. */
  units?: number;
}

export const crowds: Record<string, (hub: Hub, units: number) => Crowd> = {
  /** Waits for one signal that are made in one go. */
  signal: (hub, units) => broadcast(hub.signal('crowd'), (signal) => signal.wait(), units),

  /** The same, each a call of its own, as with a timeout or an AbortSignal. */
  calls: (hub, units) => broadcast(hub.signal('crowd'), (signal) => signal.wait({}), units),

  /** What there is without a hub: an array of resolvers in plain JavaScript. */
  resolvers(_hub, units) {
    let waiting: (() => void)[] = [];
    const wait = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
    const signal = async (): Promise<void> => {
      const all = waiting;
      waiting = [];
      for (const resolve of all) resolve();
    };
    return broadcast({ wait, signal }, (each) => each.wait(), units);
  },

  /** Calls in line for a lock, each of which releases it when it has it. */
  lock(hub, units) {
    const lock = hub.lock('crowd');
    return line(() => lock.acquire(), units);
  },

  semaphore(hub, units) {
    const semaphore = hub.semaphore('crowd', 1);
    return line(() => semaphore.acquire(), units);
  },

  /** Signals, each with a call that waits for it. */
  names(hub, units) {
    let signals: ReturnType<Hub['signal']>[] = [];
    const all: unknown[] = [];
    return {
      park() {
        for (let i = 0; i < units; i++) {
          const signal = hub.signal(`crowd ${i}`);
          signals.push(signal);
          all.push(signal.wait());
        }
      },
      wake() {
        for (const signal of signals) all.push(signal.signal());
        signals = [];
        return Promise.all(all.splice(0));
      },
    };
  },

  /** One wake among so many names that live: a signal, and a call that waits again. */
  among(hub, units) {
    const wakes = 1000;
    let signals: ReturnType<Hub['signal']>[] = [];
    let waiting: Promise<void>[] = [];
    let at = 0;
    return {
      units: wakes,
      park() {
        if (signals.length > 0) return; // they wait already
        signals = Array.from({ length: units }, (_, i) => hub.signal(`crowd ${i}`));
        waiting = signals.map((signal) => signal.wait());
      },
      async wake() {
        for (let i = 0; i < wakes; i++) {
          at = (at + 7919) % units; // a prime: all names in turn
          void signals[at]!.signal();
          await waiting[at];
          waiting[at] = signals[at]!.wait();
        }
      },
    };
  },
};

function broadcast<S extends { signal(): Promise<unknown> }>(signal: S, wait: (signal: S) => unknown, units: number): Crowd {
  const all: unknown[] = [];
  return {
    park: () => { for (let i = 0; i < units; i++) all.push(wait(signal)); },
    wake: () => (all.push(signal.signal()), Promise.all(all.splice(0))),
  };
}

function line(acquire: () => Promise<{ release(): Promise<unknown> }>, units: number): Crowd {
  const all: unknown[] = [];
  let first: Promise<{ release(): Promise<unknown> }>;
  return {
    park() {
      first = acquire();
      for (let i = 1; i < units; i++) all.push(acquire().then((held) => held.release()));
    },
    async wake() {
      all.push((await first).release());
      await Promise.all(all.splice(0));
    },
  };
}

/** Milliseconds that a unit took, to be parked and woken, by round. A round is as long as the clock needs. */
export async function time(crowd: Crowd, units: number, rounds: number): Promise<number[]> {
  const each = crowd.units ?? units;
  const times = Math.max(1, Math.ceil(20_000 / each));
  const took: number[] = [];
  for (let round = -2; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < times; i++) {
      crowd.park();
      await crowd.wake();
    }
    if (round >= 0) took.push((performance.now() - start) / times / each);
  }
  return took;
}
