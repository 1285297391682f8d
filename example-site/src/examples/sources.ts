/** What each example has beside itself: its sources on the page, and a line that says what goes wrong. */

import { highlight } from './highlight.ts';
import { find, trouble } from './page.ts';

addEventListener('error', ({ error, message }) => trouble(error ?? message));
addEventListener('unhandledrejection', ({ reason }) => trouble(reason));
// In the back/forward cache, the page's session and Workers end; what comes out of it starts again.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
void showSources();

/** Fills each figure with the source of its file: that from which its script was built, as the script's map says. */
async function showSources(): Promise<void> {
  const figures = [...document.querySelectorAll<HTMLElement>('[data-file]')];
  try {
    const sources = await Promise.all(figures.map(({ dataset }) => sourceOf(dataset.script!, dataset.file!)));
    figures.forEach((figure, index) => show(figure, sources[index]!));
    find('details').hidden = false;
  } catch (error) {
    trouble(error);
  }
}

async function sourceOf(script: string, file: string): Promise<string> {
  const response = await fetch(new URL(`${script}.map`, document.baseURI));
  if (!response.ok) throw new Error(`The source of ${file} is not here: ${response.status}`);
  const { sources, sourcesContent } = await response.json() as { sources: string[]; sourcesContent: string[] };
  const index = sources.findIndex((source) => source.endsWith(`/${file}`));
  if (index < 0) throw new Error(`${script} is not built from ${file}.`);
  return sourcesContent[index]!;
}

function show(figure: HTMLElement, source: string): void {
  const pre = document.createElement('pre');
  pre.tabIndex = 0; // so that it can be scrolled by keys
  pre.role = 'region';
  pre.ariaLabel = `Source of ${figure.dataset.file!}`;
  const code = document.createElement('code');
  code.append(...highlight(source));
  pre.append(code);
  const copy = document.createElement('button');
  copy.textContent = 'Copy';
  copy.ariaLabel = `Copy ${figure.dataset.file!}`;
  copy.addEventListener('click', () => void copied(copy, code));
  figure.querySelector('figcaption')!.append(copy);
  figure.append(pre);
  figure.hidden = false;
}

/** Where the clipboard cannot be had, the source is selected, to be copied by hand. */
async function copied(button: HTMLElement, code: HTMLElement): Promise<void> {
  const status = find('#copied');
  try {
    await navigator.clipboard.writeText(code.textContent!);
    button.textContent = status.textContent = 'Copied';
  } catch {
    getSelection()!.selectAllChildren(code);
    button.textContent = status.textContent = 'Selected';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
    status.textContent = '';
  }, 2000);
}
