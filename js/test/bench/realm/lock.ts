import { type Gate, byHand, checkGate, gate, passAll, runner } from './gate.ts';
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
    'floor: by hand': () => byHand(1),
    'navigator.locks': () => runner((inside) => navigator.locks.request('lock', async () => inside())),
  },
};
