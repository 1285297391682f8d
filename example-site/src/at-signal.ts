/** Waiting for the signal, and giving it. */

import type { Signal } from 'clca/client';
import { count } from './counting.ts';
import type { Exhibit } from './exhibits.ts';
import { wait } from './waiting.ts';

export const atSignal: Exhibit<Signal> = {
  of: ({ hub }) => hub.signal('go'),
  activities: {
    async signal(signal, lane, stop) {
      if (await wait(lane, 'signal', stop, signal.wait({ signal: stop }))) lane.report('signal', 'woken');
    },
  },
  calls: { signals: (signal) => signal.signal() },
  async counts(signal) {
    const { waiting, signals, woken } = await signal.stats();
    return { text: `${waiting} waiting · ${count(signals, 'signal')} so far, ${woken} woken` };
  },
  words: { signals: 'signals, and wakes' },
};
