import { Mutex } from 'async-mutex';
import { transfer } from 'comlink';
import { Resolvers } from '../resolvers.ts';

/**
 * What one writes to coordinate realms with comlink: an object in a realm of its own, which all others call. Its locks
 * are those of async-mutex. They are released by name, as a function to release with would be a MessageChannel for each
 * acquire.
 */
export class Coordinator {
  #signals = new Map<string, Resolvers>();
  #mutexes = new Map<string, Mutex>();
  #queues = new Map<string, Items>();
  #counts = new Map<string, number>();

  wait(name: string): Promise<void> {
    return of(this.#signals, name, Resolvers).wait();
  }

  signal(name: string): number {
    return of(this.#signals, name, Resolvers).signal();
  }

  async acquire(name: string): Promise<void> {
    await of(this.#mutexes, name, Mutex).acquire();
  }

  release(name: string): void {
    of(this.#mutexes, name, Mutex).release();
  }

  put(name: string, item: unknown): void {
    of(this.#queues, name, Items).put(item);
  }

  async get(name: string): Promise<unknown> {
    const item = await of(this.#queues, name, Items).get();
    return item instanceof ArrayBuffer ? transfer(item, [item]) : item;
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  setCount(name: string, count: number): void {
    this.#counts.set(name, count);
  }
}

/** A queue within one realm. */
class Items {
  #items: unknown[] = [];
  #getting: ((item: unknown) => void)[] = [];

  put(item: unknown): void {
    const get = this.#getting.shift();
    if (get === undefined) this.#items.push(item);
    else get(item);
  }

  get(): unknown {
    if (this.#items.length > 0) return this.#items.shift();
    return new Promise((resolve) => this.#getting.push(resolve));
  }
}

function of<T>(things: Map<string, T>, name: string, Thing: new () => T): T {
  let thing = things.get(name);
  if (thing === undefined) things.set(name, (thing = new Thing()));
  return thing;
}
