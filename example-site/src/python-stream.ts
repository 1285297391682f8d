/** The Streams of the question and of the first answer, line by line. Each is given the start that it shares. */

import {
  type Coroutine, type Future, type Task, CancelledError, Event, PythonError, createTask, ensureFuture, shield, sleep,
  waitFor, waitForFirst,
} from './python-asyncio.ts';

/** The attempt of the one who asks: a start() that waits for an Event, which the worker sets once it has started. */
export class AskedStream {
  closing = false;
  task: Future | undefined;
  #workerReady = new Event();
  #waitingStart = 0;

  constructor(readonly startUp: () => Coroutine<unknown>) {}

  *start(timeout?: number): Coroutine<void> {
    if (this.closing) throw new PythonError('AssertionError');
    if (this.task === undefined) this.task = ensureFuture(this.#worker());
    const { task } = this;

    let waitReady!: Future;
    try {
      this.#waitingStart += 1;
      waitReady = ensureFuture(this.#workerReady.wait());

      yield* waitForFirst([task, waitReady], timeout);
    } catch (error) {
      if (!(error instanceof CancelledError)) throw error;
      waitReady.cancel();
      if (this.#waitingStart === 1) {
        this.closing = true;
        task.cancel();
        try {
          yield* task;
        } catch (suppressed) {
          if (!(suppressed instanceof CancelledError)) throw suppressed;
        }
      }
      throw error;
    } finally {
      this.#waitingStart -= 1;
    }

    if (!this.#workerReady.isSet()) {
      this.closing = true;
      task.cancel();
      waitReady.cancel();

      try {
        yield* task;
      } catch (error) {
        if (!(error instanceof CancelledError)) throw error;
        throw new PythonError('FeedTimeoutError', `stream failed to start within ${seconds(timeout)}s`);
      }
      throw new PythonError('AssertionError', 'worker must propagate the exception');
    }
  }

  *#worker(): Coroutine<void> {
    yield* this.startUp();
    this.#workerReady.set();
    while (true) yield* sleep(1000);
  }
}

function seconds(timeout: number | undefined): string {
  return timeout === undefined ? 'None' : String(timeout / 1000);
}

/** The first answer, but for its __init__, which is mended. */
export class AnsweredStream {
  users = 0;
  workerStartupTask?: Task<void> | undefined = undefined;
  workerTask: Task<void> | undefined;

  constructor(readonly startUp: () => Coroutine<unknown>) {}

  *start(timeout?: number): Coroutine<void> {
    if (attribute(this, 'workerStartupTask') === undefined) this.workerStartupTask = createTask(this.#workerStartup());

    this.#addUser();
    try {
      yield* shield(waitFor(this.workerStartupTask!, timeout));
    } catch (error) {
      this.#rmUser();
      throw error;
    }
  }

  *#workerStartup(): Coroutine<void> {
    yield* this.startUp();
    this.workerTask = createTask(this.worker());
  }

  #addUser(): void {
    this.users += 1;
  }

  #rmUser(): void {
    this.users -= 1;
    if (this.users !== 0) return;
    this.workerStartupTask?.cancel();
    this.workerStartupTask = undefined;
    if (this.workerTask !== undefined) {
      this.workerTask.cancel();
      this.workerTask = undefined;
    }
  }

  *stop(): Coroutine<void> {
    this.#rmUser();
  }

  *worker(): Coroutine<void> {
    while (true) yield* sleep(1000);
  }
}

/** The first answer as it stands: its __init__ sets `_worker_startup`, which nothing reads and which hides the method. */
export class AnsweredStreamAsWritten extends AnsweredStream {
  constructor(startUp: () => Coroutine<unknown>) {
    super(startUp);
    delete this.workerStartupTask;
  }
}

/** `self.name`, which Python has only once it was set. */
function attribute<O extends object, K extends keyof O & string>(self: O, name: K): O[K] {
  if (name in self) return self[name];
  throw new PythonError('AttributeError', `'Stream' object has no attribute '_${name.replace(/[A-Z]/g, '_$&').toLowerCase()}'`);
}
