/** Starts the hub, or joins the one that another tab has started. */

import { type Hub, type Trace, connect } from 'clca';

/** Whether tabs share a hub: not where there are no SharedWorkers, or where the page is asked to have a Worker of its own. */
export const shared = typeof SharedWorker === 'function' && !new URLSearchParams(location.search).has('worker');

/** The room of that name for all tabs of this copy of the site, or for this page alone. */
export function roomOf(name: string): string {
  const room = `clca ${name} ${new URL('.', location.href).pathname}`;
  return shared ? room : `${room} ${crypto.randomUUID()}`;
}

/** The hub of the room, run by the script of that name. */
export function joinHub(script: string, room: string, trace?: Trace): Promise<Hub> {
  const url = new URL(script, import.meta.url);
  const options = { type: 'module', name: room } as const;
  return connect(shared ? new SharedWorker(url, options) : new Worker(url, options), { trace });
}
