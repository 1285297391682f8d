import { Kind, Op } from './abi.ts';
import { Guard, LockBase } from './lock-base.ts';
import type { AcquireOptions, BlockOptions } from './options.ts';
import type { Session } from './session.ts';
import { using } from './token.ts';

/**
 * Lets one in at a time, in the order of arrival, whatever realm they are in. A release hands it to the first in line
 * at once: nobody who comes in between gets it. When a realm goes away, the next in line gets what it held.
 *
 * @example
 * await hub.lock('settings').with(async (guard) => {
 *   await work({ signal: guard.lost });
 * });
 */
export class Lock extends LockBase {
  declare private readonly lock: true; // nothing else is one, whatever it looks like

  /** @internal */
  constructor(session: Session, name: string) {
    super(session, Kind.Lock, name);
  }

  /**
   * Resolves with a hold on the lock. Rejects with the abort's reason, a `TimeoutError` or a `ClosedError`.
   *
   * @example
   * await using guard = await hub.lock('settings').acquire({ timeout: 1000 });
   */
  acquire(options?: AcquireOptions): Promise<Guard> {
    return this.take(Op.Acquire, options);
  }

  /**
   * As `acquire()`, but blocks the thread. Where that is possible, and what it throws, is said at `Checkpoint.waitSync`.
   * Code that does not get back to its event loop gives the hold back with `releaseSync()`, and does not hear of a loss:
   * `lost` is aborted when it gets back.
   *
   * @example
   * // in a Worker
   * const guard = hub.lock('file').acquireSync({ timeout: 1000 });
   * try {
   *   compute(1);
   * } finally {
   *   guard.releaseSync();
   * }
   */
  acquireSync(options?: BlockOptions & { priority?: number | undefined }): Guard {
    return this.key.session.callSync(Op.Acquire, this.key, options, (call, value) => new Guard(call, value));
  }

  /**
   * Resolves with a hold on the lock if it is free and nobody waits, and else with `undefined`.
   *
   * @example
   * await using guard = await hub.lock('settings').tryAcquire();
   * if (guard !== undefined) await work();
   */
  tryAcquire(): Promise<Guard | undefined> {
    return this.take(Op.Try);
  }

  /**
   * Acquires, calls `use` with the hold, and releases it whatever comes; resolves with what `use` returned. That the lock
   * was lost meanwhile is for `use` to heed: by `guard.lost` as the signal of what it does, or by
   * `guard.lost.throwIfAborted()` at its end.
   *
   * @example
   * const size = await hub.lock('settings').with(async (guard) => {
   *   await work({ signal: guard.lost });
   *   return 42;
   * });
   * size; // => 42
   */
  with<R>(use: (guard: Guard) => R | PromiseLike<R>, options?: AcquireOptions): Promise<Awaited<R>> {
    return using(this.key.session, () => this.acquire(options), use);
  }

  /**
   * Takes the lock from whoever holds it, before all who wait. The former holder's `lost` is aborted with a
   * `StolenError`. It is for a holder that will not come back, such as a frozen tab; what the lock protects may be half
   * done.
   *
   * @example
   * const before = await hub.lock('settings').acquire();
   * const guard = await hub.lock('settings').steal();
   * before.lost.aborted; // => true
   * await guard.release();
   */
  steal(): Promise<Guard> {
    return this.take(Op.Steal);
  }
}
