/** The Signal of the document, line by line. */

import { type Coroutine, Future, Lock, sleep } from './python-asyncio.ts';

export class Signal {
  sharedFuture: Future<boolean> | undefined;
  #lock = new Lock();

  *wait(): Coroutine<void> {
    let sharedFut: Future<boolean>;
    let isAllocator: boolean;
    let fut: Future<any>;
    yield* this.#lock.acquire();
    try {
      if (this.sharedFuture === undefined || this.sharedFuture.done()) {
        this.sharedFuture = new Future();
        sharedFut = this.sharedFuture;
        isAllocator = true;
      } else {
        sharedFut = this.sharedFuture;
        isAllocator = false;
      }

      yield* sleep(0);

      if (isAllocator) {
        fut = new Future();
        sharedFut.addDoneCallback(() => fut.setResult(undefined));
      } else {
        fut = sharedFut;
      }
    } finally {
      this.#lock.release();
    }

    try {
      yield* fut;
    } finally {
      if (isAllocator) {
        yield* this.#lock.acquire();
        try {
          if (this.sharedFuture === sharedFut) this.sharedFuture = undefined;
        } finally {
          this.#lock.release();
        }
      }
    }
  }

  *signal(): Coroutine<void> {
    yield* this.#lock.acquire();
    try {
      if (this.sharedFuture !== undefined && !this.sharedFuture.done()) this.sharedFuture.setResult(true);
    } finally {
      this.#lock.release();
    }
  }
}
