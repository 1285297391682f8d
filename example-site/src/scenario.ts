/** What a scenario is: the same calls for clca and for the code of the documents, and what is right. */

/** Who calls: two Workers and the page; in Python, three tasks. */
export type Who = 'A' | 'B' | 'page';

export const names: Record<Who | 'start' | 'log', string> = {
  A: 'A', B: 'B', page: 'Controller', start: 'Start', log: 'Logged',
};

export type Method = 'wait' | 'signal' | 'arm' | 'resume' | 'ask' | 'stop';

/** Whether it can be left, because it waits. */
export function waits(method: Method): boolean {
  return method === 'wait' || method === 'arm' || method === 'ask';
}

/** One step. Times are in beats, one of which passes between a step and the next. */
export interface Act {
  who: Who;
  does: Method | 'leave' | 'die' | 'succeed' | 'fail';
  says: string;
  /** A second call in the same breath, before the first has ended. */
  and?: Method;
  /** A second call as soon as the first has ended, in the same turn of the loop. */
  then?: Method;
  /** What is asked for is asked for once more as soon as it has failed. */
  again?: true;
  /** More beats before it than one. */
  after?: number;
  timeout?: number;
  /** A timeout that only clca's call has. */
  ours?: true;
  /** It leaves in the same turn in which it has made the call of the step before. */
  together?: true;
}

/** What starts, where something is started. It ends when the controller says so, or when it is cancelled. */
export interface Start {
  /** How long it cleans up when it is cancelled. */
  cleansUp?: number;
  /** What the clean-up throws. */
  throws?: string;
  /** It does not end when it is cancelled. */
  deaf?: true;
}

export type Kind = 'signal' | 'checkpoint' | 'resource' | 'task';

/** Which code of the documents is played. */
export type Code = 'Signal' | 'CheckpointSignal' | 'AskedStream' | 'AnsweredStream' | 'AnsweredStreamAsWritten' | 'SharedTask';

export interface Original {
  code: Code;
  ends: string;
  /** Where it is wrong: what happens, what prevents that in clca, and the lines at fault. */
  wrong?: { why: string; rule: string; lines: string };
}

export interface Scenario {
  id: string;
  title: string;
  /** Of what it is about, one sentence. */
  about: string;
  kind: Kind;
  acts: Act[];
  start?: Start;
  /** Who is in a second loop, in a thread of its own; always so in clca. */
  apart?: Who[];
  ends: string;
  originals: Original[];
}
