import type { EventStats, LatchStats } from 'clca';
import { becomes, equal, ok, rejection, rejects, throws } from './assert.ts';
import type { FarWait } from './peer.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';
import { badOptions } from './suite-lock.ts';
import { badCounts } from './suite-semaphore.ts';

/** What callers wait at until it is open, and then pass. */
interface Opening {
  what: string;
  near(name: string): {
    wait(options?: any): Promise<void>;
    open(): Promise<unknown>;
    close(): Promise<void>;
    stats(): Promise<{ waiting: number }>;
  };
  far(name: string, by?: Place['peer']): { wait(options?: { timeout?: number }): FarWait; open(): FarWait<unknown>; close(): FarWait };
}

function openingCases(test: Test, { hub, peer }: Place, { what, near, far }: Opening): void {
  const takenUp = async (): Promise<void> => {
    await hub.stats();
    await peer.fence();
  };
  const passes = Symbol('passes');

  test(`${what}: all who wait go on when it opens, whoever opens it, and later callers pass`, async () => {
    for (const open of [(name: string) => near(name).open(), (name: string) => far(name).open()]) {
      const name = fresh();
      const order: string[] = [];
      const waits = [near(name).wait().then(() => order.push('a')), near(name).wait().then(() => order.push('b'))];
      const theirs = far(name).wait();
      await takenUp();
      equal((await near(name).stats()).waiting, 3);
      equal(order, []);
      await open(name);
      await Promise.all(waits);
      await theirs;
      equal(order, ['a', 'b']);
      await near(name).wait();
      await far(name).wait({ timeout: 1e6 });
      equal((await near(name).stats()).waiting, 0);
      await near(name).close();
    }
  });

  test(`${what}: an abort or a timeout ends one wait, and no other`, async () => {
    const name = fresh();
    const reason = { dog: 'ate it' };
    const stop = new AbortController();
    const stopped = near(name).wait({ signal: stop.signal });
    const stays = near(name).wait({ signal: new AbortController().signal, timeout: 1e6 });
    const farStopped = far(name).wait();
    const farStays = far(name).wait();
    await takenUp();
    stop.abort(reason);
    farStopped.abort('far too');
    ok(await rejection(stopped) === reason, 'the reason, unchanged');
    equal(await rejection(farStopped), 'far too');
    ok(await rejects(near(name).wait({ timeout: 1 }), 'TimeoutError') instanceof DOMException, 'a DOMException');
    await rejects(far(name).wait({ timeout: 1 }), 'TimeoutError');
    await takenUp();
    equal((await near(name).stats()).waiting, 2);
    await near(name).open();
    await stays;
    await farStays;
    await near(name).close();
  });

  test(`${what}: a signal that is aborted already fails the wait, also where it is open`, async () => {
    const name = fresh();
    const reason = { dog: 'ate it' };
    const before = await hub.stats();
    ok(await rejection(near(name).wait({ signal: AbortSignal.abort(reason) })) === reason, 'the reason, unchanged');
    equal(await hub.stats(), before);
    await near(name).open();
    ok(await rejection(near(name).wait({ signal: AbortSignal.abort(reason) })) === reason, 'the reason, unchanged');
    await near(name).close();
  });

  test(`${what}: bad options are a TypeError that names them, and change nothing`, async () => {
    const name = fresh();
    const before = await hub.stats();
    for (const [message, options] of badOptions) await rejects(near(name).wait(options), 'TypeError', message);
    equal(await hub.stats(), before);
  });

  test(`${what}: close rejects all who wait, and frees the name`, async () => {
    const name = fresh();
    const { names } = await hub.stats();
    const mine = rejects(near(name).wait(), 'ClosedError');
    const theirs = rejects(far(name).wait(), 'ClosedError');
    await takenUp();
    await far(name).close();
    equal((await mine).code, 'CLOSED');
    await theirs;
    equal((await hub.stats()).names, names);
    const again = near(name).wait().then(() => passes);
    await takenUp();
    equal((await near(name).stats()).waiting, 1);
    await far(name).open();
    equal(await again, passes);
    equal((await hub.stats()).names, names + 1, 'it stays open while nobody uses it');
    await near(name).close();
    equal((await hub.stats()).names, names);
    await near(name).close();
    equal((await hub.stats()).names, names);
  });

  test(`${what}: it stays open when the session ends that opened it, and the waits of one that ends are withdrawn`, async () => {
    const name = fresh();
    const other = await peer.another();
    const gone = rejects(far(name, other).wait(), 'ClosedError');
    await other.fence();
    const mine = near(name).wait();
    equal((await near(name).stats()).waiting, 2);
    await other.close();
    await gone;
    await becomes(async () => (await near(name).stats()).waiting, 1);
    const opener = await peer.another();
    await far(name, opener).open();
    await mine;
    await opener.close();
    await near(name).wait();
    await far(name).wait();
    await near(name).close();
  });

  test(`${what}: thousands wait, half of them are aborted while it opens, and each is told once`, async () => {
    const name = fresh();
    const stop = new AbortController();
    let told = 0;
    const waits = Array.from({ length: 3000 }, (_, i) => near(name).wait(i % 2 === 0 ? { signal: stop.signal } : {})
      .then(() => told++, (reason) => (equal(reason, 'no more'), told++)));
    void far(name).open();
    await peer.fence();
    stop.abort('no more');
    await Promise.all(waits);
    equal(told, 3000);
    await near(name).close();
  }, 20_000);
}

/** Event and CountdownLatch. */
export function eventCases(test: Test, place: Place): void {
  const { hub, peer } = place;
  const takenUp = async (): Promise<void> => {
    await hub.stats();
    await peer.fence();
  };

  openingCases(test, place, {
    what: 'event',
    near: (name) => {
      const event = hub.event(name);
      return { wait: (o) => event.wait(o), open: () => event.set(), close: () => event.close(), stats: () => event.stats() };
    },
    far: (name, by = peer) => ({ ...by.event(name), open: by.event(name).set }),
  });
  openingCases(test, place, {
    what: 'latch',
    near: (name) => {
      const latch = hub.latch(name, 1);
      return { wait: (o) => latch.wait(o), open: () => latch.countDown(), close: () => latch.close(), stats: () => latch.stats() };
    },
    far: (name, by = peer) => ({ ...by.latch(name, 1), open: () => by.latch(name, 1).countDown(1) }),
  });

  // ---- Event ----

  test('event: set tells how many it woke, and 0 when it is set already', async () => {
    const name = fresh();
    const event = hub.event(name);
    equal(await event.isSet(), false);
    const waits = [event.wait(), event.wait()];
    const theirs = peer.event(name).wait();
    await takenUp();
    equal(await event.stats(), { set: false, waiting: 3, sets: 0 } satisfies EventStats);
    equal(await peer.event(name).set(), 3);
    await Promise.all([...waits, theirs]);
    equal(await event.set(), 0);
    equal(await event.isSet(), true);
    equal(await peer.event(name).isSet(), true);
    equal(await event.stats(), { set: true, waiting: 0, sets: 1 });
    equal(await peer.event(name).clear(), true);
    equal(await event.clear(), false);
    equal(await event.isSet(), false);
  });

  test('event: clear makes those wait who come later, in both realms', async () => {
    const name = fresh();
    const event = hub.event(name);
    await event.set();
    await peer.event(name).wait();
    await event.clear();
    const mine = event.wait();
    const theirs = peer.event(name).wait();
    await takenUp();
    equal((await event.stats()).waiting, 2);
    equal(await event.set(), 2);
    await mine;
    await theirs;
    await event.clear();
  });

  test('event: set and clear in one turn release those who waited before, and nobody else', async () => {
    const name = fresh();
    const event = hub.event(name);
    const mine = event.wait();
    const theirs = peer.event(name).wait();
    await takenUp();
    const set = event.set();
    const cleared = event.clear();
    const late = event.wait();
    equal([await set, await cleared], [2, true]);
    await mine;
    await theirs;
    equal((await event.stats()).waiting, 1);

    const [farSet, farCleared, farLate] = peer.atOnce(() => {
      return [peer.event(name).set(), peer.event(name).clear(), peer.event(name).wait()];
    });
    equal([await farSet, await farCleared], [1, true]);
    await late;
    equal((await event.stats()).waiting, 1);
    equal(await event.set(), 1);
    await farLate;
    await event.clear();
  });

  test('event: a waiter that is woken and waits again after a clear is not woken twice', async () => {
    const name = fresh();
    const event = hub.event(name);
    let woken = 0;
    const again = (async () => {
      await event.wait();
      woken++;
      await event.clear();
      await event.wait();
      woken++;
    })();
    const theirs = peer.event(name).wait();
    await takenUp();
    equal(await peer.event(name).set(), 2);
    await theirs;
    await becomes(async () => (await event.stats()).waiting, 1);
    await takenUp();
    equal(woken, 1);
    equal((await event.stats()).waiting, 1);
    equal(await peer.event(name).set(), 1);
    await again;
    equal(woken, 2);
    await event.clear();
  });

  test('event: close clears it', async () => {
    const name = fresh();
    const event = hub.event(name);
    await event.set();
    await peer.event(name).close();
    equal(await event.isSet(), false);
    equal(await event.stats(), { set: false, waiting: 0, sets: 0 });
    await rejects(event.wait({ timeout: 1 }), 'TimeoutError');
  });

  test('event: it keeps its name while it is set', async () => {
    const name = fresh();
    const { names } = await hub.stats();
    await hub.event(name).set();
    equal((await hub.stats()).names, names + 1);
    await peer.event(name).clear();
    equal((await hub.stats()).names, names);
  });

  test('event: a name that is no string throws a TypeError', () => {
    for (const bad of [undefined, null, 5, {}] as any[]) throws(() => hub.event(bad), 'TypeError', /\bname\b/);
  });

  // ---- CountdownLatch ----

  test('latch: it opens once it was counted down so many times, by whatever realm', async () => {
    const name = fresh();
    const latch = hub.latch(name, 4);
    let open = false;
    const mine = latch.wait().then(() => (open = true));
    const theirs = peer.latch(name, 4).wait();
    await takenUp();
    equal(await latch.stats(), { remaining: 4, waiting: 2 } satisfies LatchStats);
    equal(await latch.countDown(), 3);
    equal(await peer.latch(name, 4).countDown(2), 1);
    equal(await latch.stats(), { remaining: 1, waiting: 2 });
    equal(open, false);
    equal(await latch.countDown(1), 0);
    await mine;
    await theirs;
    equal(await latch.stats(), { remaining: 0, waiting: 0 });
    await latch.wait();
    await peer.latch(name, 4).wait();
    await latch.close();
  });

  test('latch: more than is left is an OverReleaseError, and takes nothing', async () => {
    const name = fresh();
    const latch = hub.latch(name, 3);
    await latch.countDown();
    const wait = latch.wait();
    const error = await rejects(latch.countDown(3), 'OverReleaseError');
    equal(error.code, 'OVER_RELEASE');
    await rejects(peer.latch(name, 3).countDown(2 ** 31 - 1), 'OverReleaseError');
    equal(await latch.stats(), { remaining: 2, waiting: 1 });
    equal(await latch.countDown(2), 0);
    await wait;
    await rejects(latch.countDown(), 'OverReleaseError');
    equal(await latch.stats(), { remaining: 0, waiting: 0 });
    await latch.close();
  });

  test('latch: a count that is none is a TypeError that names it, and changes nothing', async () => {
    const name = fresh();
    const latch = hub.latch(name, 3);
    const before = await hub.stats();
    for (const bad of badCounts) {
      if (bad !== 0) throws(() => hub.latch(name, bad), 'TypeError', /\bcount\b/);
      await rejects(latch.countDown(bad), 'TypeError', /\bn\b/);
    }
    throws(() => hub.latch(name, undefined as any), 'TypeError', /\bcount\b/);
    for (const bad of [undefined, null, 5, {}] as any[]) throws(() => hub.latch(bad, 1), 'TypeError', /\bname\b/);
    equal(await hub.stats(), before);
    equal(await latch.stats(), { remaining: 3, waiting: 0 });
  });

  test('latch: one of 0 is open, and keeps no name', async () => {
    const name = fresh();
    const { names } = await hub.stats();
    await hub.latch(name, 0).wait();
    await peer.latch(name, 0).wait();
    await rejects(hub.latch(name, 0).countDown(), 'OverReleaseError');
    equal((await hub.stats()).names, names);
  });

  test('latch: a realm that says another count is told both, and changes nothing', async () => {
    const name = fresh();
    const latch = hub.latch(name, 3);
    const wait = latch.wait();
    await latch.countDown(2);
    const before = await hub.stats();
    const error = await rejects(peer.latch(name, 2).wait(), 'MismatchError', /\bcount of 3\b.*\bcount of 2\b/);
    equal(error.code, 'MISMATCH');
    const other = hub.latch(name, 0);
    for (const call of [() => other.wait(), () => other.countDown(), () => other.close(), () => other.stats()]) {
      await rejects(call(), 'MismatchError', /\bcount of 3\b.*\bcount of 0\b/);
    }
    await rejects(peer.latch(name, 4).countDown(1), 'MismatchError');
    equal(await hub.stats(), before);
    equal(await latch.stats(), { remaining: 1, waiting: 1 });
    equal(await latch.countDown(), 0);
    await wait;
    await rejects(peer.latch(name, 2).wait(), 'MismatchError');
    await latch.close();
    equal(await peer.latch(name, 2).countDown(1), 1);
    await rejects(latch.wait(), 'MismatchError', /\bcount of 2\b.*\bcount of 3\b/);
    await peer.latch(name, 2).close();
  });

  test('latch: it stays where it is while nobody uses it, until it is closed', async () => {
    const name = fresh();
    const { names } = await hub.stats();
    const latch = hub.latch(name, 2);
    equal(await latch.stats(), { remaining: 2, waiting: 0 });
    equal((await hub.stats()).names, names);
    await peer.latch(name, 2).countDown(1);
    equal((await hub.stats()).names, names + 1);
    equal((await latch.stats()).remaining, 1);
    await latch.close();
    equal((await hub.stats()).names, names);
    equal((await latch.stats()).remaining, 2);
  });
}
