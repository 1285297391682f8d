/** Running something until it has succeeded once, in one of the lanes for all. */

import type { Once } from 'clca/client';
import { count } from './counting.ts';
import type { Exhibit } from './exhibits.ts';
import { calls, endOf, run, words } from './run.ts';
import { wait } from './waiting.ts';

interface Migration {
  once: Once<string>;
  end: ReturnType<typeof endOf>;
}

export const atOnce: Exhibit<Migration> = {
  of(lane) {
    const end = endOf(lane, 'migrate');
    return { once: lane.hub.once('migrate', (abort) => run(lane, 'once', end, abort, 'no room on the disk')), end };
  },
  activities: {
    async once({ once }, lane, stop) {
      const done = await wait(lane, 'once', stop, once.run({ signal: stop }));
      if (done !== undefined) lane.report('once', 'gets', done.value);
    },
  },
  calls: {
    ...calls,
    closes: ({ once }) => once.close(),
  },
  async counts({ once }) {
    const { state, waiting, runs } = await once.stats();
    return { text: `${state} · ${waiting} waiting · run ${count(runs, 'time')} so far` };
  },
  words: { ...words, closes: 'closes it, for another first time' },
};
