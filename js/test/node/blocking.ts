/** Calls that block, in Node: the hub in the main thread, or in another. */

import { after, test } from 'node:test';
import { Worker, isMainThread, workerData } from 'node:worker_threads';
import { connect, createHub } from 'clca';
import { ok } from '../assert.ts';
import { serveAsFar } from '../blocking-far.ts';
import { type Report, casesOf, run } from '../runner.ts';
import { type BlockingPlace, blockingCases, latencies } from '../suite-blocking.ts';

function start(port: MessagePort, words: Int32Array): Worker {
  return new Worker(new URL(import.meta.url), { workerData: { port, words }, transferList: [port as any] });
}

/** All threads that this one has started, those of the package included. */
const threads: Worker[] = [];
const built: { Worker: typeof Worker } = process.getBuiltinModule('node:worker_threads');
built.Worker = class extends Worker {
  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args);
    threads.push(this);
  }
};

function place(where: 'here' | 'worker'): BlockingPlace {
  return {
    local: where === 'here',
    blocks: true,
    async open(program) {
      const first = threads.length;
      const hub = await createHub({ where, ...(program !== undefined && { wasm: new URL(program, import.meta.url) }) });
      const kill = where === 'here' ? undefined : () => threads[first]!.terminate();
      return { hub, start, kill, terminate: (worker) => (worker as Worker).terminate() };
    },
    close: ({ hub }) => hub.close(),
  };
}

async function main(): Promise<void> {
  const alive = setInterval(() => {}, 1e6);
  const only = process.env['ONLY'] ?? '';
  const reports: [string, Report][] = [];
  for (const where of ['here', 'worker'] as const) {
    const cases = casesOf((each) => blockingCases(each, place(where))).filter(({ name }) => name.includes(only));
    reports.push([where === 'here' ? 'the hub is in the main thread' : 'the hub is in a thread of its own', await run(cases, undefined, (name) => process.env['SEEN'] && console.log(Math.round(performance.now()), name))]);
  }
  clearInterval(alive);
  for (const [where, { cases }] of reports) {
    test(where, async (t) => {
      for (const { name, ok: passed, error } of cases) await t.test(name, () => ok(passed, error ?? name));
    });
  }
  after(() => {
    for (const [what, ms] of Object.entries(latencies)) console.log(`# ${what}: known after ${ms.toFixed(1)} ms at most`);
  });
}

if (isMainThread) {
  await main();
} else {
  const { port, words } = workerData as { port: MessagePort; words: Int32Array };
  serveAsFar(await connect({ timeout: 10_000 }), port, words, start, (other) => connect(other));
}
