/**
 * What the endurance tests have each realm do over and over: it leaves nothing behind, however it ends. The names are
 * the same few, but where new ones are the point.
 */

import { type Attachment, type Hub, type Signal, type WaitOptions, connect } from 'clca';
import { equal, gate, rejection, untilAborted } from './assert.ts';

const never = (): Promise<never> => new Promise(() => {});
const nothing = (): void => {};

// ---- waits and cancellations ----

/** What can be waited for. */
interface Wait {
  /** Makes one call that waits, and gives back at once what it is granted. */
  wait(options: WaitOptions): Promise<unknown>;
  /** Lets so many calls go on that still wait; the primitive is as good as new then. */
  free(left: number): unknown;
}

/** Sees to it that so many calls will have to wait. */
type Way = (hub: Hub, name: string, count: number) => Wait | Promise<Wait>;

/** A function that ends when it is told to, or is aborted. */
function run(): { start: (abort: AbortSignal) => Promise<string>; end: (value: string) => void } {
  const { opened, open } = gate<string>();
  return { start: (abort) => Promise.race([opened, untilAborted(abort)]), end: open };
}

interface Acquirable {
  acquire(options?: WaitOptions): Promise<{ release(): Promise<void> }>;
}

async function held(lock: Acquirable): Promise<Wait> {
  const guard = await lock.acquire();
  return { wait: async (options) => (await lock.acquire(options)).release(), free: () => guard.release() };
}

const ways: Record<string, Way> = {
  signal: (hub, name) => {
    const signal = hub.signal(name);
    return { wait: (options) => signal.wait(options), free: () => signal.signal() };
  },
  event: (hub, name) => {
    const event = hub.event(name);
    return { wait: (options) => event.wait(options), free: async () => (await event.set(), await event.clear()) };
  },
  async checkpoint(hub, name) {
    const checkpoint = hub.checkpoint(name);
    const stop = new AbortController();
    const given = checkpoint.arm({ signal: stop.signal });
    stop.abort('no');
    equal(await rejection(given), 'no');
    const armed = checkpoint.arm();
    return { wait: (options) => checkpoint.wait(options), free: async () => (await armed, await checkpoint.resume()) };
  },
  lock: (hub, name) => held(hub.lock(name)),
  reentrantLock: (hub, name) => held(hub.reentrantLock(name)),
  async rwlock(hub, name) {
    const lock = hub.rwlock(name);
    const guard = await lock.acquire();
    return { wait: async (options) => (await lock.acquire({ ...options, mode: 'shared' })).release(), free: () => guard.release() };
  },
  semaphore: (hub, name) => held(hub.semaphore(name, 1)),
  latch: (hub, name) => {
    const latch = hub.latch(name, 1);
    return { wait: (options) => latch.wait(options), free: async () => (await latch.countDown(), await latch.close()) };
  },
  barrier: (hub, name, count) => {
    const barrier = hub.barrier(name, count + 1);
    return { wait: (options) => barrier.wait(options), free: (left) => (left > 0 ? barrier.wait() : barrier.reset()) };
  },
  condition: (hub, name) => {
    const lock = hub.lock(name);
    const condition = hub.condition(lock);
    return {
      wait: (options) => lock.with((guard) => condition.wait(guard, options)),
      free: () => lock.with(() => condition.notifyAll()),
    };
  },
  'queue, get': (hub, name) => {
    const queue = hub.queue(name);
    return {
      wait: (options) => queue.get(options),
      async free(left) {
        for (let i = 0; i < left; i++) {
          const { buffer } = new Uint32Array([i]);
          if (i % 10 === 0) await queue.put({ buffer }, { transfer: [buffer] });
          else await queue.put(i % 2 === 0 ? i : { i });
          await queue.taskDone();
        }
      },
    };
  },
  async 'queue, put'(hub, name) {
    const queue = hub.queue(name, { capacity: 1 });
    await queue.put('the first');
    await queue.taskDone();
    return {
      wait: async (options) => (await queue.put({}, options), await queue.taskDone()),
      async free(left) { for (let i = 0; i <= left; i++) await queue.get(); },
    };
  },
  sharedTask: (hub, name) => {
    const { start, end } = run();
    const task = hub.sharedTask(name, start);
    return {
      wait: (options) => task.wait(options),
      free: async (left) => left > 0 && (end('done'), await task.wait(), await task.close()),
    };
  },
  once: (hub, name) => {
    const { start, end } = run();
    const once = hub.once(name, start);
    return {
      wait: (options) => once.run(options),
      free: async (left) => left > 0 && (end('done'), await once.run(), await once.close()),
    };
  },
  sharedResource: (hub, name) => {
    const { start, end } = run();
    const resource = hub.sharedResource(name, { start, stop: nothing });
    return { wait: async (options) => (await resource.acquire(options)).release(), free: () => end('live') };
  },
  async pool(hub, name) {
    const pool = hub.pool(name, { max: 1, create: () => ({}) });
    const lease = await pool.acquire();
    return {
      wait: async (options) => (await pool.acquire(options)).release(),
      async free() {
        await lease.release();
        await (await pool.acquire()).release(); // after all others
        await pool.close();
        await pool.join();
      },
    };
  },
  'hub.locks': (hub, name) => {
    const { opened, open } = gate();
    void hub.locks.request(name, () => opened);
    return {
      wait: ({ signal, timeout }) => {
        const late = new AbortController();
        if (signal === undefined && timeout !== undefined) setTimeout(() => late.abort('late'), timeout);
        return hub.locks.request(name, { signal: signal ?? late.signal }, nothing);
      },
      free: () => open(),
    };
  },
  'Promises of the Go program': (hub, name) => {
    // Where they are not at hand, this is one more of the first kind.
    const signal = (hub.go['signal'] ?? hub.signal(name)) as Signal;
    return { wait: (options) => signal.wait(options), free: () => signal.signal() };
  },
};

/** How calls end. */
interface Ending {
  options(i: number): WaitOptions;
  end(): void;
  /** They get what they wait for. */
  served?: boolean;
}

const endings: Record<string, (count: number) => Ending> = {
  'each by a signal of its own': (count) => {
    const stops = Array.from({ length: count }, () => new AbortController());
    return { options: (i) => ({ signal: stops[i]!.signal }), end: () => stops.forEach((stop) => stop.abort('no')) };
  },
  'all by one signal': () => {
    const stop = new AbortController();
    return { options: () => ({ signal: stop.signal, timeout: 1e6 }), end: () => stop.abort('no') };
  },
  'by their timeouts': () => ({ options: () => ({ timeout: 1 }), end: nothing }),
  // The signal outlives them, and keeps none of them.
  'by what they wait for': () => ({ options: () => ({ signal: (lasting ??= new AbortController()).signal }), end: nothing, served: true }),
};

let lasting: AbortController | undefined;

/** Makes at least so many calls that wait, on names of its own: as many end in each way. */
async function waits(hub: Hub, whose: string, count: number): Promise<void> {
  const each = Math.ceil(count / Object.keys(ways).length / Object.keys(endings).length);
  for (const [name, way] of Object.entries(ways)) {
    for (const [ending, begin] of Object.entries(endings)) {
      const { wait, free } = await way(hub, `${whose}'s ${name}`, each);
      const { options, end, served = false } = begin(each);
      const calls = Promise.allSettled(Array.from({ length: each }, (_, i) => wait(options(i))));
      await hub.stats(); // all have arrived
      end();
      if (served) await free(each);
      const given = (await calls).filter(({ status }) => status === 'rejected').length;
      equal(given, served ? 0 : each, `${whose}'s ${name}, ended ${ending}: calls that were given up`);
      if (!served) await free(0);
    }
  }
}

// ---- names ----

let lastName = 0;

const uses: ((hub: Hub, name: string) => Promise<unknown>)[] = [
  (hub, name) => hub.signal(name).signal(),
  (hub, name) => hub.checkpoint(name).wait(),
  (hub, name) => hub.lock(name).with(nothing),
  (hub, name) => hub.reentrantLock(name).with(nothing),
  (hub, name) => hub.rwlock(name).with(nothing),
  (hub, name) => hub.locks.request(name, nothing),
  (hub, name) => hub.semaphore(name, 3).with(nothing),
  async (hub, name) => (await hub.event(name).set(), await hub.event(name).clear()),
  async (hub, name) => (await hub.latch(name, 1).countDown(), await hub.latch(name, 1).close()),
  (hub, name) => hub.barrier(name, 1).wait(),
  (hub, name) => hub.condition(hub.lock(name), name).notifyAll(),
  async (hub, name) => {
    const queue = hub.queue(name);
    await queue.put({ name });
    await queue.get();
    await queue.taskDone();
  },
  async (hub, name) => {
    const task = hub.sharedTask(name, () => name);
    await task.wait();
    await task.close();
  },
  async (hub, name) => (await hub.once(name, () => name).run(), await hub.once(name, nothing).close()),
  (hub, name) => hub.sharedResource(name, { start: () => name }).with(nothing),
  async (hub, name) => {
    const pool = hub.pool(name, { max: 1, create: () => name });
    await pool.with(nothing);
    await pool.close();
    await pool.join();
  },
];

/** Uses so many names that nobody has used before, of all kinds. */
async function names(hub: Hub, whose: string, count: number): Promise<void> {
  for (let done = 0; done < count;) {
    const some = Math.min(256, count - done);
    await Promise.all(Array.from({ length: some }, () => uses[++lastName % uses.length]!(hub, `${whose}'s name ${lastName}`)));
    done += some;
  }
  // The client keeps the last names that it used, up to a number: it has just begun to, at the end of each round.
  const calls: Promise<unknown>[] = [];
  for (let index = -1; index !== 0;) {
    const lock = hub.lock(`${whose}'s name ${++lastName}`);
    calls.push(lock.isLocked());
    ({ index } = lock.key);
  }
  await Promise.all(calls);
  // And so it does with the last checkpoints: it watches each from the second wait on.
  await Promise.all(Array.from({ length: 1024 }, async () => {
    const checkpoint = hub.checkpoint(`${whose}'s name ${++lastName}`);
    for (let i = 0; i < 3; i++) await checkpoint.wait();
  }));
}

/** One realm's part of a round. */
export interface Share {
  waits: number;
  names: number;
}

export async function work(hub: Hub, whose: string, share: Share): Promise<void> {
  await waits(hub, whose, share.waits);
  await names(hub, whose, share.names);
}

// ---- sessions ----

/** What a session is at when it ends. */
const occupations: ((hub: Hub) => unknown)[] = [
  (hub) => hub.signal('s').wait(),
  (hub) => hub.signal('s').wait({ timeout: 1e6, signal: new AbortController().signal }),
  (hub) => hub.checkpoint('s').arm(),
  (hub) => hub.checkpoint('s').wait(),
  (hub) => hub.lock('s').acquire(),
  (hub) => hub.reentrantLock('s').acquire({ timeout: 1e6 }),
  (hub) => hub.rwlock('s').acquire({ mode: 'shared' }),
  (hub) => hub.locks.request('s', never),
  (hub) => hub.semaphore('s', 2).acquire(),
  (hub) => hub.event('s').wait(),
  (hub) => hub.latch('s', 1).wait(),
  (hub) => hub.barrier('s', 1000).wait(),
  async (hub) => hub.lock('s').with((guard) => hub.condition(hub.lock('s')).wait(guard)),
  (hub) => hub.queue('s').get(),
  (hub) => hub.queue('t', { capacity: 0 }).put({ some: 'thing' }),
  (hub) => hub.sharedTask('s', untilAborted).wait(),
  (hub) => hub.once('s', never).run(),
  (hub) => hub.sharedResource('s', { start: () => 'live' }).acquire(),
  (hub) => hub.sharedResource('t', { start: untilAborted }).acquire(),
  (hub) => hub.pool('s', { max: 1, create: () => ({}) }).acquire(),
  nothing,
];

/** Keeps the session busy in one way; resolves when the hub knows. */
export async function occupy(hub: Hub, which: number): Promise<void> {
  void Promise.resolve(occupations[which % occupations.length]!(hub)).catch(nothing);
  await hub.stats();
}

interface Opened {
  attachment: Attachment;
  port: MessagePort;
  client: Hub;
}

async function open(hub: Hub): Promise<Opened> {
  const { port1, port2 } = new MessageChannel();
  const attachment = hub.attach(port1);
  return { attachment, port: port2, client: await connect(port2) };
}

type End = (opened: Opened) => unknown;

const ends: End[] = [
  ({ client }) => client.close(),
  ({ attachment }) => attachment.end(),
  ({ client, attachment }) => (void client.close(), attachment.end()),
  // A session below it ends first, or with it.
  async ({ client }) => {
    const below = await open(client);
    await occupy(below.client, lastName++);
    await below.client.close();
    await client.stats();
    await client.close();
  },
  async ({ client, attachment }) => {
    const below = await open(client);
    await occupy(below.client, lastName++);
    attachment.end();
  },
];

/** Where both ends of a port learn that it was closed. */
export const endByPort: End = ({ port }) => port.close();

/** Opens so many sessions, and ends each in another way. */
export async function sessions(hub: Hub, count: number, more: End[] = []): Promise<void> {
  const all = [...ends, ...more];
  for (let done = 0; done < count;) {
    const some = Math.min(40, count - done);
    await Promise.all(Array.from({ length: some }, async () => {
      const which = lastName++;
      const opened = await open(hub);
      await occupy(opened.client, which);
      await all[which % all.length]!(opened);
      await opened.client.closed;
    }));
    done += some;
    await comeAfter(hub);
  }
}

/** Leaves what dead sessions have held as good as new. */
export async function comeAfter(hub: Hub): Promise<void> {
  await Promise.all([
    hub.lock('s').with(nothing),
    hub.reentrantLock('s').with(nothing),
    hub.rwlock('s').with(nothing),
    hub.semaphore('s', 2).with(nothing, { permits: 2 }),
    hub.barrier('s', 1000).reset(),
    hub.checkpoint('s').resume(),
  ]);
}

// ---- what is left ----

/**
 * Counts all objects of a realm by their classes, those of the platform as `global …`, and what is in its collections.
 * A debugger calls it with what is left once all garbage is collected.
 */
export function tally(objects: object[]): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (what: string, n: number): void => void (counts[what] = (counts[what] ?? 0) + n);
  for (const each of objects) {
    const made: unknown = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(each), 'constructor')?.value;
    const name = typeof made === 'function' ? made.name.replace(/^_/, '') : '';
    add(name in globalThis ? `global ${name}` : name, 1);
    // What Go refers to, some of it until its next collection.
    if (each instanceof Map && each.has(globalThis)) add('global references of Go', each.size);
    else if (each instanceof Map || each instanceof Set) add(`in ${name}s`, each.size);
    else if (Array.isArray(each)) add('in Arrays', each.length);
  }
  return counts;
}

Object.assign(globalThis, { tally });
