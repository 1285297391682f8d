/** Arriving where three wait for each other. */

import type { Barrier } from 'clca/client';
import type { Exhibit } from './exhibits.ts';
import { wait } from './waiting.ts';

export const atBarrier: Exhibit<Barrier> = {
  of: ({ hub }) => hub.barrier('step', 3),
  activities: {
    async barrier(barrier, lane, stop) {
      const full = await wait(lane, 'barrier', stop, barrier.wait({ signal: stop }));
      if (full !== undefined) lane.report('barrier', 'goes', full.value);
    },
  },
  calls: { resets: (barrier) => barrier.reset() },
  async counts(barrier) {
    const { parties, waiting, generation, broken } = await barrier.stats();
    const state = broken ? 'broken' : `${waiting} of ${parties} are there`;
    return { text: `${state} · generation ${generation}`, full: waiting, of: parties };
  },
  words: { goes: 'goes on; index', resets: 'resets it; who waited:', leaves: 'leaves, and breaks it' },
};
