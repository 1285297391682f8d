import { Kind, Op } from './abi.ts';
import { Name, numbers, toNumber } from './call.ts';
import { NotOwnerError } from './errors.ts';
import type { Guard } from './lock-base.ts';
import type { Lock } from './lock.ts';
import { type WaitOptions, checkCount, checkFunction, checkOptions } from './options.ts';

const all = 2 ** 31 - 1;

/**
 * Where those who hold a lock wait, without it, until somebody says that what it protects has changed. A lock has any
 * number of conditions, told apart by their names; they end with it.
 *
 * @example
 * const jobs = [1, 2, 3];
 * const lock = hub.lock('jobs');
 * const condition = hub.condition(lock);
 * await lock.with(async (guard) => {
 *   await condition.waitFor(guard, () => jobs.length > 0);
 *   jobs.shift(); // => 1
 * });
 */
export class Condition {
  #name: Name;

  /** @internal */
  constructor(lock: Lock, name: string) {
    const { session, text } = lock.key;
    this.#name = new Name(session, Kind.Condition, text + name, text.length);
  }

  /**
   * Gives the lock up, waits to be notified, and resolves when `guard` holds the lock again. An abort or a timeout
   * rejects, with its reason, when `guard` holds the lock again as well: it waits for a busy hub, and for who has the
   * lock. One that comes after the notification is too late: the notification counts as taken, and the call resolves.
   *
   * Rejects with a `NotOwnerError` if `guard` does not hold the lock, and with a `ClosedError` if that is closed; the
   * lock is held as before then. If the lock gets closed meanwhile, the call ends without it, and the `lost` of `guard`
   * says so.
   *
   * @example
   * const lock = hub.lock('jobs');
   * const condition = hub.condition(lock);
   * const waiting = lock.with((guard) => condition.wait(guard));
   * await lock.with(() => condition.notify()); // => 1
   * await waiting;
   */
  wait(guard: Guard, options?: WaitOptions): Promise<void> {
    if (!this.#heldBy(guard)) return Promise.reject(new NotOwnerError());
    return this.#name.session.call(Op.Wait, this.#name, undefined, options,
      { argument: guard.call.slot, decided: true, guard });
  }

  /** Whether the guard holds the lock, as far as this realm knows. */
  #heldBy(guard: Guard): boolean {
    const { session, text, argument } = this.#name;
    const of = guard?.call?.name;
    return of?.session === session && of.kind === Kind.Lock && of.text === text.slice(0, argument) && guard.live;
  }

  /**
   * Waits until `ready` returns true. It is called while `guard` holds the lock, at first before any waiting. The
   * timeout bounds all of it.
   *
   * @example
   * let ready = false;
   * const lock = hub.lock('jobs');
   * const condition = hub.condition(lock);
   * const waiting = lock.with((guard) => condition.waitFor(guard, () => ready));
   * await lock.with(() => {
   *   ready = true;
   *   return condition.notifyAll();
   * });
   * await waiting;
   */
  async waitFor(guard: Guard, ready: () => boolean | PromiseLike<boolean>, options: WaitOptions = {}): Promise<void> {
    checkFunction(ready, 'ready');
    checkOptions(options);
    const { signal, timeout } = options;
    if (!this.#heldBy(guard)) throw new NotOwnerError();
    if (signal?.aborted) throw signal.reason;
    const began = performance.now();
    while (!(await ready())) {
      const left = timeout === undefined ? undefined : Math.max(Number.MIN_VALUE, timeout - (performance.now() - began));
      await this.wait(guard, { ...options, timeout: left });
    }
  }

  /**
   * Has up to `n` of those who wait, in the order of arrival, take the lock again and go on; resolves with how many.
   * The caller should hold the lock, but need not.
   *
   * @example
   * await hub.condition(hub.lock('jobs')).notify(2); // => 0 (of those who waited)
   */
  async notify(n = 1): Promise<number> {
    checkCount(n, 'n');
    return this.#name.session.call(Op.Notify, this.#name, toNumber, undefined, { argument: n });
  }

  /**
   * Notifies all who wait, and resolves with how many they were.
   *
   * @example
   * await hub.condition(hub.lock('jobs')).notifyAll(); // => 0
   */
  notifyAll(): Promise<number> {
    return this.notify(all);
  }

  /**
   * How many wait to be notified.
   *
   * @example
   * const { waiting } = await hub.condition(hub.lock('jobs')).stats();
   * waiting; // => 0
   */
  stats(): Promise<ConditionStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [waiting] = numbers(call);
      return { waiting };
    });
  }
}

/**
 * A snapshot of a condition.
 *
 * @example
 * await hub.condition(hub.lock('jobs')).stats(); // => { waiting: 0 }
 */
export interface ConditionStats {
  waiting: number;
}
