/** What realms do with each other, as the one sees it who tells them. */

import type { Hub } from 'clca';
import { type Measure, type Sides, within } from '../interleave.ts';
import { FarRealm, type HubPorts } from './realm.ts';

/** The hubs, and how a Worker gets in to all of them. */
export interface Hubs {
  hub: Hub;
  /** Of the hubs that are not ours. */
  kit(): HubPorts;
  /** What the Worker runs. It is sent its kit, and a port on which it is told what to do. */
  script: URL;
}

const memory = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(1024)) : undefined;

/** So many Workers, which have all started. */
export async function workers({ hub, kit, script }: Hubs, count: number): Promise<FarRealm[]> {
  const lines = Array.from({ length: count - 1 }, () => new MessageChannel());
  const realms = [worker(lines.map(({ port1 }) => port1)), ...lines.map(({ port2 }) => worker([port2]))];
  await Promise.all(realms.map((realm) => realm.run('own', 'clca', 'started')));
  return realms;

  function worker(lines: MessagePort[]): FarRealm {
    const started = new Worker(script, { type: 'module' });
    const told = new MessageChannel();
    const ports = kit();
    const transfer = [told.port1, ...Object.values(ports), ...lines];
    started.postMessage({ kit: { ...ports, lines, memory }, told: told.port1 }, transfer);
    hub.attach(started);
    return new FarRealm(told.port2);
  }
}

/** Makes ready what the realms do by one means; throws if that is not the work that is meant. */
export type Work = (via: string) => Promise<Measure>;

function check(right: boolean, what: string): void {
  if (!right) throw new Error(what);
}

/** Two wakes are a piece. */
export function wakeOne([first, second]: FarRealm[]): Work {
  const pieces = 100;
  return async (via) => {
    const tasks = via === 'workerpool';
    if (!tasks) {
      await Promise.all([first!, second!].map((realm) => realm.run('ready', via, ['ping', 'pong'])));
      await first!.run('own', via, 'ping');
      await second!.run('own', via, 'pong');
    }
    return {
      async measure() {
        if (!tasks) await second!.run('answer', via, pieces);
        return { ms: await first!.run('roundTrips', via, pieces), pieces };
      },
    };
  };
}

/** Two messages of each realm besides, to tell it to wait and to hear that all its waits have ended. */
export function wakeMany([first, ...others]: FarRealm[]): Work {
  const waits = 1000;
  return async (via) => {
    await Promise.all([first!, ...others].map((realm) => realm.run('ready', via, ['all'])));
    await first!.run('own', via, 'all');
    return {
      async measure() {
        await Promise.all(others.map((realm) => realm.run('park', via, waits / others.length)));
        const { ms, woken } = await first!.run('wake', via);
        check(woken === waits, `${woken} were woken`);
        return { ms, pieces: 1 };
      },
    };
  };
}

/**
 * A piece is one acquire and release, of all that the realms do at the same time. That nobody else is in the lock is
 * found by counting, for which a realm needs libraries.
 */
export function lock(realms: FarRealm[], counts = true): Work {
  const times = 25;
  const entries = 20;
  return async (via) => {
    if (counts) {
      const counted: number[] = await Promise.all(realms.map((realm) => realm.run('enter', via, entries)));
      check(Math.max(...counted) === entries * realms.length, 'two were in the lock at a time');
    }
    return {
      async measure() {
        const start = performance.now();
        await Promise.all(realms.map((realm) => realm.run('contend', via, times)));
        return { ms: performance.now() - start, pieces: times * realms.length };
      },
    };
  };
}

/** A piece is an item. */
export function throughput([first, ...consumers]: FarRealm[], bytes: number): Work {
  const pieces = bytes > 1000 ? 64 : 1000;
  return async (via) => ({
    async measure() {
      if (via !== 'workerpool') await Promise.all(consumers.map((realm) => realm.run('consume', via)));
      const { ms, numbers } = await first!.run('produce', via, pieces, bytes, consumers.length);
      check(numbers.length === pieces && new Set(numbers).size === pieces, 'not each item arrived once');
      return { ms, pieces };
    },
  });
}

/** A piece is an item and the answer to it. */
export function latency([first, second]: FarRealm[], bytes: number): Work {
  const pieces = bytes > 1000 ? 32 : 100;
  return async (via) => ({
    async measure() {
      if (via !== 'workerpool') await second!.run('acknowledge', via, pieces);
      return { ms: await first!.run('bounce', via, pieces, bytes), pieces };
    },
  });
}

/** Each has done its work before any is timed. */
export function sides(work: Work, via: string[]): Sides {
  return Object.fromEntries(via.map((each) => [each, async () => {
    const ready = await within(20_000, work(each));
    const measure: Measure['measure'] = () => within(20_000, ready.measure());
    await measure();
    return { measure };
  }]));
}
