// The page of the rows across realms: `bench.across(work, options)`, which js/test/bench_across_test.go calls.

import { createHub } from 'clca';
import { type Took, race } from '../interleave.ts';
import { Host, type HostPorts } from './host.ts';
import { libraries } from './libraries.ts';
import { FarRealm, type Realm, equip, serve } from './realm.ts';
import { type Hubs, type Work, latency, lock, sides, throughput, wakeMany, wakeOne, workers } from './works.ts';

interface Options {
  /** Where the hubs are that coordinate: ours, comlink's and the plain one. */
  where: 'here' | 'worker';
  via: string[];
  consumers: number;
  bytes: number;
}

const script = (name: string): URL => new URL(name, import.meta.url);

async function start({ where }: Pick<Options, 'where'>): Promise<Hubs> {
  const hub = await createHub({ where });
  const host = where === 'here' ? new Host() : hostOf(new Worker(script('./host-worker.js'), { type: 'module' }));
  return { hub, kit: kits(host), script: script('./realm-worker.js') };
}

function hostOf(worker: Worker | MessagePort): Pick<Host, 'admit'> {
  return { admit: (ports: HostPorts) => worker.postMessage(ports, [ports.comlink, ports.plain]) };
}

function kits(host: Pick<Host, 'admit'>): () => HostPorts {
  return () => {
    const [comlink, plain] = [new MessageChannel(), new MessageChannel()];
    host.admit({ comlink: comlink.port1, plain: plain.port1 });
    return { comlink: comlink.port2, plain: plain.port2 };
  };
}

/** This tab and another, which `beOtherTab` has made ready. */
async function tabs(): Promise<FarRealm[]> {
  const told = new MessageChannel();
  serve(await tab(), told.port1);
  return [new FarRealm(told.port2), new FarRealm(new BroadcastChannel('clca-bench:tabs'))];
}

async function tab(): Promise<Realm> {
  const hub = await createHub({ where: 'shared' });
  const host = hostOf(new SharedWorker(script('./host-worker.js'), { type: 'module' }).port);
  const ports = kits(host)();
  return equip(hub, { ...ports, lines: [] }, libraries(ports.comlink));
}

async function beOtherTab(): Promise<void> {
  serve(await tab(), new BroadcastChannel('clca-bench:tabs'));
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

/** Once all realms have started. */
async function across(name: string, options: Options): Promise<Took[]> {
  return race(sides(await works[name]!(options), options.via));
}

Object.assign(globalThis, { bench: { across, beOtherTab } });
