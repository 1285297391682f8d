/** The page of the example: its buttons, and what can be seen of the files, the queue and the Workers. */

import { createHub } from 'clca';
import { find, trouble } from '../page.ts';
import { download } from './downloads.ts';
import type { News } from './server.ts';
import type { Job } from './worker.ts';

const tiles = [...document.querySelectorAll<HTMLElement>('.tiles li')];
const jobs: Job[] = tiles.map((_, index) => ({ id: index + 1, url: `/file-${index + 1}` }));
const lines = [...document.querySelectorAll<HTMLElement>('[data-worker]')];
const [start, cancel, slow] = [find<HTMLButtonElement>('#start'), find<HTMLButtonElement>('#cancel'), find<HTMLInputElement>('#slow')];
const status = find('#status');
const hub = await createHub();
const running = new Map<string, Worker>();
let cancelling: AbortController | undefined;
let rounds = 0;

start.addEventListener('click', () => cancelling === undefined && run().catch(trouble));
cancel.addEventListener('click', () => cancelling?.abort());
for (const line of lines) {
  line.querySelector('button')!.addEventListener('click', () => kill(line.dataset.worker!));
}
new BroadcastChannel('clca downloads example').onmessage = ({ data }: MessageEvent<News>) => void heard(data).catch(trouble);
start.disabled = false;
become('Nothing is downloaded.');

async function run(): Promise<void> {
  cancelling = new AbortController();
  const { signal } = cancelling;
  let arrived = rounds = 0;
  for (const tile of tiles) mark(tile, 'listed');
  become('The Workers start.');
  try {
    for await (const { id, by, bytes, error } of download(hub, jobs, { startWorker, signal })) {
      mark(tiles[id - 1]!, bytes === undefined ? `failed: ${error}` : 'arrived', by);
      find('#arrived').textContent = `${++arrived} of ${jobs.length}`;
      if (slow.checked) await new Promise((resolve) => setTimeout(resolve, 700));
    }
    status.textContent = `All ${arrived} have arrived, each once.`;
  } catch (error) {
    if (!signal.aborted) throw error;
    status.textContent = `Cancelled, when ${arrived} had arrived.`;
    for (const tile of tiles) if (tile.dataset.state !== 'arrived') mark(tile, 'listed');
  } finally {
    cancelling = undefined;
    running.clear();
    become(status.textContent!);
  }
}

function startWorker(name: string): Worker {
  if (running.size === 0 || name === 'Worker 1') rounds++;
  if (rounds > 1) status.textContent = 'What went with a Worker is downloaded again.';
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name });
  hub.attach(worker);
  running.set(name, worker);
  say(name, 'starts');
  return worker;
}

function kill(name: string): void {
  const worker = running.get(name);
  if (worker === undefined || find(`[data-worker="${name}"] button`).ariaDisabled === 'true') return;
  worker.terminate();
  running.delete(name);
  say(name, 'killed');
  for (const tile of tiles) if (tile.dataset.by === name && tile.dataset.state === 'downloading') mark(tile, 'lost', name);
  status.textContent = `${name} is gone, and with it the file that it was at. The others go on.`;
}

async function heard({ url, by, done }: News): Promise<void> {
  if (!running.has(by)) return;
  const index = jobs.findIndex((job) => job.url === url);
  if (done === 0) mark(tiles[index]!, 'downloading', by);
  say(by, done < 1 ? `downloads file ${index + 1}` : `hands over file ${index + 1}`);
  const { length, capacity } = await hub.queue<Job>('jobs').stats();
  find('#queued').textContent = Number.isFinite(capacity) ? `${length} of ${capacity}` : '0 of 4';
}

function mark(tile: HTMLElement, state: string, by = ''): void {
  tile.dataset.state = state;
  tile.dataset.by = by;
  tile.querySelector('span')!.textContent = `${state} ${by && `by ${by}`}`;
}

function say(name: string, words: string): void {
  const line = find(`[data-worker="${name}"]`);
  line.querySelector('output')!.textContent = words;
  line.querySelector('button')!.ariaDisabled = String(!running.has(name) || words === 'starts');
}

function become(words: string): void {
  status.textContent = words;
  start.ariaDisabled = String(cancelling !== undefined);
  cancel.ariaDisabled = String(cancelling === undefined);
  if (cancelling === undefined) for (const { dataset } of lines) say(dataset.worker!, 'not started');
}
