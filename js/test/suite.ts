/** The one conformance suite, as a function of the place where its caller is. */

import { becomes } from './assert.ts';
import type { Place } from './place.ts';
import { type Case, type Report, casesOf, run } from './runner.ts';
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

export function conformance(place: Place): Case[] {
  return casesOf((test) => {
    signalCases(test, place);
    checkpointCases(test, place);
    passingCases(test, place);
    crowdCases(test, place);
    taskCases(test, place);
    resourceCases(test, place);
    lockCases(test, place);
    semaphoreCases(test, place);
    conditionCases(test, place);
    eventCases(test, place);
    barrierCases(test, place);
    onceCases(test, place);
    queueCases(test, place);
    poolCases(test, place);
    webLockCases(test, place);
    nameCases(test, place);
    callCases(test, place);
    sessionCases(test, place);
    limitCases(test, place);
    scaleCases(test, place);
  });
}

/** Runs the suite; a case that leaves anything in the hub has failed. */
export async function runConformance(place: Place, seen?: (name: string) => void): Promise<Report> {
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
  return run(conformance(place).filter(({ name }) => name.includes(only)), nothingLeft, seen);
}
