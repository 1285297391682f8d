/** The page of conformance: runs the suite in one place after the other, and shows each case. */

import { lacks, places } from '../../js/test/places.ts';
import { chosen } from '../../js/test/runner.ts';
import { caseNames } from '../../js/test/suite.ts';
import type { Said } from '../../js/test/tell.ts';
import { browser } from './benchmark-report.ts';
import { CaseRow } from './conformance-case.ts';
import { runIn } from './conformance-frame.ts';
import { PartRows } from './conformance-part.ts';
import { PlaceRow } from './conformance-place.ts';
import { type Line, post } from './conformance-post.ts';
import { asJSON, asText } from './conformance-report.ts';
import { tallyOf } from './conformance-results.ts';
import { copy } from './copying.ts';

/** `?only=` fills in the filter. With `?report` it runs at once, and tells the server. */
const asked = new URLSearchParams(location.search);
const tellServer = (line: Line): void => {
  if (asked.has('report')) post(line);
};

const find = <T extends HTMLElement>(selector: string): T => document.querySelector<T>(selector)!;
const form = document.querySelector('form')!;
const [start, far, status] = [find('#start'), find('.far'), find('[role=status]')];
const progress = find<HTMLProgressElement>('progress');
const filter = find<HTMLInputElement>('[name=only]');

const placeRows = Object.keys(places).map((place) => new PlaceRow(place));
const results = placeRows.map((each) => each.results);
const parts = Object.entries(caseNames()).map(([part, names]) => {
  const rows = names.map((name) => new CaseRow(name, results, () => void run(placeRows, name)));
  return new PartRows(part, placeRows.length, rows);
});
const caseRows = new Map(parts.flatMap((part) => part.rows.map((row) => [row.name, { row, part }])));

/** Ends what runs. */
let ending: AbortController | undefined;
/** The cases that were asked for last. */
let names: string[] = [];
/** In so many places together. */
let all = 0;

async function run(these: PlaceRow[], only: string): Promise<void> {
  if (ending !== undefined) return;
  const { signal } = ending = new AbortController();
  names = chosen([...caseRows].map(([name]) => ({ name })), only).map(({ name }) => name);
  for (const row of placeRows) {
    Object.assign(row.results, { skipped: undefined, error: undefined, due: these.includes(row) ? names.length : 0 });
    row.results.cases.clear();
  }
  showCases([...caseRows.keys()]);
  for (const row of placeRows) row.show(0);
  all = results.reduce((sum, { due }) => sum + due, 0);
  wire(true);
  tell('It runs.');
  tellServer({ userAgent: navigator.userAgent, cases: names.length, places: these.map(({ results }) => results.place) });
  for (const row of these) {
    if (signal.aborted || names.length === 0) break;
    far.textContent = row.results.place;
    await runPlace(row, only, signal);
  }
  tellServer({ done: true });
  ending = undefined;
  wire(false);
  const { passed, failed, skipped } = tallyOf(results, names);
  const figures = `${passed} passed, ${failed} failed, ${skipped} skipped`;
  tell(names.length === 0 ? 'No case has this in its name.' : `${signal.aborted ? 'Stopped' : 'Done'}: ${figures}.`);
}

async function runPlace(row: PlaceRow, only: string, stopped: AbortSignal): Promise<void> {
  const { results } = row;
  const { place } = results;
  results.skipped = lacks(place);
  if (results.skipped !== undefined) {
    tellServer({ place, skipped: results.skipped });
    showCases(names);
  } else {
    try {
      await runIn(place, only, (said) => heard(row, said), stopped);
      if (!stopped.aborted) tellServer({ place, over: true });
    } catch (error) {
      results.error = (error as Error).message;
      tellServer({ place, failed: results.error });
    }
    leaveNoneRunning(row);
  }
  if (!stopped.aborted) results.due = 0;
  row.show(names.length);
  count();
}

function heard(row: PlaceRow, said: Said): void {
  const { results } = row;
  tellServer({ place: results.place, ...said });
  if ('begins' in said) results.cases.set(said.begins, undefined);
  if ('ended' in said) {
    results.cases.set(said.ended.name, said.ended);
    results.due--;
    row.show(names.length);
    count();
  }
  if ('begins' in said) showCases([said.begins]);
  if ('ended' in said) showCases([said.ended.name]);
  if ('ended' in said && !said.ended.ok) showChosen();
}

/** A case that ran as its place ended has no result. */
function leaveNoneRunning({ results: { cases, error } }: PlaceRow): void {
  const running = [...cases.keys()].filter((name) => cases.get(name) === undefined);
  for (const name of running) {
    if (error === undefined) cases.delete(name);
    else cases.set(name, { name, ok: false, error, ms: 0 });
  }
  showCases(running);
}

function showCases(names: string[]): void {
  const shown = names.map((name) => caseRows.get(name)!);
  for (const { row } of shown) row.show();
  for (const part of new Set(shown.map(({ part }) => part))) part.show();
}

function count(): void {
  const idle = results.reduce((sum, { due }) => sum + due, 0);
  for (const [state, number] of Object.entries({ ...tallyOf(results, names), idle })) {
    const figure = find(`.tally [data-state=${state}] dd`);
    figure.textContent = String(number);
    figure.classList.toggle('none', number === 0);
  }
  progress.value = 1 - idle / all;
}

/** Shows what the filter and the choice leave. */
function showChosen(): void {
  const failedOnly = new FormData(form).get('show') === 'failed';
  const named = new Set(chosen([...caseRows.values()].map(({ row }) => row), filter.value));
  const few = failedOnly || named.size < 100;
  for (const part of parts) part.choose((row) => named.has(row) && (!failedOnly || row.failed), few);
}

function tell(words: string): void {
  far.textContent = words;
  status.textContent = words;
}

/** What can be pressed: while it runs, only what stops it. */
function wire(running: boolean): void {
  start.textContent = running ? 'Stop' : 'Start';
  filter.readOnly = running;
  document.querySelector('main')!.classList.toggle('running', running);
  for (const button of document.querySelectorAll<HTMLElement>('.places button, .cases button')) button.ariaDisabled = String(running);
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.disabled = running || results.every(({ cases, skipped, error }) => cases.size === 0 && (skipped ?? error) === undefined);
  }
}

find('.places').append(...placeRows.map((row) => row.element));
find('.cases > div').append(...parts.map(({ element }) => element));
find('#suite').hidden = false;
for (const row of placeRows) row.alone.addEventListener('click', () => void run([row], filter.value));
form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (ending === undefined) void run(placeRows, filter.value);
  else ending.abort();
});
form.addEventListener('input', showChosen);
for (const button of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  button.addEventListener('click', () => copy(button.dataset.copy === 'json' ? asJSON(results) : asText(results), status));
}
addEventListener('pagehide', () => ending?.abort());
find('#browser').textContent = browser();
filter.value = asked.get('only') ?? '';
showChosen();
far.textContent = `${caseRows.size} cases in ${placeRows.length} places`;
wire(false);
form.querySelector('fieldset')!.disabled = false;
if (asked.has('report')) void run(placeRows, filter.value);
