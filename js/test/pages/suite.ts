/**
 * The suite in one place of the browser, `?place=`. The report is `globalThis.clcaReport`, and a page that has this one
 * in a frame hears of each case. `?only=` picks cases by a part of their names, or one by its name. `?role=peer` makes
 * the page the other tab of two.
 */

import { beOtherTab, places } from '../places.ts';
import type { Report, Seen } from '../runner.ts';
import { tell, tellEnd } from '../tell.ts';

const parameters = new URLSearchParams(location.search);

function runSuite(): Promise<Report> {
  const place = parameters.get('place') ?? '';
  const run = places[place];
  if (run === undefined) return Promise.reject(new Error(`there is no place "${place}"`));
  const seen: Seen = (name, result) => {
    Object.assign(globalThis, { clcaCase: name });
    tell(name, result);
  };
  return run(seen);
}

if (parameters.get('role') === 'peer') {
  Object.assign(globalThis, { clcaReady: beOtherTab() });
} else {
  const report = runSuite();
  Object.assign(globalThis, { clcaReport: report });
  void tellEnd(report);
}
