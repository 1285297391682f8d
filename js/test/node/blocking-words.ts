/** The memory by which a thread is blocked, where two threads meet as no scheduler can be made to let them. */

import { test } from 'node:test';
import { Status } from '../../src/abi.ts';
import { answer, block, newMemory, whyNot } from '../../src/blocking.ts';
import { equal } from '../assert.ts';

/** Has the next call of a function of Atomics come to what `run` makes of it. */
function next(name: 'compareExchange' | 'wait', run: (call: () => unknown) => unknown): void {
  const plain: (...args: any[]) => any = Atomics[name];
  (Atomics as any)[name] = (...args: unknown[]) => {
    (Atomics as any)[name] = plain;
    return run(() => plain(...args));
  };
}

test('an answer to a call that is given up meanwhile is none to the next one', () => {
  const memory = newMemory();
  let late: boolean | undefined;
  let answered: unknown;
  block(memory, 7, 0, () => {
    // The hub has seen that call 7 blocks; before it says so, the thread blocks for call 8.
    next('compareExchange', (exchange) => {
      let word: unknown;
      answered = block(memory, 8, 0, () => {
        word = exchange();
        equal(answer(memory, 8, Status.Done, 2), true, 'call 8 blocks, and nobody has answered it');
      });
      return word;
    });
    late = answer(memory, 7, Status.Held, 1);
  });
  equal(late, false, 'call 7 was answered');
  equal(answered, { status: Status.Done, value: 2 });
});

test('where a thread is not allowed to wait, that is known before a call is made', () => {
  equal(whyNot(), undefined);
  next('wait', () => {
    throw new TypeError('not here');
  });
  equal(whyNot(), 'a page must not block; a Worker may');
});
