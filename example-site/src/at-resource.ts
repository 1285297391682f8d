/** Holding the shared resource: something that the first starts and the last has stopped. */

import type { Lane } from './lane.ts';
import { names } from './names.ts';
import { pause, told } from './outcome.ts';

const startTime = 600; // milliseconds

export async function holdResource(lane: Lane, stop: AbortSignal): Promise<void> {
  const stream = lane.hub.sharedResource(names.resource, {
    start: (abort) => open(lane, abort),
    stop: (value) => lane.report('resource', 'closes', value),
  });
  lane.become('resource', 'waiting');
  lane.report('resource', 'acquires');
  const { value: ref, error } = await told(stream.acquire({ signal: stop }));
  lane.become('resource', undefined);
  if (ref === undefined) {
    if (stop.aborted) lane.report('resource', 'leaves');
    else lane.report('resource', 'sees', String(error));
    return;
  }
  lane.become('resource', 'holding');
  lane.report('resource', 'holds', ref.value);
  await Promise.race([aborted(stop), aborted(ref.lost)]);
  await ref.release();
  lane.become('resource', undefined);
  if (ref.lost.aborted) lane.report('resource', 'loses', String(ref.lost.reason));
  else lane.report('resource', 'releases');
}

async function open(lane: Lane, abort: AbortSignal): Promise<string> {
  lane.become('run', 'running');
  lane.report('resource', 'starts');
  await pause(startTime, abort);
  lane.become('run', undefined);
  if (abort.aborted) {
    lane.report('resource', 'cancelled');
    throw abort.reason;
  }
  const value = `stream ${Math.random().toString(36).slice(2, 6)}`;
  lane.report('resource', 'opens', value);
  return value;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
