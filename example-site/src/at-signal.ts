/** Waiting for the signal, and giving it. */

import type { Lane } from './lane.ts';
import { names } from './names.ts';
import { told } from './outcome.ts';

export async function waitForSignal(lane: Lane, stop: AbortSignal): Promise<void> {
  const signal = lane.hub.signal(names.signal);
  const outcome = told(signal.wait({ signal: stop }));
  await signal.stats().catch(() => {}); // calls of one realm are taken up in order: now the hub counts this one
  lane.become('signal', 'waiting');
  lane.report('signal', 'waits');
  const { error } = await outcome;
  lane.become('signal', undefined);
  if (error === undefined) lane.report('signal', 'woken');
  else if (stop.aborted) lane.report('signal', 'leaves');
  else lane.report('signal', 'fails', String(error));
}

export async function signalNow(lane: Lane): Promise<void> {
  const { value, error } = await told(lane.hub.signal(names.signal).signal());
  if (error === undefined) lane.report('signal', 'signals', value);
  else lane.report('signal', 'fails', String(error));
}
