// The page of the rows across realms: `bench.across(work, options)`, which js/test/bench_across_test.go calls.

import { type Hub, createHub } from 'clca';
import { type Measure, type Took, race, within } from '../interleave.ts';
import { Host, type HostPorts } from './host.ts';
import { FarRealm, type Kit, equip, serve } from './realm.ts';

interface Options {
  /** Where the hubs are that coordinate: ours, comlink's and the plain one. */
  where: 'here' | 'worker';
  via: string[];
  consumers: number;
  bytes: number;
}

const script = (name: string): URL => new URL(name, import.meta.url);

/** The hubs, and what lets a realm in to all of them. */
interface Hubs {
  hub: Hub;
  kit(lines: MessagePort[]): { kit: Kit; ports: MessagePort[] };
}

const memory = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(1024)) : undefined;

async function start({ where }: Pick<Options, 'where'>): Promise<Hubs> {
  const hub = await createHub({ where });
  if (where === 'here') return { hub, kit: kits(new Host()) };
  return { hub, kit: kits(hostOf(new Worker(script('./host-worker.js'), { type: 'module' }))) };
}

function hostOf(worker: Worker | MessagePort): Pick<Host, 'admit'> {
  return { admit: (ports: HostPorts) => worker.postMessage(ports, [ports.comlink, ports.plain]) };
}

function kits(host: Pick<Host, 'admit'>): Hubs['kit'] {
  return (lines) => {
    const [comlink, plain] = [new MessageChannel(), new MessageChannel()];
    host.admit({ comlink: comlink.port1, plain: plain.port1 });
    const ports = [comlink.port2, plain.port2, ...lines];
    return { kit: { comlink: comlink.port2, plain: plain.port2, lines, memory }, ports };
  };
}

/** So many Workers, which have all started. */
async function workers({ hub, kit }: Hubs, count: number): Promise<FarRealm[]> {
  const lines = Array.from({ length: count - 1 }, () => new MessageChannel());
  const realms = [worker(lines.map(({ port1 }) => port1)), ...lines.map(({ port2 }) => worker([port2]))];
  await Promise.all(realms.map((realm) => realm.run('own', 'clca', 'started')));
  return realms;

  function worker(lines: MessagePort[]): FarRealm {
    const started = new Worker(script('./realm-worker.js'), { type: 'module' });
    const told = new MessageChannel();
    const { kit: equipment, ports } = kit(lines);
    started.postMessage({ kit: equipment, told: told.port1 }, [told.port1, ...ports]);
    hub.attach(started);
    return new FarRealm(told.port2);
  }
}

/** This tab and another, which `beOtherTab` has made ready. */
async function tabs(): Promise<FarRealm[]> {
  const told = new MessageChannel();
  serve(await tab(), told.port1);
  return [new FarRealm(told.port2), new FarRealm(new BroadcastChannel('clca-bench:tabs'))];
}

async function tab(): Promise<ReturnType<typeof equip>> {
  const hub = await createHub({ where: 'shared' });
  const host = hostOf(new SharedWorker(script('./host-worker.js'), { type: 'module' }).port);
  return equip(hub, kits(host)([]).kit);
}

async function beOtherTab(): Promise<void> {
  serve(await tab(), new BroadcastChannel('clca-bench:tabs'));
}

/** Makes ready what the realms do by one means; throws if that is not the work that is meant. */
type Work = (via: string) => Promise<Measure>;

function check(right: boolean, what: string): void {
  if (!right) throw new Error(what);
}

/** Two wakes are a piece. */
function wakeOne([first, second]: FarRealm[]): Work {
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
function wakeMany([first, ...others]: FarRealm[]): Work {
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

/** A piece is one acquire and release, of all that the realms do at the same time. */
function lock(realms: FarRealm[]): Work {
  const times = 25;
  const entries = 20;
  return async (via) => {
    const counts: number[] = await Promise.all(realms.map((realm) => realm.run('enter', via, entries)));
    check(Math.max(...counts) === entries * realms.length, 'two were in the lock at a time');
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
function throughput([first, ...consumers]: FarRealm[], bytes: number): Work {
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
function latency([first, second]: FarRealm[], bytes: number): Work {
  const pieces = bytes > 1000 ? 32 : 100;
  return async (via) => ({
    async measure() {
      if (via !== 'workerpool') await second!.run('acknowledge', via, pieces);
      return { ms: await first!.run('bounce', via, pieces, bytes), pieces };
    },
  });
}

const works: Record<string, (options: Options) => Promise<Work>> = {
  wakeOne: async (options) => wakeOne(await workers(await start(options), 2)),
  wakeMany: async (options) => wakeMany(await workers(await start(options), 9)),
  lock: async (options) => lock(await workers(await start(options), 8)),
  throughput: async (options) => throughput(await workers(await start(options), 1 + options.consumers), options.bytes),
  latency: async (options) => latency(await workers(await start(options), 2), options.bytes),
  tabsWake: async () => wakeOne(await tabs()),
  tabsLock: async () => lock(await tabs()),
};

/** Once all realms have started. Each side has done its work before any is timed. */
async function across(name: string, options: Options): Promise<Took[]> {
  const work = await works[name]!(options);
  return race(Object.fromEntries(options.via.map((via) => [via, async () => {
    const ready = await within(20_000, work(via));
    const measure: Measure['measure'] = () => within(20_000, ready.measure());
    await measure();
    return { measure };
  }])));
}

Object.assign(globalThis, { bench: { across, beOtherTab } });
