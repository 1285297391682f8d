/** Stands in for a server, and tells the page what it is at: the page itself, or the one that has started the Worker. */

import type { Part } from './form.ts';

export interface News { part: Part; state: 'loading' | 'loaded' | 'aborted' | 'failed'; done: number }

/** How the rates load, and how many times longer than usual all takes. */
export const how = { rates: 'well', pace: 1 };

const takes: Record<Part, number> = { countries: 700, rates: 2100, address: 1400 }; // milliseconds

const answers: Record<Part, unknown> = {
  countries: { FR: 'France', KE: 'Kenya', PE: 'Peru' },
  rates: { FR: 12, KE: 19, PE: 21 },
  address: { name: 'Ada Example', street: '1 Sample Street' },
};

export async function fetch(url: string, { signal }: { signal: AbortSignal }): Promise<Response> {
  const part = url.slice(1, -'.json'.length) as Part;
  const mood = part === 'rates' ? how.rates : 'well';
  const whole = takes[part] * how.pace * (mood === 'slow' ? 10 : 1);
  const begin = performance.now();
  let done = 0;
  const tell = (state: News['state']): void => postMessage({ part, state, done } satisfies News);
  while (done < 1) {
    tell('loading');
    await new Promise((resolve) => setTimeout(resolve, 50));
    done = Math.min((performance.now() - begin) / whole, 1);
    if (signal.aborted) {
      tell('aborted');
      throw signal.reason;
    }
    if (mood === 'fails' && done > 0.4) {
      tell('failed');
      return new Response('', { status: 503 });
    }
  }
  return Object.assign(new Response(), {
    async json() {
      tell('loaded');
      return answers[part];
    },
  });
}
