/** The page of the example: its buttons, and what can be seen of the files, the queue and the Workers. */

import { createHub } from 'clca';
import { find, tellIfLost, trouble } from '../page.ts';
import { download } from './downloads.ts';
import type { News } from './server.ts';

const tiles = [...document.querySelectorAll<HTMLElement>('.tiles li')];
const jobs = tiles.map((_, index) => ({ id: index + 1, url: `/file-${index + 1}` }));
const lines = [...document.querySelectorAll<HTMLElement>('[data-worker]')];
const [start, cancel, slow] = [find<HTMLButtonElement>('#start'), find<HTMLButtonElement>('#cancel'), find<HTMLInputElement>('#slow')];
const status = find('#status');
const hub = await createHub();
const running = new Map<string, Worker>();
let cancelling: AbortController | undefined;
let round = 0;

tellIfLost(hub);
start.addEventListener('click', () => cancelling === undefined && run().catch(trouble));
cancel.addEventListener('click', () => cancelling?.abort());
for (const line of lines) line.querySelector('button')!.addEventListener('click', () => kill(line.dataset.worker!));
start.disabled = false;
become('Nothing has been downloaded.');

async function run(): Promise<void> {
  cancelling = new AbortController();
  const { signal } = cancelling;
  let arrived = round = 0;
  const count = (): void => void (find('#arrived').textContent = `${arrived} of ${jobs.length}`);
  count();
  for (const tile of tiles) mark(tile, 'listed');
  become('The Workers download.');
  let end = '';
  try {
    for await (const { id, by, bytes, error } of download(hub, jobs, startWorker, signal)) {
      mark(tiles[id - 1]!, bytes === undefined ? `failed: ${error}` : 'arrived', by);
      arrived++;
      count();
      if (slow.checked) await new Promise((resolve) => setTimeout(resolve, 600));
    }
    end = `All ${arrived} have arrived, each once.`;
  } catch (error) {
    if (!signal.aborted) throw error;
    end = `Cancelled when ${arrived} had arrived.`;
    for (const tile of tiles) if (tile.dataset.state !== 'arrived') mark(tile, 'listed');
  } finally {
    cancelling = undefined;
    const ended = [...running.keys()];
    running.clear();
    for (const name of ended) say(name, 'ended');
    find('#queued').textContent = '0 of 4';
    become(end);
  }
}

function startWorker(name: string): Worker {
  if (name === 'Worker 1' && ++round > 1) status.textContent = 'What went with a Worker is downloaded again.';
  const url = new URL('./worker.js', import.meta.url);
  url.search = location.search; // `?pace=` of the address says how many times longer than usual the files take.
  const worker = new Worker(url, { type: 'module', name });
  worker.addEventListener('message', ({ data }) => 'url' in data && heard(data).catch(trouble));
  running.set(name, worker);
  say(name, 'starts');
  return worker;
}

function kill(name: string): void {
  if (find(`[data-worker="${name}"] button`).ariaDisabled === 'true') return;
  running.get(name)!.terminate();
  running.delete(name);
  say(name, 'killed');
  for (const tile of tiles) if (tile.dataset.by === name && tile.dataset.state === 'downloading') mark(tile, 'lost', name);
  status.textContent = `${name} is gone, and what it was at. The others go on.`;
}

async function heard({ url, by, done }: News): Promise<void> {
  const index = jobs.findIndex((job) => job.url === url);
  if (running.has(by) && done === 0) mark(tiles[index]!, 'downloading', by);
  if (running.has(by)) say(by, done < 1 ? `downloads ${index + 1}` : `hands over ${index + 1}`);
  const { length } = await hub.queue('jobs').stats();
  find('#queued').textContent = `${length} of 4`;
}

function mark(tile: HTMLElement, state: string, by = ''): void {
  tile.dataset.state = state;
  tile.dataset.by = by;
  tile.querySelector('span')!.textContent = by === '' ? state : `${state}, ${by}`;
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
}
