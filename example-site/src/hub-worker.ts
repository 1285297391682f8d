/** The hub's realm: a SharedWorker for all tabs, or a Worker for the one page whose port it is sent. */

import { createHub, serve } from 'clca';

const wasm = new URL('./hub.wasm', import.meta.url);

if ('onconnect' in self) {
  serve({ wasm });
} else {
  const starting = createHub({ wasm });
  addEventListener('message', ({ data: port }: MessageEvent<MessagePort>) => {
    starting.then((hub) => hub.attach(port)).catch(reportError);
  });
}
