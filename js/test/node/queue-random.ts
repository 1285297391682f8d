/**
 * Several realms put, get, move, acquire, abort and leave at random, all in one thread, so that everything can be counted: each item
 * that was put comes out once, no more resources live than there may be, and nothing stays behind in the hub. The seed is in the name
 * of the test; SEED=… runs it again.
 */

import { after, test } from 'node:test';
import { type Hub, type Lease, connect } from 'clca';
import { localHub } from '../../src/create.ts';
import { load } from '../../src/load.ts';
import { Switchboard } from '../../src/switchboard.ts';
import { becomes, equal, ok, turn } from '../assert.ts';

const seeds = process.env['SEED'] === undefined
  ? Array.from({ length: 30 }, () => Math.floor(Math.random() * 2 ** 31))
  : [Number(process.env['SEED'])];

// All realms are in this thread, whose ports keep no process alive.
const alive = setInterval(() => {}, 1e6);
after(() => clearInterval(alive));

/** Random whole numbers below what is asked, the same for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Lab {
  hub: Hub;
  /** How many payloads the hub keeps. */
  kept(): number;
}

async function start(): Promise<Lab> {
  const program = await load(new URL('../../dist/clca.wasm', import.meta.url));
  // The switchboard shows nobody what it keeps: it is the first Map that it makes.
  const maps: Map<unknown, unknown>[] = [];
  const Plain = globalThis.Map;
  globalThis.Map = class<K, V> extends Plain<K, V> {
    constructor(entries?: Iterable<[K, V]> | null) {
      super(entries);
      maps.push(this);
    }
  } as MapConstructor;
  let board: Switchboard;
  try {
    board = new Switchboard(program, { name: undefined, release() {} });
  } finally {
    globalThis.Map = Plain;
  }
  return { hub: localHub(board), kept: () => maps[0]!.size };
}

async function join(hub: Hub): Promise<Hub> {
  const { port1, port2 } = new MessageChannel();
  hub.attach(port1);
  return connect(port2);
}

interface Item {
  number: number;
  buffer?: ArrayBuffer;
}

for (const seed of seeds) {
  test(`queue, seed ${seed}`, async () => {
    const random = randomFrom(seed);
    const { hub, kept } = await start();
    const before = await hub.stats();
    const realms = [hub, await join(hub), await join(hub), await join(hub)];
    const options = {
      capacity: [0, 1, 3, Infinity][random(4)]!,
      order: (['fifo', 'lifo', 'priority'] as const)[random(3)]!,
    };
    const queue = hub.queue<Item>('q', options);
    let numbers = 0;
    const put = new Set<number>();
    const got: number[] = [];
    const maybe = new Set<number>(); // whose put was pending when its realm left
    const lost = new Set<number>(); // that may have been moving to a realm which left
    let unreadable = 0;
    const pending = new Set<Promise<unknown>>();
    const stops: AbortController[] = [];
    const follow = (promise: Promise<unknown>): void => {
      pending.add(promise);
      void promise.finally(() => pending.delete(promise));
    };
    const came = (item: Item): void => {
      got.push(item.number);
      if (item.buffer !== undefined) equal(new Uint32Array(item.buffer)[0], item.number, 'what is in the buffer');
    };
    const failed = (error: unknown): void => {
      const { name } = error as Error;
      if (name === 'DataCloneError') unreadable++;
      else ok(error === 'stop' || name === 'ClosedError', `failed with ${String(error)}`);
    };
    const leaving = random(2) === 0;
    /** Has `call` end on a signal, if on any, that is aborted while the hub's answer is on its way, or later. */
    const stopped = <T>(call: (signal: AbortSignal | undefined) => Promise<T>): Promise<T> => {
      if (random(2) === 0) return call(undefined);
      const stop = new AbortController();
      const promise = call(stop.signal);
      if (random(2) === 0) stops.push(stop);
      else if (random(2) === 0) stop.abort('stop');
      else void turn().then(() => stop.abort('stop'));
      return promise;
    };

    for (let step = 0; step < 300; step++) {
      const at = random(realms.length);
      const realm = realms[at]!;
      const giving = realm.queue<Item>('q', options);
      const taking = realm.queue<Item>('q', random(2) === 0 ? options : undefined);
      switch (random(10)) {
        case 0: case 1: case 2: case 3: {
          const number = ++numbers;
          const item: Item = { number };
          const how: { transfer?: Transferable[]; priority: number } = { priority: random(5) };
          if (random(3) === 0) {
            item.buffer = new Uint32Array([number]).buffer;
            how.transfer = [item.buffer];
            lost.add(number);
          }
          const done = random(4) === 0
            ? giving.tryPut(item, how).then((was) => void (was && put.add(number)))
            : stopped((signal) => giving.put(item, { ...how, signal })).then(() => void put.add(number));
          follow(done.catch((error: unknown) => {
            if ((error as Error).name === 'ClosedError') maybe.add(number);
            failed(error);
          }));
          break;
        }
        case 4: case 5: case 6:
          follow(stopped((signal) => taking.get({ signal })).then(came, failed));
          break;
        case 7:
          follow(taking.tryGet().then((taken) => taken && came(taken.value), failed));
          break;
        case 8:
          stops.splice(random(stops.length + 1), 1)[0]?.abort('stop');
          break;
        case 9:
          if (random(4) === 0) await turn();
          else if (leaving && random(8) === 0 && at > 0) {
            void realm.close();
            realms[at] = await join(hub);
          } else if (random(2) === 0) await realms[random(realms.length)]!.stats();
          break;
      }
      if (random(3) === 0) await undefined;
    }

    // All that waits is ended; then what is left is taken.
    for (const stop of stops) stop.abort('stop');
    for (const realm of realms) await realm.stats();
    await turn();
    const drained = (async () => {
      for (;;) {
        try {
          for await (const item of queue) came(item);
          return;
        } catch (error) {
          failed(error); // one that could not be read; the next one can
        }
      }
    })();
    await becomes(async () => {
      const { putting, length } = await queue.stats();
      return putting + length;
    }, 0);
    for (const realm of realms.slice(1)) await realm.stats();
    await queue.close();
    await drained;
    for (const realm of realms.slice(1)) await realm.close();
    await Promise.all(pending);
    await becomes(() => hub.stats(), { ...before, dropped: 0 });
    equal(kept(), 0, 'payloads that are kept');

    const taken = new Set(got);
    equal(taken.size, got.length, 'items that came once');
    const missing = [...put].filter((number) => !taken.has(number));
    if (!leaving) equal([missing, unreadable], [[], 0], 'items that are lost');
    // Those are unreadable to a get(), and passed over by a loop.
    ok(missing.every((number) => lost.has(number)), `lost: ${missing.join()}`);
    const extra = got.filter((number) => !put.has(number) && !maybe.has(number));
    equal(extra, [], 'items that came though they were not put');
    await hub.close();
  });

  test(`pool, seed ${seed}`, async () => {
    const random = randomFrom(seed ^ 0x5eed);
    const { hub, kept } = await start();
    const before = await hub.stats();
    const realms = [hub, await join(hub), await join(hub), await join(hub)];
    const max = 1 + random(4);
    const live = new Map<Hub, number>();
    let made = 0;
    let unmade = 0;
    const left = new Set<Hub>(); // what those have is unmade while others make theirs
    let tooMany = false;
    const pending = new Set<Promise<unknown>>();
    const out: { lease: Lease<{ of: Hub }>; of: Hub }[] = [];
    const stops: AbortController[] = [];
    const pools = new Map<Hub, ReturnType<typeof poolOf>>();
    function poolOf(of: Hub) {
      return of.pool<{ of: Hub }>('p', {
        max,
        async create() {
          if (random(3) === 0) await turn();
          if (random(8) === 0) throw new RangeError('no');
          made++;
          live.set(of, (live.get(of) ?? 0) + 1);
          let all = 0;
          for (const [realm, n] of live) if (!left.has(realm)) all += n;
          if (all > max) tooMany = true;
          return { of };
        },
        async destroy() {
          if (random(3) === 0) await turn();
          unmade++;
          live.set(of, live.get(of)! - 1);
        },
        validate: () => random(5) > 0,
        ...(random(2) === 0 ? { idleTime: 1 } : {}),
      });
    }
    const failed = (error: unknown): void => {
      const { name } = error as Error;
      ok(error === 'stop' || name === 'ClosedError' || name === 'RangeError', `failed with ${String(error)}`);
    };
    for (const realm of realms) pools.set(realm, poolOf(realm));

    for (let step = 0; step < 200; step++) {
      const at = random(realms.length);
      const realm = realms[at]!;
      const pool = pools.get(realm)!;
      switch (random(8)) {
        case 0: case 1: case 2: {
          const stop = new AbortController();
          const signal = random(2) === 0 ? stop.signal : undefined;
          if (signal !== undefined) stops.push(stop);
          const acquiring = (random(4) === 0 ? pool.tryAcquire() : pool.acquire({ signal, priority: random(3) })).then((lease) => {
            if (lease === undefined) return;
            ok(lease.resource.of === realm, 'of its own realm');
            out.push({ lease, of: realm });
          }, failed);
          pending.add(acquiring);
          void acquiring.finally(() => pending.delete(acquiring));
          break;
        }
        case 3: case 4: {
          const [given] = out.splice(random(out.length + 1), 1);
          if (given !== undefined) void (random(4) === 0 ? given.lease.destroy() : given.lease.release());
          break;
        }
        case 5:
          stops.splice(random(stops.length + 1), 1)[0]?.abort('stop');
          break;
        case 6:
          await turn();
          break;
        case 7:
          if (random(6) === 0 && at > 0) {
            left.add(realm);
            await realm.close();
            realms[at] = await join(hub);
            pools.set(realms[at]!, poolOf(realms[at]!));
          }
          break;
      }
      if (random(3) === 0) await undefined;
    }

    for (const stop of stops) stop.abort('stop');
    while (pending.size > 0) {
      for (const { lease } of out.splice(0)) void lease.release();
      await turn();
    }
    for (const { lease } of out.splice(0)) await lease.release();
    await pools.get(hub)!.close();
    await pools.get(hub)!.join();
    for (const realm of realms.slice(1)) await realm.close();
    await becomes(() => hub.stats(), { ...before, dropped: 0 });
    await becomes(() => made - unmade, 0);
    equal(tooMany, false, 'more than max were live');
    equal(kept(), 0, 'payloads that are kept');
    await hub.close();
  });
}
