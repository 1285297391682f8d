import { AsyncBarrier } from '@esfx/async-barrier';
import { Latch } from 'effect';
import type { Barrier } from '../barrier.ts';
import type { Offers } from '../subject.ts';
import { run } from './effect.ts';

export const barrier: Offers<Barrier> = {
  sides: {
    effect: (_hub, callers) => {
      const latch = Latch.makeUnsafe();
      let missing = callers;
      return {
        async wait() {
          if (--missing > 0) return run(latch.await);
          missing = callers;
          latch.openUnsafe();
          latch.closeUnsafe();
        },
      };
    },
    '@esfx/async-barrier': (_hub, callers) => {
      const barrier = new AsyncBarrier(callers);
      return { wait: () => barrier.signalAndWait() };
    },
  },
};
