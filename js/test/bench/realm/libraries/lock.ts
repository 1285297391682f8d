import { AsyncMutex } from '@esfx/async-mutex';
import { Mutex } from 'async-mutex';
import { type Gate, gate } from '../gate.ts';
import type { Offers } from '../subject.ts';
import { gates } from './gates.ts';

export const lock: Offers<Gate> = {
  sides: {
    'async-mutex': () => {
      const mutex = new Mutex();
      return gate(() => mutex.acquire(), (release) => release());
    },
    '@esfx/async-mutex': () => {
      const mutex = new AsyncMutex();
      return gate(() => mutex.lock(), () => mutex.unlock());
    },
    ...gates(1),
  },
};
