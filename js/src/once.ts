import { Kind, Op } from './abi.ts';
import { Name, type Runnable, numbers, toBoolean } from './call.ts';
import type { WaitOptions } from './options.ts';
import type { Session } from './session.ts';
import { type SharedTaskStats, taskStates } from './shared-task.ts';

/**
 * Runs a function until it has succeeded once, in one of the realms that ask for it, and then never again. It is a
 * shared task that does not keep an error: all who wait get the error of a run that failed, and who comes later tries
 * again.
 *
 * @example
 * const migrate = hub.once('migrate', (signal) => work({ signal }));
 * await migrate.run(); // in every tab: one of them does it
 */
export class Once<T> {
  #name: Name;
  #runnable: Runnable;

  /** @internal */
  constructor(session: Session, name: string, run: (signal: AbortSignal) => T | PromiseLike<T>) {
    this.#name = new Name(session, Kind.Once, name);
    this.#runnable = { start: run };
  }

  /**
   * Resolves with the result of the run that succeeded, starting one if need be; rejects with the error of one that
   * failed while this call waited. What `SharedTask.wait` says of results, errors and leaving holds here too. The function
   * must not wait for its own `run`, which would wait for ever.
   *
   * @example
   * const migrate = hub.once('migrate', () => 'done');
   * await migrate.run(); // => 'done'
   * await hub.once('migrate', () => 'done again').run(); // => 'done'
   */
  run(options?: WaitOptions): Promise<T> {
    return this.#name.session.call(Op.Wait, this.#name, undefined, options, { runnable: this.#runnable });
  }

  /**
   * Resolves with whether a run has succeeded.
   *
   * @example
   * await hub.once('migrate', () => work()).isDone(); // => false
   */
  isDone(): Promise<boolean> {
    return this.#name.session.call(Op.Test, this.#name, toBoolean);
  }

  /**
   * Forgets a result, aborts a run, and rejects all who wait with a `ClosedError`. The name is then free for another
   * first time.
   *
   * @example
   * await hub.once('migrate', () => 1).run(); // => 1
   * await hub.once('migrate', () => 1).close();
   * await hub.once('migrate', () => 2).run(); // => 2
   */
  close(): Promise<void> {
    return this.#name.session.call(Op.Close, this.#name);
  }

  /**
   * What it is doing, how many wait, and how often it was run.
   *
   * @example
   * const { state } = await hub.once('migrate', () => work()).stats();
   * state; // => 'idle'
   */
  stats(): Promise<SharedTaskStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [waiting, state, runs] = numbers(call);
      return { state: taskStates[state!], waiting, runs };
    });
  }
}
