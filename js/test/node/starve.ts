/** What the pace of a realm is for that passes a checkpoint as fast as it can: without it, an arm would never get in. */

import { after, test } from 'node:test';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { createHub } from 'clca';
import { connect } from '../../src/connect.ts';
import { Pace } from '../../src/pace.ts';
import { equal } from '../assert.ts';

const name = 'hot';
const enough = 300; // milliseconds, as any number shows it: what does not turn does not turn

interface Order {
  paced: boolean;
  /** Whether it is armed, as the other thread can tell it. */
  armed: Int32Array;
}

/** Passes until it has been armed for a while, and tells whether it has turned since; then stands. */
async function pass({ paced, armed }: Order): Promise<void> {
  const checkpoint = (await connect({ timeout: 30_000 })).checkpoint(name);
  if (!paced) {
    const passed = Promise.resolve();
    Pace.prototype.pass = () => passed;
  }
  for (let i = 0; i < 5; i++) await checkpoint.wait(); // from here on it asks nobody
  parentPort!.postMessage('passes');
  while (Atomics.load(armed, 0) === 0) await checkpoint.wait();
  for (const until = performance.now() + enough; performance.now() < until;) await checkpoint.wait();
  parentPort!.postMessage('was not stopped');
  await new Promise((resolve) => setTimeout(resolve));
  await checkpoint.wait();
}

/** What the thread says once it has begun and is armed: that it was not stopped, or nothing before somebody stands. */
async function stopped(paced: boolean): Promise<boolean> {
  const hub = await createHub();
  const armed = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), { workerData: { paced, armed } satisfies Order });
  const said: unknown[] = [];
  const passes = new Promise<void>((resolve) => {
    worker.on('message', (message) => {
      if (typeof message === 'string') said.push(message);
      if (message === 'passes') resolve();
    });
  });
  hub.attach(worker);
  await passes;
  const arm = hub.checkpoint(name).arm();
  await hub.stats();
  Atomics.store(armed, 0, 1);
  await arm;
  const was = !said.includes('was not stopped');
  await worker.terminate();
  await hub.close();
  return was;
}

if (isMainThread) {
  const alive = setInterval(() => {}, 1e6);
  after(() => clearInterval(alive));
  test('an arm gets in while a realm passes as fast as it can', { timeout: 60_000 }, async () => equal(await stopped(true), true));
  test('it would not, if the realm let nothing come between', { timeout: 60_000 }, async () => equal(await stopped(false), false));
} else {
  await pass(workerData as Order);
}
