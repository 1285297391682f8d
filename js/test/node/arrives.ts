/** What may travel in one message with others: what is sure to arrive, since a message that does not is lost as a whole. */

import { test } from 'node:test';
import { arrives } from '../../src/payload.ts';
import { equal } from '../assert.ts';

const module = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
const shared = new SharedArrayBuffer(4);

for (const [what, value, whole] of [
  ['plain data', { a: [1, 'b', null, { c: undefined }], d: new Uint8Array(4) }, true],
  ['an array with a property of its own that is plain', Object.assign([1], { more: 2 }), true],
  ['a module', module, false],
  ['a module in an array', [module], false],
  ['a module in an object', { module }, false],
  ['a module that is a property of an array', Object.assign([1], { module }), false],
  ['shared memory, deep inside', [{ a: [new Int32Array(shared)] }], false],
  ['an object of a class', new Map(), false],
] as const) {
  test(`${what} ${whole ? 'arrives' : 'may not arrive'} everywhere`, () => equal(arrives(value), whole));
}
