/**
 * What can go wrong, as classes. Each has a stable `name` and `code`; test those or `instanceof`.
 *
 * Three failures are not among them, because the platform has words for them: an abort rejects with the signal's own
 * `reason`, a timeout with a `DOMException` named `TimeoutError`, and a bad argument with a `TypeError`.
 */

import { Code } from './abi.ts';

/** The base of all errors of clca. */
export class ClcaError extends Error {
  /** A stable word for programs, such as `CLOSED`. */
  readonly code: string;

  constructor(name: string, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
    this.code = code;
  }
}

/** The hub, the session or the primitive was closed on purpose. */
export class ClosedError extends ClcaError {
  constructor(message = 'closed') {
    super('ClosedError', 'CLOSED', message);
  }
}

/** The hub died: its Worker was terminated, its page closed, or its Go program ended or panicked. */
export class HubLostError extends ClcaError {
  constructor(message = 'the hub is gone', options?: ErrorOptions) {
    super('HubLostError', 'HUB_LOST', message, options);
  }
}

/** The page slept in the back/forward cache, and what it held was given to others. */
export class SuspendedError extends ClcaError {
  constructor(message = 'the session ended while this realm was suspended') {
    super('SuspendedError', 'SUSPENDED', message);
  }
}

/** The realm in which the shared resource lived is gone, and the resource with it. */
export class OwnerLostError extends ClcaError {
  constructor(message = 'the realm that started it is gone') {
    super('OwnerLostError', 'OWNER_LOST', message);
  }
}

/** The checkpoint is armed already, or holds callers. */
export class AlreadyArmedError extends ClcaError {
  constructor(message = 'the checkpoint is armed already') {
    super('AlreadyArmedError', 'ALREADY_ARMED', message);
  }
}

/** The arm was withdrawn by `disarm()`. */
export class DisarmedError extends ClcaError {
  constructor(message = 'the checkpoint was disarmed') {
    super('DisarmedError', 'DISARMED', message);
  }
}

/** Something was given back by one who does not hold it. */
export class NotOwnerError extends ClcaError {
  constructor(message = 'not held by the caller') {
    super('NotOwnerError', 'NOT_OWNER', message);
  }
}

/** Somebody has stolen the lock; what it protected is not protected any more. */
export class StolenError extends ClcaError {
  constructor(message = 'the lock was stolen') {
    super('StolenError', 'STOLEN', message);
  }
}

/** More was asked for than there is in all, so that no waiting would help. */
export class TooLargeError extends ClcaError {
  constructor(message = 'more than there is in all') {
    super('TooLargeError', 'TOO_LARGE', message);
  }
}

/** More was counted down, or said to be done, than there was. */
export class OverReleaseError extends ClcaError {
  constructor(message = 'more given back than taken') {
    super('OverReleaseError', 'OVER_RELEASE', message);
  }
}

/** Somebody has left the barrier before it was full, and nobody has reset it yet. */
export class BrokenBarrierError extends ClcaError {
  constructor(message = 'the barrier is broken') {
    super('BrokenBarrierError', 'BROKEN_BARRIER', message);
  }
}

/** The name is in use with other creation arguments; the message names both. */
export class MismatchError extends ClcaError {
  constructor(message: string) {
    super('MismatchError', 'MISMATCH', message);
  }
}

/** The reason with which a shared function is aborted when nobody waits for it any more. */
export class NoConsumersError extends ClcaError {
  constructor(message = 'nobody waits any more') {
    super('NoConsumersError', 'NO_CONSUMERS', message);
  }
}

/** The session has as many calls outstanding as it may. */
export class LimitError extends ClcaError {
  constructor(message = 'too many calls outstanding') {
    super('LimitError', 'LIMIT', message);
  }
}

/** The session may not use this name. */
export class DeniedError extends ClcaError {
  constructor(message = 'the session may not use this name') {
    super('DeniedError', 'DENIED', message);
  }
}

/** Two parts of clca that do not go together: module and package, or client and hub. */
export class VersionError extends ClcaError {
  constructor(message: string) {
    super('VersionError', 'VERSION', message);
  }
}

/** The hub could not be started; the message says what to do. */
export class LoadError extends ClcaError {
  constructor(message: string, options?: ErrorOptions) {
    super('LoadError', 'LOAD', message, options);
  }
}

/** Something that this platform does not have. */
export class UnsupportedError extends ClcaError {
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
