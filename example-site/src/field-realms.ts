/** Which realms there are, with which calls, as they tell; and what the hub counts of them. */

import type { Signal } from 'clca';
import type { Calls } from './field-panel.ts';
import type { FieldMessage } from './field-protocol.ts';
import { pause } from './outcome.ts';
import type { Identity } from './protocol.ts';

export interface Realm extends Calls {
  identity: Identity;
}

export interface Counts {
  waiting: number;
  signals: number;
  woken: number;
}

export class Realms {
  #realms = new Map<string, Realm>();
  #counting: Promise<boolean> | undefined;

  constructor(private signal: Signal, private changed: () => void, private counted: (counts: Counts) => void) {}

  hear(message: FieldMessage): void {
    switch (message.kind) {
      case 'waits': {
        const { realm: identity, calls, left } = message;
        if (calls > 0) this.#realms.set(identity.id, { realm: identity.id, identity, calls, left: new Set(left) });
        break;
      }
      case 'left': this.#realms.get(message.realm)?.left.add(message.call); break;
      case 'woken': this.#realms.get(message.realm)?.left.clear(); break;
      case 'killed': this.#realms.delete(message.realm); break;
      case 'gone':
        for (const { realm, identity } of this.#realms.values()) if (identity.tab === message.tab) this.#realms.delete(realm);
        break;
      default: return;
    }
    this.changed();
    this.count().catch(() => {}); // the hub is gone, of which the page tells
  }

  all(): Realm[] {
    return Array.from(this.#realms.values());
  }

  get waiting(): number {
    return this.all().reduce((n, { calls, left }) => n + calls - left.size, 0);
  }

  /** Asks the hub until it counts as many as the realms tell, or for a while: of a death it learns by itself. */
  count(): Promise<boolean> {
    return this.#counting ??= this.#count().finally(() => (this.#counting = undefined));
  }

  async #count(): Promise<boolean> {
    for (let times = 0; times < 100; times++) {
      const counts = await this.signal.stats();
      this.counted(counts);
      if (counts.waiting === this.waiting) return true;
      await pause(Math.min(times, 50));
    }
    return false;
  }
}
