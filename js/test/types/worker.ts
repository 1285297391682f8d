/** A Worker, whose `lib` has no SharedWorker. */

import { connect } from 'clca/client';
import { serve } from 'clca';

const hub = await connect({ timeout: 1000 });
const chunks = hub.queue<ArrayBuffer>('chunks');
const chunk = await chunks.get();
await chunks.put(chunk, { transfer: [chunk] });
hub.attach(new Worker('below.js'));
serve({ wasm: new URL('program.wasm', location.href) });
// @ts-expect-error: this is not a realm
await connect(self.navigator);
