/** What the page of the benchmark and the Worker that runs a row say to each other. */

import type { Took } from '../../js/test/bench/interleave.ts';

/** The page begins with it. */
export interface Order {
  row: string;
  rounds: number;
  sample: number;
}

/** After each round, those below 0 included, which warm up. The Worker then waits for a Verdict. */
export interface Round {
  round: number;
  took: Took[];
}

/** Whether the round counts; one that does not is run again. */
export type Verdict = boolean;

/** The Worker ends with it. */
export interface End {
  took?: Took[];
  /** Why the row cannot be run. */
  error?: string;
}
