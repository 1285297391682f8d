import { Kind, Op } from './abi.ts';
import { Name, numbers, toNumber } from './call.ts';
import { type WaitOptions, checkCount } from './options.ts';
import type { Session } from './session.ts';

/**
 * Holds callers back until it was counted down to zero, and then lets everybody pass. It stays where it is until
 * `close()`, also when nobody uses it.
 *
 * @example
 * const loaded = hub.latch('loaded', 3);
 * for (const part of parts) void work().then(() => loaded.countDown()); // in this realm or any other
 * await loaded.wait();
 */
export class CountdownLatch {
  #name: Name;

  /** @internal */
  constructor(session: Session, name: string, count: number) {
    this.#name = new Name(session, Kind.Latch, name, count, (n) => `a count of ${n}`);
  }

  /**
   * Resolves once the count is zero. Rejects with the abort's reason, a `TimeoutError`, a `ClosedError` or a `MismatchError`.
   *
   * @example
   * await hub.latch('loaded', 3).wait({ timeout: 20 }); // rejects with TimeoutError
   */
  wait(options?: WaitOptions): Promise<void> {
    return this.#name.session.wait(this.#name, options);
  }

  /**
   * Takes `n` from the count; resolves with what is left. Rejects with an `OverReleaseError` if less than `n` is left.
   *
   * @example
   * await hub.latch('loaded', 3).countDown(2); // => 1
   * await hub.latch('loaded', 3).countDown(2); // rejects with OverReleaseError
   */
  async countDown(n = 1): Promise<number> {
    checkCount(n, 'n');
    return this.#name.session.call(Op.CountDown, this.#name, toNumber, undefined, { argument: n });
  }

  /**
   * Rejects all who wait with a `ClosedError`. The name is then free for a new latch.
   *
   * @example
   * const waiting = hub.latch('loaded', 3).wait();
   * await Promise.all([hub.latch('loaded', 3).close(), waiting]); // rejects with ClosedError
   */
  close(): Promise<void> {
    return this.#name.session.call(Op.Close, this.#name);
  }

  /**
   * What is left to count down, and how many wait.
   *
   * @example
   * const { remaining } = await hub.latch('loaded', 3).stats();
   * remaining; // => 3
   */
  stats(): Promise<LatchStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [remaining, waiting] = numbers(call);
      return { remaining, waiting };
    });
  }
}

/**
 * A snapshot of a latch.
 *
 * @example
 * await hub.latch('loaded', 3).stats(); // => { remaining: 3, waiting: 0 }
 */
export interface LatchStats {
  remaining: number;
  waiting: number;
}
