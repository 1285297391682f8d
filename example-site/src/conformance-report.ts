/** What came of it, to be taken along. */

import { browser } from './benchmark-report.ts';
import { type PlaceResults, tallyOf } from './conformance-results.ts';

export function asJSON(places: PlaceResults[]): string {
  return JSON.stringify({
    browser: browser(),
    userAgent: navigator.userAgent,
    isolated: crossOriginIsolated,
    places: places.map(({ cases, due, ...rest }) => ({ ...rest, cases: [...cases.values()].filter((each) => each !== undefined) })),
  }, undefined, 2);
}

/** The figures of each place, and whatever failed. */
export function asText(places: PlaceResults[]): string {
  const lines = [`clca in ${browser()} (${navigator.userAgent})`, ''];
  for (const each of places) {
    const { passed, failed } = tallyOf([each], [...each.cases.keys()]);
    lines.push(`${each.place}: ${each.skipped === undefined ? `${passed} passed, ${failed} failed` : `skipped, ${each.skipped}`}`);
  }
  for (const { place, error, cases } of places) {
    if (error !== undefined) lines.push('', `${place}: ${error}`);
    for (const [name, result] of cases) {
      if (result?.ok === false) lines.push('', `${place}: ${name}`, result.error!.replace(/^/gm, '  '));
    }
  }
  return lines.join('\n') + '\n';
}
