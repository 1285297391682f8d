/** What the pages of all examples need. */

export function find<T extends HTMLElement>(selector: string): T {
  return document.querySelector<T>(selector)!;
}

export function trouble(error: unknown): void {
  const line = find('#trouble');
  line.textContent = `${String(error).replace(/\.?$/, '.')} Reload the page to start again.`;
  line.hidden = false;
}
