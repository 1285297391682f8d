/** Holding a lock alone, or together with others who share it. */

import type { LockManager, RWLock, RWLockOptions, WebLockInfo } from 'clca/client';
import type { Exhibit } from './exhibits.ts';
import { hold } from './waiting.ts';

const name = 'cache';

export const atRwlock: Exhibit<{ lock: RWLock; locks: LockManager }> = {
  of: ({ hub }) => ({ lock: hub.rwlock(name), locks: hub.locks }),
  activities: {
    rwlock: ({ lock }, lane, stop, { how }) =>
      hold(lane, 'rwlock', stop, lock.acquire({ signal: stop, mode: how as RWLockOptions['mode'] }), how),
  },
  async counts({ lock, locks }) {
    const [{ held, waiting, shared }, query] = await Promise.all([lock.stats(), locks.query()]);
    const state = held === 0 ? 'free' : shared ? `shared by ${held}` : 'held by one alone';
    const ours = (infos: WebLockInfo[]): string[] => infos.filter((each) => each.name === name)
      .map(({ mode, clientId }) => `${mode} ${clientId}`);
    return { text: `${state} · ${waiting} waiting`, held: ours(query.held), pending: ours(query.pending) };
  },
  words: { waits: 'waits for it,', holds: 'holds it,' },
};
