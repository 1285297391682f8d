/**
 * What lanes and the pages that show them say to each other. One BroadcastChannel joins all realms of the site, the hub's
 * with the goroutine among them. A lane tells what it does and what it saw of its calls; it and the hub also tell what is
 * traced, each its own view, which the pages join.
 */

import type { CallStep, Step as Traced } from 'clca/client';
import type { Recorded } from './record.ts';

export type Primitive =
  | 'signal' | 'event' | 'checkpoint' | 'barrier' | 'latch'
  | 'lock' | 'rwlock' | 'semaphore' | 'condition'
  | 'task' | 'resource' | 'once' | 'pool' | 'queue';

/** What a lane can be told to begin and to end. A primitive with several has a word more for each but the first. */
export type Activity = Primitive | `${Primitive} ${string}`;

export function primitiveOf(activity: Activity): Primitive {
  return activity.split(' ', 1)[0] as Primitive;
}

/** What a lane is at an activity; where it has no state it is idle. */
export type State = 'waiting' | 'parked' | 'running' | 'holding' | 'keeping';
/** What follows the first word says more, such as how many it holds. */
export type States = Partial<Record<Activity, State | `${State} ${string}`>>;

/** Somebody who calls: a page, one of its Workers, or the goroutine. */
export interface Identity {
  id: string;
  label: string;
  /** The tab that it belongs to; none for the goroutine. */
  tab?: number;
}

/** A step of a primitive's life, as the lane saw it. words.ts has a phrase for each. */
export interface Step {
  primitive: Primitive;
  step: string;
  detail?: string | number | undefined;
}

/** How a lane stands, and what has just happened there. */
export interface LaneMessage {
  kind: 'lane';
  lane: Identity;
  at: number; // Date.now(), which all realms share
  states: States;
  /** Which of these it was told to be at, and how. */
  doing: Hows;
  /** How many steps of work it has done. */
  steps: number;
  event?: Step | undefined;
}

export type Order =
  | { do: 'start'; what: Activity; how?: string | undefined }
  | { do: 'stop'; what: Activity }
  /** Has it make one of the calls of the primitive, which does not wait. */
  | { do: 'call'; what: Primitive; call: string }
  /** Has its event loop stand still for so many milliseconds. */
  | { do: 'block'; milliseconds: number };

/** How a lane is at what it was told to be at, while it makes its calls. */
export type Hows = Partial<Record<Activity, string>>;

/** A step of the hub; `cause` is the call of the goroutine that has caused it, if that has. */
export type HubStep = Traced & { cause?: string | undefined };

export type Message =
  | LaneMessage
  /** Asks all lanes how they stand. */
  | { kind: 'who' }
  | { kind: 'order'; lane: string; order: Order }
  /** A tab is leaving, with all that belongs to it. */
  | { kind: 'gone'; tab: number }
  /** A Worker was terminated. */
  | { kind: 'killed'; lane: string; at: number }
  /** What the calls of a lane have come to in its realm, and what they have in the hub's. */
  | { kind: 'steps'; lane: string; hows: Hows; steps: CallStep[] }
  | { kind: 'hub'; steps: HubStep[] }
  /** A hub has been started: the one before it, if any, was lost. */
  | { kind: 'begun'; at: number }
  /** What happened besides, as it is to be recorded. */
  | { kind: 'happened'; events: Recorded[] }
  /** A tab asks the hub's realm for what was told before, and is answered. */
  | { kind: 'recall'; tab: number }
  | { kind: 'past'; tab: number; past: Told[] };

/** A message, and when the hub's realm heard it. */
export interface Told {
  at: number;
  message: Message;
}

/** The end of a room's channel that one lane or one page has. */
export class Channel<M = Message> {
  #channel: BroadcastChannel;

  constructor(room: string, heard: (message: M) => void) {
    this.#channel = new BroadcastChannel(room);
    this.#channel.onmessage = ({ data }) => heard(data as M);
  }

  say(message: M): void {
    this.#channel.postMessage(message);
  }
}
