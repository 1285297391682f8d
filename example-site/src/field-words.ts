/** What the front page says in words. */

const whole = new Intl.NumberFormat('en');

export const many = (n: number): string => whole.format(n);

/** A number of things, in words. */
export const count = (n: number, what: string): string => `${many(n)} ${what}${n === 1 ? '' : 's'}`;

/** Milliseconds, as fine as they are worth it. */
export const time = (ms: number): string => `${ms < 100 ? Math.max(0, ms).toFixed(1) : whole.format(Math.round(ms))} ms`;
