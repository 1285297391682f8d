// The page of the rows within one realm: `bench.realm(subject, callers)`, which js/test/bench_realm_test.go calls.

import { type Hub, createHub } from 'clca';
import { type Took, type Work, race, within } from '../interleave.ts';
import { barrier } from './barrier.ts';
import { event } from './event.ts';
import { lock } from './lock.ts';
import { getThenPut, putThenGet } from './queue.ts';
import { semaphore } from './semaphore.ts';
import { signal } from './signal.ts';
import type { Subject } from './subject.ts';

const subjects = { signal, event, semaphore, lock, barrier, getThenPut, putThenGet };

async function realm(subject: keyof typeof subjects, callers: number): Promise<Took[]> {
  const hub = await createHub();
  const took = await race(sides<unknown>(subjects[subject] as Subject<unknown>, hub, callers));
  await hub.close();
  return took;
}

/** Each is made twice: to be checked, with no more callers than show what it does, and to be timed. */
function sides<T>({ work, check, sides, programs = {} }: Subject<T>, hub: Hub, callers: number): Sides {
  const enough = Math.min(callers, 1000);
  const all: Sides = {};
  for (const [name, make] of Object.entries(sides)) {
    all[name] = async () => {
      await within(20_000, check(make(hub, enough), enough));
      await hub.stats(); // the names that were in use are free again
      const via = make(hub, callers);
      return () => work(via, callers);
    };
  }
  for (const [name, make] of Object.entries(programs)) {
    all[name] = async () => {
      const { length } = await within(20_000, make(enough)());
      if (length !== enough) throw new Error(`${length} have gone on, not ${enough}`);
      return make(callers);
    };
  }
  return all;
}

type Sides = Record<string, () => Promise<Work>>;

Object.assign(globalThis, { bench: { realm } });
