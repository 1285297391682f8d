/**
 * Joins what the realms of the room tell into one record: the steps of a call in the realm that makes it, and those in the
 * hub. A call is shown once both have told of it; what was told before waits for that. All begins with what was told in
 * the room before the page was there.
 */

import type { CallStep } from 'clca/client';
import { type Asked, isShown, primitiveIn, result, subjectOf, textOf } from './call-text.ts';
import type { HubStep, Hows, Identity, Message, Told } from './protocol.ts';
import { type End, type LaneKind, type Recorded, idOf, present } from './record.ts';

/** A call, as far as it is known. */
interface Known {
  id: string;
  lane?: string;
  made?: number;
  how?: Partial<Record<string, string>>;
  asked?: Asked;
  /** What is to be recorded of it once it is shown. */
  kept: Recorded[];
  shown: boolean;
  answer?: HubStep & { step: 'answered' };
  settled?: number;
  /** The realm has not waited for the hub. */
  left?: boolean;
  holds?: boolean;
  released?: number;
  /** The hub was lost before it has answered. */
  lost?: boolean;
}

export class Recorder {
  #calls = new Map<string, Known>();
  #lanes = new Map<number, string>(); // by session
  #present = new Map<string, number | undefined>(); // lanes, with their tabs
  #names = new Map<string, string>(); // of lanes in the record: others may have had theirs before
  #since = present();
  #missed = new Set<number>(); // sessions of which the hub knows that their realm is gone
  #sessions = new Map<string, number>(); // by lane, the one that it has
  #of = new Map<string, number>(); // by lane, the hub that it was last known to have it of
  #between = new Map<string, (Message & { kind: 'steps' })[]>(); // what lanes called that had none
  #hubs = 1;
  #left = Infinity; // when a realm has first learned that it has a session of this hub no more
  #early: Told[] | undefined = []; // what was heard before the past was known

  /** `tab` is the page's own. */
  constructor(readonly tab: number, readonly record: (event: Recorded) => void) {
    this.#hubAppears(present());
  }

  #hubAppears(at: number): void {
    this.record({ type: 'lane', at, lane: `hub ${this.#hubs}`, label: 'Hub', kind: 'hub' });
  }

  /** Takes in what was told before, of which the last may have been heard already. */
  begin(past: Told[]): void {
    const known = new Set(past.map(({ message }) => JSON.stringify(message)));
    const early = (this.#early ?? []).filter(({ message }) => !known.has(JSON.stringify(message)));
    this.#early = undefined;
    for (const { at, message } of [...past, ...early]) if (message.kind !== 'begun') this.hear(message, at);
  }

  hear(message: Message, at = present()): void {
    if (this.#early !== undefined) return void this.#early.push({ at, message });
    switch (message.kind) {
      case 'lane': return this.#appears(message.lane, at);
      case 'steps':
        this.#steps(message);
        break;
      case 'hub':
        for (const step of message.steps) this.#hub(step);
        break;
      case 'begun':
        this.lose(Math.min(message.at, this.#left));
        this.#left = Infinity;
        this.#hubs++;
        this.#hubAppears(message.at);
        this.record({ type: 'note', at: message.at, lane: `hub ${this.#hubs}`, text: 'starts anew' });
        break;
      case 'happened':
        for (const event of message.events) this.#happened(event);
        break;
      case 'killed': return this.#gone(this.#nameOf(message.lane), message.at, 'killed');
      case 'gone':
        for (const [lane, tab] of this.#present) if (tab === message.tab) this.#gone(lane, at, 'closed');
    }
  }

  #appears({ id, label, tab }: Identity, at: number): void {
    if (this.#present.has(this.#nameOf(id))) return;
    const lane = this.#names.has(id) ? `${id} since ${at}` : id;
    this.#names.set(id, lane);
    this.#present.set(lane, tab);
    const own = tab === undefined || (tab === this.tab && at >= this.#since); // the number is free again for the next
    const kind: LaneKind = tab === undefined ? 'goroutine' : !own ? 'tab' : id.endsWith(' page') ? 'page' : 'worker';
    this.record({ type: 'lane', at, lane, label: own ? label : `Tab ${tab} ${label}`, kind });
  }

  #nameOf(id: string): string {
    return this.#names.get(id) ?? id;
  }

  #gone(lane: string, at: number, how: End): void {
    if (this.#present.delete(lane)) this.record({ type: 'gone', at, lane, how });
  }

  #steps(message: Message & { kind: 'steps' }): void {
    const lane = this.#nameOf(message.lane);
    const session = message.steps.find((step) => step.session !== undefined && step.session !== this.#sessions.get(lane))?.session;
    if (session !== undefined) {
      this.#sessions.set(lane, session);
      this.#lanes.set(session, lane);
      this.#of.set(lane, this.#hubs);
      const between = this.#between.get(lane) ?? [];
      this.#between.delete(lane);
      for (const each of between) this.#steps({ ...each, steps: each.steps.map((step) => ({ ...step, session })) });
    }
    const own = this.#sessions.get(lane);
    const steps: CallStep[] = [];
    const later: CallStep[] = []; // of a session whose number is not known yet
    for (const step of message.steps) {
      if (step.session !== undefined) {
        steps.push(step);
      } else if (session === undefined && (step.step === 'called' || this.#between.has(lane))) {
        later.push(step);
        if (step.call === 1 && this.#of.get(lane) === this.#hubs) this.#left = Math.min(this.#left, step.at);
      } else {
        steps.push({ ...step, session: own });
      }
    }
    if (later.length > 0) this.#between.set(lane, [...this.#between.get(lane) ?? [], { ...message, steps: later }]);
    const left = new Set(steps.flatMap((step) => (step.step === 'cancelled' ? [idOf(step)] : [])));
    for (const step of steps) this.#step(lane, message.hows, step, left);
  }

  #step(lane: string, hows: Hows, step: CallStep, left: Set<string>): void {
    const { at } = step;
    const call = this.#call(idOf(step), step.step === 'called');
    if (call === undefined) return;
    switch (step.step) {
      case 'called':
        Object.assign(call, { lane, made: at, how: hows });
        this.#show(call);
        break;
      case 'cancelled':
        if (!call.left) this.#cancel(call, at); // the hub decides how it ends
        break;
      case 'settled':
        call.settled = at;
        call.left = left.has(call.id);
        if (call.left) this.#cancel(call, at);
        this.#settle(call);
        break;
      case 'released':
        this.#release(call, at);
        break;
    }
  }

  #hub(step: HubStep): void {
    const { at } = step;
    if (step.step === 'opened') return;
    if (step.step === 'ended') return this.#sessionEnds(step.session, at);
    const call = this.#call(idOf(step), step.step === 'taken');
    if (call === undefined) return;
    const lane = this.#lanes.get(step.session!);
    switch (step.step) {
      case 'taken':
        call.asked = step;
        this.#tell(call, { type: 'taken', at, call: call.id });
        this.#show(call);
        break;
      case 'answered':
        call.answer = step as Known['answer'];
        if (step.status !== 'ended') this.#answer(call, step);
        if (call.asked?.op === 'retake') call.settled = at; // nobody waits for it
        this.#settle(call);
        if (call.left || call.asked?.op === 'watch') this.#calls.delete(call.id); // nobody waits for it
        break;
      case 'runs':
        if (lane !== undefined) this.record({ type: 'note', at, lane, text: 'its function runs here, for all' });
        break;
      case 'lost':
        if (lane !== undefined) this.record({ type: 'note', at, lane, text: `loses ${subjectOf(call.asked)}` });
        this.#release(call, at, 'lost');
        break;
      case 'freed':
        this.#release(call, at);
        break;
    }
  }

  #happened(event: Recorded): void {
    if ('lane' in event) event = { ...event, lane: this.#nameOf(event.lane) };
    const [, session] = (event.type === 'answer' && /^session (\d+)$/.exec(event.by ?? '')) || [];
    if (session !== undefined) {
      const { at, call } = event as Recorded & { type: 'answer' };
      const by = this.#miss(Number(session), at);
      event = { type: 'answer', at, call, ...(by !== undefined && { by }) };
    }
    this.record(event);
  }

  #answer(call: Known, step: HubStep & { step: 'answered' }): void {
    const by = this.#causeOf(step);
    this.#tell(call, { type: 'answer', at: step.at, call: call.id, ...(by !== undefined && { by }) });
  }

  /** What has caused an answer: another call, or the end of a lane. */
  #causeOf({ by, cause, session, call, at }: HubStep & { step: 'answered' }): string | undefined {
    if (by === undefined) return cause;
    if (by.call === undefined) return this.#miss(by.session, at);
    return by.session === session && by.call === call ? undefined : idOf(by);
  }

  /** The hub knows that a session is over; returns the lane that has ended with it. */
  #miss(session: number, at: number): string | undefined {
    const lane = this.#lanes.get(session);
    if (lane === undefined || this.#sessions.get(lane) !== session) return undefined;
    if (!this.#missed.has(session)) this.record({ type: 'missed', at, lane });
    this.#missed.add(session);
    return lane;
  }

  /** The call of that name, if it is known; one `begins` with what either side tells first. */
  #call(id: string, begins: boolean): Known | undefined {
    let call = this.#calls.get(id);
    if (call === undefined && begins) this.#calls.set(id, (call = { id, kept: [], shown: false }));
    return call;
  }

  #show(call: Known): void {
    const { id, lane, made, asked, how, kept } = call;
    if (call.shown || lane === undefined || made === undefined || asked === undefined) return;
    call.shown = true;
    call.kept = [];
    if (!isShown(asked)) return;
    this.record({ type: 'call', at: made, lane, call: id, text: textOf(asked, how), primitive: primitiveIn(asked) });
    for (const event of kept) this.record(event);
  }

  #tell(call: Known, event: Recorded): void {
    if (!call.shown) call.kept.push(event);
    else if (isShown(call.asked!)) this.record(event);
  }

  #cancel(call: Known, at: number): void {
    this.#tell(call, { type: 'cancel', at, call: call.id, text: 'AbortError' });
  }

  /** What a call has come to is known once both sides have said so, unless the realm did not wait. */
  #settle(call: Known): void {
    const { id, settled: at, left, answer, lost } = call;
    if (at === undefined || (!left && !lost && answer === undefined)) return;
    if (lost) {
      this.#tell(call, { type: 'settled', at, call: id, ok: false, text: 'HubLostError' });
      this.#calls.delete(id);
      return;
    }
    const ok = !left && ['done', 'result', 'held'].includes(answer!.status);
    this.#tell(call, { type: 'settled', at, call: id, ok, text: left ? 'AbortError' : result(answer!, call.asked) });
    if (ok && answer!.status === 'held' && call.asked?.op !== 'get') {
      call.holds = true;
      this.#tell(call, { type: 'held', at, call: id, ...(answer!.abandoned && { abandoned: true }) });
      if (call.released !== undefined) this.#release(call, call.released);
    }
    if (answer !== undefined && !call.holds) this.#calls.delete(id);
    delete call.settled;
  }

  #release(call: Known, at: number, how: 'released' | 'lost' = 'released'): void {
    call.released = at;
    if (!call.holds) return;
    call.holds = false;
    this.#tell(call, { type: how, at, call: call.id });
    this.#calls.delete(call.id);
  }

  #sessionEnds(session: number, at: number): void {
    for (const { id } of [...this.#calls.values()]) if (id.startsWith(`${session}/`)) this.#calls.delete(id);
    const lane = this.#miss(session, at);
    if (lane !== undefined) this.#gone(lane, at, 'closed');
  }

  /** The hub is lost with all that it knew, and with the goroutine. The realms go on: each tells of its calls when it learns. */
  lose(at: number): void {
    this.record({ type: 'gone', at, lane: `hub ${this.#hubs}`, how: 'lost' });
    for (const [lane, tab] of this.#present) if (tab === undefined) this.#gone(lane, at, 'lost');
    for (const call of [...this.#calls.values()]) {
      if (!call.shown || call.left) {
        this.#calls.delete(call.id);
      } else if (call.holds) {
        this.#release(call, at, 'lost');
      } else if (call.answer === undefined) {
        call.lost = true;
        this.#settle(call);
      }
    }
  }
}
