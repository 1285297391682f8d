/** Which primitive is shown: the page's fragment says it. */

import { all, find } from './column.ts';
import type { Primitive } from './protocol.ts';

/** Returns what tells which one it is; at a `hashchange` it is the new one already. */
export function wireViews(): () => Primitive {
  const nav = find(document, '.views');
  const links = all(nav, 'a') as HTMLAnchorElement[];
  let current = links[0]!;
  const view = (): Primitive => current.hash.slice(1) as Primitive;
  const show = (): void => {
    const { hash } = location;
    current = links.find((link) => link.hash === hash) ?? (hash === '' ? links[0]! : current); // others are places on the page
    for (const panel of all(document, '[data-panel]')) panel.hidden = panel.dataset.panel !== view();
    for (const link of links) link.ariaCurrent = link === current ? 'page' : null;
    nav.scrollLeft = current.offsetLeft - (nav.clientWidth - current.offsetWidth) / 2;
    document.title = `${current.textContent} · clca`;
  };
  addEventListener('hashchange', show);
  show();
  return view;
}
