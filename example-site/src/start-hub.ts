/** Starts the hub, or joins the one that another tab has started. */

import { type Hub, type Trace, connect } from 'clca';

const script = new URL('./hub-worker.js', import.meta.url);

/** Joins the hub that all tabs of the room share. */
export function joinHub(room: string, trace: Trace): Promise<Hub> {
  return connect(new SharedWorker(script, { type: 'module', name: room }), { trace });
}

/** Starts a hub that is this page's alone, where there are no SharedWorkers. */
export function startHub(room: string, trace: Trace): Promise<Hub> {
  return connect(new Worker(script, { type: 'module', name: room }), { trace });
}
