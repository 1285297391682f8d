/** What a tab sees of the server that is not there. */

/** A request, and the tab that makes it. */
export interface Asked { id: number; path: string; token: string | null; tab: number }

export interface Told { id: number; status: number; body: string }

/** How often the token has expired, and what the server was asked for since: each refresh, and the token that it gave. */
export interface News { expired: number; valid: string; refreshes: { tab: number; token: string }[]; seconds: number }

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
    const ask = (path: string, token: string | null = null): void => port.postMessage({ id, path, token, tab } satisfies Asked);
    signal?.addEventListener('abort', () => {
      if (!pending.delete(id)) return;
      ask('/aborted');
      reject(signal.reason);
    }, { once: true });
    pending.set(id, ({ status, body }) => resolve(new Response(body, { status })));
    ask(path, new Headers(headers).get('authorization'));
  });
}
