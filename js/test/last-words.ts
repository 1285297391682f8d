/** What a realm says last comes through its port, while the browser tells by another road that its locks are free. */

import { type Guard, type Hub, connect } from 'clca';
import { hold, watchLife } from '../src/liveness.ts';
import { inTask, randomName } from '../src/platform.ts';
import { becomes, equal } from './assert.ts';

const many = 2_000;

/** Has a lock, and will say much at once: it puts many items, in a message each, and gives the lock back at the very end. */
export class Speaker {
  #hub: Hub;
  #name: string;
  #guard: Guard;

  static async prepare(hub: Hub, name: string): Promise<Speaker> {
    return new Speaker(hub, name, await hub.lock(name).acquire());
  }

  private constructor(hub: Hub, name: string, guard: Guard) {
    this.#hub = hub;
    this.#name = name;
    this.#guard = guard;
  }

  async speak(): Promise<void> {
    const queue = this.#hub.queue(this.#name);
    const sent = async (): Promise<void> => { for (let ticks = 0; ticks < 3; ticks++) await undefined; };
    for (let i = 0; i < many; i++) {
      queue.put(i).catch(() => {});
      await sent();
    }
    this.#guard.release().catch(() => {});
    await sent();
  }
}

/** Nothing of that was lost, nor taken for what a dead one had left behind. */
export async function heardAll(hub: Hub, name: string): Promise<void> {
  const guard = await hub.lock(name).acquire();
  await guard.release();
  const items = await hub.queue(name).close({ now: true });
  equal({ abandoned: guard.abandoned, items: items.length }, { abandoned: false, items: many });
}

/** A road between a client and the hub, on which what the client says can be held up. */
class Road {
  readonly #client = new MessageChannel();
  readonly #hub = new MessageChannel();
  #heldUp: unknown[] | undefined;

  /** The lock that the client holds for as long as it lives. */
  life = '';

  constructor(hub: Hub) {
    hub.attach(this.#hub.port1);
    this.#hub.port2.onmessage = ({ data }) => this.#client.port1.postMessage(data);
    this.#client.port1.onmessage = ({ data }) => {
      if (data.clca === 'hello') this.life = data.lock;
      if (this.#heldUp === undefined) this.#hub.port2.postMessage(data);
      else this.#heldUp.push(data);
    };
  }

  get start(): MessagePort {
    return this.#client.port2;
  }

  holdUp(): void {
    this.#heldUp = [];
  }

  letGo(): void {
    this.#heldUp!.forEach((each) => this.#hub.port2.postMessage(each));
    this.#heldUp = undefined;
  }
}

const isFree = (lock: string, signal: AbortSignal): Promise<boolean> =>
  navigator.locks.request(lock, { mode: 'shared', signal }, () => true).catch(() => false);

/** A client closes while all that it says is held up for longer than the news of its locks would take. */
export async function closeFarAway(hub: Hub): Promise<void> {
  const name = randomName('close:');
  const road = new Road(hub);
  const client = await connect(road.start);
  const speaker = await Speaker.prepare(client, name);
  road.holdUp();
  await speaker.speak();
  await client.close();
  equal(await isFree(road.life, AbortSignal.timeout(500)), false, 'its lock is free before the hub has heard the goodbye');
  road.letGo();
  equal(await isFree(road.life, AbortSignal.timeout(30_000)), true, 'its lock is free when the hub has heard it');
  await heardAll(hub, name);
}

/** A realm dies whose messages are heard one a turn, as in Firefox: that it is dead is known early, and told after the last. */
export async function deathIsToldLast(): Promise<void> {
  const lock = randomName('dying:');
  const die = await hold(navigator.locks, lock);
  const port = new EventTarget();
  const heard: string[] = [];
  port.addEventListener('message', () => heard.push('message'));
  const told = new Promise<void>((resolve) => {
    watchLife(lock, port as MessagePort, () => (heard.push('death'), resolve()), () => Promise.resolve(false));
  });
  await becomes(async () => (await navigator.locks.query()).pending!.filter(({ name }) => name === lock).length, 1);
  let left = Infinity;
  void navigator.locks.request(lock, { mode: 'shared' }, () => void (left = 100)); // right after the one who watches
  die!();
  for (; left > 0; left--) {
    port.dispatchEvent(new MessageEvent('message'));
    await new Promise<void>(inTask);
  }
  await told;
  equal(heard.indexOf('death'), heard.length - 1);
}
