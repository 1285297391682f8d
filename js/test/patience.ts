/**
 * How long a test waits for what should come: so many milliseconds of its realm's own time, which stands still with the
 * machine, or with a frozen tab. By a clock a test would fail that had no time at all.
 */
export class Patience {
  #left: number;
  #looked = performance.now();

  constructor(milliseconds: number) {
    this.#left = milliseconds;
  }

  /** Whether it is at its end. To be looked at more often than it may stand still unnoticed. */
  get over(): boolean {
    const now = performance.now();
    this.#left -= Math.min(now - this.#looked, longest);
    this.#looked = now;
    return this.#left <= 0;
  }
}

/** How long a realm of a test may be busy between two looks. */
const longest = 500;
