import { Resolvers } from '../resolvers.ts';
import { type Signal, broadcast } from '../signal.ts';
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
    'floor: by hand': () => new Resolvers(),
  },
};
