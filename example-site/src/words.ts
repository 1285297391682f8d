/** What each step is called on the page. */

import { exhibits } from './exhibits.ts';
import type { Step } from './protocol.ts';

const phrases: Record<string, string> = {
  waits: 'waits',
  woken: 'woken',
  passes: 'passes at once',
  leaves: 'leaves',
  holds: 'holds',
  releases: 'releases',
  loses: 'loses it:',
  sees: 'sees',
  fails: 'fails:',
};

/** The steps that nobody wished for. */
export const bad = ['fails', 'sees', 'loses', 'throws'];

export function describe({ primitive, step, detail }: Step): string {
  const phrase = exhibits[primitive].words[step] ?? phrases[step] ?? step;
  return detail === undefined || detail === '' ? phrase : `${phrase} ${detail}`;
}
