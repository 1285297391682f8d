// A Worker with a crowd of its own, or with many sessions.

import { type Hub, connect } from 'clca/client';
import { type Crowd, crowds, time } from './crowd.ts';

let hub: Hub;
let crowd: Crowd;
let units: number;
let hubs: Hub[] = [];
let waiting: Promise<unknown>[] = [];

const does: Record<string, (question: any) => unknown> = {
  nothing() {},
  async crowd({ kind, units: n }) {
    hub = await connect();
    units = n;
    crowd = crowds[kind]!(hub as never, units);
  },
  async park() {
    crowd.park();
    await hub.stats();
  },
  async wake() {
    await crowd.wake();
  },
  time: ({ rounds }) => time(crowd, units, rounds),
  async connect({ ports }) {
    hubs = await Promise.all((ports as MessagePort[]).map((port) => connect(port)));
  },
  async wait() {
    waiting = hubs.map((each) => each.signal('crowd').wait());
    await Promise.all(hubs.map((each) => each.stats()));
  },
  async woken() {
    await Promise.all(waiting);
  },
};

addEventListener('message', async ({ data }) => {
  const f = does[data?.do];
  if (f !== undefined) postMessage({ id: data.id, answer: await f(data) });
});
