/** Waiting for what has happened or has not. */

import type { Event } from 'clca/client';
import { count } from './counting.ts';
import type { Exhibit } from './exhibits.ts';
import { pass } from './waiting.ts';

export const atEvent: Exhibit<Event> = {
  of: ({ hub }) => hub.event('ready'),
  activities: {
    event: (event, lane, stop) => pass(lane, 'event', stop, event.wait({ signal: stop })),
  },
  calls: {
    sets: (event) => event.set(),
    clears: (event) => event.clear(),
  },
  async counts(event) {
    const { set, waiting, sets } = await event.stats();
    return { text: `${set ? 'set' : 'not set'} · ${waiting} waiting · set ${count(sets, 'time')} so far`, full: set ? 1 : 0, of: 1 };
  },
  words: { sets: 'sets it, and wakes', clears: 'clears it; it was set:' },
};
