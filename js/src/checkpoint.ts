import { Kind, Op } from './abi.ts';
import { Name, numbers, toBoolean, toNumber } from './call.ts';
import type { ReconnectOptions } from './options.ts';
import type { Session } from './session.ts';

/**
 * Lets somebody outside stop callers at a chosen place, be sure that they have stopped, and let them go on. Callers pass
 * it with `wait()`, which resolves at once until a controller calls `arm()`.
 *
 * @example
 * // the one who works
 * for (const part of parts) {
 *   await hub.checkpoint('render').wait();
 *   draw(part);
 * }
 * // the one who controls
 * await hub.checkpoint('render').arm();    // somebody stands there now
 * await hub.checkpoint('render').resume(); // => 1
 */
export class Checkpoint {
  #name: Name;

  /** @internal */
  constructor(session: Session, name: string) {
    this.#name = new Name(session, Kind.Checkpoint, name);
  }

  /**
   * Makes the next caller of `wait()` park, and resolves once one really has. Rejects with an `AlreadyArmedError` while
   * somebody else's arm is pending or callers are held, with a `DisarmedError` if `disarm()` withdraws it, and with the
   * abort's reason, a `TimeoutError` or a `ClosedError`; it then leaves the checkpoint disarmed.
   *
   * What a realm has armed is undone when that realm goes away: pending, it is withdrawn; holding, all are resumed.
   */
  arm(options?: ReconnectOptions): Promise<void> {
    return this.#name.session.call(Op.Arm, this.#name, undefined, options);
  }

  /**
   * Resolves at once while the checkpoint is not armed; else when somebody resumes it. Rejects with the abort's reason, a
   * `TimeoutError` or a `ClosedError`; the others stay parked.
   */
  wait(options?: ReconnectOptions): Promise<void> {
    return this.#name.session.call(Op.Wait, this.#name, undefined, options);
  }

  /** Lets all parked callers go, disarms, and resolves with how many they were; 0 if an arm still waits for the first. */
  resume(): Promise<number> {
    return this.#name.session.call(Op.Resume, this.#name, toNumber);
  }

  /** Withdraws an arm that still waits, and resolves with whether there was one. Parked callers are let go by `resume()`. */
  disarm(): Promise<boolean> {
    return this.#name.session.call(Op.Disarm, this.#name, toBoolean);
  }

  /** Rejects the pending arm and all parked callers with a `ClosedError`. The name is then free for a new checkpoint. */
  close(): Promise<void> {
    return this.#name.session.call(Op.Close, this.#name);
  }

  /** What it does with those who come, how many are parked, how often it was armed, and how many were resumed. */
  stats(): Promise<CheckpointStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [waiting, state, generation, resumed] = numbers(call);
      return { state: states[state!], waiting, generation, resumed };
    });
  }
}

const states = ['disarmed', 'armed', 'holding'] as const;

/**
 * A snapshot of a checkpoint. The totals count from when the name came into use, and a checkpoint that is not armed is out
 * of use, unless the Go program keeps the name.
 */
export interface CheckpointStats {
  state: (typeof states)[number];
  waiting: number;
  generation: number;
  resumed: number;
}
