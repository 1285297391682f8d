/**
 * A client that minds its own business, of which it knows exactly how it should go: what it waits for does not come, what it holds
 * stays, and whatever it does, once more and once more, comes to the same.
 */

import type { Hub } from 'clca';
import { equal, ok, rejects, turn } from './assert.ts';

export class Honest {
  /** What should not have happened. */
  readonly surprises: string[] = [];

  /** All its names begin with this, which is best kept from others. */
  readonly name: string;

  #hub: Hub;
  #other: Hub; // of a friend, in another session
  #waits: Record<string, Promise<unknown>> = {};
  #settled = false;
  #releases: { release(): Promise<void> }[] = [];
  #finish!: (value: string) => void;
  #live = 0;

  constructor(hub: Hub, other: Hub, name: string) {
    this.#hub = hub;
    this.#other = other;
    this.name = name;
  }

  /** Begins to hold and to wait, of everything. */
  async hold(): Promise<void> {
    const hub = this.#hub;
    const other = this.#other;
    const name = `${this.name}held`;
    const guard = await hub.lock(name).acquire();
    const shared = await hub.rwlock(name).acquire({ mode: 'shared' });
    const reentrant = await hub.reentrantLock(name).acquire();
    const permit = await hub.semaphore(name, 3).acquire({ permits: 2 });
    const ref = await hub.sharedResource(name, {
      start: () => ++this.#live,
      stop: () => void this.#live--,
    }).acquire();
    const lease = await hub.pool(name, { max: 1, create: () => ++this.#live, destroy: () => void this.#live-- }).acquire();
    for (const token of [guard, shared, reentrant, permit, ref, lease]) {
      token.lost.addEventListener('abort', () => this.surprises.push(`lost: ${String(token.lost.reason)}`));
      this.#releases.push(token);
    }
    await hub.latch(name, 2).countDown();
    await hub.event(`${name} set`).set();
    const buffer = new Uint8Array([1, 2, 3]).buffer;
    await hub.queue(`${name} full`).put('first');
    await hub.queue(`${name} full`).put(buffer, { transfer: [buffer] });
    await hub.once(name, () => 'once').run();
    const armed = hub.checkpoint(name).arm();
    await hub.stats();
    this.#waits = {
      checkpoint: other.checkpoint(name).wait(),
      arm: hub.checkpoint(`${name} armed`).arm(),
      task: hub.sharedTask(name, () => new Promise<string>((resolve) => (this.#finish = resolve))).wait(),
      lock: hub.lock(name).acquire(),
      writer: hub.rwlock(name).acquire(),
      reentrant: hub.reentrantLock(name).acquire(),
      semaphore: hub.semaphore(name, 3).acquire({ permits: 2 }),
      pool: hub.pool(name, { max: 1, create: () => ++this.#live, destroy: () => void this.#live-- }).acquire(),
      signal: hub.signal(name).wait(),
      event: hub.event(name).wait(),
      latch: hub.latch(name, 2).wait(),
      barrier: hub.barrier(name, 2).wait(),
      get: hub.queue(name).get(),
      join: hub.queue(`${name} full`).join(),
      condition: hub.lock(`${name} condition`).acquire().then((held) => {
        this.#releases.push(held);
        return hub.condition(hub.lock(`${name} condition`)).wait(held);
      }),
    };
    for (const [what, promise] of Object.entries(this.#waits)) {
      const tell = (outcome: unknown): void => {
        if (!this.#settled) this.surprises.push(`${what} ended: ${String(outcome)}`);
      };
      promise.then(tell, tell);
    }
    await armed;
    await hub.stats();
    await other.stats();
    await hub.stats();
  }

  /** All is as it was; then it ends, as it should. */
  async release(): Promise<void> {
    const hub = this.#hub;
    const name = `${this.name}held`;
    equal(this.surprises, [], 'surprises');
    equal(await hub.sharedTask(name, () => '').stats(), { state: 'running', waiting: 1, runs: 1 });
    equal(await hub.signal(name).stats(), { waiting: 1, signals: 0, woken: 0 });
    equal(await hub.queue(name).stats().then(({ getting, puts }) => ({ getting, puts })), { getting: 1, puts: 0 });
    equal(await hub.pool(name, { max: 1, create() {} }).stats(), { max: 1, lent: 1, idle: 0, creating: 0, destroying: 0, waiting: 1 });
    equal(await hub.event(`${name} set`).isSet(), true);
    equal(await hub.once(name, () => 'twice').run(), 'once');
    equal(this.#live, 2, 'what is live');
    this.#settled = true;
    equal(await hub.signal(name).signal(), 1);
    equal(await hub.event(name).set(), 1);
    equal(await hub.latch(name, 2).countDown(), 0);
    equal(await hub.barrier(name, 2).wait(), 1);
    equal(await hub.condition(hub.lock(`${name} condition`)).notify(), 1);
    equal(await hub.checkpoint(name).resume(), 1);
    await hub.queue(name).put('for me');
    equal(await hub.queue<string>(`${name} full`).get(), 'first');
    equal([...new Uint8Array(await hub.queue<ArrayBuffer>(`${name} full`).get())], [1, 2, 3]);
    await hub.queue(`${name} full`).taskDone();
    await hub.queue(`${name} full`).taskDone();
    this.#finish('done');
    const { lock, writer, reentrant, semaphore, pool, arm, ...others } = this.#waits;
    const values = Object.fromEntries(await Promise.all(Object.entries(others).map(async ([what, promise]) => [what, await promise])));
    const nothing = undefined;
    equal(values, {
      checkpoint: nothing, task: 'done', signal: nothing, event: nothing, latch: nothing, barrier: 0, get: 'for me', join: nothing,
      condition: nothing,
    });
    for (const token of this.#releases) await token.release();
    for (const granted of [lock, writer, reentrant, semaphore, pool]) await (await granted as { release(): Promise<void> }).release();
    equal(await hub.checkpoint(`${name} armed`).disarm(), true);
    await rejects(arm!, 'DisarmedError');
    await hub.pool(name, { max: 1, create() {} }).close();
    await hub.pool(name, { max: 1, create() {} }).join();
    for (const kept of [
      hub.event(name), hub.event(`${name} set`), hub.latch(name, 2), hub.queue(`${name} full`), hub.queue(name),
      hub.once(name, () => {}), hub.sharedTask(name, () => {}),
    ]) await kept.close();
    while (this.#live > 0) await turn();
  }

  /** Works through all primitives, with a friend in another session. */
  async round(): Promise<void> {
    const a = this.#hub;
    const b = this.#other;
    const name = `${this.name}round`;

    const waits = [a.signal(name).wait(), b.signal(name).wait(), b.signal(name).wait()];
    await b.stats();
    equal(await a.signal(name).signal(), 3);
    await Promise.all(waits);
    await rejects(a.signal(name).wait({ timeout: 1 }), 'TimeoutError');

    const armed = a.checkpoint(name).arm();
    await a.stats();
    const parked = b.checkpoint(name).wait();
    await armed;
    await rejects(b.checkpoint(name).arm(), 'AlreadyArmedError');
    equal(await b.checkpoint(name).resume(), 1);
    await parked;

    const task = a.sharedTask(name, () => ({ of: 'a' }));
    const result = task.wait();
    await a.stats();
    equal([await b.sharedTask(name, () => ({ of: 'b' })).wait(), await result], [{ of: 'a' }, { of: 'a' }]);
    await task.close();
    const failing = a.once(name, () => Promise.reject(new RangeError('no')));
    await rejects(failing.run(), 'RangeError', /^no$/);
    equal(await b.once(name, () => 'b').run(), 'b');
    equal(await failing.run(), 'b');
    await failing.close();

    let stopped = 0;
    const functions = { start: () => 'live', stop: () => void stopped++ };
    const refs = [await a.sharedResource(name, functions).acquire(), await b.sharedResource(name, functions).acquire()];
    equal(refs.map(({ value }) => value), ['live', 'live']);
    for (const ref of refs) await ref.release();
    while (stopped === 0) await turn();
    equal(stopped, 1);

    const guard = await a.lock(name).acquire();
    const next = b.lock(name).acquire();
    equal(await a.lock(name).tryAcquire(), undefined);
    await b.stats();
    const condition = a.condition(a.lock(name), 'c');
    const waiting = condition.wait(guard);
    const theirs = await next;
    equal(await b.condition(b.lock(name), 'c').notify(), 1);
    await theirs.release();
    await waiting;
    await guard.release();
    await guard.release();
    const outer = await b.reentrantLock(name).acquire();
    const inner = await b.reentrantLock(name).acquire({ within: outer });
    equal(await a.reentrantLock(name).isLocked(), true);
    await outer.release();
    await inner.release();
    const readers = [await a.rwlock(name).acquire({ mode: 'shared' }), await b.rwlock(name).acquire({ mode: 'shared' })];
    equal((await a.rwlock(name).stats()).held, 2);
    const thief = await b.rwlock(name).steal();
    while (!readers.every(({ lost }) => lost.aborted)) await turn();
    for (const each of [...readers, thief]) await each.release();

    const permits = await a.semaphore(name, 3).acquire({ permits: 2 });
    equal(await b.semaphore(name, 3).tryAcquire({ permits: 2 }), undefined);
    await rejects(b.semaphore(name, 3).acquire({ permits: 4 }), 'TooLargeError');
    await rejects(b.semaphore(name, 4).acquire(), 'MismatchError');
    await permits.release();

    const raised = b.event(name).wait();
    await b.stats();
    equal([await a.event(name).set(), await b.event(name).isSet(), await a.event(name).clear()], [1, true, true]);
    await raised;
    const opening = b.latch(name, 2).wait();
    equal([await a.latch(name, 2).countDown(), await b.latch(name, 2).countDown()], [1, 0]);
    await opening;
    await a.latch(name, 2).close();
    const first = a.barrier(name, 2).wait();
    await a.stats();
    equal([await b.barrier(name, 2).wait(), await first], [1, 0]);

    const options = { capacity: 3, order: 'priority' } as const;
    const buffer = new Uint8Array([7]).buffer;
    await a.queue(name, options).put('low', { priority: 1 });
    await b.queue(name, options).put({ high: buffer }, { priority: 2, transfer: [buffer] });
    equal(await a.queue(name, options).tryPut('last'), true);
    equal(await b.queue(name, options).tryPut('too much'), false);
    equal([...new Uint8Array((await a.queue<{ high: ArrayBuffer }>(name).get()).high)], [7]);
    equal([await b.queue(name).get(), (await a.queue(name).tryGet())?.value, await b.queue(name).tryGet()], ['low', 'last', undefined]);
    equal(await a.queue(name).close({ now: true }), []);

    let made = 0;
    const pool = a.pool(name, { max: 1, create: () => ++made });
    const lease = await pool.acquire();
    equal([lease.resource, await pool.tryAcquire()], [1, undefined]);
    const waits1 = pool.acquire();
    await lease.release();
    equal((await waits1).resource, 1);
    await (await waits1).destroy();
    await pool.close();
    await pool.join();

    equal(await a.locks.request(name, () => 'held'), 'held');
    ok(this.surprises.length === 0, this.surprises.join());
  }
}
