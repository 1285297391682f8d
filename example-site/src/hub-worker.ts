/** The hub's realm: a SharedWorker for all tabs, or a Worker for the one page that starts it. */

import { serve } from 'clca';

serve({ wasm: new URL('./hub.wasm', import.meta.url) });
