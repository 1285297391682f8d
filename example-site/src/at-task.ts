/** Wanting the result of a shared task, of whose callers one runs it. scenarios.ts has lanes do so. */

import type { Exhibit } from './exhibits.ts';
import type { Lane } from './lane.ts';
import { told } from './outcome.ts';
import { wait } from './waiting.ts';

export const atTask: Exhibit<undefined> = {
  of: () => undefined,
  activities: {
    async task(_at, lane, stop, { name = 'start-up', how }) {
      const task = lane.hub.sharedTask(name, (abort) => startUp(lane, abort, name, how === 'fails'));
      lane.report('task', 'asks');
      const got = await wait(lane, 'task', stop, task.wait({ signal: stop }));
      if (got !== undefined) lane.report('task', 'gets', got.value);
    },
  },
  words: {
    asks: 'asks for it',
    runs: 'runs the start for all',
    returns: 'the start is done',
    throws: 'the start fails',
    cancelled: 'the start is cancelled:',
    gets: 'gets',
  },
};

/** The start of something that takes its time: until somebody says that it is over. */
async function startUp(lane: Lane, abort: AbortSignal, name: string, fails: boolean): Promise<string> {
  lane.become('task run', 'running');
  lane.report('task', 'runs');
  const { error } = await told(lane.hub.signal(name).wait({ signal: abort }));
  lane.become('task run', undefined);
  if (error !== undefined) {
    lane.report('task', 'cancelled', String(error));
    throw error;
  }
  if (fails) {
    lane.report('task', 'throws');
    throw new Error('the stream did not start');
  }
  lane.report('task', 'returns');
  return 'the stream';
}
