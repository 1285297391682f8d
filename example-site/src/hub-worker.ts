/** The hub's realm: a SharedWorker for all tabs, or a Worker for the one page that starts it. */

import { serve } from 'clca';
import { HubWitness } from './hub-witness.ts';

const witness = new HubWitness((globalThis as { name?: string }).name!);
Object.assign(globalThis, { witness }); // as the goroutine's lane knows it
serve({ wasm: new URL('./hub.wasm', import.meta.url), trace: witness.trace });
