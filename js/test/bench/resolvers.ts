import type { Signal } from './signal.ts';

/** A signal within one realm, as one writes it by hand: an array of resolvers. */
export class Resolvers implements Signal {
  #waiting: (() => void)[] = [];

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  signal(): number {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
    return waiting.length;
  }
}
