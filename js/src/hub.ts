import { Op } from './abi.ts';
import { type Admit, type Attachable, Attachment, type Leave } from './attach.ts';
import { Barrier } from './barrier.ts';
import { numbers } from './call.ts';
import { Checkpoint } from './checkpoint.ts';
import { Condition } from './condition.ts';
import { ClcaError, ClosedError } from './errors.ts';
import { Event } from './event.ts';
import { CountdownLatch } from './latch.ts';
import { Lock } from './lock.ts';
import { Once } from './once.ts';
import { checkCount, checkFunction, checkHook, checkName } from './options.ts';
import type { Disposing, Port } from './platform.ts';
import { Pool, type PoolOptions, checkPool } from './pool.ts';
import { Queue, type QueueOptions } from './queue.ts';
import { ReentrantLock } from './reentrant-lock.ts';
import { RWLock } from './rwlock.ts';
import { Semaphore } from './semaphore.ts';
import type { Session } from './session.ts';
import { type ResourceFunctions, SharedResource } from './shared-resource.ts';
import { SharedTask } from './shared-task.ts';
import { Signal } from './signal.ts';
import { LockManager } from './web-locks.ts';
import type { Limits } from './wire.ts';

/** What a Hub is to its user, whether the Go program runs here or elsewhere. */
export interface Connection {
  session: Session;
  /** Lets the realm at the other end of the port in, and calls `left` when it has left; returns what shuts it out. */
  admit(port: Port, limits: Limits, left: (how: Leave) => void): () => void;
  /** Ends the hub, or this session of it. */
  close(): void;
  /** Calls the listener with the reason once it is over, which may be now. */
  onOver(listener: (error: ClcaError) => void): void;
  published: Record<string, unknown>;
}

/**
 * A hub as one realm sees it: the names that all realms share, and this realm's session. It comes from `createHub` or
 * `connect`.
 *
 * Primitives are made by naming them, as often as one likes: two objects of one kind and name are the same primitive,
 * in whatever realm they are. A name may be any string, and costs nothing while it is not in use.
 *
 * @example
 * const here = hub.lock('settings');
 * const same = hub.lock('settings'); // in this realm, or any other
 * await here.with(() => same.isLocked()); // => true
 */
export class Hub {
  /**
   * Resolves when the hub, or this realm's session of it, is over: with `undefined` if it was closed, and else with the
   * error that says why. It never rejects.
   *
   * @example
   * const gone = hub.closed.then((error) => (error === undefined ? 'closed' : error.message));
   * await hub.close();
   * await gone; // => 'closed'
   */
  readonly closed: Promise<Error | undefined>;

  #connection: Connection;
  #attachments = new Set<Attachment>();
  #locks: LockManager | undefined;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
    let resolve!: (reason: Error | undefined) => void;
    this.closed = new Promise((resolver) => void (resolve = resolver));
    connection.onOver(ending(this.#attachments, resolve));
  }

  /**
   * The signal of that name. Throws a `TypeError` if the name is not a string.
   *
   * @example
   * await hub.signal('ready').signal(); // => 0 (of those who waited)
   */
  signal(name: string): Signal {
    checkName(name);
    return new Signal(this.#connection.session, name);
  }

  /**
   * The checkpoint of that name. Throws a `TypeError` if the name is not a string.
   *
   * @example
   * await hub.checkpoint('render').wait(); // passes, unless somebody has armed it
   */
  checkpoint(name: string): Checkpoint {
    checkName(name);
    return new Checkpoint(this.#connection.session, name);
  }

  /**
   * The shared task of that name, with the function that this realm would run.
   * Throws a `TypeError` for a bad argument.
   *
   * @example
   * const config = hub.sharedTask('config', async (signal) => (await fetch(url, { signal })).json());
   * await config.wait(); // => { answer: 42 }
   */
  sharedTask<T>(name: string, run: (signal: AbortSignal) => T | PromiseLike<T>): SharedTask<T> {
    checkName(name);
    checkFunction(run, 'run');
    return new SharedTask(this.#connection.session, name, run);
  }

  /**
   * The shared resource of that name, with the functions that this realm would use.
   * Throws a `TypeError` for a bad argument.
   *
   * @example
   * const socket = hub.sharedResource('socket', { start: () => 'open', stop: () => {} });
   * await socket.with((ref) => ref.value); // => 'open'
   */
  sharedResource<T>(name: string, functions: ResourceFunctions<T>): SharedResource<T> {
    checkName(name);
    checkFunction(functions?.start, 'start');
    checkHook(functions.stop, 'stop');
    return new SharedResource(this.#connection.session, name, functions);
  }

  /**
   * The lock of that name. Throws a `TypeError` if the name is not a string.
   *
   * @example
   * await hub.lock('settings').with(() => work());
   */
  lock(name: string): Lock {
    checkName(name);
    return new Lock(this.#connection.session, name);
  }

  /**
   * The reentrant lock of that name. Throws a `TypeError` if the name is not a string.
   *
   * @example
   * const tree = hub.reentrantLock('tree');
   * await tree.with((guard) => tree.with(() => work(), { within: guard }));
   */
  reentrantLock(name: string): ReentrantLock {
    checkName(name);
    return new ReentrantLock(this.#connection.session, name);
  }

  /**
   * The lock of that name which can be shared. Throws a `TypeError` if the name is not a string.
   *
   * @example
   * await hub.rwlock('cache').with(() => work(), { mode: 'shared' });
   */
  rwlock(name: string): RWLock {
    checkName(name);
    return new RWLock(this.#connection.session, name);
  }

  /**
   * `navigator.locks`, for all realms of the hub.
   *
   * @example
   * await hub.locks.request('token', () => work());
   */
  get locks(): LockManager {
    return (this.#locks ??= new LockManager(this.#connection.session));
  }

  /**
   * The semaphore of that name and so many permits, which are fixed by whoever uses the name first: a call of another
   * number rejects with a `MismatchError`. Throws a `TypeError` unless they are a whole number of at least 1.
   *
   * @example
   * const downloads = hub.semaphore('downloads', 3);
   * await Promise.all(parts.map((part) => downloads.with(() => work()))); // at most three at a time
   */
  semaphore(name: string, permits: number): Semaphore {
    checkName(name);
    checkCount(permits, 'permits');
    return new Semaphore(this.#connection.session, name, permits);
  }

  /**
   * The event of that name. Throws a `TypeError` if the name is not a string.
   *
   * @example
   * await hub.event('loaded').set();
   * await hub.event('loaded').wait(); // passes, now and later
   */
  event(name: string): Event {
    checkName(name);
    return new Event(this.#connection.session, name);
  }

  /**
   * The condition of that name of a lock of this hub. Throws a `TypeError` for a bad argument.
   *
   * @example
   * const lock = hub.lock('jobs');
   * const notEmpty = hub.condition(lock, 'not empty');
   * const notFull = hub.condition(lock, 'not full');
   */
  condition(lock: Lock, name = ''): Condition {
    if (!(lock instanceof Lock) || lock.key.session !== this.#connection.session) {
      throw new TypeError('lock must be a lock of this hub');
    }
    checkName(name);
    return new Condition(lock, name);
  }

  /**
   * The barrier of that name for so many parties, which are fixed by whoever uses the name first: a call of another
   * number rejects with a `MismatchError`. Throws a `TypeError` unless they are a whole number of at least 1.
   *
   * @example
   * const step = hub.barrier('step', 2);
   * await Promise.all([step.wait(), step.wait()]); // => [0, 1]
   */
  barrier(name: string, parties: number): Barrier {
    checkName(name);
    checkCount(parties, 'parties');
    return new Barrier(this.#connection.session, name, parties);
  }

  /**
   * The countdown latch of that name, which opens once it was counted down so many times. The count is fixed by whoever
   * uses the name first: a call of another one rejects with a `MismatchError`. Throws a `TypeError` unless it is a
   * whole number of at least 0.
   *
   * @example
   * const loaded = hub.latch('loaded', 2);
   * await loaded.countDown(); // => 1
   */
  latch(name: string, count: number): CountdownLatch {
    checkName(name);
    checkCount(count, 'count', 0);
    return new CountdownLatch(this.#connection.session, name, count);
  }

  /**
   * The queue of that name. What it is like is fixed by whoever is the first to say so: a call that says otherwise
   * rejects with a `MismatchError`; without options it is taken as it is. Throws a `TypeError` for a bad argument.
   *
   * @example
   * const jobs = hub.queue<{ page: number }>('jobs', { capacity: 100 });
   * await jobs.put({ page: 1 });
   * await hub.queue('jobs').get(); // => { page: 1 }
   */
  queue<T = unknown>(name: string, options?: QueueOptions): Queue<T> {
    checkName(name);
    return new Queue(this.#connection.session, name, options);
  }

  /**
   * The pool of that name, with the functions that this realm would use. `max` is fixed by whoever uses the name first:
   * a call of another one rejects with a `MismatchError`. Throws a `TypeError` for a bad argument.
   *
   * @example
   * const buffers = hub.pool('buffers', { max: 4, create: () => new ArrayBuffer(1024) });
   * await buffers.with((lease) => lease.resource.byteLength); // => 1024
   */
  pool<T>(name: string, options: PoolOptions<T>): Pool<T> {
    checkName(name);
    checkPool(options as PoolOptions<unknown>);
    return new Pool(this.#connection.session, name, options);
  }

  /**
   * What is done once under that name, with the function that this realm would run. Throws a `TypeError` for a bad argument.
   *
   * @example
   * await hub.once('migrate', () => 'done').run(); // => 'done'
   */
  once<T>(name: string, run: (signal: AbortSignal) => T | PromiseLike<T>): Once<T> {
    checkName(name);
    checkFunction(run, 'run');
    return new Once(this.#connection.session, name, run);
  }

  /**
   * Lets a Worker in, which calls `connect()`, or whoever has the other end of a MessagePort, with `connect(port)`. It
   * does not matter which of the two calls comes first. The realm's session is below this one, and ends with it. A
   * Worker belongs to one hub: of two that attach it, either may be the one that its `connect()` reaches. A port serves
   * one session.
   *
   * To find each other, `attach` and `connect` send a few messages with a property `clca` through the Worker's own
   * channel; handlers of yours there see them too, and should pass them over.
   *
   * Throws a `TypeError` for anything else, and once the hub is over, the error with which all calls reject.
   *
   * @example
   * const session = hub.attach(worker, { prefix: 'render/' });
   * session.end(); // shuts it out at once
   */
  attach(target: Attachable, limits: AttachOptions = {}): Attachment {
    if (typeof limits !== 'object' || limits === null) throw new TypeError('limits must be an object');
    const { prefix, limit } = limits;
    if (prefix !== undefined && typeof prefix !== 'string') throw new TypeError('prefix must be a string');
    if (limit !== undefined && !(Number.isInteger(limit) && limit > 0 && limit < 2 ** 31)) {
      throw new TypeError('limit must be a whole number above 0');
    }
    const { dead } = this.#connection.session;
    if (dead !== undefined) throw dead();
    const admit: Admit = (port, left) => this.#connection.admit(port, { prefix, limit }, left);
    const attachment = new Attachment(target, limit !== undefined, admit, () => void this.#attachments.delete(attachment));
    this.#attachments.add(attachment);
    return attachment;
  }

  /**
   * Ends the hub, if `createHub` started it here or in a Worker, and else this realm's session of it. What is pending
   * rejects with a `ClosedError`. Resolves when that is done here; a hub elsewhere knows a moment later. A second call
   * does nothing more.
   *
   * @example
   * const waiting = hub.signal('go').wait();
   * await Promise.all([hub.close(), waiting]); // rejects with ClosedError
   */
  async close(): Promise<void> {
    this.#connection.close();
    await this.closed;
  }

  /**
   * How much is in use, in all realms; of a realm that may not use all names, in it and those below it.
   *
   * @example
   * const { sessions } = await hub.stats();
   * sessions; // => 1 (this realm)
   */
  stats(): Promise<HubStats> {
    return this.#connection.session.call(Op.HubStats, undefined, (call) => {
      const [sessions, names, calls, runs, dropped, unreported] = numbers(call);
      return { sessions, names, calls, runs, dropped, unreported };
    });
  }

  /**
   * What the Go program published by `hub.Publish`, in the realm where it runs; empty elsewhere.
   *
   * @example
   * const { total } = hub.go; // what the Go program says by hub.Publish("total", …)
   */
  get go(): Record<string, any> {
    return this.#connection.published;
  }
}

/** What follows the end of a hub. It is made here, where it sees nothing that would keep the Hub from being collected. */
function ending(attachments: Set<Attachment>, closed: (reason: Error | undefined) => void) {
  return (error: ClcaError): void => {
    for (const attachment of attachments) attachment.end();
    attachments.clear();
    closed(error instanceof ClosedError ? undefined : error);
  };
}

export interface Hub extends Disposing {}

// Where the platform has no such symbol, `await using` does not exist either.
if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(Hub.prototype, Symbol.asyncDispose, {
    value(this: Hub) { return this.close(); },
    configurable: true,
    writable: true,
  });
}

/**
 * What a realm that is let in may do.
 *
 * @example
 * hub.attach(worker, { prefix: 'render/', limit: 1000 });
 */
export interface AttachOptions {
  /** The names it may use begin with this; calls on others reject with a `DeniedError`. Default: all names. */
  prefix?: string | undefined;
  /**
   * How many calls it, and all below it, may have outstanding, where each realm below it counts as one; further calls
   * reject with a `LimitError`. A Worker then has one session at a time. Default: 2,097,152 for each realm.
   */
  limit?: number | undefined;
}

/**
 * A snapshot of a hub.
 *
 * @example
 * await hub.stats(); // => { sessions: 1, names: 0, calls: 0, runs: 0, dropped: 0, unreported: 0 }
 */
export interface HubStats {
  /** Realms that are connected, the hub's own included. */
  sessions: number;
  /** Primitives that are in use or not in their initial state. */
  names: number;
  /** Calls that wait or hold something, this one not included. */
  calls: number;
  /** Shared functions that run, and shared resources that live. */
  runs: number;
  /** Messages so far that were not of the protocol, and were dropped. */
  dropped: number;
  /**
   * Realms that were connected to the hub before this one, which was lost, and have not said yet what they hold of it.
   * While there are any, nothing is granted that they may hold.
   */
  unreported: number;
}
