/** Working in steps, with a visit to the checkpoint before each. */

import type { Checkpoint } from 'clca/client';
import type { Lane } from './lane.ts';
import { names } from './names.ts';
import { type Outcome, pause, told } from './outcome.ts';

const pace = 250; // milliseconds

export async function visitCheckpoint(lane: Lane, stop: AbortSignal): Promise<void> {
  const checkpoint = lane.hub.checkpoint(names.checkpoint);
  lane.become('checkpoint', 'running');
  lane.report('checkpoint', 'works');
  for (;;) {
    const visit = told(checkpoint.wait({ signal: stop }));
    const parked = await hasParked(checkpoint, visit);
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

/** Whether the visit did not just pass. Calls of one realm are answered in order, so a later one knows. */
async function hasParked(checkpoint: Checkpoint, visit: Promise<Outcome<void>>): Promise<boolean> {
  let pending = true;
  void visit.then(() => (pending = false));
  const { value: stats } = await told(checkpoint.stats());
  return pending && stats !== undefined;
}

function leave(lane: Lane, stop: AbortSignal, error: unknown): void {
  lane.become('checkpoint', undefined);
  if (stop.aborted) lane.report('checkpoint', 'stops');
  else lane.report('checkpoint', 'fails', String(error));
}
