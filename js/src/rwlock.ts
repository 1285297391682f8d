import { Kind, LockMode, Op } from './abi.ts';
import { type Guard, LockBase } from './lock-base.ts';
import type { AcquireOptions } from './options.ts';
import type { Session } from './session.ts';
import { using } from './token.ts';

/**
 * How to acquire a lock that can be shared.
 *
 * @example
 * await hub.rwlock('cache').with(() => work(), { mode: 'shared', timeout: 1000, priority: 1 });
 */
export interface RWLockOptions extends AcquireOptions {
  /** Alone, or together with others who share it. Default: `exclusive`. */
  mode?: 'exclusive' | 'shared' | undefined;
}

/**
 * Lets in one alone, or any number that share it. All wait in one line, in the order of arrival: who wants to share it
 * waits behind one who wants it alone, so neither kind starves. It is the lock that `hub.locks` knows by the same name.
 *
 * @example
 * const cache = hub.rwlock('cache');
 * await cache.with(() => work(), { mode: 'shared' }); // beside others who read
 * await cache.with(() => work());                     // alone
 */
export class RWLock extends LockBase {
  /** @internal */
  constructor(session: Session, name: string) {
    super(session, Kind.RWLock, name);
  }

  /**
   * Resolves with a hold on the lock. Rejects with the abort's reason, a `TimeoutError` or a `ClosedError`.
   *
   * @example
   * await using first = await hub.rwlock('cache').acquire({ mode: 'shared' });
   * await using second = await hub.rwlock('cache').acquire({ mode: 'shared' });
   */
  async acquire(options?: RWLockOptions): Promise<Guard> {
    return this.take(Op.Acquire, options, modeOf(options));
  }

  /**
   * Resolves with a hold on the lock if it can be had at once and nobody waits, and else with `undefined`.
   *
   * @example
   * await using reader = await hub.rwlock('cache').acquire({ mode: 'shared' });
   * await hub.rwlock('cache').tryAcquire(); // => undefined
   */
  async tryAcquire(options?: Pick<RWLockOptions, 'mode'>): Promise<Guard | undefined> {
    return this.take(Op.Try, undefined, modeOf(options));
  }

  /**
   * Acquires, calls `use` with the hold, and releases it whatever comes; resolves with what `use` returned.
   *
   * @example
   * await hub.rwlock('cache').with(() => 42, { mode: 'shared' }); // => 42
   */
  with<R>(use: (guard: Guard) => R | PromiseLike<R>, options?: RWLockOptions): Promise<Awaited<R>> {
    return using(this.key.session, () => this.acquire(options), use);
  }

  /**
   * Takes the lock from all who hold it, before all who wait, and holds it alone. The former holders' `lost` is aborted
   * with a `StolenError`.
   *
   * @example
   * const reader = await hub.rwlock('cache').acquire({ mode: 'shared' });
   * await using guard = await hub.rwlock('cache').steal();
   * reader.lost.reason.name; // => 'StolenError'
   */
  steal(): Promise<Guard> {
    return this.take(Op.Steal);
  }
}

function modeOf(options: RWLockOptions | undefined): LockMode {
  const mode = options?.mode;
  if (mode === 'shared') return LockMode.Shared;
  if (mode === undefined || mode === 'exclusive') return LockMode.Exclusive;
  throw new TypeError("mode must be 'exclusive' or 'shared'");
}
