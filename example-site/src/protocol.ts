/**
 * What lanes and the pages that show them say to each other. One BroadcastChannel joins all realms of the site, the
 * goroutine's among them; the hub itself is not told, so what is shown is what each caller saw of its own calls.
 */

export type Primitive = 'signal' | 'checkpoint' | 'task' | 'resource';

/** What a lane can be told to begin and to end; the hub knows of it what the primitive's calls tell it. */
export type Activity = Primitive;

/** What a lane is at a primitive; where it has no state it is idle. A `run` is a shared function that it runs. */
export type State = 'waiting' | 'parked' | 'running' | 'holding';
export type States = Partial<Record<Primitive | 'run', State>>;

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
  /** How many steps of work it has done. */
  steps: number;
  event?: Step | undefined;
}

export type Order =
  | { do: 'start'; what: Activity; name?: string; fails?: boolean }
  | { do: 'stop'; what: Activity }
  | { do: 'signal' };

export type Message =
  | LaneMessage
  /** Asks all lanes how they stand. */
  | { kind: 'who' }
  | { kind: 'order'; lane: string; order: Order }
  /** A tab is leaving, with all that belongs to it. */
  | { kind: 'gone'; tab: number };

/** The end of the channel that one lane or one page has. */
export class Channel {
  #channel: BroadcastChannel;

  constructor(room: string, heard: (message: Message) => void) {
    this.#channel = new BroadcastChannel(room);
    this.#channel.onmessage = ({ data }) => heard(data as Message);
  }

  say(message: Message): void {
    this.#channel.postMessage(message);
  }
}
