/**
 * The suite in every place of the browser: `?place=` runs one of them, otherwise all are run in turn. The report is
 * `globalThis.clcaReport`, and on the page. `?only=` picks cases by a part of their names. `?role=peer` makes the page
 * the other tab of two.
 */

import type { Report } from '../runner.ts';
import { beOtherTab, places } from '../places.ts';

const parameters = new URLSearchParams(location.search);
const wanted = parameters.get('place');
const all = Object.entries(places).filter(([name]) => wanted === null || wanted === name);

async function runAll(): Promise<Report> {
  const report: Report = { cases: [] };
  for (const [name, run] of all) {
    const { cases } = await run((running) => {
      Object.assign(globalThis, { clcaCase: `${name}: ${running}` });
    });
    show(name, cases);
    for (const each of cases) report.cases.push(wanted === null ? { ...each, name: `${name}: ${each.name}` } : each);
  }
  return report;
}

function show(place: string, cases: Report['cases']): void {
  const failed = cases.filter((each) => !each.ok);
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = `${place}: ${cases.length - failed.length} of ${cases.length} pass`;
  details.open = failed.length > 0;
  const list = document.createElement('ul');
  for (const { name, ok, error, ms } of [...failed, ...cases.filter((each) => each.ok)]) {
    const item = document.createElement('li');
    item.className = ok ? '' : 'failed';
    item.textContent = `${name} (${ms.toFixed(1)} ms)`;
    if (error !== undefined) {
      const pre = document.createElement('pre');
      pre.textContent = error;
      item.append(pre);
    }
    list.append(item);
  }
  details.append(summary, list);
  document.querySelector('#places')!.append(details);
}

if (parameters.get('role') === 'peer') Object.assign(globalThis, { clcaReady: beOtherTab() });
else Object.assign(globalThis, { clcaReport: runAll() });
