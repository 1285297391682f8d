import { type Hub, createHub } from 'clca';
import { Go } from '../build/wasm_exec.js';

/** Go's memory after a collection. */
export interface GoFigures {
  bytes: number;
  objects: number;
  goroutines: number;
  linear: number;
}

/** Starts a hub that tells how much of Go's memory is in use. */
export async function startHub(): Promise<{ hub: Hub; figures: () => Promise<GoFigures> }> {
  let go!: { mem: DataView };
  const hub = await createHub({
    wasm: new URL('endurance.wasm', import.meta.url),
    Go: class extends (Go as new () => typeof go) { constructor() { super(); go = this; } },
  });
  // Go keeps calls for use again, as many as there ever were at a time: from now on it needs no more.
  const stop = new AbortController();
  const calls = Array.from({ length: 4000 }, () => hub.signal('many').wait({ signal: stop.signal }));
  stop.abort();
  await Promise.allSettled(calls);
  const figures = async (): Promise<GoFigures> => {
    const measured = hub.signal('measured').wait();
    await hub.signal('measure').signal();
    await measured;
    return { ...(hub.go['figures'] as Omit<GoFigures, 'linear'>), linear: go.mem.buffer.byteLength };
  };
  return { hub, figures };
}
