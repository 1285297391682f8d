/**
 * What a client can rely on while the realm of its hub is blocked: what it need not ask the hub for goes on; and when the
 * hub does, nothing is granted twice, and nothing is lost.
 */

import { type Guard, type Hub, type Permit, type WaitOptions, connect } from 'clca';
import { becomes, equal, ok, rejection, rejects, turn, untilAborted } from './assert.ts';
import { open, send } from './turnstile.ts';

/** What is done before the hub is blocked, while it is, and when it is not any more. */
type Part = AsyncGenerator<void, void, void>;

/** Has the hub stand at a turnstile, which opens once all has settled that does not wait for the hub. */
export async function outlast(hub: Hub, turnstile: string): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  hub.attach(port1);
  const other = await connect(port2);
  const before = await hub.stats();
  const hubs: [Hub, Hub] = [hub, other];
  const parts = [abortsAndTimeouts(hub), decisions(hub), takenBack(hub), oneHolder(hubs), permits(hubs), items(hubs)];
  const next = async (done: boolean): Promise<void> => {
    await Promise.all(parts.map(async (part) => equal((await part.next()).done, done)));
  };
  await next(false);
  await Promise.all([hub.stats(), other.stats()]);
  await send(turnstile);
  await next(false); // would never be, if it waited for the hub
  await open(turnstile);
  await next(true);
  await becomes(() => hub.stats(), before);
  await other.close();
}

/** Calls that only wait or take: an abort or a timeout settles them at once. */
async function* abortsAndTimeouts(hub: Hub): Part {
  const name = 'waited for';
  const asked = `${name}, asked for`;
  const armed = hub.checkpoint(name).arm();
  const passes = hub.checkpoint(name).wait();
  await armed;
  const unfinished = hub.queue(`${name}, unfinished`);
  await unfinished.put('item');
  await unfinished.get();
  const pool = hub.pool(name, { max: 1, create: () => 'one' });
  const semaphore = hub.semaphore(name, 2);
  const held = [
    await hub.lock(name).acquire(),
    await hub.reentrantLock(name).acquire(),
    await hub.rwlock(name).acquire(),
    await hub.rwlock(asked).acquire(),
    await semaphore.acquire({ permits: 2 }),
    await pool.acquire(),
  ];
  const calls: Record<string, (options: WaitOptions) => Promise<unknown>> = {
    signal: (o) => hub.signal(name).wait(o),
    event: (o) => hub.event(name).wait(o),
    latch: (o) => hub.latch(name, 1).wait(o),
    parked: (o) => hub.checkpoint(name).wait(o),
    arm: (o) => hub.checkpoint(`${name}, disarmed`).arm(o),
    lock: (o) => hub.lock(name).acquire(o),
    reentrant: (o) => hub.reentrantLock(name).acquire(o),
    rwlock: (o) => hub.rwlock(name).acquire({ ...o, mode: 'shared' }),
    request: ({ timeout, signal = AbortSignal.timeout(timeout!) }) => hub.locks.request(asked, { signal }, () => 'never'),
    permits: (o) => semaphore.acquire(o),
    get: (o) => hub.queue(name).get(o),
    join: (o) => unfinished.join(o),
    lease: (o) => pool.acquire(o),
    task: (o) => hub.sharedTask(name, untilAborted).wait(o),
    once: (o) => hub.once(name, untilAborted).run(o),
    resource: (o) => hub.sharedResource(name, { start: untilAborted }).acquire(o),
  };
  const all = <T>(make: (call: (options: WaitOptions) => Promise<unknown>) => Promise<T>): Promise<T[]> =>
    Promise.all(Object.values(calls).map(make));
  const stop = new AbortController();
  const early = all((call) => rejection(call({ signal: stop.signal })));
  yield;
  const late = all((call) => rejection(call({ signal: stop.signal })));
  const timedOut = all((call) => rejects(call({ timeout: 1 }), 'TimeoutError'));
  const refused = all((call) => rejection(call({ signal: AbortSignal.abort('before') })));
  stop.abort('enough');
  for (const reason of [...await early, ...await late]) equal(reason, 'enough');
  for (const reason of await refused) equal(reason, 'before');
  await timedOut;
  yield;
  equal(await hub.checkpoint(name).resume(), 1);
  await passes;
  await unfinished.taskDone();
  for (const each of held) await each.release();
  await pool.close();
}

/** Calls that give something, or end holding something: the hub decides, by the order of what it is told. */
async function* decisions(hub: Hub): Part {
  const stop = new AbortController();
  const { signal } = stop;
  const queues = ['put in vain', 'put'].map((name) => hub.queue(name, { capacity: 1 }));
  const barriers = ['left', 'full'].map((name) => hub.barrier(name, 2));
  const locks = ['cancelled', 'notified'].map((name) => hub.lock(name));
  const conditions = locks.map((lock) => hub.condition(lock));
  for (const queue of queues) await queue.put('first');
  const guards: Guard[] = [];
  for (const lock of locks) guards.push(await lock.acquire());
  const calls: Promise<unknown>[] = [
    ...queues.map((queue) => queue.put('second', { signal })),
    ...barriers.map((barrier) => barrier.wait({ signal })),
    ...conditions.map((condition, i) => condition.wait(guards[i]!, { signal })),
  ];
  yield;
  const got = queues[1]!.get();
  const filled = barriers[1]!.wait();
  const notified = conditions[1]!.notify();
  calls.push(queues[0]!.put('third', { timeout: 1 }));
  let settled = 0;
  for (const call of [...calls, got, filled, notified]) call.then(() => settled++, () => settled++);
  stop.abort('too late for some');
  for (let i = 0; i < 10; i++) await turn();
  await new Promise((due) => setTimeout(due, 2)); // as long as the timeout takes, and more
  equal(settled, 0);
  yield;
  const [putInVain, put, left, full, cancelled, woken, timedOut] = calls as [
    Promise<void>, Promise<void>, Promise<number>, Promise<number>, Promise<void>, Promise<void>, Promise<void>];
  for (const each of [putInVain, left, cancelled]) equal(await rejection(each), 'too late for some');
  await rejects(timedOut, 'TimeoutError');
  await put;
  equal(await got, 'first');
  equal([await full, await filled], [0, 1]);
  equal(await notified, 1);
  await woken;
  equal(await queues[0]!.close({ now: true }), ['first']);
  equal(await queues[1]!.close({ now: true }), ['second']);
  equal(await barriers[0]!.isBroken(), true);
  equal(await barriers[1]!.isBroken(), false);
  for (const barrier of barriers) await barrier.close();
  for (const guard of guards) {
    equal(guard.lost.aborted, false);
    await guard.release();
  }
  for (const lock of locks) equal(await lock.isLocked(), false);
}

/** What the hub grants to a call that was aborted meanwhile goes to the next. */
async function* takenBack(hub: Hub): Part {
  const name = 'taken back';
  const stop = new AbortController();
  const { signal } = stop;
  let created = 0;
  const lock = hub.lock(name);
  const rwlock = hub.rwlock(name);
  const semaphore = hub.semaphore(name, 3);
  const pool = hub.pool(name, { max: 1, create: () => ++created });
  const queue = hub.queue(name, { capacity: 1 });
  const checkpoint = hub.checkpoint(name);
  const held = [await lock.acquire(), await rwlock.acquire(), await semaphore.acquire({ permits: 3 }), await pool.acquire()];
  const aborted = [
    lock.acquire({ signal }), rwlock.acquire({ signal }), semaphore.acquire({ signal, permits: 3 }), pool.acquire({ signal }),
    queue.get({ signal }), checkpoint.arm({ signal }),
  ].map(rejection);
  const next = {
    lock: lock.acquire(),
    rwlock: rwlock.acquire({ mode: 'shared' }),
    permit: semaphore.acquire(),
    lease: pool.acquire(),
  };
  yield;
  for (const each of held) void each.release();
  const puts = [queue.put('first'), queue.put('second')];
  const parked = checkpoint.wait();
  stop.abort('enough');
  for (const reason of await Promise.all(aborted)) equal(reason, 'enough');
  yield;
  const guards = [await next.lock, await next.rwlock];
  for (const { abandoned } of guards) equal(abandoned, false); // nobody had it
  const permit = await next.permit;
  equal(await semaphore.stats(), { permits: 3, held: 1, available: 2, waiting: 0 });
  const lease = await next.lease;
  equal([lease.resource, created], [1, 1]);
  for (const each of [...guards, permit, lease]) await each.release();
  await pool.close();
  await Promise.all(puts);
  equal((await queue.stats()).length, 2); // one more than it holds
  equal(await queue.close({ now: true }), ['first', 'second']);
  await parked;
  equal((await checkpoint.stats()).state, 'disarmed');
}

const each = Array.from({ length: 20 }, (_, i) => i);

/** One holds a lock at a time, and each that was not aborted does. */
async function* oneHolder(hubs: [Hub, Hub]): Part {
  const lockOf = (i: number) => hubs[i % 2]!.lock('one at a time');
  const stop = new AbortController();
  let granted = 0;
  let inside = 0;
  const acquire = async (i: number): Promise<void> => {
    const guard = await lockOf(i).acquire(i % 4 < 2 ? { signal: stop.signal } : {});
    granted++;
    equal(++inside, 1);
    await turn();
    inside--;
    await guard.release();
  };
  const guard = await lockOf(0).acquire();
  const early = each.map(acquire);
  const left = Promise.allSettled(early);
  yield;
  void guard.release();
  const late = each.map(acquire);
  const more = Promise.allSettled(late);
  const tried = [lockOf(0).tryAcquire(), lockOf(1).tryAcquire()];
  stop.abort('enough');
  for (const i of each) if (i % 4 < 2) for (const calls of [early, late]) equal(await rejection(calls[i]!), 'enough');
  equal(granted, 0); // grants have to wait
  yield;
  for (const end of [...await left, ...await more]) if (end.status === 'rejected') equal(end.reason, 'enough');
  equal(granted, each.length);
  equal(await Promise.all(tried), [undefined, undefined]);
  equal(await lockOf(0).isLocked(), false);
}

/** No more permits are out than there are, and none is lost. */
async function* permits(hubs: [Hub, Hub]): Part {
  const semaphoreOf = (i: number) => hubs[i % 2]!.semaphore('a few at a time', 4);
  const stop = new AbortController();
  let granted = 0;
  let out = 0;
  const acquire = async (i: number): Promise<void> => {
    const permit: Permit = await semaphoreOf(i).acquire({ permits: 1 + (i % 3), ...(i % 4 < 2 ? { signal: stop.signal } : {}) });
    granted++;
    out += permit.permits;
    ok(out <= 4, `${out} permits are out`);
    await turn();
    out -= permit.permits;
    await permit.release();
  };
  const permit = await semaphoreOf(0).acquire({ permits: 4 });
  const early = each.map(acquire);
  const left = Promise.allSettled(early);
  yield;
  void permit.release();
  const late = each.map(acquire);
  const more = Promise.allSettled(late);
  stop.abort('enough');
  for (const i of each) if (i % 4 < 2) for (const calls of [early, late]) equal(await rejection(calls[i]!), 'enough');
  equal(granted, 0);
  yield;
  for (const end of [...await left, ...await more]) if (end.status === 'rejected') equal(end.reason, 'enough');
  equal(granted, each.length);
  equal(await semaphoreOf(0).stats(), { permits: 4, held: 0, available: 4, waiting: 0 });
}

/** Each item goes to one call that was not aborted, or stays. */
async function* items(hubs: [Hub, Hub]): Part {
  const queueOf = (i: number) => hubs[i % 2]!.queue<number>('items');
  const stop = new AbortController();
  const get = (i: number): Promise<number> => queueOf(i).get(i % 4 < 2 ? { signal: stop.signal } : {});
  const early = each.map(get);
  yield;
  const puts = [...each, ...each].map((_, i) => queueOf(i).put(i));
  const late = each.map(get);
  const all = Promise.allSettled([...early, ...late]);
  stop.abort('enough');
  for (const i of each) if (i % 4 < 2) for (const calls of [early, late]) equal(await rejection(calls[i]!), 'enough');
  yield;
  await Promise.all(puts);
  const got: number[] = [];
  for (const end of await all) {
    if (end.status === 'fulfilled') got.push(end.value);
    else equal(end.reason, 'enough');
  }
  equal(got.length, each.length);
  const rest = await queueOf(0).close({ now: true });
  equal([...got, ...rest].sort((a, b) => a - b), puts.map((_, i) => i));
}
