import { AsyncManualResetEvent } from '@esfx/async-manualresetevent';
import { Latch } from 'effect';
import { BehaviorSubject, filter, firstValueFrom } from 'rxjs';
import { Resolvers } from '../resolvers.ts';
import { fibers, run } from './effect.ts';
import { Arrivals, type Subject, quiet } from './subject.ts';

interface Event {
  wait(): Promise<unknown>;
  set(): unknown;
  clear(): unknown;
}

/** All wait, it is set, all settled; then it is cleared. */
export const event: Subject<Event> = {
  async work(via, callers) {
    const all: unknown[] = [];
    for (let i = 0; i < callers; i++) all.push(via.wait());
    all.push(via.set());
    await Promise.all(all);
    await via.clear();
  },
  async check(via, callers) {
    await via.set();
    await via.wait(); // while it is set, all pass
    await via.clear();
    const passed = new Arrivals();
    const all = Array.from({ length: callers }, (_, i) => passed.expect(via.wait(), i));
    await quiet();
    passed.check(0, 'before it was set');
    await via.set();
    await Promise.all(all);
    passed.check(callers, 'after that');
    await via.clear();
  },
  sides: {
    clca: (hub) => hub.event('event'),
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
    'floor: by hand': () => new ByHand(),
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

class ByHand implements Event {
  #waiting = new Resolvers();
  #isSet = false;

  wait(): Promise<void> {
    return this.#isSet ? Promise.resolve() : this.#waiting.wait();
  }

  set(): void {
    this.#isSet = true;
    this.#waiting.signal();
  }

  clear(): void {
    this.#isSet = false;
  }
}
