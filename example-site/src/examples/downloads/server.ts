/** Stands in for a server, and tells the page what it is at. */

import { random } from '../random.ts';

export interface News { url: string; by: string; done: number }

const chunks = 12;
const pace = Number(new URLSearchParams(location.search).get('pace') ?? 1);

export async function fetch(url: string): Promise<Response> {
  const number = random(Number(/\d+/.exec(url)));
  const toWait = (pace * (200 + 600 * number())) / chunks; // milliseconds
  for (let chunk = 0; chunk < chunks; chunk++) {
    postMessage({ url, by: self.name, done: chunk / chunks } satisfies News);
    await new Promise((resolve) => setTimeout(resolve, toWait));
  }
  postMessage({ url, by: self.name, done: 1 } satisfies News);
  return new Response(Uint8Array.from({ length: 65_536 }, () => 256 * number()));
}
