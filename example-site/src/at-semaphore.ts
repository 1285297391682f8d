/** Holding some of the permits of a semaphore. */

import type { Semaphore } from 'clca/client';
import type { Exhibit } from './exhibits.ts';
import { hold } from './waiting.ts';

export const atSemaphore: Exhibit<Semaphore> = {
  of: ({ hub }) => hub.semaphore('permits', 4),
  activities: {
    semaphore: (semaphore, lane, stop, { how }) =>
      hold(lane, 'semaphore', stop, semaphore.acquire({ signal: stop, permits: Number(how) }), how),
  },
  calls: {
    grows: (semaphore) => semaphore.resize(6),
    shrinks: (semaphore) => semaphore.resize(4),
  },
  async counts(semaphore) {
    const { permits, held, available, waiting } = await semaphore.stats();
    return { text: `${available} of ${permits} permits available · ${waiting} waiting`, full: held, of: permits };
  },
  words: { waits: 'waits for', grows: 'resizes it to 6', shrinks: 'resizes it to 4' },
};
