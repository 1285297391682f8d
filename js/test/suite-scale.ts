import { equal, rejection } from './assert.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';

/** Many at once: nothing is lost, nothing comes twice. */
export function scaleCases(test: Test, { hub, peer }: Place): void {
  test('10,000 waits, each woken by a signal of its own, exactly once', async () => {
    const signal = hub.signal(fresh());
    let woken = 0;
    const counts: Promise<number>[] = [];
    const waits: Promise<void>[] = [];
    for (let i = 0; i < 10_000; i++) {
      waits.push(signal.wait().then(() => void woken++));
      counts.push(signal.signal());
    }
    equal((await Promise.all(counts)).every((count) => count === 1), true, 'every signal woke one');
    await Promise.all(waits);
    equal(woken, 10_000);
  }, 20_000);

  test('10,000 waits on 10,000 names', async () => {
    const names = Array.from({ length: 10_000 }, () => fresh());
    const waits = names.map((name) => hub.signal(name).wait());
    equal((await hub.stats()).names >= 10_000, true, 'all of them live');
    const counts = await Promise.all(names.map((name) => hub.signal(name).signal()));
    equal(counts.every((count) => count === 1), true, 'every signal woke one');
    await Promise.all(waits);
  }, 20_000);

  test('100,000 waits and one signal', async () => {
    const name = fresh();
    const waits = Array.from({ length: 100_000 }, () => hub.signal(name).wait());
    equal(await peer.signal(name).signal() <= 100_000, true, 'no more than there are'); // it may be before them
    await hub.signal(name).signal();
    await Promise.all(waits);
  }, 30_000);

  test('10,000 waits of two realms, half of them aborted while signals cross', async () => {
    const name = fresh();
    let woken = 0;
    let aborted = 0;
    const done: Promise<unknown>[] = [];
    for (let i = 0; i < 5000; i++) {
      const stop = new AbortController();
      done.push(hub.signal(name).wait({ signal: stop.signal }).then(() => woken++, () => aborted++));
      if (i % 2 === 1) stop.abort();
      if (i % 100 === 0) void peer.signal(name).signal();
    }
    await peer.fence();
    await hub.signal(name).signal();
    await Promise.all(done);
    equal(woken + aborted, 5000);
    equal((await hub.signal(name).stats()).waiting, 0);
  }, 20_000);

  test('1,000 aborted calls leave their slots to the next', async () => {
    const name = fresh();
    const { calls } = await hub.stats();
    for (let round = 0; round < 10; round++) {
      const stop = new AbortController();
      const waits = Array.from({ length: 100 }, () => hub.signal(name).wait({ signal: stop.signal }));
      await hub.stats();
      stop.abort(round);
      for (const each of waits) equal(await rejection(each), round);
    }
    equal((await hub.stats()).calls, calls);
  });
}
