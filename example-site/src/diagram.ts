/** A live sequence diagram of what happens in the realms of a hub. */

import type { Recorded } from './record.ts';

export class Diagram {
  readonly #host: HTMLElement;
  #events: Recorded[] = [];

  constructor(host: HTMLElement, options: { label?: string; controls?: boolean } = {}) {
    this.#host = host;
    host.setAttribute('aria-label', options.label ?? 'What happens in the lanes');
  }

  /** Takes up an event, at any time. */
  add(event: Recorded): void {
    this.#events.push(event);
    this.#host.dataset['events'] = String(this.#events.length);
  }

  /** Forgets all but the lanes that have not gone. */
  clear(): void {
    this.#events = [];
  }
}
