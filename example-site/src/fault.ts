/** A fault that the next start of something meets, in whatever lane that is. */

import type { Queue } from 'clca/client';
import type { Lane } from './lane.ts';

/** It waits there until then, and one is enough. */
export function faultOf({ hub }: Lane, name: string): Queue<string> {
  return hub.queue(`fault of ${name}`, { capacity: 1 });
}

/** Throws it, if there is one. */
export async function meet(fault: Queue<string>): Promise<void> {
  const met = await fault.tryGet();
  if (met !== undefined) throw new Error(met.value);
}
