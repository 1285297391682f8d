/** A Worker that is blocked as it is told; or one that runs the suite of that, with all others below it. */

import { connect } from 'clca';
import { serveAsFar } from '../blocking-far.ts';
import { runBlocking, startFar } from '../blocking-place.ts';

onmessage = async ({ data }) => {
  if ('far' in data) {
    const { port, words } = data.far;
    serveAsFar(await connect({ timeout: 10_000 }), port, words, startFar, (other) => connect(other));
  } else if ('suite' in data) {
    postMessage(await runBlocking(data.suite, (seen, result) => postMessage({ seen, result })));
  }
};
