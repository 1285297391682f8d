/**
 * Downloads files with three Workers. Nobody hurries ahead of anybody: who takes the results slowly makes the Workers wait,
 * and they the page that lists the files. Each file arrives once, even if Workers die.
 */

import type { Hub } from 'clca';
import type { Job, Result } from './worker.ts';

const workers = 3;
const patience = 3; // rounds in which nothing arrives

export interface Options {
  /** Starts a Worker and attaches it to the hub. */
  startWorker: (name: string) => Worker;
  signal: AbortSignal;
}

/** The results as they come. No Worker is left when that ends, in whatever way. */
export async function* download(hub: Hub, jobs: Job[], { startWorker, signal }: Options): AsyncGenerator<Result, void> {
  const missing = new Map(jobs.map((job) => [job.id, job]));
  for (let fruitless = 0; missing.size > 0; fruitless++) {
    if (fruitless === patience) throw new Error('The Workers die before anything has arrived');
    const leave = new AbortController();
    const results = hub.queue<Result>('results', { capacity: 2 });
    const round = downloadOnce(hub, [...missing.values()], startWorker, AbortSignal.any([signal, leave.signal]))
      .finally(() => results.close()); // The loop ends when the last of them is taken.
    round.catch(() => {}); // It is awaited below, and may have failed before that.
    try {
      for await (const result of results) {
        missing.delete(result.id);
        fruitless = -1;
        yield result;
      }
      await round;
    } finally {
      leave.abort(); // If the caller has left the loop.
      await Promise.allSettled([round, results.close({ now: true })]);
    }
    // A job that a Worker had taken is gone with it: the hub cannot know whether it may be done again. These may.
  }
}

/** Resolves when each job was done, or died with its Worker. */
async function downloadOnce(hub: Hub, jobs: Job[], startWorker: Options['startWorker'], signal: AbortSignal): Promise<void> {
  const queue = hub.queue<Job>('jobs', { capacity: 4 });
  const begin = hub.barrier('begin', workers + 1);
  const started = Array.from({ length: workers }, (_, index) => startWorker(`Worker ${index + 1}`));
  try {
    await begin.wait({ signal, timeout: 10_000 }); // All of them share the lock now.
    // Not `jobs.join()`, which waits for ever for a job that died. This lock is had alone when all have left it, or died.
    const ended = hub.rwlock('at work').with(() => {}, { signal });
    await Promise.race([put(), ended]); // If all have died, nobody makes room any more.
    await ended;
  } finally {
    for (const worker of started) worker.terminate();
    await Promise.all([queue.close({ now: true }), begin.close()]);
  }

  async function put(): Promise<void> {
    for (const job of jobs) await queue.put(job, { signal }); // Waits while the queue is full.
    await queue.close(); // The loops over it end when it is empty.
  }
}
