/** Wanting the result of a shared task, of whose callers one runs it. */

import type { SharedTask } from 'clca/client';
import { count } from './counting.ts';
import type { Exhibit } from './exhibits.ts';
import { calls, endOf, run, words } from './run.ts';
import { wait } from './waiting.ts';

interface Loading {
  task: SharedTask<string>;
  end: ReturnType<typeof endOf>;
}

export const atTask: Exhibit<Loading> = {
  of(lane) {
    const end = endOf(lane, 'load');
    return { task: lane.hub.sharedTask('load', (abort) => run(lane, 'task', end, abort, 'the server is down')), end };
  },
  activities: {
    async task({ task }, lane, stop) {
      const got = await wait(lane, 'task', stop, task.wait({ signal: stop }));
      if (got !== undefined) lane.report('task', 'gets', got.value);
    },
  },
  calls: {
    ...calls,
    closes: ({ task }) => task.close(),
  },
  async counts({ task }) {
    const { state, waiting, runs } = await task.stats();
    return { text: `${state} · ${waiting} waiting · run ${count(runs, 'time')} so far` };
  },
  words: { ...words, closes: 'closes it, for another run' },
};
