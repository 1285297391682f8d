/** The hub's realm for the front page. Nothing is traced there: its wakes are of thousands. */

import { serve } from 'clca';

serve({ wasm: new URL('./hub.wasm', import.meta.url) });
