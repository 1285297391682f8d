/** One call of signal(), and what all realms tell of the calls that it woke. */

import type { Hub } from 'clca';
import type { FieldMessage, Times, Wake } from './field-protocol.ts';
import { present } from './record.ts';

const patience = 10_000; // milliseconds, for a realm that has died since it was woken

export class Wakes {
  #heard: ((realm: string, times: Times) => void) | undefined;

  constructor(private hub: Hub, private tab: number) {}

  hear(message: FieldMessage): void {
    if (message.kind === 'woken') this.#heard?.(message.realm, message.times);
  }

  /** Wakes all. The wakes of all tabs take turns, so that whatever is told meanwhile is of this one. */
  wake(): Promise<Wake> {
    return this.hub.lock('wake').with(async () => {
      const times = new Map<string, Times>();
      let told = 0;
      let enough!: () => void;
      const all = new Promise<void>((resolve) => (enough = resolve));
      let answered = Infinity;
      const at = present();
      this.#heard = (realm, its) => {
        if (!its.some((time) => time > at - patience / 2)) return; // it tells late of the one before
        times.set(realm, its);
        told += woken(its);
        if (told >= answered) enough();
      };
      try {
        answered = await this.hub.signal('go').signal();
        if (told >= answered) enough();
        const timer = setTimeout(enough, patience);
        await all;
        clearTimeout(timer);
        return { at, tab: this.tab, answered, times };
      } finally {
        this.#heard = undefined;
      }
    });
  }
}

/** How many of them were woken. */
export function woken(times: Times): number {
  return times.reduce((n, time) => (Number.isNaN(time) ? n : n + 1), 0);
}
