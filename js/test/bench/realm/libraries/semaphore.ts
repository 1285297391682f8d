import { AsyncSemaphore } from '@esfx/async-semaphore';
import { Semaphore } from 'async-mutex';
import { type Gate, gate } from '../gate.ts';
import { permits } from '../semaphore.ts';
import type { Offers } from '../subject.ts';
import { gates } from './gates.ts';

export const semaphore: Offers<Gate> = {
  sides: {
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
