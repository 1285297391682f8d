/**
 * As much of Python's asyncio as the documents' code stands on, with CPython 3.11 as the model: loops that take turns,
 * futures with callbacks, tasks that can be cancelled. `async def` is a generator here, and `await x` is `yield* x`, so
 * that their code can be carried over line by line. Time is the world's own, and whatever happens in it happens in one
 * order only: the same calls end the same way each time.
 */

/** What a suspended coroutine waits for; null is the bare yield of `sleep(0)`. */
export type Coroutine<T> = Generator<Future<any> | null, T, void>;

/** How long a turn of a loop takes, in milliseconds: longer than in Python, so that turns can be told apart. */
export const turn = 1;

/** An exception of Python's. */
export class PythonError extends Error {
  constructor(override readonly name: string, message = '') {
    super(message);
  }
}

export class CancelledError extends PythonError {
  constructor() {
    super('CancelledError');
  }
}

/** What is told of a world while it goes on. A tag says on whose behalf something runs, as a context variable would. */
export interface Watch {
  suspends?(tag: string | undefined, on: Future<any>): void;
  completes?(future: Future<any>, cause: string | undefined): void;
  cancels?(task: Task<any>, cause: string | undefined): void;
  /** A loop was left with an exception that nobody caught, and logged it. */
  logs?(loop: Loop, error: Error): void;
}

// The loop that has its turn, the task that runs in it, and on whose behalf.
let running: Loop | undefined;
let current: Task<any> | undefined;
let cause: string | undefined;

/** Several loops, each in a thread of its own, and the time that they share. */
export class World {
  now = 0;
  readonly loops: Loop[] = [];

  constructor(readonly watch: Watch = {}) {}

  /** Starts one more thread with a loop in it. */
  loop(): Loop {
    const loop = new Loop(this);
    this.loops.push(loop);
    return loop;
  }

  /** When something happens next; Infinity if nothing ever will. */
  get next(): number {
    return Math.min(Infinity, ...this.loops.map((loop) => loop.wakesAt));
  }

  /** Lets the loop whose turn is next have it. */
  step(): void {
    const { next } = this;
    this.now = Math.max(this.now, next);
    this.loops.find((loop) => loop.wakesAt === next)?.turn();
  }

  /** Lets everything happen that does before then. */
  run(until = Infinity): void {
    while (this.next <= until && this.next < Infinity) this.step();
    if (until < Infinity) this.now = Math.max(this.now, until);
  }
}

class Handle {
  cancelled = false;

  constructor(readonly callback: () => void, readonly cause: string | undefined) {}

  cancel(): void {
    this.cancelled = true;
  }
}

class TimerHandle extends Handle {
  constructor(readonly when: number, callback: () => void, cause: string | undefined) {
    super(callback, cause);
  }
}

/** An event loop. Between its turns it sleeps until its next timer, or until another thread wakes it. */
export class Loop {
  turns = 0;
  wakesAt = Infinity;
  #ready: Handle[] = [];
  #timers: TimerHandle[] = [];
  #closed = false;

  constructor(readonly world: World) {}

  /** What calls this from another thread does not wake the loop, and so may wait for long. */
  callSoon(callback: () => void, on = cause): Handle {
    if (this.#closed) throw new PythonError('RuntimeError', 'Event loop is closed');
    const handle = new Handle(callback, on);
    this.#ready.push(handle);
    return handle;
  }

  callSoonThreadsafe(callback: () => void, on = cause): Handle {
    const handle = this.callSoon(callback, on);
    if (running !== this) this.wakesAt = Math.min(this.wakesAt, this.world.now + turn);
    return handle;
  }

  callLater(milliseconds: number, callback: () => void): Handle {
    const timer = new TimerHandle(this.world.now + milliseconds, callback, cause);
    const later = this.#timers.findIndex(({ when }) => when > timer.when);
    this.#timers.splice(later < 0 ? this.#timers.length : later, 0, timer);
    return timer;
  }

  createTask<T>(coroutine: Coroutine<T>, tag = cause): Task<T> {
    return new Task(coroutine, this, tag);
  }

  /** Ends the loop, whatever waits in it. */
  close(): void {
    this.#closed = true;
    this.#ready = [];
    this.#timers = [];
    this.wakesAt = Infinity;
  }

  turn(): void {
    this.turns++;
    const { now } = this.world;
    while (this.#timers[0] !== undefined && this.#timers[0].when <= now) this.#ready.push(this.#timers.shift()!);
    const due = this.#ready.splice(0); // what these make ready is for the next turn
    running = this;
    for (const handle of due) {
      if (handle.cancelled || this.#closed) continue;
      cause = handle.cause;
      try {
        handle.callback();
      } catch (error) {
        this.world.watch.logs?.(this, error as Error);
      }
    }
    running = cause = undefined;
    this.#timers = this.#timers.filter(({ cancelled }) => !cancelled);
    const soon = now + turn;
    this.wakesAt = this.#ready.length > 0 ? soon : Math.max(soon, this.#timers[0]?.when ?? Infinity);
  }
}

/** A result to come. It belongs to the loop in which it was made, and tells its callbacks there. */
export class Future<T = void> {
  readonly loop: Loop;
  #state: 'pending' | 'finished' | 'cancelled' = 'pending';
  #result: T | undefined;
  #exception: Error | undefined;
  #callbacks: ((future: Future<T>) => void)[] = [];

  constructor(loop = running) {
    if (loop === undefined) throw new PythonError('RuntimeError', 'no running event loop');
    this.loop = loop;
  }

  done(): boolean {
    return this.#state !== 'pending';
  }

  cancelled(): boolean {
    return this.#state === 'cancelled';
  }

  get callbacks(): number {
    return this.#callbacks.length;
  }

  result(): T {
    if (this.#state === 'cancelled') throw new CancelledError();
    if (this.#state === 'pending') throw new PythonError('InvalidStateError', 'Result is not set.');
    if (this.#exception !== undefined) throw this.#exception;
    return this.#result as T;
  }

  exception(): Error | undefined {
    if (this.#state === 'cancelled') throw new CancelledError();
    return this.#exception;
  }

  setResult(result: T): void {
    this.#mustBePending();
    this.#result = result;
    this.#complete('finished');
  }

  setException(exception: Error): void {
    this.#mustBePending();
    this.#exception = exception;
    this.#complete('finished');
  }

  cancel(): boolean {
    if (this.done()) return false;
    this.#complete('cancelled');
    return true;
  }

  addDoneCallback(callback: (future: Future<T>) => void): void {
    if (this.done()) this.loop.callSoon(() => callback(this));
    else this.#callbacks.push(callback);
  }

  removeDoneCallback(callback: (future: Future<T>) => void): void {
    this.#callbacks = this.#callbacks.filter((each) => each !== callback);
  }

  /** `await future` */
  *[Symbol.iterator](): Coroutine<T> {
    if (!this.done()) yield this;
    return this.result();
  }

  #mustBePending(): void {
    if (this.done()) throw new PythonError('InvalidStateError', 'invalid state');
  }

  #complete(state: 'finished' | 'cancelled'): void {
    this.#state = state;
    this.loop.world.watch.completes?.(this, cause);
    for (const callback of this.#callbacks.splice(0)) this.loop.callSoon(() => callback(this));
  }
}

const closed = new WeakSet<Coroutine<any>>();

/** `coroutine.close()` */
export function closeCoroutine(coroutine: Coroutine<any>): void {
  coroutine.return(undefined);
  closed.add(coroutine);
}

/** A coroutine that a loop runs, until it waits for a future, and again once that is done. */
export class Task<T = void> extends Future<T> {
  /** Requests to cancel it, which nobody takes back. */
  cancelling = 0;
  #coroutine: Coroutine<T>;
  #waiter: Future<any> | undefined;
  #mustCancel = false;

  constructor(coroutine: Coroutine<T>, loop = running, public tag = cause) {
    super(loop);
    this.#coroutine = coroutine;
    this.loop.callSoon(() => this.#step(), tag);
  }

  override cancel(): boolean {
    if (this.done()) return false;
    this.cancelling++;
    this.loop.world.watch.cancels?.(this, cause);
    if (this.#waiter?.cancel()) return true;
    this.#mustCancel = true;
    return true;
  }

  #step(error?: Error): void {
    if (this.#mustCancel) {
      if (!(error instanceof CancelledError)) error = new CancelledError();
      this.#mustCancel = false;
    }
    this.#waiter = undefined;
    const outer = current;
    current = this;
    cause = this.tag;
    try {
      if (closed.has(this.#coroutine)) throw new PythonError('RuntimeError', 'cannot reuse already awaited coroutine');
      const { done, value } = error === undefined ? this.#coroutine.next() : this.#coroutine.throw(error);
      cause = this.tag;
      if (!done) this.#suspend(value);
      else if (this.#mustCancel) super.cancel();
      else super.setResult(value);
    } catch (thrown) {
      cause = this.tag;
      if (thrown instanceof CancelledError) super.cancel();
      else super.setException(thrown as Error);
    } finally {
      current = outer;
    }
  }

  #suspend(future: Future<any> | null): void {
    if (future === null) return void this.loop.callSoon(() => this.#step(), this.tag);
    if (future.loop !== this.loop) {
      const foreign = new PythonError('RuntimeError', 'Task got Future attached to a different loop');
      return void this.loop.callSoon(() => this.#step(foreign), this.tag);
    }
    this.loop.world.watch.suspends?.(this.tag, future);
    future.addDoneCallback(this.#wakeup);
    this.#waiter = future;
    if (this.#mustCancel && future.cancel()) this.#mustCancel = false;
  }

  #wakeup = (future: Future<any>): void => {
    try {
      future.result();
    } catch (error) {
      return this.#step(error as Error);
    }
    this.#step();
  };
}

export function currentTask(): Task<any> {
  return current!;
}

/** What the current task does from now on is done on that behalf. */
export function tagAs(tag: string): void {
  current!.tag = cause = tag;
}

/** `asyncio.sleep()`, of milliseconds. Zero gives way for one turn. */
export function* sleep(milliseconds: number): Coroutine<void> {
  if (milliseconds <= 0) return void (yield null);
  const future = new Future();
  const timer = running!.callLater(milliseconds, () => {
    if (!future.done()) future.setResult();
  });
  try {
    yield* future;
  } finally {
    timer.cancel();
  }
}

export function createTask<T>(coroutine: Coroutine<T>): Task<T> {
  return running!.createTask(coroutine);
}

export function ensureFuture<T>(what: Future<T> | Coroutine<T>): Future<T> {
  return what instanceof Future ? what : createTask(what);
}

/** `asyncio.shield()`: who waits for what it returns may be cancelled, and what it shields goes on. */
export function shield<T>(what: Future<T> | Coroutine<T>): Future<T> {
  const inner = ensureFuture(what);
  if (inner.done()) return inner;
  const outer = new Future<T>(inner.loop);
  const innerDone = (): void => {
    if (outer.cancelled()) return;
    if (inner.cancelled()) return void outer.cancel();
    const exception = inner.exception();
    if (exception !== undefined) outer.setException(exception);
    else outer.setResult(inner.result());
  };
  inner.addDoneCallback(innerDone);
  outer.addDoneCallback(() => {
    if (!inner.done()) inner.removeDoneCallback(innerDone);
  });
  return outer;
}

/** `asyncio.wait_for()`: what takes too long is cancelled, and its end is awaited. */
export function* waitFor<T>(what: Future<T> | Coroutine<T>, timeout: number | undefined): Coroutine<T> {
  if (timeout === undefined) return yield* what;
  const waiter = new Future();
  const release = (): void => {
    if (!waiter.done()) waiter.setResult();
  };
  const timer = running!.callLater(timeout, release);
  const future = ensureFuture(what);
  future.addDoneCallback(release);
  try {
    try {
      yield* waiter;
    } catch (error) {
      if (!(error instanceof CancelledError)) throw error;
      if (future.done()) return future.result();
      future.removeDoneCallback(release);
      yield* cancelAndWait(future);
      throw error;
    }
    if (future.done()) return future.result();
    future.removeDoneCallback(release);
    yield* cancelAndWait(future);
    try {
      return future.result();
    } catch (error) {
      throw error instanceof CancelledError ? new PythonError('TimeoutError') : error;
    }
  } finally {
    timer.cancel();
  }
}

function* cancelAndWait(future: Future<any>): Coroutine<void> {
  const waiter = new Future();
  const release = (): void => {
    if (!waiter.done()) waiter.setResult();
  };
  future.addDoneCallback(release);
  try {
    future.cancel();
    yield* waiter;
  } finally {
    future.removeDoneCallback(release);
  }
}

/** `asyncio.wait(futures, return_when=FIRST_COMPLETED)`, for those who look at the futures themselves afterwards. */
export function* waitForFirst(futures: Future<any>[], timeout: number | undefined): Coroutine<void> {
  const waiter = new Future();
  const release = (): void => {
    if (!waiter.done()) waiter.setResult();
  };
  const timer = timeout === undefined ? undefined : running!.callLater(timeout, release);
  for (const future of futures) future.addDoneCallback(release);
  try {
    yield* waiter;
  } finally {
    timer?.cancel();
    for (const future of futures) future.removeDoneCallback(release);
  }
}

/** `asyncio.Event` */
export class Event {
  #set = false;
  #waiters: Future[] = [];

  isSet(): boolean {
    return this.#set;
  }

  set(): void {
    this.#set = true;
    for (const waiter of this.#waiters) if (!waiter.done()) waiter.setResult();
  }

  *wait(): Coroutine<void> {
    if (this.#set) return;
    const waiter = new Future();
    this.#waiters.push(waiter);
    try {
      yield* waiter;
    } finally {
      this.#waiters = this.#waiters.filter((each) => each !== waiter);
    }
  }
}

/** `aiologic.Lock`: handed on in the order of arrival, between tasks of any loops. */
export class Lock {
  #owner: Loop | undefined;
  #waiting: LockTurn[] = [];

  /** `async with lock`, whose end is `release()`. */
  *acquire(): Coroutine<void> {
    if (this.#owner === undefined) {
      this.#owner = running;
      return;
    }
    const turn = new LockTurn();
    this.#waiting.push(turn);
    try {
      yield* turn;
    } catch (error) {
      if (turn.granted) this.release();
      else this.#waiting = this.#waiting.filter((each) => each !== turn);
      throw error;
    }
  }

  /** `with lock`, which would block the thread of the loop until it is free. */
  acquireSync(): void {
    if (this.#owner === running) throw new PythonError('RuntimeError', 'the current thread is already holding this lock');
    if (this.#owner !== undefined) throw new Error('the model has no threads that block');
    this.#owner = running;
  }

  release(): void {
    const next = this.#waiting.shift();
    this.#owner = next?.loop;
    next?.grant();
  }
}

/** A place in the line for a lock. */
export class LockTurn extends Future {
  granted = false;

  grant(): void {
    this.granted = true;
    const set = (): void => {
      if (!this.done()) this.setResult();
    };
    if (running === this.loop) set();
    else this.loop.callSoonThreadsafe(set);
  }
}
