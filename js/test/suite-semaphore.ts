import type { Permit, SemaphoreStats } from 'clca';
import { equal, ok, rejection, rejects, throws } from './assert.ts';
import type { FarRef } from './peer.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';
import { exclusiveCases } from './suite-lock.ts';

export const badCounts = [0, -1, 1.5, NaN, Infinity, '3', null, {}, 2 ** 31] as any[];

/** Semaphore. */
export function semaphoreCases(test: Test, place: Place): void {
  const { hub, peer, local } = place;
  const takenUp = async (): Promise<void> => {
    await hub.stats();
    await peer.fence();
  };

  exclusiveCases(test, place, {
    what: 'semaphore of 1',
    near: (name) => hub.semaphore(name, 1),
    far: (name, by = peer) => by.semaphore(name, 1),
  });

  test('semaphore: callers take any number of permits, and give back as many', async () => {
    const name = fresh();
    const semaphore = hub.semaphore(name, 5);
    equal(await semaphore.stats(), { permits: 5, held: 0, available: 5, waiting: 0 });
    const two = await semaphore.acquire({ permits: 2 });
    equal(two.permits, 2);
    const one = await semaphore.tryAcquire();
    equal(one?.permits, 1);
    const theirs = await peer.semaphore(name, 5).acquire({ permits: 2 });
    equal(await semaphore.stats(), { permits: 5, held: 5, available: 0, waiting: 0 } satisfies SemaphoreStats);
    equal(await semaphore.tryAcquire(), undefined);
    const all = semaphore.with(async ({ permits }) => [permits, await semaphore.stats()], { permits: 5 });
    await takenUp();
    equal(await semaphore.stats(), { permits: 5, held: 5, available: 0, waiting: 1 });
    await two.release();
    await one!.release();
    equal(await semaphore.stats(), { permits: 5, held: 2, available: 3, waiting: 1 });
    await peer.release(theirs);
    equal(await all, [5, { permits: 5, held: 5, available: 0, waiting: 0 }]);
    equal(await semaphore.stats(), { permits: 5, held: 0, available: 5, waiting: 0 });
  });

  test('semaphore: who wants many is not passed by those who want few', async () => {
    const name = fresh();
    const semaphore = hub.semaphore(name, 3);
    const order: string[] = [];
    const held = await semaphore.acquire({ permits: 2 });
    const many = semaphore.acquire({ permits: 3 }).then((permit) => (order.push('many'), permit));
    await takenUp();
    const few = peer.semaphore(name, 3).acquire().then((ref) => (order.push('few'), ref));
    await takenUp();
    equal(await semaphore.tryAcquire(), undefined);
    equal(await peer.semaphore(name, 3).tryAcquire({ permits: 1 }), undefined);
    equal(await semaphore.stats(), { permits: 3, held: 2, available: 1, waiting: 2 });
    await held.release();
    await (await many).release();
    await peer.release(await few);
    equal(order, ['many', 'few']);
  });

  for (const who of ['this realm', 'the peer']) {
    test(`semaphore of 10 with 1 held: when the head that wants 10 is aborted the next gets its 1; of ${who}`, async () => {
      const name = fresh();
      const semaphore = hub.semaphore(name, 10);
      const far = peer.semaphore(name, 10);
      const stop = new AbortController();
      const held = await semaphore.acquire();
      const head = who === 'the peer' ? far.acquire({ permits: 10 }) : semaphore.acquire({ permits: 10, signal: stop.signal });
      await takenUp();
      const next = far.acquire({ permits: 1 });
      await takenUp();
      const after = semaphore.acquire({ permits: 8 });
      equal(await semaphore.stats(), { permits: 10, held: 1, available: 9, waiting: 3 });
      if ('abort' in head) head.abort('no more');
      else stop.abort('no more');
      equal(await rejection(head), 'no more');
      const theirs = await next;
      const mine = await after;
      equal(await semaphore.stats(), { permits: 10, held: 10, available: 0, waiting: 0 });
      await peer.release(theirs);
      await mine.release();
      await held.release();
    });
  }

  test('semaphore: when the head times out, the next gets in', async () => {
    const semaphore = hub.semaphore(fresh(), 10);
    const held = await semaphore.acquire();
    const head = semaphore.acquire({ permits: 10, timeout: 1 });
    const next = semaphore.acquire();
    await rejects(head, 'TimeoutError');
    await (await next).release();
    await held.release();
  });

  test('semaphore: two releases in one turn with several waiters, and then a newcomer: nobody overtakes', async () => {
    const name = fresh();
    const semaphore = hub.semaphore(name, 2);
    const order: string[] = [];
    const held = [await semaphore.acquire(), await semaphore.acquire()];
    const near = (who: string) => semaphore.acquire().then((permit) => (order.push(who), permit));
    const a = near('a');
    await takenUp();
    const b = peer.semaphore(name, 2).acquire().then((ref) => (order.push('b'), ref));
    await takenUp();
    const c = near('c');
    await takenUp();
    for (const permit of held) void permit.release();
    const tried = semaphore.tryAcquire();
    const late = near('late');
    const [mine, theirs] = [await a, await b];
    equal(await tried, undefined);
    equal([...order].sort(), ['a', 'b']);
    equal(await semaphore.stats(), { permits: 2, held: 2, available: 0, waiting: 2 });
    await mine.release();
    const third = await c;
    equal(order.slice(2), ['c']);
    await third.release();
    await (await late).release();
    await peer.release(theirs);
  });

  test('semaphore: two releases of the peer in one turn, and then a newcomer of its own: nobody overtakes', async () => {
    const name = fresh();
    const far = peer.semaphore(name, 2);
    const semaphore = hub.semaphore(name, 2);
    const held = [await far.acquire(), await far.acquire()];
    const mine = [semaphore.acquire(), semaphore.acquire(), semaphore.acquire()];
    await takenUp();
    const [late, tried] = peer.atOnce(() => {
      for (const ref of held) void peer.release(ref);
      return [far.acquire(), far.tryAcquire()];
    });
    equal(await tried, undefined);
    const permits = [await mine[0]!, await mine[1]!];
    equal(await semaphore.stats(), { permits: 2, held: 2, available: 0, waiting: 2 });
    await permits[0]!.release();
    await (await mine[2]!).release();
    await peer.release(await late);
    await permits[1]!.release();
  });

  test('semaphore: permits that are granted to one that is aborted in that turn go to all who can have them', async () => {
    const name = fresh();
    const semaphore = hub.semaphore(name, 2);
    const stop = new AbortController();
    const held = [await semaphore.acquire(), await semaphore.acquire()];
    const both = semaphore.acquire({ permits: 2, signal: stop.signal });
    await takenUp();
    const mine = semaphore.acquire();
    const theirs = peer.semaphore(name, 2).acquire();
    await takenUp();
    for (const permit of held) void permit.release();
    stop.abort('no more');
    const outcome = await both.catch((reason: unknown) => reason);
    if (outcome !== 'no more') {
      ok(local, 'elsewhere the abort comes before the answer');
      await (outcome as Permit).release();
    }
    const [permit, ref] = [await mine, await theirs];
    equal(await semaphore.stats(), { permits: 2, held: 2, available: 0, waiting: 0 });
    await permit.release();
    await peer.release(ref);
  });

  test('semaphore: a priority passes those who wait, also where they want more than is available', async () => {
    const name = fresh();
    const semaphore = hub.semaphore(name, 3);
    const held = await semaphore.acquire({ permits: 2 });
    const many = peer.semaphore(name, 3).acquire({ permits: 3 });
    await takenUp();
    equal(await semaphore.tryAcquire(), undefined);
    const passing = await semaphore.acquire({ priority: 1 });
    const urgent = semaphore.acquire({ permits: 2, priority: 1 });
    await takenUp();
    equal(await semaphore.stats(), { permits: 3, held: 3, available: 0, waiting: 2 });
    await held.release();
    await (await urgent).release();
    await passing.release();
    await peer.release(await many);
  });

  test('semaphore: more than there are in all is a TooLargeError at once, and takes nothing', async () => {
    const name = fresh();
    const semaphore = hub.semaphore(name, 3);
    const held = await semaphore.acquire({ permits: 3 });
    const before = await hub.stats();
    const error = await rejects(semaphore.acquire({ permits: 4 }), 'TooLargeError');
    equal(error.code, 'TOO_LARGE');
    await rejects(semaphore.tryAcquire({ permits: 4 }), 'TooLargeError');
    await rejects(semaphore.with(() => {}, { permits: 2 ** 31 - 1 }), 'TooLargeError');
    await rejects(peer.semaphore(name, 3).acquire({ permits: 4 }), 'TooLargeError');
    equal(await hub.stats(), before);
    equal(await semaphore.stats(), { permits: 3, held: 3, available: 0, waiting: 0 });
    await held.release();
  });

  test('semaphore: permits that cannot be counted are a TypeError that names them, and change nothing', async () => {
    const name = fresh();
    const semaphore = hub.semaphore(name, 3);
    const before = await hub.stats();
    for (const bad of badCounts) {
      throws(() => hub.semaphore(name, bad), 'TypeError', /\bpermits\b/);
      await rejects(semaphore.acquire({ permits: bad }), 'TypeError', /\bpermits\b/);
      await rejects(semaphore.tryAcquire({ permits: bad }), 'TypeError', /\bpermits\b/);
      await rejects(semaphore.with(() => {}, { permits: bad }), 'TypeError', /\bpermits\b/);
      await rejects(semaphore.resize(bad), 'TypeError', /\bpermits\b/);
    }
    throws(() => hub.semaphore(name, undefined as any), 'TypeError', /\bpermits\b/);
    await rejects(semaphore.resize(undefined as any), 'TypeError', /\bpermits\b/);
    for (const bad of [undefined, null, 5, {}] as any[]) throws(() => hub.semaphore(bad, 1), 'TypeError', /\bname\b/);
    equal(await hub.stats(), before);
    equal((await semaphore.stats()).permits, 3);
  });

  test('semaphore: the largest number of permits can be counted', async () => {
    const most = 2 ** 31 - 1;
    const name = fresh();
    const semaphore = hub.semaphore(name, most);
    const all = await semaphore.acquire({ permits: most });
    equal(await semaphore.stats(), { permits: most, held: most, available: 0, waiting: 0 });
    equal(await peer.semaphore(name, most).tryAcquire(), undefined);
    await all.release();
  });

  // ---- resize ----

  test('semaphore: lowered below what is out and raised again, it wakes only for what is really spare', async () => {
    const name = fresh();
    const semaphore = hub.semaphore(name, 10);
    const six = await semaphore.acquire({ permits: 6 });
    const four = await peer.semaphore(name, 10).acquire({ permits: 4 });
    const one = peer.semaphore(name, 10).acquire({ permits: 1 });
    await takenUp();
    const two = semaphore.acquire({ permits: 2 });
    await semaphore.resize(3);
    equal(await semaphore.stats(), { permits: 3, held: 10, available: 0, waiting: 2 });
    await peer.semaphore(name, 10).resize(4);
    equal(await semaphore.stats(), { permits: 4, held: 10, available: 0, waiting: 2 });
    equal(await semaphore.tryAcquire(), undefined);
    await six.release();
    equal(await semaphore.stats(), { permits: 4, held: 4, available: 0, waiting: 2 });
    await semaphore.resize(5);
    const first = await one;
    equal(await semaphore.stats(), { permits: 5, held: 5, available: 0, waiting: 1 });
    await semaphore.resize(6);
    equal(await semaphore.stats(), { permits: 6, held: 5, available: 1, waiting: 1 });
    await semaphore.resize(2);
    equal(await semaphore.stats(), { permits: 2, held: 5, available: 0, waiting: 1 });
    await semaphore.resize(7);
    const second = await two;
    equal(await semaphore.stats(), { permits: 7, held: 7, available: 0, waiting: 0 });
    await second.release();
    await peer.release(first);
    await peer.release(four);
    equal(await semaphore.stats(), { permits: 7, held: 0, available: 7, waiting: 0 });
    await semaphore.resize(10);
  });

  test('semaphore: who waits for more than there will be is told, and those behind get in', async () => {
    const name = fresh();
    const semaphore = hub.semaphore(name, 5);
    const held = await semaphore.acquire({ permits: 1 });
    const mine = rejects(semaphore.acquire({ permits: 5 }), 'TooLargeError');
    await takenUp();
    const theirs = rejects(peer.semaphore(name, 5).acquire({ permits: 4 }), 'TooLargeError');
    await takenUp();
    const next = semaphore.acquire({ permits: 2 });
    await peer.semaphore(name, 5).resize(3);
    equal((await mine).code, 'TOO_LARGE');
    await theirs;
    const permit = await next;
    equal(await semaphore.stats(), { permits: 3, held: 3, available: 0, waiting: 0 });
    await rejects(semaphore.acquire({ permits: 4 }), 'TooLargeError');
    await permit.release();
    await held.release();
    await semaphore.resize(5);
  });

  test('semaphore: one that was resized stays so while nobody uses it, and goes on being named as before', async () => {
    const name = fresh();
    const { names } = await hub.stats();
    const semaphore = hub.semaphore(name, 2);
    await semaphore.resize(4);
    equal((await hub.stats()).names, names + 1);
    const ref = await peer.semaphore(name, 2).acquire({ permits: 4 });
    await rejects(hub.semaphore(name, 4).acquire(), 'MismatchError', /\b2 permits\b.*\b4 permits\b/);
    await peer.release(ref);
    equal((await semaphore.stats()).permits, 4);
    await semaphore.resize(2);
    equal((await hub.stats()).names, names);
    await semaphore.resize(1);
    await semaphore.close();
    equal((await hub.stats()).names, names);
    equal((await semaphore.stats()).permits, 2);
  });

  test('semaphore: one that is closed cannot be resized, and its permits come back all the same', async () => {
    const name = fresh();
    const semaphore = hub.semaphore(name, 3);
    const held = await semaphore.acquire({ permits: 2 });
    await peer.semaphore(name, 3).close();
    await rejects(semaphore.resize(4), 'ClosedError');
    equal(await semaphore.stats(), { permits: 3, held: 2, available: 1, waiting: 0 });
    equal(held.lost.aborted, false);
    await held.release();
    equal(await semaphore.stats(), { permits: 3, held: 0, available: 3, waiting: 0 });
    await (await hub.semaphore(name, 7).acquire({ permits: 7 })).release();
  });

  // ---- realms ----

  test('semaphore: a realm that says another number of permits is told both, and changes nothing', async () => {
    const name = fresh();
    const semaphore = hub.semaphore(name, 3);
    const held = await semaphore.acquire({ permits: 2 });
    const wait = semaphore.acquire({ permits: 3 });
    const before = await hub.stats();
    const error = await rejects(peer.semaphore(name, 4).acquire(), 'MismatchError', /\b3 permits\b.*\b4 permits\b/);
    equal(error.code, 'MISMATCH');
    ok(error.message.includes(name), 'it names the semaphore');
    const other = hub.semaphore(name, 5);
    for (const call of [
      () => other.acquire(), () => other.tryAcquire(), () => other.with(() => {}), () => other.resize(1), () => other.close(),
      () => other.stats(), () => peer.semaphore(name, 1).close(), () => peer.semaphore(name, 2 ** 31 - 1).resize(1),
    ]) await rejects(call(), 'MismatchError', /\b3 permits\b/);
    equal(await hub.stats(), before);
    equal(await semaphore.stats(), { permits: 3, held: 2, available: 1, waiting: 1 });
    await held.release();
    await (await wait).release();
    const ref = await peer.semaphore(name, 4).acquire({ permits: 4 });
    await rejects(semaphore.acquire(), 'MismatchError', /\b4 permits\b.*\b3 permits\b/);
    await peer.release(ref);
    equal(await semaphore.stats(), { permits: 3, held: 0, available: 3, waiting: 0 });
  });

  test('semaphore: the end of a session gives its permits to all in line who can have them', async () => {
    const name = fresh();
    const other = await peer.another();
    await other.semaphore(name, 4).acquire({ permits: 3 });
    await other.semaphore(name, 4).acquire();
    const gone = rejects(other.semaphore(name, 4).acquire({ permits: 4 }), 'ClosedError');
    await other.fence();
    const semaphore = hub.semaphore(name, 4);
    const mine = [semaphore.acquire(), semaphore.acquire({ permits: 2 })];
    await takenUp();
    const theirs = peer.semaphore(name, 4).acquire();
    await takenUp();
    equal(await semaphore.stats(), { permits: 4, held: 4, available: 0, waiting: 4 });
    await other.close();
    await gone;
    const permits = [await mine[0]!, await mine[1]!];
    const ref = await theirs;
    equal(await semaphore.stats(), { permits: 4, held: 4, available: 0, waiting: 0 });
    for (const permit of permits) await permit.release();
    await peer.release(ref);
  });

  test('semaphore: hundreds of calls of both realms never have more permits than there are', async () => {
    const name = fresh();
    const semaphore = hub.semaphore(name, 7);
    let out = 0;
    let most = 0;
    const all: Promise<unknown>[] = [];
    for (let i = 0; i < 300; i++) {
      const permits = 1 + (i * 5) % 7;
      const stop = new AbortController();
      all.push(semaphore.with(async () => {
        most = Math.max(most, out += permits);
        await undefined;
        out -= permits;
      }, { permits, priority: i % 3, signal: stop.signal }).catch((reason: unknown) => equal(reason, 'no more')));
      if (i % 10 === 0) {
        const theirs = peer.semaphore(name, 7).acquire({ permits });
        all.push(theirs.then((ref: FarRef) => peer.release(ref), (reason: unknown) => equal(reason, 'no more')));
        if (i % 20 === 0) theirs.abort('no more');
      }
      if (i % 4 === 0) void Promise.resolve().then(() => stop.abort('no more'));
    }
    await Promise.all(all);
    ok(most <= 7 && out === 0, `${most} were out at most, and ${out} in the end`);
    equal(await semaphore.stats(), { permits: 7, held: 0, available: 7, waiting: 0 });
  }, 20_000);
}
