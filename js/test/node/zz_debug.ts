import { Worker, isMainThread, workerData } from 'node:worker_threads';
import { connect, createHub } from 'clca';
import { Peer, serveAsPeer } from '../peer.ts';
import { runConformance } from '../suite.ts';
if (isMainThread) {
  const hub = await createHub();
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL(import.meta.url), { workerData: port2, transferList: [port2 as any] });
  hub.attach(worker);
  const report = await runConformance({ name: '', hub, peer: new Peer(port1), local: true }, (n) => process.stderr.write(`${performance.now()|0} ${n}\n`), (r) => r.ok || console.error(r));
  for (const c of report.cases) if (!c.ok) console.log(c);
  console.log(report.cases.length, report.cases.filter((c) => !c.ok).length);
  process.exit();
} else {
  serveAsPeer(await connect(), workerData);
}
