/** What has been recorded, put in order: lanes, calls, and marks in lanes. It is bounded, and knows what it forgot. */

import type { End, LaneId, LaneKind, Recorded } from './record.ts';

export interface Lane {
  id: string;
  label: string;
  kind: LaneKind;
  about?: string | undefined;
  from: number;
  gone?: { at: number; how: End };
}

/** A call and what became of it. What is not known, or has not happened, is missing. */
export interface Call {
  id: string;
  lane: string;
  text: string;
  made: number;
  taken?: number;
  answered?: number;
  /** What caused the answer: another call; or a lane, by its end. */
  by?: string;
  settled?: number;
  ok?: boolean;
  result?: string;
  cancelled?: number;
  why?: string;
  held?: number;
  abandoned?: boolean;
  released?: number;
  /** It has not released what it held, but lost it. */
  revoked?: true;
  /** When its lane went, if it was not over by then. */
  lost?: number;
}

/** What happens in a lane by itself. */
export interface Mark {
  id: string;
  lane: string;
  /** That it is missed is known in the hub. */
  what: 'appears' | End | 'missed' | 'blocked' | 'note';
  at: number;
  /** When what lasts is over. */
  until?: number;
  text?: string;
}

export type Item = { call: Call; mark?: undefined } | { mark: Mark; call?: undefined };

export function startOf({ call, mark }: Item): number {
  return call === undefined ? mark.at : call.made;
}
export function idOf({ call, mark }: Item): string {
  return call === undefined ? mark.id : call.id;
}
export function laneOf({ call, mark }: Item): string {
  return call === undefined ? mark.lane : call.lane;
}

/** When nothing more is to be expected of a call, undefined as long as it goes on. */
export function endOf(call: Call): number | undefined {
  return (call.held === undefined ? call.settled : call.released) ?? call.lost;
}

/** The record of a call under way; some of its events may be here before the one that says what it is. */
type Pending = Omit<Call, 'lane' | 'text' | 'made'> & Partial<Call> & { events: number };

/** What follows from the events of a version. */
interface View {
  version: number;
  items: Item[];
  times: Float64Array;
  caused: Map<string, Call[]>;
}

export class History {
  /** Changes with whatever is added or forgotten. */
  version = 0;
  /** All that happened before this is forgotten; undefined if nothing is. */
  forgotten: number | undefined;
  /** How many calls are forgotten. */
  lost = 0;
  #events: { at: number; event: Recorded; mark: Mark | undefined }[] = [];
  #calls = new Map<string, Pending>();
  #lanes = new Map<string, Lane>();
  #missed = new Map<string, Mark>(); // by lane
  #marks = 0;
  #view: View | undefined;

  constructor(readonly limit = 5000) {}

  get size(): number {
    return this.#events.length;
  }

  add(event: Recorded): void {
    this.version++;
    const mark = this.#take(event);
    let i = this.#events.length;
    while (i > 0 && this.#events[i - 1]!.at > event.at) i--;
    this.#events.splice(i, 0, { at: event.at, event, mark });
    // A tenth at once, so that the rest does not move with every event.
    if (this.#events.length > this.limit) this.#forget(Math.ceil(this.limit / 10));
  }

  /** Forgets all; these lanes are there from the start, of which nobody has heard yet. */
  expect(lanes: LaneId[]): void {
    this.version++;
    this.#events = [];
    this.#calls.clear();
    this.#missed.clear();
    this.lost = 0;
    this.forgotten = undefined;
    this.#lanes = new Map(lanes.map(({ lane, ...rest }) => [lane, { id: lane, from: -Infinity, ...rest }]));
  }

  /** In the order in which they appeared. */
  lanes(): Lane[] {
    return [...this.#lanes.values()].sort((a, b) => a.from - b.from);
  }

  lane(id: string): Lane | undefined {
    return this.#lanes.get(id);
  }

  call(id: string | undefined): Call | undefined {
    const call = id === undefined ? undefined : this.#calls.get(id);
    return call !== undefined && isWhole(call) ? call : undefined;
  }

  /** What has caused the answer of a call, if something else has. */
  causeOf({ by = '' }: Call): Item | undefined {
    const call = this.call(by);
    if (call !== undefined) return { call };
    const mark = this.#missed.get(by);
    return mark && { mark };
  }

  /** All calls and marks, in the order in which they began. */
  items(): Item[] {
    return this.#ordered().items;
  }

  /** The calls whose answers it caused, in the order of their answers. */
  caused({ call, mark }: Item): Call[] {
    const by = call?.id ?? (mark!.what === 'missed' ? mark!.lane : '');
    return this.#ordered().caused.get(by) ?? [];
  }

  /** Every moment at which anything happened, ascending, each once. */
  times(): Float64Array {
    return this.#ordered().times;
  }

  #ordered(): View {
    if (this.#view?.version === this.version) return this.#view;
    const items: Item[] = [];
    const times = new Set<number>();
    const caused = new Map<string, Call[]>();
    for (const pending of this.#calls.values()) {
      if (!isWhole(pending)) continue;
      const call = inOrder(pending);
      const gone = this.#lanes.get(call.lane)?.gone?.at;
      if (gone !== undefined && endOf(call) === undefined) call.lost = Math.max(gone, call.made);
      items.push({ call });
      if (call.by !== undefined) caused.set(call.by, [...caused.get(call.by) ?? [], call]);
      for (const step of steps) if (call[step] !== undefined) times.add(call[step]);
    }
    const blocked = new Map<string, Mark>();
    for (const { event, mark } of this.#events) {
      if (event.type === 'unblocked' || event.type === 'gone') {
        const over = blocked.get(event.lane);
        if (over !== undefined) over.until = event.at;
        blocked.delete(event.lane);
        times.add(event.at);
      }
      if (mark === undefined) continue;
      items.push({ mark });
      times.add(mark.at);
      if (mark.what === 'blocked') blocked.set(mark.lane, mark);
    }
    items.sort((a, b) => startOf(a) - startOf(b));
    for (const calls of caused.values()) calls.sort((a, b) => (a.answered ?? 0) - (b.answered ?? 0));
    this.#view = { version: this.version, items, times: Float64Array.from(times).sort(), caused };
    return this.#view;
  }

  /** Takes in what an event says, and makes the mark that it is, if it is one. */
  #take(event: Recorded): Mark | undefined {
    switch (event.type) {
      case 'lane': {
        const { lane: id, label, kind, about, at } = event;
        const known = this.#lanes.get(id);
        const lane: Lane = { id, label, kind, about, from: at };
        if (known?.gone !== undefined && known.gone.at >= at) lane.gone = known.gone;
        this.#lanes.set(id, lane);
        return kind === 'hub' ? undefined : this.#mark(event, 'appears');
      }
      case 'gone': {
        this.#known(event.lane, event.at);
        this.#lanes.get(event.lane)!.gone = { at: event.at, how: event.how };
        return this.#mark(event, event.how);
      }
      case 'missed': {
        const mark = this.#mark(event, 'missed');
        this.#missed.set(event.lane, mark);
        return mark;
      }
      case 'note': return this.#mark(event, 'note', event.text);
      case 'blocked': return this.#mark(event, 'blocked');
      case 'unblocked': return undefined;
      default: {
        const call: Pending = this.#calls.get(event.call) ?? { id: event.call, events: 0 };
        this.#calls.set(event.call, call);
        call.events++;
        takeStep(call, event);
        if (event.type === 'call') this.#known(event.lane, event.at);
        return undefined;
      }
    }
  }

  #mark({ lane, at }: { lane: string; at: number }, what: Mark['what'], text?: string): Mark {
    this.#known(lane, at);
    const mark: Mark = { id: `mark ${++this.#marks}`, lane, what, at };
    if (text !== undefined) mark.text = text;
    return mark;
  }

  /** A lane of which something is heard before it is announced is there all the same. */
  #known(lane: string, at: number): void {
    if (!this.#lanes.has(lane)) this.#lanes.set(lane, { id: lane, label: lane, kind: 'worker', from: at });
  }

  #drop(call: Pending): void {
    if (isWhole(call)) this.lost++;
    this.#calls.delete(call.id);
  }

  /** A call is forgotten with the last of its events; what still goes on is kept, as long as there are not too many. */
  #forget(count: number): void {
    const old = this.#events.splice(0, count);
    this.forgotten = old.at(-1)!.at;
    for (const { event } of old) {
      if (!('call' in event)) continue;
      const call = this.#calls.get(event.call);
      if (call !== undefined && --call.events === 0 && !(isWhole(call) && endOf(call) === undefined)) this.#drop(call);
    }
    for (const call of this.#calls.values()) {
      if (this.#calls.size <= this.limit) break;
      if (call.events === 0) this.#drop(call);
    }
    const speaks = new Set<string>();
    for (const { mark } of this.#events) if (mark !== undefined) speaks.add(mark.lane);
    for (const { lane } of this.#calls.values()) if (lane !== undefined) speaks.add(lane);
    for (const { id, gone } of this.#lanes.values()) {
      if (gone === undefined || speaks.has(id)) continue;
      this.#lanes.delete(id);
      this.#missed.delete(id);
    }
  }
}

function isWhole(call: Pending): call is Pending & Call {
  return call.made !== undefined;
}

function takeStep(call: Pending, event: Extract<Recorded, { call: string }>): void {
  switch (event.type) {
    case 'call': return void Object.assign(call, { lane: event.lane, text: event.text, made: event.at });
    case 'taken': return void (call.taken = event.at);
    case 'answer':
      call.answered = event.at;
      if (event.by !== undefined && event.by !== event.call) call.by = event.by;
      return;
    case 'settled': return void Object.assign(call, { settled: event.at, ok: event.ok, result: event.text });
    case 'cancel': return void Object.assign(call, { cancelled: event.at, why: event.text });
    case 'held': return void Object.assign(call, { held: event.at, abandoned: event.abandoned ?? false });
    case 'released': return void (call.released = event.at);
    case 'lost': return void Object.assign(call, { released: event.at, revoked: true });
  }
}

const steps = ['made', 'taken', 'answered', 'cancelled', 'settled', 'held', 'released'] as const;
/** Which steps a step cannot come before. */
const after = {
  made: [], taken: ['made'], answered: ['made', 'taken'], cancelled: ['made'],
  settled: ['made', 'answered', 'cancelled'], held: ['made', 'answered'], released: ['held'],
} as const;

/** The clocks of two realms differ a little; nothing is drawn as if it came before its cause. */
function inOrder(pending: Pending & Call): Call {
  const { events: _, ...call } = pending;
  for (const step of steps) {
    const own = call[step];
    if (own === undefined) continue;
    call[step] = Math.max(own, ...after[step].map((other) => call[other] ?? own));
  }
  return call;
}
