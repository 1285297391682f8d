/** What has come of each case in each place. */

import type { Result } from '../../js/test/runner.ts';

export type State = 'idle' | 'running' | 'passed' | 'failed' | 'skipped';

export interface PlaceResults {
  place: string;
  /** By the names of the cases; without a result while one runs. */
  cases: Map<string, Result | undefined>;
  /** How many have still to run. */
  due: number;
  /** Why there are none. */
  skipped?: string;
  /** Why there are not all. */
  error?: string;
}

export type Tally = Record<Exclude<State, 'idle' | 'running'>, number>;

export function stateOf(results: PlaceResults, name: string): State {
  if (results.skipped !== undefined) return 'skipped';
  const result = results.cases.get(name);
  if (result === undefined) return results.cases.has(name) ? 'running' : 'idle';
  if (result.skipped !== undefined) return 'skipped';
  return result.ok ? 'passed' : 'failed';
}

/** Of these cases in these places. A place that has not come to its end has failed as well. */
export function tallyOf(places: PlaceResults[], names: string[]): Tally {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const results of places) {
    for (const name of names) {
      const state = stateOf(results, name);
      if (state in tally) tally[state as keyof Tally]++;
    }
    if (results.error !== undefined) tally.failed++;
  }
  return tally;
}
