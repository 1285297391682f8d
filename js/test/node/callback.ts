// Goroutines that call JavaScript which calls back into Go do so between exported functions, and never within one, also
// while these make Go's collector work.

import test from 'node:test';
import { createHub } from 'clca';
import { localHub } from '../../src/create.ts';
import type { GoProgram } from '../../src/go.ts';
import { load } from '../../src/load.ts';
import { Switchboard } from '../../src/switchboard.ts';
import { equal, ok, turn } from '../assert.ts';

const wasm = new URL('./callback.wasm', import.meta.url);
const back = (): number => (globalThis as unknown as { back(): number }).back();

test('a goroutine that is woken by a call runs before the next call, and may call JavaScript that calls Go', async () => {
  let calls = 0;
  let heard = 0;
  Object.assign(globalThis, {
    cb(): void {
      calls++;
      heard = back();
    },
  });
  const hub = await createHub({ wasm });
  const signal = hub.signal('go');
  for (let round = 0; round < 100; round++) {
    const woken: Promise<number>[] = [];
    const others: Promise<unknown>[] = [];
    for (let i = 0; i < 300; i++) {
      woken.push(signal.signal());
      others.push(hub.lock(`${round} ${i}`).isLocked()); // a new name each time, for the collector
    }
    equal((await Promise.all(woken)).every((n) => n === 1), true, 'it waited again before each signal');
    await Promise.all(others);
  }
  equal([calls, heard], [30_000, 30_000]);
  await hub.close();
});

/** Has the program say when one of its exported functions runs. */
function watched(program: GoProgram): { inside: boolean } {
  const state = { inside: false };
  const exports = Object.entries(program.exports).map(([name, it]) => [name, !name.startsWith('clca_') ? it : (...args: number[]) => {
    state.inside = true;
    try {
      return it(...args);
    } finally {
      state.inside = false;
    }
  }]);
  Object.assign(program, { exports: Object.fromEntries(exports) });
  return state;
}

test('no goroutine runs within an exported function, be it woken there or its timer expired', { timeout: 60_000 }, async () => {
  const ran = { woken: 0, ticked: 0 };
  const inside = { woken: 0, ticked: 0 };
  let heard = 0;
  let state: { inside: boolean } | undefined;
  const run = (what: keyof typeof ran): void => {
    ran[what]++;
    if (state?.inside) inside[what]++;
    else if (what === 'woken') heard = back(); // Go would not survive it there, nor from two goroutines at a time
  };
  Object.assign(globalThis, { cb: () => run('woken'), ticked: () => run('ticked') });
  const program = await load(wasm);
  state = watched(program);
  const hub = localHub(new Switchboard(program, { name: undefined, release() {} }));
  const [signal, event] = [hub.signal('go'), hub.event('other')];
  for (let round = 0; round < 60 || ran.ticked < 50; round++) {
    // Each is a call, and their answers are more than fit into the window, wherever the hub is in its work by then.
    const waits = Array.from({ length: 1100 }, () => signal.wait({ timeout: 1e6 }));
    for (let i = 0; i < round; i++) await event.isSet();
    await signal.signal();
    await Promise.all(waits);
    await turn();
  }
  equal(inside, { woken: 0, ticked: 0 }, 'within');
  equal(heard, ran.woken);
  ok(ran.woken >= 60, `it was woken ${ran.woken} times`);
  await hub.close();
});
