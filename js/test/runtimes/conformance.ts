/**
 * The suite in any runtime that has Node's worker threads: a line of JSON for each case as it begins, and with its result
 * as it has ended. Of the runtimes' own test runners each takes unhandled rejections for something else.
 */

import { inThreads } from '../threads.ts';

await inThreads(async (places) => {
  for (const [place, run] of places) {
    await run((name, result) => console.log(JSON.stringify({ place, name, result })));
  }
  console.log(JSON.stringify({ ended: true }));
});
