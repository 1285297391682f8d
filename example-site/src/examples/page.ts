/** What the pages of all examples need. */

import type { Hub } from 'clca';

export function find<T extends HTMLElement>(selector: string): T {
  return document.querySelector<T>(selector)!;
}

/** Shows that the hub is lost for good, as soon as it is. */
export function tellIfLost(hub: Hub): void {
  void hub.closed.then((error) => error && trouble(error));
}

/** Shows what went wrong. */
export function trouble(error: unknown): void {
  const line = find('#trouble');
  const isLost = error instanceof Error && error.name === 'HubLostError';
  line.textContent = isLost ? `${error}. Reload the page to start again.` : String(error);
  line.hidden = false;
}
