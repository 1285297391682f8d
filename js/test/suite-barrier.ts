import { type BarrierStats, BrokenBarrierError } from 'clca';
import { becomes, equal, ok, rejection, rejects, throws } from './assert.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';
import { badOptions } from './suite-lock.ts';
import { badCounts } from './suite-semaphore.ts';

/** Barrier. */
export function barrierCases(test: Test, { hub, peer }: Place): void {
  const takenUp = async (): Promise<void> => {
    await hub.stats();
    await peer.fence();
  };

  test('barrier: all go on when the last has come, with their indices in the order of arrival', async () => {
    const name = fresh();
    const barrier = hub.barrier(name, 3);
    let passed = 0;
    const a = barrier.wait().then((index) => (passed++, index));
    await takenUp();
    const b = peer.barrier(name, 3).wait();
    await takenUp();
    equal(await barrier.stats(), { parties: 3, waiting: 2, generation: 0, broken: false } satisfies BarrierStats);
    equal(passed, 0);
    const c = barrier.wait({ timeout: 1e6, signal: new AbortController().signal });
    equal([await a, await b, await c], [0, 1, 2]);
    equal(await barrier.isBroken(), false);

    const d = peer.barrier(name, 3).wait();
    await takenUp();
    const e = barrier.wait();
    await takenUp();
    const f = peer.barrier(name, 3).wait();
    equal([await d, await e, await f], [0, 1, 2]);
  });

  test('barrier: one party waits for nobody', async () => {
    const name = fresh();
    equal(await hub.barrier(name, 1).wait(), 0);
    equal(await peer.barrier(name, 1).wait(), 0);
  });

  test('barrier: the indices of each generation are unique, however many there are', async () => {
    const name = fresh();
    const rounds: number[][] = Array.from({ length: 30 }, () => []);
    const party = async (wait: () => Promise<number>): Promise<void> => {
      for (const round of rounds) round.push(await wait());
    };
    const barrier = hub.barrier(name, 4);
    await Promise.all([
      party(() => barrier.wait()), party(() => barrier.wait()),
      party(() => peer.barrier(name, 4).wait()), party(() => peer.barrier(name, 4).wait()),
    ]);
    for (const round of rounds) equal(round.sort(), [0, 1, 2, 3]);
  });

  test('barrier: one that comes back before the others have left belongs to the next generation', async () => {
    const name = fresh();
    const barrier = hub.barrier(name, 3);
    const far = peer.barrier(name, 3);
    const slow = [far.wait(), far.wait()];
    await peer.fence();
    const fast = barrier.wait();
    const again = barrier.wait(); // in the same turn: nobody can have left
    equal((await barrier.stats()).waiting, 1);
    equal(await fast, 2);
    equal([await slow[0]!, await slow[1]!], [0, 1]);
    const [next, last] = peer.atOnce(() => [far.wait(), far.wait()]);
    equal([await again, await next, await last], [0, 1, 2]);

    const full = peer.atOnce(() => [far.wait(), far.wait(), far.wait(), far.wait()]);
    equal(await Promise.all(full.slice(0, 3)), [0, 1, 2]);
    equal((await barrier.stats()).waiting, 1);
    const mine = [barrier.wait(), barrier.wait()];
    equal([await full[3]!, ...await Promise.all(mine)], [0, 1, 2]);
  });

  // ---- broken ----

  test('barrier of 3: A and B wait, A is aborted, C and D come: B, C and D find it broken until it is reset', async () => {
    const name = fresh();
    const barrier = hub.barrier(name, 3);
    const far = peer.barrier(name, 3);
    const reason = { dog: 'ate it' };
    const stop = new AbortController();
    const a = barrier.wait({ signal: stop.signal });
    await takenUp();
    const b = rejects(far.wait(), 'BrokenBarrierError');
    await takenUp();
    stop.abort(reason);
    ok(await rejection(a) === reason, 'the reason, unchanged');
    equal((await b).code, 'BROKEN_BARRIER');
    const c = await rejects(barrier.wait(), 'BrokenBarrierError');
    ok(c instanceof BrokenBarrierError && c.code === 'BROKEN_BARRIER', 'a BrokenBarrierError');
    await rejects(far.wait(), 'BrokenBarrierError');
    equal(await barrier.isBroken(), true);
    equal(await barrier.stats(), { parties: 3, waiting: 0, generation: 0, broken: true });
    equal(await far.reset(), 0);
    equal(await barrier.isBroken(), false);
    const first = barrier.wait();
    await takenUp();
    const second = far.wait();
    await takenUp();
    equal([await barrier.wait(), await first, await second], [2, 0, 1]);
  });

  test('barrier: one of the peer that leaves breaks it for this realm', async () => {
    const name = fresh();
    const barrier = hub.barrier(name, 3);
    const mine = rejects(barrier.wait(), 'BrokenBarrierError');
    await takenUp();
    const leaves = peer.barrier(name, 3).wait();
    await peer.fence();
    leaves.abort('no more');
    equal(await rejection(leaves), 'no more');
    await mine;
    await rejects(peer.barrier(name, 3).wait(), 'BrokenBarrierError');
    equal(await peer.barrier(name, 3).isBroken(), true);
    equal(await barrier.reset(), 0);
  });

  test('barrier: a timeout breaks it', async () => {
    const name = fresh();
    const barrier = hub.barrier(name, 2);
    ok(await rejects(barrier.wait({ timeout: 1 }), 'TimeoutError') instanceof DOMException, 'a DOMException');
    equal(await barrier.isBroken(), true);
    await rejects(peer.barrier(name, 2).wait(), 'BrokenBarrierError');
    await barrier.reset();
    await rejects(peer.barrier(name, 2).wait({ timeout: 1 }), 'TimeoutError');
    equal(await barrier.isBroken(), true);
    await barrier.reset();
  });

  test('barrier: a signal that is aborted already breaks nothing', async () => {
    const name = fresh();
    const barrier = hub.barrier(name, 2);
    const before = await hub.stats();
    equal(await rejection(barrier.wait({ signal: AbortSignal.abort('before') })), 'before');
    equal(await hub.stats(), before);
    const theirs = peer.barrier(name, 2).wait();
    await peer.fence();
    equal(await rejection(barrier.wait({ signal: AbortSignal.abort('before') })), 'before');
    equal(await barrier.stats(), { parties: 2, waiting: 1, generation: 0, broken: false });
    equal(await barrier.wait(), 1);
    equal(await theirs, 0);
  });

  test('barrier: an abort after it was full is too late, and the call resolves', async () => {
    const name = fresh();
    const barrier = hub.barrier(name, 2);
    const stop = new AbortController();
    const a = barrier.wait({ signal: stop.signal });
    await takenUp();
    const b = barrier.wait({ signal: stop.signal });
    stop.abort('too late');
    equal([await a, await b], [0, 1]);
    equal(await barrier.isBroken(), false);

    const c = peer.barrier(name, 2).wait();
    await takenUp();
    const d = peer.atOnce(() => {
      const last = peer.barrier(name, 2).wait();
      c.abort('too late');
      last.abort('too late');
      return last;
    });
    equal([await c, await d], [0, 1]);
    equal(await barrier.isBroken(), false);
  });

  test('barrier: an abort that crosses the last party leaves all of them through, or none', async () => {
    const name = fresh();
    const barrier = hub.barrier(name, 3);
    for (let round = 0; round < 20; round++) {
      const stop = new AbortController();
      const parties = [barrier.wait({ signal: stop.signal }), barrier.wait()];
      await takenUp();
      parties.push(peer.barrier(name, 3).wait());
      if (round % 2 === 0) await hub.stats();
      stop.abort('no more');
      const outcomes = await Promise.all(parties.map((each) => each.catch((error: Error | string) => {
        return typeof error === 'string' ? error : error.name;
      })));
      if (await barrier.isBroken()) {
        equal(outcomes, ['no more', 'BrokenBarrierError', 'BrokenBarrierError']);
        await barrier.reset();
      } else {
        equal(outcomes, [0, 1, 2]);
      }
    }
  });

  test('barrier: one abort of all who wait', async () => {
    const barrier = hub.barrier(fresh(), 4);
    const stop = new AbortController();
    const waits = Array.from({ length: 3 }, () => rejection(barrier.wait({ signal: stop.signal })));
    await hub.stats();
    stop.abort('no more');
    const outcomes = await Promise.all(waits);
    // The first to leave breaks it for the others, who were about to leave.
    equal(outcomes.map((each) => (each === 'no more' ? each : each.name)), ['no more', 'BrokenBarrierError', 'BrokenBarrierError']);
    await barrier.reset();
  });

  test('barrier: reset rejects those who wait, and begins a new generation', async () => {
    const name = fresh();
    const barrier = hub.barrier(name, 3);
    equal(await barrier.reset(), 0);
    const mine = rejects(barrier.wait(), 'BrokenBarrierError');
    const theirs = rejects(peer.barrier(name, 3).wait(), 'BrokenBarrierError');
    await takenUp();
    const reset = barrier.reset();
    const next = barrier.wait();
    equal(await reset, 2);
    await mine;
    await theirs;
    equal((await barrier.stats()).waiting, 1);
    const last = peer.atOnce(() => [peer.barrier(name, 3).wait(), peer.barrier(name, 3).wait()]);
    equal([await next, ...await Promise.all(last)], [0, 1, 2]);
  });

  test("barrier: a session's end breaks it while it waits there, and only then", async () => {
    const name = fresh();
    const barrier = hub.barrier(name, 4);
    const other = await peer.another();
    const gone = rejects(other.barrier(name, 4).wait(), 'ClosedError');
    await other.fence();
    const mine = rejects(barrier.wait(), 'BrokenBarrierError');
    const theirs = rejects(peer.barrier(name, 4).wait(), 'BrokenBarrierError');
    await other.close();
    await gone;
    await mine;
    await theirs;
    equal(await barrier.stats(), { parties: 4, waiting: 0, generation: 0, broken: true });
    const second = await peer.another();
    await rejects(second.barrier(name, 4).wait(), 'BrokenBarrierError');
    equal(await second.barrier(name, 4).reset(), 0);
    const { sessions } = await hub.stats();
    await second.close();
    await becomes(async () => (await hub.stats()).sessions, sessions - 1);
    equal(await barrier.isBroken(), false);
  });

  // ---- arguments, the end ----

  test('barrier: bad options are a TypeError that names them, and break nothing', async () => {
    const barrier = hub.barrier(fresh(), 2);
    const before = await hub.stats();
    for (const [message, options] of badOptions) await rejects(barrier.wait(options as any), 'TypeError', message);
    equal(await hub.stats(), before);
    equal(await barrier.isBroken(), false);
  });

  test('barrier: parties that cannot be counted are a TypeError that names them', async () => {
    const before = await hub.stats();
    for (const bad of [...badCounts, undefined]) throws(() => hub.barrier('b', bad), 'TypeError', /\bparties\b/);
    for (const bad of [undefined, null, 5, {}] as any[]) throws(() => hub.barrier(bad, 2), 'TypeError', /\bname\b/);
    equal(await hub.stats(), before);
  });

  test('barrier: a realm that says another number of parties is told both, and changes nothing', async () => {
    const name = fresh();
    const barrier = hub.barrier(name, 2);
    const wait = barrier.wait();
    const before = await hub.stats();
    const error = await rejects(peer.barrier(name, 3).wait(), 'MismatchError', /\b2 parties\b.*\b3 parties\b/);
    equal(error.code, 'MISMATCH');
    const other = hub.barrier(name, 1);
    for (const call of [
      () => other.wait(), () => other.reset(), () => other.isBroken(), () => other.close(), () => other.stats(),
      () => peer.barrier(name, 4).reset(),
    ]) await rejects(call(), 'MismatchError', /\b2 parties\b/);
    equal(await hub.stats(), before);
    equal(await barrier.stats(), { parties: 2, waiting: 1, generation: 0, broken: false });
    equal([await peer.barrier(name, 2).wait(), await wait], [1, 0]);
    equal(await other.wait(), 0);
    equal(await peer.barrier(name, 1).wait(), 0);
  });

  test('barrier: close rejects all who wait, mends it, and frees the name', async () => {
    const name = fresh();
    const { names } = await hub.stats();
    const barrier = hub.barrier(name, 3);
    const mine = rejects(barrier.wait(), 'ClosedError');
    const theirs = rejects(peer.barrier(name, 3).wait(), 'ClosedError');
    await takenUp();
    await peer.barrier(name, 3).close();
    equal((await mine).code, 'CLOSED');
    await theirs;
    equal((await hub.stats()).names, names);
    await rejects(barrier.wait({ timeout: 1 }), 'TimeoutError');
    equal((await hub.stats()).names, names + 1, 'it stays broken while nobody uses it');
    await rejects(peer.barrier(name, 2).wait(), 'MismatchError');
    await barrier.close();
    equal((await hub.stats()).names, names);
    equal(await hub.barrier(name, 1).wait(), 0);
    equal(await barrier.isBroken(), false);
  });
}
