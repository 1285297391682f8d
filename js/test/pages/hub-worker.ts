/** A SharedWorker script of one's own; `?program=` is the Go program that it serves. It ends as it is told. */

import { serve } from 'clca';

const program = new URLSearchParams(location.search).get('program');

serve({
  wasm: program === null ? undefined : new URL(program, import.meta.url),
  started(hub) {
    void hub.signal('close the hub').wait().then(() => hub.close(), () => {});
    void hub.signal('close the realm').wait().then(() => close(), () => {});
  },
});
