/**
 * Tells the room what happens in the hub's realm: the steps of the hub, and what the goroutine's lane calls in Go. It is
 * there as long as any page is, and so it also tells those that come later what happened before, in all realms.
 *
 * Goroutines that a call makes ready run before the next call enters Go. So what the hub did last before a goroutine that
 * waited runs again is what has woken it; and what the hub answers for no call's sake is the doing of the goroutine.
 */

import type { Step } from 'clca';
import { Past } from './past.ts';
import { type HubStep, type Message, Channel } from './protocol.ts';
import { type Recorded, idOf, present } from './record.ts';
import { goneFor } from './tab.ts';

const lane = 'goroutine';

export class HubWitness {
  #channel: Channel;
  #past: Past;
  #steps: HubStep[] = [];
  #events: Recorded[] = [];
  #last = { id: '', at: 0 }; // by whom the last thing was done in Go, and when
  #taken = ''; // the call that was taken up last, unless the goroutine has done something since
  #goroutine: string | undefined; // its call that was the last
  #scheduled = false;

  constructor(room: string) {
    this.#past = new Past((tab) => goneFor(room, tab));
    this.#channel = new Channel(room, (message) => {
      if (message.kind === 'recall') this.#channel.say({ kind: 'past', tab: message.tab, past: this.#past.all() });
      else this.#past.keep(message);
    });
    this.#channel.say({ kind: 'begun', at: present() });
  }

  readonly trace = (step: Step): void => {
    const told: HubStep = { ...step };
    if (step.step === 'opened') return;
    if (step.step === 'ended') {
      this.#last = { id: `session ${step.session}`, at: step.at };
    } else {
      const own = idOf(step);
      const by = 'by' in step && step.by !== undefined ? idOf(step.by) : undefined;
      if (step.step === 'taken') this.#taken = own;
      else if (step.step === 'answered' && by === undefined && own !== this.#taken && step.status !== 'ended') told.cause = this.#goroutine;
      this.#last = { id: by ?? told.cause ?? own, at: step.at };
    }
    this.#steps.push(told);
    this.#due();
  };

  // Of the goroutine's lane, which calls them from Go.

  called(call: string, text: string, primitive: string): void {
    const at = present();
    this.#tell({ type: 'call', at, lane, call, text, primitive }, { type: 'taken', at, call });
    this.#did(call, at);
  }

  /** A call has returned; one that `waited` was answered before, by whoever did something last. */
  returned(call: string, ok: boolean, text: string, waited: boolean): void {
    const at = present();
    const { id, at: answered } = this.#last;
    if (waited && id !== call) this.#tell({ type: 'answer', at: answered, call, by: id });
    else this.#tell({ type: 'answer', at, call });
    this.#tell({ type: 'settled', at, call, ok, text });
  }

  cancelled(call: string, text: string): void {
    const at = present();
    this.#tell({ type: 'cancel', at, call, text }, { type: 'settled', at, call, ok: false, text });
    this.#did(call, at);
  }

  held(call: string, abandoned: boolean): void {
    this.#tell({ type: 'held', at: present(), call, abandoned });
  }

  released(call: string): void {
    const at = present();
    this.#tell({ type: 'released', at, call });
    this.#did(call, at);
  }

  #did(call: string, at: number): void {
    this.#goroutine = call;
    this.#last = { id: call, at };
    this.#taken = '';
  }

  #tell(...events: Recorded[]): void {
    this.#events.push(...events);
    this.#due();
  }

  /** Has all that was told in this task sent after it. */
  #due(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (this.#steps.length > 0) this.#say({ kind: 'hub', steps: this.#steps });
      if (this.#events.length > 0) this.#say({ kind: 'happened', events: this.#events });
      this.#steps = [];
      this.#events = [];
    });
  }

  #say(message: Message): void {
    this.#channel.say(message); // which it does not hear itself
    this.#past.keep(message);
  }
}
