/** Stands in for a server, and tells the page what it is at: the page itself, or the one that has started the Worker. */

import type { Part } from './form.ts';

export interface News { part: Part; state: 'loading' | 'loaded' | 'aborted' | 'failed'; done: number }

/** How the next loads go, unless they go well. */
export const moods: Partial<Record<Part, 'fails' | 'slow'>> = {};

const takes: Record<Part, number> = { countries: 700, rates: 2100, address: 1400 }; // milliseconds
const chunks = 30;

const answers: Record<Part, unknown> = {
  countries: { FR: 'France', KE: 'Kenya', PE: 'Peru' },
  rates: { FR: 12, KE: 19, PE: 21 },
  address: { name: 'Ada Example', street: '1 Sample Street' },
};

export async function fetch(url: string, { signal }: { signal: AbortSignal }): Promise<Response> {
  const part = url.slice(1, -'.json'.length) as Part;
  const mood = moods[part];
  const tell = (state: News['state'], chunk: number): void => postMessage({ part, state, done: chunk / chunks } satisfies News);
  tell('loading', 0);
  for (let chunk = 1; chunk <= chunks; chunk++) {
    await new Promise((resolve) => setTimeout(resolve, (takes[part] * (mood === 'slow' ? 10 : 1)) / chunks));
    if (signal.aborted) {
      tell('aborted', chunk);
      throw signal.reason;
    }
    if (mood === 'fails' && chunk > chunks / 2) {
      tell('failed', chunk);
      return new Response('', { status: 503 });
    }
    tell('loading', chunk);
  }
  tell('loaded', chunks);
  return Response.json(answers[part]);
}
