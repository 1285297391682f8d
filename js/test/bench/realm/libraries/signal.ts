import { AsyncManualResetEvent } from '@esfx/async-manualresetevent';
import { Latch } from 'effect';
import { Subject as Emitter, firstValueFrom } from 'rxjs';
import type { Signal } from '../../signal.ts';
import type { Offers } from '../subject.ts';
import { fibers, run } from './effect.ts';

export const signal: Offers<Signal> = {
  sides: {
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
