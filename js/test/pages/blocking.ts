/**
 * The suite of calls that block, in a page that is cross-origin isolated: `?where=` says where the hub is, `?in=worker` that
 * all is below a Worker. The report is `globalThis.clcaReport`.
 */

import { type BlockingOrder, type BlockingReport, runBlocking } from '../blocking-place.ts';

const parameters = new URLSearchParams(location.search);
const order: BlockingOrder = {
  where: (parameters.get('where') ?? 'here') as BlockingOrder['where'],
  only: parameters.get('only') ?? '',
};
const seen = (name: string): void => void Object.assign(globalThis, { clcaCase: name });

function inWorker(): Promise<BlockingReport> {
  const worker = new Worker(new URL('blocking-worker.js', import.meta.url), { type: 'module' });
  return new Promise((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.onmessage = ({ data }) => ('seen' in data ? seen(data.seen) : resolve(data));
    worker.postMessage({ suite: order });
  });
}

Object.assign(globalThis, { clcaReport: parameters.get('in') === 'worker' ? inWorker() : runBlocking(order, seen) });
