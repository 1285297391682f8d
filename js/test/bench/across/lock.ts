/** Letting in one realm at a time: the locks of all peers, and what is done with them. */

import type { Lock } from '../lock.ts';
import { places } from './wake.ts';
import type { Part, Realm } from './realm.ts';

/** Gets the lock, awaits the function, and has given the lock back when it resolves. */
type Section = (body: () => unknown) => Promise<unknown>;

const sections: Record<string, (realm: Realm, name: string) => Section> = {
  clca: ({ hub }, name) => within(hub.lock(name)),
  'clca locks.request': ({ hub }, name) => (body) => hub.locks.request(`${name} of locks`, body),
  comlink: ({ libraries }, name) => async (body) => {
    await libraries!.coordinator.acquire(name);
    await body();
    await libraries!.coordinator.release(name);
  },
  'navigator.locks': (_realm, name) => (body) => navigator.locks.request(name, body),
  'floor: plain hub': ({ plain }, name) => within(plain.lock(name)),
  'floor: Atomics.wait': ({ memory }) => withinMutex(memory!, places.length),
};

function within(lock: Lock): Section {
  return async (body) => {
    const guard = await lock.acquire();
    await body();
    await guard.release();
  };
}

/** A mutex of three states: free, held, and held while others may sleep. It blocks. */
function withinMutex(memory: Int32Array, at: number): Section {
  const [free, held, contended] = [0, 1, 2];
  return async (body) => {
    if (Atomics.compareExchange(memory, at, free, held) !== free) {
      while (Atomics.exchange(memory, at, contended) !== free) Atomics.wait(memory, at, contended);
    }
    await body();
    if (Atomics.exchange(memory, at, free) === contended) Atomics.notify(memory, at, 1);
  };
}

const made = new Map<string, Section>();

function sectionOf(realm: Realm, via: string): Section {
  let section = made.get(via);
  if (section === undefined) made.set(via, (section = sections[via]!(realm, 'lock')));
  return section;
}

/** Acquires and releases so many times. */
export const contend: Part = async (realm, _reply, via, times: number) => {
  const section = sectionOf(realm, via);
  for (let i = 0; i < times; i++) await section(() => {});
};

/** The same, with a count in the lock that is read, and then written; returns it as it was written last. */
export const enter: Part = async (realm, _reply, via, times: number): Promise<number> => {
  const section = sectionOf(realm, via);
  let count = 0;
  for (let i = 0; i < times; i++) {
    await section(async () => {
      count = 1 + await realm.libraries!.coordinator.count(via);
      await realm.libraries!.coordinator.setCount(via, count);
    });
  }
  return count;
};
