import { LockMode, Op } from './abi.ts';
import { type Abortable, unwatch, watch } from './aborts.ts';
import type { Call } from './call.ts';
import { StolenError } from './errors.ts';
import { Guard } from './lock-base.ts';
import { isAbortSignal } from './options.ts';
import type { LockEntry } from './query.ts';
import { RWLock } from './rwlock.ts';
import type { Session } from './session.ts';

/**
 * A lock as the callback of `hub.locks.request` gets it.
 *
 * @example
 * await hub.locks.request('token', (lock) => [lock?.name, lock?.mode]); // => ['token', 'exclusive']
 */
export interface WebLock {
  readonly name: string;
  readonly mode: 'exclusive' | 'shared';
}

/**
 * How `hub.locks.request` asks for a lock.
 *
 * @example
 * await hub.locks.request('token', { mode: 'shared', ifAvailable: true }, (lock) => lock !== null); // => true
 */
export interface WebLockOptions {
  /** Default: `exclusive`. */
  mode?: 'exclusive' | 'shared' | undefined;
  /** Calls the callback with `null` if the lock is not free, or others wait for it. */
  ifAvailable?: boolean | undefined;
  /** Takes the lock from whoever holds it, before all who wait; their requests reject with an `AbortError`. */
  steal?: boolean | undefined;
  /** Ends the waiting; the request then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Gets the lock, or `null` with `ifAvailable`; the lock is held until what it returns has settled.
 *
 * @example
 * const held = (lock: { name: string } | null) => lock?.name;
 * await hub.locks.request('token', held); // => 'token'
 */
export type WebLockCallback<R> = (lock: WebLock | null) => R;

/**
 * Who holds or waits for a lock.
 *
 * @example
 * await hub.locks.request('token', async () => {
 *   const [info] = (await hub.locks.query()).held;
 *   [info?.name, info?.mode]; // => ['token', 'exclusive']
 * });
 */
export interface WebLockInfo {
  name: string;
  mode: 'exclusive' | 'shared';
  /** The same for all requests of one realm's session. */
  clientId: string;
}

/**
 * What `hub.locks.query` resolves with: of each name, those who came first are first.
 *
 * @example
 * const { held, pending } = await hub.locks.query();
 * [held.length, pending.length]; // => [0, 0]
 */
export interface WebLockSnapshot {
  held: WebLockInfo[];
  pending: WebLockInfo[];
}

/**
 * `navigator.locks` on a hub: the same calls, exceptions and order of events, for all realms of the hub. The locks are
 * those of `hub.rwlock(name)`.
 *
 * @example
 * await hub.locks.request('token', async () => {
 *   await work();
 * });
 */
export class LockManager {
  #session: Session;

  /** @internal */
  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Waits for the lock, calls the callback, and holds the lock until what that returned has settled; resolves or
   * rejects as that does. Rejects with a `TypeError` for arguments of the wrong kind, with a `NotSupportedError` for a
   * name that begins with a hyphen and for options that do not go together, with the signal's reason, and with an
   * `AbortError` once the lock is stolen.
   *
   * @example
   * await hub.locks.request('token', async (lock) => lock?.mode); // => 'exclusive'
   */
  request<R>(name: string, callback: WebLockCallback<R>): Promise<Awaited<R>>;
  request<R>(name: string, options: WebLockOptions, callback: WebLockCallback<R>): Promise<Awaited<R>>;
  // By its length, as by its name, it is the platform's.
  request(_name: unknown, _callback: unknown, ..._more: unknown[]): Promise<unknown> {
    try {
      return this.#request([...arguments]);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #request(given: unknown[]): Promise<unknown> {
    if (given.length < 2) throw new TypeError(`2 arguments are needed, but there are ${given.length}`);
    const name = `${given[0] as string}`;
    const { ifAvailable, mode, signal, steal } = optionsOf(given.length === 2 ? undefined : given[1]);
    const callback = given.length === 2 ? given[1] : given[2];
    if (typeof callback !== 'function') throw new TypeError('the callback must be a function');
    if (name.startsWith('-')) throw unsupported('a name must not begin with a hyphen');
    if (steal && ifAvailable) throw unsupported('steal and ifAvailable do not go together');
    if (steal && mode !== 'exclusive') throw unsupported("steal needs the mode 'exclusive'");
    if (signal !== undefined && (steal || ifAvailable)) throw unsupported('signal does not go with steal or ifAvailable');
    if (signal?.aborted) throw signal.reason;

    const op = steal ? Op.Steal : ifAvailable ? Op.Try : Op.Acquire;
    return this.#session.call(op, new RWLock(this.#session, name).key, (call, value, _answer, held) => {
      return new Answer(call, held ? new Guard(call, value) : undefined, signal, () => callback(held ? new HeldLock(name, mode) : null)).outcome;
    }, signal && { signal }, { argument: mode === 'shared' ? LockMode.Shared : LockMode.Exclusive, eager: true });
  }

  /**
   * Resolves with who holds and who waits for which lock, of the names that this realm may use.
   *
   * @example
   * await hub.locks.query(); // => { held: [], pending: [] }
   */
  async query(): Promise<WebLockSnapshot> {
    const { turns } = this.#session;
    return this.#session.call(Op.Query, undefined, (_call, _number, answer) => new Promise((resolve) => {
      const entries = answer as LockEntry[];
      const infos = (held: boolean): WebLockInfo[] => entries.filter((each) => each.held === held)
        .map(({ clientId, mode, name }) => ({ clientId, mode: mode === LockMode.Shared ? 'shared' : 'exclusive', name }));
      const snapshot = { held: infos(true), pending: infos(false) };
      turns.add(() => resolve(snapshot));
    }));
  }

  get [Symbol.toStringTag](): string {
    return 'LockManager';
  }
}

class HeldLock implements WebLock {
  #name: string;
  #mode: WebLock['mode'];

  constructor(name: string, mode: WebLock['mode']) {
    this.#name = name;
    this.#mode = mode;
  }

  get name(): string {
    return this.#name;
  }

  get mode(): WebLock['mode'] {
    return this.#mode;
  }

  get [Symbol.toStringTag](): string {
    return 'Lock';
  }
}

/** What the hub has answered to a request, until what the callback makes of it has settled. */
class Answer implements Abortable {
  readonly outcome: Promise<unknown>;

  #session: Session;
  #guard: Guard | undefined;
  #signal: AbortSignal | undefined;
  #resolve!: (value: unknown) => void;
  #reject!: (reason: unknown) => void;
  #called = false;
  #over = false; // before it was called
  #robbed = false; // likewise

  constructor(call: Call, guard: Guard | undefined, signal: AbortSignal | undefined, use: () => unknown) {
    this.#session = call.session;
    const { turns } = this.#session;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (guard !== undefined) {
      this.#guard = guard;
      guard.onLost = (reason) => {
        if (!(reason instanceof StolenError)) return this.#end(reason);
        void guard.release(); // its callback may never end
        this.#robbed = !this.#called;
        turns.add(() => this.#reject(new DOMException('the lock was stolen', 'AbortError')));
      };
    }
    this.#signal = signal;
    turns.add(() => void this.#use(use));
    if (signal?.aborted) this.abort(signal.reason)();
    else if (signal !== undefined) watch(signal, this);
  }

  /** The platform hears of an abort until it has called the callback. */
  abort(reason: unknown): () => void {
    this.#end(reason);
    return () => void this.#guard?.release();
  }

  #end(reason: unknown): void {
    this.#over = true;
    this.#reject(reason);
  }

  async #use(use: () => unknown): Promise<void> {
    if (this.#signal !== undefined) unwatch(this.#signal, this);
    if (this.#over) return;
    this.#called = true;
    this.#session.use(1); // a callback that never ends holds the lock as long as the realm lives
    let settle: () => void;
    try {
      const value = await use();
      settle = () => this.#resolve(value);
    } catch (error) {
      settle = () => this.#reject(error);
    }
    // Not to be waited for: what this realm asks for next comes after it.
    void this.#guard?.release();
    this.#session.use(-1);
    if (!this.#robbed) settle();
  }
}

interface Checked {
  ifAvailable: boolean;
  mode: 'exclusive' | 'shared';
  signal: AbortSignal | undefined;
  steal: boolean;
}

/** Reads options in the order in which the platform does. */
function optionsOf(given: unknown): Checked {
  if (given === undefined || given === null) return { ifAvailable: false, mode: 'exclusive', signal: undefined, steal: false };
  if (typeof given !== 'object' && typeof given !== 'function') throw new TypeError('options must be an object');
  const options = given as WebLockOptions;
  const ifAvailable = Boolean(options.ifAvailable);
  const wanted: unknown = options.mode;
  const mode = wanted === undefined ? 'exclusive' : `${wanted as string}`;
  if (mode !== 'exclusive' && mode !== 'shared') throw new TypeError(`${JSON.stringify(mode)} is not a mode of a lock`);
  const { signal } = options;
  if (signal !== undefined && !isAbortSignal(signal)) throw new TypeError('signal must be an AbortSignal');
  return { ifAvailable, mode, signal, steal: Boolean(options.steal) };
}

function unsupported(message: string): DOMException {
  return new DOMException(message, 'NotSupportedError');
}
