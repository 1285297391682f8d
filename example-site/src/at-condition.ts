/** Waiting, without the lock, until somebody says that what it protects has changed; and holding the lock. */

import type { Condition, Lock } from 'clca/client';
import type { Exhibit } from './exhibits.ts';
import type { Lane } from './lane.ts';
import { told } from './outcome.ts';
import { hold, keep, parks, wait } from './waiting.ts';

interface Shelf {
  lock: Lock;
  condition: Condition;
}

export const atCondition: Exhibit<Shelf> = {
  of({ hub }) {
    const lock = hub.lock('shelf');
    return { lock, condition: hub.condition(lock) };
  },
  activities: {
    condition: beNotified,
    'condition lock': ({ lock }, lane, stop) => hold(lane, 'condition lock', stop, lock.acquire({ signal: stop })),
  },
  calls: {
    notifies: ({ condition }) => condition.notify(),
    notifiesAll: ({ condition }) => condition.notifyAll(),
  },
  async counts({ lock, condition }) {
    const [{ waiting }, { held, waiting: line }] = await Promise.all([condition.stats(), lock.stats()]);
    return { text: `${waiting} waiting to be notified · the lock is ${held === 1 ? 'held' : 'free'}, ${line} in its line` };
  },
  words: {
    unlocks: 'gives the lock up, and waits',
    wants: 'wants to leave, and waits for the lock',
    leaves: 'leaves, with the lock',
    woken: 'was notified, and holds the lock',
    notifies: 'notifies',
    notifiesAll: 'notifies',
  },
};

async function beNotified({ lock, condition }: Shelf, lane: Lane, stop: AbortSignal): Promise<void> {
  const locked = await wait(lane, 'condition', stop, lock.acquire({ signal: stop }));
  if (locked === undefined) return;
  const guard = locked.value;
  const waiting = condition.wait(guard, { signal: stop });
  stop.addEventListener('abort', async () => {
    if (await parks(lane, told(waiting))) lane.report('condition', 'wants');
  });
  const woken = await wait(lane, 'condition', stop, waiting, '', 'unlocks');
  if (woken === undefined) return guard.release(); // who leaves holds it again, too
  lane.become('condition', 'holding');
  lane.report('condition', 'woken');
  await keep(lane, 'condition', stop, guard);
}
