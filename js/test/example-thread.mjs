// A thread that connects to the hub, for which it may have an example to run.
import { workerData } from 'node:worker_threads';
import { given } from './examples.mjs';

const { connect, examples } = await import(workerData.compiled);
const hub = await connect();
if (workerData.example === undefined) {
  await hub.signal('never').wait();
} else {
  Object.assign(globalThis, given, { hub });
  await examples[workerData.example][2]();
  await hub.close();
}
