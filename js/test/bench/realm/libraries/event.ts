import { AsyncManualResetEvent } from '@esfx/async-manualresetevent';
import { Latch } from 'effect';
import { BehaviorSubject, filter, firstValueFrom } from 'rxjs';
import type { Event } from '../event.ts';
import type { Offers } from '../subject.ts';
import { fibers, run } from './effect.ts';

export const event: Offers<Event> = {
  sides: {
    effect: () => {
      const latch = Latch.makeUnsafe();
      return { wait: () => run(latch.await), set: () => latch.openUnsafe(), clear: () => latch.closeUnsafe() };
    },
    '@esfx/async-manualresetevent': () => {
      const event = new AsyncManualResetEvent();
      return { wait: () => event.wait(), set: () => event.set(), clear: () => event.reset() };
    },
    rxjs: () => {
      const state = new BehaviorSubject(false);
      const isSet = state.pipe(filter(Boolean));
      return { wait: () => firstValueFrom(isSet), set: () => state.next(true), clear: () => state.next(false) };
    },
  },
  programs: {
    'effect, one run': (callers) => {
      const latch = Latch.makeUnsafe();
      return () => {
        const all = fibers(latch.await, callers);
        latch.openUnsafe();
        return all.finally(() => latch.closeUnsafe());
      };
    },
  },
};
