/**
 * Downloads files with three Workers. Who is slow makes those before it wait: a caller
 * that is slow to take results makes the Workers wait, and they the list of files. Each
 * file arrives once, even if Workers die.
 */

import type { Hub } from 'clca';
import type { Job, Result } from './worker.ts';

const workers = 3;
const rounds = 5; // After so many in which Workers have died, there must be a reason.

/** The results as they come. When it ends, in whatever way, so have the Workers. */
export async function* download(
  hub: Hub, jobs: Job[], startWorker: (name: string) => Worker, cancel: AbortSignal,
): AsyncGenerator<Result, void> {
  const missing = new Map(jobs.map((job) => [job.id, job]));
  for (let i = 0; missing.size > 0; i++) {
    if (i === rounds) throw new Error('The Workers have died time and again');
    const left = new AbortController();
    const results = hub.queue<Result>('results', { capacity: 2 });
    const round = downloadOnce(
      hub, [...missing.values()], startWorker, AbortSignal.any([cancel, left.signal]),
    ).finally(() => results.close()); // The loop below ends when it is empty.
    round.catch(() => {}); // It is awaited below, and may fail before.
    try {
      for await (const result of results) {
        missing.delete(result.id);
        yield result;
      }
      await round;
    } finally {
      left.abort(); // The caller may have left its loop.
      await Promise.allSettled([round, results.close({ now: true })]);
    }
    // A job that a Worker had taken is gone with it: the hub cannot know whether it may
    // be done twice. A download may.
  }
}

/** Resolves once each job is done, or has died with its Worker. */
async function downloadOnce(
  hub: Hub, jobs: Job[], startWorker: (name: string) => Worker, signal: AbortSignal,
): Promise<void> {
  const queue = hub.queue<Job>('jobs', { capacity: 4 });
  const ready = hub.latch('ready', workers);
  const started = Array.from({ length: workers }, (_, index) => {
    const worker = startWorker(`Worker ${index + 1}`);
    return { worker, session: hub.attach(worker) };
  });
  const put = async () => {
    for (const job of jobs) await queue.put(job, { signal }); // Waits while it is full.
    await queue.close(); // The loops over it end when it is empty.
  };
  try {
    await ready.wait({ signal, timeout: 10_000 });
    // The Workers share this lock. It can be had alone once each has left it or died,
    // while `queue.join()` would wait for ever for a job that died.
    const ended = hub.rwlock('at work').with(() => {}, { signal });
    await Promise.race([put(), ended]); // If all die, nobody makes room in the queue.
    await ended;
  } finally {
    for (const { worker, session } of started) {
      worker.terminate();
      session.end(); // The hub would hear of that only later.
    }
    await Promise.all([queue.close({ now: true }), ready.close()]);
  }
}
