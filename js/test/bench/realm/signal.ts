import { AsyncManualResetEvent } from '@esfx/async-manualresetevent';
import { Latch } from 'effect';
import { Subject as Emitter, firstValueFrom } from 'rxjs';
import { Resolvers } from '../resolvers.ts';
import { type Signal, broadcast } from '../signal.ts';
import { fibers, run } from './effect.ts';
import { Arrivals, type Subject, quiet } from './subject.ts';

/** All wait, one signal, all settled. */
export const signal: Subject<Signal> = {
  work: broadcast,
  async check(via, callers) {
    const woken = new Arrivals();
    await via.signal(); // nobody remembers it
    const all = Array.from({ length: callers }, (_, i) => woken.expect(via.wait(), i));
    await quiet();
    woken.check(0, 'before the signal');
    await via.signal();
    await Promise.all(all);
    woken.check(callers, 'after it');
  },
  sides: {
    clca: (hub) => hub.signal('signal'),
    effect: () => {
      const latch = Latch.makeUnsafe();
      return {
        wait: () => run(latch.await),
        signal() {
          latch.openUnsafe();
          latch.closeUnsafe();
        },
      };
    },
    '@esfx/async-manualresetevent': () => {
      const event = new AsyncManualResetEvent();
      return {
        wait: () => event.wait(),
        signal() {
          event.set();
          event.reset();
        },
      };
    },
    rxjs: () => {
      const emitter = new Emitter<void>();
      return { wait: () => firstValueFrom(emitter), signal: () => emitter.next() };
    },
    'floor: by hand': () => new Resolvers(),
  },
  programs: {
    'effect, one run': (callers) => {
      const latch = Latch.makeUnsafe();
      return () => {
        const all = fibers(latch.await, callers);
        latch.openUnsafe();
        latch.closeUnsafe();
        return all;
      };
    },
  },
};
