import { type Gate, byHand, checkGate, gate, passAll } from './gate.ts';
import type { Subject } from './subject.ts';

export const permits = 4;

/** All want one of a few permits; each gets one in turn and releases it. */
export const semaphore: Subject<Gate> = {
  work: (via, callers) => Promise.all(passAll(via, callers)),
  check: (via, callers) => checkGate(via, permits, callers),
  sides: {
    clca: (hub) => {
      const semaphore = hub.semaphore('semaphore', permits);
      return gate(() => semaphore.acquire(), (permit) => permit.release());
    },
    'floor: by hand': () => byHand(permits),
  },
};
