/** The page of the benchmark: runs the rows one after the other, each in a Worker of its own, and draws each round. */

import { warmUp } from '../../js/test/bench/interleave.ts';
import type { End, Order, Round, Verdict } from './benchmark-protocol.ts';
import { asJSON, asMarkdown, browser } from './benchmark-report.ts';
import { Row } from './benchmark-row.ts';
import { copy } from './copying.ts';
import { Front } from './front.ts';

/** `?rounds=` and `?sample=` of the address, for those who want other ones; samples are in milliseconds. */
const asked = new URLSearchParams(location.search);
const sample = Number(asked.get('sample') ?? 20);
const byMode: Record<string, number> = { quick: 12, thorough: 100 };

const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')].map((element) => new Row(element));
const form = document.querySelector('form')!;
const find = <T extends HTMLElement>(selector: string): T => document.querySelector<T>(selector)!;
const [start, far, status] = [find('#start'), find('.far'), find('[role=status]')];
const progress = find<HTMLProgressElement>('progress');

/** Ends what runs. */
let ending: AbortController | undefined;

const front = new Front((isThere) => {
  if (ending === undefined) return;
  status.textContent = isThere ? 'It goes on.' : 'It pauses while this tab is not in front.';
  tell();
});

let where = '';

function tell(now = where): void {
  where = now;
  far.textContent = document.hidden ? 'Paused: this tab is not in front.' : where;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (ending === undefined) void run(rows);
  else ending.abort();
});
for (const row of rows) row.only.addEventListener('click', () => ending === undefined && void run([row]));
for (const button of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  button.addEventListener('click', () => copy(button.dataset.copy === 'json' ? asJSON(rows) : asMarkdown(rows), status));
}
addEventListener('pagehide', () => ending?.abort());
find('#browser').textContent = `${browser()}, ${navigator.hardwareConcurrency} cores`;
wire(false);
form.querySelector('fieldset')!.disabled = false;

async function run(these: Row[]): Promise<void> {
  const { signal } = ending = new AbortController();
  const rounds = Number(asked.get('rounds') ?? byMode[String(new FormData(form).get('mode'))]);
  wire(true);
  status.textContent = 'It runs.';
  for (const row of these) row.clear('waits');
  for (const [index, row] of these.entries()) {
    if (signal.aborted) break;
    await runRow(row, rounds, signal, (part) => {
      progress.value = (index + part) / these.length;
      tell(these.length > 1 ? `${index + 1} of ${these.length}: ${row.title}` : row.title);
    });
  }
  for (const row of these) if (!row.isMeasured) row.clear();
  if (!signal.aborted) progress.value = 1;
  const how = signal.aborted ? 'Stopped.' : 'Done.';
  tell(how);
  status.textContent = how;
  ending = undefined;
  wire(false);
}

/** The Worker, and all that it has started, ends with the row. */
async function runRow(row: Row, rounds: number, stopped: AbortSignal, passed: (part: number) => void): Promise<void> {
  const warm = warmUp(rounds);
  passed(0);
  row.say('running', 'starts');
  let worker: Worker | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const started = worker = new Worker(new URL('./benchmark-worker.js', import.meta.url), { type: 'module' });
      stopped.addEventListener('abort', () => resolve());
      started.onerror = ({ message }) => reject(new Error(message ?? 'the script of its Worker does not load'));
      started.onmessage = async ({ data }: MessageEvent<Round | End>) => {
        if (stopped.aborted) return;
        if (data.took !== undefined) row.show(data.took);
        if (!('round' in data)) return data.error === undefined ? resolve() : reject(new Error(data.error));
        row.say('running', data.round < 0 ? 'warms up' : `${data.round + 1} of ${rounds} rounds`);
        passed((data.round + 1 + warm) / (rounds + warm));
        started.postMessage(await front.drawn() satisfies Verdict);
      };
      started.postMessage({ row: row.name, rounds, sample } satisfies Order);
    });
    row.say('done', `${stopped.aborted ? 'stopped after ' : ''}${row.rounds} rounds`);
  } catch (error) {
    row.fail(String(error));
  } finally {
    worker?.terminate();
  }
}

/** What can be pressed: while it runs, only what stops it. */
function wire(running: boolean): void {
  start.textContent = running ? 'Stop' : 'Start';
  for (const row of rows) row.only.ariaDisabled = String(running);
  for (const input of form.querySelectorAll('input')) input.disabled = running;
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.disabled = running || !rows.some((row) => row.isMeasured);
  }
}
