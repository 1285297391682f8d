import { Kind, Op } from './abi.ts';
import { NotOwnerError } from './errors.ts';
import { type Guard, LockBase } from './lock-base.ts';
import type { AcquireOptions } from './options.ts';
import type { Session } from './session.ts';
import { using } from './token.ts';

/**
 * How to acquire a reentrant lock.
 *
 * @example
 * const tree = hub.reentrantLock('tree');
 * await tree.with((guard) => tree.with(() => 'inside', { within: guard })); // => 'inside'
 */
export interface ReentrantOptions extends AcquireOptions {
  /** A hold on this lock that one has: it is entered once more, at once. */
  within?: Guard | undefined;
}

/**
 * A lock that its holder can enter again, by showing the hold that it has: who calls is not guessed. Each hold is
 * released by itself, in any order, and with the last of them the lock. One who holds it and does not say so waits for
 * itself.
 *
 * @example
 * interface Tree { children: Tree[] }
 * const lock = hub.reentrantLock('tree');
 * async function remove(tree: Tree, within?: Awaited<ReturnType<typeof lock.acquire>>): Promise<void> {
 *   await lock.with(async (guard) => {
 *     for (const child of tree.children) await remove(child, guard);
 *   }, { within });
 * }
 * await remove({ children: [{ children: [] }] });
 */
export class ReentrantLock extends LockBase {
  /** @internal */
  constructor(session: Session, name: string) {
    super(session, Kind.ReentrantLock, name);
  }

  /**
   * Resolves with a hold on the lock. Rejects with the abort's reason, a `TimeoutError` or a `ClosedError`, and with a
   * `NotOwnerError` if `within` does not hold this lock.
   *
   * @example
   * const tree = hub.reentrantLock('tree');
   * await using outer = await tree.acquire();
   * await using inner = await tree.acquire({ within: outer });
   */
  async acquire(options?: ReentrantOptions): Promise<Guard> {
    const within = options?.within;
    if (within === undefined) return this.take(Op.Acquire, options);
    if (within?.call?.session !== this.key.session || !within.live) throw new NotOwnerError();
    return this.take(Op.Reenter, { ...options, reconnect: undefined }, within.call.slot); // it does not wait
  }

  /**
   * Resolves with a hold on the lock if it is free and nobody waits, and else with `undefined`.
   *
   * @example
   * await using guard = await hub.reentrantLock('tree').tryAcquire();
   * await hub.reentrantLock('tree').tryAcquire(); // => undefined
   */
  tryAcquire(): Promise<Guard | undefined> {
    return this.take(Op.Try);
  }

  /**
   * Acquires, calls `use` with the hold, and releases it whatever comes; resolves with what `use` returned.
   *
   * @example
   * await hub.reentrantLock('tree').with(() => 42, { timeout: 1000 }); // => 42
   */
  with<R>(use: (guard: Guard) => R | PromiseLike<R>, options?: ReentrantOptions): Promise<Awaited<R>> {
    return using(this.key.session, () => this.acquire(options), use);
  }
}
