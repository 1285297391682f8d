/** The places of one page. Each starts a hub, runs the suite in the realm that it is about, and ends the hub. */

import { type Hub, connect, createHub } from 'clca';
import type { Channel } from './peer.ts';
import { Peer, serveAsPeer } from './peer.ts';
import type { Report, Seen } from './runner.ts';
import { runConformance } from './suite.ts';
import type { SuiteOrder, SuiteReply } from './pages/suite-worker.ts';

type Run = (seen: Seen) => Promise<Report>;

const only = new URLSearchParams(location.search).get('only') ?? '';
const script = (name: string): URL => new URL(name, import.meta.url);

export const places: Record<string, Run> = {
  "the hub's realm": async (seen) => {
    const hub = await createHub();
    return here(hub, true, seen);
  },

  'a page whose hub is in a Worker': async (seen) => {
    const hub = await createHub({ where: 'worker' });
    return here(hub, false, seen);
  },

  "a Worker of the hub's realm": (seen) => inWorkers(1, createHub(), seen),

  'a Worker of a Worker': (seen) => inWorkers(2, createHub(), seen),

  'a Worker whose hub is in a sibling': (seen) => inWorkers(1, createHub({ where: 'worker' }), seen),

  'a page whose hub is in the SharedWorker': async (seen) => {
    const hub = await createHub({ where: 'shared' });
    return here(hub, false, seen);
  },

  'a page whose hub is in a SharedWorker of its own': async (seen) => {
    const shared = new SharedWorker(script('hub-worker.js'), { type: 'module', name: 'conformance' });
    return here(await connect(shared), false, seen);
  },

  'a Worker whose hub is in the SharedWorker': (seen) => {
    return inWorkers(1, createHub({ where: 'shared', name: 'below' }), seen);
  },

  // By hand the other tab is a frame; the browser tests open a real one, and say so.
  'a second tab': async (seen) => {
    if (!new URLSearchParams(location.search).has('beside')) await peerInFrame();
    const hub = await createHub({ where: 'shared', name: 'tabs' });
    const channel = new BroadcastChannel('clca-test:tabs');
    const report = await runConformance({ hub, peer: new Peer(channel), local: false, only }, seen);
    await hub.close();
    channel.close();
    return report;
  },
};

/** Why this browser has no such place, if it has none. */
export function lacks(place: string): string | undefined {
  const shares = place.includes('SharedWorker') || place === 'a second tab';
  return shares && typeof SharedWorker !== 'function' ? 'there is no SharedWorker in this browser' : undefined;
}

/** Makes this page the first of two tabs. */
export async function beOtherTab(): Promise<void> {
  serveAsPeer(await createHub({ where: 'shared', name: 'tabs' }), new BroadcastChannel('clca-test:tabs'));
}

async function peerInFrame(): Promise<void> {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.src = '?role=peer';
  await new Promise((resolve) => {
    frame.onload = resolve;
    document.body.append(frame);
  });
  await (frame.contentWindow as unknown as { clcaReady: Promise<void> }).clcaReady;
}

/** A Worker that the hub's owner lets in, and the peer that it is. */
export function peerInWorker(hub: Hub): { worker: Worker; peer: Peer } {
  const worker = new Worker(script('peer-worker.js'), { type: 'module' });
  hub.attach(worker);
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ serve: port2 }, [port2]);
  return { worker, peer: new Peer(port1) };
}

/** Runs the suite in this realm, with the peer in a Worker. */
export async function here(hub: Hub, local: boolean, seen: Seen): Promise<Report> {
  const { worker, peer } = peerInWorker(hub);
  const report = await runConformance({ hub, peer, local, only }, seen);
  await hub.close();
  worker.terminate();
  return report;
}

/** Runs the suite in a Worker, so many Workers below this realm, which is the peer. */
async function inWorkers(depth: number, starting: Promise<Hub>, seen: Seen): Promise<Report> {
  const hub = await starting;
  const worker = new Worker(script('suite-worker.js'), { type: 'module' });
  hub.attach(worker);
  const { port1, port2 } = new MessageChannel();
  serveAsPeer(hub, port1 as Channel);
  const report = await new Promise<Report>((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.onmessage = ({ data }) => {
      const reply = data as SuiteReply;
      if ('report' in reply) resolve(reply.report);
      else if ('failed' in reply) reject(new Error(reply.failed));
      else seen(reply.seen, reply.result);
    };
    worker.postMessage({ depth, only, peer: port2 } satisfies SuiteOrder, [port2]);
  });
  await hub.close();
  worker.terminate();
  return report;
}
