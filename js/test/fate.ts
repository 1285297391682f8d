/** What becomes of a client whose hub ends: of every primitive a call is pending then, and something is held. */

import type { Hub } from 'clca';
import { gate, untilAborted } from './assert.ts';

/** How each call ended: `Name: message`, or `resolved`. */
export interface Fate {
  pending: Record<string, string>;
  /** What `closed` resolved with. */
  closed: string;
  /** Why each thing that was held is lost. */
  lost: Record<string, string>;
  /** Calls that are made after the end. */
  later: Record<string, string>;
  /** How often each function was called, in all this time. */
  runs: Record<string, number>;
  /** When this realm knew all that, in milliseconds since 1970. */
  known: number;
}

/** The time, by a clock that all realms share. */
export const now = (): number => performance.timeOrigin + performance.now();

/** Resolves when all that is to be pending is, with what becomes of it. */
export async function meetFate(hub: Hub, who: string): Promise<{ fate: Promise<Fate> }> {
  const runs: Record<string, number> = {};
  const began: Promise<void>[] = [];
  /** A function that runs until it is aborted; its runs are counted. */
  const runner: Runner = (name) => {
    const begun = gate();
    began.push(begun.opened);
    runs[name] = 0;
    return (signal) => {
      runs[name]!++;
      begun.open();
      return untilAborted(signal);
    };
  };

  const armed = hub.checkpoint(`held ${who}`).arm();
  const lock = hub.lock(`held ${who}`);
  const rwlock = hub.rwlock(`held ${who}`);
  const reentrant = hub.reentrantLock(`held ${who}`);
  const semaphore = hub.semaphore(`held ${who}`, 5);
  const waited = hub.lock(`waited for ${who}`);
  const pool = hub.pool(`held ${who}`, { max: 1, create: () => who });
  const queue = hub.queue(`full ${who}`, { capacity: 1 });
  await queue.put('first');
  const within = await reentrant.acquire();
  const held = {
    lock: await lock.acquire(),
    shared: await rwlock.acquire({ mode: 'shared' }),
    alone: await hub.rwlock(`alone ${who}`).acquire(),
    reentrant: within,
    again: await reentrant.acquire({ within }),
    permit: await semaphore.acquire({ permits: 3 }),
    ref: await hub.sharedResource(`live ${who}`, { start: () => who }).acquire(),
    lease: await pool.acquire(),
    waiting: await waited.acquire(), // which its wait has given up
  };
  const called = gate();
  const open = new Set<string>();
  const pending = outcomes(open, {
    wait: hub.signal(`signal ${who}`).wait(),
    bounded: hub.signal(`signal ${who}`).wait({ timeout: 1e6, signal: new AbortController().signal }),
    common: hub.signal('common').wait(),
    parked: hub.checkpoint(`held ${who}`).wait(),
    arm: hub.checkpoint(`armed ${who}`).arm(),
    task: hub.sharedTask(`task ${who}`, runner('task')).wait(),
    once: hub.once(`once ${who}`, runner('once')).run(),
    ref: hub.sharedResource(`starting ${who}`, { start: runner('start') }).acquire(),
    lock: lock.acquire(),
    bothLocks: Promise.all([lock.acquire({ priority: 1 }), lock.acquire({ timeout: 1e6 })]),
    rwlock: rwlock.acquire(),
    reentrant: reentrant.acquire(),
    callback: hub.locks.request(`callback ${who}`, () => {
      called.open();
      return new Promise(() => {});
    }),
    request: hub.locks.request(`callback ${who}`, () => 'never'),
    permits: semaphore.acquire({ permits: 3 }),
    event: hub.event(`event ${who}`).wait(),
    latch: hub.latch(`latch ${who}`, 1).wait(),
    condition: hub.condition(waited).wait(held.waiting),
    barrier: hub.barrier(`barrier ${who}`, 2).wait(),
    get: hub.queue(`empty ${who}`).get(),
    put: queue.put('second'),
    join: queue.join(),
    loop: (async () => {
      for await (const _ of hub.queue(`empty ${who}`));
    })(),
    lease: pool.acquire(),
    create: hub.pool(`starting ${who}`, { max: 1, create: runner('create') }).acquire(),
  });
  const lost = outcomes(open, Object.fromEntries(Object.entries(held).map(([name, { lost }]) => {
    return [`hold: ${name}`, new Promise((_, reject) => lost.addEventListener('abort', () => reject(lost.reason)))];
  })));
  await armed;
  await called.opened;
  await Promise.all(began);
  await hub.stats();
  const fate = (async () => {
    const closed = said(await hub.closed);
    const overdue = setTimeout(() => console.error(`${who} does not know the end of ${[...open].join(', ')}`), 20_000);
    const ends = { closed, pending: await pending, lost: await lost, known: now() };
    const later = await outcomes(open, laterCalls(hub, who, runner));
    clearTimeout(overdue);
    for (const token of Object.values(held)) await token.release(); // which changes nothing
    return { ...ends, later, runs };
  })();
  return { fate };
}

type Runner = (name: string) => (signal: AbortSignal) => Promise<never>;

function laterCalls(hub: Hub, who: string, runner: Runner): Record<string, Promise<unknown>> {
  return {
    wait: hub.signal(who).wait(),
    signal: hub.signal(who).signal(),
    park: hub.checkpoint(who).wait(),
    arm: hub.checkpoint(who).arm(),
    resume: hub.checkpoint(who).resume(),
    disarm: hub.checkpoint(who).disarm(),
    task: hub.sharedTask(who, runner('later task')).wait(),
    once: hub.once(who, runner('later once')).run(),
    ref: hub.sharedResource(who, { start: runner('later start') }).acquire(),
    lock: hub.lock(who).acquire(),
    tryLock: hub.lock(who).tryAcquire(),
    steal: hub.lock(`held ${who}`).steal(),
    withLock: hub.lock(who).with(() => 'never'),
    rwlock: hub.rwlock(who).acquire({ mode: 'shared' }),
    reentrant: hub.reentrantLock(who).acquire(),
    request: hub.locks.request(who, () => 'never'),
    query: hub.locks.query(),
    permit: hub.semaphore(who, 1).acquire(),
    resize: hub.semaphore(`held ${who}`, 5).resize(6),
    event: hub.event(who).wait(),
    set: hub.event(who).set(),
    latch: hub.latch(who, 1).wait(),
    countDown: hub.latch(who, 1).countDown(),
    notify: hub.condition(hub.lock(`waited for ${who}`)).notify(),
    barrier: hub.barrier(who, 1).wait(),
    reset: hub.barrier(who, 1).reset(),
    get: hub.queue(who).get(),
    tryGet: hub.queue(who).tryGet(),
    put: hub.queue(who).put('third'),
    tryPut: hub.queue(who).tryPut('third'),
    taskDone: hub.queue(who).taskDone(),
    join: hub.queue(who).join(),
    loop: (async () => {
      for await (const _ of hub.queue(who));
    })(),
    lease: hub.pool(who, { max: 1, create: runner('later create') }).acquire(),
    tryLease: hub.pool(`held ${who}`, { max: 1, create: runner('later create') }).tryAcquire(),
    close: hub.lock(`held ${who}`).close(),
    stats: hub.stats(),
    attach: (async () => hub.attach(new MessageChannel().port1))(),
  };
}

/** How calls end; those are open that have not. */
async function outcomes(open: Set<string>, calls: Record<string, Promise<unknown>>): Promise<Record<string, string>> {
  const ends = Object.entries(calls).map(async ([name, call]) => {
    open.add(name);
    const end = await call.then(() => 'resolved', said);
    open.delete(name);
    return [name, end];
  });
  return Object.fromEntries(await Promise.all(ends));
}

function said(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
