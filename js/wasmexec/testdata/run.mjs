// Runs the program in argv twice at once, in a realm whose own process and path are of no use to Go.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
const { process } = globalThis;
const [, , wrapper, program] = process.argv;

const { Go } = await import(wrapper);
delete globalThis.process;
Object.assign(globalThis, { path: 'an element', fs: undefined, question: 42 });
const before = Reflect.ownKeys(globalThis);

const printed = [];
console.log = (line) => printed.push(line);
const module = await WebAssembly.compile(readFileSync(program));
await Promise.all(
  [new Go(), new Go()].map(async (go) => {
    await go.run(await WebAssembly.instantiate(module, go.importObject));
    assert.equal(go.exited, true);
  }),
);

assert.deepEqual(globalThis.answer, [-1, '', true, 42]);
assert.deepEqual(printed, ['printed', 'printed']);
assert.deepEqual(Reflect.ownKeys(globalThis).filter((key) => !before.includes(key)), ['answer']);
assert.equal(globalThis.path, 'an element');
