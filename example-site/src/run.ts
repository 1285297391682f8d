/** A function that runs in one lane for all who ask, until somebody says how it ends. */

import type { Queue } from 'clca/client';
import type { Lane } from './lane.ts';
import { told } from './outcome.ts';

type End = Queue<'succeed' | 'fail'>;

/** Nobody can put anything there unless it runs: such a queue has no room. */
export function endOf({ hub }: Lane, name: string): End {
  return hub.queue(`end of ${name}`, { capacity: 0 });
}

export async function run(lane: Lane, primitive: 'once' | 'task', end: End, abort: AbortSignal, fault: string): Promise<string> {
  lane.become(`${primitive} run`, 'running');
  lane.report(primitive, 'runs');
  const { value, error } = await told(end.get({ signal: abort }));
  lane.become(`${primitive} run`, undefined);
  if (error !== undefined) {
    lane.report(primitive, 'cancelled', String(error));
    throw error;
  }
  if (value === 'fail') {
    lane.report(primitive, 'throws');
    throw new Error(fault);
  }
  lane.report(primitive, 'returns');
  return `what ${lane.identity.label} has done`;
}

/** What somebody says who has it end. */
export const calls = {
  succeeds: ({ end }: { end: End }) => end.tryPut('succeed'),
  errs: ({ end }: { end: End }) => end.tryPut('fail'),
};

/** What its steps are called on the page. */
export const words = {
  runs: 'runs it for all',
  returns: 'it succeeds',
  throws: 'it fails',
  cancelled: 'it is cancelled:',
  gets: 'gets',
  succeeds: 'has it succeed:',
  errs: 'has it fail:',
};
