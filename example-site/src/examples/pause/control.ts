/** Pauses, inspects and resumes a computation in a Worker. */

import { createHub } from 'clca';
import type { State } from './tour.ts';

const hub = await createHub();
const step = hub.checkpoint('step'); // The Worker passes it before each of its steps.

export class Computation {
  readonly done: Promise<void>;
  /** Aborted when there is nothing left to pause. */
  readonly ended: AbortSignal;
  #end = new AbortController();
  #worker: Worker;

  constructor(seed: number) {
    this.ended = this.#end.signal;
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: String(seed) });
    this.done = new Promise((resolve) => {
      this.#worker.onmessage = ({ data }) => data === 'done' && resolve();
    });
    void this.done.then(() => this.#end.abort());
    hub.attach(this.#worker);
  }

  /** Resolves once the Worker stands. Rejects if it never will, since the computation has ended. */
  pause(): Promise<void> {
    return step.arm({ signal: this.ended });
  }

  resume(): Promise<number> {
    return step.resume();
  }

  /** Goes on by one step. Both calls travel together, so that the Worker finds the checkpoint armed when it comes again. */
  async step(): Promise<void> {
    await Promise.all([step.resume(), step.arm({ signal: this.ended })]);
  }

  /** What the Worker is at now. That may be asked at any time; what it answers while it stands stays true. */
  inspect(): Promise<State> {
    const { port1, port2 } = new MessageChannel();
    return new Promise((resolve) => {
      port1.onmessage = ({ data }) => resolve(data);
      this.#worker.postMessage('inspect', [port2]);
    }).finally(() => port1.close()) as Promise<State>;
  }

  /** Ends it, wherever it is. */
  async stop(): Promise<void> {
    this.#end.abort(); // Withdraws an arm that still waits for the Worker.
    this.#worker.terminate();
    await step.resume(); // If it stood: disarms the checkpoint for the next Worker.
  }
}
