import { type AttachOptions, type Hub, connect } from 'clca';
import { becomes, equal, rejection, rejects, throws, untilAborted } from './assert.ts';
import { Version } from '../src/abi.ts';
import { Raw } from './hostile-raw.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';

/** What a realm may do that is let in with limits, and what it gets to see. */
export function limitCases(test: Test, { hub, peer }: Place): void {
  /** One more client, below the given one. */
  async function below(parent: Hub, limits?: AttachOptions): Promise<Hub> {
    const { port1, port2 } = new MessageChannel();
    parent.attach(port1, limits);
    return connect(port2);
  }

  const names = async (promises: Promise<unknown>[]): Promise<string[]> => {
    return Promise.all(promises.map((each) => each.then(() => 'resolved', ({ name }) => name)));
  };

  test('at its limit a session gets an error for new calls, while the old ones go on, and recovers as they settle', async () => {
    const name = fresh();
    const client = await below(hub, { limit: 2 });
    const first = client.signal(`${name} 1`).wait();
    const second = client.signal(`${name} 2`).wait();
    const over = [
      client.signal(name).wait(), client.signal(name).signal(), client.event(name).set(), client.lock(name).tryAcquire(),
      client.queue(name).put('refused'), client.sharedTask(name, () => 1).wait(), client.latch(name, 1).countDown(),
    ];
    equal(await names(over), over.map(() => 'LimitError'));
    equal(await hub.signal(`${name} 1`).signal(), 1);
    await first;
    const third = client.signal(`${name} 3`).wait();
    await rejects(client.signal(name).wait(), 'LimitError');
    equal([await hub.signal(`${name} 2`).signal(), await hub.signal(`${name} 3`).signal()], [1, 1]);
    await Promise.all([second, third]);
    equal(await hub.event(name).isSet(), false);
    equal(await hub.queue(name).tryGet(), undefined);
    equal(await client.signal(name).signal(), 0);
    await client.close();
  });

  test('what is held counts for the limit until it is given back', async () => {
    const name = fresh();
    const client = await below(hub, { limit: 1 });
    const guard = await client.lock(name).acquire();
    await rejects(client.event(name).isSet(), 'LimitError');
    await guard.release();
    equal(await client.event(name).isSet(), false);
    await client.close();
  });

  test('a call that was ended makes room for another', async () => {
    const name = fresh();
    const client = await below(hub, { limit: 1 });
    const stop = new AbortController();
    const wait = rejection(client.signal(name).wait({ signal: stop.signal }));
    await rejects(client.signal(name).wait(), 'LimitError');
    stop.abort('enough');
    equal(await wait, 'enough');
    equal(await client.signal(name).signal(), 0);
    await client.close();
  });

  test('a limit bounds what a session and all below it have outstanding together', async () => {
    const name = fresh();
    const waiting = async (): Promise<number> => (await hub.signal(name).stats()).waiting;
    const parent = await below(hub, { limit: 7 }); // four sessions below it, and three calls
    const children = [await below(parent), await below(parent, { limit: 100 }), await below(parent, { limit: 1 })];
    const grandchild = await below(children[0]!);
    const ends = [children[1]!, children[1]!, grandchild].map((each) => rejects(each.signal(name).wait(), 'ClosedError'));
    await becomes(waiting, 3);
    for (const each of [parent, ...children, grandchild]) await rejects(each.signal(name).wait(), 'LimitError');
    await grandchild.close();
    await becomes(waiting, 2);
    ends.push(rejects(children[2]!.signal(name).wait(), 'ClosedError'));
    await becomes(waiting, 3);
    const own = parent.signal(name).wait();
    await rejects(parent.signal(name).wait(), 'LimitError');
    await children[2]!.close();
    await children[1]!.close();
    await Promise.all(ends);
    await becomes(waiting, 1);
    const again = [parent, parent, children[0]!, children[0]!, children[0]!].map((each) => each.signal(name).wait());
    await becomes(waiting, 6);
    for (const each of [parent, children[0]!]) await rejects(each.signal(name).wait(), 'LimitError');
    equal(await hub.signal(name).signal(), 6);
    await Promise.all([own, ...again]);
    await parent.close();
  });

  test('a session at its limit lets nobody in, until it has room again', async () => {
    const name = fresh();
    const parent = await below(hub, { limit: 2 });
    const child = await below(parent);
    const wait = child.signal(name).wait();
    await child.stats().catch(() => {});
    await rejects(below(parent), 'ClosedError');
    equal(await hub.signal(name).signal(), 1);
    await wait;
    const second = await below(parent);
    await rejects(second.signal(name).signal(), 'LimitError');
    await parent.close();
  });

  test('a limit that makes no sense lets nobody in, whoever says it', async () => {
    for (const limit of [0, -1, 0.5, NaN, Infinity, 2 ** 31, '5', null] as any[]) {
      throws(() => hub.attach(new MessageChannel().port1, { limit }), 'TypeError', /\blimit\b/);
    }
    const { raw, end } = Raw.enter(hub, { limit: 1 });
    await raw.hello();
    const { sessions } = await hub.stats();
    for (const [id, limit] of [-1, 0.5, NaN, 2 ** 32, 2 ** 32 - 1, -(2 ** 32) + 100, '5', null, {}].entries()) {
      const child = new Raw(raw.admit(id, { limit }));
      child.post({ clca: 'hello', version: Version, lock: undefined });
    }
    await new Raw(raw.admit(100, { limit: 1 })).hello();
    equal((await hub.stats()).sessions, sessions + 1);
    end();
  });

  test('outside of its prefix a session may do nothing, of no kind', async () => {
    const name = fresh();
    const client = await below(hub, { prefix: `${name}/` });
    const calls: Record<string, (name: string) => Promise<unknown>[]> = {
      signal: (n) => [client.signal(n).wait(), client.signal(n).signal(), client.signal(n).stats(), client.signal(n).close()],
      checkpoint: (n) => {
        const one = client.checkpoint(n);
        return [one.arm(), one.wait(), one.resume(), one.disarm(), one.stats(), one.close()];
      },
      sharedTask: (n) => [client.sharedTask(n, untilAborted).wait(), client.sharedTask(n, () => {}).stats(), client.sharedTask(n, () => {}).close()],
      once: (n) => [client.once(n, untilAborted).run(), client.once(n, () => {}).isDone(), client.once(n, () => {}).close()],
      sharedResource: (n) => [client.sharedResource(n, { start() {} }).acquire(), client.sharedResource(n, { start() {} }).close()],
      locks: (n) => [client.lock(n), client.reentrantLock(n), client.rwlock(n)].flatMap((one) => [
        one.acquire(), one.tryAcquire(), one.isLocked(), one.stats(), one.close(),
      ]),
      steal: (n) => [client.lock(n).steal(), client.rwlock(n).steal(), client.locks.request(n, () => {})],
      condition: (n) => [client.condition(client.lock(n)).notify(), client.condition(client.lock(n), `${name}/`).stats()],
      semaphore: (n) => {
        const one = client.semaphore(n, 2);
        return [one.acquire(), one.tryAcquire(), one.resize(3), one.stats(), one.close()];
      },
      event: (n) => [client.event(n).wait(), client.event(n).set(), client.event(n).clear(), client.event(n).isSet(), client.event(n).close()],
      barrier: (n) => [client.barrier(n, 2).wait(), client.barrier(n, 2).reset(), client.barrier(n, 2).isBroken(), client.barrier(n, 2).close()],
      latch: (n) => [client.latch(n, 2).wait(), client.latch(n, 2).countDown(), client.latch(n, 2).stats(), client.latch(n, 2).close()],
      queue: (n) => {
        const one = client.queue(n);
        const item = new ArrayBuffer(8);
        return [
          one.put('x'), one.put(item, { transfer: [item] }), one.tryPut('x'), one.get(), one.tryGet(), one.taskDone(), one.join(),
          one.stats(), one.items().next(), one.close(), one.close({ now: true }),
        ];
      },
      pool: (n) => {
        const one = client.pool(n, { max: 1, create() {} });
        return [one.acquire(), one.tryAcquire(), one.join(), one.stats(), one.close()];
      },
    };
    const set = hub.event(name);
    await set.set();
    for (const outside of [name, '', `${name.slice(0, -1)}`, ` ${name}/`, `${name}\\`]) {
      for (const [kind, make] of Object.entries(calls)) {
        const made = make(outside);
        equal(await names(made), made.map(() => 'DeniedError'), kind);
      }
    }
    equal(await set.isSet(), true);
    await set.close();
    await client.close();
  });

  test('a condition is as allowed as its lock', async () => {
    const name = fresh();
    const client = await below(hub, { prefix: `${name}/` });
    const lock = client.lock(`${name}/lock`);
    const condition = client.condition(lock, 'any name');
    const guard = await lock.acquire();
    const wait = condition.wait(guard);
    await client.stats();
    equal(await hub.condition(hub.lock(`${name}/lock`), 'any name').notify(), 1);
    await wait;
    await guard.release();
    await rejects(client.condition(client.lock(name), '/lock').notify(), 'DeniedError');
    await client.close();
  });

  test('a prefix is compared by UTF-16 units: half a pair is a prefix of the pair', async () => {
    const half = '\ud83d';
    const client = await below(hub, { prefix: half });
    equal(await client.signal(half).signal(), 0);
    equal(await client.signal('\ud83d\ude00').signal(), 0);
    for (const other of ['\ufffd', '\ude00', '\ud83c', '']) await rejects(client.signal(other).signal(), 'DeniedError');
    const narrow = await below(client, { prefix: '\ud83d\ude00' });
    await rejects(narrow.signal(half).signal(), 'DeniedError');
    equal(await narrow.signal('\ud83d\ude00!').signal(), 0);
    const elsewhere = await below(client, { prefix: '\ud83d\ufffd' });
    await rejects(elsewhere.signal('\ud83d\ude00').signal(), 'DeniedError');
    await client.close();
  });

  test('a query shows a session no names but its own', async () => {
    const name = fresh();
    const client = await below(hub, { prefix: `${name}/mine` });
    const theirs = await hub.rwlock(`${name}/theirs`).acquire();
    const waiting = peer.rwlock(`${name}/theirs`).acquire();
    const ours = await hub.rwlock(`${name}/mine too`).acquire();
    const own = client.rwlock(`${name}/mine too`).acquire({ mode: 'shared' });
    await peer.fence();
    await client.stats();
    const { held, pending } = await client.locks.query();
    equal([held.map((each) => each.name), pending.map((each) => each.name)], [[`${name}/mine too`], [`${name}/mine too`]]);
    equal((await hub.locks.query()).held.length, 2);
    await ours.release();
    await (await own).release();
    await theirs.release();
    await peer.release(await waiting);
    await client.close();
  });

  test('a query at the limit is a LimitError, and a query afterwards is right', async () => {
    const name = fresh();
    const client = await below(hub, { limit: 1 });
    const guard = await client.rwlock(name).acquire();
    await rejects(client.locks.query(), 'LimitError');
    await guard.release();
    equal(await client.locks.query(), { held: [], pending: [] });
    await client.close();
  });

  test('stats count for a session with a prefix only itself and those below it', async () => {
    const name = fresh();
    const waits = [hub.signal(`${name}/theirs`).wait(), peer.signal(`${name}/theirs`).wait()];
    await peer.fence();
    const client = await below(hub, { prefix: `${name}/` });
    const nothing = { sessions: 1, names: 0, calls: 0, runs: 0, dropped: 0, unreported: 0 };
    equal(await client.stats(), nothing);
    const child = await below(client, { prefix: `${name}/child` });
    const sibling = await below(hub, { prefix: `${name}/` });
    const own = [client.signal(`${name}/x`).wait(), child.signal(`${name}/child`).wait(), child.signal(`${name}/child`).wait()];
    const others = sibling.signal(`${name}/x`).wait();
    for (const each of [child, sibling]) await each.stats();
    equal(await client.stats(), { ...nothing, sessions: 2, names: 2, calls: 3 });
    equal(await child.stats(), { ...nothing, names: 1, calls: 2 });
    const task = child.sharedTask(`${name}/child`, untilAborted).wait();
    equal(await child.stats(), { ...nothing, names: 2, calls: 3, runs: 1 });
    equal((await hub.stats()).calls >= 7, true);
    equal([await hub.signal(`${name}/x`).signal(), await hub.signal(`${name}/child`).signal()], [2, 2]);
    equal(await hub.signal(`${name}/theirs`).signal(), 2);
    await Promise.all([...own, others, ...waits]);
    const ended = rejects(task, 'ClosedError');
    await child.close();
    await ended;
    await becomes(() => client.stats(), nothing);
    await client.close();
    await sibling.close();
  });

  test('a session that may use no name can do nothing, and sees nothing', async () => {
    const parent = await below(hub, { prefix: 'a/' });
    const client = await below(parent, { prefix: 'b/' });
    for (const name of ['', 'a/', 'b/', 'a/b/', 'b/a/']) await rejects(client.signal(name).signal(), 'DeniedError');
    equal(await client.locks.query(), { held: [], pending: [] });
    equal((await client.stats()).sessions, 1);
    const child = await below(client, { prefix: 'a/' });
    await rejects(child.signal('a/').signal(), 'DeniedError');
    await parent.close();
  });

  test('a session that was let in cannot end the hub, nor another session that is not below it', async () => {
    const name = fresh();
    const client = await below(hub);
    const other = await below(hub);
    const pending = other.signal(name).wait();
    await other.stats();
    const { raw, end } = Raw.enter(hub);
    await raw.hello();
    raw.post({ clca: 'close' });
    for (const id of [0, 1, 2, 3, -1, '0', { id: 0 }]) raw.post({ clca: 'end', id });
    await raw.hello();
    await client.close();
    equal(await hub.signal(name).signal(), 1);
    await pending;
    await other.close();
    end();
  });
}
