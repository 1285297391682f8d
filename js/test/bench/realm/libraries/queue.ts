import { AsyncQueue } from '@esfx/async-queue';
import { Effect, Queue as EffectQueue } from 'effect';
import type { Queue } from '../queue.ts';
import type { Offers } from '../subject.ts';
import { fibers, run } from './effect.ts';

const sides: Offers<Queue>['sides'] = {
  effect: () => {
    const queue = Effect.runSync(EffectQueue.unbounded<number>());
    const take = EffectQueue.take(queue);
    return { put: (item) => EffectQueue.offerUnsafe(queue, item), get: () => run(take) };
  },
  '@esfx/async-queue': () => {
    const queue = new AsyncQueue<number>();
    return { put: (item) => queue.put(item), get: () => queue.get() };
  },
};

function programs(first: 'put' | 'get'): Offers<Queue>['programs'] {
  return {
    'effect, one run': (items) => {
      const queue = Effect.runSync(EffectQueue.unbounded<number>());
      const take = EffectQueue.take(queue);
      const putAll = (): void => {
        for (let i = 0; i < items; i++) EffectQueue.offerUnsafe(queue, i);
      };
      return () => {
        if (first === 'put') putAll();
        const all = fibers(take, items);
        if (first === 'get') putAll();
        return all;
      };
    },
  };
}

export const getThenPut: Offers<Queue> = { sides, programs: programs('get') };

export const putThenGet: Offers<Queue> = { sides, programs: programs('put') };
