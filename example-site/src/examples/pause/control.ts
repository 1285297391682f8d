/** Pauses, inspects and resumes the computation in the Worker. */

import { type Attachment, createHub } from 'clca';
import type { State } from './tour.ts';

export const hub = await createHub();
const step = hub.checkpoint('step'); // The Worker passes it before each of its steps.

export class Computation {
  #worker: Worker;
  #session: Attachment;
  #end = new AbortController();

  constructor(seed: number, done: () => void) {
    const url = new URL('./worker.js', import.meta.url);
    this.#worker = new Worker(url, { type: 'module', name: String(seed) });
    this.#session = hub.attach(this.#worker);
    this.#worker.onmessage = ({ data }) => {
      if (data !== 'done') return;
      this.#end.abort(); // Nobody will come to the checkpoint any more.
      done();
    };
  }

  /** Resolves once the Worker stands. Rejects with an AbortError if it ends before. */
  pause(): Promise<void> {
    return step.arm({ signal: this.#end.signal });
  }

  resume(): Promise<number> {
    return step.resume();
  }

  /**
   * Lets the Worker do one step, and resolves once it stands again. The two calls are
   * made at once, so that it does not come round again between them.
   */
  async step(): Promise<void> {
    await Promise.all([this.resume(), this.pause()]);
  }

  /** What the Worker is at. While it stands, that stays the same. */
  inspect(): Promise<State> {
    return new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => {
        resolve(data);
        port1.close();
      };
      this.#worker.postMessage('inspect', [port2]);
    });
  }

  /** Ends it, wherever it is. */
  async stop(): Promise<void> {
    this.#end.abort();
    this.#worker.terminate();
    this.#session.end(); // The hub would hear of that only later.
    await this.resume(); // What has held this one is not to hold the next.
  }
}
