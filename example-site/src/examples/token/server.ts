/** What a tab sees of the server that is not there. */

/** A request, and the tab that makes it. */
export interface Asked { id: number; path: string; token: string | null; tab: number }

export interface Told { id: number; status: number; body: string }

/** What the server has seen since the token last expired: the refreshes that it was asked for, and the token each gave. */
export interface News { valid: string; refreshes: { tab: number; token: string }[]; seconds: number }

const pending = new Map<number, (told: Told) => void>();
let port: MessagePort;
let asked = 0;
let tab = 0;

/** Connects the tab of this number; whatever the server says of itself goes to `heard`. */
export function reachServer(number: number, heard: (news: News) => void): void {
  tab = number;
  port = new SharedWorker(new URL('./server-worker.js', import.meta.url), { type: 'module' }).port;
  port.onmessage = ({ data }: MessageEvent<Told | News>) => {
    if (!('id' in data)) return heard(data);
    pending.get(data.id)?.(data);
    pending.delete(data.id);
  };
  addEventListener('pagehide', () => port.postMessage({ id: 0, path: '/gone', token: null, tab } satisfies Asked));
}

export function fetch(path: string, init: RequestInit = {}): Promise<Response> {
  const { signal, headers } = init;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const id = ++asked;
    signal?.addEventListener('abort', () => pending.delete(id) && reject(signal.reason), { once: true });
    pending.set(id, ({ status, body }) => resolve(new Response(body, { status })));
    port.postMessage({ id, path, token: new Headers(headers).get('authorization'), tab } satisfies Asked);
  });
}
