/** Takes a job, downloads it, hands over the result, and so on until there are no more. */

import { connect } from 'clca/client';
import { fetch } from './server.ts'; // Pretends. Without this line, it is the real one.

export interface Job { id: number; url: string }

export interface Result {
  id: number;
  by: string;
  bytes?: Uint8Array<ArrayBuffer>;
  error?: unknown;
}

const hub = await connect();
const jobs = hub.queue<Job>('jobs', { capacity: 4 });
const results = hub.queue<Result>('results', { capacity: 2 });

// Who gets this lock alone knows that no Worker is at work.
await hub.rwlock('at work').with(async () => {
  await hub.latch('ready', 3).countDown();
  for await (const { id, url } of jobs) await deliver(id, url);
}, { mode: 'shared' });

async function deliver(id: number, url: string): Promise<void> {
  const by = self.name;
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`The server says ${response.status}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    // Moved, not copied. Waits while the page is behind.
    await results.put({ id, by, bytes }, { transfer: [bytes.buffer] });
  } catch (error) {
    await results.put({ id, by, error });
  }
}
