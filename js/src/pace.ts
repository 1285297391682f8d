/**
 * Lets the event loop turn, for callers who would else never leave their microtasks: whoever passes gets a promise that
 * is settled already, until the loop has not turned for a few milliseconds; then one that settles once it has.
 */

import { inTask } from './platform.ts';

const longest = 4; // milliseconds without a turn

/** How many calls may pass without a look at the clock, which costs more than they do. */
const mostUnseen = 32;

export class Pace {
  #left = 0; // calls until the next look
  #step = 1;
  #looked = 0;
  #since: number | undefined; // when the turn was asked for that has not come yet
  #turn: Promise<void> | undefined; // that callers wait for
  #resolve: (() => void) | undefined;

  pass(): Promise<void> {
    if (this.#left === 0) return this.#look();
    this.#left--;
    return passed;
  }

  #look(): Promise<void> {
    const now = performance.now();
    if (this.#since === undefined) {
      this.#since = now;
      inTask(this.#turned);
    } else if (now - this.#since >= longest) {
      return (this.#turn ??= new Promise((resolve) => void (this.#resolve = resolve)));
    }
    // Those who are slow are watched closely.
    this.#step = now - this.#looked < longest / 16 ? Math.min(2 * this.#step, mostUnseen) : 1;
    this.#looked = now;
    this.#left = this.#step - 1;
    return passed;
  }

  #turned = (): void => {
    this.#since = this.#turn = undefined;
    this.#left = 0;
    this.#resolve?.();
  };
}

const passed = Promise.resolve();
