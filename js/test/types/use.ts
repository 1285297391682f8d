/** What programs write, and what the compiler makes of it; and what it does not let them write. */

import { ClosedError, Hub, type ModuleSource, type Queue, createHub } from 'clca';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
declare function is<T>(): <A>(value: A, ...proof: Same<A, T> extends true ? [] : [never]) => void;

export async function inferred(hub: Hub, worker: Worker, port: MessagePort): Promise<void> {
  // The type of what comes out is that of what goes in.
  is<number>()(await hub.sharedTask('task', () => 1 + 1).wait());
  is<{ id: string }>()(await hub.sharedTask('task', async (signal) => (is<AbortSignal>()(signal), { id: 'a' })).wait());
  is<Date>()(await hub.once('once', async () => new Date()).run());
  const resource = hub.sharedResource('resource', { start: async () => 7, stop: (value) => is<number>()(value) });
  is<number>()((await resource.acquire()).value);
  is<string>()(await resource.with((ref) => String(ref.value)));
  const pool = hub.pool('pool', { max: 2, create: () => new Date(), destroy: (date) => is<Date>()(date), onLeak: (leak) => is<Date>()(leak.resource) });
  is<Date>()((await pool.acquire()).resource);
  is<boolean>()(await pool.with(async (lease) => lease.resource.getTime() > 0));
  is<unknown>()(await hub.queue('queue').get());
  const jobs = hub.queue<{ url: string }>('jobs', { capacity: 3 });
  for await (const job of jobs) is<{ url: string }>()(job);
  is<{ value: { url: string } } | undefined>()(await jobs.tryGet());
  is<number>()(await hub.lock('lock').with(async (guard) => (is<AbortSignal>()(guard.lost), 5)));
  is<string | undefined>()(await hub.locks.request('web', { ifAvailable: true }, (lock) => lock?.name));
  is<number>()(await hub.locks.request('web', async () => 3));

  // What may be undefined may be left undefined, whatever the compiler's strictness.
  const given: { timeout: number | undefined; signal: AbortSignal | undefined; wasm: ModuleSource | undefined } = {
    timeout: undefined, signal: undefined, wasm: undefined,
  };
  await hub.signal('s').wait(given);
  await hub.semaphore('s', 3).acquire({ permits: undefined, priority: undefined, ...given });
  await createHub({ ...given, where: undefined, name: undefined });
  hub.attach(worker, { prefix: undefined, limit: undefined });
  hub.attach(port);
  await hub.queue('s').close({ now: undefined });

  // Whatever is held ends with its block.
  await using guard = await hub.lock('lock').acquire();
  await using lease = await pool.acquire();
  is<void>()(await guard.release());
  await lease.destroy();
  is<Promise<Error | undefined>>()(hub.closed);
  const closed = await hub.closed;
  if (closed instanceof ClosedError) {
    is<'CLOSED'>()(closed.code);
    throw new ClosedError('closed here');
  }
}

export async function refused(hub: Hub, jobs: Queue<string>): Promise<void> {
  // @ts-expect-error: a hub comes from createHub or connect
  new Hub();
  // @ts-expect-error: a name is a string
  hub.signal(7);
  // @ts-expect-error: it has no name
  hub.lock();
  // @ts-expect-error: there is no such primitive
  hub.mutex('m');
  // @ts-expect-error: where it runs is one of three words
  await createHub({ where: 'tab' });
  // @ts-expect-error: an option that does not exist
  await hub.signal('s').wait({ timeOut: 5 });
  // @ts-expect-error: milliseconds are a number
  await hub.signal('s').wait({ timeout: '5s' });
  // @ts-expect-error: a controller is not its signal
  await hub.signal('s').wait({ signal: new AbortController() });
  // @ts-expect-error: a wait at a barrier has no priority
  await hub.barrier('b', 2).wait({ priority: 1 });
  // @ts-expect-error: a call that blocks hears of no abort
  hub.signal('s').waitSync({ signal: AbortSignal.timeout(5) });
  // @ts-expect-error: how many permits there are must be said
  hub.semaphore('s');
  // @ts-expect-error: a pool has a bound
  hub.pool('p', { create: () => 1 });
  // @ts-expect-error: a function is to be run
  hub.sharedTask('t');
  // @ts-expect-error: stop gets what start made
  hub.sharedResource('r', { start: () => 1, stop: (value: string) => void value });
  // @ts-expect-error: a queue of strings takes strings
  await jobs.put(7);
  // @ts-expect-error: and gives strings
  (await jobs.get()).toFixed();
  // @ts-expect-error: an order that no queue has
  hub.queue('q', { order: 'random' });
  // @ts-expect-error: what moves is a list
  await hub.queue('q').put(1, { transfer: new ArrayBuffer(1) });
  // @ts-expect-error: a condition is of a lock, not of its name
  hub.condition('l');
  // @ts-expect-error: of one that is not shared
  hub.condition(hub.rwlock('l'));
  // @ts-expect-error: what waits on a condition holds the lock
  await hub.condition(hub.lock('l')).wait();
  // @ts-expect-error: permits are not a hold on a lock
  await hub.reentrantLock('l').acquire({ within: await hub.semaphore('s', 1).acquire() });
  // @ts-expect-error: tryAcquire may have got nothing
  (await hub.lock('l').tryAcquire()).release();
  // @ts-expect-error: an iframe has no channel of its own
  hub.attach({ postMessage() {} });
  // @ts-expect-error: nothing is changed in what is held
  (await hub.semaphore('s', 3).acquire()).permits = 7;
}
