/**
 * What can go wrong, as classes. Each has a stable `name` and `code`; test those or `instanceof`.
 *
 * Three failures are not among them, because the platform has words for them: an abort rejects with the signal's own
 * `reason`, a timeout with a `DOMException` named `TimeoutError`, and a bad argument with a `TypeError`.
 */

import { Code } from './abi.ts';

/**
 * The base of all errors of clca.
 *
 * @example
 * const error = await hub.latch('loaded', 1).countDown(2).catch((error) => error);
 * error instanceof ClcaError; // => true
 * error.code; // => 'OVER_RELEASE'
 */
export class ClcaError<Word extends string = string> extends Error {
  /**
   * A stable word for programs, such as `CLOSED`; of each class below it is one.
   *
   * @example
   * new ClosedError().code; // => 'CLOSED'
   */
  readonly code: Word;

  constructor(name: string, code: Word, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
    this.code = code;
  }
}

/**
 * The hub, the session or the primitive was closed on purpose.
 *
 * @example
 * await hub.close();
 * await hub.signal('go').wait(); // rejects with ClosedError
 */
export class ClosedError extends ClcaError<'CLOSED'> {
  constructor(message = 'closed') {
    super('ClosedError', 'CLOSED', message);
  }
}

/**
 * The hub died: its Worker was terminated, its page closed, or its Go program ended or panicked.
 *
 * @example
 * const gone = hub.closed.then((error) => error instanceof HubLostError); // then start another, or reload
 * await hub.close();
 * await gone; // => false (it was closed)
 */
export class HubLostError extends ClcaError<'HUB_LOST'> {
  constructor(message = 'the hub is gone', options?: ErrorOptions) {
    super('HubLostError', 'HUB_LOST', message, options);
  }
}

/**
 * The page slept in the back/forward cache, and what it held was given to others.
 *
 * @example
 * const guard = await hub.lock('file').acquire();
 * guard.lost.addEventListener('abort', () => {
 *   if (guard.lost.reason instanceof SuspendedError) location.reload(); // the page is back, and holds nothing
 * });
 * await guard.release();
 */
export class SuspendedError extends ClcaError<'SUSPENDED'> {
  constructor(message = 'the session ended while this realm was suspended') {
    super('SuspendedError', 'SUSPENDED', message);
  }
}

/**
 * The realm in which the shared resource lived is gone, and the resource with it.
 *
 * @example
 * const ref = await hub.sharedResource('stream', { start: () => 'a stream' }).acquire();
 * ref.lost.addEventListener('abort', () => {
 *   if (ref.lost.reason instanceof OwnerLostError) void ref.release(); // and acquire it anew
 * });
 * await ref.release();
 */
export class OwnerLostError extends ClcaError<'OWNER_LOST'> {
  constructor(message = 'the realm that started it is gone') {
    super('OwnerLostError', 'OWNER_LOST', message);
  }
}

/**
 * The checkpoint is armed already, or holds callers.
 *
 * @example
 * const armed = hub.checkpoint('step').arm();
 * await hub.checkpoint('step').arm(); // rejects with AlreadyArmedError
 * await Promise.all([hub.checkpoint('step').wait(), armed, hub.checkpoint('step').resume()]);
 */
export class AlreadyArmedError extends ClcaError<'ALREADY_ARMED'> {
  constructor(message = 'the checkpoint is armed already') {
    super('AlreadyArmedError', 'ALREADY_ARMED', message);
  }
}

/**
 * The arm was withdrawn by `disarm()`.
 *
 * @example
 * const armed = hub.checkpoint('step').arm();
 * await Promise.all([hub.checkpoint('step').disarm(), armed]); // rejects with DisarmedError
 */
export class DisarmedError extends ClcaError<'DISARMED'> {
  constructor(message = 'the checkpoint was disarmed') {
    super('DisarmedError', 'DISARMED', message);
  }
}

/**
 * Something was given back by one who does not hold it.
 *
 * @example
 * const guard = await hub.lock('file').acquire();
 * await guard.release();
 * await hub.condition(hub.lock('file')).wait(guard); // rejects with NotOwnerError
 */
export class NotOwnerError extends ClcaError<'NOT_OWNER'> {
  constructor(message = 'not held by the caller') {
    super('NotOwnerError', 'NOT_OWNER', message);
  }
}

/**
 * Somebody has stolen the lock; what it protected is not protected any more.
 *
 * @example
 * const before = await hub.lock('file').acquire();
 * await using guard = await hub.lock('file').steal();
 * before.lost.reason.name; // => 'StolenError'
 */
export class StolenError extends ClcaError<'STOLEN'> {
  constructor(message = 'the lock was stolen') {
    super('StolenError', 'STOLEN', message);
  }
}

/**
 * More was asked for than there is in all, so that no waiting would help.
 *
 * @example
 * await hub.semaphore('downloads', 3).acquire({ permits: 4 }); // rejects with TooLargeError
 */
export class TooLargeError extends ClcaError<'TOO_LARGE'> {
  constructor(message = 'more than there is in all') {
    super('TooLargeError', 'TOO_LARGE', message);
  }
}

/**
 * More was counted down, or said to be done, than there was.
 *
 * @example
 * await hub.latch('loaded', 3).countDown(4); // rejects with OverReleaseError
 */
export class OverReleaseError extends ClcaError<'OVER_RELEASE'> {
  constructor(message = 'more given back than taken') {
    super('OverReleaseError', 'OVER_RELEASE', message);
  }
}

/**
 * Somebody has left the barrier before it was full, and nobody has reset it yet.
 *
 * @example
 * await hub.barrier('step', 2).wait({ timeout: 20 }); // rejects with TimeoutError
 * await hub.barrier('step', 2).wait(); // rejects with BrokenBarrierError
 */
export class BrokenBarrierError extends ClcaError<'BROKEN_BARRIER'> {
  constructor(message = 'the barrier is broken') {
    super('BrokenBarrierError', 'BROKEN_BARRIER', message);
  }
}

/**
 * The name is in use with other creation arguments; the message names both.
 *
 * @example
 * await using permit = await hub.semaphore('downloads', 3).acquire();
 * await hub.semaphore('downloads', 4).acquire(); // rejects with MismatchError
 */
export class MismatchError extends ClcaError<'MISMATCH'> {
  constructor(message: string) {
    super('MismatchError', 'MISMATCH', message);
  }
}

/**
 * The reason with which a shared function is aborted when nobody waits for it any more.
 *
 * @example
 * const stop = new AbortController();
 * const task = hub.sharedTask('config', (signal) => new Promise((resolve) => {
 *   signal.addEventListener('abort', () => resolve(signal.reason instanceof NoConsumersError));
 * }));
 * const waiting = task.wait({ signal: stop.signal });
 * stop.abort();
 * await waiting; // rejects with AbortError
 */
export class NoConsumersError extends ClcaError<'NO_CONSUMERS'> {
  constructor(message = 'nobody waits any more') {
    super('NoConsumersError', 'NO_CONSUMERS', message);
  }
}

/**
 * The session has as many calls outstanding as it may.
 *
 * @example
 * const { port1, port2 } = new MessageChannel();
 * hub.attach(port1, { limit: 1 });
 * const guest = await connect(port2);
 * const first = guest.signal('go').wait();
 * await guest.signal('go').wait(); // rejects with LimitError
 * await hub.signal('go').signal(); // => 1
 * await first;
 */
export class LimitError extends ClcaError<'LIMIT'> {
  constructor(message = 'too many calls outstanding') {
    super('LimitError', 'LIMIT', message);
  }
}

/**
 * The session may not use this name.
 *
 * @example
 * const { port1, port2 } = new MessageChannel();
 * hub.attach(port1, { prefix: 'guest/' });
 * const guest = await connect(port2);
 * await guest.signal('go').wait(); // rejects with DeniedError
 */
export class DeniedError extends ClcaError<'DENIED'> {
  constructor(message = 'the session may not use this name') {
    super('DeniedError', 'DENIED', message);
  }
}

/**
 * Two parts of clca that do not go together: module and package, or client and hub.
 *
 * @example
 * const other = await WebAssembly.compile(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])); // not the package's own
 * const error = await createHub({ wasm: other, timeout: 1000 }).catch((error) => error);
 * error instanceof VersionError || error instanceof LoadError; // => true
 */
export class VersionError extends ClcaError<'VERSION'> {
  constructor(message: string) {
    super('VersionError', 'VERSION', message);
  }
}

/**
 * The hub could not be started; the message says what to do.
 *
 * @example
 * await createHub({ wasm: '/nowhere.wasm' }); // rejects with LoadError
 */
export class LoadError extends ClcaError<'LOAD'> {
  constructor(message: string, options?: ErrorOptions) {
    super('LoadError', 'LOAD', message, options);
  }
}

/**
 * Something that this platform does not have.
 *
 * @example
 * // in a Worker
 * await createHub({ where: 'shared' }); // rejects with UnsupportedError
 */
export class UnsupportedError extends ClcaError<'UNSUPPORTED'> {
  constructor(message = 'not supported here') {
    super('UnsupportedError', 'UNSUPPORTED', message);
  }
}

/** Makes the error that a code of the hub stands for. */
export function errorOf(code: Code): ClcaError {
  switch (code) {
    case Code.Closed: return new ClosedError();
    case Code.AlreadyArmed: return new AlreadyArmedError();
    case Code.Disarmed: return new DisarmedError();
    case Code.NotOwner: return new NotOwnerError();
    case Code.OwnerLost: return new OwnerLostError();
    case Code.NoConsumers: return new NoConsumersError();
    case Code.Limit: return new LimitError();
    case Code.Denied: return new DeniedError();
    case Code.TooLarge: return new TooLargeError();
    case Code.OverRelease: return new OverReleaseError();
    case Code.Broken: return new BrokenBarrierError();
    case Code.Stolen: return new StolenError();
    default: return new UnsupportedError();
  }
}

/** The same error once more, with a stack of its own. */
export function renewed(error: ClcaError): ClcaError {
  const Class = error.constructor as new (message: string, options?: ErrorOptions) => ClcaError;
  return new Class(error.message, error.cause === undefined ? undefined : { cause: error.cause });
}

/**
 * A promise that rejects with an error made by `make`. As what a pending promise is resolved with, it gives the error the
 * stack of the caller that awaits that promise: engines follow the chain of awaits when the error is made inside it. So
 * calls that succeed pay nothing for the stacks of those that fail.
 */
export async function failure(make: () => unknown): Promise<never> {
  await undefined;
  await undefined;
  throw make();
}
