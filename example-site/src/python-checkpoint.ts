/** The CheckpointSignal of the document, line by line. */

import { type Coroutine, Future, Lock, PythonError, sleep } from './python-asyncio.ts';

export class CheckpointSignal {
  suspendSignal: Future<boolean> | undefined;
  resumeSignal: Future<boolean> | undefined;
  #lock = new Lock();

  *arm(): Coroutine<void> {
    yield* this.#lock.acquire();
    try {
      if (this.suspendSignal !== undefined && !this.suspendSignal.done()) {
        throw new PythonError('RuntimeError', 'Already armed');
      }
      this.suspendSignal = new Future();
    } finally {
      this.#lock.release();
    }
    yield* this.suspendSignal;
  }

  *wait(): Coroutine<void> {
    let shared: Future<boolean>;
    let isFirst: boolean;
    let fut: Future<any>;
    yield* this.#lock.acquire();
    try {
      if (this.suspendSignal === undefined) return;
      if (this.resumeSignal !== undefined && !this.resumeSignal.done()) {
        shared = this.resumeSignal;
        isFirst = false;
      } else {
        if (!this.suspendSignal.done()) this.suspendSignal.setResult(true);
        this.resumeSignal = new Future();
        shared = this.resumeSignal;
        isFirst = true;
      }

      yield* sleep(0);

      if (isFirst) {
        fut = shared;
      } else {
        fut = new Future();
        shared.addDoneCallback(() => fut.setResult(undefined));
      }
    } finally {
      this.#lock.release();
    }

    try {
      yield* fut;
    } finally {
      if (isFirst) {
        yield* this.#lock.acquire();
        try {
          if (this.resumeSignal === fut) this.resumeSignal = undefined;
        } finally {
          this.#lock.release();
        }
      }
    }
  }

  resume(): void {
    this.#lock.acquireSync();
    try {
      if (this.resumeSignal !== undefined && !this.resumeSignal.done()) this.resumeSignal.setResult(true);
    } finally {
      this.#lock.release();
    }
  }
}
