import { becomes, equal, rejection, rejects } from './assert.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';

/** Signal. The rows D1 to D10 are those of the semantics: what the first sketch of this primitive got wrong. */
export function signalCases(test: Test, { hub, peer }: Place): void {
  test('a signal wakes all who wait, and says how many', async () => {
    const name = fresh('signal');
    const waits = [hub.signal(name).wait(), hub.signal(name).wait(), hub.signal(name).wait()];
    equal(await hub.signal(name).signal(), 3);
    equal(await Promise.all(waits), [undefined, undefined, undefined]);
  });

  test('a signal wakes waiters of all realms', async () => { // D7, D8
    const name = fresh('signal');
    const far = [peer.signal(name).wait(), peer.signal(name).wait()];
    await peer.fence();
    const near = hub.signal(name).wait();
    equal(await hub.signal(name).signal(), 3);
    await Promise.all([near, ...far]);
  });

  test('a signal of another realm wakes those of this one', async () => {
    const name = fresh('signal');
    const wait = hub.signal(name).wait();
    await hub.stats();
    equal(await peer.signal(name).signal(), 1);
    await wait;
  });

  test('a signal that nobody waits for is not remembered', async () => { // D3
    const name = fresh('signal');
    equal(await hub.signal(name).signal(), 0);
    let woken = false;
    const wait = hub.signal(name).wait().then(() => (woken = true));
    equal((await hub.signal(name).stats()).waiting, 1);
    equal(woken, false);
    equal(await hub.signal(name).signal(), 1);
    await wait;
  });

  test('a signal wakes a wait made just before it, with no await in between', async () => { // D3
    const name = fresh('signal');
    const signal = hub.signal(name);
    const wait = signal.wait();
    const count = signal.signal();
    equal(await count, 1);
    await wait;
  });

  test('cancelling one waiter leaves the others', async () => { // D1
    const name = fresh('signal');
    const stop = new AbortController();
    const first = hub.signal(name).wait();
    const second = hub.signal(name).wait({ signal: stop.signal });
    const third = peer.signal(name).wait();
    await peer.fence();
    stop.abort('bored');
    equal(await rejection(second), 'bored');
    equal((await hub.signal(name).stats()).waiting, 2);
    equal(await hub.signal(name).signal(), 2);
    await Promise.all([first, third]);
  });

  test('cancelling the first waiter leaves the others', async () => { // D2, D6, D10
    const name = fresh('signal');
    const stop = new AbortController();
    const first = hub.signal(name).wait({ signal: stop.signal });
    const second = hub.signal(name).wait();
    const far = peer.signal(name).wait();
    await peer.fence();
    stop.abort('bored');
    equal(await rejection(first), 'bored');
    await hub.stats();
    equal(await peer.signal(name).signal(), 2);
    await Promise.all([second, far]);
  });

  test('cancelling a waiter of another realm leaves the others', async () => {
    const name = fresh('signal');
    const near = hub.signal(name).wait();
    const far = peer.signal(name).wait();
    await peer.fence();
    far.abort('bored');
    await rejection(far);
    await peer.fence();
    equal(await hub.signal(name).signal(), 1);
    await near;
  });

  test('a signal and an abort in one breath: one of them wins, and nothing is left', async () => { // D2b
    const name = fresh('signal');
    const stop = new AbortController();
    const wait = hub.signal(name).wait({ signal: stop.signal });
    await hub.stats();
    const count = hub.signal(name).signal();
    stop.abort('bored');
    const outcome = await wait.then(() => 'woken', (reason: unknown) => reason);
    equal(outcome === 'woken' || outcome === 'bored', true);
    equal(await count, 1);
    equal((await hub.signal(name).stats()).waiting, 0);
  });

  test('waiters settle in the order in which they came', async () => { // D4
    const name = fresh('signal');
    const order: number[] = [];
    const waits = Array.from({ length: 50 }, (_, i) => hub.signal(name).wait().then(() => order.push(i)));
    await hub.signal(name).signal();
    await Promise.all(waits);
    equal(order, Array.from({ length: 50 }, (_, i) => i));
  });

  test('the waiters have been woken when the signal is told how many', async () => {
    const name = fresh('signal');
    const order: string[] = [];
    const wait = hub.signal(name).wait().then(() => order.push('woken'));
    await hub.signal(name).signal().then(() => order.push('counted'));
    await wait;
    equal(order, ['woken', 'counted']);
  });

  test('a woken caller that waits again waits for the next signal', async () => {
    const name = fresh('signal');
    let rounds = 0;
    const loop = (async () => {
      for (; rounds < 3; rounds++) await hub.signal(name).wait();
    })();
    for (let i = 0; i < 3; i++) {
      await becomes(async () => (await hub.signal(name).stats()).waiting, 1);
      equal(rounds, i);
      equal(await hub.signal(name).signal(), 1);
    }
    await loop;
  });

  test('a waiter whose session has ended is not counted, and no error to the signaller', async () => { // D9
    const name = fresh('signal');
    const other = await peer.another();
    const lost = other.signal(name).wait();
    const near = hub.signal(name).wait();
    await other.fence();
    await other.close();
    await rejects(lost, 'ClosedError');
    await becomes(async () => (await hub.signal(name).stats()).waiting, 1);
    equal(await hub.signal(name).signal(), 1);
    await near;
  });

  test('closing a signal rejects its waiters in all realms, and frees the name', async () => {
    const name = fresh('signal');
    const near = rejects(hub.signal(name).wait(), 'ClosedError');
    const far = rejects(peer.signal(name).wait(), 'ClosedError');
    await peer.fence();
    await hub.signal(name).close();
    equal((await near).code, 'CLOSED');
    equal((await far).code, 'CLOSED');
    const again = hub.signal(name).wait();
    equal(await hub.signal(name).signal(), 1);
    await again;
  });

  test('the stats of a signal are exact', async () => {
    const name = fresh('signal');
    const signal = hub.signal(name);
    const kept = new AbortController();
    const waits = [signal.wait(), signal.wait(), signal.wait()];
    equal(await signal.stats(), { waiting: 3, signals: 0, woken: 0 });
    const more = signal.wait({ signal: kept.signal });
    kept.abort('enough');
    await rejection(more);
    equal(await signal.stats(), { waiting: 3, signals: 0, woken: 0 });
    waits.push(peer.signal(name).wait());
    await peer.fence();
    equal(await signal.stats(), { waiting: 4, signals: 0, woken: 0 });
    equal(await signal.signal(), 4);
    await Promise.all(waits);
    equal(await signal.stats(), { waiting: 0, signals: 0, woken: 0 }, 'the name was dropped');
  });

  test('two objects of one name are one signal', async () => {
    const name = fresh('signal');
    const wait = hub.signal(name).wait();
    equal(await hub.signal(name).signal(), 1);
    await wait;
  });
}
