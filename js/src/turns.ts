/**
 * Things that the platform does in a task of its own each, such as calling the callback of a lock: all that one of them
 * sets off in microtasks is over before the next. They come in order.
 */

import { inTask } from './platform.ts';

export class Turns {
  #due: (() => void)[] = [];
  #free = false;

  add(turn: () => void): void {
    if (this.#due.push(turn) > 1) return;
    if (!this.#free) return inTask(this.#next);
    this.#free = false;
    queueMicrotask(this.#next);
  }

  /** Calls `take` in a task that nothing else is done in: the first turn that it adds needs no other. */
  within(take: () => void): void {
    this.#free = true;
    try {
      take();
    } finally {
      this.#free = false;
    }
  }

  #next = (): void => {
    const turn = this.#due.shift()!;
    if (this.#due.length > 0) inTask(this.#next);
    turn();
  };
}
