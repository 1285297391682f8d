/** Running something until it has succeeded once, in one of the lanes for all. */

import type { Once, Queue } from 'clca/client';
import { count } from './counting.ts';
import type { Exhibit } from './exhibits.ts';
import type { Lane } from './lane.ts';
import { told } from './outcome.ts';
import { wait } from './waiting.ts';

interface Migration {
  once: Once<string>;
  /** How it is to end. Nobody can put anything there unless it runs: such a queue has no room. */
  end: Queue<'succeed' | 'fail'>;
}

export const atOnce: Exhibit<Migration> = {
  of: (lane) => ({ once: lane.hub.once('migrate', (abort) => migrate(lane, abort)), end: endOf(lane) }),
  activities: {
    async once({ once }, lane, stop) {
      const done = await wait(lane, 'once', stop, once.run({ signal: stop }));
      if (done !== undefined) lane.report('once', 'gets', done.value);
    },
  },
  calls: {
    succeeds: ({ end }) => end.tryPut('succeed'),
    errs: ({ end }) => end.tryPut('fail'),
    closes: ({ once }) => once.close(),
  },
  async counts({ once }) {
    const { state, waiting, runs } = await once.stats();
    return { text: `${state} · ${waiting} waiting · run ${count(runs, 'time')} so far` };
  },
  words: {
    runs: 'runs it for all',
    returns: 'it succeeds',
    throws: 'it fails',
    cancelled: 'it is cancelled:',
    gets: 'gets',
    succeeds: 'has it succeed:',
    errs: 'has it fail:',
    closes: 'closes it, for another first time',
  },
};

function endOf({ hub }: Lane): Migration['end'] {
  return hub.queue('end of migrate', { capacity: 0 });
}

async function migrate(lane: Lane, abort: AbortSignal): Promise<string> {
  lane.become('once run', 'running');
  lane.report('once', 'runs');
  const { value: end, error } = await told(endOf(lane).get({ signal: abort }));
  lane.become('once run', undefined);
  if (error !== undefined) {
    lane.report('once', 'cancelled', String(error));
    throw error;
  }
  if (end === 'fail') {
    lane.report('once', 'throws');
    throw new Error('no room on the disk');
  }
  lane.report('once', 'returns');
  return `what ${lane.identity.label} has done`;
}
