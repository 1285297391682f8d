/**
 * How callers that each await a Promise of their own use effect: by `runPromise`, which is a fiber for each. Its
 * scheduler would wait for a timer in a browser, at least 4 ms; this one waits for a microtask, as the others here do.
 * What can be done without a fiber is, by the `Unsafe` forms.
 */

import { Context, Effect, Scheduler } from 'effect';

const scheduler = new Scheduler.MixedScheduler('async', (step) => {
  queueMicrotask(step);
  return () => {};
});

export const run = Effect.runPromiseWith(Context.make(Scheduler.Scheduler, scheduler));

/** The other way: one run, in which a fiber for each does the same, and no caller awaits a Promise. */
export function fibers(one: Effect.Effect<unknown>, callers: number): Promise<unknown[]> {
  return run(Effect.all(Array.from({ length: callers }, () => one), { concurrency: 'unbounded' }));
}
