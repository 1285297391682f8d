/** Where a runtime has Workers as the web has them, beside Node's threads, they connect, and their death is noticed. */

import { isMainThread } from 'node:worker_threads';
import { connect, createHub } from 'clca';
import { isScope } from '../../src/platform.ts';
import { equal } from '../assert.ts';

const bounds = { timeout: 10_000 };

async function inMainThread(): Promise<void> {
  const hub = await createHub();
  const worker = new Worker(new URL(import.meta.url), { type: 'module' });
  hub.attach(worker);
  await hub.event('held').wait(bounds);
  worker.terminate();
  const guard = await hub.lock('lock').acquire(bounds);
  equal(guard.abandoned, true);
  await hub.close();
}

async function inWorker(): Promise<void> {
  const hub = await connect(bounds);
  await hub.lock('lock').acquire();
  await hub.event('held').set();
  await hub.event('never').wait();
}

// Bun has its Workers be Node's, Deno those of the web.
await (isMainThread && !isScope('DedicatedWorkerGlobalScope') ? inMainThread() : inWorker());
