/**
 * What every call that waits can be told.
 *
 * @example
 * const stop = new AbortController();
 * const waiting = hub.signal('go').wait({ signal: stop.signal, timeout: 5000 });
 * stop.abort();
 * await waiting; // rejects with AbortError
 */
export interface WaitOptions {
  /** Ends the wait when aborted; the call then rejects with the signal's `reason`, unchanged. */
  signal?: AbortSignal | undefined;
  /** Bounds the waiting, in milliseconds: a finite number above 0. The call then rejects with a `TimeoutError`. */
  timeout?: number | undefined;
}

/**
 * What a call can be told that blocks its thread.
 *
 * @example
 * // in a Worker
 * hub.signal('go').waitSync({ timeout: 20 }); // throws TimeoutError
 */
export interface BlockOptions {
  /** Bounds the waiting, in milliseconds: a finite number above 0. The call then throws a `TimeoutError`. */
  timeout?: number | undefined;
}

/**
 * What a call can be told that can be made again.
 *
 * @example
 * const job = hub.queue('jobs').get({ reconnect: true, timeout: 50 }); // goes on with the next hub, if this one is lost
 * await job; // rejects with TimeoutError
 */
export interface ReconnectOptions extends WaitOptions {
  /**
   * What becomes of the wait if the hub is lost, and there is another of its name, as with a hub that all tabs share:
   * it goes on there, at the end of the line, instead of rejecting with a `HubLostError`. Default: false.
   */
  reconnect?: boolean | undefined;
}

/**
 * What every call can be told that acquires something.
 *
 * @example
 * const guard = await hub.lock('file').acquire({ priority: 1, timeout: 1000 });
 * await guard.release();
 */
export interface AcquireOptions extends ReconnectOptions {
  /**
   * Goes before all that wait with a lower one; among equals, who came first is first. A whole number from -2^31 to
   * 2^31-1. It changes nothing for those who hold already. Default: 0.
   */
  priority?: number | undefined;
}

/** Returns what the options say, each asked for once; throws the `TypeError` that says what is wrong with them. */
export function checkOptions(options: AcquireOptions): AcquireOptions {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('options must be an object');
  }
  const { signal, timeout, priority, reconnect } = options;
  if (priority !== undefined && priority !== (priority | 0)) {
    throw new TypeError('priority must be a whole number from -2^31 to 2^31-1');
  }
  if (signal !== undefined && !isAbortSignal(signal)) {
    throw new TypeError('signal must be an AbortSignal');
  }
  checkTime(timeout, 'timeout');
  if (reconnect !== undefined && typeof reconnect !== 'boolean') throw new TypeError('reconnect must be true or false');
  return { signal, timeout, priority, reconnect };
}

/** `checkOptions` of a call that blocks, where no abort can be heard. */
export function checkBlockOptions(options: BlockOptions = {}): AcquireOptions {
  const checked = checkOptions(options);
  if (checked.signal !== undefined) throw new TypeError('signal is not for this call: while it blocks, no abort can be heard');
  if (checked.reconnect !== undefined) throw new TypeError('reconnect is not for this call');
  return checked;
}

/** Throws unless `value` can be how long something takes, or none. */
export function checkTime(value: unknown, what: string): void {
  if (value !== undefined && !(typeof value === 'number' && value > 0 && value < Infinity)) {
    throw new TypeError(`${what} must be a finite number of milliseconds above 0`);
  }
}

/** Throws unless `value` is a function. */
export function checkFunction(value: unknown, what: string): void {
  if (typeof value !== 'function') throw new TypeError(`${what} must be a function`);
}

/** Throws unless `value` is a function, or none. */
export function checkHook(value: unknown, what: string): void {
  if (value !== undefined) checkFunction(value, what);
}

// Not instanceof: the signal may come from another realm, such as an iframe.
export function isAbortSignal(value: unknown): value is AbortSignal {
  return typeof value === 'object' && value !== null
    && typeof (value as AbortSignal).aborted === 'boolean'
    && typeof (value as AbortSignal).addEventListener === 'function'
    && typeof (value as AbortSignal).removeEventListener === 'function';
}

/** Throws unless `name` can be the name of a primitive. */
export function checkName(name: unknown): asserts name is string {
  if (typeof name !== 'string') throw new TypeError('name must be a string');
  if (name.length > longestName) throw new TypeError(`name must not be longer than ${longestName}`);
}

/** How many UTF-16 units a name can have; each session keeps some thousand names in the hub's memory. */
export const longestName = 2 ** 17;

/** Throws unless `value` is a whole number of at least `least` that the hub can count. */
export function checkCount(value: unknown, what: string, least = 1): asserts value is number {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) >= 2 ** 31) {
    throw new TypeError(`${what} must be a whole number of at least ${least}, and below 2^31`);
  }
}

/** The reason of a call that took longer than its timeout. */
export function timeoutError(): DOMException {
  return new DOMException('timed out', 'TimeoutError');
}

const longest = 0x7fffffff; // what setTimeout can count

/**
 * Calls `late` after so many milliseconds, however many they are, and returns what stops it. In Node, one that is
 * `quiet` does not keep the process alive.
 */
export function startTimer(milliseconds: number, late: () => void, quiet = false): () => void {
  let id: ReturnType<typeof setTimeout>;
  const start = (left: number): void => {
    id = setTimeout(() => (left > longest ? start(left - longest) : late()), Math.min(left, longest));
    if (quiet) (id as { unref?(): void }).unref?.();
  };
  start(milliseconds);
  return () => clearTimeout(id);
}

/** A promise that rejects at the latest when the bounds are exceeded. */
export async function within<T>(
  { signal, timeout }: WaitOptions, executor: (resolve: (value: T | PromiseLike<T>) => void, reject: (reason: unknown) => void) => void,
): Promise<T> {
  let stopTimer: (() => void) | undefined;
  let onAbort: () => void;
  try {
    return await new Promise<T>((resolve, reject) => {
      signal?.addEventListener('abort', (onAbort = () => reject(signal.reason)));
      if (timeout !== undefined) stopTimer = startTimer(timeout, () => reject(timeoutError()));
      executor(resolve, reject);
    });
  } finally {
    stopTimer?.();
    signal?.removeEventListener('abort', onAbort!);
  }
}
