import { Ending, Kind, Op } from './abi.ts';
import { type Abortable, unwatch, watch } from './aborts.ts';
import { type Call, type Convert, Name, type Runnable, numbers, toBoolean } from './call.ts';
import { type AcquireOptions, type WaitOptions, checkCount, checkFunction, checkHook, checkTime, startTimer, timeoutError } from './options.ts';
import type { Disposing } from './platform.ts';
import { type Session, report } from './session.ts';
import { Token, disposable, using } from './token.ts';

/**
 * What a pool lends, and how it is made. `max` and `create` must be given.
 *
 * @example
 * const buffers = hub.pool('buffers', {
 *   max: 4,
 *   create: async (signal) => new ArrayBuffer(1024),
 *   validate: (buffer) => buffer.byteLength > 0,
 *   destroy: (buffer) => {},
 *   idleTime: 60_000,
 * });
 */
export interface PoolOptions<T> {
  /** How many resources there can be in all realms together. Fixed by whoever uses the name first. */
  max: number;
  /** Makes one. The signal is aborted when the session ends meanwhile. */
  create(signal: AbortSignal): T | PromiseLike<T>;
  /** Unmakes one; what it throws is reported. */
  destroy?(resource: T): void | PromiseLike<void>;
  /** Asked about one that was used before, when it is to be lent again; with false, or an error, another is made in its place. */
  validate?(resource: T): boolean | PromiseLike<boolean>;
  /** How many milliseconds one may be idle before it is unmade. Default: for ever. */
  idleTime?: number | undefined;
  /** After how many milliseconds a lease is reported to `onLeak`. If it is given, the stack of every `acquire` is noted. */
  leakAfter?: number | undefined;

  // The hooks are called in the realm where the resource lives. What one throws is reported, and it is not called
  // again.

  onCreate?(resource: T): void;
  onAcquire?(resource: T): void;
  onRelease?(resource: T): void;
  onDestroy?(resource: T): void;
  onLeak?(leak: Leak<T>): void;
}

/**
 * A lease that is out.
 *
 * @example
 * const buffers = hub.pool('buffers', { max: 4, create: () => new ArrayBuffer(1024) });
 * const lease = await buffers.acquire();
 * const [outstanding] = buffers.outstanding();
 * outstanding?.stack; // => undefined (without leakAfter)
 * await lease.release();
 */
export interface Outstanding {
  /** For how many milliseconds it has been held. */
  heldFor: number;
  /** Where it was acquired, with `leakAfter`. */
  stack: string | undefined;
}

/**
 * A lease that was held for too long.
 *
 * @example
 * const slow = hub.pool('slow', {
 *   max: 1,
 *   create: () => 'it',
 *   leakAfter: 1000,
 *   onLeak: (leak) => console.warn(`${leak.resource} is ${leak.kind} for ${leak.heldFor} ms`, leak.stack),
 * });
 */
export interface Leak<T> extends Outstanding {
  /** It is still held; or it has been given back, late; or it was collected, so that nobody can give it back any more. */
  kind: 'held' | 'returned' | 'collected';
  resource: T;
}

/**
 * What is still out when a pool is closed.
 *
 * @example
 * const sockets = hub.pool('sockets', { max: 1, create: () => 'it' });
 * const { lent, here } = await sockets.close();
 * [lent, here]; // => [0, []]
 */
export interface ClosedPool {
  /** How many leases are out, in all realms. */
  lent: number;
  /** Those of this realm. */
  here: Outstanding[];
}

/**
 * Lends resources that are costly to make, such as connections or Workers. A resource lives in the realm that made it,
 * and is lent there alone; how many there can be is shared by all realms, and who waits is served in the order of
 * arrival, if need be by the end of a resource that is idle elsewhere. A resource that was being made for a caller who
 * has left is kept for the next one.
 *
 * @example
 * const buffers = hub.pool('buffers', { max: 6, create: () => new ArrayBuffer(1024) });
 * await buffers.with((lease) => lease.resource.byteLength); // => 1024
 */
export class Pool<T> {
  #name: Name;
  #options: PoolOptions<T>;
  #runnable: Runnable;
  #off = new Set<string>(); // hooks that have thrown

  /** @internal */
  constructor(session: Session, name: string, options: PoolOptions<T>) {
    this.#name = new Name(session, Kind.Pool, name, options.max, (n) => `max ${n}`);
    this.#options = options;
    this.#runnable = {
      stays: true,
      start: async (signal) => {
        const resource = await options.create(signal);
        this.#hook('onCreate', resource);
        return resource;
      },
      stop: async (resource) => {
        try {
          await options.destroy?.(resource as T);
        } finally {
          this.#hook('onDestroy', resource as T);
        }
      },
      idle: (run) => {
        const { idleTime } = options;
        if (idleTime === undefined) return () => {};
        return startTimer(idleTime, () => {
          session.call(Op.Evict, this.#name, toBoolean, undefined, { argument: run }).catch(() => {}); // it went with its session
        }, true);
      },
    };
  }

  /**
   * Resolves with a resource, making one if none is idle here and there can be more. Rejects with the error of
   * `create`, the abort's reason, a `TimeoutError`, a `ClosedError` or a `MismatchError`; what was being made is then
   * kept for others.
   *
   * @example
   * const lease = await hub.pool('buffers', { max: 1, create: () => new ArrayBuffer(8) }).acquire({ timeout: 1000 });
   * await lease.release();
   */
  async acquire(options: AcquireOptions = {}): Promise<Lease<T>> {
    const stack = this.#stack();
    const began = performance.now();
    const { session } = this.#name;
    const rest = (): AcquireOptions => {
      const { timeout } = options;
      if (timeout === undefined) return options;
      return { ...options, timeout: Math.max(Number.MIN_VALUE, timeout - (performance.now() - began)) };
    };
    let token: LeaseToken = await session.call(Op.Acquire, this.#name, leased, options, { runnable: this.#runnable });
    while (!(await this.#valid(token, rest()))) {
      // Its slot is given another resource, without going to the end of the line.
      try {
        token = await session.call(Op.Replace, this.#name, leased, { ...rest(), reconnect: undefined },
          { runnable: this.#runnable, argument: token.call.slot });
      } catch (error) {
        void token.giveBack(Ending.Discard); // which does nothing if it was replaced
        throw error;
      }
    }
    return this.#lend(token, stack);
  }

  /**
   * Resolves with a resource if one is idle here and nobody waits, and else with `undefined`; it makes none.
   *
   * @example
   * await hub.pool('buffers', { max: 1, create: () => new ArrayBuffer(8) }).tryAcquire(); // => undefined (none was made yet)
   */
  async tryAcquire(): Promise<Lease<T> | undefined> {
    const stack = this.#stack();
    for (;;) {
      const token: LeaseToken | undefined = await this.#name.session.call(Op.Try, this.#name, leased);
      if (token === undefined) return undefined;
      if (await this.#valid(token)) return this.#lend(token, stack);
      void token.giveBack(Ending.Discard);
    }
  }

  /**
   * Acquires, calls `use` with the lease, and releases it whatever comes; resolves with what `use` returned.
   *
   * @example
   * await hub.pool('buffers', { max: 1, create: () => 'it' }).with((lease) => lease.resource); // => 'it'
   */
  with<R>(use: (lease: Lease<T>) => R | PromiseLike<R>, options?: AcquireOptions): Promise<Awaited<R>> {
    return using(this.#name.session, () => this.acquire(options), use);
  }

  /**
   * Rejects all who wait, and later calls, with a `ClosedError`, and has what is idle unmade. What is lent, or is being
   * validated, is unmade when it is released; it is what the call resolves with. Then the name is free for a new pool.
   *
   * @example
   * const closed = await hub.pool('buffers', { max: 1, create: () => new ArrayBuffer(8) }).close();
   * closed.lent; // => 0
   */
  async close(): Promise<ClosedPool> {
    const lent: number = await this.#name.session.call(Op.Close, this.#name, (_call, value) => value);
    return { lent, here: this.outstanding() };
  }

  /**
   * Resolves once the pool is closed and all its resources are unmade, by a `destroy` that ends.
   *
   * @example
   * const buffers = hub.pool('buffers', { max: 1, create: () => new ArrayBuffer(8) });
   * await buffers.close();
   * await buffers.join();
   */
  join(options?: WaitOptions): Promise<void> {
    return this.#name.session.call(Op.Join, this.#name, undefined, options);
  }

  /**
   * What this realm has acquired from the pool and not released.
   *
   * @example
   * hub.pool('buffers', { max: 1, create: () => new ArrayBuffer(8) }).outstanding(); // => []
   */
  outstanding(): Outstanding[] {
    return [...(outOf(this.#name) ?? [])].map((each) => each.outstanding);
  }

  /**
   * How many resources there can be, are lent, idle, being made and unmade, and how many callers wait.
   *
   * @example
   * const { idle } = await hub.pool('buffers', { max: 1, create: () => new ArrayBuffer(8) }).stats();
   * idle; // => 0
   */
  stats(): Promise<PoolStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [max, lent, idle, creating, destroying, waiting] = numbers(call);
      return { max, lent, idle, creating, destroying, waiting };
    });
  }

  #stack(): string | undefined {
    return this.#options.leakAfter === undefined ? undefined : new Error('acquired').stack;
  }

  /**
   * Whether a resource that was used before is of use still. Rejects once its caller is not to wait any longer; it then
   * goes back as soon as it is known what it is worth.
   */
  async #valid(token: LeaseToken, { signal, timeout }: AcquireOptions = {}): Promise<boolean> {
    if (token.call.extra?.reused !== true || this.#options.validate === undefined) return true;
    const asked = (async () => Boolean(await this.#options.validate!(token.resource as T)))().catch(() => false);
    let stop = (): void => {};
    const enough = new Promise<never>((_, reject) => {
      const caller: Abortable = { abort: (reason) => void reject(reason) };
      const stopTimer = timeout === undefined ? undefined : startTimer(timeout, () => reject(timeoutError()));
      if (signal !== undefined) watch(signal, caller);
      token.onLost = reject;
      stop = () => {
        stopTimer?.();
        if (signal !== undefined) unwatch(signal, caller);
      };
      if (signal?.aborted) reject(signal.reason);
      if (!token.live) reject(token.lost.reason);
    });
    try {
      return await Promise.race([asked, enough]);
    } catch (error) {
      void asked.then((valid) => token.giveBack(valid ? Ending.Back : Ending.Discard));
      throw error;
    } finally {
      stop();
    }
  }

  #lend(token: LeaseToken, stack: string | undefined): Lease<T> {
    const record = new Held(token as LeaseToken<T>, stack, this.#name, this.#options.leakAfter,
      (name, value) => this.#hook(name as 'onLeak', value as Leak<T>));
    this.#hook('onAcquire', record.token.resource);
    return new Lease(record);
  }

  #hook<N extends Hooks>(name: N, value: Parameters<NonNullable<PoolOptions<T>[N]>>[0]): void {
    const hook = this.#options[name] as ((value: unknown) => void) | undefined;
    if (hook === undefined || this.#off.has(name)) return;
    try {
      hook.call(this.#options, value);
    } catch (error) {
      this.#off.add(name);
      report(error);
    }
  }
}

type Hooks = 'onCreate' | 'onAcquire' | 'onRelease' | 'onDestroy' | 'onLeak';

/** Throws unless the options can be those of a pool. */
export function checkPool(options: PoolOptions<unknown>): void {
  if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object');
  checkCount(options.max, 'max');
  checkFunction(options.create, 'create');
  for (const name of ['destroy', 'validate', 'onCreate', 'onAcquire', 'onRelease', 'onDestroy', 'onLeak'] as const) {
    checkHook(options[name], name);
  }
  for (const name of ['idleTime', 'leakAfter'] as const) {
    checkTime(options[name], name);
  }
}

/** What the session knows of a lease. It does not know the Lease, which can so be collected. */
class LeaseToken<T = unknown> extends Token {
  readonly resource: T;

  constructor(call: Call, resource: T) {
    super(call);
    this.resource = resource;
  }
}

const leased: Convert = (call, _run, resource, held) => (held ? new LeaseToken(call, resource) : undefined);

/** What this realm holds of each pool, by session and name. */
const out = new WeakMap<Session, Map<string, Set<Held<any>>>>();

function outOf({ session, text }: Name): Set<Held<any>> | undefined {
  return out.get(session)?.get(text);
}

function note({ session, text }: Name, held: Held<any>): void {
  let pools = out.get(session);
  if (pools === undefined) out.set(session, (pools = new Map()));
  const all = pools.get(text);
  if (all === undefined) pools.set(text, new Set([held]));
  else all.add(held);
}

function forget(name: Name, held: Held<any>): void {
  const all = outOf(name);
  if (all?.delete(held) && all.size === 0) out.get(name.session)!.delete(name.text);
}

/** A lease that is out, without the Lease. */
class Held<T> {
  readonly token: LeaseToken<T>;
  readonly #stack: string | undefined;
  readonly #since = performance.now();
  readonly #pool: Name;
  readonly #hook: (name: Hooks, value: unknown) => void;
  #stop: () => void = () => {};
  #reported = false;
  #returned: Promise<void> | undefined;

  constructor(
    token: LeaseToken<T>,
    stack: string | undefined,
    pool: Name,
    leakAfter: number | undefined,
    hook: (name: Hooks, value: unknown) => void,
  ) {
    this.token = token;
    this.#stack = stack;
    this.#pool = pool;
    this.#hook = hook;
    if (!token.live) return;
    note(pool, this);
    token.onLost = () => this.#over();
    if (leakAfter !== undefined) {
      this.#stop = startTimer(leakAfter, () => {
        this.#reported = true;
        this.#report('held');
      }, true);
    }
  }

  get outstanding(): Outstanding {
    return { heldFor: performance.now() - this.#since, stack: this.#stack };
  }

  #report(kind: Leak<T>['kind']): void {
    this.#hook('onLeak', { kind, resource: this.token.resource, ...this.outstanding } satisfies Leak<T>);
  }

  #over(): void {
    this.#stop();
    forget(this.#pool, this);
  }

  giveBack(how: Ending): Promise<void> {
    if (this.#returned === undefined) {
      let resolve!: (done: Promise<void>) => void;
      this.#returned = new Promise((keep) => (resolve = keep)); // before the hooks, which may give it back as well
      const { live } = this.token;
      this.#over();
      if (live) {
        if (this.#reported) this.#report('returned');
        this.#hook('onRelease', this.token.resource);
      }
      resolve(this.token.giveBack(how));
    }
    return this.#returned;
  }

  collected(): void {
    if (this.#returned !== undefined || !this.token.live) return;
    this.#over();
    this.#report('collected');
    this.#returned = this.token.giveBack(Ending.Discard);
  }
}

const collected = new FinalizationRegistry<Held<any>>((held) => held.collected());

/**
 * One caller's hold on a resource of a pool. One that is collected without having been given back is reported as a
 * leak; its resource is unmade, and its place free for others.
 *
 * @example
 * const buffers = hub.pool('buffers', { max: 1, create: () => new ArrayBuffer(8) });
 * await using lease = await buffers.acquire();
 */
export class Lease<T> {
  readonly #held: Held<T>;

  /** @internal */
  constructor(held: Held<T>) {
    this.#held = held;
    collected.register(this, held, held);
  }

  /**
   * The resource. It must not be used once the lease was given back.
   *
   * @example
   * const lease = await hub.pool('buffers', { max: 1, create: () => new ArrayBuffer(8) }).acquire();
   * lease.resource.byteLength; // => 8
   * await lease.release();
   */
  get resource(): T {
    return this.#held.token.resource;
  }

  /**
   * Aborted the moment this realm learns that its session, or the hub, has ended; the resource is unmade then.
   *
   * @example
   * await hub.pool('buffers', { max: 1, create: () => new ArrayBuffer(8) }).with((lease) => work({ signal: lease.lost }));
   */
  get lost(): AbortSignal {
    return this.#held.token.lost;
  }

  /**
   * Gives the resource back, to the next in line or to be idle. Resolves when the hub knows; further calls return the
   * same promise.
   *
   * @example
   * const lease = await hub.pool('buffers', { max: 1, create: () => new ArrayBuffer(8) }).acquire();
   * lease.release() === lease.release(); // => true
   */
  release(): Promise<void> {
    collected.unregister(this.#held);
    return this.#held.giveBack(Ending.Back);
  }

  /**
   * Gives the resource back as one that is of no use any more: it is unmade, and another is made when it is needed.
   *
   * @example
   * const sockets = hub.pool('sockets', { max: 1, create: () => ({ broken: true }) });
   * const lease = await sockets.acquire();
   * await (lease.resource.broken ? lease.destroy() : lease.release());
   */
  destroy(): Promise<void> {
    collected.unregister(this.#held);
    return this.#held.giveBack(Ending.Discard);
  }
}

export interface Lease<T> extends Disposing {}

disposable(Lease.prototype);

/**
 * A snapshot of a pool.
 *
 * @example
 * const sockets = hub.pool('sockets', { max: 2, create: () => 'it' });
 * await sockets.stats(); // => { max: 2, lent: 0, idle: 0, creating: 0, destroying: 0, waiting: 0 }
 */
export interface PoolStats {
  max: number;
  lent: number;
  idle: number;
  creating: number;
  destroying: number;
  /** Callers that wait, for a place or for their resource to be made. */
  waiting: number;
}
