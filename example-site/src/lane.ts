/** A lane in JavaScript: it takes orders from the channel, carries them out on the hub, and tells what happens. */

import type { Hub } from 'clca/client';
import { visitCheckpoint } from './at-checkpoint.ts';
import { holdResource } from './at-resource.ts';
import { signalNow, waitForSignal } from './at-signal.ts';
import { shareTask } from './at-task.ts';
import {
  type Activity, type Identity, type Order, type Primitive, type State, type States, type Step, Channel,
} from './protocol.ts';

/** What a lane does from one order to the other; it ends by itself, or early once `stop` is aborted. */
type Doing = (lane: Lane, stop: AbortSignal, order: Order & { do: 'start' }) => Promise<void>;

const activities: Record<Activity, Doing> = {
  signal: waitForSignal,
  checkpoint: visitCheckpoint,
  task: shareTask,
  resource: holdResource,
};

export class Lane {
  #identity: Identity;
  #channel: Channel;
  #states: States = {};
  #steps = 0;
  #stops = new Map<Activity, AbortController>();

  constructor(readonly hub: Hub, room: string, identity: Identity) {
    this.#identity = identity;
    this.#channel = new Channel(room, (message) => {
      if (message.kind === 'who') this.#say();
      if (message.kind === 'order' && message.lane === identity.id) this.#obey(message.order);
    });
    this.#say();
  }

  /** Says what the lane is at a primitive from now on. The next report tells it. */
  become(primitive: Primitive | 'run', state: State | undefined): void {
    if (state === undefined) delete this.#states[primitive];
    else this.#states[primitive] = state;
  }

  /** Tells what has just happened here. */
  report(primitive: Primitive, step: string, detail?: string | number): void {
    this.#say({ primitive, step, detail });
  }

  /** Counts a step of work. */
  step(): void {
    this.#steps++;
    this.#say();
  }

  #say(event?: Step): void {
    this.#channel.say({
      kind: 'lane', lane: this.#identity, at: Date.now(), states: this.#states, steps: this.#steps, event,
    });
  }

  #obey(order: Order): void {
    switch (order.do) {
      case 'start': return void this.#start(order);
      case 'stop': return this.#stops.get(order.what)?.abort();
      case 'signal': return void signalNow(this);
    }
  }

  async #start(order: Order & { do: 'start' }): Promise<void> {
    if (this.#stops.has(order.what)) return;
    const stop = new AbortController();
    this.#stops.set(order.what, stop);
    try {
      await activities[order.what](this, stop.signal, order);
    } finally {
      this.#stops.delete(order.what);
    }
  }
}
