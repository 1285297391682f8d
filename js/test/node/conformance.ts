/** The suite in Node: in the hub's own thread, and in worker threads. */

import { test } from 'node:test';
import { equal, ok } from '../assert.ts';
import type { Report } from '../runner.ts';
import { checker, inThreads } from '../threads.ts';

await inThreads(async (places) => {
  // All run before the first test begins: node:test takes unhandled rejections for failures of its own.
  const reports: [string, Report][] = [];
  for (const [place, run] of places) reports.push([place, await run(() => {})]);
  for (const [place, { cases }] of reports) {
    test(place, async (t) => {
      for (const { name, ok: passed, error, skipped } of cases) {
        await t.test(name, () => ok(passed && skipped === undefined, error ?? skipped ?? name));
      }
    });
  }
  test('each call of the suite is traced, step by step, and none is left over', () => {
    equal([checker.wrong.slice(0, 10), checker.open.slice(0, 10)], [[], []]);
    ok(checker.answered > 1000, `${checker.answered} calls were answered`);
  });
});
