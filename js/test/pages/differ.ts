/** A page that is driven from outside, as `differ`: it compares `hub.locks` with `navigator.locks`. */

import { type Hub, createHub } from 'clca';
import { differ } from '../differ.ts';
import { type Report, casesOf, run } from '../runner.ts';
import { lockManagerCases } from '../suite-web-locks.ts';

async function inWorker(hub: Hub, from: number, count: number): Promise<number> {
  const worker = new Worker(new URL('differ-worker.js', import.meta.url), { type: 'module' });
  hub.attach(worker);
  return new Promise((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.onmessage = ({ data }) => {
      if ('entries' in data) resolve(data.entries as number);
      else if ('failed' in data) reject(new Error(data.failed as string));
    };
    worker.postMessage({ from, count });
  });
}

const ways: Record<string, (from: number, count: number) => Promise<number>> = {
  "the hub's realm": async (from, count) => differ((await createHub()).locks, navigator.locks, from, count),
  'a page whose hub is in a Worker': async (from, count) => {
    return differ((await createHub({ where: 'worker' })).locks, navigator.locks, from, count);
  },
  "a Worker of the hub's realm": async (from, count) => inWorker(await createHub(), from, count),
  'a Worker whose hub is in a sibling': async (from, count) => inWorker(await createHub({ where: 'worker' }), from, count),
};

/** The suite's own cases, with the browser's locks: what is not true of those is not to be asked of hub.locks. */
function platform(): Promise<Report> {
  const cases = casesOf((test) => lockManagerCases(test, navigator.locks));
  return run(cases, undefined, (name) => Object.assign(globalThis, { clcaCase: name }));
}

Object.assign(globalThis, {
  platform,
  differ: (place: string, from: number, count: number) => ways[place]!(from, count).then(String, (error) => String(error.message)),
});
