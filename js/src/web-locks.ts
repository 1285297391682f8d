import { LockMode, Op } from './abi.ts';
import { StolenError } from './errors.ts';
import { guarded } from './lock-base.ts';
import { isAbortSignal } from './options.ts';
import type { LockEntry } from './query.ts';
import { RWLock } from './rwlock.ts';
import type { Session } from './session.ts';
import type { Token } from './token.ts';

/** A lock as the callback of `hub.locks.request` gets it. */
export interface WebLock {
  readonly name: string;
  readonly mode: 'exclusive' | 'shared';
}

/** How `hub.locks.request` asks for a lock. */
export interface WebLockOptions {
  /** Default: `exclusive`. */
  mode?: 'exclusive' | 'shared';
  /** Calls the callback with `null` if the lock is not free, or others wait for it. */
  ifAvailable?: boolean;
  /** Takes the lock from whoever holds it, before all who wait; their requests reject with an `AbortError`. */
  steal?: boolean;
  /** Ends the waiting; the request then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** Gets the lock, or `null` with `ifAvailable`; the lock is held until what it returns has settled. */
export type WebLockCallback<R> = (lock: WebLock | null) => R;

/** Who holds or waits for a lock. */
export interface WebLockInfo {
  name: string;
  mode: 'exclusive' | 'shared';
  /** The same for all requests of one realm's session. */
  clientId: string;
}

/** What `hub.locks.query` resolves with. */
export interface WebLockSnapshot {
  held: WebLockInfo[];
  pending: WebLockInfo[];
}

/**
 * `navigator.locks` on a hub: the same calls, exceptions and order of events, for all realms of the hub. The locks are those of
 * `hub.rwlock(name)`.
 *
 * @example
 * await hub.locks.request('token', async () => {
 *   await refresh();
 * });
 */
export class LockManager {
  #session: Session;

  /** @internal */
  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Waits for the lock, calls the callback, and holds the lock until what that returned has settled; resolves or rejects as that
   * does. Rejects with a `TypeError` for arguments of the wrong kind, with a `NotSupportedError` for a name that begins with a
   * hyphen and for options that do not go together, with the signal's reason, and with an `AbortError` once the lock is stolen.
   */
  request<R>(name: string, callback: WebLockCallback<R>): Promise<Awaited<R>>;
  request<R>(name: string, options: WebLockOptions, callback: WebLockCallback<R>): Promise<Awaited<R>>;
  async request(...given: unknown[]): Promise<unknown> {
    if (given.length < 2) throw new TypeError(`2 arguments are needed, but there are ${given.length}`);
    const name = `${given[0] as string}`;
    const callback = given.length === 2 ? given[1] : given[2];
    const { ifAvailable, mode, signal, steal } = optionsOf(given.length === 2 ? undefined : given[1]);
    if (typeof callback !== 'function') throw new TypeError('the callback must be a function');
    if (name.startsWith('-')) throw unsupported('a name must not begin with a hyphen');
    if (steal && ifAvailable) throw unsupported('steal and ifAvailable do not go together');
    if (steal && mode !== 'exclusive') throw unsupported("steal needs the mode 'exclusive'");
    if (signal !== undefined && (steal || ifAvailable)) throw unsupported('signal does not go with steal or ifAvailable');
    signal?.throwIfAborted();

    const { key } = new RWLock(this.#session, name);
    const op = steal ? Op.Steal : ifAvailable ? Op.Try : Op.Acquire;
    const token: Token | undefined = await this.#session.call(op, key, guarded, signal === undefined ? undefined : { signal },
      { argument: mode === 'shared' ? LockMode.Shared : LockMode.Exclusive });
    if (token === undefined) return callback(null);
    return held(token, () => callback(Object.freeze({ name, mode })));
  }

  /** Resolves with who holds and who waits for which lock, of the names that this realm may use. */
  query(): Promise<WebLockSnapshot> {
    return this.#session.call(Op.Query, undefined, (_call, _number, answer) => {
      const entries = answer as LockEntry[];
      const infos = (held: boolean): WebLockInfo[] => entries.filter((each) => each.held === held)
        .map(({ name, mode, clientId }) => ({ name, mode: mode === LockMode.Shared ? 'shared' : 'exclusive', clientId }));
      return { held: infos(true), pending: infos(false) };
    });
  }
}

/** Calls `use` and releases the token once that has settled, unless it is lost before. */
function held(token: Token, use: () => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    token.onLost = (reason) => {
      reject(reason instanceof StolenError ? new DOMException('the lock was stolen', 'AbortError') : reason);
    };
    const settled = new Promise((done) => done(use()));
    settled.then(() => {}, () => {}).then(() => token.release()).then(() => resolve(settled));
  });
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
