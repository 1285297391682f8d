import { Ending, Kind, Op, QueueOrder, QueueOrderShift, QueueUnbounded, Unsaid } from './abi.ts';
import { type Convert, Name, numbers, toBoolean } from './call.ts';
import { ClosedError } from './errors.ts';
import { type ReconnectOptions, type WaitOptions, checkCount } from './options.ts';
import type { Movable } from './platform.ts';
import type { Session } from './session.ts';
import { Token } from './token.ts';

/**
 * What a queue is like. It is fixed by whoever is the first to say so; who says nothing takes it as it is.
 *
 * @example
 * const urgent = hub.queue('urgent', { capacity: 100, order: 'priority' });
 * await urgent.put('later');
 * await urgent.put('now', { priority: 1 });
 * await urgent.get(); // => 'now'
 */
export interface QueueOptions {
  /** How many items it holds; 0 means that a put waits until a get takes its item. Default: `Infinity`. */
  capacity?: number | undefined;
  /** Which item is taken first: the oldest, the latest, or the one with the highest priority. Default: `fifo`. */
  order?: 'fifo' | 'lifo' | 'priority' | undefined;
}

/**
 * What can be said of an item.
 *
 * @example
 * const buffer = new ArrayBuffer(8);
 * await hub.queue('chunks').put(buffer, { transfer: [buffer] });
 * buffer.byteLength; // => 0 (it has moved)
 */
export interface PutOptions {
  /**
   * What of the item is not copied but moves along, such as an ArrayBuffer or a MessagePort. It is gone from here at
   * once, even if the item is not put in the end.
   */
  transfer?: Iterable<Movable> | undefined;
  /** With `order: 'priority'`: higher is taken first; among equals, what was put first. Default: 0. */
  priority?: number | undefined;
}

const orders = ['fifo', 'lifo', 'priority'] as const;

/**
 * Hands items from those who put to those who get, each to exactly one, in whatever realms they are. A put waits while
 * the queue is full, a get while it is empty; both are served in the order of arrival. Items are structured clones,
 * made when `put` is called.
 *
 * An item that was sent to a realm which went away before it arrived, or to a call that was aborted meanwhile, is the
 * next to be taken again. One that arrived is that realm's alone, unless it is shut out in that very moment. A queue
 * lives until it is closed, or everything that was put is done.
 *
 * @example
 * const jobs = hub.queue<string>('jobs', { capacity: 100 });
 * await jobs.put(url); // waits while a hundred are in it
 * await jobs.close();
 * for await (const job of jobs) { // in any number of Workers
 *   await fetch(job);
 *   await jobs.taskDone();
 * }
 */
export class Queue<T> {
  #name: Name;

  /** @internal */
  constructor(session: Session, name: string, options: QueueOptions | undefined) {
    this.#name = new Name(session, Kind.Queue, name, argumentOf(options), words);
  }

  /**
   * Puts an item; resolves once it is in the queue, or taken. An abort or a timeout rejects with its reason if the item
   * was not put yet; one that comes too late does nothing: it waits for a busy hub. Rejects with the `DataCloneError`
   * if the item cannot be cloned, with a `ClosedError` or a `MismatchError`; the item then was not put.
   *
   * @example
   * await hub.queue('jobs').put({ page: 1 }, { timeout: 1000 });
   * await hub.queue('jobs').put(() => {}); // rejects with DataCloneError
   */
  put(item: T, options?: WaitOptions & PutOptions): Promise<void> {
    return this.#put(Op.Put, item, options);
  }

  /**
   * Puts an item if that can be at once; resolves with whether it was.
   *
   * @example
   * const single = hub.queue('single', { capacity: 1 });
   * await single.tryPut('first'); // => true
   * await single.tryPut('second'); // => false
   */
  tryPut(item: T, options?: PutOptions): Promise<boolean> {
    return this.#put(Op.TryPut, item, options);
  }

  #put(op: Op, value: T, options: (WaitOptions & PutOptions) | undefined): Promise<any> {
    let transfer;
    try {
      transfer = transferred(options);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#name.session.call(op, this.#name, op === Op.Put ? undefined : toBoolean, options, { item: { value, transfer } });
  }

  /**
   * Resolves with the next item. Rejects with a `ClosedError` once the queue is closed and empty; nothing is taken
   * then. Rejects with a `DataCloneError` instead of an item that was moved to a realm which is gone, or that cannot be
   * received here; that item is done.
   *
   * @example
   * await hub.queue('jobs').put('first');
   * await hub.queue('jobs').get(); // => 'first'
   */
  get(options?: ReconnectOptions): Promise<T> {
    const { session } = this.#name;
    if (options === undefined && session.arrives) return session.call(Op.Take, this.#name);
    return session.call(Op.Get, this.#name, taken, options);
  }

  /**
   * Resolves with `{ value }` of the next item if there is one, and else with `undefined`.
   *
   * @example
   * await hub.queue('jobs').tryGet(); // => undefined
   */
  tryGet(): Promise<{ value: T } | undefined> {
    return this.#name.session.call(Op.TryGet, this.#name, (call, value, payload, held) =>
      (held ? { value: taken(call, value, payload, held) } : undefined));
  }

  /**
   * Says that one item that was taken has been dealt with. Rejects with an `OverReleaseError` if that was said of all.
   *
   * @example
   * await hub.queue('jobs').put('first');
   * await hub.queue('jobs').get();
   * await hub.queue('jobs').taskDone();
   */
  taskDone(): Promise<void> {
    return this.#name.session.call(Op.TaskDone, this.#name);
  }

  /**
   * Resolves once every item that was put is done, or the queue is closed at once. An item that was taken by a realm
   * which then died is not done, until somebody says so by `taskDone()`.
   *
   * @example
   * await hub.queue('jobs').put('first');
   * await hub.queue('jobs').join({ timeout: 20 }); // rejects with TimeoutError (nobody has done it)
   */
  join(options?: WaitOptions): Promise<void> {
    return this.#name.session.call(Op.Join, this.#name, undefined, options);
  }

  /**
   * Rejects all who wait to put, and later puts, with a `ClosedError`. What is in the queue can still be taken; then
   * those who wait to get are rejected as well, and the name is free for a new queue once no loop over this one is
   * under way. So a `for await` loop ends with the queue, while a later `get()`, `taskDone()` or `join()` is about
   * another queue. With `now`, what is in the queue is taken out, and is what the call resolves with, in order; nobody
   * waits for it in `join()` any more.
   *
   * @example
   * await hub.queue('jobs').put('first');
   * await hub.queue('jobs').close({ now: true }); // => ['first']
   */
  async close(options: { now?: boolean | undefined } = {}): Promise<T[]> {
    if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object');
    const { now = false } = options;
    return this.#name.session.call(now ? Op.CloseNow : Op.Close, this.#name, (call) => call.extra?.items ?? []);
  }

  /**
   * Items as they come, until the queue is closed and empty: `for await (const job of jobs)`. Who is busy with an item
   * when that happens learns of it all the same: the queue stays in use until the loop is left. An item that was moved
   * to a realm which is gone is passed over.
   *
   * @example
   * const jobs = hub.queue<number>('jobs');
   * for (const part of parts) await jobs.put(part);
   * await jobs.close();
   * for await (const part of jobs) draw(part);
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<T, void, undefined> {
    return this.items();
  }

  /**
   * The same for a loop that an abort ends, or an item that takes too long: each wait for an item is one of `options`.
   *
   * @example
   * const stop = new AbortController();
   * const jobs = hub.queue('jobs').items({ signal: stop.signal, timeout: 20 });
   * await jobs.next(); // rejects with TimeoutError
   */
  async *items(options?: ReconnectOptions): AsyncIterableIterator<T, void, undefined> {
    const { session } = this.#name;
    const use: Promise<Token> = session.call(Op.Acquire, this.#name, (call) => new Token(call));
    use.catch(() => {}); // then get() says why
    try {
      for (;;) {
        let item: T;
        try {
          item = await this.get(options);
        } catch (error) {
          if (isLost(error)) continue;
          if (error instanceof ClosedError && session.dead === undefined) return;
          throw error;
        }
        yield item;
      }
    } finally {
      use.then((token) => token.release(), () => {});
    }
  }

  /**
   * What is in it, how many callers wait, what is not done, and how many items were put.
   *
   * @example
   * const { length } = await hub.queue('jobs').stats();
   * length; // => 0
   */
  stats(): Promise<QueueStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [length, capacity, getting, putting, unfinished, puts] = numbers(call);
      return { length, capacity: capacity! >= QueueUnbounded ? Infinity : capacity, getting, putting, unfinished, puts };
    });
  }
}

/**
 * A snapshot of a queue. The total counts from when the name came into use.
 *
 * @example
 * await hub.queue('jobs', { capacity: 9 }).put('first');
 * await hub.queue('jobs').stats(); // => { length: 1, capacity: 9, getting: 0, putting: 0, unfinished: 1, puts: 1 }
 */
export interface QueueStats {
  /** Items that can be taken. */
  length: number;
  capacity: number;
  /** Callers that wait to get. */
  getting: number;
  /** Callers that wait to put. */
  putting: number;
  /** Items put for which `taskDone` was not called yet. */
  unfinished: number;
  puts: number;
}

/** Tells the hub that the item has arrived: it will not go to anybody else. */
const taken: Convert = (call, _number, item) => {
  call.session.end(call, Ending.Kept);
  return item;
};

function transferred(options: PutOptions | undefined): Transferable[] | undefined {
  const transfer = options?.transfer;
  if (transfer === undefined) return undefined;
  if (typeof (transfer as Iterable<unknown> | null)?.[Symbol.iterator] !== 'function') throw new TypeError('transfer must be an iterable');
  const all = [...transfer];
  // Deno would take it, and end when it is sent.
  if (new Set(all).size < all.length) throw new TypeError('transfer must not repeat');
  return all;
}

/** Whether an item was lost on its way. */
function isLost(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'DataCloneError';
}

function argumentOf(options: QueueOptions | undefined): number {
  if (options === undefined) return Unsaid;
  if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object');
  const { capacity = Infinity, order = 'fifo' } = options;
  if (capacity !== Infinity) {
    checkCount(capacity, 'capacity', 0);
    if (capacity >= QueueUnbounded) throw new TypeError(`capacity must be below ${QueueUnbounded}, or Infinity`);
  }
  const index = orders.indexOf(order);
  if (index < 0) throw new TypeError("order must be 'fifo', 'lifo' or 'priority'");
  return index * 2 ** QueueOrderShift + Math.min(capacity, QueueUnbounded);
}

function words(argument: number): string {
  const capacity = argument % 2 ** QueueOrderShift;
  const order = orders[Math.floor(argument / 2 ** QueueOrderShift) as QueueOrder]!;
  return `capacity ${capacity === QueueUnbounded ? Infinity : capacity} and order ${order}`;
}
