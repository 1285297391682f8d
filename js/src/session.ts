/**
 * The client's side of a session: the table of its calls, and what becomes of them.
 *
 * A call is a slot number, chosen here, and a promise. The hub answers each call with exactly one final status, after
 * which its slot is used again; a call that is granted something to hold keeps its slot until that was given back. An
 * abort or a timeout settles the promise here at once, while the slot stays taken until the hub has answered `End`: so
 * no answer can meet another call than its own.
 */

import { Code, Ending, ItemNumbers, Kind, MaxNames, Op, Outcome, Status } from './abi.ts';
import { type Answer, block } from './blocking.ts';
import { Call, type Convert, type Extra, type Holding, type Name, type Runnable, failureOf, keeps, repeatable } from './call.ts';
import { ClosedError, errorOf } from './errors.ts';
import { Mirrors } from './mirror.ts';
import { type AcquireOptions, type BlockOptions, type WaitOptions, checkBlockOptions, checkOptions, timeoutError } from './options.ts';
import { type Payload, packError, unpack } from './payload.ts';
import { Pace } from './pace.ts';
import { node } from './platform.ts';
import type { CallId, CallStep, Trace } from './trace.ts';
import { Turns } from './turns.ts';

/** How a session reaches its hub: a direct call in the hub's realm, a port elsewhere. Calls arrive in order. */
export interface Line {
  call(op: Op, name: number, slot: number, argument: number, priority: number): void;
  /** Makes a wait which ends for all who make it at the same time. It may be kept until something else is to be done. */
  wait(name: number, slot: number): void;
  /** The same for one caller more, if that wait is the last that was made and has not left yet; else returns false. */
  waitToo(slot: number): boolean;
  bind(index: number, kind: Kind, text: string, argument: number): void;
  forget(): void;
  finish(run: number, outcome: Outcome, payload: Payload): void;
  /** Takes an item that is to be put, as it is now, and returns its number; throws if it cannot be cloned. */
  item(value: unknown, transfer: Transferable[] | undefined): number;
  /** Sends an item back that came too late, and could not be copied. */
  back(item: number, payload: Payload): void;
  /** Sends what is kept until the end of the present task. */
  flush(): void;
  /** The memory that is shared with the hub; throws the `UnsupportedError` that says why there is none. */
  share(): Int32Array;
  /** A call that blocks will not be answered, for that reason. */
  unanswered(error: unknown): void;
  /** Says that somebody began to wait for an answer, or that nobody does any more. */
  busy?(waiting: boolean): void;
  /** Says that the session may have begun to be needed, or is not any more. */
  review?(): void;
}

/** How many slots there can be of which the realm has not heard that they are free, as it has not got back to its event loop. */
const mostUnheard = 2 ** 20;

/** One executor for all promises, so that a call makes no closure. `kept` is for the line after `new Promise`. */
const keepResolve = (resolve: (value: unknown) => void): void => void (kept = resolve);
let kept: ((value: unknown) => void) | undefined;

interface Run {
  name: Name;
  runnable: Runnable;
  controller: AbortController;
  outcome?: { value: unknown } | { error: unknown };
  /** It was lent to somebody. */
  used?: boolean;
  /** To be called when it is idle no more. */
  wake?: (() => void) | undefined;
  /** Its stop was called, and is awaited. */
  unmade?: Promise<void>;
}

export class Session {
  /** It may have so many calls outstanding and no more: each caller is one. */
  limited = false;
  /** What it is told has arrived: nothing comes between. */
  readonly arrives: boolean;
  /** What its answers set off that is to have a task of its own. */
  readonly turns = new Turns();
  readonly mirrors = new Mirrors(this);
  readonly pace = new Pace();
  /** Is told each step of its calls, until it throws. */
  trace: Trace | undefined;
  /** Which call was the last that was traced. */
  last: CallId = { session: undefined, call: 0 };

  #line: Line;
  #slots: (Call | undefined)[] = [];
  #free: number[] = [];
  #waiting = 0;
  #last: Call | undefined; // a wait that others may join
  #uses = 0;
  #runs = new Map<number, Run>();
  #leftovers = new Map<Run, Call>(); // runs of a lost hub that have not ended, by what tells the next
  #names: Map<string, number>[] = [];
  #bound = 0;
  #age = 0;
  #dead: (() => Error) | undefined;

  constructor(line: Line, arrives = false) {
    this.#line = line;
    this.arrives = arrives;
  }

  /**
   * A wait that ends at the same time for all who make it. Those that one realm makes one after the other in one go are
   * one call for as many callers: to have woken one has woken all.
   */
  wait(name: Name, options: WaitOptions | undefined): Promise<void> {
    if (options !== undefined || this.limited || this.#dead !== undefined) return this.call(Op.Wait, name, undefined, options);
    const last = this.#last;
    if (last !== undefined && last.name === name && last.waiting && this.#line.waitToo(last.slot)) {
      const promise = new Promise<any>(keepResolve);
      last.join(kept!);
      this.tell('joined', last);
      this.#waiting++;
      return promise;
    }
    const index = this.#indexOf(name);
    const slot = this.#take();
    const promise = new Promise<any>(keepResolve);
    this.#slots[slot] = this.#last = new Call(this, slot, name, kept);
    this.tell('called', this.#last);
    this.began();
    this.#line.wait(index, slot);
    return promise;
  }

  /** Makes the call by which the session watches a checkpoint; nobody waits for it, and `holding` is told when it ends. */
  watch(name: Name, holding: Holding, cell: number): Call {
    const index = this.#indexOf(name);
    const call = this.#add(name);
    call.holding = holding;
    this.#send(call, Op.Watch, cell, index);
    return call;
  }

  /** The memory that this realm shares with its hub; throws the `UnsupportedError` that says why there is none. */
  share(): Int32Array {
    if (this.#dead !== undefined) throw this.#dead();
    return this.#line.share();
  }

  /** Makes a call, and blocks the thread until it is answered. Returns what it was granted or told; throws what went wrong. */
  callSync(op: Op, name: Name, options: BlockOptions | undefined, granted?: (call: Call, value: number) => unknown): any {
    const memory = this.share();
    const { timeout, priority = 0 } = checkBlockOptions(options);
    if (this.#slots.length >= mostUnheard) throw errorOf(Code.Limit);
    const index = this.#indexOf(name);
    const call = this.#add(name);
    const { slot } = call;
    const answer = this.#block(memory, slot, timeout, () => this.#send(call, op, 0, index, priority));
    this.tell('settled', call);
    if (answer === undefined) {
      this.end(call, Ending.Unused);
      this.#line.flush();
      throw timeoutError();
    }
    const { status, value } = answer;
    if (status === Status.Held) return granted!(call, value);
    this.#release(slot);
    if (status === Status.Fail) throw failureOf(call, value);
  }

  /**
   * Has the hub take back what a call holds, before it returns. Where the thread can block it does so until the hub has: else
   * its slot would be free only when the realm gets back to its event loop, and hear of it.
   */
  endSync(call: Call, how: Ending): void {
    if (this.#dead !== undefined || this.#slots[call.slot] !== call) return;
    const { slot } = call;
    let memory;
    try {
      memory = this.share();
    } catch {
      this.end(call, how);
      return this.#line.flush();
    }
    const { value } = this.#block(memory, slot, undefined, () => this.#send(call, Op.End, how))!;
    this.#release(slot);
    call.ended(value);
  }

  /** Sends what was to be sent at the end of the present task. */
  flush(): void {
    this.#line.flush();
  }

  #block(memory: Int32Array, slot: number, timeout: number | undefined, send: () => void): Answer | undefined {
    try {
      return block(memory, slot, timeout, () => {
        send();
        this.#line.flush();
      });
    } catch (error) {
      this.#line.unanswered(error);
      throw error;
    }
  }

  #add(name: Name): Call {
    const slot = this.#take();
    return (this.#slots[slot] = new Call(this, slot, name));
  }

  /** Takes a free slot. */
  #take(): number {
    return this.#free.length > 0 ? this.#free.pop()! : this.#slots.length;
  }

  /** Makes a call. What is wrong with it, now or later, is a rejection. */
  call(op: Op, name: Name | undefined, convert?: Convert, options?: AcquireOptions, extra?: Extra): Promise<any> {
    if (this.#dead !== undefined) return Promise.reject(this.#dead());
    if (options !== undefined) {
      try {
        options = checkOptions(options);
        if (options.signal?.aborted) return Promise.reject(options.signal.reason);
      } catch (error) {
        return Promise.reject(error);
      }
    }
    if (options?.reconnect === true) {
      if (!repeatable(op, name?.kind)) return Promise.reject(new TypeError('reconnect is not for this call, which must not be made twice'));
      extra = { ...extra, again: { op, priority: options.priority ?? 0 } };
    }
    let argument = extra?.argument ?? 0;
    let rest = extra;
    if (extra?.item !== undefined) rest = options === undefined ? undefined : { decided: op === Op.Put };
    const promise = new Promise(keepResolve);
    const call = new Call(this, 0, name, kept, convert, rest);
    try {
      if (options !== undefined) call.bound(options);
      // May run getters of the item's, which may make calls of their own.
      if (extra?.item !== undefined) argument = this.#line.item(extra.item.value, extra.item.transfer);
    } catch (error) {
      call.unbind();
      return Promise.reject(error);
    }
    if (this.dead !== undefined) {
      call.unbind();
      return Promise.reject(this.dead());
    }
    const index = name === undefined ? 0 : this.#indexOf(name);
    const slot = (call.slot = this.#take());
    this.#slots[slot] = call;
    this.began();
    this.#send(call, op, argument, index, options?.priority);
    if (rest?.asked !== undefined) this.end(call, Ending.Unused); // by a getter
    return promise;
  }

  /** Asks the hub to end a call, or to take back what it holds, unless its slot is not its own any more. */
  end(call: Call, how = Ending.Back): void {
    if (this.#dead === undefined && this.#slots[call.slot] === call) this.#send(call, Op.End, how);
  }

  #send(call: Call, op: Op, argument: number, name = 0, priority = 0): void {
    this.tell(op !== Op.End ? 'called' : argument === Ending.Unused ? 'cancelled' : 'released', call);
    this.#line.call(op, name, call.slot, argument, priority);
  }

  /** Tells of a step of a call, if there is somebody to be told. */
  tell(step: CallStep['step'], call: Call): void {
    try {
      this.trace?.({
        step, at: performance.timeOrigin + performance.now(), ...(call.own.id ??= { ...this.last, call: ++this.last.call }),
      });
    } catch (error) {
      this.trace = undefined;
      report(error);
    }
  }

  /** Somebody waits for one more answer, until `settled()`. */
  began(): void {
    if (this.#waiting++ === 0) this.#line.busy?.(true);
  }

  /** Whether somebody waits for an answer. */
  get waits(): boolean {
    return this.#waiting > 0;
  }

  /** Whether it is of use though nobody can reach it: it waits, runs something for others, or is used by a function. */
  get needed(): boolean {
    return this.#waiting > 0 || this.#uses > 0 || this.#runs.size > 0 || this.#leftovers.size > 0;
  }

  /** Counts the functions that use it. */
  use(n: 1 | -1): void {
    this.#uses += n;
    this.#line.review?.();
  }

  settled(n: number): void {
    if ((this.#waiting -= n) === 0) this.#line.busy?.(false);
  }

  #indexOf(name: Name): number {
    if (name.age === this.#age) return name.index;
    const known = (this.#names[name.kind] ??= new Map<string, number>());
    const key = name.argument === undefined ? name.text : `${name.argument} ${name.text}`;
    let index = known.get(key);
    if (index === undefined) {
      if (this.#bound === MaxNames) {
        this.#line.forget();
        this.#age++;
        this.#bound = 0;
        this.#names = [];
        return this.#indexOf(name);
      }
      index = this.#bound++;
      known.set(key, index);
      this.#line.bind(index, name.kind, name.text, name.argument ?? 0);
    }
    name.age = this.#age;
    name.index = index;
    return index;
  }

  /** Takes in one completion. `payload` is what belongs to the run that it names, unless that ran here. */
  complete(slot: number, status: Status, value: number, payload: Payload | undefined): void {
    switch (status) {
      case Status.Run: return this.#begin(slot, value);
      case Status.Stop: return this.#stop(value);
      case Status.Cancel: return this.#runs.get(value)?.controller.abort(errorOf(slot));
      case Status.Over:
        this.#runs.delete(value);
        return this.#line.review?.();
      case Status.Idle: return this.#rest(value);
    }
    const call = this.#slots[slot];
    if (call === undefined) return;
    switch (status) {
      case Status.Done:
        this.#release(slot);
        call.extra?.guard?.renewed?.(value);
        if (call.waiting) call.settle(call.convert === undefined ? undefined : call.convert(call, value, undefined, false));
        call.over();
        break;
      case Status.Fail:
        this.#release(slot);
        if (call.waiting) call.fail(() => failureOf(call, value));
        else call.void(() => failureOf(call, value)); // it was not taken back
        break;
      case Status.Result:
      case Status.Reject:
        this.#release(slot);
        if (call.waiting && !this.#deliver(call, value, payload) && value >= ItemNumbers) this.#done(call);
        call.over();
        break;
      case Status.Armed:
        this.#release(slot);
        call.fail(() => errorOf(Code.Unsupported)); // it is no watch: the hub does not keep to the protocol
        call.holding?.ended();
        break;
      case Status.Ended:
        this.#release(slot);
        call.ended(value);
        break;
      case Status.Held:
      case Status.Lent:
        // An abort in the turn of the grant comes before whoever awaits the call: it then goes back.
        if (call.abortable) queueMicrotask(() => this.#grant(call, status, value, payload));
        else this.#grant(call, status, value, payload);
        break;
      case Status.Item: {
        const item = unpack(payload);
        if ('value' in item) (call.own.items ??= []).push(item.value);
        break;
      }
      case Status.Lost:
        call.lose(() => errorOf(value));
        break;
      case Status.Part:
        (call.own.parts ??= []).push(value);
        break;
    }
  }

  #grant(call: Call, status: Status.Held | Status.Lent, value: number, payload: Payload | undefined): void {
    if (!call.waiting) {
      if (payload?.transfer !== undefined) this.#line.back(value, payload);
      call.holding?.renewed?.(value); // it was taken back from a lost hub
    } else if (status === Status.Held) {
      call.settle(call.convert === undefined ? undefined : call.convert(call, value, undefined, true));
    } else if (!this.#deliver(call, value, payload)) {
      this.end(call, value >= ItemNumbers ? Ending.Kept : Ending.Back);
      if (value >= ItemNumbers) this.#done(call);
    }
    call.granted();
    if (call.name?.kind === Kind.Checkpoint) call.pin(); // an arm has no token to keep
    if (this.#slots[call.slot] !== call) call.over();
  }

  /** The item that a call was to get is lost, and so it is done. */
  #done({ name }: Call): void {
    this.call(Op.TaskDone, name).catch(() => {});
  }

  #release(slot: number): void {
    this.#slots[slot]?.unpin();
    this.#slots[slot] = undefined;
    this.#free.push(slot);
  }

  /**
   * Settles a call with the outcome of a run: of its own run as it is, of another realm's as a copy. Returns whether
   * that was a value.
   */
  #deliver(call: Call, number: number, payload: Payload | undefined): boolean {
    const run = this.#runs.get(number);
    const outcome = run?.outcome ?? unpack(payload);
    if ('error' in outcome) {
      call.reject(outcome.error);
      return false;
    }
    const { value } = outcome;
    if (run !== undefined) {
      if (run.used) call.own.reused = true;
      run.used = true;
      this.#wake(run);
    }
    // A settle() with a thenable would wait for it; what was run has settled already.
    call.settle(call.convert === undefined ? value : call.convert(call, number, value, true));
    return true;
  }

  #rest(number: number): void {
    const run = this.#runs.get(number);
    if (run === undefined) return;
    run.used = true;
    this.#wake(run); // who was lent it has left meanwhile
    run.wake = run.runnable.idle?.(number);
  }

  #wake(run: Run): void {
    run.wake?.();
    run.wake = undefined;
  }

  #begin(slot: number, number: number): void {
    const { name, extra } = this.#slots[slot] ?? {};
    const runnable = extra?.runnable;
    if (name === undefined || runnable === undefined) return;
    const run: Run = { name, runnable, controller: new AbortController() };
    this.#runs.set(number, run);
    this.#line.review?.();
    const { signal } = run.controller;
    Promise.resolve().then(() => runnable.start(signal)).then(
      (value) => {
        run.outcome = { value };
        this.#finish(number, run, Outcome.Result, runnable.stays ? {} : { value });
      },
      (error: unknown) => {
        run.outcome = { error };
        if (signal.aborted && !saysAborted(error, signal)) report(error);
        this.#finish(number, run, Outcome.Error, runnable.stays ? {} : packError(error));
      },
    );
  }

  #stop(number: number): void {
    const run = this.#runs.get(number);
    if (run === undefined) return;
    this.#wake(run);
    void this.#unmake(run).then(() => this.#finish(number, run, Outcome.Result, {}));
  }

  #finish(number: number, run: Run, outcome: Outcome, payload: Payload): void {
    if (this.#runs.get(number) === run) this.#line.finish(number, outcome, payload);
    else void this.#unmake(run).then(() => this.#ended(run)); // its session ended before it did
  }

  /** Ends all that is under way with the error that `make` makes, and refuses all that comes later with it. */
  fail(make: () => Error): void {
    if (this.#dead !== undefined) return;
    const { slots, runs } = this.#clear();
    this.#dead = make;
    for (const call of slots) {
      if (call === undefined) continue;
      if (call.waiting) call.fail(make);
      else call.void(make);
    }
    for (const run of runs) this.#abandon(run, make());
  }

  /**
   * The session begins anew, with empty tables: what is under way ends with the error that `make` makes, but for the
   * calls that are to be made again. If the hub was `lost`, the next one is told first what this realm holds of it, and
   * what is still running; what that makes of it is the result.
   */
  restart(make: () => Error, lost: boolean): Promise<void> | undefined {
    if (this.#dead !== undefined) return undefined;
    const { slots, runs } = this.#clear();
    const given = new Set(slots.map((call) => (call?.waiting && call.extra?.guard) || 0)); // those who wait on a condition
    const kept: Call[] = [];
    const again: Call[] = [];
    const over: Call[] = [];
    for (const call of slots) {
      if (call === undefined) continue;
      if (call.waiting) (call.extra?.again === undefined ? over : again).push(call);
      else (lost && keeps(call) && !(call.holding && given.has(call.holding)) ? kept : over).push(call);
    }
    for (const call of kept) {
      const queue = call.name!.kind === Kind.Queue; // a loop over it is under way
      this.#place(call, queue ? Op.Acquire : Op.Retake, call.holding?.rank ?? 0);
    }
    if (lost) for (const run of runs) this.#leftovers.set(run, new Call(this, 0, run.name));
    else this.#leftovers.clear();
    for (const call of this.#leftovers.values()) this.#place(call, Op.Occupy);
    const reported = lost ? this.call(Op.Reported, undefined) : undefined;
    for (const call of again) this.#place(call, call.extra!.again!.op, call.extra!.again!.priority);
    // From here on others' code runs, which finds the tables in order.
    for (const call of over) {
      if (call.waiting) call.fail(make);
      else call.void(make);
    }
    for (const run of runs) this.#abandon(run, make());
    return reported;
  }

  #clear(): { slots: (Call | undefined)[]; runs: Run[] } {
    const slots = this.#slots;
    const runs = [...this.#runs.values()];
    this.#slots = [];
    this.#free = [];
    this.#last = undefined;
    this.#runs = new Map();
    this.#names = [];
    this.#bound = 0;
    this.#age++;
    this.last = { session: undefined, call: 0 };
    return { slots, runs };
  }

  /** Makes a call that exists already, in a slot of its own. */
  #place(call: Call, op: Op, priority = 0): void {
    call.slot = this.#slots.length;
    call.own.id = undefined;
    this.#slots.push(call);
    this.#send(call, op, call.extra?.argument ?? 0, this.#indexOf(call.name!), priority);
  }

  /** A run whose session has ended: it is aborted, and what it made is unmade here. */
  #abandon(run: Run, reason: Error): void {
    this.#wake(run);
    if (run.outcome === undefined) run.controller.abort(reason);
    else void this.#unmake(run).then(() => this.#ended(run));
  }

  /** A run is over of which the hub knows no more than that something of a lost hub was still running. */
  #ended(run: Run): void {
    const call = this.#leftovers.get(run);
    if (call === undefined) return;
    this.#leftovers.delete(run);
    this.end(call);
    this.#line.review?.();
  }

  /** Unmakes what the run made, if it made something; resolves when that is done. */
  #unmake(run: Run): Promise<void> {
    return (run.unmade ??= (async () => {
      const { runnable, outcome } = run;
      if (outcome === undefined || 'error' in outcome) return;
      try {
        await runnable.stop?.(outcome.value);
      } catch (error) {
        report(error);
      }
    })());
  }

  /** Makes the error of all calls that come after the end. */
  get dead(): (() => Error) | undefined {
    return this.#dead;
  }
}

/** Whether an error says no more than that the run was aborted. */
function saysAborted(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error as Error | undefined)?.name === 'AbortError';
}

/** Reports an error that no call is left to be told. Where programs end of what `reportError` says, as in Deno, it is logged. */
export function report(error: unknown): void {
  if (error instanceof ClosedError) return;
  if (node !== undefined) console.error(error);
  else reportError(error);
}
