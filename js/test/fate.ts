/** What becomes of a client whose hub ends: one call of each kind is pending then, and something is held. */

import type { Hub } from 'clca';
import { gate, untilAborted } from './assert.ts';

/** How each call ended: `Name: message`, or `resolved`. */
export interface Fate {
  pending: Record<string, string>;
  /** What `closed` resolved with. */
  closed: string;
  /** Why the hold on a resource is lost. */
  lost: string;
  /** Calls that are made after the end. */
  later: Record<string, string>;
}

/** Resolves when all that is to be pending is, with what becomes of it. */
export async function meetFate(hub: Hub, who: string): Promise<{ fate: Promise<Fate> }> {
  const armed = hub.checkpoint(`held ${who}`).arm();
  const ref = await hub.sharedResource(`live ${who}`, { start: () => who }).acquire();
  const lost = new Promise<string>((resolve) => {
    ref.lost.addEventListener('abort', () => resolve(said(ref.lost.reason)));
  });
  const pending = outcomes({
    wait: hub.signal(`signal ${who}`).wait(),
    bounded: hub.signal(`signal ${who}`).wait({ timeout: 1e6, signal: new AbortController().signal }),
    parked: hub.checkpoint(`held ${who}`).wait(),
    arm: hub.checkpoint(`armed ${who}`).arm(),
    task: hub.sharedTask(`task ${who}`, untilAborted).wait(),
    acquire: hub.sharedResource(`starting ${who}`, { start: untilAborted }).acquire(),
    shared: hub.signal('shared').wait(),
  });
  await armed;
  await hub.stats();
  const fate = (async () => {
    const closed = said(await hub.closed);
    return { closed, pending: await pending, lost: await lost, later: await outcomes(laterCalls(hub, who)) };
  })();
  return { fate };
}

function laterCalls(hub: Hub, who: string): Record<string, Promise<unknown>> {
  return {
    wait: hub.signal(who).wait(),
    signal: hub.signal(who).signal(),
    resume: hub.checkpoint(who).resume(),
    task: hub.sharedTask(who, () => {}).wait(),
    acquire: hub.sharedResource(who, { start() {} }).acquire(),
    stats: hub.stats(),
    attach: (async () => hub.attach(new MessageChannel().port1))(),
  };
}

async function outcomes(calls: Record<string, Promise<unknown>>): Promise<Record<string, string>> {
  const ends = Object.entries(calls).map(async ([name, call]) => [name, await call.then(() => 'resolved', said)]);
  return Object.fromEntries(await Promise.all(ends));
}

function said(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** What a realm is busy with when it dies. */
export type Occupation = 'waiting' | 'parked' | 'arming' | 'holding callers' | 'running a task' | 'owning a resource';

/** Resolves when the realm is really at it. All names are those of the occupation. */
export async function occupy(hub: Hub, occupation: Occupation): Promise<void> {
  const quiet = (promise: Promise<unknown>): void => void promise.catch(() => {});
  switch (occupation) {
    case 'waiting':
      quiet(hub.signal(occupation).wait());
      break;
    case 'parked':
      quiet(hub.checkpoint(occupation).wait());
      break;
    case 'arming':
    case 'holding callers': {
      const arm = hub.checkpoint(occupation).arm();
      quiet(arm);
      if (occupation === 'holding callers') await arm;
      break;
    }
    case 'running a task': {
      const running = gate();
      quiet(hub.sharedTask(occupation, (signal) => {
        running.open();
        return untilAborted(signal);
      }).wait());
      await running.opened;
      break;
    }
    case 'owning a resource':
      await hub.sharedResource(occupation, { start: () => 'theirs' }).acquire();
      break;
  }
  await hub.stats();
}
