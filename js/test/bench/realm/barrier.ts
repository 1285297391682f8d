import { Resolvers } from '../resolvers.ts';
import { Arrivals, type Subject, quiet } from './subject.ts';

export interface Barrier {
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
