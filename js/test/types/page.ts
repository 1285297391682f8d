/** A page, for a compiler that does not know `await using`. */

import { createHub } from 'clca';

const hub = await createHub({ where: 'shared', wasm: fetch('/clca.wasm') });
hub.attach(new Worker('worker.js'));
const { port1 } = new MessageChannel();
hub.attach(port1, { prefix: 'p/' });
await hub.queue<MessagePort>('ports').put(port1, { transfer: [port1] });
await hub.lock('l').with((guard) => guard.lost.throwIfAborted());
// @ts-expect-error: there is no such target
hub.attach(document);
