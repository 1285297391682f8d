import { type AttachOptions, type Hub, type WaitOptions, connect } from 'clca';
import { becomes, equal, rejection, rejects, throws, untilAborted } from './assert.ts';
import { CallWords, Kind, Op, Version } from '../src/abi.ts';
import { Speaker, heardAll } from './last-words.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';

/** Sessions: letting a realm in, restricting it, shutting it out. */
export function sessionCases(test: Test, { hub, peer }: Place): void {
  /** One more client in this realm, below the one under test. */
  async function another(limits?: AttachOptions): Promise<Hub> {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1, limits);
    return connect(port2);
  }

  const sessions = async () => (await hub.stats()).sessions;

  test('attach and connect may come in either order', async () => {
    const before = await sessions();
    const first = new MessageChannel();
    hub.attach(first.port1);
    await hub.stats();
    const late = await connect(first.port2);

    const second = new MessageChannel();
    const early = connect(second.port2);
    await hub.stats();
    hub.attach(second.port1);
    const name = fresh();
    const wait = (await early).signal(name).wait();
    await (await early).stats();
    equal(await late.signal(name).signal(), 1);
    await wait;
    equal(await sessions(), before + 2);
    await late.close();
    await (await early).close();
    await becomes(sessions, before);
  });

  test('connect waits no longer than it is told to', async () => {
    const { port2 } = new MessageChannel(); // nobody attaches the other
    await rejects(connect(port2, { timeout: 1 }), 'TimeoutError');
    const next = new MessageChannel();
    const stop = new AbortController();
    const connecting = connect(next.port2, { signal: stop.signal });
    stop.abort('bored');
    equal(await rejection(connecting), 'bored');
    const third = new MessageChannel();
    equal(await rejection(connect(third.port2, { signal: AbortSignal.abort('before') })), 'before');
  });

  test('bad arguments of connect reject with a TypeError that names them', async () => {
    const { port1 } = new MessageChannel();
    for (const options of [5, 'x', null] as any[]) await rejects(connect(port1, options), 'TypeError', /\boptions\b/);
    for (const timeout of [0, NaN, '5'] as any[]) {
      await rejects(connect(port1, { timeout }), 'TypeError', /\btimeout\b/);
      await rejects(connect({ timeout } as WaitOptions), 'TypeError', /\btimeout\b/);
    }
    await rejects(connect(port1, { signal: 1 as any }), 'TypeError', /\bsignal\b/);
    port1.close();
  });

  test('close ends a session: what is pending rejects, later calls too, and nothing of it is left', async () => {
    const name = fresh();
    const client = await another();
    const before = await hub.stats();
    const wait = rejects(client.signal(name).wait(), 'ClosedError');
    const arm = rejects(client.checkpoint(name).arm(), 'ClosedError');
    const ref = await client.sharedResource(name, { start: () => 1 }).acquire();
    const closing = client.close();
    await wait;
    await arm;
    equal(await closing, undefined);
    equal(await client.closed, undefined);
    equal(ref.lost.aborted, true);
    equal((ref.lost.reason as Error).name, 'ClosedError');
    equal(await ref.release(), undefined);
    await rejects(client.signal(name).signal(), 'ClosedError');
    await rejects(client.stats(), 'ClosedError');
    throws(() => client.attach(new MessageChannel().port1), 'ClosedError');
    equal(await client.close(), undefined);
    await becomes(() => hub.stats(), { ...before, sessions: before.sessions - 1 });
    equal(await hub.signal(name).signal(), 0);
  });

  test('what was called before close is still done', async () => {
    const name = fresh();
    const client = await another();
    const wait = hub.signal(name).wait();
    await hub.stats();
    const count = client.signal(name).signal();
    count.catch(() => {});
    await client.close();
    await wait;
  });

  test('however much was called before close, all of it is done', async () => {
    const name = fresh();
    const client = await another();
    await (await Speaker.prepare(client, name)).speak();
    await client.close();
    await heardAll(hub, name);
  });

  if (Symbol.asyncDispose !== undefined) {
    test('a session is async disposable', async () => {
      const client = await another();
      await client[Symbol.asyncDispose]();
      equal(await client.closed, undefined);
    });
  }

  test('end() shuts a realm out at once', async () => {
    const name = fresh();
    const before = await hub.stats();
    const { port1, port2 } = new MessageChannel();
    const session = hub.attach(port1);
    const client = await connect(port2);
    const wait = rejects(client.signal(name).wait(), 'ClosedError');
    await client.stats();
    equal((await hub.signal(name).stats()).waiting, 1);
    session.end();
    await wait;
    equal(await client.closed, undefined);
    await rejects(client.signal(name).signal(), 'ClosedError');
    equal(await hub.signal(name).signal(), 0);
    session.end();
    await becomes(() => hub.stats(), before);
  });

  test("a session's end is also the end of those below it", async () => {
    const before = await hub.stats();
    const name = fresh();
    const child = await another();
    const { port1, port2 } = new MessageChannel();
    child.attach(port1);
    const grandchild = await connect(port2);
    const wait = rejects(grandchild.signal(name).wait(), 'ClosedError');
    await grandchild.stats();
    equal(await sessions(), before.sessions + 2);
    await child.close();
    await wait;
    equal(await grandchild.closed, undefined);
    await becomes(() => hub.stats(), before);
  });

  test('a realm that is let in by one that is let in can use the hub', async () => {
    const name = fresh();
    const child = await another();
    const { port1, port2 } = new MessageChannel();
    const session = child.attach(port1);
    const grandchild = await connect(port2);
    const wait = grandchild.signal(name).wait();
    await grandchild.stats();
    equal(await peer.signal(name).signal(), 1);
    await wait;
    session.end();
    equal(await grandchild.closed, undefined);
    equal(await child.signal(name).signal(), 0);
    await child.close();
  });

  test('a prefix keeps a realm to its names', async () => {
    const name = fresh();
    const client = await another({ prefix: 'mine/' });
    const wait = client.signal(`mine/${name}`).wait();
    await client.stats();
    equal(await hub.signal(`mine/${name}`).signal(), 1);
    await wait;
    const error = await rejects(client.signal(name).wait(), 'DeniedError');
    equal(error.code, 'DENIED');
    for (const call of [
      () => client.signal(name).signal(), () => client.signal(name).stats(), () => client.signal(name).close(),
      () => client.checkpoint('mine').arm(), () => client.checkpoint('').wait(), () => client.checkpoint(name).resume(),
      () => client.sharedTask(name, () => {}).wait(), () => client.sharedResource(name, { start() {} }).acquire(),
    ]) await rejects(call(), 'DeniedError');
    await client.close();
  });

  test('a prefix counts no name of others', async () => {
    const name = fresh();
    const waits = [hub.signal(name).wait(), hub.signal(name).wait()];
    const client = await another({ prefix: `${name}/` });
    equal(await client.signal(`${name}/`).signal(), 0);
    equal(await hub.signal(name).signal(), 2);
    await Promise.all(waits);
    await client.close();
  });

  test('a realm lets others in with no more than its own rights', async () => {
    const child = await another({ prefix: 'a/', limit: 8 });
    const letIn = async (limits: AttachOptions): Promise<Hub> => {
      const { port1, port2 } = new MessageChannel();
      child.attach(port1, limits);
      return connect(port2);
    };
    const same = await letIn({});
    equal(await same.signal('a/x').signal(), 0);
    await rejects(same.signal('b').signal(), 'DeniedError');
    const narrower = await letIn({ prefix: 'a/b/', limit: 2 });
    equal(await narrower.signal('a/b/c').signal(), 0);
    await rejects(narrower.signal('a/x').signal(), 'DeniedError');
    const wider = await letIn({ prefix: '', limit: 100 });
    await rejects(wider.signal('z/x').signal(), 'DeniedError');
    // Each realm that it has let in counts as a call.
    const waits = Array.from({ length: 6 }, () => wider.signal('a/x').wait());
    await rejects(waits[5]!, 'LimitError');
    equal(await hub.signal('a/x').signal(), 5);
    await Promise.all(waits.slice(0, 5));
    const other = await letIn({ prefix: 'z/' });
    for (const name of ['z/x', 'a/x', 'a/z/x']) await rejects(other.signal(name).signal(), 'DeniedError');
    await child.close();
    for (const each of [same, narrower, wider, other]) equal(await each.closed, undefined);
  });

  test('a limit bounds the calls that are outstanding', async () => {
    const name = fresh();
    const client = await another({ limit: 3 });
    const waits = Array.from({ length: 3 }, () => client.signal(name).wait());
    const error = await rejects(client.signal(name).wait(), 'LimitError');
    equal(error.code, 'LIMIT');
    equal(await hub.signal(name).signal(), 3);
    await Promise.all(waits);
    const again = client.signal(name).wait();
    await client.stats();
    equal(await hub.signal(name).signal(), 1);
    await again;
    await client.close();
  });

  test('a port that is transferred is a capability that can be passed on', async () => {
    const name = fresh();
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    const way = new MessageChannel();
    const arrived = new Promise<MessagePort>((resolve) => {
      way.port2.onmessage = (event) => resolve(event.data as MessagePort);
    });
    way.port1.postMessage(port2, [port2]);
    const client = await connect(await arrived);
    equal(await client.signal(name).signal(), 0);
    await client.close();
    way.port1.close();
  });

  test('what is no message of the protocol is dropped, and disturbs nobody', async () => {
    const name = fresh();
    const { port1, port2 } = new MessageChannel();
    const session = hub.attach(port1);
    const wait = hub.signal(name).wait();
    const far = peer.signal(name).wait();
    const { dropped } = await hub.stats();
    await peer.fence();
    const random = Array.from({ length: 200 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);
    for (const message of malformed(random)) port2.postMessage(message);
    const client = await connect(port2);
    const own = client.signal(name).wait();
    for (const message of malformed(random)) port2.postMessage(message);
    await client.stats();
    equal(await client.signal(name).signal(), 3);
    await Promise.all([wait, far, own]);
    equal((await hub.stats()).dropped > dropped, true);
    session.end();
    equal(await client.closed, undefined);
  });

  test('a realm that sends well-formed nonsense disturbs nobody else', async () => {
    const name = fresh();
    const ref = await hub.sharedResource(name, { start: () => 'live' }).acquire();
    const stop = new AbortController();
    const task = hub.sharedTask(name, untilAborted).wait({ signal: stop.signal });
    const wait = hub.signal(name).wait();
    const arm = rejects(hub.checkpoint(name).arm(), 'DisarmedError');
    const before = await hub.stats();

    const { port1, port2 } = new MessageChannel();
    const session = hub.attach(port1);
    const welcome = new Promise<{ epoch: number }>((resolve) => {
      port2.onmessage = ({ data }) => data.clca === 'welcome' && resolve(data);
    });
    port2.postMessage({ clca: 'hello', version: Version, lock: undefined });
    const { epoch } = await welcome;
    let seed = 1;
    const random = (below: number): number => (seed = Math.imul(seed, 48271) >>> 1) % below;
    for (let round = 0; round < 200; round++) {
      const words = new Uint32Array(1 + CallWords * 50);
      words[0] = epoch;
      for (let at = 1; at < words.length; at += CallWords) {
        // At first they name things, and some of what they finish is theirs.
        if (round < 4) words.set([Op.Bind, at / CallWords, random(Kind.Denied), 1 + random(3), 0], at);
        else words.set([random(Op.Stats + 2), random(64), random(64), random(200), random(5)], at);
        if (random(10) === 0) words[at + random(CallWords)] = 2 ** 32 - 1 - random(3);
      }
      const names = Array.from({ length: 50 }, (_, i) => (i % 9 === 8 ? i : `theirs ${i % 5}`));
      const items = Array.from({ length: 20 }, (_, i) => (i % 9 === 8 ? i : [random(64), 'an item']));
      port2.postMessage({ clca: 'batch', words, names, items });
    }
    const heard = new Promise<void>((resolve) => {
      port2.onmessage = ({ data }) => data.clca === 'welcome' && resolve();
    });
    port2.postMessage({ clca: 'hello', version: Version, lock: undefined }); // answered when all the above was heard
    await heard;
    const theirs = new Promise((resolve) => {
      port2.onmessage = ({ data }) => data.clca === 'over' && resolve(data.reason);
    });
    session.end();
    equal(await theirs, 'ended');
    await becomes(async () => (await hub.stats()).sessions, before.sessions);
    const { dropped } = await hub.stats();
    equal(dropped > before.dropped, true);
    equal(await hub.stats(), { ...before, dropped });
    equal(await hub.sharedTask(name, () => {}).stats(), { state: 'running', waiting: 1, runs: 1 });
    equal(ref.lost.aborted, false);
    equal(await hub.signal(name).signal(), 1);
    await wait;
    equal(await hub.checkpoint(name).disarm(), true);
    await arm;
    stop.abort('enough');
    equal(await rejection(task), 'enough');
    await hub.sharedTask(name, () => {}).close();
    await ref.release();
  });
}

/** Messages of all shapes; none of them is one that a client would send. */
function malformed(random: number[]): unknown[] {
  return [
    undefined, null, true, 0, 1e308, NaN, '', 'hello', 10n, new Date(0), /x/, [], {}, [[]], new Map([[1, 2]]),
    new ArrayBuffer(16), new Uint8Array(16), new Float64Array(4), new Int32Array(5), new Error('an error'),
    ...[0, 1, 2, 3, 4, 6].map((length) => new Uint32Array(length)),
    new Uint32Array(random), new Uint32Array(random.slice(0, 5)), new Uint32Array([0xffffffff, 5, 0, 0, 0]),
    ...[5, null, {}, '', 'nonsense', 'welcome', 'over', 'ping', 'pong', 'close', 'serve'].map((clca) => ({ clca })),
    { clca: 'batch' }, { clca: 'batch', words: 'x', names: [] }, { clca: 'batch', words: new Uint32Array(5), names: 5 },
    { clca: 'batch', words: new Uint32Array(5), names: [5, {}, null] }, { clca: 'batch', words: [1, 2, 3], names: [] },
    { clca: 'payload' }, { clca: 'payload', run: 'x', payload: {} }, { clca: 'payload', run: 1, payload: null },
    { clca: 'admit' }, { clca: 'admit', id: 1 }, { clca: 'admit', id: 1, port: {} },
    { clca: 'end' }, { clca: 'end', id: 12345 }, { clca: 'end', id: {} },
    { clca: 'serve', wasm: 'nowhere.wasm' }, { clca: 'elsewhere', url: 'nowhere.js' },
  ];
}
