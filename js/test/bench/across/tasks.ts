/** Pools of workerpool, for what their tasks can do. */

import { type Pool, pool } from 'workerpool';

const pools = new Map<string, Promise<Pool>>();

/** The pool of a name, whose Workers have all started. */
export function taskPool(name: string, workers: number): Promise<Pool> {
  let started = pools.get(name);
  if (started === undefined) pools.set(name, (started = start(workers)));
  return started;
}

async function start(workers: number): Promise<Pool> {
  const started = pool(new URL('./task-worker.js', import.meta.url).href, {
    workerType: 'web',
    workerOpts: { type: 'module' },
    minWorkers: workers,
    maxWorkers: workers,
  });
  await Promise.all(Array.from({ length: workers }, () => started.exec('turn')));
  return started;
}
