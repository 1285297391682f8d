/** Holding the shared resource: something that the first starts and the last has stopped. */

import type { SharedResource } from 'clca/client';
import type { Exhibit } from './exhibits.ts';
import type { Lane } from './lane.ts';
import { pause } from './outcome.ts';
import { hold } from './waiting.ts';

const startTime = 600; // milliseconds

export const atResource: Exhibit<SharedResource<string>> = {
  of: (lane) => lane.hub.sharedResource('stream', {
    start: (abort) => open(lane, abort),
    stop: (value) => lane.report('resource', 'closes', value),
  }),
  activities: {
    resource: (stream, lane, stop) =>
      hold(lane, 'resource', stop, stream.acquire({ signal: stop }), '', ({ value }) => value),
  },
  async counts(stream) {
    const { state, held, waiting } = await stream.stats();
    return { text: `${state} · held by ${held}${waiting > 0 ? `, ${waiting} waiting` : ''}` };
  },
  words: {
    starts: 'starts it for all',
    opens: 'has started',
    cancelled: 'cancels the start',
    closes: 'stops',
  },
};

async function open(lane: Lane, abort: AbortSignal): Promise<string> {
  lane.become('resource run', 'running');
  lane.report('resource', 'starts');
  await pause(startTime, abort);
  lane.become('resource run', undefined);
  if (abort.aborted) {
    lane.report('resource', 'cancelled');
    throw abort.reason;
  }
  const value = `stream ${Math.random().toString(36).slice(2, 6)}`;
  lane.report('resource', 'opens', value);
  return value;
}
