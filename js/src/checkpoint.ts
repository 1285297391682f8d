import { Kind, Op } from './abi.ts';
import { type Convert, Name, numbers, toBoolean, toNumber } from './call.ts';
import { Cell, cellIs } from './blocking.ts';
import type { Mirror } from './mirror.ts';
import { type BlockOptions, type ReconnectOptions, checkBlockOptions } from './options.ts';
import type { Session } from './session.ts';

/**
 * Lets somebody outside stop callers at a chosen place, be sure that they have stopped, and let them go on. Callers pass
 * it with `wait()`, which resolves at once until a controller calls `arm()`, and costs little more than an `await`: of the
 * thousand checkpoints that it uses, a realm knows by itself that nobody has armed them, once it has asked twice. Who
 * passed did so before the arm reached the realm. So that it can, the event loop turns at least every few milliseconds,
 * however fast callers pass.
 *
 * @example
 * const render = hub.checkpoint('render');
 * async function worker() {
 *   for (const part of parts) {
 *     await render.wait();
 *     draw(part);
 *   }
 * }
 * const armed = render.arm();
 * const working = worker();
 * await armed;           // the worker stands there now
 * await render.resume(); // => 1
 * await working;
 */
export class Checkpoint {
  #name: Name;
  #mirror: Mirror | undefined;

  /** @internal */
  constructor(session: Session, name: string) {
    this.#name = new Name(session, Kind.Checkpoint, name);
  }

  #mirrored(): Mirror {
    const { session, text } = this.#name;
    if (this.#mirror === undefined || this.#mirror.left) this.#mirror = session.mirrors.of(text);
    return this.#mirror;
  }

  /** Calls the hub with what may change who passes. */
  #change(op: Op, convert?: Convert, options?: ReconnectOptions): Promise<any> {
    const { session, text } = this.#name;
    session.mirrors.shut(text);
    return session.call(op, this.#name, convert, options);
  }

  /**
   * Makes the next caller of `wait()` park, and resolves once one really has. Rejects with an `AlreadyArmedError` while
   * somebody else's arm is pending or callers are held, with a `DisarmedError` if `disarm()` withdraws it, and with the
   * abort's reason, a `TimeoutError` or a `ClosedError`; it then leaves the checkpoint disarmed.
   *
   * What a realm has armed is undone when that realm goes away: pending, it is withdrawn; holding, all are resumed.
   *
   * @example
   * const step = hub.checkpoint('step');
   * await step.arm({ timeout: 20 }); // rejects with TimeoutError (nobody has come)
   */
  arm(options?: ReconnectOptions): Promise<void> {
    return this.#change(Op.Arm, undefined, options);
  }

  /**
   * Resolves at once while the checkpoint is not armed; else when somebody resumes it. Rejects with the abort's reason, a
   * `TimeoutError` or a `ClosedError`; the others stay parked.
   *
   * @example
   * await hub.checkpoint('step').wait(); // at once, unless somebody has armed it
   */
  wait(options?: ReconnectOptions): Promise<void> {
    const known = this.#mirror;
    if (known !== undefined && known.open && options === undefined) return known.pace.pass(); // the hottest way
    const mirror = this.#mirrored();
    try {
      if (mirror.passes(options)) return mirror.pace.pass();
    } catch (error) {
      return Promise.reject(error);
    }
    return mirror.wait(options);
  }

  /**
   * As `wait()`, but blocks the thread: for code that cannot await, such as a long computation or another wasm program.
   * Returns at once while the checkpoint is not armed, for the price of a look into memory; else when somebody resumes it.
   * While it is parked nothing else happens in this realm. A Worker that is terminated meanwhile dies only some two seconds
   * later in Chromium; `session.end()` of the realm that attached it gives back at once what it held.
   *
   * It is for Workers of a cross-origin isolated page whose hub is in that page or in a Worker, and for Node; elsewhere it
   * throws an `UnsupportedError` that says what is missing. Throws a `TimeoutError`, a `ClosedError`, a `HubLostError` if
   * the hub dies meanwhile, or a `TypeError` for a bad argument.
   *
   * @example
   * // in a Worker
   * for (const part of parts) {
   *   hub.checkpoint('compute').waitSync(); // here it can be paused from outside
   *   compute(part);
   * }
   */
  waitSync(options?: BlockOptions): void {
    const mirror = this.#mirror;
    if (mirror !== undefined && options === undefined && cellIs(mirror.memory, mirror.cell, Cell.Passes)) return;
    const checked = options === undefined ? undefined : checkBlockOptions(options);
    const current = this.#mirrored();
    if (cellIs(current.memory, current.cell, Cell.Passes)) return;
    const { session } = this.#name;
    current.waitSync(session.share(), session.mirrors.cellOf(current), checked);
  }

  /**
   * Lets all parked callers go, disarms, and resolves with how many they were; 0 if an arm still waits for the first.
   *
   * @example
   * const step = hub.checkpoint('step');
   * const armed = step.arm();
   * const passes = step.wait();
   * await armed;
   * await step.resume(); // => 1
   * await passes;
   */
  resume(): Promise<number> {
    return this.#change(Op.Resume, toNumber);
  }

  /**
   * Withdraws an arm that still waits, and resolves with whether there was one. Parked callers are let go by `resume()`.
   *
   * @example
   * const step = hub.checkpoint('step');
   * const armed = step.arm();
   * await Promise.all([step.disarm(), armed]); // rejects with DisarmedError
   */
  disarm(): Promise<boolean> {
    return this.#change(Op.Disarm, toBoolean);
  }

  /**
   * Rejects the pending arm and all parked callers with a `ClosedError`. The name is then free for a new checkpoint.
   *
   * @example
   * const armed = hub.checkpoint('step').arm();
   * await Promise.all([hub.checkpoint('step').close(), armed]); // rejects with ClosedError
   */
  close(): Promise<void> {
    return this.#change(Op.Close);
  }

  /**
   * What it does with those who come, how many are parked, how often it was armed, and how many were resumed.
   *
   * @example
   * const { state } = await hub.checkpoint('step').stats();
   * state; // => 'disarmed'
   */
  stats(): Promise<CheckpointStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [waiting, state, generation, resumed] = numbers(call);
      return { state: states[state!], waiting, generation, resumed };
    });
  }
}

const states: readonly CheckpointStats['state'][] = ['disarmed', 'armed', 'holding'];

/**
 * A snapshot of a checkpoint. The totals count from when the name came into use, and a checkpoint that is not armed is out
 * of use, unless the Go program keeps the name.
 *
 * @example
 * await hub.checkpoint('step').stats(); // => { state: 'disarmed', waiting: 0, generation: 0, resumed: 0 }
 */
export interface CheckpointStats {
  state: 'disarmed' | 'armed' | 'holding';
  waiting: number;
  generation: number;
  resumed: number;
}
