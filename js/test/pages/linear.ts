/** A page that is driven from outside, as `linear`: it has Workers play runs, and returns what they have recorded. */

import { type Hub, createHub } from 'clca';
import type { Counters, Order, Run, Step } from './linear-worker.ts';

const workers: Worker[] = [];
const numbers = 2 ** 31 - 1;
const counter = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));
let hub: Hub;

async function open(where: 'here' | 'worker' | 'shared', count: number): Promise<void> {
  hub = await createHub({ where });
  for (let i = 0; i < count; i++) {
    workers.push(new Worker(new URL('linear-worker.js', import.meta.url), { type: 'module' }));
    hub.attach(workers[i]!);
  }
}

/** The steps of each Worker, and at last those of this page. */
async function play(run: Run): Promise<Step[][]> {
  const counters = { clock: counter(), arrived: counter(), runs: counter() };
  const played = await Promise.all(workers.map((worker, i) => new Promise<Step[]>((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.onmessage = ({ data }) => {
      if ('steps' in data) resolve(data.steps as Step[]);
      else if ('failed' in data) reject(new Error(data.failed as string));
    };
    worker.postMessage({ order: { ...run, counters, worker: i, workers: workers.length, numbers } satisfies Order });
  })));
  await hub.latch(`numbers ${run.run}`, numbers).close();
  return [...played, [await left(run, counters)]];
}

/** What is there in the end. */
async function left({ kind, run, size }: Run, { clock }: Counters): Promise<Step> {
  const name = `${kind} ${run}`;
  const call = Atomics.add(clock, 0, 1);
  let op = 'look';
  let args: number[];
  if (kind === 'queue') {
    op = 'empty';
    args = await hub.queue<number>(name, { capacity: size }).close({ now: true });
  } else if (kind === 'task') {
    const task = hub.sharedTask(name, () => {});
    const { state, waiting } = await task.stats();
    args = [['idle', 'running', 'stopping', 'done'].indexOf(state), waiting];
    await task.close();
  } else {
    const { held, waiting } = await (kind === 'lock' ? hub.lock(name) : hub.semaphore(name, size)).stats();
    args = [held, waiting];
  }
  return { op, id: 0, args, call, return: Atomics.add(clock, 0, 1), number: -1 };
}

Object.assign(globalThis, { linear: { open, play } });
