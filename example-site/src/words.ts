/** What each step is called on the page. */

import type { Step } from './protocol.ts';

const phrases: Record<string, string> = {
  'signal waits': 'waits',
  'signal woken': 'woken',
  'signal leaves': 'leaves',
  'signal signals': 'signals, and wakes',
  'signal fails': 'fails:',
  'checkpoint works': 'works',
  'checkpoint parks': 'parks',
  'checkpoint resumed': 'goes on',
  'checkpoint stops': 'stops working',
  'checkpoint fails': 'fails:',
  'checkpoint arms': 'arms',
  'checkpoint armed': 'sees somebody parked',
  'checkpoint resumes': 'resumes',
  'checkpoint disarms': 'disarms:',
  'task asks': 'asks for it',
  'task waits': 'waits',
  'task runs': 'runs the start for all',
  'task returns': 'the start is done',
  'task throws': 'the start fails',
  'task cancelled': 'the start is cancelled:',
  'task gets': 'gets',
  'task sees': 'sees',
  'task leaves': 'leaves',
  'resource acquires': 'acquires',
  'resource starts': 'starts it for all',
  'resource opens': 'has started',
  'resource cancelled': 'cancels the start',
  'resource holds': 'holds',
  'resource releases': 'releases',
  'resource closes': 'stops',
  'resource loses': 'loses it:',
  'resource leaves': 'leaves',
  'resource sees': 'sees',
};

export function describe({ primitive, step, detail }: Step): string {
  const phrase = phrases[`${primitive} ${step}`] ?? step;
  return detail === undefined ? phrase : `${phrase} ${detail}`;
}
