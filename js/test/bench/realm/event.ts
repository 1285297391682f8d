import { Resolvers } from '../resolvers.ts';
import { Arrivals, type Subject, quiet } from './subject.ts';

export interface Event {
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
    'floor: by hand': () => new ByHand(),
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
