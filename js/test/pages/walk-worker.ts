/** A Worker in which actors of a walk live. */

import { connect } from 'clca';
import { type Powers, serveAsRealm } from '../walk/realm.ts';
import { startWorker } from '../walk/start-worker.ts';

const powers: Powers = {
  connectOwn: () => connect({ timeout: 20_000 }),
  start: startWorker,
  closeSelf: () => close(),
};

addEventListener('message', ({ data }) => {
  if ('walk' in data) serveAsRealm(data.walk as MessagePort, powers);
});
