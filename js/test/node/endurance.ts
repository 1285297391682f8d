/**
 * The hub's thread and another wait, give up, use names, and open and kill sessions: whatever is counted afterwards is
 * what it was before, and memory does not grow. With SOAK=… it is a million waits, 10,000 sessions, of which 200 are
 * threads, and 100,000 names; without, a tenth of that.
 */

import { setMaxListeners } from 'node:events';
import { Session } from 'node:inspector/promises';
import { after, test } from 'node:test';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { type Hub, connect } from 'clca';
import { becomes, ok } from '../assert.ts';
import { type GoFigures, startHub } from '../endurance-hub.ts';
import { type Share, comeAfter, endByPort, occupy, sessions, work } from '../endurance-work.ts';

const size = process.env['SOAK'] === undefined ? 1 : 10;
const rounds = 10;
const warmUp = 2;
const few = 8; // less than one a round

setMaxListeners(0); // the Promises of the Go program listen to a signal once a call

// ---- what a thread has ----

interface Figures {
  /** Of the JavaScript heap, in bytes. */
  heap: number;
  /** Of all arrays, some of which are as long as they ever had to be. */
  entries: number;
  /** Of all other objects, and what is in maps and sets. */
  counts: Counts;
}

type Counts = Record<string, number>;

const inspector = new Session();
inspector.connect();
const ask = (method: string, params: object = {}): Promise<any> => {
  return inspector.post(method, { ...params, objectGroup: 'figures' } as any) as any;
};

/** Collects all garbage, and counts what is left in this thread. */
async function figures(): Promise<Figures> {
  const { result } = await ask('Runtime.evaluate', { expression: 'Object.prototype' });
  const { objects } = await ask('Runtime.queryObjects', { prototypeObjectId: result.objectId });
  const counted = await ask('Runtime.callFunctionOn', {
    objectId: objects.objectId, functionDeclaration: 'function () { return tally(this); }', returnByValue: true,
  });
  await ask('Runtime.releaseObjectGroup');
  const { usedSize } = await ask('Runtime.getHeapUsage');
  const { 'in Arrays': entries, 'global Function': _, AsyncFunction: __, ...counts } = counted.result.value;
  return { heap: usedSize, entries, counts };
}

// ---- the other thread ----

type Order = Share | 'figures';

function beThread(): void {
  const connecting = connect({ timeout: 30_000 });
  const { victim } = workerData as { victim?: number };
  const done = (value?: Figures): void => parentPort!.postMessage({ done: value });
  if (victim !== undefined) return void connecting.then((hub) => occupy(hub, victim)).then(() => done());
  parentPort!.on('message', async ({ order }: { order?: Order }) => {
    if (order === undefined) return; // of clca
    if (order === 'figures') return done(await figures());
    await work(await connecting, 'thread', order);
    done();
  });
}

class Thread {
  readonly worker: Worker;
  readonly #done: () => Promise<any>;

  constructor(hub: Hub, victim?: number) {
    this.worker = new Worker(new URL(import.meta.url), { workerData: { victim } });
    hub.attach(this.worker);
    this.#done = () => new Promise((resolve, reject) => {
      const heard = (message: object): void => {
        if (!('done' in message)) return;
        this.worker.off('message', heard);
        this.worker.off('error', reject);
        resolve(message.done);
      };
      this.worker.on('message', heard);
      this.worker.on('error', reject);
    });
  }

  /** Has done what it was started for, or what it is told now. */
  async done(order?: Order): Promise<any> {
    const done = this.#done();
    if (order !== undefined) this.worker.postMessage({ order });
    return done;
  }
}

let victims = 0;

/** Kills so many threads at what they do. */
async function kill(hub: Hub, count: number): Promise<void> {
  for (let i = 0; i < count; i += 2) {
    await Promise.all([0, 1].map(async () => {
      const thread = new Thread(hub, victims++);
      await thread.done();
      await thread.worker.terminate();
    }));
    await comeAfter(hub);
  }
}

// ---- the test ----

/** The middle of the last three rounds is not above that of the first three by more than the slack. */
function flat(what: string, all: Float64Array, slack: number): void {
  const middle = (some: Float64Array): number => some.sort()[1]!;
  const first = middle(all.slice(warmUp, warmUp + 3));
  const last = middle(all.slice(-3));
  ok(last - first <= slack, `${what}: ${first} at first and ${last} at last differ by no more than ${slack}`);
}

interface Measured {
  go: GoFigures;
  threads: [Figures, Figures];
}

/** What there is more of than there was, in each thread. The platform has a few objects more or less. */
function excess(now: Measured, before: Measured): Record<string, string>[] {
  return now.threads.map(({ counts }, i) => {
    const had = (name: string): number => before.threads[i]!.counts[name] ?? 0;
    const more = Object.entries(counts).filter(([name, n]) => n > had(name) + (name.startsWith('global ') ? few : 0));
    return Object.fromEntries(more.map(([name, n]) => [name, `${n}, not ${had(name)}`]));
  });
}

function objects(counts: Counts): number {
  return Object.entries(counts).reduce((all, [name, n]) => (name.startsWith('in ') ? all : all + n), 0);
}

async function main(): Promise<void> {
  const alive = setInterval(() => {}, 1e6); // the ports of one thread keep no process alive
  after(() => clearInterval(alive));

  test('waits, sessions and names leave nothing behind', async (t) => {
    const { hub, figures: goFigures } = await startHub();
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    const client = await connect(port2);
    const thread = new Thread(hub);
    await thread.done({ waits: 1, names: 1 });
    t.after(async () => {
      await thread.worker.terminate();
      await hub.close();
    });
    const calm = await hub.stats();

    const measure = async (): Promise<Measured> => {
      return { go: await goFigures(), threads: [await figures(), await thread.done('figures')] };
    };
    let before: Measured | undefined;
    const columns: Record<string, Float64Array> = {}; // which are no objects that were not there before
    for (let round = 0; round < warmUp + rounds; round++) {
      await Promise.all([
        work(hub, 'hub', { waits: 3_400 * size, names: 340 * size }),
        work(client, 'client', { waits: 3_300 * size, names: 330 * size }),
        thread.done({ waits: 3_300 * size, names: 330 * size }),
      ]);
      await sessions(hub, 98 * size, [endByPort]);
      await kill(hub, 2 * size);
      await becomes(() => hub.stats(), calm);
      // Until there is no more of anything than before, or, at first, than a moment later: what is finalized, and ports
      // that close, take tasks of their own.
      let now = await measure();
      await becomes(async () => {
        const last = now;
        now = await measure();
        return round < warmUp ? excess(last, now) : excess(now, before!);
      }, [{}, {}]);
      if (round < warmUp) before = now;
      const { go, threads: [here, there] } = now;
      const row = {
        'Go, bytes': go.bytes, 'Go, objects': go.objects, goroutines: go.goroutines, 'linear memory': go.linear,
        'heap, bytes': here.heap, 'in arrays': here.entries, objects: objects(here.counts),
        'its heap, bytes': there.heap, 'in its arrays': there.entries, 'its objects': objects(there.counts),
      };
      for (const [what, value] of Object.entries(row)) (columns[what] ??= new Float64Array(warmUp + rounds))[round] = value;
    }
    for (const [what, column] of Object.entries(columns)) t.diagnostic(`${what}: ${column.join(' ')}`);
    flat('Go, bytes', columns['Go, bytes']!, size === 1 ? 128 << 10 : 512 << 10);
    flat('Go, objects', columns['Go, objects']!, size === 1 ? 300 : 800);
    flat('goroutines', columns['goroutines']!, 0);
    // Go takes 512 KB more when a burst comes before its collector: seen twice in fifty rounds, with all of the above flat.
    flat('linear memory', columns['linear memory']!, 3 * 512 << 10);
    for (const whose of ['', 'its ']) {
      flat(`${whose}heap, bytes`, columns[`${whose}heap, bytes`]!, 1 << 20);
      // One that grows by half when its realm is late for once: seen, by 90. One left by each session would be 240 and more.
      flat(`in ${whose}arrays`, columns[`in ${whose}arrays`]!, 200);
    }
  });
}

await (isMainThread ? main() : beThread());
