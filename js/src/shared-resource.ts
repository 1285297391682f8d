import { Kind, Op } from './abi.ts';
import { type Call, Name, type Runnable, numbers } from './call.ts';
import type { ReconnectOptions } from './options.ts';
import type { Session } from './session.ts';
import { Token, using } from './token.ts';

/** How a shared resource is made and unmade. */
export interface ResourceFunctions<T> {
  /** Makes it. The signal is aborted when nobody waits for it any more. */
  start(signal: AbortSignal): T | PromiseLike<T>;
  /** Unmakes it. Called in the realm that made it; what it throws is reported there. */
  stop?(value: T): void | PromiseLike<void>;
}

/**
 * Something that is started when first needed, shared by all who need it, and stopped when the last of them has given
 * it back. Every caller brings the functions; the realm whose `start` was used also stops it, and all others hold a
 * structured clone of what `start` returned. A failed start is the error of all who waited for it, and the next
 * `acquire()` tries afresh. Two are never live at once: who comes while it is being stopped waits for that. Neither
 * function may acquire its own resource, which would wait for ever.
 *
 * @example
 * const stream = hub.sharedResource('stream', {
 *   start: (signal) => openStream(signal),
 *   stop: (id) => closeStream(id),
 * });
 * await stream.with(async (ref) => use(ref.value));
 */
export class SharedResource<T> {
  #name: Name;
  #runnable: Runnable;

  /** @internal */
  constructor(session: Session, name: string, functions: ResourceFunctions<T>) {
    this.#name = new Name(session, Kind.Resource, name);
    this.#runnable = {
      start: (signal) => functions.start(signal),
      stop: (value) => functions.stop?.(value as T),
    };
  }

  /**
   * Resolves with a hold on the resource, starting it if need be; rejects with the error of the start. An abort, a
   * timeout or a `ClosedError` ends this call alone.
   */
  acquire(options?: ReconnectOptions): Promise<Ref<T>> {
    return this.#name.session.call(Op.Acquire, this.#name, hold, options, { runnable: this.#runnable });
  }

  /** Acquires, calls `use` with the hold, and releases it whatever comes; resolves with what `use` returned. */
  with<R>(use: (ref: Ref<T>) => R | PromiseLike<R>, options?: ReconnectOptions): Promise<Awaited<R>> {
    return using(this.#name.session, () => this.acquire(options), use);
  }

  /**
   * Rejects all who wait with a `ClosedError`. A live resource stays until it is released by all; their `lost` tells
   * them. The name is then free for a new resource.
   */
  close(): Promise<void> {
    return this.#name.session.call(Op.Close, this.#name);
  }

  /** What it is doing, how many wait for it and hold it, and how often it was started. */
  stats(): Promise<SharedResourceStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [waiting, state, held, runs] = numbers(call);
      return { state: states[state!], waiting, held, runs };
    });
  }
}

/** One caller's hold on a shared resource. */
export class Ref<T> extends Token {
  /** What `start` returned: itself in the realm that started it, a clone elsewhere. */
  readonly value: T;

  /** @internal */
  constructor(call: Call, value: T) {
    super(call);
    this.value = value;
  }
}

function hold(call: Call, _run: number, value: unknown): Ref<unknown> {
  return new Ref(call, value);
}

const states: readonly SharedResourceStats['state'][] = ['idle', 'starting', 'cancelling', 'live', 'stopping'];

/** A snapshot of a shared resource. */
export interface SharedResourceStats {
  state: 'idle' | 'starting' | 'cancelling' | 'live' | 'stopping';
  waiting: number;
  held: number;
  runs: number;
}
