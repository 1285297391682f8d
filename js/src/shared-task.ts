import { Kind, Op } from './abi.ts';
import { Name, type Runnable, numbers } from './call.ts';
import type { WaitOptions } from './options.ts';
import type { Session } from './session.ts';

/**
 * One run of a function, shared by all who want its result, in whatever realm they are. Every caller brings the
 * function; the hub has one of them run it, and everybody gets the result: the realm that ran it as it is, all others a
 * structured clone. Whoever leaves disturbs nobody; when the last one leaves, the run is aborted. If the realm that
 * runs it dies, another that waits runs its own.
 *
 * A result or an error is kept until `close()`: later calls get it at once. An aborted run is forgotten once it has
 * ended, and the next one begins then: a function that heeds its signal keeps nobody waiting. It must not wait for its
 * own task, which would wait for ever.
 *
 * @example
 * const config = hub.sharedTask('config', async (signal) => {
 *   const response = await fetch(url, { signal });
 *   return response.json();
 * });
 * const both = await Promise.all([config.wait(), config.wait({ timeout: 5000 })]);
 * both; // => [{ answer: 42 }, { answer: 42 }]
 */
export class SharedTask<T> {
  #name: Name;
  #runnable: Runnable;

  /** @internal */
  constructor(session: Session, name: string, run: (signal: AbortSignal) => T | PromiseLike<T>) {
    this.#name = new Name(session, Kind.Task, name);
    this.#runnable = { start: run };
  }

  /**
   * Resolves with the result of the run, starting it if need be; rejects with its error. Other realms get the error's
   * name, message, code and stack, and a `DataCloneError` if the result cannot be cloned. An abort, a timeout or a
   * `ClosedError` ends this wait alone.
   *
   * @example
   * const broken = hub.sharedTask('broken', () => Promise.reject(new RangeError('too far')));
   * await broken.wait(); // rejects with RangeError
   */
  wait(options?: WaitOptions): Promise<T> {
    return this.#name.session.call(Op.Wait, this.#name, undefined, options, { runnable: this.#runnable });
  }

  /**
   * Forgets a result, aborts a run, and rejects all who wait with a `ClosedError`. The name is then free for a new task.
   *
   * @example
   * await hub.sharedTask('config', () => 1).wait(); // => 1
   * await hub.sharedTask('config', () => 1).close();
   * await hub.sharedTask('config', () => 2).wait(); // => 2
   */
  close(): Promise<void> {
    return this.#name.session.call(Op.Close, this.#name);
  }

  /**
   * What it is doing, how many wait, and how often it was run.
   *
   * @example
   * const { state } = await hub.sharedTask('config', () => work()).stats();
   * state; // => 'idle'
   */
  stats(): Promise<SharedTaskStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [waiting, state, runs] = numbers(call);
      return { state: taskStates[state!], waiting, runs };
    });
  }
}

/** @internal */
export const taskStates: readonly SharedTaskStats['state'][] = ['idle', 'running', 'stopping', 'done'];

/**
 * A snapshot of a shared task.
 *
 * @example
 * await hub.sharedTask('config', () => 1).wait();
 * await hub.sharedTask('config', () => 1).stats(); // => { state: 'done', waiting: 0, runs: 1 }
 */
export interface SharedTaskStats {
  state: 'idle' | 'running' | 'stopping' | 'done';
  waiting: number;
  runs: number;
}
