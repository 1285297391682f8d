import { Effect, Semaphore } from 'effect';
import pLimit from 'p-limit';
import PQueue from 'p-queue';
import { Sema } from 'async-sema';
import { type Gate, gate, runner } from '../gate.ts';
import { run } from './effect.ts';

/** Those that make no difference between a lock and a semaphore of one permit. */
export function gates(permits: number) {
  return {
    effect: () => {
      const semaphore = Semaphore.makeUnsafe(permits);
      const nothing = semaphore.withPermits(1)(Effect.void);
      return {
        pass: (inside) => run(inside === undefined ? nothing : semaphore.withPermits(1)(Effect.sync(inside))),
        async hold() {
          await run(semaphore.take(1));
          return () => run(semaphore.release(1));
        },
      };
    },
    'async-sema': () => {
      const sema = new Sema(permits);
      return gate(() => sema.acquire(), (token) => sema.release(token));
    },
    'p-limit': () => runner(pLimit(permits)),
    'p-queue': () => {
      const queue = new PQueue({ concurrency: permits });
      return runner((inside) => queue.add(async () => inside()));
    },
  } satisfies Record<string, () => Gate>;
}
