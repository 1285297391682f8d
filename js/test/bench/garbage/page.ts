// How long Go's collector keeps the page waiting under a steady load. js/test/bench_garbage_test.go runs it.

import { createHub } from 'clca';
import { startLoad } from './load.ts';
import { type Account, type Figures, type Go, Stays } from './stays.ts';

declare const Go: new () => Go;

export interface Options {
  seconds: number;
  callsPerSecond: number;
  /** So many calls wait all the time, and on so many names of their own. */
  parked: number;
  names: number;
  /** By how many percent the heap may grow before it is collected; or `off`. */
  gogc: string;
}

export interface Report extends Account {
  calls: number;
  seconds: number;
  linear: number;
  /** At the end, and at the beginning. */
  after: Figures;
  before: Figures;
  /** Milliseconds in Go in one task, the longest. */
  task: number;
}

async function run({ seconds, callsPerSecond, parked, names, gogc }: Options): Promise<Report> {
  const go = new Go();
  go.env = { GOGC: gogc };
  const { instance } = await WebAssembly.instantiateStreaming(fetch(new URL('../garbage.wasm', import.meta.url)), go.importObject);
  void go.run(instance);
  const stays = new Stays(go, instance);
  const hub = await createHub({ go, instance: stays.instance });
  const waiting: Promise<void>[] = [];
  for (let i = 0; i < parked; i++) waiting.push(hub.signal('parked').wait());
  for (let i = 0; i < names; i++) waiting.push(hub.signal(`parked ${i}`).wait());
  await hub.stats();

  let task = 0;
  let inside = 0;
  const each = (): void => {
    stays.collected();
    task = Math.max(task, stays.account.inside - inside);
    inside = stays.account.inside;
  };
  const warm = startLoad(hub, callsPerSecond, each); // until the browser has compiled the module well
  await new Promise((resolve) => setTimeout(resolve, Math.min(5, seconds) * 1000));
  await warm.stop();
  stays.reset();
  task = inside = 0;
  const before = stays.figures();
  const load = startLoad(hub, callsPerSecond, each);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const calls = await load.stop();
  each();
  const report = { ...structuredClone(stays.account), calls, seconds, linear: stays.linear, before, after: stays.figures(), task };
  await hub.close();
  await Promise.allSettled(waiting);
  return report;
}

Object.assign(globalThis, { garbage: { run } });
