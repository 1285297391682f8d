/** The SharedTask of the second answer, line by line. */

import {
  type Coroutine, CancelledError, Future, closeCoroutine, ensureFuture, shield, waitFor,
} from './python-asyncio.ts';

export class SharedTask<T> {
  clients = 0;
  #task: Future<T> | Coroutine<T>;

  constructor(task: Future<T> | Coroutine<T>) {
    this.#task = task;
  }

  *wait(timeout?: number): Coroutine<T> {
    const task = this.#task = ensureFuture(this.#task);

    this.clients += 1;
    try {
      return yield* waitFor(shield(task), timeout);
    } catch (error) {
      this.clients -= 1;
      if (this.clients === 0 && !task.done()) {
        task.cancel();
        try {
          yield* task;
        } catch (suppressed) {
          if (!(suppressed instanceof CancelledError)) throw suppressed;
        }
      }
      throw error;
    }
  }

  cancel(): void {
    if (this.#task instanceof Future) this.#task.cancel();
    else closeCoroutine(this.#task);
  }
}
