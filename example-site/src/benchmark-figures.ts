/** What the rounds of a row come to. */

import type { Took } from '../../js/test/bench/interleave.ts';

/** One side of a row: milliseconds of a piece of work. */
export interface Figures {
  side: string;
  rounds: number;
  median: number;
  quartiles: Quartiles;
  /** clca's time by this one's, in the rounds in which both were measured; none for clca itself. */
  ratio?: { median: number; quartiles: Quartiles; ours: number; theirs: number; rounds: number };
  error?: string;
}

type Quartiles = [low: number, high: number];

export function figuresOf(took: Took[]): Figures[] {
  const ours = took.find(({ name }) => name === 'clca');
  return took.map((each) => {
    return ours === undefined || each === ours ? figures(each) : { ...figures(each), ...against(ours, each) };
  });
}

function figures({ name, times, error }: Took): Figures {
  const measured = times.filter((time) => time !== null);
  return {
    side: name, rounds: measured.length, median: quantile(measured, 0.5), quartiles: quartiles(measured),
    ...(error === undefined ? {} : { error: error.replace(/^Error: /, '') }),
  };
}

function against(ours: Took, theirs: Took): Pick<Figures, 'ratio'> {
  const both = ours.times.map((time, round) => [time, theirs.times[round] ?? null] as const)
    .filter((pair): pair is [number, number] => !pair.includes(null));
  if (both.length === 0) return {};
  const median = (side: 0 | 1): number => quantile(both.map((pair) => pair[side]), 0.5);
  return {
    ratio: {
      ours: median(0), theirs: median(1), median: median(0) / median(1),
      quartiles: quartiles(both.map(([ours, theirs]) => ours / theirs)), rounds: both.length,
    },
  };
}

function quartiles(values: number[]): Quartiles {
  return [quantile(values, 0.25), quantile(values, 0.75)];
}

/** Between the two values next to it; NaN where there are none. */
function quantile(values: number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = q * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === undefined || high === undefined ? NaN : low + (high - low) * (at - Math.floor(at));
}

/** Three digits, in the unit that suits it. */
export function time(ms: number): string {
  if (ms >= 1000) return `${digits(ms / 1000)} s`;
  if (ms >= 1) return `${digits(ms)} ms`;
  return ms >= 0.001 ? `${digits(ms * 1000)} µs` : `${digits(ms * 1e6)} ns`;
}

/** Three of them, two below 1. */
export function digits(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toPrecision(value >= 1 ? 3 : 2);
}
