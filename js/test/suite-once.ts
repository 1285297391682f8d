import type { NoConsumersError } from 'clca';
import { becomes, equal, gate, ok, rejection, rejects, throws, untilAborted } from './assert.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';
import { badOptions } from './suite-lock.ts';

/** Once. What it has in common with SharedTask, such as what is cloned and reported, is tested there. */
export function onceCases(test: Test, { hub, peer }: Place): void {
  const statsOf = (name: string) => hub.once(name, () => {}).stats();

  test('once: one run for all who ask in whatever realm, and its result is kept', async () => {
    const name = fresh();
    const go = gate();
    const result = { of: 'the run' };
    let runs = 0;
    const once = hub.once(name, async () => {
      runs++;
      await go.opened;
      return result;
    });
    const near = [once.run(), once.run(), hub.once(name, () => ({ of: 'another' })).run()];
    await hub.stats();
    const far = peer.once(name, { value: 'of the peer' }).run();
    await peer.fence();
    equal(await once.stats(), { state: 'running', waiting: 4, runs: 1 });
    equal(await once.isDone(), false);
    go.open();
    for (const each of near) ok(await each === result, 'the realm that ran it has the result itself');
    equal(await far, result, 'another realm has a copy');
    equal(await once.isDone(), true);
    equal(await peer.once(name).isDone(), true);
    ok(await once.run() === result, 'a later call has it too');
    equal(await peer.once(name, { value: 'of the peer' }).run({ timeout: 1e6 }), result);
    equal(runs, 1);
    equal(await peer.log(name), []);
    equal(await once.stats(), { state: 'done', waiting: 0, runs: 1 });
    await once.close();
  });

  test('once: the run of another realm comes here as a copy', async () => {
    const name = fresh();
    const far = peer.once(name, { value: [1, 'two'], held: true }).run();
    await peer.fence();
    const near = hub.once(name, () => 'not this').run();
    await hub.stats();
    await becomes(() => peer.log(name), ['start']);
    await peer.finish(name);
    equal(await near, [1, 'two']);
    equal(await far, [1, 'two']);
    await hub.once(name, () => {}).close();
  });

  test('once: undefined is a result', async () => {
    const name = fresh();
    equal(await hub.once(name, () => {}).run(), undefined);
    equal(await hub.once(name, () => 'another').isDone(), true);
    equal(await peer.once(name, { value: 'another' }).run(), undefined);
    await peer.once(name).close();
  });

  // ---- failures ----

  test('once: all who wait get the error of a failed run, and who comes later tries again, in another realm too', async () => {
    const name = fresh();
    const go = gate();
    const error = Object.assign(new RangeError('too far'), { code: 'FAR' });
    const failing = hub.once(name, async () => {
      await go.opened;
      throw error;
    });
    const near = [rejection(failing.run()), rejection(failing.run())];
    await hub.stats();
    const far = peer.once(name, { value: 'of the peer' }).run();
    await peer.fence();
    go.open();
    for (const each of near) ok(await each === error, 'the realm that ran it has the error itself');
    const copy = await rejects(far, 'RangeError', /^too far$/);
    equal(copy.code, 'FAR');
    equal(await failing.isDone(), false);
    equal(await statsOf(name), { state: 'idle', waiting: 0, runs: 0 });

    await rejects(peer.once(name, { error: { name: 'EvalError', message: 'again' } }).run(), 'EvalError', /^again$/);
    equal(await hub.once(name, () => 'at last').run(), 'at last');
    equal(await peer.once(name, { value: 'not this' }).run(), 'at last');
    equal(await failing.run(), 'at last');
    equal((await peer.log(name)).length, 1);
    equal(await failing.isDone(), true);
    await failing.close();
  });

  test('once: one that tries again as soon as it hears of the failure gets a run of its own', async () => {
    const name = fresh();
    let runs = 0;
    const once = hub.once(name, () => {
      if (++runs < 3) throw new EvalError(`run ${runs}`);
      return runs;
    });
    const stubborn = async (): Promise<number> => {
      for (;;) {
        try {
          return await once.run();
        } catch (error) {
          equal((error as Error).name, 'EvalError');
        }
      }
    };
    equal(await Promise.all([stubborn(), stubborn()]), [3, 3]);
    equal(runs, 3);
    await once.close();
  });

  test('once: thousands in two realms hear of one failed run, and nothing of it stays', async () => {
    const name = fresh();
    const { names } = await hub.stats();
    const go = gate();
    const error = new EvalError('for all');
    const failing = hub.once(name, async () => {
      await go.opened;
      throw error;
    });
    const near = Array.from({ length: 1500 }, () => rejection(failing.run()));
    await hub.stats();
    const far = peer.atOnce(() => Array.from({ length: 300 }, () => rejects(peer.once(name).run(), 'EvalError', /^for all$/)));
    await peer.fence();
    const more = Array.from({ length: 1500 }, () => rejection(failing.run()));
    await hub.stats();
    go.open();
    for (const each of [...near, ...more]) ok(await each === error, 'the error');
    await Promise.all(far);
    await becomes(async () => (await hub.stats()).names, names);
    equal((await hub.stats()).runs, 0);
  }, 20_000);

  // ---- leaving ----

  test('once: an abort or a timeout ends one wait, and not the run', async () => {
    const name = fresh();
    const go = gate();
    const reason = { dog: 'ate it' };
    const stop = new AbortController();
    const once = hub.once(name, async (signal) => {
      await go.opened;
      return signal.aborted;
    });
    const leaves = once.run({ signal: stop.signal });
    const stays = once.run();
    await hub.stats();
    const far = peer.once(name).run();
    await peer.fence();
    await rejects(once.run({ timeout: 1 }), 'TimeoutError');
    stop.abort(reason);
    far.abort('far too');
    ok(await rejection(leaves) === reason, 'the reason, unchanged');
    equal(await rejection(far), 'far too');
    await peer.fence();
    equal(await once.stats(), { state: 'running', waiting: 1, runs: 1 });
    go.open();
    equal(await stays, false);
    await once.close();
  });

  test('once: when the last one leaves the run is aborted, and the next one begins when it has ended', async () => {
    const name = fresh();
    const started = gate();
    const go = gate();
    const stop = new AbortController();
    let reason: unknown;
    const once = hub.once(name, async (signal) => {
      started.open();
      signal.addEventListener('abort', () => (reason = signal.reason));
      await go.opened;
      return 'of nobody';
    });
    const wait = once.run({ signal: stop.signal });
    await started.opened;
    stop.abort('no more');
    equal(await rejection(wait), 'no more');
    await becomes(async () => (await once.stats()).state, 'stopping');
    equal((reason as NoConsumersError).code, 'NO_CONSUMERS');
    equal(await once.isDone(), false);
    const next = peer.once(name, { value: 'afresh' }).run();
    await peer.fence();
    equal(await peer.log(name), []);
    go.open();
    equal(await next, 'afresh');
    equal(await once.run(), 'afresh');
    await once.close();
  });

  test('once: with a signal that is aborted already nothing is run', async () => {
    const name = fresh();
    const reason = { dog: 'ate it' };
    let runs = 0;
    const once = hub.once(name, () => ++runs);
    const before = await hub.stats();
    ok(await rejection(once.run({ signal: AbortSignal.abort(reason) })) === reason, 'the reason, unchanged');
    equal(await hub.stats(), before);
    equal(await once.run(), 1);
    ok(await rejection(once.run({ signal: AbortSignal.abort(reason) })) === reason, 'also when it is done');
    await once.close();
  });

  test('once: bad arguments are a TypeError that names them, and run nothing', async () => {
    const name = fresh();
    let runs = 0;
    const once = hub.once(name, () => ++runs);
    const before = await hub.stats();
    for (const [message, options] of badOptions) await rejects(once.run(options as any), 'TypeError', message);
    for (const bad of [undefined, null, 'run', {}] as any[]) throws(() => hub.once(name, bad), 'TypeError', /\brun\b/);
    for (const bad of [undefined, null, 5, {}] as any[]) throws(() => hub.once(bad, () => {}), 'TypeError', /\bname\b/);
    equal(await hub.stats(), before);
    equal(runs, 0);
  });

  // ---- the end ----

  test('once: if the session that runs it ends, another that waits runs its own', async () => {
    const name = fresh();
    const other = await peer.another();
    const far = rejects(other.once(name, { held: true }).run(), 'ClosedError');
    await other.fence();
    await becomes(() => peer.log(name), ['start']);
    const near = hub.once(name, () => 'mine').run();
    await hub.stats();
    await other.close();
    await far;
    equal(await near, 'mine');
    equal(await peer.once(name).run(), 'mine');
    await hub.once(name, () => {}).close();
  });

  test('once: the result outlives the session that ran it', async () => {
    const name = fresh();
    const other = await peer.another();
    equal(await other.once(name, { value: ['kept'] }).run(), ['kept']);
    const { sessions } = await hub.stats();
    await other.close();
    await becomes(async () => (await hub.stats()).sessions, sessions - 1);
    equal(await hub.once(name, () => 'another').isDone(), true);
    equal(await hub.once(name, () => 'another').run(), ['kept']);
    equal(await peer.once(name).run(), ['kept']);
    await peer.once(name).close();
  });

  test('once: close forgets a result, and the name is free for another first time', async () => {
    const name = fresh();
    const { names } = await hub.stats();
    const once = hub.once(name, () => 'first');
    equal(await once.run(), 'first');
    equal((await hub.stats()).names, names + 1);
    await peer.once(name).close();
    equal((await hub.stats()).names, names);
    equal(await once.isDone(), false);
    equal(await peer.once(name, { value: 'second' }).run(), 'second');
    equal(await once.run(), 'second');
    await once.close();
    await once.close();
  });

  test('once: close aborts a run, and rejects all who wait', async () => {
    const name = fresh();
    let reason: unknown;
    const once = hub.once(name, (signal) => {
      signal.addEventListener('abort', () => (reason = signal.reason));
      return untilAborted(signal);
    });
    const near = rejects(once.run(), 'ClosedError');
    await hub.stats();
    const far = rejects(peer.once(name).run(), 'ClosedError');
    await peer.fence();
    await peer.once(name).close();
    equal((await near).code, 'CLOSED');
    await far;
    await becomes(() => (reason as Error | undefined)?.name, 'ClosedError');
    await becomes(async () => (await hub.stats()).runs, 0);
    equal(await hub.once(name, () => 'afresh').run(), 'afresh');
    await once.close();
  });

  test('once: a once and a shared task of one name are two', async () => {
    const name = fresh();
    equal(await hub.once(name, () => 'once').run(), 'once');
    equal(await peer.sharedTask(name, { value: 'task' }).wait(), 'task');
    equal(await peer.once(name).run(), 'once');
    await hub.once(name, () => {}).close();
    await hub.sharedTask(name, () => {}).close();
  });
}
