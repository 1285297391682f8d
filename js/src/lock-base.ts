import { HeldAbandoned, type Kind, Op } from './abi.ts';
import { type Call, type Convert, Name, numbers, toBoolean } from './call.ts';
import type { AcquireOptions } from './options.ts';
import type { Session } from './session.ts';
import { Token } from './token.ts';

/**
 * A hold on a lock.
 *
 * @example
 * const guard = await hub.lock('file').acquire();
 * try {
 *   await work({ signal: guard.lost });
 * } finally {
 *   await guard.release();
 * }
 */
export class Guard extends Token {
  declare private readonly guard: true; // nothing else is one, whatever it looks like

  #value: number; // that it was granted with

  /** @internal */
  constructor(call: Call, value: number) {
    super(call);
    this.#value = value;
  }

  /**
   * Gives it back, for code that does not get back to its event loop. Where the thread can block, it blocks until the hub
   * knows; elsewhere the hub is told at once. Throws a `HubLostError` or `ClosedError` if there is nobody to be told any more.
   *
   * @example
   * // in a Worker
   * const guard = hub.lock('file').acquireSync();
   * guard.releaseSync();
   */
  releaseSync(): void {
    this.giveBackSync();
  }

  /** @internal */
  get rank(): number {
    return this.#value >>> 1;
  }

  /**
   * Whether the realm that held the lock before went away without giving it back: what the lock protects may be half
   * done. Every holder that goes away in turn leaves the next one the same; one who releases it has dealt with it. The
   * hub knows no more than it has seen: false says nothing of holders that went away together with a hub, or before it.
   *
   * @example
   * await hub.lock('file').with(async (guard) => {
   *   if (guard.abandoned) await work(); // mend what the one before has left
   * });
   */
  get abandoned(): boolean {
    return (this.#value & HeldAbandoned) !== 0;
  }

  /** @internal */
  renewed(value: number): void {
    this.#value = value | (this.#value & HeldAbandoned);
  }
}

export const guarded: Convert = (call, value, _payload, held) => (held ? new Guard(call, value) : undefined);

/**
 * What `lock`, `reentrantLock` and `rwlock` have in common.
 *
 * @example
 * const [lock, shared] = [hub.lock('file'), hub.rwlock('cache')];
 * [await lock.isLocked(), await shared.isLocked()]; // => [false, false]
 */
export abstract class LockBase {
  /** @internal */
  readonly key: Name;

  /** @internal */
  constructor(session: Session, kind: Kind, name: string) {
    this.key = new Name(session, kind, name);
  }

  /**
   * Resolves with whether anybody holds it.
   *
   * @example
   * await hub.lock('file').with(() => hub.lock('file').isLocked()); // => true
   */
  isLocked(): Promise<boolean> {
    return this.key.session.call(Op.Test, this.key, toBoolean);
  }

  /**
   * Rejects all who wait, and all later calls, with a `ClosedError`. Who holds it does so until they release it; then
   * the name is free for a new lock.
   *
   * @example
   * await using guard = await hub.lock('file').acquire();
   * const waiting = hub.lock('file').acquire();
   * await Promise.all([hub.lock('file').close(), waiting]); // rejects with ClosedError
   */
  close(): Promise<void> {
    return this.key.session.call(Op.Close, this.key);
  }

  /**
   * How often it is held now, how many wait, and how often it was taken from free, handed over or stolen.
   *
   * @example
   * const { waiting } = await hub.lock('file').stats();
   * waiting; // => 0
   */
  stats(): Promise<LockStats> {
    return this.key.session.call(Op.Stats, this.key, (call) => {
      const [held, shared, waiting, tenures, abandoned] = numbers(call);
      return { held, shared: shared === 1, waiting, tenures, abandoned: abandoned === 1 };
    });
  }

  /** @internal */
  protected take(op: Op, options?: AcquireOptions, argument = 0): Promise<any> {
    return this.key.session.call(op, this.key, guarded, options, argument === 0 ? undefined : { argument });
  }
}

/**
 * A snapshot of a lock. The total counts from when the name came into use.
 *
 * @example
 * await using guard = await hub.lock('file').acquire();
 * await hub.lock('file').stats(); // => { held: 1, shared: false, waiting: 0, tenures: 1, abandoned: false }
 */
export interface LockStats {
  held: number;
  shared: boolean;
  waiting: number;
  tenures: number;
  /** A realm that held it has gone away, and nobody has been told yet. */
  abandoned: boolean;
}
