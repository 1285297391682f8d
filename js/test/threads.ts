/** The suite in threads, as Node has them, and what takes after it: in the hub's own thread, and in worker threads. */

import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { type Hub, connect, createHub } from 'clca';
import { Peer, serveAsPeer } from './peer.ts';
import type { Report, Seen } from './runner.ts';
import { runConformance } from './suite.ts';
import { TraceChecker } from './trace-checker.ts';

type Role = 'suite' | 'peer' | 'traced peer';

/** Only cases are run whose name has this in it. */
const only = process.env['ONLY'] ?? '';

/** Of all calls of one of the places. */
export const checker = new TraceChecker();

type Run = (seen: Seen) => Promise<Report>;

const places: Record<string, Run> = {
  "the hub's thread": async (seen) => inMainThread(await createHub(), true, seen),
  "the hub's thread, traced, with a peer whose trace throws":
    async (seen) => inMainThread(await createHub({ trace: checker.trace }), true, seen, 'traced peer'),
  'a thread whose hub is in another': async (seen) => inMainThread(await createHub({ where: 'worker' }), false, seen),
  'a worker thread': async (seen) => inThread(await createHub(), seen),
  'a worker thread whose hub is in a sibling': async (seen) => inThread(await createHub({ where: 'worker' }), seen),
};

/** Runs the suite in each place, and in the threads of this script what they are for. */
export async function inThreads(main: (places: [place: string, run: Run][]) => Promise<void>): Promise<void> {
  await (isMainThread ? main(Object.entries(places)) : beThread(workerData));
}

/** Runs this script in a thread that is let in, with a port for what is between the suite and its peer. */
function startThread(hub: Hub, role: Role): { worker: Worker; port: MessagePort; failed: Promise<never> } {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { role, port: port2 },
    transferList: [port2 as any],
  });
  const failed = new Promise<never>((_, reject) => worker.on('error', reject));
  hub.attach(worker);
  return { worker, port: port1, failed };
}

async function beThread({ role, port }: { role: Role; port: MessagePort }): Promise<void> {
  const hub = await connect({ timeout: 10_000, trace: role === 'traced peer' ? fail : undefined });
  if (role !== 'suite') return serveAsPeer(hub, port);
  const seen: Seen = (...seen) => parentPort!.postMessage({ seen });
  const report = await runConformance({ hub, peer: new Peer(port), local: false, only }, seen);
  await hub.close();
  port.close();
  parentPort!.postMessage({ report });
}

/** A trace of no use. */
function fail(): never {
  console.error = () => {}; // where it is reported
  throw new Error('of the trace');
}

async function inMainThread(hub: Hub, local: boolean, seen: Seen, role: Role = 'peer'): Promise<Report> {
  const { worker, port, failed } = startThread(hub, role);
  const report = await Promise.race([failed, runConformance({ hub, peer: new Peer(port), local, only }, seen)]);
  port.close();
  await worker.terminate();
  await hub.close();
  return report;
}

async function inThread(hub: Hub, seen: Seen): Promise<Report> {
  const { worker, port, failed } = startThread(hub, 'suite');
  serveAsPeer(hub, port);
  const reported = new Promise<Report>((resolve) => {
    worker.on('message', (message) => {
      if ('seen' in message) seen(...(message.seen as Parameters<Seen>));
      if ('report' in message) resolve(message.report);
    });
  });
  const report = await Promise.race([failed, reported]);
  port.close();
  await worker.terminate();
  await hub.close();
  return report;
}
