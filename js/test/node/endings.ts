/** What a user met who tried to break it: races of two endings, odd errors, one port for two, a hub that is over early. */

import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type Hub, connect, createHub } from 'clca';
import { Kind, Op, Outcome, Version } from '../../src/abi.ts';
import { localHub } from '../../src/create.ts';
import { load } from '../../src/load.ts';
import { Switchboard } from '../../src/switchboard.ts';
import { equal, ok, rejection, rejects, turn } from '../assert.ts';

async function pair(limits = {}): Promise<{ hub: Hub; client: Hub }> {
  const hub = await createHub();
  const { port1, port2 } = new MessageChannel();
  hub.attach(port1, limits);
  return { hub, client: await connect(port2) };
}

const never = (): Promise<never> => new Promise(() => {});

// node:test takes an unhandled rejection for a failure of the test that is under way.
test('an abort that races a failure is the only rejection', async () => {
  const { hub, client } = await pair();
  const pending = hub.checkpoint('x').arm().catch(() => {});
  const stop = new AbortController();
  const calls = [
    client.checkpoint('x').arm({ signal: stop.signal }),
    client.signal('s').wait({ signal: stop.signal }),
    client.sharedTask('t', () => Promise.reject(new Error('no'))).wait({ signal: stop.signal }),
  ];
  const failed = hub.sharedTask('u', () => { throw new Error('kept'); });
  await rejection(failed.wait());
  calls.push(client.sharedTask('u', never).wait({ signal: stop.signal }));
  void hub.signal('s').close();
  stop.abort('mine');
  for (const call of calls) equal(await rejection(call), 'mine');
  await client.stats();
  await turn();
  await hub.close();
  await pending;
});

test('closing the hub settles the Promises of its own realm, and later calls reject', async () => {
  const hub = await createHub();
  const signal = hub.go['signal']('g');
  const waits = [signal.wait(), signal.wait({ timeout: 60_000 }), hub.go['checkpoint']('c').arm()];
  await hub.close();
  for (const wait of waits) await rejects(wait, 'ClosedError');
  await rejects(signal.signal(), 'ClosedError');
  await rejects(signal.wait({ timeout: 100 }), 'ClosedError');
});

test('half an AbortSignal is a TypeError, and disturbs nobody', async () => {
  const { hub } = await pair();
  const wait = hub.signal('b').wait();
  const half = { aborted: false, addEventListener() {} } as unknown as AbortSignal;
  await rejects(hub.signal('b').wait({ signal: half }), 'TypeError');
  await rejects(hub.go['signal']('b').wait({ signal: half }), 'TypeError');
  const bad = { ...half, addEventListener() {}, removeEventListener() { throw new Error('bad'); } };
  const badWaits = [hub.signal('b').wait({ signal: bad as any }), hub.go['signal']('b').wait({ signal: bad })];
  equal(await hub.signal('b').signal(), 3);
  await Promise.all([wait, ...badWaits]);
  await hub.close();
});

test('a payload that makes no sense is an error for those who wait, and no more', async () => {
  const hub = await createHub();
  const { port1, port2 } = new MessageChannel();
  hub.attach(port1);
  const heard: any[] = [];
  let next = (): void => {};
  port2.onmessage = ({ data }) => (heard.push(data), next());
  const until = async <T>(find: (message: any) => T | undefined): Promise<T> => {
    for (;;) {
      const found = heard.map(find).find((each) => each !== undefined);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (next = resolve));
    }
  };
  port2.postMessage({ clca: 'hello', version: Version, lock: undefined });
  const epoch = await until((m) => (m.clca === 'welcome' ? m.epoch as number : undefined));
  const words = new Uint32Array([epoch, Op.Bind, 0, Kind.Task, 0, 0, Op.Wait, 0, 0, 0, 0]);
  port2.postMessage({ clca: 'batch', words, names: ['f'], items: [] });
  const run = await until((m) => (m instanceof Uint32Array ? m[3] : undefined));
  const wait = hub.sharedTask('f', never).wait();
  await hub.stats();
  port2.postMessage({ clca: 'payload', run, payload: { error: null } });
  port2.postMessage(new Uint32Array([epoch, Op.Finish, 0, Outcome.Error, run, 0]));
  equal(await rejection(wait), undefined);
  equal(await hub.signal('s').signal(), 0);
  port2.close();
  await hub.close();
});

test('a hub that was over before anybody asked says so', async () => {
  const program = await load(new URL('tools.wasm', import.meta.url));
  program.abandon();
  const hub = localHub(new Switchboard(program, { name: undefined, release() {} }));
  equal((await hub.closed)?.name, 'HubLostError');
  await hub.close();
  await rejects(hub.signal('s').wait(), 'HubLostError');
});

test('a port serves one session', async () => {
  const hub = await createHub();
  const { port1, port2 } = new MessageChannel();
  hub.attach(port1);
  let message = '';
  try {
    hub.attach(port1);
  } catch (error) {
    message = String(error);
  }
  ok(message.startsWith('TypeError'), message);
  const client = await connect(port2);
  await rejects(connect(port2), 'TypeError');
  equal(await client.signal('s').signal(), 0);
  await hub.close();
});

test('odd errors and results of shared functions reach those who wait as errors', async () => {
  const { hub, client } = await pair();
  const odd: Record<string, () => unknown> = {
    getter: () => { throw Object.defineProperty(new Error('x'), 'code', { get() { throw new Error('gotcha'); } }); },
    message: () => { throw Object.assign(new Error(), { message: { toString() { throw 1; } } }); },
    name: () => { throw Object.assign(new Error(), { name: Symbol('n') }); },
    result: () => ({ get a() { throw null; } }),
  };
  for (const [name, run] of Object.entries(odd)) {
    const near = hub.sharedTask(name, run).wait();
    await hub.stats();
    const far = client.sharedTask(name, never).wait();
    if (name === 'result') await near;
    else await rejection(near);
    ok(await rejection(far) !== undefined, name);
  }
  await hub.close();
});

test('a timeout is any finite number of milliseconds above 0', async () => {
  for (const timeout of [60_000.5, 3e9, 2 ** 53, 1e300]) await (await createHub({ timeout })).close();
});

test('connect takes its options in either place, and nothing else for a target', async () => {
  const aborted = AbortSignal.abort('no');
  equal(await rejection(connect({ signal: aborted })), 'no');
  equal(await rejection(connect(undefined, { signal: aborted })), 'no');
  const channel = new BroadcastChannel('q');
  await rejects(connect(channel as any, { timeout: 1000 }), 'TypeError');
  await rejects(connect(channel as any), 'TypeError');
  channel.close();
});

test('the module may be a promise of any of its forms, and one of anything else is a LoadError', async () => {
  const bytes = await readFile(new URL('../../dist/clca.wasm', import.meta.url));
  for (const wasm of [WebAssembly.compile(bytes), Promise.resolve(bytes), Promise.resolve(new URL('../../dist/clca.wasm', import.meta.url))]) {
    const hub = await createHub({ wasm });
    equal(await hub.signal('here').signal(), 0);
    await hub.close();
  }
  await rejects(createHub({ wasm: Promise.resolve(5) as never }), 'LoadError', /\bwasm\b/);
});
