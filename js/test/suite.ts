/** The one conformance suite, as a function of the place where its caller is. */

import { becomes } from './assert.ts';
import type { Place } from './place.ts';
import { type Case, type Report, type Seen, type Test, casesOf, chosen, run } from './runner.ts';
import { barrierCases } from './suite-barrier.ts';
import { callCases } from './suite-calls.ts';
import { checkpointCases } from './suite-checkpoint.ts';
import { conditionCases } from './suite-condition.ts';
import { crowdCases } from './suite-crowd.ts';
import { eventCases } from './suite-event.ts';
import { limitCases } from './suite-limits.ts';
import { lockCases } from './suite-lock.ts';
import { nameCases } from './suite-names.ts';
import { onceCases } from './suite-once.ts';
import { passingCases } from './suite-passing.ts';
import { poolCases } from './suite-pool.ts';
import { queueCases } from './suite-queue.ts';
import { resourceCases } from './suite-resource.ts';
import { scaleCases } from './suite-scale.ts';
import { semaphoreCases } from './suite-semaphore.ts';
import { sessionCases } from './suite-sessions.ts';
import { signalCases } from './suite-signal.ts';
import { taskCases } from './suite-task.ts';
import { webLockCases } from './suite-web-locks.ts';

const parts: Record<string, (test: Test, place: Place) => void> = {
  'Signal': signalCases,
  'Checkpoint': checkpointCases,
  'Checkpoint, passing': passingCases,
  'Many waits at once': crowdCases,
  'Shared task': taskCases,
  'Shared resource': resourceCases,
  'Locks': lockCases,
  'Semaphore': semaphoreCases,
  'Condition': conditionCases,
  'Event and latch': eventCases,
  'Barrier': barrierCases,
  'Once': onceCases,
  'Queue': queueCases,
  'Pool': poolCases,
  'hub.locks': webLockCases,
  'Names': nameCases,
  'Calls': callCases,
  'Sessions': sessionCases,
  'Limits': limitCases,
  'Scale': scaleCases,
};

export function conformance(place: Place): Case[] {
  return casesOf((test) => {
    for (const define of Object.values(parts)) define(test, place);
  });
}

/** Runs the suite; a case that leaves anything in the hub has failed. */
export async function runConformance(place: Place, seen?: Seen): Promise<Report> {
  const { hub, peer, only = '' } = place;
  await peer.fence();
  const inUse = async (): Promise<object> => ({ ...await hub.stats(), dropped: 'is no matter' });
  let before = await inUse();
  const nothingLeft = async (): Promise<void> => {
    await peer.fence();
    const expected = before;
    try {
      await becomes(inUse, expected);
    } catch (error) {
      before = await inUse(); // what it left is not to be held against the next
      throw error;
    }
  };
  return run(chosen(conformance(place), only), nothingLeft, seen);
}

/** The names of the cases by the part of the suite that they are of: the same in every place. */
export function caseNames(): Record<string, string[]> {
  const nothing: any = new Proxy(() => {}, { get: () => nothing }); // no case is run
  const place = { hub: nothing, peer: nothing, local: false };
  return Object.fromEntries(Object.entries(parts).map(([part, define]) => {
    return [part, casesOf((test) => define(test, place)).map(({ name }) => name)];
  }));
}
