import { Ending } from './abi.ts';
import type { Call, Holding } from './call.ts';
import { checkFunction } from './options.ts';
import type { Disposing } from './platform.ts';
import type { Session } from './session.ts';

/**
 * What is held: a lock, permits, a shared resource. It is given back by `release()`, by the end of an `await using`
 * block, and when its realm goes away. One of which nobody has asked for `lost` is given back too when it is collected
 * together with the hub that it came from, since then nobody can do that any more.
 *
 * @example
 * const held = [await hub.lock('file').acquire(), await hub.semaphore('downloads', 3).acquire()];
 * await Promise.all(held.map((token) => token.release()));
 */
export class Token implements Holding {
  /** @internal */
  readonly call: Call;
  #released: Promise<void> | undefined = undefined;
  #leaving = false;
  #resolve: (() => void) | undefined = undefined; // of the promise that it is released
  #gone = false;
  #loss: Loss | undefined = undefined;

  /** @internal */
  constructor(call: Call) {
    this.call = call;
    call.holding = this;
  }

  /**
   * Aborted the moment this realm learns that what is held is not to be relied on any longer; the reason says why: a
   * `StolenError`, an `OwnerLostError`, a `ClosedError`, a `SuspendedError` or a `HubLostError`. It is to be released
   * all the same.
   *
   * @example
   * const guard = await hub.lock('file').acquire();
   * await hub.close();
   * guard.lost.reason.name; // => 'ClosedError'
   */
  get lost(): AbortSignal {
    const loss = (this.#loss ??= {});
    if (loss.controller === undefined) {
      loss.controller = new AbortController();
      if (this.live) this.call.pin(); // who listens to it may keep nothing else
      if (loss.reason !== undefined) loss.controller.abort(loss.reason.is);
    }
    return loss.controller.signal;
  }

  /** @internal Called once it is lost. */
  set onLost(listener: (reason: unknown) => void) {
    (this.#loss ??= {}).listener = listener;
  }

  /**
   * Gives it back. Resolves when the hub knows; further calls return the same promise.
   *
   * @example
   * const guard = await hub.lock('file').acquire();
   * guard.release() === guard.release(); // => true
   */
  release(): Promise<void> {
    return this.giveBack(Ending.Back);
  }

  /** @internal */
  giveBack(how: Ending): Promise<void> {
    if (this.#released !== undefined) return this.#released;
    const { session } = this.call;
    this.#leaving = true;
    if (!this.#gone) session.end(this.call, how);
    if (this.#gone) return (this.#released = done); // as in the hub's own realm
    session.began();
    return (this.#released = new Promise((resolve) => void (this.#resolve = resolve)));
  }

  /** @internal As `giveBack`; the hub knows of it when it returns, or at once. */
  giveBackSync(): void {
    if (this.#leaving) return this.call.session.flush();
    this.#leaving = true;
    this.#released = done;
    if (!this.#gone) this.call.session.endSync(this.call, Ending.Back);
  }

  /** @internal Whether it is held, as far as this realm knows. */
  get live(): boolean {
    return !this.#leaving && !this.#gone && this.#loss?.reason === undefined;
  }

  /** @internal */
  ended(): void {
    this.#gone = true;
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    this.call.session.settled(1);
    resolve();
  }

  /** @internal */
  lose(reason: unknown): void {
    const loss = (this.#loss ??= {});
    if (loss.reason !== undefined) return;
    loss.reason = { is: reason };
    this.call.unpin();
    loss.controller?.abort(reason);
    loss.listener?.(reason);
  }
}

const done = Promise.resolve();

/** What few tokens have: who asks whether it is lost, and why it is. */
interface Loss {
  controller?: AbortController;
  listener?: (reason: unknown) => void;
  reason?: { is: unknown };
}

export interface Token extends Disposing {}

disposable(Token.prototype);

/** Has `await using` release it, where the platform knows that. */
export function disposable(prototype: { release(): Promise<void> }): void {
  if (Symbol.asyncDispose === undefined) return;
  Object.defineProperty(prototype, Symbol.asyncDispose, {
    value(this: Token) { return this.release(); },
    configurable: true,
    writable: true,
  });
}

/**
 * Acquires, calls `use` with what was acquired, and releases it whatever comes; resolves with what `use` returned, also if
 * it was lost meanwhile: that `lost` says, which is for `use` to heed.
 */
export async function using<T extends { release(): Promise<void> }, R>(
  session: Session, acquire: () => Promise<T>, use: (token: T) => R | PromiseLike<R>,
): Promise<Awaited<R>> {
  checkFunction(use, 'what uses it');
  session.use(1); // also while nobody can reach it but this function
  try {
    const token = await acquire();
    try {
      return await use(token);
    } finally {
      await token.release();
    }
  } finally {
    session.use(-1);
  }
}
