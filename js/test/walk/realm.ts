/** A realm in which actors of a walk live, and what it does as it is told. */

import { type Hub, connect } from 'clca';
import { Actor } from './actor.ts';
import type { Act, Block, Said, Told } from './acts.ts';

/** A MessagePort or a BroadcastChannel. */
export interface Channel {
  postMessage(message: any, transfer?: any): void;
  onmessage: ((event: MessageEvent) => void) | null;
  close(): void;
}

/** A Worker of either platform, started by this realm. */
export interface Started {
  worker: any;
  terminate(): unknown;
}

/** What a realm can do that depends on what it is. */
export interface Powers {
  /** Connects it in its own way. */
  connectOwn?(): Promise<Hub>;
  /** Starts a Worker that serves as a realm through the port. */
  start(control: MessagePort): Started;
  closeSelf(): void;
}

export function serveAsRealm(channel: Channel, powers: Powers): void {
  const hubs = new Map<number, Hub>();
  const actors = new Map<number, Actor>();
  const attachments = new Map<number, { end(): void }>();
  const workers = new Map<number, Started>();
  const say = (said: Said): void => channel.postMessage(said);

  const add = async (client: number, how: MessagePort | 'own'): Promise<void> => {
    try {
      const hub = await (how === 'own' ? powers.connectOwn!() : connect(how, { timeout: 20_000 }));
      hubs.set(client, hub);
      actors.set(client, new Actor(hub, (event) => say({ client, event })));
      say({ connected: client });
    } catch (error) {
      say({ connected: client, error: String(error) });
    }
  };
  const act = (client: number, acts: Act[]): void => {
    for (const each of acts) actors.get(client)!.do(each);
  };

  channel.onmessage = ({ data }) => {
    const told = data as Told;
    if ('connect' in told) return void add(told.client, told.connect);
    if ('block' in told) {
      act(told.client, told.acts);
      say({ blocked: told.client });
      return wait(told.block);
    }
    if ('acts' in told) return act(told.client, told.acts);
    if ('fence' in told) return void actors.get(told.client)!.fence(!told.dry).then(() => say({ fenced: told.fence }));
    if ('attach' in told) return void attachments.set(told.id, hubs.get(told.client)!.attach(told.attach));
    if ('detach' in told) return attachments.get(told.detach)!.end();
    if ('close' in told) return void actors.get(told.client)!.close();
    if ('start' in told) {
      const started = powers.start(told.control);
      workers.set(told.start, started);
      if (told.client !== undefined) attachments.set(told.start, hubs.get(told.client)!.attach(started.worker));
      return;
    }
    if ('terminate' in told) return void workers.get(told.terminate)!.terminate();
    if ('selfClose' in told) return powers.closeSelf();
  };
}

function wait(block: Block): void {
  if (typeof block !== 'string') {
    Atomics.wait(new Int32Array(block), 0, 0);
    return;
  }
  const request = new XMLHttpRequest();
  request.open('GET', block, false);
  request.send();
}
