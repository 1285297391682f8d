// Goroutines that call JavaScript which calls back into Go do so between exported functions, and never within one, also
// while these make Go's collector work.

import test from 'node:test';
import { createHub } from 'clca';
import { equal } from '../assert.ts';

test('a goroutine that is woken by a call runs before the next call, and may call JavaScript that calls Go', async () => {
  let calls = 0;
  let heard = 0;
  Object.assign(globalThis, {
    cb(): void {
      calls++;
      heard = (globalThis as unknown as { back(): number }).back();
    },
  });
  const hub = await createHub({ wasm: new URL('./callback.wasm', import.meta.url) });
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
