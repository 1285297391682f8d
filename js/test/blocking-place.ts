/** The places in a browser of the suite of calls that block: this realm, whatever it is, with its Workers. */

import { createHub } from 'clca';
import { type Report, type Seen, casesOf, chosen, run } from './runner.ts';
import { type BlockingPlace, type Stage, blockingCases, latencies } from './suite-blocking.ts';

export interface BlockingOrder {
  where: 'here' | 'worker';
  only: string;
}

export type BlockingReport = Report & { latencies: Record<string, number> };

/** All Workers that this realm has started, those of the package included. */
const workers: Worker[] = [];
const PlainWorker = globalThis.Worker;
globalThis.Worker = class extends PlainWorker {
  constructor(url: string | URL, options?: WorkerOptions) {
    super(url, options);
    workers.push(this);
  }
};

export function startFar(port: MessagePort, words: Int32Array): Worker {
  const worker = new Worker(new URL('blocking-worker.js', import.meta.url), { type: 'module' });
  worker.postMessage({ far: { port, words } }, [port]);
  return worker;
}

function blockingPlace(where: 'here' | 'worker'): BlockingPlace {
  return {
    local: where === 'here',
    blocks: typeof document === 'undefined',
    async open(program) {
      const first = workers.length;
      const hub = await createHub({ where, ...(program !== undefined && { wasm: new URL(program, import.meta.url) }) });
      const kill = where === 'here' ? undefined : () => workers[first]!.terminate();
      return { hub, start: startFar, kill, terminate: (worker) => (worker as Worker).terminate() };
    },
    close: ({ hub }: Stage) => hub.close(),
  };
}

export async function runBlocking({ where, only }: BlockingOrder, seen?: Seen): Promise<BlockingReport> {
  const cases = chosen(casesOf((test) => blockingCases(test, blockingPlace(where))), only);
  return { ...await run(cases, undefined, seen), latencies };
}
