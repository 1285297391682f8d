/** Holding the shared resource: something that the first starts and the last has stopped. */

import type { Queue, SharedResource } from 'clca/client';
import type { Exhibit } from './exhibits.ts';
import { faultOf, meet } from './fault.ts';
import type { Lane } from './lane.ts';
import { pause, told } from './outcome.ts';
import { hold } from './waiting.ts';

const startTime = 600; // milliseconds

interface Streaming {
  stream: SharedResource<string>;
  fault: Queue<string>;
}

export const atResource: Exhibit<Streaming> = {
  of(lane) {
    const fault = faultOf(lane, 'stream');
    const start = (abort: AbortSignal): Promise<string> => open(lane, fault, abort);
    return { stream: lane.hub.sharedResource('stream', { start, stop: (value) => lane.report('resource', 'closes', value) }), fault };
  },
  activities: {
    resource: ({ stream }, lane, stop) =>
      hold(lane, 'resource', stop, stream.acquire({ signal: stop }), '', ({ value }) => value),
  },
  calls: { errs: ({ fault }) => fault.tryPut('no such stream') },
  async counts({ stream }) {
    const { state, held, waiting } = await stream.stats();
    return { text: `${state} · held by ${held}${waiting > 0 ? `, ${waiting} waiting` : ''}` };
  },
  words: {
    starts: 'starts it for all',
    opens: 'has started',
    cancelled: 'cancels the start',
    throws: 'the start fails',
    closes: 'stops',
    errs: 'has the next start fail:',
  },
};

async function open(lane: Lane, fault: Queue<string>, abort: AbortSignal): Promise<string> {
  lane.become('resource run', 'running');
  lane.report('resource', 'starts');
  await pause(startTime, abort);
  const { error } = await told(abort.aborted ? Promise.reject(abort.reason) : meet(fault));
  lane.become('resource run', undefined);
  if (error !== undefined) {
    lane.report('resource', abort.aborted ? 'cancelled' : 'throws');
    throw error;
  }
  const value = `stream ${Math.random().toString(36).slice(2, 6)}`;
  lane.report('resource', 'opens', value);
  return value;
}
