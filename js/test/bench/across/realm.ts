/**
 * A realm that takes part in a row. It is told what to do by the page: `serve` is its end, `FarRealm` the page's. What
 * it measures, it measures itself.
 */

import type { Hub } from 'clca';
import type { Remote, transfer } from 'comlink';
import { PlainClient } from '../plain.ts';
import type { Coordinator } from './coordinator.ts';
import { Line } from './line.ts';
import { contend, enter } from './lock.ts';
import { acknowledge, bounce, consume, produce } from './queue.ts';
import type { taskPool } from './tasks.ts';
import { type Broadcast, answer, own, park, ready, roundTrips, wake } from './wake.ts';

/** What it has: a way to each peer. */
export interface Realm {
  hub: Hub;
  plain: PlainClient;
  /** From the first realm to each other, and from those to the first. There are none between tabs. */
  lines: Line[];
  /** In a page that is isolated. */
  memory?: Int32Array | undefined;
  /** In a build that has them. */
  libraries?: Libraries | undefined;
}

export interface Libraries {
  coordinator: Remote<Coordinator>;
  transfer: typeof transfer;
  channel(name: string): Broadcast;
  taskPool: typeof taskPool;
}

/** To hubs that are not ours. */
export interface HubPorts {
  plain: MessagePort;
}

/** What a realm is sent to become one. */
export interface Kit extends HubPorts {
  lines: MessagePort[];
  memory?: Int32Array | undefined;
}

export function equip(hub: Hub, { plain, lines, memory }: Kit, libraries?: Libraries): Realm {
  return { hub, plain: new PlainClient(plain), lines: lines.map((port) => new Line(port)), memory, libraries };
}

/** What a realm does for the side of a row that is named by `via`; `reply` answers before it is done. */
export type Part = (realm: Realm, reply: (value?: unknown) => void, via: string, ...args: any[]) => unknown;

const parts = { ready, own, answer, roundTrips, park, wake, enter, contend, produce, consume, bounce, acknowledge };

export type PartName = keyof typeof parts;

/** A MessagePort, or a BroadcastChannel between two tabs. */
export interface Channel {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

interface Told {
  id: number;
  part: PartName;
  args: [via: string, ...unknown[]];
}

type Answer = { id: number; value: any } | { id: number; error: string };

export function serve(realm: Realm, channel: Channel): void {
  channel.onmessage = async ({ data: { id, part, args } }: MessageEvent<Told>) => {
    let replied = false;
    const reply = (value?: unknown): void => {
      if (!replied) channel.postMessage({ id, value } satisfies Answer);
      replied = true;
    };
    try {
      reply(await (parts[part] as Part)(realm, reply, ...args));
    } catch (error) {
      channel.postMessage({ id, error: `${part} ${args}: ${(error as Error).stack}` } satisfies Answer);
    }
  };
}

export class FarRealm {
  #channel: Channel;
  #id = 0;
  #pending = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>();

  constructor(channel: Channel) {
    this.#channel = channel;
    channel.onmessage = ({ data }: MessageEvent<Answer>) => {
      const pending = this.#pending.get(data.id);
      this.#pending.delete(data.id);
      if ('value' in data) pending!.resolve(data.value);
      else if (pending !== undefined) pending.reject(new Error(data.error));
      else throw new Error(data.error); // after its reply
    };
  }

  run(part: PartName, ...args: Told['args']): Promise<any> {
    return new Promise((resolve, reject) => {
      const id = this.#id++;
      this.#pending.set(id, { resolve, reject });
      this.#channel.postMessage({ id, part, args } satisfies Told);
    });
  }
}
