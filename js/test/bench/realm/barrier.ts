import { AsyncBarrier } from '@esfx/async-barrier';
import { Latch } from 'effect';
import { Resolvers } from '../resolvers.ts';
import { run } from './effect.ts';
import { Arrivals, type Subject, quiet } from './subject.ts';

interface Barrier {
  wait(): Promise<unknown>;
}

/** All parties arrive, all go on. */
export const barrier: Subject<Barrier> = {
  async work(via, callers) {
    const all: unknown[] = [];
    for (let i = 0; i < callers; i++) all.push(via.wait());
    await Promise.all(all);
  },
  async check(via, callers) {
    for (let again = 0; again < 2; again++) {
      const passed = new Arrivals();
      const all = Array.from({ length: callers - 1 }, (_, i) => passed.expect(via.wait(), i));
      await quiet();
      passed.check(0, 'before the last had come');
      await Promise.all([...all, via.wait()]); // the last may be the first to know
      passed.check(callers - 1, 'after that');
    }
  },
  sides: {
    clca: (hub, callers) => hub.barrier('barrier', callers),
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
    'floor: by hand': (_hub, callers) => {
      const waiting = new Resolvers();
      let missing = callers;
      return {
        async wait() {
          if (--missing > 0) return waiting.wait();
          missing = callers;
          waiting.signal();
        },
      };
    },
  },
};
