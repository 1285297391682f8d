/**
 * Random walks in Node, whose worker threads come and go fast. A failure names its seed: SEED=… walks that way again,
 * STEPS=… makes the walks longer, and SOAK=… walks for so many minutes.
 */

import { after, test } from 'node:test';
import { Worker, isMainThread, workerData } from 'node:worker_threads';
import { type Hub, connect } from 'clca';
import { localHub } from '../../src/create.ts';
import { load } from '../../src/load.ts';
import { Switchboard } from '../../src/switchboard.ts';
import { keptPayloads } from '../kept.ts';
import type { Place } from '../walk/cast.ts';
import { type Powers, serveAsRealm } from '../walk/realm.ts';
import { walk } from '../walk/walk.ts';

const powers: Powers = {
  connectOwn: () => connect({ timeout: 20_000 }),
  start(control) {
    const worker = new Worker(new URL(import.meta.url), { workerData: { walk: control }, transferList: [control as any] });
    return { worker, terminate: () => worker.terminate() };
  },
  closeSelf: () => process.exit(),
};

async function place(): Promise<Place> {
  const program = await load(new URL('../../dist/clca.wasm', import.meta.url));
  // The switchboard shows nobody what it keeps: so all that it makes for that is noted.
  const { made, value: board } = noting(() => new Switchboard(program, { name: undefined, release() {} }));
  const hub: Hub = localHub(board);
  return {
    hub,
    here: true,
    powers,
    blocker() {
      const block = new SharedArrayBuffer(4);
      return {
        block,
        letGo() {
          Atomics.store(new Int32Array(block), 0, 1);
          Atomics.notify(new Int32Array(block), 0);
        },
      };
    },
    kept: () => made.reduce((sum, each) => sum + each.size, keptPayloads()),
  };
}

/** What `make` returns, and the Maps and Sets that were made meanwhile. */
function noting<T>(make: () => T): { made: { size: number }[]; value: T } {
  const made: { size: number }[] = [];
  const { Map: PlainMap, Set: PlainSet } = globalThis;
  globalThis.Map = class<K, V> extends PlainMap<K, V> {
    constructor(entries?: Iterable<[K, V]> | null) {
      super(entries);
      made.push(this);
    }
  } as MapConstructor;
  globalThis.Set = class<T> extends PlainSet<T> {
    constructor(values?: Iterable<T> | null) {
      super(values);
      made.push(this);
    }
  } as SetConstructor;
  try {
    return { made, value: make() };
  } finally {
    Object.assign(globalThis, { Map: PlainMap, Set: PlainSet });
  }
}

function number(name: string): number | undefined {
  const value = process.env[name];
  return value === undefined || value === '' ? undefined : Number(value);
}

if (!isMainThread) {
  serveAsRealm((workerData as { walk: MessagePort }).walk, powers);
} else {
  const alive = setInterval(() => {}, 1e6); // ports keep no process alive
  after(() => clearInterval(alive));
  const seed = number('SEED');
  const steps = number('STEPS') ?? 100;
  const milliseconds = (number('SOAK') ?? 0.2) * 60_000;

  test('random walks', { timeout: milliseconds + 120_000 }, async (t) => {
    const until = performance.now() + milliseconds;
    const at = await place();
    let walks = 0;
    try {
      do {
        await walk(at, seed ?? Math.floor(Math.random() * 2 ** 31), steps);
        walks++;
      } while (seed === undefined && performance.now() < until);
    } finally {
      await at.hub.close();
      t.diagnostic(`${walks} walks`);
    }
  });
}
