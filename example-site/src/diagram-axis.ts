/**
 * The elastic axis: from times to positions. What matters takes a tenth of a millisecond, and people act seconds apart;
 * so time is to scale wherever something happens at least every `toScale` milliseconds, and of a longer gap what is beyond
 * that adds the same width with each doubling. Nothing is ever out of order, and a longer gap is never the shorter one.
 */

/** Milliseconds up to which a gap is to scale. */
export const toScale = 0.1;
/** Pixels for a millisecond, at first. */
export const usualZoom = 360;
export const zooms = { least: 0.2, most: 20_000 };
const perDoubling = 5;

/** How many pixels a gap of so many milliseconds takes. Below the usual zoom, all shrinks alike. */
export function widthOf(gap: number, zoom: number): number {
  const folded = perDoubling * Math.min(1, zoom / usualZoom);
  return zoom * Math.min(gap, toScale) + folded * Math.log2(Math.max(gap / toScale, 1));
}

/** The gap that takes so many pixels. */
export function gapOf(width: number, zoom: number): number {
  const scaled = zoom * toScale;
  if (width <= scaled) return width / zoom;
  return toScale * 2 ** ((width - scaled) / (perDoubling * Math.min(1, zoom / usualZoom)));
}

export class Axis {
  /** Where each of the times is. */
  readonly #xs: Float64Array;

  /** `times` ascend. */
  constructor(readonly times: ArrayLike<number>, readonly zoom: number) {
    this.#xs = new Float64Array(times.length);
    for (let i = 1; i < times.length; i++) {
      this.#xs[i] = this.#xs[i - 1]! + widthOf(times[i]! - times[i - 1]!, zoom);
    }
  }

  /** The position of a time; what happens after it does not matter. */
  x(time: number): number {
    const i = lastUpTo(this.times, time);
    return i < 0 ? 0 : this.#xs[i]! + widthOf(time - this.times[i]!, this.zoom);
  }

  /** The time at a position. */
  time(x: number): number {
    const i = Math.max(0, lastUpTo(this.#xs, x));
    return this.times.length === 0 ? NaN : this.times[i]! + gapOf(Math.max(0, x - this.#xs[i]!), this.zoom);
  }

  /** The last of the times up to a position, and how far after it that is. */
  before(x: number): { time: number; past: number } {
    const i = Math.max(0, lastUpTo(this.#xs, x));
    return { time: this.times[i]!, past: x - this.#xs[i]! };
  }

  /** Where time is folded: the gaps that are too long to be to scale and end within [from, to], in pixels. */
  folds(from: number, to: number): { from: number; to: number; gap: number }[] {
    const folds = [];
    for (let i = Math.max(1, lastUpTo(this.#xs, from)); i < this.times.length && this.#xs[i - 1]! <= to; i++) {
      const gap = this.times[i]! - this.times[i - 1]!;
      if (isFolded(gap)) folds.push({ from: this.#xs[i - 1]!, to: this.#xs[i]!, gap });
    }
    return folds;
  }
}

/** Whether a gap is so much shortened that one has to be told. */
export function isFolded(gap: number): boolean {
  return gap > 2 * toScale;
}

/** The zoom at which all up to the end takes just so many pixels. */
export function zoomToFit(times: ArrayLike<number>, end: number, width: number): number {
  let { least, most } = zooms;
  for (let i = 0; i < 40; i++) {
    const middle = Math.sqrt(least * most);
    if (new Axis(times, middle).x(end) > width) most = middle;
    else least = middle;
  }
  return least;
}

/** The index of the last value that is not above the limit, or -1. */
export function lastUpTo(ascending: ArrayLike<number>, limit: number): number {
  let from = 0;
  let to = ascending.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ascending[middle]! <= limit) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
