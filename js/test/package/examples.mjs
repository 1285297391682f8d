// Every public name has an example, which is compiled against the published types, and does what it says. Here are run those
// of the hub's own realm and of Workers, which in Node are threads.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { documented, given, place, program } from '../examples.mjs';

const consumer = new URL('../../build/consumer/', import.meta.url);
const types = ['client', 'index'].map((file) => readFileSync(new URL(`node_modules/clca/dist/${file}.d.ts`, consumer), 'utf8'));
const names = types.flatMap(documented);
const exported = [...types.join('').matchAll(/^export (type )?\{([^}]*)\};$/gm)].flatMap(([, allTypes, list]) => (
  list.split(',').map((item) => item.trim()).filter((item) => item !== '').map((item) => ({
    name: item.replace('type ', ''), isType: allTypes !== undefined || item.startsWith('type '),
  }))
));
const values = exported.filter(({ isType }) => !isType).map(({ name }) => name);

test('every public name is documented, with an example', () => {
  const missing = new Set(exported.map(({ name }) => name));
  for (const { name, examples } of names) {
    if (examples.length > 0) missing.delete(name);
    else if (name.includes('.')) missing.add(name);
  }
  assert.deepEqual([...missing], []);
});

// What an example may use, and what it says of its values.
const declared = `
declare const hub: clca.Hub;
declare const worker: Worker; // connects to whoever attaches it
declare const url: string; // of something in JSON: { "answer": 42 }
declare const parts: number[];
declare function draw(part: number): void;
declare function compute(part: number): void;
declare function work(options?: { signal?: AbortSignal }): Promise<void>; // takes a moment, or is aborted
declare function equals<T>(value: T, expected: unknown): T;
declare function fails(call: () => unknown, name: string): void;
declare function rejects(call: () => Promise<unknown>, name: string): Promise<void>;
`;
writeFileSync(new URL('examples.ts', consumer), `import * as clca from 'clca';
export const { ${values.join(', ')} } = clca;
${declared}
export const examples: [name: string, place: string, run: () => Promise<void>][] = [
${names.flatMap(({ name, examples }) => examples.map((code) => `
['${name}', '${place(code)}', async () => {
${program(code)}
}],`)).join('\n')}
];
`);

writeFileSync(new URL('examples.json', consumer), JSON.stringify({
  extends: './tsconfig.json', compilerOptions: { noEmit: false, noImplicitAny: false, types: ['node'] }, files: ['examples.ts'],
}));

const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));
execFileSync(tsc, ['-p', fileURLToPath(new URL('examples.json', consumer))], { stdio: 'inherit' });

const compiled = new URL('examples.js', consumer).href;
const { createHub, examples } = await import(compiled);
const wasm = await WebAssembly.compile(readFileSync(new URL('node_modules/clca/dist/clca.wasm', consumer)));
Object.assign(globalThis, given);

/** A thread that connects, and runs an example if it is given one. */
function startThread(example) {
  return new Worker(new URL('../example-thread.mjs', import.meta.url), { workerData: { compiled, example } });
}

/** Settles as the promise does, or fails after a minute. */
function bounded(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('it has not ended within a minute')), 60_000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

for (const [index, [name, where, run]] of examples.entries()) {
  if (where === 'page') continue;
  test(`${name}, in ${where === 'hub' ? "the hub's realm" : 'a Worker'}`, async () => {
    const hub = await bounded(createHub({ wasm }));
    const worker = where === 'Worker' ? startThread(index) : run.toString().includes('worker') ? startThread() : undefined;
    try {
      if (where === 'Worker') {
        hub.attach(worker);
        await bounded(new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject)));
      } else {
        Object.assign(globalThis, { hub, worker });
        await bounded(run());
      }
    } finally {
      await worker?.terminate();
      await hub.close();
    }
  });
}
