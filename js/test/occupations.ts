/** What a realm can be at when it dies, and what those find who survive it. */

import type { Hub, HubStats, PoolOptions } from 'clca';
import { becomes, equal, gate, rejection, rejects, untilAborted } from './assert.ts';

/** What a realm has begun: what is pending, and what it holds. */
export interface Begun {
  pending?: Promise<unknown>[];
  held?: { readonly lost: AbortSignal }[];
}

/** One thing that a realm can be at, under a name of its own that both sides use. */
export interface Occupation {
  /** Resolves when the realm is really at it, or has asked the hub for it. */
  begin(hub: Hub, name: string): Promise<Begun>;
  /** What a survivor does before the realm begins, then while it is at it, and then, once it dies: what it finds. */
  survive(hub: Hub, name: string): AsyncGenerator<void, void, void>;
  /** What a survivor does meanwhile, it does while the realm is blocked and hears of nothing. */
  unheard?: true;
  /** Nothing is pending or to be run, so that who cannot be reached any more is not needed. */
  forgettable?: true;
}

const never = (): Promise<never> => new Promise(() => {});

/** A pool with one place, or more, of which each realm can tell what it has made. */
const made = (where: string, max = 1): PoolOptions<string> => ({ max, create: () => where });

export const occupations: Record<string, Occupation> = {
  'waiting for a signal': {
    begin: async (hub, name) => ({ pending: [hub.signal(name).wait()] }),
    async *survive(hub, name) {
      const own = hub.signal(name).wait();
      yield;
      equal((await hub.signal(name).stats()).waiting, 2);
      yield;
      await becomes(async () => (await hub.signal(name).stats()).waiting, 1);
      equal(await hub.signal(name).signal(), 1);
      await own;
    },
  },

  'waiting for an event': {
    begin: async (hub, name) => ({ pending: [hub.event(name).wait()] }),
    async *survive(hub, name) {
      const event = hub.event(name);
      yield;
      const own = event.wait();
      equal((await event.stats()).waiting, 2);
      yield;
      await becomes(async () => (await event.stats()).waiting, 1);
      equal(await event.set(), 1);
      await own;
      await event.close();
    },
  },

  'waiting for a latch': {
    begin: async (hub, name) => ({ pending: [hub.latch(name, 1).wait()] }),
    async *survive(hub, name) {
      const latch = hub.latch(name, 1);
      yield;
      const own = latch.wait();
      equal(await latch.stats(), { remaining: 1, waiting: 2 });
      yield;
      await becomes(() => latch.stats(), { remaining: 1, waiting: 1 });
      equal(await latch.countDown(), 0);
      await own;
      await latch.close();
    },
  },

  'parked at a checkpoint': {
    begin: async (hub, name) => ({ pending: [hub.checkpoint(name).wait()] }),
    async *survive(hub, name) {
      const checkpoint = hub.checkpoint(name);
      const armed = checkpoint.arm();
      yield;
      await armed;
      const own = checkpoint.wait();
      equal((await checkpoint.stats()).waiting, 2);
      yield;
      await becomes(async () => (await checkpoint.stats()).waiting, 1);
      equal((await checkpoint.stats()).state, 'holding');
      equal(await checkpoint.resume(), 1);
      await own;
    },
  },

  'arming a checkpoint': {
    begin: async (hub, name) => ({ pending: [hub.checkpoint(name).arm()] }),
    async *survive(hub, name) {
      yield;
      equal((await hub.checkpoint(name).stats()).state, 'armed');
      yield;
      await becomes(async () => (await hub.checkpoint(name).stats()).state, 'disarmed');
      await hub.checkpoint(name).wait();
    },
  },

  'holding callers at a checkpoint': {
    async begin(hub, name) {
      hub.checkpoint(name).arm().catch(() => {});
      return {};
    },
    async *survive(hub, name) {
      yield;
      const own = hub.checkpoint(name).wait();
      equal((await hub.checkpoint(name).stats()).state, 'holding');
      yield;
      await own;
      equal((await hub.checkpoint(name).stats()).state, 'disarmed');
    },
  },

  'running a task': {
    async begin(hub, name) {
      const running = gate();
      const pending = hub.sharedTask(name, (signal) => {
        running.open();
        return untilAborted(signal);
      }).wait();
      await running.opened;
      return { pending: [pending] };
    },
    async *survive(hub, name) {
      yield;
      let runs = 0;
      const task = hub.sharedTask(name, () => `run by a survivor, ${++runs}`);
      const own = [task.wait(), task.wait()];
      equal(await task.stats(), { state: 'running', waiting: 3, runs: 1 });
      yield;
      equal(await Promise.all(own), ['run by a survivor, 1', 'run by a survivor, 1']);
      await task.close();
    },
  },

  'running what is done once': {
    async begin(hub, name) {
      const running = gate();
      const pending = hub.once(name, (signal) => {
        running.open();
        return untilAborted(signal);
      }).run();
      await running.opened;
      return { pending: [pending] };
    },
    async *survive(hub, name) {
      yield;
      let runs = 0;
      const once = hub.once(name, () => `run by a survivor, ${++runs}`);
      const own = [once.run(), once.run()];
      equal(await once.isDone(), false);
      yield;
      equal(await Promise.all(own), ['run by a survivor, 1', 'run by a survivor, 1']);
      equal(await once.isDone(), true);
      await once.close();
    },
  },

  'owning a resource': {
    async begin(hub, name) {
      return { held: [await hub.sharedResource(name, { start: () => 'theirs' }).acquire()] };
    },
    async *survive(hub, name) {
      yield;
      const own = await hub.sharedResource(name, { start: () => 'not this' }).acquire();
      equal(own.value, 'theirs');
      yield;
      await becomes(() => own.lost.aborted, true);
      equal((own.lost.reason as Error).name, 'OwnerLostError');
      const next = await hub.sharedResource(name, { start: () => 'of a survivor' }).acquire();
      equal(next.value, 'of a survivor');
      await next.release();
      await own.release();
    },
  },

  'starting a resource': {
    async begin(hub, name) {
      const starting = gate();
      const pending = hub.sharedResource(name, {
        start(signal) {
          starting.open();
          return untilAborted(signal);
        },
      }).acquire();
      await starting.opened;
      return { pending: [pending] };
    },
    async *survive(hub, name) {
      yield;
      const resource = hub.sharedResource(name, { start: () => 'of a survivor' });
      const own = [resource.acquire(), resource.acquire()];
      equal((await resource.stats()).waiting, 3);
      yield;
      for (const ref of await Promise.all(own)) {
        equal(ref.value, 'of a survivor');
        await ref.release();
      }
    },
  },

  'using a resource of another': {
    forgettable: true,
    async begin(hub, name) {
      return { held: [await hub.sharedResource(name, { start: () => 'not this' }).acquire()] };
    },
    async *survive(hub, name) {
      let stopped = false;
      const resource = hub.sharedResource(name, { start: () => 'of a survivor', stop: () => void (stopped = true) });
      const own = await resource.acquire();
      yield;
      await own.release();
      equal(stopped, false);
      yield;
      await becomes(() => stopped, true); // by the end of the last who used it
      equal(own.lost.aborted, false);
    },
  },

  'holding a lock': {
    forgettable: true,
    async begin(hub, name) {
      return { held: [await hub.lock(name).acquire()] };
    },
    async *survive(hub, name) {
      const lock = hub.lock(name);
      yield;
      const next = lock.acquire();
      const later = lock.acquire();
      equal((await lock.stats()).waiting, 2);
      yield;
      const guard = await next;
      equal(guard.abandoned, true);
      await guard.release();
      equal((await later).abandoned, false); // it was given back
      await (await later).release();
      equal(await lock.isLocked(), false);
    },
  },

  'holding a lock for which nobody waits': {
    forgettable: true,
    async begin(hub, name) {
      return { held: [await hub.lock(name).acquire()] };
    },
    async *survive(hub, name) {
      const lock = hub.lock(name);
      yield;
      equal(await lock.tryAcquire(), undefined);
      yield;
      await becomes(() => lock.isLocked(), false);
      equal((await lock.stats()).abandoned, true);
      const guard = await lock.acquire();
      equal(guard.abandoned, true);
      await guard.release();
      const next = await lock.acquire();
      equal(next.abandoned, false); // it is told once
      await next.release();
    },
  },

  'waiting for a lock': {
    begin: async (hub, name) => ({ pending: [hub.lock(name).acquire()] }),
    async *survive(hub, name) {
      const lock = hub.lock(name);
      const first = await lock.acquire();
      const second = lock.acquire();
      yield;
      const fourth = lock.acquire();
      equal((await lock.stats()).waiting, 3);
      yield;
      await becomes(async () => (await lock.stats()).waiting, 2);
      await first.release();
      equal((await second).abandoned, false);
      await (await second).release();
      equal((await fourth).abandoned, false);
      await (await fourth).release();
      equal(await lock.isLocked(), false);
    },
  },

  'inside a reentrant lock twice': {
    forgettable: true,
    async begin(hub, name) {
      const lock = hub.reentrantLock(name);
      const within = await lock.acquire();
      return { held: [within, await lock.acquire({ within })] };
    },
    async *survive(hub, name) {
      const lock = hub.reentrantLock(name);
      yield;
      const next = lock.acquire();
      equal((await lock.stats()).waiting, 1);
      yield;
      const guard = await next;
      equal(guard.abandoned, true);
      const again = await lock.acquire({ within: guard });
      await again.release();
      await guard.release();
      equal(await lock.isLocked(), false);
    },
  },

  'holding a rwlock alone': {
    forgettable: true,
    async begin(hub, name) {
      return { held: [await hub.rwlock(name).acquire()] };
    },
    async *survive(hub, name) {
      const lock = hub.rwlock(name);
      yield;
      const readers = [lock.acquire({ mode: 'shared' }), lock.acquire({ mode: 'shared' })];
      const writer = lock.acquire();
      equal((await lock.stats()).waiting, 3);
      yield;
      const guards = await Promise.all(readers);
      equal(guards.map((guard) => guard.abandoned), [true, true]);
      for (const guard of guards) await guard.release();
      equal((await writer).abandoned, false);
      await (await writer).release();
    },
  },

  'sharing a rwlock': {
    forgettable: true,
    async begin(hub, name) {
      return { held: [await hub.rwlock(name).acquire({ mode: 'shared' })] };
    },
    async *survive(hub, name) {
      const lock = hub.rwlock(name);
      yield;
      const own = await lock.acquire({ mode: 'shared' });
      const writer = lock.acquire();
      equal((await lock.stats()).held, 2);
      yield;
      await becomes(async () => (await lock.stats()).held, 1);
      equal((await lock.stats()).waiting, 1);
      await own.release();
      equal((await writer).abandoned, false); // who shares has changed nothing
      await (await writer).release();
    },
  },

  'waiting to hold a rwlock alone': {
    begin: async (hub, name) => ({ pending: [hub.rwlock(name).acquire()] }),
    async *survive(hub, name) {
      const lock = hub.rwlock(name);
      const first = await lock.acquire({ mode: 'shared' });
      yield;
      const behind = lock.acquire({ mode: 'shared' });
      equal((await lock.stats()).waiting, 2);
      yield;
      const guard = await behind; // nobody is before it who wants to be alone
      equal(guard.abandoned, false);
      equal(await lock.stats(), { held: 2, shared: true, waiting: 0, tenures: 1, abandoned: false });
      await guard.release();
      await first.release();
    },
  },

  'in a callback of locks.request': {
    async begin(hub, name) {
      const called = gate();
      const pending = hub.locks.request(name, () => {
        called.open();
        return never();
      });
      await called.opened;
      return { pending: [pending] };
    },
    async *survive(hub, name) {
      yield;
      const next = hub.locks.request(name, (lock) => lock!.name);
      equal((await hub.locks.query()).held.some((each) => each.name === name), true);
      yield;
      equal(await next, name);
      await becomes(async () => (await hub.locks.query()).held.some((each) => each.name === name), false);
    },
  },

  'holding permits': {
    forgettable: true,
    async begin(hub, name) {
      return { held: [await hub.semaphore(name, 5).acquire({ permits: 3 })] };
    },
    async *survive(hub, name) {
      const semaphore = hub.semaphore(name, 5);
      yield;
      const many = semaphore.acquire({ permits: 4 });
      const few = semaphore.acquire(); // does not pass the one who wants many
      equal(await semaphore.stats(), { permits: 5, held: 3, available: 2, waiting: 2 });
      yield;
      const permits = await Promise.all([many, few]);
      equal(await semaphore.stats(), { permits: 5, held: 5, available: 0, waiting: 0 });
      for (const permit of permits) await permit.release();
    },
  },

  'waiting for permits': {
    begin: async (hub, name) => ({ pending: [hub.semaphore(name, 5).acquire({ permits: 4 })] }),
    async *survive(hub, name) {
      const semaphore = hub.semaphore(name, 5);
      const first = await semaphore.acquire({ permits: 3 });
      yield;
      const behind = semaphore.acquire({ permits: 2 });
      equal((await semaphore.stats()).waiting, 2);
      yield;
      const permit = await behind;
      equal(await semaphore.stats(), { permits: 5, held: 5, available: 0, waiting: 0 });
      await permit.release();
      await first.release();
    },
  },

  'waiting on a condition': {
    async begin(hub, name) {
      const lock = hub.lock(name);
      const guard = await lock.acquire();
      return { pending: [hub.condition(lock).wait(guard)], held: [guard] };
    },
    async *survive(hub, name) {
      const lock = hub.lock(name);
      const condition = hub.condition(lock);
      yield;
      const guard = await lock.acquire();
      const own = condition.wait(guard);
      equal(await condition.stats(), { waiting: 2 });
      yield;
      await becomes(() => condition.stats(), { waiting: 1 });
      equal(await condition.notify(2), 1);
      await own;
      equal([guard.abandoned, guard.lost.aborted], [false, false]); // who waits has nothing half done
      await guard.release();
      equal(await lock.isLocked(), false);
    },
  },

  'notified on a condition, but not holding its lock again': {
    async begin(hub, name) {
      const lock = hub.lock(name);
      const guard = await lock.acquire();
      return { pending: [hub.condition(lock).wait(guard)], held: [guard] };
    },
    async *survive(hub, name) {
      const lock = hub.lock(name);
      const condition = hub.condition(lock);
      yield;
      const guard = await lock.acquire();
      const own = condition.wait(guard);
      const notifier = await lock.acquire();
      equal(await condition.notify(), 1);
      equal(await condition.stats(), { waiting: 1 });
      yield;
      await becomes(() => condition.stats(), { waiting: 0 }); // another is notified in its place
      await notifier.release();
      await own;
      equal(guard.abandoned, false);
      await guard.release();
      equal(await lock.isLocked(), false);
    },
  },

  'standing at a barrier': {
    begin: async (hub, name) => ({ pending: [hub.barrier(name, 3).wait()] }),
    async *survive(hub, name) {
      const barrier = hub.barrier(name, 3);
      yield;
      const broken = rejects(barrier.wait(), 'BrokenBarrierError');
      equal((await barrier.stats()).waiting, 2);
      yield;
      await broken;
      equal(await barrier.isBroken(), true);
      await rejects(barrier.wait(), 'BrokenBarrierError');
      equal(await barrier.reset(), 0);
      equal(await Promise.all([barrier.wait(), barrier.wait(), barrier.wait()]), [0, 1, 2]);
      await barrier.close();
    },
  },

  'waiting to get an item': {
    begin: async (hub, name) => ({ pending: [hub.queue(name).get()] }),
    async *survive(hub, name) {
      const queue = hub.queue(name);
      yield;
      const own = queue.get();
      equal((await queue.stats()).getting, 2);
      yield;
      await becomes(async () => (await queue.stats()).getting, 1);
      await queue.put('first');
      equal(await own, 'first');
      await queue.taskDone();
    },
  },

  'at work on an item': {
    forgettable: true,
    async begin(hub, name) {
      equal(await hub.queue(name).get(), 'first');
      return {};
    },
    async *survive(hub, name) {
      const queue = hub.queue(name);
      await queue.put('first');
      await queue.put('second');
      yield;
      const joined = queue.join();
      equal((await queue.stats()).unfinished, 2);
      yield;
      // What has arrived was the realm's alone: it does not come back, and it is not said to be done.
      equal(await queue.get(), 'second');
      await queue.taskDone();
      const { length, unfinished } = await queue.stats();
      equal([length, unfinished], [0, 1]);
      await queue.taskDone();
      await joined;
    },
  },

  'waiting to put an item': {
    begin: async (hub, name) => ({ pending: [hub.queue(name, { capacity: 1 }).put('of the dead')] }),
    async *survive(hub, name) {
      const queue = hub.queue(name, { capacity: 1 });
      await queue.put('first');
      yield;
      const own = queue.put('last');
      equal((await queue.stats()).putting, 2);
      yield;
      await becomes(async () => (await queue.stats()).putting, 1);
      equal([await queue.get(), await queue.get()], ['first', 'last']);
      await own;
      equal((await queue.stats()).unfinished, 2);
      for (let i = 0; i < 2; i++) await queue.taskDone();
    },
  },

  'in a loop over a queue': {
    async begin(hub, name) {
      const got = gate();
      const pending = (async () => {
        for await (const _ of hub.queue(name)) got.open();
      })();
      await got.opened;
      return { pending: [pending] };
    },
    async *survive(hub, name) {
      const queue = hub.queue(name, { capacity: 5 });
      await queue.put('first');
      yield;
      const own = queue.get();
      await becomes(async () => (await queue.stats()).getting, 2);
      yield;
      await becomes(async () => (await queue.stats()).getting, 1);
      await queue.put('second');
      equal(await own, 'second');
      await queue.close();
      // The name is free: no loop is under way.
      const next = hub.queue(name, { capacity: 7 });
      await next.put('third');
      await next.close({ now: true });
    },
  },

  'holding a lease': {
    forgettable: true,
    async begin(hub, name) {
      return { held: [await hub.pool(name, made('of the dead')).acquire()] };
    },
    async *survive(hub, name) {
      const pool = hub.pool(name, made('of a survivor'));
      yield;
      const next = pool.acquire();
      equal(await pool.stats(), { max: 1, lent: 1, idle: 0, creating: 0, destroying: 0, waiting: 1 });
      yield;
      const lease = await next;
      equal(lease.resource, 'of a survivor');
      equal(await pool.stats(), { max: 1, lent: 1, idle: 0, creating: 0, destroying: 0, waiting: 0 });
      await lease.release();
      await pool.close();
    },
  },

  'waiting for a lease': {
    begin: async (hub, name) => ({ pending: [hub.pool(name, made('of the dead')).acquire()] }),
    async *survive(hub, name) {
      const pool = hub.pool(name, made('of a survivor'));
      const first = await pool.acquire();
      yield;
      const next = pool.acquire();
      equal((await pool.stats()).waiting, 2);
      yield;
      await becomes(async () => (await pool.stats()).waiting, 1);
      await first.release();
      equal((await next).resource, 'of a survivor');
      await (await next).release();
      await pool.close();
    },
  },

  'keeping an idle resource of a pool': {
    async begin(hub, name) {
      await (await hub.pool(name, made('of the dead')).acquire()).release();
      return {};
    },
    async *survive(hub, name) {
      const pool = hub.pool(name, made('of a survivor'));
      yield;
      equal((await pool.stats()).idle, 1);
      yield;
      await becomes(async () => (await pool.stats()).idle, 0);
      const lease = await pool.acquire();
      equal(lease.resource, 'of a survivor');
      await lease.release();
      await pool.close();
    },
  },

  'making a resource of a pool': {
    async begin(hub, name) {
      const creating = gate();
      const pending = hub.pool(name, {
        max: 2,
        create(signal) {
          creating.open();
          return untilAborted(signal);
        },
      }).acquire();
      await creating.opened;
      return { pending: [pending] };
    },
    async *survive(hub, name) {
      let live = 0;
      const pool = hub.pool(name, { max: 2, create: () => ++live, destroy: () => void live-- });
      yield;
      const own = [pool.acquire(), pool.acquire(), pool.acquire()];
      const first = await own[0]!;
      equal(await pool.stats(), { max: 2, lent: 1, idle: 0, creating: 1, destroying: 0, waiting: 3 });
      yield;
      const second = await own[1]!;
      equal(live, 2);
      equal(await pool.stats(), { max: 2, lent: 2, idle: 0, creating: 0, destroying: 0, waiting: 1 });
      await first.release();
      await (await own[2]!).release();
      await second.release();
      await pool.close();
      equal(live, 0);
    },
  },

  // What the hub has granted, and the realm has not heard of.

  'granted an item that it has not confirmed': {
    unheard: true,
    begin: async (hub, name) => ({ pending: [hub.queue(name).get()] }),
    async *survive(hub, name) {
      const queue = hub.queue(name);
      yield;
      await queue.put('first');
      await queue.put('second');
      equal((await queue.stats()).length, 1);
      yield;
      await becomes(async () => (await queue.stats()).length, 2);
      equal([await queue.get(), await queue.get()], ['first', 'second']);
      for (let i = 0; i < 2; i++) await queue.taskDone();
    },
  },

  'granted an item for which another waits': {
    unheard: true,
    begin: async (hub, name) => ({ pending: [hub.queue(name).get()] }),
    async *survive(hub, name) {
      const queue = hub.queue(name);
      yield;
      const own = queue.get();
      await queue.put('first');
      equal((await queue.stats()).getting, 1);
      yield;
      equal(await own, 'first');
      await queue.taskDone();
    },
  },

  'granted a lock': {
    unheard: true,
    begin: async (hub, name) => ({ pending: [hub.lock(name).acquire()] }),
    async *survive(hub, name) {
      const lock = hub.lock(name);
      const first = await lock.acquire();
      yield;
      await first.release();
      const next = lock.acquire();
      equal(await lock.stats(), { held: 1, shared: false, waiting: 1, tenures: 2, abandoned: false });
      yield;
      const guard = await next;
      equal(guard.abandoned, true); // who knows how far it got
      await guard.release();
    },
  },

  'granted permits': {
    unheard: true,
    begin: async (hub, name) => ({ pending: [hub.semaphore(name, 5).acquire({ permits: 4 })] }),
    async *survive(hub, name) {
      const semaphore = hub.semaphore(name, 5);
      const first = await semaphore.acquire({ permits: 5 });
      yield;
      await first.release();
      const next = semaphore.acquire({ permits: 2 });
      equal(await semaphore.stats(), { permits: 5, held: 4, available: 1, waiting: 1 });
      yield;
      const permit = await next;
      equal(await semaphore.stats(), { permits: 5, held: 2, available: 3, waiting: 0 });
      await permit.release();
    },
  },

  'granted the arm of a checkpoint': {
    unheard: true,
    begin: async (hub, name) => ({ pending: [hub.checkpoint(name).arm()] }),
    async *survive(hub, name) {
      yield;
      const own = hub.checkpoint(name).wait();
      equal((await hub.checkpoint(name).stats()).state, 'holding');
      yield;
      await own;
      equal((await hub.checkpoint(name).stats()).state, 'disarmed');
    },
  },
};

/** What the browser's lock and the hub's are called that the realm holds which dies. */
const lifeLock = 'the realm that dies';

/** Which occupations: of who can be blocked, of who hears of everything, or of who can be forgotten. */
export type Which = 'all' | 'heard' | 'forgettable';

const namesOf = (which: Which): string[] => Object.keys(occupations).filter((name) => {
  const { unheard, forgettable } = occupations[name]!;
  return which === 'all' || (which === 'heard' ? unheard !== true : forgettable === true);
});

/** Sees nothing that it could keep. */
function holdWebLock(): Promise<void> {
  return new Promise((held) => {
    void navigator.locks.request(lifeLock, () => (held(), never()));
  });
}

/** A realm's life until it dies: it is at many things at once. */
export class Life {
  #begun: Record<string, Begun> = {};

  /** Resolves when it is at it, as the hub knows too. */
  async begin(hub: Hub, which: Which): Promise<void> {
    await holdWebLock();
    this.#begun[lifeLock] = { held: [await hub.lock(lifeLock).acquire()] };
    await Promise.all(namesOf(which).map(async (name) => {
      const begun = await occupations[name]!.begin(hub, name);
      for (const each of begun.pending ?? []) each.catch(() => {});
      this.#begun[name] = begun;
    }));
    await hub.stats();
  }

  /** By what names the calls reject that were pending, and why what was held is lost. */
  async ends(): Promise<Record<string, string[]>> {
    const name = (error: unknown): string => (error as Error).name;
    const ends = Object.entries(this.#begun).map(async ([what, { pending = [], held = [] }]) => [what, [
      ...await Promise.all(pending.map(async (each) => name(await rejection(each)))),
      ...await Promise.all(held.map(async ({ lost }) => {
        if (!lost.aborted) await new Promise((heard) => lost.addEventListener('abort', heard));
        return name(lost.reason);
      })),
    ]] as [string, string[]]);
    return Object.fromEntries(await Promise.all(ends));
  }
}

/** When something came about, in milliseconds since the realm was told to die. */
export interface Times {
  /** The browser gave its locks up; undefined if it does not. */
  freed?: number;
  /** A survivor was granted what it held. */
  granted: number;
}

/** Those who survive, as one client. */
export class Survivors {
  readonly names: string[];

  #hub: Hub;
  #parts = new Map<string, AsyncGenerator<void, void, void>>();
  #before: HubStats | undefined;
  #times: Promise<Times> | undefined;

  constructor(hub: Hub, which: Which) {
    this.#hub = hub;
    this.names = namesOf(which);
  }

  /** Does what is to be done before the realm begins. */
  async prepare(): Promise<void> {
    this.#before = await this.#hub.stats();
    for (const name of this.names) this.#parts.set(name, occupations[name]!.survive(this.#hub, name));
    await this.#next(this.names);
  }

  /** Does what is to be done while the realm is at it. */
  async meanwhile(): Promise<void> {
    await this.#next(this.names.filter((name) => occupations[name]!.unheard !== true));
  }

  /** Does what is to be done while the realm is blocked. */
  async unheard(): Promise<void> {
    await this.#next(this.names.filter((name) => occupations[name]!.unheard === true));
  }

  /** Begins to look at the clock; whether the browser will give the realm's locks up is to be known. */
  async watch(frees: boolean): Promise<void> {
    let freed: Promise<number> | undefined;
    if (frees) freed = navigator.locks.request(lifeLock, () => performance.now());
    const granted = this.#hub.lock(lifeLock).acquire().then(async (guard) => {
      const now = performance.now();
      await guard.release();
      return now;
    });
    await this.#hub.stats();
    const began = performance.now();
    this.#times = (async () => {
      const times: Times = { granted: (await granted) - began };
      if (freed !== undefined) times.freed = (await freed) - began;
      return times;
    })();
  }

  /** Resolves when the hub knows, with how long that took. */
  async learn(): Promise<Times> {
    const times = await this.#times!;
    await becomes(async () => (await this.#hub.stats()).sessions, this.#before!.sessions);
    return times;
  }

  /** Finds what is to be found. */
  async find(name: string): Promise<void> {
    equal((await this.#parts.get(name)!.next()).done, true);
  }

  /** Nothing is left of anybody. */
  async leave(): Promise<void> {
    await becomes(() => this.#hub.stats(), this.#before!);
  }

  async #next(names: string[]): Promise<void> {
    await Promise.all(names.map(async (name) => equal((await this.#parts.get(name)!.next()).done, false, name)));
    await this.#hub.stats();
  }
}
