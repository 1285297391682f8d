/** Using something of a pool: each lane what it has made itself, and all together no more than two. */

import type { Pool } from 'clca/client';
import type { Exhibit } from './exhibits.ts';
import type { Lane } from './lane.ts';
import { pause } from './outcome.ts';
import { hold } from './waiting.ts';

const time = 400; // milliseconds, to make one

export const atPool: Exhibit<Pool<string>> = {
  of: (lane) => lane.hub.pool('sockets', {
    max: 2,
    create: (abort) => open(lane, abort),
    destroy(socket) {
      lane.become('pool kept', undefined);
      lane.report('pool', 'closes', socket);
    },
    onAcquire: () => lane.become('pool kept', undefined),
    onRelease: (socket) => lane.become('pool kept', 'keeping', socket),
  }),
  activities: {
    pool: (pool, lane, stop) => hold(lane, 'pool', stop, pool.acquire({ signal: stop }), '', ({ resource }) => resource),
  },
  async counts(pool) {
    const { max, lent, idle, creating, destroying, waiting } = await pool.stats();
    return {
      text: `${lent} lent, ${idle} idle, ${creating + destroying} being made or unmade, of ${max} · ${waiting} waiting`,
      full: lent,
      of: max,
    };
  },
  words: { opens: 'opens', closes: 'closes', holds: 'uses', releases: 'gives it back' },
};

let made = 0;

async function open(lane: Lane, abort: AbortSignal): Promise<string> {
  const socket = `socket ${lane.letter}${++made}`;
  lane.become('pool run', 'running');
  lane.report('pool', 'opens', socket);
  await pause(time, abort);
  lane.become('pool run', undefined);
  return socket;
}
