/** Which primitive is shown: the page's fragment says it. */

export function wireViews(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.views a')];
  const panels = [...document.querySelectorAll<HTMLElement>('[data-panel]')];
  const show = (): void => {
    const current = links.find((link) => link.hash === location.hash) ?? links[0]!;
    const view = current.hash.slice(1);
    document.documentElement.dataset.view = view;
    for (const panel of panels) panel.hidden = panel.dataset.panel !== view;
    for (const link of links) {
      if (link === current) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  };
  addEventListener('hashchange', show);
  show();
}
