/** Random walks through all primitives, by several realms that come and go. A seed decides all of a walk. */

import { randomFrom } from './acts.ts';
import { Bursts } from './bursts.ts';
import type { Place } from './cast.ts';
import { Steps } from './steps.ts';

export async function walk(place: Place, seed: number, steps: number): Promise<void> {
  const Kind = randomFrom(seed ^ 0x3a17)(3) === 0 ? Bursts : Steps;
  await new Kind(place, seed).go(steps);
}
