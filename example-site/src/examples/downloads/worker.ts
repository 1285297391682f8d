/** Takes a job, downloads, hands over the result, and so on, until there are no more. */

import { connect } from 'clca/client';
import { fetch } from './server.ts'; // Stands in for a server; without this line, it is the browser's own.

export interface Job { id: number; url: string }

export interface Result { id: number; by: string; bytes?: Uint8Array<ArrayBuffer>; error?: unknown }

const hub = await connect();
const results = hub.queue<Result>('results', { capacity: 2 });

// Whoever gets this lock alone knows that no Worker is at work: each shares it until it leaves, or dies.
await hub.rwlock('at work').with(async () => {
  await hub.barrier('begin', 4).wait();
  for await (const { id, url } of hub.queue<Job>('jobs', { capacity: 4 })) await deliver(id, url);
}, { mode: 'shared' });

async function deliver(id: number, url: string): Promise<void> {
  const by = self.name;
  try {
    const response = await fetch(url);
    const bytes = new Uint8Array(await response.arrayBuffer());
    await results.put({ id, by, bytes }, { transfer: [bytes.buffer] }); // Moved and not copied; waits while it is full.
  } catch (error) {
    await results.put({ id, by, error });
  }
}
