import type { Started } from './realm.ts';

/** Starts a Worker of the browser that serves as a realm through the port. */
export function startWorker(control: MessagePort): Started {
  const worker = new Worker(new URL('walk-worker.js', import.meta.url), { type: 'module' });
  worker.postMessage({ walk: control }, [control]);
  return { worker, terminate: () => worker.terminate() };
}
