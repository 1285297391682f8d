/** Callers that pass a checkpoint as fast as they can. */

import type { Hub } from 'clca';
import { Patience } from './patience.ts';

export class Passing {
  count = 0;
  #stopped = false;
  /** Resolves when all loops have ended, as they were told; rejects with what one of them got. */
  readonly ended: Promise<unknown>;

  /** So many loops, each of which computes for so many milliseconds in between. */
  constructor(hub: Hub, name: string, loops: number, busy = 0) {
    const untilTurned = (): Patience => new Patience(5000);
    let patience = untilTurned(); // without which the test could not even fail
    const turns = setInterval(() => void (patience = untilTurned()));
    const loop = async (): Promise<void> => {
      const checkpoint = hub.checkpoint(name);
      while (!this.#stopped) {
        await checkpoint.wait();
        this.count++;
        if (busy > 0) for (const until = performance.now() + busy; performance.now() < until;);
        if (this.count % 256 === 0 && patience.over) throw new Error('the event loop does not turn');
      }
    };
    this.ended = Promise.all(Array.from({ length: loops }, loop)).finally(() => clearInterval(turns));
    this.ended.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.ended;
  }
}
