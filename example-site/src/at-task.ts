/** Wanting the result of a shared task, of whose callers one runs it. */

import type { Lane } from './lane.ts';
import { told } from './outcome.ts';
import type { Order } from './protocol.ts';

export async function shareTask(lane: Lane, stop: AbortSignal, order: Order & { do: 'start' }): Promise<void> {
  const name = order.name ?? 'start-up';
  const task = lane.hub.sharedTask(name, (abort) => startUp(lane, abort, name, order.fails === true));
  lane.report('task', 'asks');
  const outcome = told(task.wait({ signal: stop }));
  await task.stats().catch(() => {}); // now the hub counts this one
  lane.become('task', 'waiting');
  lane.report('task', 'waits');
  const { value, error } = await outcome;
  lane.become('task', undefined);
  if (error === undefined) lane.report('task', 'gets', value);
  else if (stop.aborted) lane.report('task', 'leaves');
  else lane.report('task', 'sees', String(error));
}

/** The start of something that takes its time: until somebody says that it is over. */
async function startUp(lane: Lane, abort: AbortSignal, name: string, fails: boolean): Promise<string> {
  lane.become('run', 'running');
  lane.report('task', 'runs');
  const { error } = await told(lane.hub.signal(name).wait({ signal: abort }));
  lane.become('run', undefined);
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
