import { Kind, Op } from './abi.ts';
import { Name, numbers, toBoolean, toNumber } from './call.ts';
import type { WaitOptions } from './options.ts';
import type { Session } from './session.ts';

/**
 * Something that has happened or has not: callers wait until it is set, and pass while it is. It stays set until
 * `clear()` or `close()`, also when nobody uses it.
 *
 * @example
 * await hub.event('ready').set();  // => 0 (of those who waited)
 * await hub.event('ready').wait(); // passes at once if it has happened already
 */
export class Event {
  #name: Name;

  /** @internal */
  constructor(session: Session, name: string) {
    this.#name = new Name(session, Kind.Event, name);
  }

  /**
   * Resolves once it is set. Rejects with the abort's reason, a `TimeoutError` or a `ClosedError`.
   *
   * @example
   * await hub.event('ready').wait({ timeout: 20 }); // rejects with TimeoutError
   */
  wait(options?: WaitOptions): Promise<void> {
    return this.#name.session.wait(this.#name, options);
  }

  /**
   * Sets it, wakes all who wait, however soon it is cleared, and resolves with how many they were; 0 if it was set already.
   *
   * @example
   * const waiting = hub.event('ready').wait();
   * await hub.event('ready').set(); // => 1
   * await hub.event('ready').set(); // => 0 (it was set already)
   * await waiting;
   */
  set(): Promise<number> {
    return this.#name.session.call(Op.Set, this.#name, toNumber);
  }

  /**
   * Makes those wait who come later, and resolves with whether it was set.
   *
   * @example
   * await hub.event('ready').set();
   * await hub.event('ready').clear(); // => true
   */
  clear(): Promise<boolean> {
    return this.#name.session.call(Op.Clear, this.#name, toBoolean);
  }

  /**
   * Resolves with whether it is set.
   *
   * @example
   * await hub.event('ready').isSet(); // => false
   */
  isSet(): Promise<boolean> {
    return this.#name.session.call(Op.Test, this.#name, toBoolean);
  }

  /**
   * Clears it and rejects all who wait with a `ClosedError`. The name is then free for a new event.
   *
   * @example
   * const waiting = hub.event('ready').wait();
   * await Promise.all([hub.event('ready').close(), waiting]); // rejects with ClosedError
   */
  close(): Promise<void> {
    return this.#name.session.call(Op.Close, this.#name);
  }

  /**
   * Whether it is set, how many wait, and how often it was set.
   *
   * @example
   * const { waiting } = await hub.event('ready').stats();
   * waiting; // => 0
   */
  stats(): Promise<EventStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [set, waiting, sets] = numbers(call);
      return { set: set === 1, waiting, sets };
    });
  }
}

/**
 * A snapshot of an event. The total counts from when the name came into use.
 *
 * @example
 * await hub.event('ready').set();
 * await hub.event('ready').stats(); // => { set: true, waiting: 0, sets: 1 }
 */
export interface EventStats {
  set: boolean;
  waiting: number;
  sets: number;
}
