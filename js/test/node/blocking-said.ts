/**
 * What a Worker that blocks and its hub say to each other, as seen by one between the two, who passes it on, or speaks in the
 * place of the realm above the Worker.
 */

import { after, test } from 'node:test';
import { Worker, isMainThread, workerData } from 'node:worker_threads';
import { type Hub, connect, createHub } from 'clca';
import { CallWords, Op } from '../../src/abi.ts';
import { becomes, equal, ok, rejects } from '../assert.ts';
import { Far, farWords, serveAsFar } from '../blocking-far.ts';
import { Raw } from '../hostile-raw.ts';

/** Starts a Worker that connects by the port of its hub's. */
async function start(hubPort: MessagePort): Promise<{ far: Far; worker: Worker }> {
  const { port1, port2 } = new MessageChannel();
  const words = farWords();
  const transferList = [port2, hubPort] as any[];
  const worker = new Worker(new URL(import.meta.url), { workerData: { port: port2, words, hubPort }, transferList });
  const far = new Far(port1, words);
  await far.ready;
  return { far, worker };
}

/** What is said in either direction, apart from welcomes and the like. */
interface Said {
  calls: number[][];
  answers: number;
}

/** A hub and a Worker, and all that passes between them. */
async function overheard(run: (hub: Hub, far: Far, said: Said) => Promise<void>): Promise<void> {
  const hub = await createHub();
  const [near, there] = [new MessageChannel(), new MessageChannel()];
  hub.attach(near.port1);
  const said: Said = { calls: [], answers: 0 };
  near.port2.onmessage = ({ data }) => {
    if (data instanceof Uint32Array) said.answers++;
    there.port1.postMessage(data);
  };
  there.port1.onmessage = ({ data }) => {
    const words: Uint32Array = data instanceof Uint32Array ? data : data.words ?? [];
    for (let at = 1; at < words.length; at += CallWords) said.calls.push([...words.subarray(at, at + CallWords)]);
    near.port2.postMessage(data);
  };
  const { far, worker } = await start(there.port2);
  try {
    await run(hub, far, said);
  } finally {
    await worker.terminate();
    near.port2.close();
    await hub.close();
  }
}

async function main(): Promise<void> {
  const alive = setInterval(() => {}, 1e6); // the ports keep no process alive
  after(() => clearInterval(alive));

  test('a checkpoint that is not armed is passed without a word, however it is asked for', () => overheard(async (hub, far, { calls }) => {
    for (let i = 0; i < 2; i++) await far.tell('call', 'checkpoint', 'c', 'waitSync'); // each by an object of its own
    await far.tell('stats'); // all that was said has been heard
    const before = calls.length;
    for (let i = 0; i < 10; i++) {
      await far.tell('call', 'checkpoint', 'c', 'waitSync');
      await far.tell('call', 'checkpoint', 'c', 'waitSync', { timeout: 60_000 });
    }
    await far.tell('stats');
    equal(calls.slice(before).map(([op]) => op), [Op.HubStats]);

    const arm = hub.checkpoint('c').arm();
    const late = far.tell('call', 'checkpoint', 'c', 'waitSync', { timeout: 60_000 });
    await arm;
    equal(await hub.checkpoint('c').resume(), 1);
    await late;
  }));

  test('a loop that locks and unlocks without a turn uses the same slot, and leaves nothing to be heard', () => overheard(async (_hub, far, said) => {
    await far.tell('stats');
    const { answers } = said;
    said.calls.length = 0;
    const what = new Int32Array(new SharedArrayBuffer(4));
    await far.tell('increment', 'l', 2000, what);
    equal(what[0], 2000);
    equal(said.answers - answers, 0, 'answers that wait for the turn');
    await far.tell('stats');
    const slots = said.calls.filter(([op]) => op !== Op.Bind).map(([, , slot]) => slot!);
    ok(slots.length > 4000, `${slots.length} calls`);
    equal(Math.max(...slots), 0, 'the highest slot');
  }));

  test('a Worker whose session is over since the page above it was suspended does not block', { timeout: 20_000 }, async () => {
    const hub = await createHub();
    const { raw: page, end } = Raw.enter(hub);
    await page.hello();
    const { far, worker } = await start(page.admit(1));
    page.post({ clca: 'bye', suspended: true });
    const blocked = far.tell('computeAndBlock', 's');
    await becomes(() => far.stage, 1);
    await page.hello(); // it is back, and the Worker does not get to hear of that
    far.until(1);
    await rejects(blocked, 'SuspendedError');
    await worker.terminate();
    end();
    await hub.close();
  });
}

if (isMainThread) {
  await main();
} else {
  const { port, words, hubPort } = workerData as { port: MessagePort; words: Int32Array; hubPort: MessagePort };
  serveAsFar(await connect(hubPort), port, words, () => {}, connect);
}
