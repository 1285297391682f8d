import { Kind, Op } from './abi.ts';
import { type Call, Name, type Runnable, numbers } from './call.ts';
import type { ReconnectOptions } from './options.ts';
import type { Session } from './session.ts';
import { Token, using } from './token.ts';

/**
 * How a shared resource is made and unmade.
 *
 * @example
 * const functions = {
 *   start: async (signal: AbortSignal) => 'a stream',
 *   stop: async (stream: string) => {},
 * };
 * await hub.sharedResource('stream', functions).with((ref) => ref.value); // => 'a stream'
 */
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
 *   start: (signal) => work({ signal }).then(() => 'a stream'),
 *   stop: (stream) => work(),
 * });
 * await stream.with((ref) => ref.value); // => 'a stream'
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
   *
   * @example
   * const ref = await hub.sharedResource('stream', { start: () => 'a stream' }).acquire({ timeout: 1000 });
   * ref.value; // => 'a stream'
   * await ref.release();
   */
  acquire(options?: ReconnectOptions): Promise<Ref<T>> {
    return this.#name.session.call(Op.Acquire, this.#name, hold, options, { runnable: this.#runnable });
  }

  /**
   * Acquires, calls `use` with the hold, and releases it whatever comes; resolves with what `use` returned.
   *
   * @example
   * await hub.sharedResource('stream', { start: () => 'a stream' }).with((ref) => ref.value.length); // => 8
   */
  with<R>(use: (ref: Ref<T>) => R | PromiseLike<R>, options?: ReconnectOptions): Promise<Awaited<R>> {
    return using(this.#name.session, () => this.acquire(options), use);
  }

  /**
   * Rejects all who wait with a `ClosedError`. A live resource stays until it is released by all; their `lost` tells
   * them. The name is then free for a new resource.
   *
   * @example
   * const ref = await hub.sharedResource('stream', { start: () => 'a stream' }).acquire();
   * await hub.sharedResource('stream', { start: () => 'a stream' }).close();
   * ref.lost.aborted; // => true
   * await ref.release();
   */
  close(): Promise<void> {
    return this.#name.session.call(Op.Close, this.#name);
  }

  /**
   * What it is doing, how many wait for it and hold it, and how often it was started.
   *
   * @example
   * const { held } = await hub.sharedResource('stream', { start: () => 'a stream' }).stats();
   * held; // => 0
   */
  stats(): Promise<SharedResourceStats> {
    return this.#name.session.call(Op.Stats, this.#name, (call) => {
      const [waiting, state, held, runs] = numbers(call);
      return { state: states[state!], waiting, held, runs };
    });
  }
}

/**
 * One caller's hold on a shared resource.
 *
 * @example
 * await using ref = await hub.sharedResource('stream', { start: () => 'a stream' }).acquire();
 */
export class Ref<T> extends Token {
  /**
   * What `start` returned: itself in the realm that started it, a clone elsewhere.
   *
   * @example
   * const ref = await hub.sharedResource('size', { start: () => 42 }).acquire();
   * ref.value; // => 42
   * await ref.release();
   */
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

/**
 * A snapshot of a shared resource.
 *
 * @example
 * const stream = hub.sharedResource('stream', { start: () => 'a stream' });
 * await stream.stats(); // => { state: 'idle', waiting: 0, held: 0, runs: 0 }
 */
export interface SharedResourceStats {
  state: 'idle' | 'starting' | 'cancelling' | 'live' | 'stopping';
  waiting: number;
  held: number;
  runs: number;
}
