/** The calls of one realm: they all wait for the signal, and once all of them have ended they wait again. */

import type { Hub } from 'clca/client';
import type { FieldMessage } from './field-protocol.ts';
import type { Identity } from './protocol.ts';
import { present } from './record.ts';

export class FieldCalls {
  #leaves: AbortController[];
  #pending = 0;

  constructor(
    private hub: Hub, private realm: Identity, private calls: number, private say: (message: FieldMessage) => void,
  ) {
    this.#leaves = Array.from({ length: calls }, () => new AbortController());
  }

  begin(): void {
    this.#wait();
    this.#sayHow();
  }

  hear(message: FieldMessage): void {
    if (message.kind === 'who') this.#sayHow();
    if (message.kind === 'leave' && message.realm === this.realm.id) this.#leaves[message.call]?.abort();
  }

  /** Made in one go, they travel as one message, and so the hub has all of them or none. */
  #wait(): void {
    const times = new Float64Array(this.calls).fill(NaN);
    const ended = (): void => {
      if (--this.#pending > 0) return;
      this.say({ kind: 'woken', realm: this.realm.id, times });
      this.#wait();
    };
    const go = this.hub.signal('go');
    this.#pending = this.calls;
    for (let call = 0; call < this.calls; call++) {
      if (this.#leaves[call]!.signal.aborted) this.#leaves[call] = new AbortController();
      const { signal } = this.#leaves[call]!;
      go.wait({ signal }).then(() => {
        times[call] = present();
        ended();
      }, () => {
        if (!signal.aborted) return; // the hub is gone, or the session is over: that is the end
        this.say({ kind: 'left', realm: this.realm.id, call });
        ended();
      });
    }
  }

  #sayHow(): void {
    const left = Array.from(this.#leaves.keys()).filter((call) => this.#leaves[call]!.signal.aborted);
    this.say({ kind: 'waits', realm: this.realm, calls: this.calls, left });
  }
}
