import { becomes, equal, rejects } from './assert.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';

/** Names: any string, each kind its own, dropped when not in use, more of them than a session keeps in mind. */
export function nameCases(test: Test, { hub, peer }: Place): void {
  const names = async () => (await hub.stats()).names;

  test('a name is any string, and two different strings never meet', async () => {
    const odd = [
      '', ' ', '\0', 'a\0', 'a\0b', 'ä', 'a\u0308', '\ufeff', '\ufffd', '\ud800', '\udfff', '\ud800\ud800',
      '\udfff\ud800', '\ud83d\ude00', '\ud83d', '\ude00', '\ude00\ud83d', '__proto__', 'constructor', 'toString', '-',
      'clca:', '\n', 'A', 'a',
      'x'.repeat(100_000), `${'x'.repeat(99_999)}y`,
    ];
    const before = await names();
    const order: number[] = [];
    const waits = odd.map((name, i) => hub.signal(name).wait().then(() => order.push(i)));
    equal(await names(), before + odd.length);
    for (const name of odd) equal(await peer.signal(name).signal(), 1);
    await Promise.all(waits);
    equal(order, odd.map((_, i) => i));
  });

  test('each kind has names of its own', async () => {
    const name = fresh();
    const before = await names();
    const signal = hub.signal(name).wait();
    const arm = rejects(hub.checkpoint(name).arm(), 'DisarmedError');
    const task = await hub.sharedTask(name, () => 'of the task').wait();
    const ref = await hub.sharedResource(name, { start: () => 'of the resource' }).acquire();
    equal(await names(), before + 4);
    equal(task, 'of the task');
    equal(ref.value, 'of the resource');
    equal(await hub.signal(name).signal(), 1);
    await signal;
    equal(await hub.checkpoint(name).disarm(), true);
    await arm;
    await hub.sharedTask(name, () => {}).close();
    await ref.release();
    await becomes(names, before);
  });

  test('a name lives while it is waited for, held, or not in its initial state', async () => {
    const before = await names();
    const signal = hub.signal(fresh());
    await signal.signal();
    equal(await names(), before, 'a signal that nobody waits for');
    const wait = signal.wait();
    equal(await names(), before + 1, 'a signal that is waited for');
    await signal.signal();
    await wait;
    equal(await names(), before, 'a signal after that');

    const task = hub.sharedTask(fresh(), () => 'kept');
    await task.wait();
    equal(await names(), before + 1, 'a task with a result');
    await task.close();
    equal(await names(), before, 'a task that was closed');

    const failed = hub.sharedTask(fresh(), () => { throw new Error('kept too'); });
    await rejects(failed.wait(), 'Error');
    equal(await names(), before + 1, 'a task with an error');
    await failed.close();
    equal(await names(), before, 'a task that was closed');

    const checkpoint = hub.checkpoint(fresh());
    const arm = rejects(checkpoint.arm(), 'DisarmedError');
    equal(await names(), before + 1, 'a checkpoint that is armed');
    await checkpoint.disarm();
    await arm;
    equal(await names(), before, 'a checkpoint that is disarmed');
  });

  test('an object whose name was dropped is as good as new', async () => {
    const name = fresh();
    const signal = hub.signal(name);
    const checkpoint = hub.checkpoint(name);
    const resource = hub.sharedResource(name, { start: () => 'live' });
    for (let i = 0; i < 3; i++) {
      const wait = signal.wait();
      await hub.stats();
      equal(await peer.signal(name).signal(), 1);
      await wait;
      const arm = checkpoint.arm();
      await hub.stats();
      const parked = peer.checkpoint(name).wait();
      await arm;
      equal(await checkpoint.resume(), 1);
      await parked;
      await (await resource.acquire()).release();
      await becomes(async () => (await resource.stats()).state, 'idle');
    }
  });

  test('one session uses more names than it keeps in mind', async () => {
    const signals = Array.from({ length: 3000 }, () => hub.signal(fresh()));
    const first = signals.map((each) => each.wait());
    await hub.stats();
    const order: number[] = [];
    const second = signals.map((each, i) => each.wait().then(() => order.push(i)));
    equal(await Promise.all(signals.map((each) => each.signal())), signals.map(() => 2));
    await Promise.all([...first, ...second]);
    equal(order, signals.map((_, i) => i));
  }, 20_000);

  test('an object outlives the cache of names that it was bound in', async () => {
    const name = fresh();
    const checkpoint = hub.checkpoint(name);
    const arm = checkpoint.arm();
    await Promise.all(Array.from({ length: 1500 }, () => hub.signal(fresh()).signal()));
    await rejects(hub.checkpoint(name).arm(), 'AlreadyArmedError');
    const parked = checkpoint.wait();
    await arm;
    equal(await checkpoint.resume(), 1);
    await parked;
  });
}
