import { HeldAbandoned, type Kind, Op } from './abi.ts';
import { type Call, type Convert, Name, numbers, toBoolean } from './call.ts';
import type { AcquireOptions } from './options.ts';
import type { Session } from './session.ts';
import { Token } from './token.ts';

/** A hold on a lock. */
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

/** What `lock`, `reentrantLock` and `rwlock` have in common. */
export abstract class LockBase {
  /** @internal */
  readonly key: Name;

  /** @internal */
  constructor(session: Session, kind: Kind, name: string) {
    this.key = new Name(session, kind, name);
  }

  /** Resolves with whether anybody holds it. */
  isLocked(): Promise<boolean> {
    return this.key.session.call(Op.Test, this.key, toBoolean);
  }

  /**
   * Rejects all who wait, and all later calls, with a `ClosedError`. Who holds it does so until they release it; then
   * the name is free for a new lock.
   */
  close(): Promise<void> {
    return this.key.session.call(Op.Close, this.key);
  }

  /** How often it is held now, how many wait, and how often it was taken from free, handed over or stolen. */
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

/** A snapshot of a lock. The total counts from when the name came into use. */
export interface LockStats {
  held: number;
  shared: boolean;
  waiting: number;
  tenures: number;
  /** A realm that held it has gone away, and nobody has been told yet. */
  abandoned: boolean;
}
