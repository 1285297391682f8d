/** Tells the room what is traced in a realm: of one task, in one message. */

import type { CallStep, Step } from 'clca/client';
import { type Hows, Channel } from './protocol.ts';

export class Witness {
  /** Says what the lane is at. */
  hows: () => Hows = () => ({});
  #channel: Channel;
  #steps: CallStep[] = [];
  #told: Hows = {};

  constructor(room: string, readonly lane: string) {
    this.#channel = new Channel(room, () => {});
  }

  readonly trace = (step: Step): void => {
    if (this.#steps.push(step as CallStep) > 1) return;
    this.#told = this.hows();
    queueMicrotask(() => {
      const steps = this.#steps;
      this.#steps = [];
      this.#channel.say({ kind: 'steps', lane: this.lane, hows: this.#told, steps });
    });
  };
}
