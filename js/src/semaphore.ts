import { Kind, Op } from './abi.ts';
import { type Call, type Convert, Name, numbers } from './call.ts';
import { type AcquireOptions, checkCount } from './options.ts';
import type { Session } from './session.ts';
import { Token, using } from './token.ts';

/**
 * How many permits to take.
 *
 * @example
 * await hub.semaphore('downloads', 3).with((permit) => permit.permits, { permits: 2 }); // => 2
 */
export interface PermitOptions {
  /** A whole number of at least 1. Default: 1. */
  permits?: number | undefined;
}

/**
 * Permits that are held.
 *
 * @example
 * const permit = await hub.semaphore('downloads', 3).acquire();
 * await permit.release();
 */
export class Permit extends Token {
  /**
   * How many they are.
   *
   * @example
   * const all = await hub.semaphore('downloads', 3).acquire({ permits: 3 });
   * all.permits; // => 3
   */
  readonly permits: number;

  /** @internal */
  constructor(call: Call, permits: number) {
    super(call);
    this.permits = permits;
  }
}

const granted: Convert = (call, _value, _payload, held) => (held ? new Permit(call, call.extra!.argument!) : undefined);

/**
 * Hands out permits, as many as it has. A caller takes any number of them at once, in the order of arrival: who wants
 * many is not passed by those who want few. When a realm goes away, its permits go to the next in line.
 *
 * @example
 * const downloads = hub.semaphore('downloads', 3); // at most three at a time, in all tabs and Workers
 * await downloads.with(async () => (await fetch(url)).json()); // => { answer: 42 }
 */
export class Semaphore {
  #name: Name;

  /** @internal */
  constructor(session: Session, name: string, permits: number) {
    this.#name = new Name(session, Kind.Semaphore, name, permits, (n) => `${n} permits`);
  }

  /**
   * Resolves with so many permits. Rejects with a `TooLargeError` if they are, or get to be, more than there are in
   * all, and with the abort's reason, a `TimeoutError`, a `ClosedError`, or a `MismatchError`; nothing is taken then.
   *
   * @example
   * await using two = await hub.semaphore('downloads', 3).acquire({ permits: 2 });
   * two.permits; // => 2
   */
  acquire(options?: AcquireOptions & PermitOptions): Promise<Permit> {
    return this.#take(Op.Acquire, options, options);
  }

  /**
   * Resolves with so many permits if they are available and nobody waits, and else with `undefined`.
   *
   * @example
   * await hub.semaphore('downloads', 3).tryAcquire({ permits: 4 }); // rejects with TooLargeError
   */
  tryAcquire(options?: PermitOptions): Promise<Permit | undefined> {
    return this.#take(Op.Try, options);
  }

  #take(op: Op, counts: { permits?: any } | undefined, options?: AcquireOptions): Promise<any> {
    let permits = 1;
    try {
      ({ permits = 1 } = counts ?? {});
      checkCount(permits, 'permits');
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#name.session.call(op, this.#name, granted, options, { argument: permits });
  }

  /**
   * Acquires, calls `use` with the permits, and releases them whatever comes; resolves with what `use` returned.
   *
   * @example
   * await hub.semaphore('downloads', 3).with(() => 42); // => 42
   */
  with<R>(use: (permit: Permit) => R | PromiseLike<R>, options?: AcquireOptions & PermitOptions): Promise<Awaited<R>> {
    return using(this.#name.session, () => this.acquire(options), use);
  }

  /**
   * Changes how many permits there are. If that is fewer than are out, their holders finish, and nobody gets any until
   * fewer are out than there are. Who waits for more than there will be is rejected with a `TooLargeError`. Every realm
   * goes on naming the semaphore by the number that it was created with.
   *
   * @example
   * const downloads = hub.semaphore('downloads', 3);
   * await downloads.resize(1);
   * await downloads.acquire({ permits: 2 }); // rejects with TooLargeError
   */
  async resize(permits: number): Promise<void> {
    checkCount(permits, 'permits');
    return this.#name.session.call(Op.Resize, this.#name, undefined, undefined, { argument: permits });
  }

  /**
   * Rejects all who wait, and all later calls, with a `ClosedError`. Permits that are out stay so until they are
   * released; then the name is free for a new semaphore.
   *
   * @example
   * await using all = await hub.semaphore('downloads', 3).acquire({ permits: 3 });
   * const waiting = hub.semaphore('downloads', 3).acquire();
   * await Promise.all([hub.semaphore('downloads', 3).close(), waiting]); // rejects with ClosedError
   */
  close(): Promise<void> {
    return this.#name.session.call(Op.Close, this.#name);
  }

  /**
   * How many permits there are, are out and are available, and how many callers wait.
   *
   * @example
   * const { available } = await hub.semaphore('downloads', 3).stats();
   * available; // => 3
   */
  stats(): Promise<SemaphoreStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [permits, held, available, waiting] = numbers(call);
      return { permits, held, available, waiting };
    });
  }
}

/**
 * A snapshot of a semaphore.
 *
 * @example
 * await hub.semaphore('downloads', 3).stats(); // => { permits: 3, held: 0, available: 3, waiting: 0 }
 */
export interface SemaphoreStats {
  permits: number;
  held: number;
  /** Never below 0, also when more are out than there are. */
  available: number;
  waiting: number;
}
