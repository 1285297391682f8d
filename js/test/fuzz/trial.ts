/**
 * A client, and a hub that says what the input says.
 *
 * The client is what `connect` makes; its port and its locks are not real. The input is a list of instructions of four
 * bytes: the user makes a call, aborts one, gives something back, a shared function ends; the hub sends completions of
 * any call, with any value, and all other messages, in and out of order. What the user and the port see tells whether
 * the client kept its promises:
 *
 *   - no exception escapes, and no rejection is unhandled;
 *   - a call is given a slot that is free, and a new one only if none is;
 *   - the port keeps the process alive while somebody waits, and no longer;
 *   - a shared function that was made is unmade once at most;
 *   - once the session is over, all promises have settled, and what was held and what was running knows.
 */

import * as abi from '../../src/abi.ts';
import { Op, Status } from '../../src/abi.ts';
import { remoteHub } from '../../src/connect.ts';
import type { Hub } from '../../src/hub.ts';
import { Link } from '../../src/link.ts';
import type { AcquireOptions } from '../../src/options.ts';
import type { Port } from '../../src/platform.ts';
import type { Guard } from '../../src/lock-base.ts';
import type { Token } from '../../src/token.ts';
import { FakeLocks, FakePort, hubsLock } from './port.ts';

const maxInstructions = 100;

/** The trial that is under way. */
let current: Trial | undefined;

process.on('unhandledRejection', (error) => current!.fault(`an unhandled rejection: ${shown(error)}`));
process.on('uncaughtException', (error) => current!.fault(`an uncaught exception: ${shown(error)}`));
console.error = () => current!.saw(0); // what the client reports of functions that fail after their abort
let locks: FakeLocks;
Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { get locks() { return locks; } } });

/** A promise of a call. */
interface Pending {
  what: string;
  settled: boolean;
}

/** A function that the client has been told to run. */
interface Run {
  signal: AbortSignal;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  settled: boolean;
  made?: object;
  /** How often that was unmade. */
  stops: number;
}

/** What a user can ask for. */
type Make = (trial: Trial, hub: Hub, options: AcquireOptions | undefined, n: number) => Promise<unknown>;

const calls: Make[] = [
  (_, hub, options) => hub.signal('a').wait(options),
  (_, hub) => hub.signal('a').signal(),
  (_, hub, options) => hub.checkpoint('a').wait(options),
  (_, hub, options) => hub.checkpoint('a').arm(options),
  (_, hub) => hub.checkpoint('a').disarm(),
  (trial, hub, options) => hub.sharedTask('a', (signal) => trial.started(signal)).wait(options),
  (trial, hub, options) => hub.sharedResource('a', trial.resource()).acquire(options),
  (_, hub, options) => hub.lock('a').acquire(options),
  (_, hub) => hub.lock('a').tryAcquire(),
  (_, hub, options) => hub.reentrantLock('a').acquire(options),
  (_, hub, options) => hub.rwlock('a').acquire({ ...options, mode: 'shared' }),
  (_, hub, options) => hub.semaphore('a', 3).acquire({ ...options, permits: 2 }),
  (_, hub) => hub.semaphore('a', 3).resize(2),
  (_, hub, options) => hub.event('a').wait(options),
  (trial, hub, options) => trial.waits(hub, options),
  (_, hub, options) => hub.barrier('a', 2).wait(options),
  (_, hub, options) => hub.latch('a', 2).wait(options),
  (_, hub, options) => hub.queue('a').put({ n: 1 }, options),
  (_, hub) => hub.queue('a', { capacity: 2 }).tryPut(1, { transfer: [] }),
  (_, hub, options) => hub.queue('a').get(options),
  (_, hub) => hub.queue('a').tryGet(),
  (_, hub, options) => hub.queue('a').join(options),
  (_, hub, __, n) => hub.queue('a').close({ now: n % 2 === 0 }),
  (trial, hub, options) => hub.pool('a', trial.pool()).acquire(options),
  (trial, hub) => hub.pool('a', trial.pool()).tryAcquire(),
  (trial, hub, options) => hub.once('a', (signal) => trial.started(signal)).run(options),
  (_, hub) => hub.rwlock('a').steal(),
  (_, hub) => hub.stats(),
  (_, hub) => hub.locks.query(),
  (_, hub, options) => {
    const signal = options?.signal;
    return hub.locks.request('a', signal === undefined ? {} : { signal }, () => {});
  },
  (_, hub, __, n) => hub.event(`name ${n}`).isSet(),
  (_, hub) => hub.lock('a').stats(),
  (_, hub) => hub.queue('a').stats(),
];

/** What kind of call is made when the trial begins, one of each that waits. */
const atFirst = [0, 2, 3, 5, 6, 7, 10, 11, 17, 19, 22, 23, 25];

const enum Do {
  Call, Abort, Release, EndRun, Turn, Complete, Send, SendOther, Payload, Over, Welcome, Other, Close, Die,
}

/** What a byte means: those that matter most are meant most often. */
const doing = [
  Do.Call, Do.Abort, Do.Release, Do.EndRun, Do.Turn, Do.Complete, Do.Send, Do.SendOther, Do.Payload, Do.Over,
  Do.Welcome, Do.Other, Do.Close, Do.Die, Do.Call, Do.Complete, Do.Complete, Do.Complete, Do.Complete,
  Do.Complete, Do.Payload,
];

const edges = [
  0, 1, 2, 255, 1023, 1024, 65535, 2 ** 28 - 1,
  abi.ItemNumbers - 1, abi.ItemNumbers, abi.ItemNumbers + 1, abi.ItemNumbers + 2, 2 ** 32 - 2, abi.Unsaid, 3, 13,
];
const edge = 0xf0; // and more: of edges

const reasons: unknown[] = ['closed', 'lost', 'failed', 'ended', 'gone', 'version', 'nonsense', undefined, 7, null];

export class Trial {
  /** What was wrong. */
  readonly wrong: string[] = [];
  /** What has happened, by numbers: what FuzzClient takes for coverage. */
  readonly seen = new Set<number>();

  #hub: Hub | undefined;
  #port!: FakePort;
  #epoch = 1;
  #welcomed = false;
  #pending: Pending[] = [];
  #aborts: AbortController[] = [];
  #tokens: Token[] = []; // and leases, which have no `call` nor `live`
  #runs: Run[] = [];
  #numbers = new Set<number>(); // of runs
  #forgotten = false; // the hub has said that a run is over which is not, or used its number twice
  #slots: (Op | undefined)[] = []; // what was asked for, of calls that were not told how they ended
  #granted = new Set<number>(); // slots of calls that were granted something
  #freed = new Set<number>(); // slots that were free since the last turn only: calls made before it are on their way
  #words: number[] = []; // of completions that were not sent yet
  #over = false; // the trial ends
  #story: string[] = [];

  static async run(input: Uint8Array): Promise<Trial> {
    const trial = (current = new Trial());
    locks = new FakeLocks();
    try {
      await trial.#run(input);
    } catch (error) {
      trial.fault(`the trial has failed: ${shown(error)}`);
    }
    return trial;
  }

  /** Notes that something has happened: one of 256 things, for FuzzClient to count. */
  saw(...what: number[]): void {
    this.seen.add(Math.imul(what.reduce((sum, each) => sum * 61 + each + 1, 0), 0x9e3779b1) >>> 24);
  }

  /** Notes that something is wrong. */
  fault(what: string): void {
    this.wrong.push(what);
  }

  // ---- what the user does ----

  async #run(input: Uint8Array): Promise<void> {
    this.#port = new FakePort((message) => this.#said(message));
    this.#connect();
    await this.#turn();
    if (input.length > 0 && input[0]! < 0xf0) this.#welcome();
    await this.#turn();
    for (const kind of atFirst) this.#call(kind, 0, 0);
    await this.#turn();
    for (let at = 1; at + 4 <= input.length && at < 4 * maxInstructions && this.wrong.length === 0; at += 4) {
      this.#story.push([...input.subarray(at, at + 4)].join(' '));
      await this.#do(doing[input[at]! % doing.length]!, input[at + 1]!, input[at + 2]!, input[at + 3]!);
    }
    this.#send(this.#epoch);
    this.#over = true;
    this.#ports('message', { clca: 'over', reason: 'closed', message: 'the end' });
    await this.#turn();
    void this.#hub?.close(); // it may be in a pause before it tries the next hub
    await this.#turn();
    for (const kind of atFirst) this.#call(kind, 0, 0); // which reject
    for (let i = 0; i < 4; i++) await this.#turn();
    this.#ended();
    if (this.wrong.length > 0) this.wrong.push(...this.#story);
  }

  /** Connects as `connect` does, to a hub that can come back through another port. */
  #connect(): void {
    void this.#keeps('connect', (async () => {
      const link = await Link.create();
      link.again = () => {
        this.#port = new FakePort((message) => this.#said(message));
        return link.join(this.#port as unknown as Port);
      };
      try {
        await link.join(this.#port as unknown as Port);
      } catch (error) {
        link.leave();
        throw error;
      }
      this.#hub = remoteHub(link);
      void this.#keeps('closed', this.#hub.closed);
    })());
  }

  /** Remembers a promise, and whether it has settled. */
  #keeps<T>(what: string, promise: Promise<T>): Promise<T> {
    const pending: Pending = { what, settled: false };
    this.#pending.push(pending);
    promise.then(
      (value) => {
        pending.settled = true;
        this.saw(2, Number(what.slice(5)), this.#over ? 1 : 0);
        if (typeof (value as Token | undefined)?.release === 'function') this.#tokens.push(value as Token);
      },
      (error: unknown) => {
        pending.settled = true;
        this.saw(3, (error as Error | undefined)?.name?.length ?? 0, this.#over ? 1 : 0);
      },
    );
    return promise;
  }

  async #do(what: Do, a: number, b: number, c: number): Promise<void> {
    if (what !== Do.Complete && this.#words.length > 0) this.#send(this.#epoch);
    if (what !== Do.Complete) {
      const which = what === Do.Payload ? b % 16 : what === Do.Other ? a % 16 : a % 10;
      this.saw(4, what, this.#welcomed ? 1 : 0, which);
    }
    switch (what) {
      case Do.Call:
        this.#call(a, b, c);
        return this.#turn();
      case Do.Abort:
        this.#aborts[a % this.#aborts.length]?.abort(new Error('aborted'));
        return this.#turnIf(c);
      case Do.Release: {
        const token = this.#tokens[a % this.#tokens.length];
        if (b % 2 === 0) void token?.lost;
        if (token !== undefined) void this.#keeps('release', token.release());
        return this.#turnIf(c);
      }
      case Do.EndRun: {
        const run = this.#runs[a % this.#runs.length];
        if (run === undefined || run.settled) return;
        run.settled = true;
        if (b % 4 > 0) run.resolve((run.made = b % 4 === 1 ? () => 'not to be cloned' : { c }));
        else run.reject(run.signal.aborted && c % 2 === 0 ? run.signal.reason : new TypeError('failed'));
        return this.#turn();
      }
      case Do.Turn: return this.#turn();
      case Do.Complete: return this.#complete(a, b, c);
      case Do.Send: {
        this.#words.push(...[a, b, c].slice(0, a % 3)); // a part of a completion
        this.#send(this.#epoch);
        return this.#turnIf(c);
      }
      case Do.SendOther:
        this.#complete(a, b, c);
        this.#send(this.#epoch + 1);
        return;
      case Do.Payload:
        return this.#ports('message', { clca: 'payload', run: valueOf(a), payload: payloadOf(b, c) });
      case Do.Over: {
        const reason = reasons[a % reasons.length];
        if (reason !== 'gone' && b >= 16) return; // few trials are to end early
        const message = b % 2 === 0 ? 'over' : undefined;
        this.#ports('message', { clca: 'over', reason, message, epoch: this.#epoch + c % 2 });
        return this.#turn();
      }
      case Do.Welcome:
        await this.#turn();
        this.#welcome(a, b, c);
        return this.#turn();
      case Do.Other:
        this.#ports('message', otherOf(a, b, c));
        return this.#turnIf(c);
      case Do.Close:
        if (b >= 16) return;
        if (a % 2 === 0) this.#ports('close');
        else if (this.#hub !== undefined) void this.#keeps('close', this.#hub.close());
        return this.#turn();
      case Do.Die:
        locks.die();
        return this.#turn();
    }
  }

  #call(kind: number, b: number, c: number): void {
    const hub = this.#hub;
    if (hub === undefined) return;
    let options: AcquireOptions | undefined;
    if (b % 4 > 0) {
      const abort = new AbortController();
      this.#aborts.push(abort);
      options = { signal: abort.signal, priority: c % 4 };
      const reconnects = [2, 3, 6, 7, 9, 10, 11, 19, 23].includes(kind % calls.length);
      if (b % 4 === 3 && reconnects) options.reconnect = true;
    }
    let promise: Promise<unknown>;
    try {
      promise = calls[kind % calls.length]!(this, hub, options, c);
    } catch (error) {
      return this.fault(`call ${kind % calls.length} has thrown: ${shown(error)}`);
    }
    void this.#keeps(`call ${kind % calls.length}`, promise);
  }

  /** A wait on a condition by whoever holds its lock. */
  waits(hub: Hub, options: AcquireOptions | undefined): Promise<unknown> {
    const { signal } = options ?? {};
    const guard = this.#tokens.find(({ call, live }) => call?.name?.text === 'a' && live) as Guard;
    return hub.condition(hub.lock('a')).wait(guard, { signal });
  }

  /** A shared function begins. */
  started(signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#runs.push({ signal, resolve, reject, settled: false, stops: 0 });
    });
  }

  resource(): { start(signal: AbortSignal): Promise<unknown>; stop(made: unknown): Promise<void> } {
    return {
      start: (signal) => this.started(signal),
      stop: async (made) => {
        if (++this.#runs.find((run) => run.made === made)!.stops > 1) this.fault('unmade twice');
      },
    };
  }

  pool(): { max: number; create(signal: AbortSignal): Promise<unknown>; destroy(made: unknown): Promise<void> } {
    const { start, stop } = this.resource();
    return { max: 2, create: start, destroy: stop };
  }

  // ---- what the client says ----

  #said(message: any): void {
    if (message instanceof Uint32Array) return this.#asked(message);
    switch (message.clca) {
      case 'batch': return this.#asked(message.words);
      case 'hello':
        this.#slots = [];
        this.#freed.clear();
        this.#granted.clear();
        this.#welcomed = false;
    }
  }

  #asked(words: Uint32Array): void {
    if (words[0] !== this.#epoch) this.fault(`a batch of the epoch ${words[0]}`);
    for (let at = 1; at < words.length; at += abi.CallWords) {
      const op: Op = words[at]!;
      const slot = words[at + 2]!;
      switch (op) {
        case Op.End: case Op.Bind: case Op.Forget: case Op.Finish: continue;
      }
      if (this.#slots[slot] !== undefined) this.fault(`operation ${op} in the slot ${slot}, which is taken`);
      const free = this.#slots.findIndex((taken, at) => taken === undefined && !this.#freed.has(at));
      if (slot > this.#slots.length || slot === this.#slots.length && free >= 0) {
        this.fault(`operation ${op} in the slot ${slot} while ${free < 0 ? this.#slots.length : free} is free`);
      }
      this.#slots[slot] = op;
    }
  }

  // ---- what the hub says ----

  #ports(type: 'message' | 'close', data?: unknown): void {
    try {
      this.#port.dispatch(type, data);
    } catch (error) {
      this.fault(`an exception escapes: ${shown(error)}`);
    }
  }

  #welcome(a = 0, b = 0, c = 0): void {
    if (c % 8 === 7) this.#epoch++;
    this.#welcomed = true;
    this.#ports('message', {
      clca: 'welcome',
      version: a === 0xff ? abi.Version + 1 : abi.Version,
      epoch: this.#epoch,
      lock: [hubsLock, undefined, 'nobody holds it', hubsLock][b & 3],
      home: (b & 4) === 0 ? { name: 'h', generation: 1, url: 'u', worker: 'w', module: true } : undefined,
    });
  }

  #complete(a: number, b: number, c: number): void {
    const taken = [...this.#slots.keys()].filter((slot) => this.#slots[slot] !== undefined);
    const slot = a < edge && taken.length > 0 ? taken[a % taken.length]! : valueOf(a);
    const status = b === 0xff ? abi.Unsaid : b % 18;
    this.#words.push(slot, status, valueOf(c));
    if (this.#words.length >= 3 * 64) this.#send(this.#epoch);
  }

  #send(epoch: number): void {
    const words = Uint32Array.of(epoch, ...this.#words);
    this.#words = [];
    const known = epoch === this.#epoch && this.#welcomed;
    for (let at = 1; at + 3 <= words.length; at += 3) {
      const [slot, status] = [words[at]!, words[at + 1]! as Status];
      this.saw(1, Math.min(status, 17), known ? this.#slots[slot] ?? 60 : 59, this.#granted.has(slot) ? 1 : 0);
      if (status === Status.Held || status === Status.Lent) this.#granted.add(slot);
      if (known && status <= Status.Ended && this.#slots[slot] !== undefined) {
        this.#slots[slot] = undefined;
        this.#freed.add(slot);
        this.#granted.delete(slot);
      }
      const number = words[at + 2]!;
      if (status === Status.Over || status === Status.Run && this.#numbers.has(number)) this.#forgotten = true;
      if (status === Status.Run) this.#numbers.add(number);
    }
    this.#ports('message', words);
  }

  // ---- what must be so ----

  /** Lets all run that can, and then looks. */
  async #turn(): Promise<void> {
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    this.#freed.clear();
    const waiting = this.#pending.find(({ what, settled }) => !settled && /^call|^release/.test(what));
    const { refd, closed } = this.#port;
    if (closed || !this.#welcomed || this.#hub === undefined) return;
    if (waiting !== undefined && !refd) this.fault(`the port is not referenced while ${waiting.what} waits`);
    const none = waiting === undefined && this.#slots.every((op) => op === undefined);
    if (none && refd) this.fault('the port is referenced while nobody waits');
  }

  async #turnIf(c: number): Promise<void> {
    if (c % 2 === 0) await this.#turn();
  }

  /** Once the session is over. */
  #ended(): void {
    for (const { what, settled } of this.#pending) if (!settled) this.fault(`${what} has not settled`);
    for (const { live, lost } of this.#tokens) {
      if (live && !lost.aborted) this.fault('what was held does not know that it is lost');
    }
    for (const { settled, signal } of this.#runs) {
      if (!this.#forgotten && !settled && !signal.aborted) this.fault('what was running does not know that it is over');
    }
    if (!this.#port.closed) this.fault('the port is open');
  }
}

/** The number that a byte stands for: most are small, so that they meet. */
function valueOf(byte: number): number {
  return byte < edge ? byte % 16 : edges[byte - edge]!;
}

function payloadOf(b: number, c: number): unknown {
  switch (b % 16) {
    case 0: return { value: c };
    case 1: return { error: { parts: { name: 'RangeError', message: 'm', stack: 's', code: c } } };
    case 2: return { error: { thrown: c } };
    case 3: return { uncloneable: 'not to be cloned' };
    case 4: return {};
    case 5: return undefined;
    case 6: return null;
    case 7: return { error: null };
    case 8: return { error: c };
    case 9: return { error: { parts: null, thrown: null } };
    case 10: return { error: { parts: { name: { toString: c }, message: null } } };
    case 11: return { uncloneable: { c } };
    case 12: return { value: 1, error: {}, transfer: 'none' };
    case 13: return { value: new ArrayBuffer(c), transfer: [] };
    case 14: return { error: { parts: { name: 'Error', message: { toString: c, valueOf: c } } } };
    default: return { value: { then: c } };
  }
}

function otherOf(a: number, b: number, c: number): unknown {
  switch (a % 16) {
    case 0: return { clca: 'ping' };
    case 1: return { clca: 'elsewhere', url: 'u', worker: 'w', module: b % 2 === 0 };
    case 2: return { clca: 'left', id: c, dead: b % 2 === 0 };
    case 3: return { clca: 'hello', version: abi.Version };
    case 4: return { clca: 'nonsense' };
    case 5: return { clca: b };
    case 6: return { clca: null };
    case 7: return undefined;
    case 8: return null;
    case 9: return c;
    case 10: return 'over';
    case 11: return new Uint8Array([b, c]);
    case 12: return new Uint32Array(0);
    case 13: return { clca: 'over' };
    case 14: return { clca: 'payload' };
    default: return new Uint32Array([b, c]);
  }
}

function shown(error: unknown): string {
  return error instanceof Error ? error.stack ?? String(error) : String(error);
}
