/** Tells the room what is traced in a realm: of one task, in one message. */

import type { CallStep, Step } from 'clca/client';
import { type Hows, Channel } from './protocol.ts';

export class Witness {
  /** Says what the lane is at. */
  hows: () => Hows = () => ({});
  /** Makes a call that changes nothing. */
  asks: () => void = () => {};
  #channel: Channel;
  #steps: CallStep[] = [];
  #told: Hows = {};

  constructor(room: string, readonly lane: string) {
    this.#channel = new Channel(room, () => {});
  }

  readonly trace = (step: Step): void => {
    // What was called between two hubs is known by the number of the session as soon as another call has it.
    if (step.session === undefined && step.step === 'settled') setTimeout(() => this.asks());
    if (this.#steps.push(step as CallStep) > 1) return;
    this.#told = this.hows();
    queueMicrotask(() => {
      const steps = this.#steps;
      this.#steps = [];
      this.#channel.say({ kind: 'steps', lane: this.lane, hows: this.#told, steps });
    });
  };
}
