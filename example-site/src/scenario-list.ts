/** All scenarios, by the document that they are from. */

import { ofCheckpoint } from './scenario-checkpoint.ts';
import { ofSignal } from './scenario-signal.ts';
import { ofStart } from './scenario-start.ts';
import type { Code, Scenario } from './scenario.ts';

export const groups: { title: string; scenarios: Scenario[] }[] = [
  { title: 'Signal', scenarios: ofSignal },
  { title: 'Checkpoint', scenarios: ofCheckpoint },
  { title: 'Shared start', scenarios: ofStart },
];

export const scenarios = groups.flatMap((group) => group.scenarios);

/** Whose code it is. */
export const authors: Record<Code, string> = {
  Signal: 'Signal',
  CheckpointSignal: 'CheckpointSignal',
  AskedStream: 'Question',
  AnsweredStream: 'Answer 1',
  AnsweredStreamAsWritten: 'Answer 1, as written',
  SharedTask: 'Answer 2',
};
