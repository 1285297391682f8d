/** Stands in for a server. What it is at can be heard on a channel, for the page to show. */

import type { Part } from './form.ts';

export interface News { part: Part; state: 'loading' | 'loaded' | 'aborted' | 'failed'; done: number }

/** How the next loads go. */
export const moods: Partial<Record<Part, 'fails' | 'slow'>> = {};

const channel = new BroadcastChannel('clca form example');
const takes: Record<Part, number> = { countries: 900, rates: 2700, address: 1800 }; // milliseconds
const parts = 30;

const answers: Record<Part, unknown> = {
  countries: { FR: 'France', KE: 'Kenya', PE: 'Peru' },
  rates: { FR: 12, KE: 19, PE: 21 },
  address: { name: 'Ada Example', street: '1 Sample Street' },
};

export async function fetch(url: string, { signal }: { signal: AbortSignal }): Promise<Response> {
  const part = url.slice(1, -'.json'.length) as Part;
  const mood = moods[part];
  const tell = (state: News['state'], done: number): void => channel.postMessage({ part, state, done } satisfies News);
  tell('loading', 0);
  for (let done = 1; done <= parts; done++) {
    await new Promise((resolve) => setTimeout(resolve, (takes[part] * (mood === 'slow' ? 10 : 1)) / parts));
    if (signal.aborted) {
      tell('aborted', done / parts);
      throw signal.reason;
    }
    if (mood === 'fails' && done > parts / 2) {
      tell('failed', done / parts);
      return new Response('', { status: 503 });
    }
    tell('loading', done / parts);
  }
  tell('loaded', 1);
  return Response.json(answers[part]);
}
