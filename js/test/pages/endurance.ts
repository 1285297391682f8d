/** A page that works and has Workers work, as the tests tell it, as `lab`. */

import { type Hub, connect } from 'clca';
import { becomes } from '../assert.ts';
import { type Share, comeAfter, sessions, work } from '../endurance-work.ts';
import { type GoFigures, startHub } from '../endurance-hub.ts';
import type { WorkerOrder } from './endurance-worker.ts';

const workers: Worker[] = [];

/** Tells a Worker something; resolves with what it says when it is done. */
function tell(worker: Worker, order: WorkerOrder, transfer: Transferable[] = []): Promise<any> {
  return new Promise((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.onmessage = ({ data }) => {
      if ('done' in data) resolve(data.done);
    };
    worker.postMessage(order, transfer);
  });
}

function startWorker(name: string): Worker {
  return new Worker(new URL('endurance-worker.js', import.meta.url), { type: 'module', name });
}

let hub: Hub;
let client: Hub;
let goFigures: () => Promise<GoFigures>;
let victims = 0;

const lab = {
  /** Starts a hub, and a Worker that works as this page does. */
  async start(where: 'here' | 'worker'): Promise<void> {
    if (where === 'here') {
      ({ hub, figures: goFigures } = await startHub());
    } else {
      const worker = startWorker('hub');
      const { port1, port2 } = new MessageChannel();
      await tell(worker, { serve: port2 }, [port2]);
      hub = await connect(port1);
      goFigures = () => tell(worker, { figures: true });
      workers.push(worker);
    }
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    client = await connect(port2);
    const mate = startWorker('mate');
    hub.attach(mate);
    await tell(mate, { work: { waits: 1, names: 1 } });
    workers.push(mate);
  },

  /** Does so much, of all kinds, and ends with the hub as it was. */
  async round(share: Share, opened: number, killed: number): Promise<void> {
    const before = await hub.stats();
    await Promise.all([work(hub, 'page', share), work(client, 'client', share), ...workers.map((each) => tell(each, { work: share }))]);
    await sessions(hub, opened);
    for (let i = 0; i < killed; i++) {
      const worker = startWorker('victim');
      hub.attach(worker);
      await tell(worker, { occupy: victims++ });
      worker.terminate();
      await becomes(async () => (await hub.stats()).sessions, before.sessions);
      await comeAfter(hub);
    }
    await becomes(() => hub.stats(), before);
    performance.clearResourceTimings(); // the browser notes each script that it loads
  },

  /** Go's memory, and the Web Locks by which realms know of each other. */
  async figures(): Promise<GoFigures & { locks: number }> {
    const { held = [], pending = [] } = await navigator.locks.query();
    return { ...(await goFigures()), locks: held.length + pending.length };
  },
};

Object.assign(globalThis, { lab });
export type Lab = typeof lab;
