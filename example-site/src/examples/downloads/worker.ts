/** Takes a job, downloads it, hands over the result, until there are no more. */

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
const jobs = hub.queue<Job>('jobs'); // How many it holds is for the page to say.
const results = hub.queue<Result>('results');

// Who gets this lock alone knows that no Worker is at work.
await hub.rwlock('at work').with(async () => {
  await hub.latch('ready', 3).countDown();
  for await (const job of jobs) {
    const result = await download(job);
    const transfer = result.bytes ? [result.bytes.buffer] : []; // Moved, not copied.
    await results.put(result, { transfer }); // Waits while the page is behind.
  }
}, { mode: 'shared' });

async function download({ id, url }: Job): Promise<Result> {
  const by = self.name;
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`The server says ${response.status}`);
    return { id, by, bytes: new Uint8Array(await response.arrayBuffer()) };
  } catch (error) {
    return { id, by, error };
  }
}
