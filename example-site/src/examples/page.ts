/** What the pages of all examples need. */

export function find<T extends HTMLElement>(selector: string): T {
  return document.querySelector<T>(selector)!;
}

/** Shows what went wrong. */
export function trouble(error: unknown): void {
  const line = find('#trouble');
  line.textContent = String(error);
  line.hidden = false;
}
