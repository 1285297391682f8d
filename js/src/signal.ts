import { Kind, Op } from './abi.ts';
import { Name, numbers, toNumber } from './call.ts';
import type { BlockOptions, WaitOptions } from './options.ts';
import type { Session } from './session.ts';

/**
 * Wakes all who wait on it, in every realm, at once and as often as one likes. It is edge-triggered: a signal that
 * comes while nobody waits is not remembered.
 *
 * @example
 * const ready = hub.signal('ready');
 * const waiting = ready.wait();
 * await ready.signal(); // => 1
 * await waiting;
 */
export class Signal {
  #name: Name;

  /** @internal */
  constructor(session: Session, name: string) {
    this.#name = new Name(session, Kind.Signal, name);
  }

  /**
   * Waits for the next `signal()`. Rejects with the abort's reason, a `TimeoutError`, or a `ClosedError`; other waiters
   * notice nothing of that. A woken caller that waits again waits for the next signal.
   *
   * @example
   * await hub.signal('go').wait({ timeout: 20 }); // rejects with TimeoutError
   */
  wait(options?: WaitOptions): Promise<void> {
    return this.#name.session.wait(this.#name, options);
  }

  /**
   * As `wait()`, but blocks the thread; nothing else happens in this realm meanwhile. Where that is possible, and what it
   * throws, is said at `Checkpoint.waitSync`.
   *
   * @example
   * // in a Worker
   * hub.signal('go').waitSync({ timeout: 20 }); // throws TimeoutError
   */
  waitSync(options?: BlockOptions): void {
    this.#name.session.callSync(Op.Wait, this.#name, options);
  }

  /**
   * Wakes all who wait now, and resolves with how many they were. 0 means that nobody heard it.
   *
   * @example
   * const waiting = [hub.signal('go').wait(), hub.signal('go').wait()];
   * await hub.signal('go').signal(); // => 2
   * await Promise.all(waiting);
   */
  signal(): Promise<number> {
    return this.#name.session.call(Op.Signal, this.#name, toNumber);
  }

  /**
   * Rejects all who wait with a `ClosedError`. The name is then free for a new signal.
   *
   * @example
   * const waiting = hub.signal('go').wait();
   * await Promise.all([hub.signal('go').close(), waiting]); // rejects with ClosedError
   */
  close(): Promise<void> {
    return this.#name.session.call(Op.Close, this.#name);
  }

  /**
   * How many wait now, how often it was signalled, and how many were woken by that.
   *
   * @example
   * const { waiting } = await hub.signal('go').stats();
   * waiting; // => 0
   */
  stats(): Promise<SignalStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [waiting, signals, woken] = numbers(call);
      return { waiting, signals, woken };
    });
  }
}

/**
 * A snapshot of a signal. The totals count from when the name came into use, and a name that nobody waits for is out of
 * use: so they are of use where the Go program keeps the name.
 *
 * @example
 * await hub.signal('go').stats(); // => { waiting: 0, signals: 0, woken: 0 }
 */
export interface SignalStats {
  waiting: number;
  signals: number;
  woken: number;
}
