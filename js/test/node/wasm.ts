/** What the loader must bear: how Go's WebAssembly behaves, and what may come through a port. */

import { test } from 'node:test';
import { Kind, Op, Unsaid } from '../../src/abi.ts';
import { localHub } from '../../src/create.ts';
import type { GoProgram } from '../../src/go.ts';
import type { Hub } from '../../src/hub.ts';
import { load } from '../../src/load.ts';
import { Switchboard } from '../../src/switchboard.ts';
import { becomes, equal, ok, rejects, turn } from '../assert.ts';
import { Raw } from '../hostile-raw.ts';

interface Tools {
  later(ms: number, f: () => void): void;
  call<T>(f: () => T): T;
  goCall(f: () => void): void;
  grow(bytes: number): void;
}

interface Lab {
  program: GoProgram;
  board: Switchboard;
  hub: Hub;
  go: Tools;
}

async function start(): Promise<Lab> {
  const program = await load(new URL('tools.wasm', import.meta.url));
  const board = new Switchboard(program, { name: undefined, release() {} });
  return { program, board, hub: localHub(board), go: program.published as unknown as Tools };
}

/** Go's scheduler is whole: a timer that is set now fires later. */
const timerFires = (go: Tools): Promise<void> => new Promise((resolve) => go.later(1, resolve));

test('every export can be called with nothing else runnable', async (t) => {
  const none = 0xffffffff;
  const calls: Record<string, (exports: GoProgram['exports']) => number> = {
    clca_boot: (e) => e.clca_boot(),
    clca_window: (e) => e.clca_window(),
    clca_scratch: (e) => e.clca_scratch(1 << 20),
    clca_open: (e) => e.clca_open(none, 10, 0),
    'clca_open below nobody': (e) => e.clca_open(12345, 10, 0),
    clca_bind: (e) => e.clca_bind(0, 0, 0, 4, 0),
    'clca_bind of nonsense': (e) => e.clca_bind(0, 77, 99, none, none),
    clca_forget: (e) => e.clca_forget(0),
    ...Object.fromEntries(Array.from({ length: Op.Occupy + 2 }, (_, op) => [
      `clca_call ${op}`, (e: GoProgram['exports']) => e.clca_call(0, op, 0, 0, 0, 0),
    ])),
    'clca_call of nonsense': (e) => e.clca_call(none, none, none, none, none, none),
    clca_drain: (e) => e.clca_drain(),
    clca_end: (e) => e.clca_end(none),
    clca_close: (e) => e.clca_close(),
  };
  for (const [name, call] of Object.entries(calls)) {
    await t.test(name, async () => {
      const { program, go } = await start();
      await timerFires(go);
      const fired = timerFires(go);
      ok(Number.isInteger(program.enter(() => call(program.exports))), 'a number came back');
      if (name === 'clca_close') return;
      await fired;
      await timerFires(go);
      equal(program.dead, undefined);
    });
  }
});

test('the hub can be called from inside a function that Go runs', async () => {
  const { hub, go } = await start();
  const order: string[] = [];
  const first = hub.signal('s').wait().then(() => order.push('woken'));
  const count = go.call(() => {
    const signalled = hub.signal('s').signal();
    const again = hub.signal('s').wait();
    void signalled.then(() => order.push('counted'));
    order.push('inside');
    return { signalled, again };
  });
  order.push('outside');
  equal(await count.signalled, 1);
  await first;
  equal(order, ['inside', 'outside', 'woken', 'counted']);
  equal(await hub.signal('s').signal(), 1);
  await count.again;

  const fromGoroutine = new Promise<number>((resolve) => go.goCall(() => void hub.signal('s').signal().then(resolve)));
  equal(await fromGoroutine, 0);
  await hub.close();
});

test('calls made inside and outside of Go keep their order', async () => {
  const { hub, go } = await start();
  const checkpoint = hub.checkpoint('c');
  const results: Promise<unknown>[] = [];
  go.call(() => {
    results.push(checkpoint.arm());
    results.push(checkpoint.wait());
  });
  results.push(checkpoint.resume());
  const inside = go.call(() => hub.signal('x').signal());
  results.push(hub.signal('x').wait({ timeout: 60_000 }), hub.signal('x').signal(), inside);
  equal(await Promise.all(results), [undefined, undefined, 1, undefined, 1, 0]);
  await hub.close();
});

test('work that fails is reported, and what was to be done before and after it is done once', async () => {
  const { board, hub, go } = await start();
  const done: string[] = [];
  const errors: unknown[] = [];
  const plain = globalThis.queueMicrotask;
  globalThis.queueMicrotask = (task) => plain(() => {
    try {
      task();
    } catch (error) {
      errors.push(error);
    }
  });
  try {
    go.call(() => {
      const job = (name: string) => board.submit(() => Boolean(done.push(name)));
      job('before');
      let failed = false;
      board.submit(() => {
        if (failed) return true;
        failed = true;
        throw new Error('it fails');
      });
      job('after');
    });
    await becomes(() => errors.length, 1);
  } finally {
    globalThis.queueMicrotask = plain;
  }
  await becomes(() => done.includes('after'), true);
  equal(await hub.signal('s').signal(), 0);
  equal(done, ['before', 'after']);
  await hub.close();
});

test('what was about to be sent as its session ended is not taken for sent in the next', async () => {
  const { program, hub } = await start();
  const alive = setInterval(() => {}, 1e6);
  const { raw, end } = Raw.enter(hub);
  const get = (): void => raw.batch([Op.Bind, 0, Kind.Queue, Unsaid, 0, Op.Get, 0, 0, 0, 0], ['q']);
  await raw.hello();
  await hub.queue('q').put('an item');
  Object.defineProperty(program, 'open', { configurable: true, value: false }); // what is heard now is worked off in one go
  get();
  raw.post({ clca: 'bye', suspended: true });
  const heard = raw.admit(1, { prefix: 'no prefix'.length }); // is refused at once
  await new Promise((resolve) => (heard.onmessage = resolve));
  delete (program as { open?: boolean }).open;
  await raw.hello();
  get(); // it is in the queue again
  const { payloads } = await raw.until((message) => (message.clca === 'batch' || message instanceof Uint32Array ? message : undefined));
  equal(payloads?.map(([, payload]: [number, object]) => payload), [{ value: 'an item' }]);
  end();
  await hub.close();
  clearInterval(alive);
});

test('a session may end, and a hub close, from inside a function that Go runs', async () => {
  const { hub, go } = await start();
  const wait = rejects(hub.signal('s').wait(), 'ClosedError');
  go.call(() => void hub.close());
  await wait;
  equal(await hub.closed, undefined);
});

test('the views of the memory survive its growth', async () => {
  const { program, hub, go } = await start();
  const buffers = new Set<ArrayBufferLike>();
  const signal = hub.signal('s');
  let woken = 0;
  const waits: Promise<unknown>[] = [];
  const counts: Promise<number>[] = [];
  for (let round = 0; round < 20; round++) {
    for (let i = 0; i < 2000; i++) waits.push(signal.wait().then(() => woken++));
    if (round % 2 === 0) go.grow(8 << 20);
    else void hub.signal('grow').signal();
    counts.push(signal.signal());
    waits.push(hub.signal('a long name'.repeat(600 * round)).signal()); // grows the buffer for names
    await turn();
    buffers.add(program.exports.mem.buffer);
  }
  equal((await Promise.all(counts)).every((count) => count === 2000), true);
  await Promise.all(waits);
  equal(woken, 40_000);
  ok(buffers.size > 5, `the memory grew ${buffers.size} times`);
  await hub.close();
});

test('what is no message of the protocol is counted', async () => {
  const { hub } = await start();
  const { port1, port2 } = new MessageChannel();
  hub.attach(port1);
  const words = [new Uint32Array(7), new Uint32Array(5)];
  const nonsense = [null, 5, 'hello', {}, [], { clca: 'nonsense' }, { clca: 'batch' }, ...words];
  for (const each of nonsense) port2.postMessage(each);
  await becomes(async () => (await hub.stats()).dropped, nonsense.length);
  equal(await hub.signal('s').signal(), 0);
  await hub.close();
});

test('Go is resumed once for all goroutines that a batch of calls made ready', async () => {
  const program = await load(new URL('../../dist/clca.wasm', import.meta.url));
  const hub = localHub(new Switchboard(program, { name: undefined, release() {} }));
  let resumes = 0;
  const resume = program.resume.bind(program);
  program.resume = () => (resumes++, resume());
  const names = Array.from({ length: 100 }, (_, i) => `s${i}`);
  const woken = names.map((name) => hub.go['signal'](name).wait()); // a goroutine each
  const counts = names.map((name) => hub.signal(name).signal());
  equal(await Promise.all(counts), names.map(() => 1));
  await Promise.all(woken);
  equal(resumes, 1);
  equal(await hub.signal('s0').signal(), 0);
  await turn();
  equal(resumes, 1, 'nobody was woken');
  await hub.close();
});
