/** What a Worker does on two sides: as a client of our hub, and as one of a plain hub or by what the browser has. */

import type { Hub } from 'clca';
import type { Work } from './interleave.ts';
import { lockAndUnlock } from './lock.ts';
import type { PlainClient } from './plain.ts';
import { broadcast, roundTrip } from './signal.ts';

export interface Clients {
  hub: Hub;
  plain: PlainClient;
}

export interface Pair {
  ours: Work;
  theirs: Work;
}

export const pairs = {
  /** With a realm that runs `echo` on both sides. */
  roundTrip({ hub, plain }) {
    const via = (side: Hub | PlainClient): Work => {
      const [ping, pong] = [side.signal('ping'), side.signal('pong')];
      return () => roundTrip(ping, pong);
    };
    return { ours: via(hub), theirs: via(plain) };
  },

  broadcast({ hub, plain }) {
    const via = (side: Hub | PlainClient): Work => {
      const signal = side.signal('broadcast');
      return () => broadcast(signal, 10_000);
    };
    return { ours: via(hub), theirs: via(plain) };
  },

  lock({ hub, plain }) {
    const [ours, theirs] = [hub.lock('lock'), plain.lock('lock')];
    return { ours: () => lockAndUnlock(ours), theirs: () => lockAndUnlock(theirs) };
  },

  request({ hub }) {
    const request = (locks: Pick<Hub['locks'], 'request'>) => () => locks.request('lock', () => {});
    return { ours: request(hub.locks), theirs: request(navigator.locks as Hub['locks']) };
  },

  checkpoint({ hub }) {
    const checkpoint = hub.checkpoint('checkpoint');
    const settled = Promise.resolve();
    return {
      async ours() {
        for (let i = 0; i < 1000; i++) await checkpoint.wait();
      },
      async theirs() {
        for (let i = 0; i < 1000; i++) await settled;
      },
    };
  },

  blocking({ hub }) {
    const checkpoint = hub.checkpoint('checkpoint');
    const word = new Int32Array(new SharedArrayBuffer(4));
    return {
      async ours() {
        for (let i = 0; i < 1_000_000; i++) checkpoint.waitSync();
      },
      async theirs() {
        for (let i = 0; i < 1_000_000; i++) Atomics.load(word, 0);
      },
    };
  },
} satisfies Record<string, (clients: Clients) => Pair>;
