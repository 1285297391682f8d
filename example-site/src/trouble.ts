/** What a page says when it cannot go on. */

import { find } from './column.ts';

export function showTrouble(error: unknown): void {
  const line = find(document, '#trouble');
  line.textContent = `${String(error).replace(/\.?$/, '.')} Reload the page to start again.`;
  line.hidden = false;
}
