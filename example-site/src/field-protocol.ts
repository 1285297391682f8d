/**
 * What the realms of the front page say to each other. All are on one channel: the pages of all tabs, their Workers, and
 * the goroutines in the hub. Each has many calls that wait for the same signal, and they are known by their numbers.
 */

import type { Identity } from './protocol.ts';

/** When each call of a realm was woken, as present() has it; not a number where it had left before. */
export type Times = Float64Array;

/** One call of signal(): when it was made and by which tab, how many it woke as it was told, and when they were. */
export interface Wake {
  at: number;
  tab: number;
  answered: number;
  times: Map<string, Times>;
}

export type FieldMessage =
  /** Has the goroutines wait, so many if none do. */
  | { kind: 'start'; calls: number }
  /** Asks all realms to say how they wait. */
  | { kind: 'who' }
  | { kind: 'waits'; realm: Identity; calls: number; left: number[] }
  /** Has one call leave; then it has. */
  | { kind: 'leave'; realm: string; call: number }
  | { kind: 'left'; realm: string; call: number }
  /** Its calls have all ended, and it makes as many again. */
  | { kind: 'woken'; realm: string; times: Times }
  /** What came of a wake, told by who made it. */
  | { kind: 'wake'; wake: Wake }
  /** A Worker was terminated. */
  | { kind: 'killed'; realm: string }
  /** A tab is leaving, with all that belongs to it. */
  | { kind: 'gone'; tab: number };

export const goroutines = 'goroutines';
