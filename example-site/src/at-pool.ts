/** Using something of a pool: each lane what it has made itself, and all together no more than two. */

import type { Pool, Queue } from 'clca/client';
import type { Exhibit } from './exhibits.ts';
import { faultOf, meet } from './fault.ts';
import type { Lane } from './lane.ts';
import { pause, told } from './outcome.ts';
import { hold } from './waiting.ts';

const time = 400; // milliseconds, to make one

interface Sockets {
  pool: Pool<string>;
  fault: Queue<string>;
}

export const atPool: Exhibit<Sockets> = {
  of(lane) {
    const fault = faultOf(lane, 'sockets');
    const pool = lane.hub.pool('sockets', {
      max: 2,
      create: (abort) => open(lane, fault, abort),
      destroy(socket) {
        lane.become('pool kept', undefined);
        lane.report('pool', 'closes', socket);
      },
      onAcquire: () => lane.become('pool kept', undefined),
      onRelease: (socket) => lane.become('pool kept', 'keeping', socket),
    });
    return { pool, fault };
  },
  activities: {
    pool: ({ pool }, lane, stop) => hold(lane, 'pool', stop, pool.acquire({ signal: stop }), '', ({ resource }) => resource),
  },
  calls: { errs: ({ fault }) => fault.tryPut('refused') },
  async counts({ pool }) {
    const { max, lent, idle, creating, destroying, waiting } = await pool.stats();
    return {
      text: `${lent} lent, ${idle} idle, ${creating + destroying} being made or unmade, of ${max} · ${waiting} waiting`,
      full: lent,
      of: max,
    };
  },
  words: {
    opens: 'opens',
    throws: 'cannot open',
    closes: 'closes',
    holds: 'uses',
    releases: 'gives it back',
    errs: 'has the next one fail:',
  },
};

let made = 0;

async function open(lane: Lane, fault: Queue<string>, abort: AbortSignal): Promise<string> {
  const socket = `socket ${lane.letter}${++made}`;
  lane.become('pool run', 'running');
  lane.report('pool', 'opens', socket);
  await pause(time, abort);
  const { error } = await told(meet(fault));
  lane.become('pool run', undefined);
  if (error !== undefined) {
    lane.report('pool', 'throws', socket);
    throw error;
  }
  return socket;
}
