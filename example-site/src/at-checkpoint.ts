/** Working in steps, with a visit to the checkpoint before each. */

import type { Checkpoint } from 'clca/client';
import { count } from './counting.ts';
import type { Exhibit } from './exhibits.ts';
import type { Lane } from './lane.ts';
import { pause, told } from './outcome.ts';
import { parks } from './waiting.ts';

const pace = 250; // milliseconds

export const atCheckpoint: Exhibit<Checkpoint> = {
  of: ({ hub }) => hub.checkpoint('gate'),
  activities: { checkpoint: work },
  calls: {
    arms: (checkpoint) => checkpoint.arm(),
    resumes: (checkpoint) => checkpoint.resume(),
    disarms: (checkpoint) => checkpoint.disarm(),
  },
  async counts(checkpoint) {
    const { state, waiting, generation } = await checkpoint.stats();
    return { text: `${state} · ${waiting} parked · armed ${count(generation, 'time')} so far` };
  },
  words: {
    works: 'works',
    parks: 'parks',
    resumed: 'goes on',
    stops: 'stops working',
    begins: 'arms',
    arms: 'sees somebody parked',
    resumes: 'resumes',
    disarms: 'disarms:',
  },
};

async function work(checkpoint: Checkpoint, lane: Lane, stop: AbortSignal): Promise<void> {
  lane.become('checkpoint', 'running');
  lane.report('checkpoint', 'works');
  for (;;) {
    const visit = told(checkpoint.wait({ signal: stop }));
    const parked = await parks(lane, visit);
    if (parked) {
      lane.become('checkpoint', 'parked');
      lane.report('checkpoint', 'parks');
    }
    const { error } = await visit;
    if (error !== undefined) return leave(lane, stop, error);
    if (parked) {
      lane.become('checkpoint', 'running');
      lane.report('checkpoint', 'resumed');
    }
    lane.step();
    await pause(pace, stop);
  }
}

function leave(lane: Lane, stop: AbortSignal, error: unknown): void {
  lane.become('checkpoint', undefined);
  if (stop.aborted) lane.report('checkpoint', 'stops');
  else lane.report('checkpoint', 'fails', String(error));
}
