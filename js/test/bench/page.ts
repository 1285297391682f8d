// The page of the benchmark: `globalThis.bench` has a function for each row, which js/test/bench_test.go calls.

import { type Hub, createHub } from 'clca';
import { type Times, interleave } from './interleave.ts';
import { Resolvers } from './resolvers.ts';
import { type Signal, broadcast } from './signal.ts';
import { startSmallest, startTextbook } from './programs.ts';

const waits = 10_000;

async function againstResolvers(): Promise<Times> {
  return againstSignal(new Resolvers());
}

async function againstTextbook(): Promise<Times> {
  return againstSignal(await startTextbook());
}

async function againstSignal(theirs: Signal): Promise<Times> {
  const hub = await createHub();
  const ours = hub.signal('broadcast');
  const took = await interleave(() => broadcast(ours, waits), () => broadcast(theirs, waits));
  await hub.close();
  return took;
}

/** Two Workers, as clients of our hub in a Worker and of the plain one in another; `first` runs what is measured. */
async function workers(): Promise<{ first: Worker; second: Worker }> {
  const hub = await createHub({ where: 'worker' });
  const plain = new Worker(new URL('./plain-hub.js', import.meta.url), { type: 'module' });
  return { first: client(hub, plain), second: client(hub, plain) };
}

function client(hub: Hub, plain: Worker): Worker {
  const worker = new Worker(new URL('./worker.js' + location.search, import.meta.url), { type: 'module' });
  const { port1, port2 } = new MessageChannel();
  plain.postMessage(undefined, [port1]);
  worker.postMessage({ plain: port2 }, [port2]);
  hub.attach(worker);
  return worker;
}

function run(worker: Worker, name: string): Promise<Times> {
  return new Promise((resolve, reject) => {
    worker.addEventListener('message', ({ data }) => {
      if (data?.ran !== name) return;
      if (data.error === undefined) resolve(data.times);
      else reject(new Error(data.error));
    });
    worker.postMessage({ run: name });
  });
}

async function workerRoundTrip(): Promise<Times> {
  const { first, second } = await workers();
  await run(second, 'echo');
  return run(first, 'roundTrip');
}

async function workerBroadcast(): Promise<Times> {
  return run((await workers()).first, 'broadcast');
}

async function workerLock(): Promise<Times> {
  return run((await workers()).first, 'lock');
}

async function workerRequest(): Promise<Times> {
  return run((await workers()).first, 'request');
}

async function workerCheckpoint(): Promise<Times> {
  return run((await workers()).first, 'checkpoint');
}

async function workerBlocking(): Promise<Times> {
  return run((await workers()).first, 'blocking');
}

/** Milliseconds; in a page that has run nothing yet. */
async function coldHub(): Promise<number> {
  const start = performance.now();
  await (await createHub()).signal('cold').signal();
  return performance.now() - start;
}

async function coldSmallest(): Promise<number> {
  const start = performance.now();
  await startSmallest();
  return performance.now() - start;
}

Object.assign(globalThis, {
  bench: {
    againstResolvers, againstTextbook, workerRoundTrip, workerBroadcast, workerLock, workerRequest, workerCheckpoint, workerBlocking,
    coldHub, coldSmallest,
  },
});
