/** A program for Node, whose `lib` has no DOM. */

import { readFile } from 'node:fs/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { createHub } from 'clca';
import { connect } from 'clca/client';

const hub = await createHub({ wasm: await readFile('clca.wasm'), timeout: 1000 });
hub.attach(new Worker('./thread.js'));
const { port1, port2 } = new MessageChannel();
hub.attach(port1);
await using there = await connect(port2, { signal: AbortSignal.timeout(1000) });
await there.queue<Uint8Array>('chunks').put(new Uint8Array(1), { transfer: [new ArrayBuffer(1)] });
await createHub({ wasm: await fetch('https://example.com/clca.wasm') });
// @ts-expect-error: there is no such source
await createHub({ wasm: 7 });
