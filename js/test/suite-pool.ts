import { type Leak, type Lease, type PoolOptions, connect } from 'clca';
import { becomes, equal, gate, ok, rejection, rejects, throws, turn, untilAborted } from './assert.ts';
import type { FarRef } from './peer.ts';
import { type Place, fresh } from './place.ts';
import { caughtErrors } from './reports.ts';
import type { Test } from './runner.ts';

/** Pool: what is made and when, who is lent it and in which order, and what becomes of it. */
export function poolCases(test: Test, { hub, peer }: Place): void {
  const takenUp = async (): Promise<void> => {
    await hub.stats();
    await peer.fence();
  };

  /** A pool that numbers what it makes, with a log of it. */
  function logged(name: string, options: Partial<PoolOptions<any>> = {}, by = hub) {
    const log: string[] = [];
    let made = 0;
    let live = 0;
    const all: PoolOptions<{ id: number }> = {
      max: 2,
      create: () => {
        live++;
        log.push(`create ${++made}`);
        return { id: made };
      },
      destroy: ({ id }) => {
        live--;
        log.push(`destroy ${id}`);
      },
      ...options,
    };
    return { pool: by.pool(name, all), log, live: () => live };
  }

  /** Closes the pool and waits until nothing is left of it. */
  async function end(pool: { close(): Promise<unknown>; join(): Promise<void> }): Promise<void> {
    await pool.close();
    await pool.join();
  }

  const idOf = (lease: Lease<{ id: number }>): number => lease.resource.id;

  test('pool: makes what is needed, uses again what was released last, and no more than max', async () => {
    const { pool, log } = logged(fresh(), { max: 3 });
    const a = await pool.acquire();
    const b = await pool.acquire();
    equal(log, ['create 1', 'create 2']);
    equal(await pool.stats(), { max: 3, lent: 2, idle: 0, creating: 0, destroying: 0, waiting: 0 });
    await a.release();
    await b.release();
    equal((await pool.stats()).idle, 2);
    const again = await pool.acquire();
    equal(idOf(again), 2, 'the one that became idle last');
    const more = [await pool.acquire(), await pool.acquire()];
    equal(more.map(idOf), [1, 3]);
    const waits = pool.acquire();
    await hub.stats();
    equal((await pool.stats()).waiting, 1);
    await more[1]!.release();
    const last = await waits;
    equal(idOf(last), 3);
    for (const each of [again, more[0]!, last]) await each.release();
    await end(pool);
    equal(log.slice(3).sort(), ['destroy 1', 'destroy 2', 'destroy 3']);
  });

  test('pool: max holds for all realms together, and a resource stays in its own', async () => {
    const name = fresh();
    const { pool, log } = logged(name);
    const far = peer.pool(name, { max: 2 }, { uncloneable: true });
    const near = await pool.acquire();
    const theirs = await far.acquire();
    equal(theirs.value, 'a function', 'which could not travel');
    const waits = pool.acquire();
    await hub.stats();
    const farWaits = far.acquire();
    await takenUp();
    equal(await pool.stats(), { max: 2, lent: 2, idle: 0, creating: 0, destroying: 0, waiting: 2 });
    await near.release();
    const second = await waits;
    equal(idOf(second), 1);
    await peer.release(theirs);
    await peer.release(await farWaits);
    await second.release();
    equal(log, ['create 1']);
    equal(await peer.log(name), ['start']);
    await end(pool);
    await becomes(() => peer.log(name), ['start', 'stop: undefined']);
  });

  test('pool: those who wait are served in the order of arrival, in whatever realms they are', async () => {
    const name = fresh();
    const { pool } = logged(name, { max: 1 });
    const far = peer.pool(name, { max: 1 });
    const order: number[] = [];
    const first = await pool.acquire();
    const all: Promise<unknown>[] = [];
    for (let i = 0; i < 6; i++) {
      all.push(i % 2 === 0
        ? pool.acquire().then((lease) => (order.push(i), lease.release()))
        : far.acquire().then((lease: FarRef) => (order.push(i), peer.release(lease))));
      await takenUp();
    }
    equal((await pool.stats()).waiting, 6);
    await first.release();
    await Promise.all(all);
    equal(order, [0, 1, 2, 3, 4, 5]);
    await end(pool);
  });

  test('pool: a higher priority goes first, and changes nothing for those who hold', async () => {
    const name = fresh();
    const { pool } = logged(name, { max: 1 });
    const order: string[] = [];
    const first = await pool.acquire({ priority: -7 });
    const all = [['low', -1], ['0 first', 0], ['0 second', undefined], ['high', 5]].map(([who, priority]) =>
      pool.acquire({ priority: priority as number }).then((lease) => (order.push(who as string), lease.release())));
    const far = peer.pool(name, { max: 1 }).acquire({ priority: 9 }).then((lease) => (order.push('far'), peer.release(lease)));
    await takenUp();
    await first.release();
    await Promise.all([...all, far]);
    equal(order, ['far', 'high', '0 first', '0 second', 'low']);
    for (const priority of [1.5, NaN, '1', 2 ** 31] as any[]) await rejects(pool.acquire({ priority }), 'TypeError', /\bpriority\b/);
    await end(pool);
  });

  test("pool: a realm's idle resource is unmade for another realm that waits, and never are there more than max", async () => {
    const name = fresh();
    const unmaking = gate();
    const going = gate();
    let live = 0;
    const { pool, log } = logged(name, {
      max: 1,
      create: () => ({ id: ++live }),
      destroy: async () => {
        going.open();
        await unmaking.opened;
        live--;
      },
    });
    await (await pool.acquire()).release();
    const far = peer.pool(name, { max: 1 });
    const theirs = far.acquire();
    await going.opened;
    await takenUp();
    equal(await pool.stats(), { max: 1, lent: 0, idle: 0, creating: 0, destroying: 1, waiting: 1 });
    equal([live, await peer.log(name)], [1, []], 'theirs is not begun');
    unmaking.open();
    await peer.release(await theirs);
    equal([live, await peer.log(name)], [0, ['start']]);
    const near = await pool.acquire();
    equal(await peer.log(name), ['start', 'stop: undefined'], 'theirs is gone before ours was made');
    await near.release();
    equal(log, []);
    await end(pool);
  });

  test('pool: tryAcquire makes nothing and overtakes nobody', async () => {
    const name = fresh();
    const { pool, log } = logged(name, { max: 1 });
    equal(await pool.tryAcquire(), undefined);
    equal(log, []);
    const first = await pool.acquire();
    equal([await pool.tryAcquire(), await peer.pool(name, { max: 1 }).tryAcquire()], [undefined, undefined]);
    await first.release();
    equal(await peer.pool(name, { max: 1 }).tryAcquire(), undefined, 'it is idle in another realm');
    const tried = await pool.tryAcquire();
    equal(idOf(tried!), 1);
    const waits = pool.acquire();
    const release = tried!.release();
    const overtakes = pool.tryAcquire();
    equal(await overtakes, undefined);
    await release;
    await (await waits).release();
    equal(log, ['create 1']);
    await end(pool);
  });

  test('pool: what create throws is the error of its caller alone, and the next in line goes on', async () => {
    const name = fresh();
    const go = gate();
    const error = new EvalError('no resource');
    let calls = 0;
    const { pool } = logged(name, {
      max: 1,
      create: async () => {
        if (++calls > 1) return { id: calls };
        await go.opened;
        throw error;
      },
    });
    const failing = rejection(pool.acquire());
    const next = pool.acquire();
    await hub.stats();
    const far = peer.pool(name, { max: 1 }).acquire();
    await takenUp();
    go.open();
    ok(await failing === error, 'the error itself');
    const lease = await next;
    equal(idOf(lease), 2);
    await lease.release();
    await peer.release(await far);
    ok((await rejection(logged(fresh(), { create: () => { throw 'a string'; } }).pool.acquire())) === 'a string', 'as it was thrown');
    await end(pool);
    const refused = peer.pool(name, { max: 1 }, { error: { name: 'RangeError', message: 'not there' } });
    await rejects(refused.acquire(), 'RangeError', /not there/);
  });

  test('pool: what was being made for one who left is kept for the next one of that realm', async () => {
    const name = fresh();
    const go = gate();
    const begun = gate();
    let aborted = false;
    const { pool, log } = logged(name, {
      create: async (signal) => {
        signal.addEventListener('abort', () => (aborted = true));
        log.push('create');
        begun.open();
        await go.opened;
        return { id: 1 };
      },
    });
    const stop = new AbortController();
    const left = rejection(pool.acquire({ signal: stop.signal }));
    const late = rejects(pool.acquire({ timeout: 1 }), 'TimeoutError');
    await begun.opened;
    stop.abort('bored');
    equal(await left, 'bored');
    await late;
    go.open();
    await becomes(async () => (await pool.stats()).idle, 2);
    await (await pool.acquire()).release();
    equal([aborted, log], [false, ['create', 'create']]);
    await end(pool);
  });

  test('pool: an abort that crosses the grant gives it back', async () => {
    const name = fresh();
    const { pool, log } = logged(name, { max: 1 });
    await (await pool.acquire()).release();
    for (let round = 0; round < 10; round++) {
      const stop = new AbortController();
      const acquiring = pool.acquire({ signal: stop.signal }).catch((reason: unknown) => reason);
      for (let i = 0; i < round; i++) await undefined;
      stop.abort('bored');
      const outcome = await acquiring;
      if (outcome !== 'bored') await (outcome as Lease<unknown>).release();
      await becomes(async () => (await pool.stats()).idle, 1);
    }
    equal(log, ['create 1']);
    await end(pool);
  });

  test('pool: what validate does not like is replaced in its place, and not at the end of the line', async () => {
    for (const [what, validate] of [
      ['false', () => false], ['throws', () => { throw new Error('broken'); }],
      ['rejects', async () => { throw new Error('broken'); }], ['later false', async () => { await turn(); return false; }],
    ] as [string, () => boolean | Promise<boolean>][]) {
      const name = fresh();
      const { pool, log } = logged(name, { max: 1, validate });
      const first = await pool.acquire();
      const order: string[] = [];
      const second = pool.acquire().then((lease) => (order.push(`second ${idOf(lease)}`), lease));
      await hub.stats();
      const third = peer.pool(name, { max: 1 }).acquire().then((lease) => (order.push('third'), lease));
      await takenUp();
      await first.release();
      await (await second).release();
      await peer.release(await third);
      equal(order, ['second 2', 'third'], what);
      equal(log.slice(0, 3), ['create 1', 'destroy 1', 'create 2'], what);
      await end(pool);
    }
  });

  test('pool: validate is asked about what was used before, and tryAcquire goes on to the next', async () => {
    const name = fresh();
    const asked: number[] = [];
    const { pool, log } = logged(name, { max: 3, validate: ({ id }: { id: number }) => (asked.push(id), id !== 3) });
    const leases = [await pool.acquire(), await pool.acquire(), await pool.acquire()];
    equal(asked, []);
    for (const each of leases) await each.release();
    const tried = await pool.tryAcquire();
    equal([idOf(tried!), asked], [2, [3, 2]]);
    await becomes(() => log.includes('destroy 3'), true);
    await tried!.release();
    await end(pool);
  });

  test('pool: who is not to wait any longer does not wait for validate either', async () => {
    const name = fresh();
    const go = gate();
    const { pool, log } = logged(name, { max: 1, validate: async () => { await go.opened; return true; } });
    await (await pool.acquire()).release();
    const stop = new AbortController();
    const aborted = rejection(pool.acquire({ signal: stop.signal }));
    await becomes(async () => (await pool.stats()).lent, 1);
    await turn();
    stop.abort('bored');
    equal(await aborted, 'bored');
    await rejects(pool.acquire({ timeout: 1 }), 'TimeoutError');
    go.open();
    await becomes(async () => (await pool.stats()).idle, 1);
    await (await pool.acquire()).release();
    equal(log, ['create 1']);
    await end(pool);
  });

  test('pool: what has been idle for long enough is unmade', async () => {
    const name = fresh();
    const { pool, log, live } = logged(name, { idleTime: 1 });
    const [a, b] = await Promise.all([pool.acquire(), pool.acquire()]);
    await a.release();
    await becomes(() => live(), 1);
    equal(log, ['create 1', 'create 2', 'destroy 1']);
    equal((await pool.stats()).lent, 1);
    await b.release();
    await becomes(live, 0);
    await becomes(async () => (await pool.stats()).destroying, 0);
    const again = await pool.acquire();
    equal(idOf(again), 3);
    await again.release();
    await end(pool);
  });

  test('pool: destroy() of a lease unmakes its resource, and another is made for who waits', async () => {
    const name = fresh();
    const { pool, log } = logged(name, { max: 1 });
    const first = await pool.acquire();
    const waits = pool.acquire();
    await hub.stats();
    ok(first.destroy() === first.destroy() && first.destroy() === first.release(), 'one promise');
    await first.destroy();
    const second = await waits;
    equal([idOf(second), log], [2, ['create 1', 'destroy 1', 'create 2']]);
    const far = peer.pool(name, { max: 1 }).acquire();
    await takenUp();
    await second.destroy();
    await peer.destroy(await far);
    await becomes(() => peer.log(name), ['start', 'stop: undefined']);
    await end(pool);
  });

  test('pool: release is idempotent, and always the same promise; with() releases whatever comes', async () => {
    const name = fresh();
    const { pool, log } = logged(name, { max: 1 });
    const lease = await pool.acquire();
    ok(lease.release() === lease.release(), 'one promise');
    equal(await lease.release(), undefined);
    const other = await pool.acquire();
    await lease.release();
    await lease.destroy();
    equal((await pool.stats()).lent, 1, "it is another's now");
    await other.release();
    equal(await pool.with(({ resource }) => `used ${resource.id}`), 'used 1');
    await rejects(pool.with(() => { throw new URIError('in use'); }), 'URIError');
    equal([(await pool.stats()).idle, log], [1, ['create 1']]);
    if (Symbol.asyncDispose !== undefined) {
      const third = await pool.acquire();
      ok(third[Symbol.asyncDispose]() === third.release(), 'disposing is releasing');
      await third.release();
    }
    await end(pool);
  });

  test('pool: the hooks are called where the resource lives, in order', async () => {
    const name = fresh();
    const log: string[] = [];
    const hook = (what: string) => ({ id }: { id: number }) => void log.push(`${what} ${id}`);
    const { pool } = logged(name, {
      max: 1,
      create: () => (log.push('create'), { id: 1 }),
      destroy: () => void log.push('destroy'),
      onCreate: hook('created'), onAcquire: hook('acquired'), onRelease: hook('released'), onDestroy: hook('destroyed'),
      onLeak: () => void log.push('leaked'),
    });
    await (await pool.acquire()).release();
    await pool.with(() => void log.push('used'));
    await (await pool.acquire()).destroy();
    await becomes(async () => (await pool.stats()).destroying, 0);
    await peer.release(await peer.pool(name, { max: 1 }).acquire());
    equal(log, ['create', 'created 1', 'acquired 1', 'released 1', 'acquired 1', 'used', 'released 1', 'acquired 1', 'released 1',
      'destroy', 'destroyed 1']);
    await end(pool);
  });

  test('pool: a hook that throws is reported and not called again, and the pool works on', async () => {
    const name = fresh();
    const calls: string[] = [];
    const fails = (what: string) => (): void => {
      calls.push(what);
      throw new Error(`${what} failed`);
    };
    const { pool, live } = logged(name, {
      max: 1, onCreate: fails('onCreate'), onAcquire: fails('onAcquire'), onRelease: fails('onRelease'), onDestroy: fails('onDestroy'),
    });
    const errors = await caughtErrors(async () => {
      for (let i = 0; i < 3; i++) {
        await (await pool.acquire()).destroy();
        await becomes(live, 0);
      }
      await becomes(async () => (await pool.stats()).destroying, 0);
    });
    equal(calls, ['onCreate', 'onAcquire', 'onRelease', 'onDestroy']);
    equal(errors.map((each) => each.message), calls.map((each) => `${each} failed`));
    await end(pool);
  });

  test('pool: what destroy throws is reported, and its place is free', async () => {
    const name = fresh();
    const { pool } = logged(name, { max: 1, destroy: async () => { throw new Error('no end'); } });
    const errors = await caughtErrors(async () => {
      await (await pool.acquire()).destroy();
      await (await pool.acquire()).release();
      await end(pool);
    });
    equal(errors.map((each) => each.message), ['no end', 'no end']);
  });

  test('pool: a lease that is held for long is reported once, with the stack of its caller, and when it comes back', async () => {
    const name = fresh();
    const leaks: Leak<{ id: number }>[] = [];
    const { pool } = logged(name, { leakAfter: 5, onLeak: (leak) => void leaks.push(leak) }); // clocks are coarse
    async function theOneWhoForgets(): Promise<Lease<{ id: number }>> {
      return await pool.acquire();
    }
    const lease = await theOneWhoForgets();
    await becomes(() => leaks.length, 1);
    await turn();
    await turn();
    equal(leaks.map(({ kind, resource }) => [kind, resource.id]), [['held', 1]]);
    ok(leaks[0]!.stack!.includes('theOneWhoForgets') || !('captureStackTrace' in Error), `its caller is in ${leaks[0]!.stack}`);
    ok(leaks[0]!.heldFor > 0, 'for how long');
    equal(pool.outstanding().map(({ stack }) => stack === leaks[0]!.stack), [true]);
    await lease.release();
    await lease.release();
    equal(leaks.map(({ kind }) => kind), ['held', 'returned']);
    equal(pool.outstanding(), []);
    await end(pool);
  });

  test('pool: without leakAfter no stack is taken, and nothing is reported', async () => {
    const name = fresh();
    const leaks: unknown[] = [];
    const { pool } = logged(name, { onLeak: (leak) => void leaks.push(leak) });
    const lease = await pool.acquire();
    await turn();
    equal(pool.outstanding().map(({ stack }) => stack), [undefined]);
    equal([(await pool.close()).here.map(({ stack }) => stack), leaks], [[undefined], []]);
    await lease.release();
    await pool.join();
  });

  test('pool: close rejects who waits and resolves with what is out, and join waits until nothing is left', async () => {
    const name = fresh();
    const { pool, log } = logged(name, { leakAfter: 1e6 });
    const far = peer.pool(name, { max: 2 }, { value: 'theirs' });
    async function borrower(): Promise<Lease<{ id: number }>> {
      return await pool.acquire();
    }
    const mine = await borrower();
    const theirs = await far.acquire();
    const waiting = [rejects(pool.acquire(), 'ClosedError'), rejects(far.acquire(), 'ClosedError')];
    await takenUp();
    let joined = false;
    const joins = [pool.join().then(() => (joined = true)), far.join()];
    const { lent, here } = await pool.close();
    equal([lent, here.length], [2, 1]);
    ok(here[0]!.heldFor >= 0 && (here[0]!.stack!.includes('borrower') || !('captureStackTrace' in Error)), 'with its stack');
    await Promise.all(waiting);
    await rejects(pool.acquire(), 'ClosedError');
    await rejects(pool.tryAcquire(), 'ClosedError');
    equal((await far.close()).lent, 2, 'again');
    equal(joined, false);
    equal(mine.lost.aborted, false);
    await mine.release();
    await becomes(() => log, ['create 1', 'destroy 1']);
    await peer.release(theirs);
    await Promise.all(joins);
    equal(await peer.log(name), ['start', 'stop: "theirs"']);
    await (await pool.acquire()).release();
    await end(pool);
    await pool.join();
  });

  test('pool: what is being made when it is closed is unmade', async () => {
    const name = fresh();
    const go = gate();
    const begun = gate();
    const { pool, log } = logged(name, { create: async () => { begun.open(); await go.opened; return { id: 1 }; } });
    const waiting = rejects(pool.acquire(), 'ClosedError');
    await begun.opened;
    await pool.close();
    await waiting;
    const bored = new AbortController();
    const join = rejection(pool.join({ signal: bored.signal }));
    await rejects(pool.join({ timeout: 1 }), 'TimeoutError');
    bored.abort('bored');
    equal(await join, 'bored');
    go.open();
    await pool.join();
    equal(log, ['destroy 1']);
  });

  test('pool: the end of a session unmakes what it has there, once, and others get its places', async () => {
    const name = fresh();
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    const client = await connect(port2);
    const inClient = logged(name, {}, client);
    const lease = await inClient.pool.acquire();
    await (await inClient.pool.acquire()).release();
    const { pool } = logged(name);
    const waiting = [
      pool.acquire().then((each) => each.release()),
      peer.pool(name, { max: 2 }).acquire().then((each) => peer.release(each)),
      pool.acquire().then((each) => each.release()),
    ];
    await takenUp();
    const lost = new Promise((resolve) => lease.lost.addEventListener('abort', () => resolve((lease.lost.reason as Error).name)));
    await client.close();
    equal(await lost, 'ClosedError');
    await becomes(() => inClient.live(), 0);
    await lease.release();
    await turn();
    equal(inClient.log.sort(), ['create 1', 'create 2', 'destroy 1', 'destroy 2']);
    equal(inClient.pool.outstanding(), []);
    await Promise.all(waiting);
    await end(pool);
  });

  test('pool: what is being made when the session ends is aborted, and unmade if it is made all the same', async () => {
    const name = fresh();
    const { port1, port2 } = new MessageChannel();
    const session = hub.attach(port1);
    const client = await connect(port2);
    const begun = gate();
    const go = gate();
    const log: string[] = [];
    const waits = client.pool(name, {
      max: 2,
      create: async (signal) => {
        signal.addEventListener('abort', () => log.push(`abort: ${(signal.reason as Error).name}`));
        begun.open();
        await go.opened;
        return 'late';
      },
      destroy: (resource) => void log.push(`destroy ${resource}`),
    }).acquire();
    const other = client.pool(name, { max: 2, create: untilAborted }).acquire();
    await begun.opened;
    await client.stats();
    const errors = await caughtErrors(async () => {
      session.end();
      await rejects(waits, 'ClosedError');
      await rejects(other, 'ClosedError');
      go.open();
      await becomes(() => log, ['abort: ClosedError', 'destroy late']);
    });
    equal(errors, []);
    await becomes(async () => (await hub.pool(name, { max: 2, create() {} }).stats()).creating, 0);
  });

  test('pool: a validate that is under way when the session ends', async () => {
    const name = fresh();
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    const client = await connect(port2);
    const asked = gate();
    const inClient = logged(name, { validate: () => { asked.open(); return new Promise<boolean>(() => {}); } }, client);
    await (await inClient.pool.acquire()).release();
    const acquiring = rejects(inClient.pool.acquire(), 'ClosedError');
    await asked.opened;
    await client.close();
    await acquiring;
    await becomes(() => inClient.live(), 0);
    equal(inClient.pool.outstanding(), []);
  });

  test('pool: who says another max is told both', async () => {
    const name = fresh();
    const { pool } = logged(name, { max: 2 });
    const lease = await pool.acquire();
    const error = await rejects(logged(name, { max: 3 }).pool.acquire(), 'MismatchError', /max 2, not max 3/);
    ok(error.message.includes(JSON.stringify(name)), 'the name');
    await rejects(peer.pool(name, { max: 1 }).acquire(), 'MismatchError', /max 2, not max 1/);
    await lease.release();
    await end(pool);
    const other = logged(name, { max: 3 });
    await (await other.pool.acquire()).release();
    await end(other.pool);
  });

  test('pool: bad options throw a TypeError that names them', async () => {
    const before = await hub.stats();
    const good = { max: 1, create() {} };
    for (const name of [undefined, 5, {}] as any[]) throws(() => hub.pool(name, good), 'TypeError', /\bname\b/);
    for (const options of [undefined, null, 5] as any[]) throws(() => hub.pool('p', options), 'TypeError', /\boptions\b/);
    for (const max of [undefined, 0, -1, 1.5, NaN, Infinity, '1', 2 ** 31] as any[]) {
      throws(() => hub.pool('p', { ...good, max }), 'TypeError', /\bmax\b/);
    }
    for (const create of [undefined, null, 5] as any[]) throws(() => hub.pool('p', { ...good, create }), 'TypeError', /\bcreate\b/);
    for (const name of ['destroy', 'validate', 'onCreate', 'onAcquire', 'onRelease', 'onDestroy', 'onLeak']) {
      for (const bad of [null, 5, {}]) throws(() => hub.pool('p', { ...good, [name]: bad }), 'TypeError', new RegExp(`\\b${name}\\b`));
    }
    for (const name of ['idleTime', 'leakAfter']) {
      for (const bad of [0, -1, NaN, Infinity, '5', null]) {
        throws(() => hub.pool('p', { ...good, [name]: bad }), 'TypeError', new RegExp(`\\b${name}\\b`));
      }
    }
    await rejects(hub.pool('p', good).acquire({ timeout: 0 }), 'TypeError', /\btimeout\b/);
    await rejects(hub.pool('p', good).acquire(null as any), 'TypeError', /\boptions\b/);
    await rejects(hub.pool('p', good).with(5 as any), 'TypeError');
    equal(await hub.stats(), before);
  });

  test('pool: the functions are called as methods of the options', async () => {
    const name = fresh();
    const options = {
      max: 1,
      log: [] as string[],
      create() { this.log.push('create'); return 'resource'; },
      validate() { this.log.push('validate'); return true; },
      destroy() { this.log.push('destroy'); },
      onAcquire() { this.log.push('onAcquire'); },
    };
    const pool = hub.pool(name, options);
    await (await pool.acquire()).release();
    await (await pool.acquire()).release();
    await end(pool);
    equal(options.log, ['create', 'onAcquire', 'validate', 'onAcquire', 'destroy']);
  });

  test('pool: 1,000 acquires of two realms, never more than max', async () => {
    const name = fresh();
    const { pool, live } = logged(name, { max: 4 });
    const far = peer.pool(name, { max: 4 });
    let used = 0;
    const near = Array.from({ length: 800 }, async () => {
      const lease = await pool.acquire();
      ok(live() <= 4, 'no more than max');
      used++;
      await lease.release();
    });
    const theirs = Array.from({ length: 200 }, () => far.acquire().then((lease) => (used++, peer.release(lease))));
    await Promise.all([...near, ...theirs]);
    equal(used, 1000);
    const { lent, idle, waiting } = await pool.stats();
    ok(lent === 0 && waiting === 0 && idle <= 4, 'all came back');
    await end(pool);
  }, 30_000);

  test('pool: a lease that its hooks give back is given back once', async () => {
    const name = fresh();
    let lease: Lease<string> | undefined;
    const told: string[] = [];
    const back = gate();
    const pool = hub.pool(name, {
      max: 1,
      leakAfter: 1,
      create: () => 'resource',
      onRelease() { told.push('onRelease'); void lease!.release(); },
      onLeak({ kind }) {
        told.push(kind);
        lease!.release().then(() => back.open());
      },
    });
    lease = await pool.acquire();
    await back.opened;
    await lease.release();
    equal(told, ['held', 'returned', 'onRelease']);
    await end(pool);
  });
}
