/** Starts the hub, or joins the one that another tab has started. */

import { type Hub, connect } from 'clca';

const script = new URL('./hub-worker.js', import.meta.url);

/** Joins the hub that all tabs of the room share. */
export function joinHub(room: string): Promise<Hub> {
  const worker = new SharedWorker(script, { type: 'module', name: room });
  return connect(worker, { signal: failure(worker) });
}

/** Starts a hub that is this page's alone, where there are no SharedWorkers. */
export function startHub(room: string): Promise<Hub> {
  const worker = new Worker(script, { type: 'module', name: room });
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(port2, [port2]);
  return connect(port1, { signal: failure(worker) });
}

/** Aborted if the script cannot be loaded, or throws. */
function failure(worker: Worker | SharedWorker): AbortSignal {
  const controller = new AbortController();
  worker.onerror = (event) => {
    controller.abort(new Error((event as ErrorEvent).message ?? `${script} could not be loaded`));
  };
  return controller.signal;
}
