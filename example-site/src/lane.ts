/** A lane in JavaScript: it takes orders from the channel, carries them out on the hub, and tells what happens. */

import type { Hub } from 'clca/client';
import { exhibits } from './exhibits.ts';
import { type Outcome, told } from './outcome.ts';
import {
  type Activity, type Hows, type Identity, type LaneMessage, type Order, type Primitive, type State, type States, type Step, Channel,
  primitiveOf,
} from './protocol.ts';
import { present } from './record.ts';
import { parks } from './waiting.ts';
import type { Witness } from './witness.ts';

/** Something that was begun and not ended. */
interface Begun {
  how: string;
  stop: AbortController;
}

export class Lane {
  #channel: Channel;
  #states: States = {};
  #steps = 0;
  #begun = new Map<Activity, Begun[]>(); // several where one is within the other

  constructor(readonly hub: Hub, room: string, readonly identity: Identity, witness: Witness) {
    witness.hows = () => this.#hows();
    witness.asks = () => void told(hub.stats());
    this.#channel = new Channel(room, (message) => {
      if (message.kind === 'who') this.#say();
      if (message.kind === 'order' && message.lane === identity.id) this.#obey(message.order);
    });
    this.#say();
  }

  /** Marks what the lane makes. */
  get letter(): string {
    return this.identity.id.split(' ').at(-1)!.charAt(0).toUpperCase();
  }

  /** Says what the lane is at an activity from now on. The next report tells it. */
  become(what: Activity, state: State | undefined, how = ''): void {
    if (state === undefined) delete this.#states[what];
    else this.#states[what] = `${state} ${how}`.trimEnd() as State;
  }

  /** Tells what has just happened here. */
  report(what: Activity, step: string, detail?: string | number): void {
    this.#say({ primitive: primitiveOf(what), step, detail });
  }

  /** Counts a step of work. */
  step(): void {
    this.#steps++;
    this.#say();
  }

  /** Makes one of the calls of a primitive. */
  async call(primitive: Primitive, name: string): Promise<Outcome<unknown>> {
    const { of, calls, words } = exhibits[primitive];
    const outcome = told((async () => calls![name]!(await of(this)))());
    if (words.begins !== undefined && await parks(this, outcome)) this.report(primitive, 'begins');
    const { value, error } = await outcome;
    if (error === undefined) this.report(primitive, name, typeof value === 'object' ? undefined : JSON.stringify(value));
    else this.report(primitive, 'fails', String(error));
    return outcome;
  }

  #say(event?: Step): void {
    const doing: LaneMessage['doing'] = {};
    for (const [what, begun] of this.#begun) {
      if (this.#states[what] !== undefined) doing[what] = begun.at(-1)!.how;
    }
    this.#channel.say({
      kind: 'lane', lane: this.identity, at: Date.now(), states: this.#states, doing, steps: this.#steps, event,
    });
  }

  #obey(order: Order): void {
    switch (order.do) {
      case 'start': return void this.#start(order);
      case 'stop': return this.#begun.get(order.what)?.at(-1)?.stop.abort();
      case 'call': return void this.call(order.what, order.call);
      case 'block': return this.#block(order.milliseconds);
    }
  }

  /** Keeps the realm from all else: what reaches it meanwhile waits. */
  #block(milliseconds: number): void {
    const { id: lane } = this.identity;
    const until = performance.now() + milliseconds;
    this.#channel.say({ kind: 'happened', events: [{ type: 'blocked', at: present(), lane }] });
    while (performance.now() < until);
    this.#channel.say({ kind: 'happened', events: [{ type: 'unblocked', at: present(), lane }] });
  }

  #hows(): Hows {
    return Object.fromEntries(Array.from(this.#begun, ([what, begun]) => [what, begun.at(-1)!.how]));
  }

  async #start(order: Order & { do: 'start' }): Promise<void> {
    const { what, how = '' } = order;
    const exhibit = exhibits[primitiveOf(what)];
    const begun = this.#begun.get(what) ?? [];
    if (begun.length > 0 && !exhibit.nests?.includes(what)) return;
    const one: Begun = { how, stop: new AbortController() };
    this.#begun.set(what, [...begun, one]);
    try {
      await exhibit.activities[what]!(await exhibit.of(this), this, one.stop.signal, order);
    } finally {
      const left = this.#begun.get(what)!.filter((each) => each !== one);
      if (left.length > 0) this.#begun.set(what, left);
      else this.#begun.delete(what);
    }
  }
}
