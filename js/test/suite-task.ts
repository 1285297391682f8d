import type { NoConsumersError } from 'clca';
import { becomes, equal, gate, ok, rejection, rejects } from './assert.ts';
import { type Place, fresh } from './place.ts';
import { caughtErrors } from './reports.ts';
import type { Test } from './runner.ts';

/** SharedTask. The rows H1 to H10 are those of the semantics: what the first sketch of this primitive got wrong. */
export function taskCases(test: Test, { hub, peer }: Place): void {
  const statsOf = (name: string) => hub.sharedTask(name, () => {}).stats();

  test('one run is shared by all who wait, and its result kept', async () => {
    const name = fresh('task');
    let runs = 0;
    const result = { of: 'the run' };
    const go = gate();
    const task = hub.sharedTask(name, async () => {
      runs++;
      await go.opened;
      return result;
    });
    const near = [task.wait(), task.wait(), hub.sharedTask(name, () => ({ of: 'another' })).wait()];
    await hub.stats();
    const far = peer.sharedTask(name, { value: 'of the peer' }).wait();
    await peer.fence();
    equal(await task.stats(), { state: 'running', waiting: 4, runs: 1 });
    go.open();
    for (const each of near) ok(await each === result, 'the realm that ran it has the result itself');
    equal(await far, result, 'another realm has a copy');
    equal(runs, 1);
    ok(await task.wait() === result, 'a later call has it too');
    equal(await peer.sharedTask(name).wait(), result);
    equal(await task.stats(), { state: 'done', waiting: 0, runs: 1 });
    equal(await peer.log(name), []);
    await task.close();
  });

  test('the run of another realm comes here as a copy', async () => {
    const name = fresh('task');
    const value = { list: [1, 'two', null, undefined], when: 3n };
    const far = peer.sharedTask(name, { value, held: true }).wait();
    await peer.fence();
    const near = hub.sharedTask(name, () => 'not this').wait();
    await hub.stats();
    await becomes(() => peer.log(name), ['start']);
    await peer.finish(name);
    equal(await near, value);
    equal(await far, value);
    await hub.sharedTask(name, () => {}).close();
  });

  for (const value of [undefined, null, 0, '', false]) {
    test(`${value === '' ? 'an empty string' : value} is a result`, async () => {
      const name = fresh('task');
      equal(await hub.sharedTask(name, () => value).wait(), value);
      equal(await hub.sharedTask(name, () => 'another').wait(), value);
      equal(await peer.sharedTask(name).wait(), value);
      await hub.sharedTask(name, () => {}).close();
    });
  }

  test('the error of the run is the same for all, and kept', async () => { // A4
    const name = fresh('task');
    const go = gate();
    const error = Object.assign(new RangeError('too far'), { code: 'FAR' });
    const task = hub.sharedTask(name, async () => {
      await go.opened;
      throw error;
    });
    const near = [rejection(task.wait()), rejection(task.wait())];
    await hub.stats();
    const far = peer.sharedTask(name).wait();
    await peer.fence();
    go.open();
    for (const each of near) ok(await each === error, 'the realm that ran it has the error itself');
    const copy = await rejects(far, 'RangeError', /^too far$/);
    equal(copy.code, 'FAR');
    equal(copy.stack, error.stack);
    ok(await rejection(task.wait()) === error, 'a later call has it too');
    await task.close();
  });

  test('an error of another realm comes with its name, message, code and stack', async () => {
    const name = fresh('task');
    const far = peer.sharedTask(name, { error: { name: 'OwnError', message: 'mine', code: 'OWN' } }).wait();
    await peer.fence();
    const error = await rejects(hub.sharedTask(name, () => {}).wait(), 'OwnError', /^mine$/);
    equal(error instanceof Error, true, 'it is an Error');
    equal(error.code, 'OWN');
    ok(/:\d+:\d+/.test(error.stack), `the stack is there: ${error.stack}`);
    await rejects(far, 'OwnError');
    await hub.sharedTask(name, () => {}).close();
  });

  for (const thrown of ['a string', undefined, null, 7]) {
    test(`${String(thrown)} can be thrown, and is the same for all`, async () => {
      const name = fresh('task');
      equal(await rejection(hub.sharedTask(name, () => Promise.reject(thrown)).wait()), thrown);
      equal(await rejection(hub.sharedTask(name, () => {}).wait()), thrown);
      const other = fresh('task');
      void peer.sharedTask(other, { thrown }).wait();
      await peer.fence();
      equal(await rejection(hub.sharedTask(other, () => {}).wait()), thrown);
      await hub.sharedTask(name, () => {}).close();
      await hub.sharedTask(other, () => {}).close();
    });
  }

  test('a function that throws at once is a rejection', async () => {
    const name = fresh('task');
    await rejects(hub.sharedTask(name, () => { throw new SyntaxError('at once'); }).wait(), 'SyntaxError', /^at once$/);
    await hub.sharedTask(name, () => {}).close();
  });

  test('a result that cannot be cloned is a DataCloneError elsewhere, and the run goes on', async () => {
    const name = fresh('task');
    const near = hub.sharedTask(name, () => 'not this');
    const far = peer.sharedTask(name, { uncloneable: true }).wait();
    await peer.fence();
    await rejects(near.wait(), 'DataCloneError');
    await rejects(far, 'DataCloneError'); // between the peer and this test; its own realm has the function
    equal((await near.stats()).runs, 1);
    await near.close();
    const mine = fresh('task');
    const make = (): string => 'made here';
    ok(await hub.sharedTask(mine, () => make).wait() === make, 'the realm that ran it has the result itself');
    await rejects(peer.sharedTask(mine).wait(), 'DataCloneError');
    await hub.sharedTask(mine, () => {}).close();
  });

  test('leaving disturbs nobody', async () => {
    const name = fresh('task');
    const go = gate();
    const stop = new AbortController();
    let aborted = false;
    const task = hub.sharedTask(name, async (signal) => {
      signal.addEventListener('abort', () => (aborted = true));
      await go.opened;
      return 'the result';
    });
    const leaver = rejection(task.wait({ signal: stop.signal }));
    const late = rejects(task.wait({ timeout: 1 }), 'TimeoutError');
    const stayer = task.wait();
    await hub.stats();
    const far = peer.sharedTask(name).wait();
    await peer.fence();
    stop.abort('bored');
    equal(await leaver, 'bored');
    await late;
    far.abort('bored too');
    await rejection(far);
    await peer.fence();
    equal(await task.stats(), { state: 'running', waiting: 1, runs: 1 });
    go.open();
    equal(await stayer, 'the result');
    equal(aborted, false);
    await task.close();
  });

  test('when the last one leaves the run is aborted, and the next wait starts afresh once it has ended', async () => {
    // H1
    const name = fresh('task');
    const log: string[] = [];
    const started = gate();
    const cleaned = gate();
    const stop = new AbortController();
    const first = hub.sharedTask(name, async (signal) => {
      log.push('first starts');
      started.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      log.push((signal.reason as NoConsumersError).name);
      await cleaned.opened;
      log.push('first has cleaned up');
      throw signal.reason;
    }).wait({ signal: stop.signal });
    await started.opened;
    stop.abort('bored');
    equal(await rejection(first), 'bored');
    equal((await statsOf(name)).state, 'stopping');
    const second = hub.sharedTask(name, () => {
      log.push('second starts');
      return 'fresh';
    });
    const wait = second.wait();
    equal(await statsOf(name), { state: 'stopping', waiting: 1, runs: 1 });
    cleaned.open();
    equal(await wait, 'fresh');
    equal(log, ['first starts', 'NoConsumersError', 'first has cleaned up', 'second starts']);
    await second.close();
  });

  test('the last one to leave may be in another realm than the run', async () => {
    const name = fresh('task');
    const far = peer.sharedTask(name, { held: true }).wait();
    await peer.fence();
    const stop = new AbortController();
    const near = hub.sharedTask(name, () => {}).wait({ signal: stop.signal });
    await hub.stats();
    await becomes(() => peer.log(name), ['start']);
    far.abort('bored');
    await rejection(far);
    await peer.fence();
    equal((await statsOf(name)).state, 'running');
    stop.abort('bored');
    equal(await rejection(near), 'bored');
    await becomes(() => peer.log(name), ['start', 'abort: NoConsumersError']);
    await becomes(async () => (await statsOf(name)).state, 'idle');
  });

  test('a run that ends well although it was aborted is forgotten', async () => {
    const name = fresh('task');
    const started = gate();
    const go = gate();
    const stop = new AbortController();
    const first = hub.sharedTask(name, async () => {
      started.open();
      await go.opened;
      return 'too late';
    }).wait({ signal: stop.signal });
    await started.opened;
    stop.abort('bored');
    await rejection(first);
    const second = hub.sharedTask(name, () => 'fresh').wait();
    go.open();
    equal(await second, 'fresh');
    await hub.sharedTask(name, () => {}).close();
  });

  test('who waits while a stubborn run is being stopped can still leave', async () => { // H5
    const name = fresh('task');
    const started = gate();
    const go = gate();
    const stop = new AbortController();
    const first = hub.sharedTask(name, async () => {
      started.open();
      await go.opened;
    }).wait({ signal: stop.signal });
    await started.opened;
    stop.abort('bored');
    await rejection(first);
    await rejects(hub.sharedTask(name, () => {}).wait({ timeout: 1 }), 'TimeoutError'); // H3
    go.open();
    await becomes(async () => (await statsOf(name)).state, 'idle');
  });

  test('the error of a clean-up is reported where the run was, and is nobody else\'s', async () => { // H4
    const name = fresh('task');
    const started = gate();
    const stop = new AbortController();
    const errors = await caughtErrors(async () => {
      const wait = hub.sharedTask(name, async (signal) => {
        started.open();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw new Error('the clean-up failed');
      }).wait({ signal: stop.signal });
      await started.opened;
      stop.abort('bored');
      equal(await rejection(wait), 'bored');
      await becomes(async () => (await statsOf(name)).state, 'idle');
    });
    equal(errors.map((each) => each.message), ['the clean-up failed']);
  });

  test('closing a task forgets its result', async () => { // H8
    const name = fresh('task');
    await hub.sharedTask(name, () => {}).close();
    equal(await hub.sharedTask(name, () => 1).wait(), 1);
    await peer.sharedTask(name).close();
    equal(await hub.sharedTask(name, () => 2).wait(), 2);
    await hub.sharedTask(name, () => {}).close();
    equal(await statsOf(name), { state: 'idle', waiting: 0, runs: 0 });
  });

  test('closing a task that runs aborts it and rejects all who wait', async () => {
    const name = fresh('task');
    const reason = gate<unknown>();
    const started = gate();
    const near = rejects(hub.sharedTask(name, async (signal) => {
      started.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reason.open(signal.reason);
      throw signal.reason;
    }).wait(), 'ClosedError');
    await started.opened;
    const far = peer.sharedTask(name).wait();
    await peer.fence();
    await hub.sharedTask(name, () => {}).close();
    await near;
    await rejects(far, 'ClosedError');
    equal((await reason.opened as Error).name, 'ClosedError');
    await becomes(async () => (await hub.stats()).runs, 0);
    equal(await hub.sharedTask(name, () => 'fresh').wait(), 'fresh');
    await hub.sharedTask(name, () => {}).close();
  });

  test('if the session that runs it ends, another that waits runs its own', async () => {
    const name = fresh('task');
    const other = await peer.another();
    const far = other.sharedTask(name, { held: true }).wait();
    await other.fence();
    await becomes(() => peer.log(name), ['start']);
    const near = hub.sharedTask(name, () => 'run here').wait();
    await hub.stats();
    await other.close();
    await rejects(far, 'ClosedError');
    equal(await near, 'run here');
    await becomes(() => peer.log(name), ['start', 'abort: ClosedError']);
    await hub.sharedTask(name, () => {}).close();
  });

  test('a kept result survives the session that ran it', async () => {
    const name = fresh('task');
    const other = await peer.another();
    equal(await other.sharedTask(name, { value: { kept: true } }).wait(), { kept: true });
    const { sessions } = await hub.stats();
    await other.close();
    await becomes(async () => (await hub.stats()).sessions, sessions - 1);
    equal(await hub.sharedTask(name, () => 'not this').wait(), { kept: true });
    await hub.sharedTask(name, () => {}).close();
  });

  test('a run can use the hub', async () => {
    const name = fresh('task');
    const signal = fresh('signal');
    const wait = hub.signal(signal).wait();
    equal(await hub.sharedTask(name, () => hub.signal(signal).signal()).wait(), 1);
    await wait;
    await hub.sharedTask(name, () => {}).close();
  });

  test('many tasks run at once', async () => {
    const names = Array.from({ length: 200 }, () => fresh('task'));
    const near = names.map((name, i) => hub.sharedTask(name, () => i).wait());
    await hub.stats();
    const far = names.map((name) => peer.sharedTask(name, { value: 'of the peer' }).wait());
    equal(await Promise.all(near), names.map((_, i) => i));
    equal(await Promise.all(far), names.map((_, i) => i));
    await Promise.all(names.map((name) => hub.sharedTask(name, () => {}).close()));
  });
}
