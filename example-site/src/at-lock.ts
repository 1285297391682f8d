/** Holding a lock alone, and entering one again by showing the hold that one has. */

import type { Guard, Lock, ReentrantLock } from 'clca/client';
import type { Exhibit } from './exhibits.ts';
import type { Lane } from './lane.ts';
import { aborted } from './outcome.ts';
import { hold, wait } from './waiting.ts';

interface Locks {
  lock: Lock;
  reentrant: ReentrantLock;
}

export const atLock: Exhibit<Locks> = {
  of: ({ hub }) => ({ lock: hub.lock('door'), reentrant: hub.reentrantLock('room') }),
  activities: {
    lock: ({ lock }, lane, stop, { how }) =>
      hold(lane, 'lock', stop, how === 'steal' ? lock.steal() : lock.acquire({ signal: stop })),
    'lock again': ({ reentrant }, lane, stop) => enter(reentrant, lane, stop),
  },
  nests: ['lock again'],
  async counts({ lock, reentrant }) {
    const [one, other] = await Promise.all([lock.stats(), reentrant.stats()]);
    return {
      text: `${one.held === 1 ? 'held' : 'free'} · ${one.waiting} waiting`
        + ` — reentrant: entered ${other.held} deep · ${other.waiting} waiting`,
    };
  },
  words: { enters: 'enters, depth', exits: 'exits, depth' },
};

/** What this realm holds of the reentrant lock: the way in, and so the way out. */
const guards: Guard[] = [];

async function enter(lock: ReentrantLock, lane: Lane, stop: AbortSignal): Promise<void> {
  const entered = await wait(lane, 'lock again', stop, lock.acquire({ signal: stop, within: guards.at(-1) }));
  if (entered === undefined) return;
  const tell = (step: string): void => {
    if (guards.length > 0) lane.become('lock again', 'holding', `×${guards.length}`);
    else lane.become('lock again', undefined);
    lane.report('lock again', step, guards.length);
  };
  guards.push(entered.value);
  tell('enters');
  await aborted(stop);
  guards.splice(guards.indexOf(entered.value), 1);
  await entered.value.release();
  tell('exits');
}
