import { Kind, Op } from './abi.ts';
import { Name, numbers, toBoolean, toNumber } from './call.ts';
import type { WaitOptions } from './options.ts';
import type { Session } from './session.ts';

/**
 * Where a fixed number of parties wait for each other, in whatever realms they are: when the last of them has come, all
 * go on, and the next generation begins.
 *
 * It is all or none. If one who waits leaves, by an abort, a timeout or the end of its realm, all others are rejected
 * with a `BrokenBarrierError`, and so is everybody who comes until `reset()`.
 *
 * @example
 * const step = hub.barrier('step', 2);
 * async function party() {
 *   for (const part of parts) {
 *     compute(part);
 *     const index = await step.wait(); // 0 for the one that came first
 *   }
 * }
 * await Promise.all([party(), party()]);
 */
export class Barrier {
  #name: Name;

  /** @internal */
  constructor(session: Session, name: string, parties: number) {
    this.#name = new Name(session, Kind.Barrier, name, parties, (n) => `${n} parties`);
  }

  /**
   * Resolves when all parties wait, with the caller's index in the order of arrival. An abort or a timeout rejects with
   * its reason, and breaks the barrier; one that comes when it was full already is too late, and the call resolves: it
   * waits for a busy hub. Rejects with a `BrokenBarrierError`, a `ClosedError` or a `MismatchError` as well.
   *
   * @example
   * const step = hub.barrier('step', 3);
   * await Promise.all([step.wait(), step.wait(), step.wait()]); // => [0, 1, 2]
   */
  wait(options?: WaitOptions): Promise<number> {
    return this.#name.session.call(Op.Wait, this.#name, toNumber, options, { decided: true });
  }

  /**
   * Mends it, or rejects those who wait with a `BrokenBarrierError`; resolves with how many waited.
   *
   * @example
   * const step = hub.barrier('step', 2);
   * await step.wait({ timeout: 20 }); // rejects with TimeoutError
   * await step.wait(); // rejects with BrokenBarrierError
   * await step.reset(); // => 0 (of those who waited)
   */
  reset(): Promise<number> {
    return this.#name.session.call(Op.Reset, this.#name, toNumber);
  }

  /**
   * Resolves with whether somebody has left it before it was full, and nobody has reset it since.
   *
   * @example
   * await hub.barrier('step', 2).isBroken(); // => false
   */
  isBroken(): Promise<boolean> {
    return this.#name.session.call(Op.Test, this.#name, toBoolean);
  }

  /**
   * Rejects all who wait with a `ClosedError`. The name is then free for a new barrier.
   *
   * @example
   * const waiting = hub.barrier('step', 2).wait();
   * await Promise.all([hub.barrier('step', 2).close(), waiting]); // rejects with ClosedError
   */
  close(): Promise<void> {
    return this.#name.session.call(Op.Close, this.#name);
  }

  /**
   * How many parties it has, how many of them wait, how often it was full or reset, and whether it is broken.
   *
   * @example
   * const { waiting } = await hub.barrier('step', 2).stats();
   * waiting; // => 0
   */
  stats(): Promise<BarrierStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [parties, waiting, generation, broken] = numbers(call);
      return { parties, waiting, generation, broken: broken === 1 };
    });
  }
}

/**
 * A snapshot of a barrier. The generation counts from when the name came into use.
 *
 * @example
 * await hub.barrier('step', 2).stats(); // => { parties: 2, waiting: 0, generation: 0, broken: false }
 */
export interface BarrierStats {
  parties: number;
  waiting: number;
  generation: number;
  broken: boolean;
}
