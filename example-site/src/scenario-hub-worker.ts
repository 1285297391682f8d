/** The realm of the hub with which scenarios are played: it tells the page what it takes up and answers. */

import { type Step, serve } from 'clca';

let steps: Step[] = [];

serve({
  trace(step) {
    if (steps.push(step) === 1) setTimeout(() => postMessage({ steps: steps.splice(0) }));
  },
});
