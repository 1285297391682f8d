import { AsyncSemaphore } from '@esfx/async-semaphore';
import { Semaphore } from 'async-mutex';
import { type Gate, checkGate, gate, gates, passAll } from './gate.ts';
import type { Subject } from './subject.ts';

const permits = 4;

/** All want one of a few permits; each gets one in turn and releases it. */
export const semaphore: Subject<Gate> = {
  work: (via, callers) => Promise.all(passAll(via, callers)),
  check: (via, callers) => checkGate(via, permits, callers),
  sides: {
    clca: (hub) => {
      const semaphore = hub.semaphore('semaphore', permits);
      return gate(() => semaphore.acquire(), (permit) => permit.release());
    },
    'async-mutex': () => {
      const semaphore = new Semaphore(permits);
      return gate(() => semaphore.acquire(), ([, release]) => release());
    },
    '@esfx/async-semaphore': () => {
      const semaphore = new AsyncSemaphore(permits, permits);
      return gate(() => semaphore.wait(), () => semaphore.release());
    },
    ...gates(permits),
  },
};
