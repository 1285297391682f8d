/** What lanes do at most primitives: they wait for a call to end, and hold what it got them. */

import type { Lane } from './lane.ts';
import { type Outcome, aborted, pause, told } from './outcome.ts';
import type { Activity } from './protocol.ts';

/** What a lock, a semaphore, a pool or a resource gives to those who acquire. */
interface Hold {
  readonly lost: AbortSignal;
  /** Of a lock: who held it before went away without giving it back. */
  readonly abandoned?: boolean;
  release(): Promise<void>;
}

/** Whether a call did not end at once. Calls of one realm are answered in order, so a later one knows. */
export async function parks(lane: Lane, outcome: Promise<Outcome<unknown>>): Promise<boolean> {
  let pending = true;
  void outcome.then(() => (pending = false));
  await told(lane.hub.stats());
  await pause(0); // by now everybody has heard of what was answered before
  return pending;
}

/** Tells that the lane waits, if it has to, and how it fails; resolves with what the call brought if it did not. */
export async function wait<T>(
  lane: Lane, what: Activity, stop: AbortSignal, call: Promise<T>, how = '', step = 'waits',
): Promise<{ value: T; parked: boolean } | undefined> {
  const outcome = told(call);
  const parked = await parks(lane, outcome);
  if (parked) {
    lane.become(what, 'waiting', how);
    lane.report(what, step, how);
  }
  const { value, error } = await outcome;
  lane.become(what, undefined);
  if (error === undefined) return { value: value as T, parked };
  if (stop.aborted) lane.report(what, 'leaves');
  else lane.report(what, 'sees', String(error));
  return undefined;
}

/** Waits for something to happen that may have happened already. */
export async function pass(lane: Lane, what: Activity, stop: AbortSignal, call: Promise<void>): Promise<void> {
  const passed = await wait(lane, what, stop, call);
  if (passed !== undefined) lane.report(what, passed.parked ? 'woken' : 'passes');
}

/** Acquires something, and holds it until `stop` is aborted or it is lost. */
export async function hold<T extends Hold>(
  lane: Lane, what: Activity, stop: AbortSignal, call: Promise<T>, how = '', detail = (_hold: T) => how,
): Promise<void> {
  const acquired = await wait(lane, what, stop, call, how);
  if (acquired === undefined) return;
  lane.become(what, 'holding', how);
  lane.report(what, 'holds', [detail(acquired.value), ...acquired.value.abandoned ? ['(abandoned)'] : []].join(' ').trim());
  await keep(lane, what, stop, acquired.value);
}

/** Holds what was acquired until `stop` is aborted or it is lost. */
export async function keep(lane: Lane, what: Activity, stop: AbortSignal, held: Hold): Promise<void> {
  await Promise.race([aborted(stop), aborted(held.lost)]);
  await held.release();
  lane.become(what, undefined);
  if (held.lost.aborted) lane.report(what, 'loses', String(held.lost.reason));
  else lane.report(what, 'releases');
}
