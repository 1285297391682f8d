/** The page of the example: its buttons, the form, and how far each load is. */

import { createHub } from 'clca';
import { find, trouble } from '../page.ts';
import { type Part, loadForm, needed, part } from './form.ts';
import { type News, moods } from './server.ts';

const [open, cancel, forget] = [find<HTMLButtonElement>('#open'), find<HTMLButtonElement>('#cancel'), find<HTMLButtonElement>('#forget')];
const form = find<HTMLFormElement>('#order');
const fields = form.querySelector('fieldset')!;
const countries = form.querySelector('select')!;
const status = find('#status');
const hub = await createHub();
let cancelling: AbortController | undefined;
let data: Awaited<ReturnType<typeof loadForm>>;

new BroadcastChannel('clca form example').onmessage = ({ data }: MessageEvent<News>) => show(data);

open.addEventListener('click', async () => {
  if (cancelling !== undefined) return;
  cancelling = new AbortController();
  become('loading', 'Waits for three loads.');
  const mood = new FormData(find<HTMLFormElement>('#mood')).get('mood');
  moods.rates = mood === 'fails' || mood === 'slow' ? mood : undefined;
  const loading = loadForm(hub, cancelling.signal);
  if (find<HTMLInputElement>('#too').checked) alsoInWorker();
  try {
    data = await loading;
    fill();
    become('ready', 'All three are there. The form can be sent.');
  } catch (error) {
    become('closed', cancelling.signal.aborted ? 'Cancelled. Open the form again: what has loaded is kept.' : said(error));
  } finally {
    cancelling = undefined;
  }
});
cancel.addEventListener('click', () => cancelling?.abort());
forget.addEventListener('click', async () => {
  await Promise.all(needed.map((name) => part(hub, name).close())).catch(trouble);
  for (const name of needed) show({ part: name, state: 'not loaded', done: 0 });
  become('closed', 'Nothing is loaded.');
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  status.textContent = `Sent to ${countries.selectedOptions[0]!.text}, as far as this page can.`;
});
countries.addEventListener('change', price);
open.disabled = false;
become('closed', 'The form is closed.');

function become(state: 'closed' | 'loading' | 'ready', words: string): void {
  status.textContent = words;
  fields.disabled = state !== 'ready';
  open.ariaDisabled = forget.ariaDisabled = String(state === 'loading');
  cancel.ariaDisabled = String(state !== 'loading');
}

function said(error: unknown): string {
  const { message, cause } = error as Error;
  const why = cause instanceof DOMException && cause.name === 'TimeoutError' ? 'it took too long' : (cause as Error).message;
  return `${message}: ${why}. Open the form again: what has loaded is kept.`;
}

/** The Worker goes when it has said how it ended. */
function alsoInWorker(): void {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  hub.attach(worker);
  worker.onmessage = ({ data }) => {
    if (typeof data !== 'string') return;
    find('#worker').textContent = data;
    if (!data.includes('waits')) worker.terminate();
  };
}

function fill(): void {
  countries.replaceChildren(...Object.entries<string>(data.countries).map(([code, name]) => new Option(name, code)));
  form.querySelector('input')!.value = `${data.address.name}, ${data.address.street}`;
  price();
}

function price(): void {
  form.querySelector('output')!.textContent = `${data.rates[countries.value]} €`;
}

function show({ part, state, done }: { part: Part; state: string; done: number }): void {
  const line = find(`[data-part=${part}]`);
  line.dataset.state = state;
  line.querySelector('.state')!.textContent = state;
  line.querySelector('progress')!.value = done;
}
