/** The diagram's contents in words. */

import { type Call, type History, type Item, type Mark, laneOf } from './diagram-history.ts';

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

export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return length < 4 ? '' : `${text.slice(0, length - 1)}…`;
}

/** Both in so many characters; the name is shortened first. */
export function shortenedTo(name: string, result: string, length: number): string {
  const room = length - result.length;
  if (room >= Math.min(name.length, 4)) return cut(name, room) + result;
  return cut(result.trimStart() || name, length);
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
    ['held', call.held], [call.revoked ? 'lost' : 'released', call.released],
  ];
  for (const [what, at] of rest.sort(([, a = Infinity], [, b = Infinity]) => a - b)) add(what, at);
  return steps;
}

/** What the call brought so far: a value, an error, or how it stands. */
export function outcomeOf(call: Call, until: number): { text: string; bad: boolean } {
  if (call.lost !== undefined && call.lost <= until) return { text: 'ended with its lane', bad: true };
  if (call.settled !== undefined && call.settled <= until) {
    return { text: call.abandoned ? 'abandoned' : call.result!, bad: call.ok === false };
  }
  if (call.cancelled !== undefined && call.cancelled <= until) return { text: call.why!, bad: true };
  return { text: 'waits', bad: false };
}

/** What caused the call's answer, if something else did. */
export function causeOf(call: Call, history: History, until: number): Item | undefined {
  return call.answered !== undefined && call.answered <= until ? history.causeOf(call) : undefined;
}

/** Why a call was answered: the words before and after the call that caused it, or only words. */
export function reasonOf(cause: Item, call: Call, history: History): [before: string, cause: Call | undefined, after: string] {
  const of = labelOf(history, laneOf(cause));
  if (cause.call === undefined) {
    const how = history.lane(cause.mark.lane)?.gone?.how === 'killed' ? 'died' : 'was closed';
    return [`${call.held === undefined ? 'as' : 'free since'} ${of} ${how}`, undefined, ''];
  }
  const { released } = cause.call;
  // Whether what that call held was released, and this one got it.
  const handedOver = released !== undefined && call.answered !== undefined && released <= call.answered;
  return [`caused by ${handedOver ? 'the release of ' : ''}`, cause.call, ` of ${of}`];
}

/** Whose answers it caused, in their order. */
export function causedBy(item: Item, history: History, until: number): Call[] {
  return history.caused(item).filter(({ answered = Infinity }) => answered <= until);
}

export function labelOf(history: History, lane: string): string {
  return history.lane(lane)?.label ?? lane;
}

const marks: Record<Mark['what'], string> = {
  appears: 'appears', closed: 'is closed', killed: 'is killed', lost: 'is lost', missed: 'is gone, as the hub learns', blocked: 'event loop stands still', note: '',
};

export function markText(mark: Mark, until: number): string {
  if (mark.what === 'note') return mark.text!;
  if (mark.what !== 'blocked' || mark.until === undefined || mark.until > until) return marks[mark.what];
  return `${marks.blocked} for ${duration(mark.until - mark.at)}`;
}

/** All that is known of it, as one line. */
export function sentence(item: Item, history: History, until: number): string {
  const { call, mark } = item;
  const woke = causedBy(item, history, until).map(({ lane }) => labelOf(history, lane));
  const wakes = woke.length > 0 ? [`woke ${woke.join(', ')}`] : [];
  if (call === undefined) return [markText(mark, until), ...wakes].join('; ');
  const cause = causeOf(call, history, until);
  const parts = stepsOf(call, until).slice(1).map(({ what, gap }) => {
    const [before, of, after] = what === 'answered' && cause !== undefined ? reasonOf(cause, call, history) : ['', undefined, ''];
    const by = before && `, ${before}${of?.text ?? ''}${after}`;
    return `${what} ${duration(gap!)} later${by}`;
  });
  const { text } = outcomeOf(call, until);
  return `${call.text}: ${[...parts, ...wakes, ...text === '' ? [] : [text]].join('; ')}`;
}
