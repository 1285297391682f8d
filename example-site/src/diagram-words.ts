/** The diagram's contents in words. */

import { type Call, type History, type Item, type Mark } from './diagram-history.ts';

/** A time of day, to the millisecond. */
export function clock(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
    + `.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** A time of day to the second, for where there is less room. */
export function shortClock(time: number): string {
  return clock(time).slice(0, 8);
}

/** A length of time, to three digits. */
export function duration(ms: number): string {
  if (ms <= 0) return '0 ms';
  if (ms < 0.9995) return `${Number((ms * 1000).toPrecision(ms < 0.001 ? 1 : 3)).toFixed(0)} µs`;
  if (ms < 999.5) return `${Number(ms.toPrecision(3))} ms`;
  if (ms < 59_950) return `${Number((ms / 1000).toPrecision(3))} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${(seconds / 3600).toFixed(1)} h`;
}

/** The call without what all calls begin with. */
export function shortened(text: string): string {
  return text.replace(/^(await )?hub\./, '');
}

export interface Step {
  what: string;
  at: number;
  /** After the step before it. */
  gap?: number;
}

/** What became of a call up to a moment, step by step. */
export function stepsOf(call: Call, until: number): Step[] {
  const steps: Step[] = [];
  const add = (what: string, at: number | undefined): void => {
    if (at === undefined || at > until) return;
    const before = steps.at(-1);
    if (what === 'held' && at - before!.at < 1e-3) return; // as is to be expected
    steps.push(before === undefined ? { what, at } : { what, at, gap: at - before.at });
  };
  add('made', call.made);
  add('taken up', call.taken);
  const rest: [string, number | undefined][] = [
    ['given up', call.cancelled], ['answered', call.answered], ['noticed', call.settled],
    ['held', call.held], ['released', call.released],
  ];
  for (const [what, at] of rest.sort(([, a = Infinity], [, b = Infinity]) => a - b)) add(what, at);
  return steps;
}

/** What the call brought so far: a value, an error, or how it stands. */
export function outcomeOf(call: Call, until: number): { text: string; bad: boolean } {
  if (call.settled !== undefined && call.settled <= until) return { text: call.result!, bad: call.ok === false };
  if (call.cancelled !== undefined && call.cancelled <= until) return { text: call.why!, bad: true };
  if (call.lost !== undefined && call.lost <= until) return { text: 'ended with its lane', bad: true };
  return { text: 'waits', bad: false };
}

/** Who caused the call's answer, if another call did. */
export function causeOf(call: Call, history: History, until: number): Call | undefined {
  return call.answered !== undefined && call.answered <= until ? history.call(call.by) : undefined;
}

/** Whether what that call held was released, and this one got it. */
export function handedOver(cause: Call, call: Call): boolean {
  return cause.released !== undefined && call.answered !== undefined && cause.released <= call.answered;
}

/** Whose answers the call caused, in their order. */
export function causedBy(call: Call, history: History, until: number): Call[] {
  return history.caused(call.id).filter(({ answered = Infinity }) => answered <= until);
}

export function labelOf(history: History, lane: string): string {
  return history.lane(lane)?.label ?? lane;
}

const marks: Record<Mark['what'], string> = {
  appears: 'appears', closed: 'is closed', killed: 'is killed', lost: 'is lost', blocked: 'event loop stands still', note: '',
};

export function markText(mark: Mark, until: number): string {
  if (mark.what === 'note') return mark.text!;
  if (mark.what !== 'blocked' || mark.until === undefined || mark.until > until) return marks[mark.what];
  return `${marks.blocked} for ${duration(mark.until - mark.at)}`;
}

/** All that is known of it, as one line. */
export function sentence(item: Item, history: History, until: number): string {
  const { call, mark } = item;
  if (call === undefined) return markText(mark, until);
  const cause = causeOf(call, history, until);
  const parts = stepsOf(call, until).slice(1).map(({ what, gap }) => {
    const by = what !== 'answered' || cause === undefined ? ''
      : `, caused by ${handedOver(cause, call) ? 'the release of ' : ''}${cause.text} of ${labelOf(history, cause.lane)}`;
    return `${what} ${duration(gap!)} later${by}`;
  });
  const { text } = outcomeOf(call, until);
  const woke = causedBy(call, history, until).map(({ lane }) => labelOf(history, lane));
  if (woke.length > 0) parts.push(`woke ${woke.join(', ')}`);
  return `${call.text}: ${[...parts, text].join('; ')}`;
}
