/** A Worker that connects when and how it is told, and tells what came of it. */

import { connect } from 'clca/client';

const said: unknown[] = [];

onmessage = ({ data }) => {
  if ('clca' in data) return;
  said.push(data);
  const { connect: timeout, abort, times = 1 } = data as { connect?: number; abort?: string; times?: number };
  if (timeout === undefined) return;
  const stop = new AbortController();
  const connecting = Array.from({ length: times }, () => connect({ timeout, signal: stop.signal }));
  if (abort !== undefined) stop.abort(abort);
  else postMessage({ connecting: true });
  Promise.all(connecting).then(
    async (hubs) => {
      const counts = hubs.map((hub) => hub.signal('from the Worker').signal());
      postMessage({ connected: await Promise.all(counts), said });
    },
    (error) => postMessage({ failed: error instanceof DOMException ? error.name : String(error) }),
  );
};
