// How cost grows: `globalThis.growth` is driven by js/test/bench_growth_test.go, in a fresh page for each size.

import { type Hub, createHub } from 'clca';
import { type Crowd, crowds, time } from './crowd.ts';

interface Go {
  mem: DataView;
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

declare const Go: new () => Go;

let go: Go;
let crowd: Crowd;

function start(): Promise<Hub> {
  return createHub({ wasm: new URL('../../clca/clca.wasm', import.meta.url), Go: class extends Go { constructor() { super(); go = this; } } });
}

/** Bytes of the program's memory. */
function linear(): number {
  return go.mem.buffer.byteLength;
}

/** In the hub's realm. */
async function here(kind: string, units: number) {
  const hub = await start();
  crowd = crowds[kind]!(hub, units);
  return {
    park: async () => (crowd.park(), void await hub.stats()),
    wake: async () => void await crowd.wake(),
    time: (rounds: number) => time(crowd, units, rounds),
  };
}

/** In a Worker, whose hub is in this page. */
async function inWorker(kind: string, units: number) {
  const hub = await start();
  const worker = new Worker(new URL('./crowd-worker.js', import.meta.url), { type: 'module', name: 'crowd' });
  hub.attach(worker);
  const ask = asking(worker);
  await ask({ do: 'crowd', kind, units });
  return { park: () => ask({ do: 'park' }), wake: () => ask({ do: 'wake' }), time: (rounds: number) => ask({ do: 'time', rounds }) };
}

/** So many sessions in so many Workers, each with a call that waits for the same signal. */
async function sessions(units: number, realms: number) {
  const hub = await start();
  const workers = Array.from({ length: realms }, (_, i) =>
    new Worker(new URL('./crowd-worker.js', import.meta.url), { type: 'module', name: `crowd ${i}` }));
  const asks = workers.map(asking);
  await Promise.all(asks.map((ask) => ask({ do: 'nothing' }))); // they have loaded
  const connect = (ask: ReturnType<typeof asking>, n: number): Promise<void> => {
    const ports = Array.from({ length: n }, () => {
      const { port1, port2 } = new MessageChannel();
      hub.attach(port1);
      return port2;
    });
    return ask({ do: 'connect', ports }, ports);
  };
  await Promise.all(asks.map((ask) => ask({ do: 'wait' })));
  let connected = false;
  const crowd = {
    opened: 0,
    async park() {
      if (!connected) {
        connected = true;
        const began = performance.now();
        await Promise.all(asks.map((ask, i) => connect(ask, Math.floor((units + i) / realms))));
        crowd.opened = (performance.now() - began) / units;
      }
      await Promise.all(asks.map((ask) => ask({ do: 'wait' })));
    },
    async wake() {
      const woken = asks.map((ask) => ask({ do: 'woken' }));
      void hub.signal('crowd').signal();
      await Promise.all(woken);
    },
    async time(rounds: number) {
      const took: number[] = [];
      for (let round = -2; round < rounds; round++) {
        let ms = 0;
        for (let i = 0; i < wakes; i++) {
          await crowd.park();
          const start = performance.now();
          await crowd.wake();
          ms += performance.now() - start;
        }
        if (round >= 0) took.push(ms / wakes / units);
      }
      return took;
    },
  };
  return crowd;
}

/** In a round of sessions, for the clock of a page is coarse. */
const wakes = 20;

function asking(worker: Worker) {
  let last = 0;
  const pending = new Map<number, (answer: any) => void>();
  worker.addEventListener('message', ({ data }) => {
    pending.get(data?.id)?.(data.answer);
    pending.delete(data?.id);
  });
  return (question: object, transfer: Transferable[] = []) => new Promise<any>((resolve) => {
    pending.set(++last, resolve);
    worker.postMessage({ ...question, id: last }, transfer);
  });
}

/** A Go program that parks goroutines. */
async function goroutines() {
  const started = new Promise<any>((resolve) => Object.assign(globalThis, { started: resolve }));
  go = new Go();
  const module = fetch(new URL('goroutines.wasm', import.meta.url));
  void go.run((await WebAssembly.instantiateStreaming(module, go.importObject)).instance);
  return started;
}

Object.assign(globalThis, { growth: { here, inWorker, sessions, goroutines, linear } });
