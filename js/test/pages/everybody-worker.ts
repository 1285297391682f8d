/** Serves the program `everybody`; callers of its Promise API and a client in its own realm wait as well. */

import { type Hub, serve } from 'clca';
import { WaitLoop } from '../wait-loop.ts';

/** How often each one here was woken. */
interface Woken {
  goroutines: number;
  promises: number[];
  clients: number[];
}

const question = new BroadcastChannel('clca-test:everybody');

serve({
  wasm: new URL('everybody.wasm', import.meta.url),
  started(hub: Hub) {
    const all = hub.go['all'] as { wait(): Promise<void>; signal(): Promise<number> };
    const promises = Array.from({ length: 3 }, () => new WaitLoop({ signal: () => all }));
    const clients = Array.from({ length: 2 }, () => new WaitLoop(hub));
    const woken = (): Woken => ({
      goroutines: hub.go['woken'](),
      promises: promises.map((each) => each.woken),
      clients: clients.map((each) => each.woken),
    });
    question.onmessage = async ({ data }) => {
      if (data === 'signal') question.postMessage({ signalled: await all.signal() });
      if (data === 'woken') question.postMessage({ woken: woken() });
    };
  },
});
