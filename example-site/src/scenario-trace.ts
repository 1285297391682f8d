/** What clca tells of calls, as the diagram wants it. A call has the same name in its realm and in the hub. */

import type { Step, Trace } from 'clca';
import { type Recorded, idOf } from './record.ts';

/** In a realm that calls: which call it is that is being made. */
export class Made {
  #call: string | undefined;

  readonly trace: Trace = (step) => {
    if (step.step === 'called' || step.step === 'joined') this.#call = idOf(step);
  };

  /** Makes a call; returns its name too, or undefined if the hub is not asked. */
  by<T>(make: () => T): { made: T; call: string | undefined } {
    this.#call = undefined;
    const made = make();
    return { made, call: this.#call };
  }
}

/** In the hub: what it takes up and answers of the calls to one name. */
export class Scheduler {
  #calls = new Set<string>();

  constructor(readonly name: string, readonly record: (event: Recorded) => void) {}

  hear(step: Step): void {
    if (step.step === 'taken' && step.name === this.name && calls.includes(step.op)) {
      this.#calls.add(idOf(step));
      this.record({ type: 'taken', at: step.at, call: idOf(step) });
    }
    if (step.step !== 'answered' || !this.#calls.delete(idOf(step))) return;
    const { at, by } = step;
    const call = idOf(step);
    if (by?.call === undefined) this.record({ type: 'answer', at, call });
    else this.record({ type: 'answer', at, call, by: idOf(by) });
  }
}

const calls = ['wait', 'signal', 'arm', 'resume', 'acquire'];
