/** The page of the example: its buttons, the form, and how far each load is. */

import { createHub } from 'clca';
import { find, tellIfLost, trouble } from '../page.ts';
import { type Parts, loadForm, part, parts } from './form.ts';
import { type News, how } from './server.ts';

/** `?pace=` and `?timeout=` of the address, for those who want other ones. */
function asked(what: string): string | null {
  return new URLSearchParams(location.search).get(what);
}

const [open, cancel, forget] = [find<HTMLButtonElement>('#open'), find<HTMLButtonElement>('#cancel'), find<HTMLButtonElement>('#forget')];
const form = find<HTMLFormElement>('#order');
const fields = form.querySelector('fieldset')!;
const countries = form.querySelector('select')!;
const hub = await createHub();
let cancelling: AbortController | undefined;
let data: Parts | undefined;

tellIfLost(hub);
open.addEventListener('click', async () => {
  if (open.ariaDisabled === 'true') return;
  cancelling = new AbortController();
  become('loading', 'The form waits for three loads.');
  how.rates = String(new FormData(find<HTMLFormElement>('#mood')).get('mood'));
  how.pace = Number(asked('pace') ?? 1);
  const loading = loadForm(hub, cancelling.signal, Number(asked('timeout') ?? 5000));
  if (find<HTMLInputElement>('#too').checked) alsoInWorker();
  try {
    data = await loading;
    become('ready', 'All three have loaded.');
  } catch (error) {
    become('closed', cancelling.signal.aborted ? 'Cancelled. What has loaded is kept.' : said(error as Error));
  }
});
cancel.addEventListener('click', () => cancelling?.abort());
forget.addEventListener('click', async () => {
  if (forget.ariaDisabled === 'true') return;
  await Promise.all(parts.map((name) => part(hub, name).close())).catch(trouble);
  for (const name of parts) show({ part: name, state: 'not loaded', done: 0 });
  data = undefined;
  become('closed', 'Nothing is loaded.');
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  find('#status').textContent = `Ordered for ${countries.selectedOptions[0]!.text}, as far as this page can.`;
});
countries.addEventListener('change', price);
addEventListener('message', ({ data }) => data?.part && show(data)); // from the server's stand-in, if it is this page
open.disabled = false;
become('closed', 'The form is closed.');

function become(state: 'closed' | 'loading' | 'ready', words: string): void {
  find('#status').textContent = words;
  fields.disabled = state !== 'ready';
  open.ariaDisabled = forget.ariaDisabled = String(state === 'loading');
  cancel.ariaDisabled = String(state !== 'loading');
  countries.replaceChildren(...Object.entries<string>(data?.countries ?? {}).map(([code, name]) => new Option(name, code)));
  form.querySelector('input')!.value = data === undefined ? '' : `${data.address.name}, ${data.address.street}`;
  price();
}

function price(): void {
  form.querySelector('output')!.textContent = data === undefined ? '…' : `${data.rates[countries.value]} €`;
}

function said({ message, cause }: Error): string {
  const isLate = cause instanceof DOMException && cause.name === 'TimeoutError';
  return `${message}: ${isLate ? 'it took too long' : (cause as Error).message}. What has loaded is kept.`;
}

/** The Worker goes when it has said how its wait ended. */
function alsoInWorker(): void {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  const session = hub.attach(worker);
  worker.onmessage = ({ data }: MessageEvent<string | News>) => {
    if (typeof data !== 'string') return show(data);
    find('#worker').textContent = data;
    if (data.includes('waits')) return;
    worker.terminate();
    session.end();
  };
}

function show({ part, state, done }: { part: string; state: string; done: number }): void {
  const line = find(`[data-part=${part}]`);
  line.dataset.state = state;
  line.querySelector('.state')!.textContent = state;
  line.querySelector('progress')!.value = done;
}
