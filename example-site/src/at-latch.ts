/** Waiting for a count to reach zero. A latch opens for good: for another one there is another name. */

import type { CountdownLatch, Signal } from 'clca/client';
import type { Exhibit } from './exhibits.ts';
import { pass } from './waiting.ts';

interface Latch {
  latch: CountdownLatch;
  /** How often it was given is the number of the latch: Go uses the name, and so the hub keeps the total. */
  next: Signal;
}

export const atLatch: Exhibit<Latch> = {
  async of({ hub }) {
    const next = hub.signal('next latch');
    const { signals } = await next.stats();
    return { latch: hub.latch(`start ${signals}`, 3), next };
  },
  activities: {
    latch: ({ latch }, lane, stop) => pass(lane, 'latch', stop, latch.wait({ signal: stop })),
  },
  calls: {
    counts: ({ latch }) => latch.countDown(),
    closes: ({ latch, next }) => next.signal().then(() => latch.close()),
  },
  async counts({ latch }) {
    const { remaining, waiting } = await latch.stats();
    return { text: `${remaining} to go · ${waiting} waiting`, full: remaining, of: 3 };
  },
  words: { counts: 'counts down, to', closes: 'closes it, for a new one' },
};
