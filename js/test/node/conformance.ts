/** The suite in Node: in the hub's own thread, and in worker threads. */

import { test } from 'node:test';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { type Hub, connect, createHub } from 'clca';
import { equal, ok } from '../assert.ts';
import { Peer, serveAsPeer } from '../peer.ts';
import type { Report } from '../runner.ts';
import { runConformance } from '../suite.ts';
import { TraceChecker } from '../trace-checker.ts';

type Role = 'suite' | 'peer' | 'traced peer';

/** Only cases are run whose name has this in it. */
const only = process.env['ONLY'] ?? '';

/** Runs this script in a thread that is let in, with a port for what is between the suite and its peer. */
function startThread(hub: Hub, role: Role): { worker: Worker; port: MessagePort } {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { role, port: port2 },
    transferList: [port2 as any],
  });
  hub.attach(worker);
  return { worker, port: port1 };
}

async function beThread({ role, port }: { role: Role; port: MessagePort }): Promise<void> {
  const hub = await connect({ timeout: 10_000, trace: role === 'traced peer' ? fail : undefined });
  if (role !== 'suite') return serveAsPeer(hub, port);
  const report = await runConformance({ hub, peer: new Peer(port), local: false, only });
  await hub.close();
  port.close();
  parentPort!.postMessage({ report });
}

/** A trace of no use. */
function fail(): never {
  console.error = () => {}; // where it is reported
  throw new Error('of the trace');
}

async function inMainThread(hub: Hub, local: boolean, role: Role = 'peer'): Promise<Report> {
  const { worker, port } = startThread(hub, role);
  const report = await runConformance({ hub, peer: new Peer(port), local, only });
  port.close();
  await worker.terminate();
  await hub.close();
  return report;
}

async function inThread(hub: Hub): Promise<Report> {
  const { worker, port } = startThread(hub, 'suite');
  serveAsPeer(hub, port);
  const report = await new Promise<Report>((resolve, reject) => {
    worker.on('error', reject);
    worker.on('message', (message) => 'report' in message && resolve(message.report));
  });
  port.close();
  await worker.terminate();
  await hub.close();
  return report;
}

const checker = new TraceChecker();

async function main(): Promise<void> {
  const places: [string, () => Promise<Report>][] = [
    ["the hub's thread", async () => inMainThread(await createHub(), true)],
    ["the hub's thread, traced, with a peer whose trace throws", async () => inMainThread(await createHub({ trace: checker.trace }), true, 'traced peer')],
    ['a thread whose hub is in another', async () => inMainThread(await createHub({ where: 'worker' }), false)],
    ['a worker thread', async () => inThread(await createHub())],
    ['a worker thread whose hub is in a sibling', async () => inThread(await createHub({ where: 'worker' }))],
  ];
  // All run before the first test begins: node:test takes unhandled rejections for failures of its own.
  const reports: [string, Report][] = [];
  for (const [place, report] of places) reports.push([place, await report()]);
  for (const [place, { cases }] of reports) {
    test(place, async (t) => {
      for (const { name, ok: passed, error, skipped } of cases) {
        await t.test(name, () => ok(passed && skipped === undefined, error ?? skipped ?? name));
      }
    });
  }
  test('each call of the suite is traced, step by step, and none is left over', () => {
    equal([checker.wrong.slice(0, 10), checker.open.slice(0, 10)], [[], []]);
    ok(checker.answered > 1000, `${checker.answered} calls were answered`);
  });
}

await (isMainThread ? main() : beThread(workerData));
