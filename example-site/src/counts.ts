/** What the hub itself counts of the primitive that is shown. */

import { find } from './column.ts';
import { type Counts, exhibits } from './exhibits.ts';
import type { Lane } from './lane.ts';
import { told } from './outcome.ts';
import type { Primitive } from './protocol.ts';

const period = 1000; // milliseconds

/** Asks now and then, as a realm that ends tells nobody; returns what asks at once. */
export function showCounts(lane: Lane, view: () => Primitive): () => void {
  let asking = false;
  let again = false;
  const ask = async (): Promise<void> => {
    again = asking;
    if (asking) return;
    asking = true;
    do {
      again = false;
      const primitive = view();
      const { of, counts } = exhibits[primitive];
      const { value } = await told((async () => counts?.(await of(lane)))());
      if (value !== undefined) show(find(document, `[data-panel=${primitive}]`), value);
    } while (again);
    asking = false;
  };
  setInterval(ask, period);
  return () => void ask();
}

function show(panel: HTMLElement, counts: Counts): void {
  const shown = JSON.stringify(counts);
  if (panel.dataset.counts === shown) return;
  panel.dataset.counts = shown;
  const { text, full = 0, of = 0, held, pending } = counts;
  find(panel, '.hub span').textContent = `The hub counts: ${text}`;
  find(panel, '.gauge').replaceChildren(...Array.from({ length: of }, (_, at) => element('i', at < full ? 'full' : '')));
  for (const [name, entries] of Object.entries({ held, pending })) {
    if (entries === undefined) continue;
    find(panel, `[data-list=${name}]`).replaceChildren(...entries.map((entry) => element('li', '', entry)));
  }
}

function element(tag: string, className: string, textContent = ''): HTMLElement {
  return Object.assign(document.createElement(tag), { className, textContent });
}
