/**
 * Random walks in a page, which is driven from outside: it cannot open, close or crash tabs itself. With `?tab=…` it is
 * a tab that serves as a realm on the channel of that name.
 */

import { createHub } from 'clca';
import type { Place } from '../walk/cast.ts';
import { type Powers, serveAsRealm } from '../walk/realm.ts';
import { startWorker } from '../walk/start-worker.ts';
import { walk } from '../walk/walk.ts';

const powers: Powers = {
  connectOwn: () => createHub({ where: 'shared', name: 'walk' }),
  start: startWorker,
  closeSelf() {},
};

/** What is wanted of who drives the page, or how the walk has ended. */
type Want = { tab: string; to: 'open' | 'close' | 'reload' | 'crash' } | { done: true } | { failed: string };

let wants: (want: Want) => void = () => {};
let carriedOut: () => void = () => {};

function want(tab: string, to: 'open' | 'close' | 'reload' | 'crash'): Promise<void> {
  wants({ tab, to });
  return new Promise((resolve) => (carriedOut = resolve));
}

/** Opens the place: where the hub is, and the server that blocks who asks it, until it is told. */
async function open(where: 'here' | 'worker' | 'shared', server: string): Promise<Place> {
  const hub = await createHub({ where, ...(where === 'shared' && { name: 'walk' }) });
  let blocks = 0;
  return {
    hub,
    here: where === 'here',
    powers,
    blocker() {
      const name = `${crypto.randomUUID()}-${++blocks}`;
      return { block: `${server}/block/${name}`, letGo: () => void fetch(`${server}/let-go/${name}`) };
    },
    ...(where === 'shared' && {
      openTab: (channel) => want(channel, 'open'),
      endTab: (channel, way) => want(channel, way),
    }),
  };
}

let place: Place;

const clcaWalk = {
  async open(where: 'here' | 'worker' | 'shared', server: string): Promise<void> { place = await open(where, server); },
  /** Begins a walk; resolves with what is wanted first. */
  begin(seed: number, steps: number): Promise<Want> {
    const next = new Promise<Want>((resolve) => (wants = resolve));
    walk(place, seed, steps).then(() => wants({ done: true }), (error) => wants({ failed: (error as Error).message }));
    return next;
  },
  /** Goes on once what was wanted is done; resolves with what is wanted next. */
  next(): Promise<Want> {
    const next = new Promise<Want>((resolve) => (wants = resolve));
    carriedOut();
    return next;
  },
};

const tab = new URLSearchParams(location.search).get('tab');
if (tab !== null) serveAsRealm(new BroadcastChannel(tab), powers);

Object.assign(globalThis, { clcaWalk });
