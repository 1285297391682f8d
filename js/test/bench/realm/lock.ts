import { AsyncMutex } from '@esfx/async-mutex';
import { Mutex } from 'async-mutex';
import { type Gate, checkGate, gate, gates, passAll, runner } from './gate.ts';
import type { Subject } from './subject.ts';

/** All queue behind one who holds it, who leaves; then each gets it in turn and releases it. */
export const lock: Subject<Gate> = {
  async work(via, callers) {
    const leave = await via.hold();
    const all = passAll(via, callers);
    await leave();
    await Promise.all(all);
  },
  check: (via, callers) => checkGate(via, 1, callers),
  sides: {
    clca: (hub) => {
      const lock = hub.lock('lock');
      return gate(() => lock.acquire(), (guard) => guard.release());
    },
    'async-mutex': () => {
      const mutex = new Mutex();
      return gate(() => mutex.acquire(), (release) => release());
    },
    '@esfx/async-mutex': () => {
      const mutex = new AsyncMutex();
      return gate(() => mutex.lock(), () => mutex.unlock());
    },
    ...gates(1),
    'navigator.locks': () => runner((inside) => navigator.locks.request('lock', async () => inside())),
  },
};
