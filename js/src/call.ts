/** One call of a session, and what is known of it from the moment it is made until its slot is free. */

import { Code, Ending, Kind, Op } from './abi.ts';
import { type Abortable, unwatch, watch } from './aborts.ts';
import { MismatchError, errorOf, failure } from './errors.ts';
import { type AcquireOptions, startTimer, timeoutError } from './options.ts';
import type { Session } from './session.ts';
import type { CallId } from './trace.ts';

/** A function that lives in this realm and may be run for all who share it. */
export interface Runnable {
  start(signal: AbortSignal): unknown;
  stop?(value: unknown): unknown;
  /** What it made stays in this realm. */
  stays?: boolean;
  /** Nobody uses what the run made; returns what is to be done when that changes. */
  idle?(run: number): () => void;
}

/** What a granted call keeps its slot for. */
export interface Holding {
  /** Nobody has given it back or lost it, as far as this realm knows. */
  readonly live: boolean;
  /** Of a lock: the higher, the later it was stolen. */
  readonly rank?: number;
  /** The same token has it once more. */
  renewed?(value: number): void;
  /** The hub has taken it back, as asked. */
  ended(): void;
  /** It is not to be relied on any longer. */
  lose(reason: unknown): void;
}

/** A name of a primitive, and its index in the session's cache of names. */
export class Name {
  index = 0;
  age = -1;

  constructor(
    readonly session: Session,
    readonly kind: Kind,
    readonly text: string,
    /** What it is created with, if that is to be said. */
    readonly argument?: number,
    /** Says in words what a primitive of that argument has. */
    readonly words?: (argument: number) => string,
  ) {}
}

/** Turns what the hub answered into what the promise is resolved with; `held` says that the call was granted something. */
export type Convert = (call: Call, value: number, payload: unknown, held: boolean) => unknown;

/** What few calls have. What is made for one call is its own. */
export interface Extra {
  argument?: number;
  runnable?: Runnable;
  /** Only the hub decides how it ends: an abort is a request. */
  decided?: boolean;
  /** What it makes of its answer heeds aborts by itself. */
  eager?: boolean;
  /** The hold on a lock that it has given up, to have it again when it ends. */
  guard?: Holding;
  /** How it is made once more, if it waits in a hub that is lost. */
  again?: { op: Op; priority: number };
  /** What it puts. */
  item?: { value: unknown; transfer: Transferable[] | undefined };

  // What comes to be known of it:

  signal?: AbortSignal;
  stopTimer?: () => void;
  /** Why it is to end, where the hub decides that. */
  asked?: { reason: unknown };
  /** Resolve the promises of the callers for whom it stands as well. */
  others?: ((value: unknown) => void)[];
  parts?: number[];
  items?: unknown[];
  /** What it was granted had been used before. */
  reused?: boolean;
  /** It is lost, before it was told that it is granted. */
  lost?: () => Error;
  /** It keeps its session from being collected. */
  pinned?: boolean;
  /** Which it is, for those who trace it. */
  id?: CallId | undefined;
}

/** One call, from the moment it was made until its slot is free. Most have nothing extra, so that they are small. */
export class Call implements Abortable {
  /** What the hub grants it, once it did. */
  holding: Holding | undefined = undefined;

  constructor(
    readonly session: Session,
    public slot: number,
    readonly name: Name | undefined,
    /** Resolves the promise; undefined once it is settled. */
    private resolve?: (value: unknown) => void,
    readonly convert?: Convert,
    public extra?: Extra,
  ) {}

  get waiting(): boolean {
    return this.resolve !== undefined;
  }

  /** What it has extra, to be written to. */
  get own(): Extra {
    return (this.extra ??= {});
  }

  /** Keeps its session from being collected, as long as it holds something: somebody relies on it without reaching it. */
  pin(): void {
    if (this.extra?.pinned) return;
    this.own.pinned = true;
    this.session.use(1);
  }

  unpin(): void {
    if (!this.extra?.pinned) return;
    this.extra.pinned = false;
    this.session.use(-1);
  }

  bound(options: AcquireOptions): void {
    const { signal, timeout } = options;
    if (signal !== undefined) {
      this.own.signal = signal;
      watch(signal, this);
    }
    if (timeout !== undefined) {
      this.own.stopTimer = startTimer(timeout, () => this.abort(timeoutError())?.());
    }
  }

  /** It stands for one caller more, who makes the same call. */
  join(resolve: (value: unknown) => void): void {
    (this.own.others ??= []).push(resolve);
  }

  settle(value: unknown): void {
    const { resolve } = this;
    if (resolve === undefined) return;
    const others = this.#settled();
    resolve(value);
    if (others !== undefined) for (const other of others) other(value);
  }

  #settled(): Extra['others'] {
    this.resolve = undefined;
    this.session.tell('settled', this);
    const { extra } = this;
    if (extra === undefined) {
      this.session.settled(1);
      return undefined;
    }
    this.unbind();
    const { others } = extra;
    this.session.settled(1 + (others?.length ?? 0));
    return others;
  }

  unbind(): void {
    const { signal, stopTimer } = this.extra ?? {};
    if (signal !== undefined) unwatch(signal, this);
    stopTimer?.();
  }

  // A rejection is made only for a promise that takes it: another would be unhandled.

  /** Rejects with an error that is made here, and has the stack of the caller. */
  fail(make: () => unknown): void {
    const { resolve } = this;
    if (resolve === undefined) return;
    const others = this.#settled();
    resolve(failure(make));
    if (others !== undefined) for (const other of others) other(failure(make));
  }

  /** Rejects with a reason that comes from elsewhere. */
  reject(reason: unknown): void {
    if (this.waiting) this.settle(Promise.reject(reason));
  }

  /** Settles the call here and now; the hub hears of it, or decides. */
  abort(reason: unknown): (() => void) | undefined {
    if (!this.waiting || this.extra?.asked !== undefined) return undefined;
    if (this.extra?.decided === true) this.extra.asked = { reason };
    else this.reject(reason);
    return () => this.session.end(this, Ending.Unused);
  }

  /** Whether an abort may come. */
  get abortable(): boolean {
    return this.extra?.signal !== undefined && this.extra.eager !== true;
  }

  /** What it was granted is lost, which may be before it is told that it was. */
  lose(make: () => Error): void {
    if (this.holding === undefined) this.own.lost = make;
    else this.holding.lose(make());
  }

  granted(): void {
    if (this.extra?.lost !== undefined) this.holding?.lose(this.extra.lost());
  }

  /** The hub has ended it, as asked. */
  ended(value: number): void {
    this.extra?.guard?.renewed?.(value);
    if (this.extra?.asked !== undefined) this.reject(this.extra.asked.reason);
    this.holding?.ended();
    // It waits for what it was granted in this very turn; else the hub does not keep to the protocol.
    if (this.waiting) queueMicrotask(() => this.fail(() => errorOf(Code.Unsupported)));
  }

  /** It was told its last, and holds nothing. Who thinks otherwise was told by a hub that does not keep to the protocol. */
  over(): void {
    if (this.holding !== undefined) this.void(() => errorOf(Code.Unsupported));
  }

  /** What it holds is gone, and with it whatever was to be done about that. */
  void(make: () => Error): void {
    this.unpin();
    this.holding?.lose(make());
    this.holding?.ended();
  }
}

/** Whether what the call holds outlives its hub: the next one can take it back. */
export function keeps(call: Call): boolean {
  const { name, holding } = call;
  switch (name?.kind) {
    case Kind.Lock: case Kind.ReentrantLock: case Kind.RWLock: case Kind.Semaphore: case Kind.Queue:
      return holding?.live === true;
    case Kind.Checkpoint:
      return call.extra?.pinned === true; // an arm, which has no token
  }
  return false;
}

/** Whether a call that waits in a hub that is lost can be made again in the next: it gives nothing, and misses nothing. */
export function repeatable(op: Op, kind: Kind | undefined): boolean {
  return op === Op.Acquire || op === Op.Get || kind === Kind.Checkpoint;
}

/** The error of a call that failed with that code. */
export function failureOf(call: Call, code: Code): Error {
  if (code !== Code.Mismatch) return errorOf(code);
  // A name that is in use is not the one that the call meant.
  const { text, argument, words } = call.name!;
  const [first] = numbers(call);
  return new MismatchError(`${JSON.stringify(text)} was created with ${words!(first!)}, not ${words!(argument!)}`);
}

/** The numbers of an answer that was given in parts. */
export function numbers(call: Call): number[] {
  const parts = call.extra?.parts ?? [];
  const values: number[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) values.push(parts[i]! + parts[i + 1]! * 2 ** 32);
  return values;
}

export const toNumber: Convert = (_call, value) => value;
export const toBoolean: Convert = (_call, value) => value !== 0;
