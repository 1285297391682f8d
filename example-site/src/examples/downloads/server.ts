/** Stands in for a server. What it is at can be heard on a channel, for the page to show. */

import { random } from '../random.ts';

export interface News { url: string; by: string; done: number }

const channel = new BroadcastChannel('clca downloads example');
const parts = 12;

export async function fetch(url: string): Promise<Response> {
  const number = random(Number(/\d+/.exec(url)));
  const part = (300 + 900 * number()) / parts; // milliseconds
  for (let done = 0; done < parts; done++) {
    channel.postMessage({ url, by: self.name, done: done / parts } satisfies News);
    await new Promise((resolve) => setTimeout(resolve, part));
  }
  channel.postMessage({ url, by: self.name, done: 1 } satisfies News);
  return new Response(Uint8Array.from({ length: 65_536 }, () => 256 * number()));
}
