import { type Guard, type Hub, type LockStats, StolenError, connect } from 'clca';
import { becomes, equal, ok, rejection, rejects, turn } from './assert.ts';
import type { FarRef, FarWait } from './peer.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';

/** What is held: a guard, permits. */
interface Hold {
  release(): Promise<void>;
  readonly lost: AbortSignal;
}

interface Near {
  acquire(options?: any): Promise<Hold>;
  tryAcquire(options?: any): Promise<Hold | undefined>;
  with<R>(use: (hold: any) => R | PromiseLike<R>, options?: any): Promise<Awaited<R>>;
  close(): Promise<void>;
  stats(): Promise<{ held: number; waiting: number }>;
}

interface Far {
  acquire(options?: { timeout?: number; priority?: number }): FarWait<FarRef>;
  tryAcquire(): FarWait<FarRef | undefined>;
  close(): FarWait;
}

/** One kind of what lets one in at a time, as this realm has it and as the peer has it. */
export interface Exclusive {
  what: string;
  near(name: string): Near;
  far(name: string, by?: Place['peer']): Far;
}

export const badOptions: [RegExp, unknown][] = [
  [/\boptions\b/, null], [/\boptions\b/, 5], [/\boptions\b/, 'soon'],
  [/\bsignal\b/, { signal: {} }], [/\bsignal\b/, { signal: null }], [/\bsignal\b/, { signal: 'stop' }],
  [/\btimeout\b/, { timeout: 0 }], [/\btimeout\b/, { timeout: -1 }], [/\btimeout\b/, { timeout: NaN }],
  [/\btimeout\b/, { timeout: Infinity }], [/\btimeout\b/, { timeout: '5' }], [/\btimeout\b/, { timeout: null }],
];

const badPriorities = [1.5, NaN, Infinity, '3', null, {}, 2 ** 31, -(2 ** 31) - 1];

/** What holds for all that lets one in at a time. */
export function exclusiveCases(test: Test, { hub, peer, local }: Place, { what, near, far }: Exclusive): void {
  const takenUp = async (): Promise<void> => {
    await hub.stats();
    await peer.fence();
  };

  /** Notes who got it, and gives it back. */
  function lineOf(order: unknown[]) {
    return {
      near: (who: unknown, hold: Promise<Hold>) => hold.then((each) => {
        order.push(who);
        return each.release();
      }),
      far: (who: unknown, hold: Promise<FarRef>) => hold.then((each) => {
        order.push(who);
        return peer.release(each);
      }),
    };
  }

  test(`${what}: one at a time, in the order of arrival, whatever realm they are in`, async () => {
    const name = fresh();
    const order: unknown[] = [];
    const line = lineOf(order);
    const first = await near(name).acquire();
    const all: Promise<unknown>[] = [];
    for (let i = 0; i < 8; i++) {
      all.push(i % 2 === 0 ? line.near(i, near(name).acquire()) : line.far(i, far(name).acquire()));
      await takenUp();
    }
    const { held, waiting } = await near(name).stats();
    equal([held, waiting, order], [1, 8, []]);
    await first.release();
    await Promise.all(all);
    equal(order, [0, 1, 2, 3, 4, 5, 6, 7]);
    equal(first.lost.aborted, false);
  });

  test(`${what}: what the peer holds this realm waits for`, async () => {
    const name = fresh();
    const theirs = await far(name).acquire();
    let mine = false;
    const wait = near(name).acquire().then((hold) => (mine = true, hold));
    await takenUp();
    equal(mine, false);
    await peer.release(theirs);
    await (await wait).release();
  });

  test(`${what}: the try form takes it where it is free, and never waits`, async () => {
    const name = fresh();
    const mine = await near(name).tryAcquire();
    ok(mine !== undefined, 'it was free');
    equal(await near(name).tryAcquire(), undefined);
    equal(await far(name).tryAcquire(), undefined);
    await mine.release();
    const theirs = await far(name).tryAcquire();
    ok(theirs !== undefined, 'it was free');
    equal(await near(name).tryAcquire(), undefined);
    await peer.release(theirs);
  });

  test(`${what}: neither the try form nor a newcomer overtakes, in the turn of the release`, async () => {
    const name = fresh();
    const order: unknown[] = [];
    const line = lineOf(order);
    const first = await near(name).acquire();
    const theirs = line.far('far', far(name).acquire());
    await takenUp();
    const mine = line.near('near', near(name).acquire());
    void first.release();
    const tried = near(name).tryAcquire();
    const late = line.near('late', near(name).acquire());
    equal(await tried, undefined);
    await Promise.all([theirs, mine, late]);
    equal(order, ['far', 'near', 'late']);
  });

  test(`${what}: neither the try form nor a newcomer overtakes, in the turn of the peer's release`, async () => {
    const name = fresh();
    const order: unknown[] = [];
    const line = lineOf(order);
    const first = await far(name).acquire();
    const mine = line.near('near', near(name).acquire());
    await takenUp();
    const [tried, late] = peer.atOnce(() => {
      void peer.release(first);
      return [far(name).tryAcquire(), line.far('late', far(name).acquire())];
    });
    equal(await tried, undefined);
    await Promise.all([mine, late]);
    equal(order, ['near', 'late']);
  });

  test(`${what}: a higher priority is served first, and among equals who came first; the holder stays`, async () => {
    const name = fresh();
    const order: unknown[] = [];
    const line = lineOf(order);
    const first = await near(name).acquire();
    const all: Promise<unknown>[] = [];
    for (const priority of [-(2 ** 31), 0, undefined, 5, -1, 2 ** 31 - 1, 5, 0]) {
      all.push(line.near(`near ${priority}`, near(name).acquire({ priority })));
      await takenUp();
      all.push(line.far(`far ${priority}`, far(name).acquire(priority === undefined ? {} : { priority })));
      await takenUp();
    }
    const { held, waiting } = await near(name).stats();
    equal([held, waiting, order.length, first.lost.aborted], [1, 16, 0, false]);
    await first.release();
    await Promise.all(all);
    equal(order, [2 ** 31 - 1, 5, 5, 0, undefined, 0, -1, -(2 ** 31)].flatMap((p) => [`near ${p}`, `far ${p}`]));
  });

  test(`${what}: a timeout ends the wait, and nothing else`, async () => {
    const name = fresh();
    const first = await near(name).acquire();
    const stays = far(name).acquire();
    await takenUp();
    ok(await rejects(near(name).acquire({ timeout: 1 }), 'TimeoutError') instanceof DOMException, 'a DOMException');
    await rejects(far(name).acquire({ timeout: 1 }), 'TimeoutError');
    await takenUp();
    equal((await near(name).stats()).waiting, 1);
    await first.release();
    await peer.release(await stays);
    const free = await near(name).acquire({ timeout: 1e6 });
    await free.release();
  });

  test(`${what}: an abort ends the wait with its reason, and the others keep their places`, async () => {
    const name = fresh();
    const order: unknown[] = [];
    const line = lineOf(order);
    const reason = { dog: 'ate it' };
    const stop = new AbortController();
    const first = await near(name).acquire();
    const stopped = near(name).acquire({ signal: stop.signal });
    await takenUp();
    const farStopped = far(name).acquire();
    const a = line.far('a', far(name).acquire());
    await takenUp();
    const b = line.near('b', near(name).acquire({ signal: new AbortController().signal }));
    await takenUp();
    stop.abort(reason);
    farStopped.abort('far too');
    ok(await rejection(stopped) === reason, 'the reason, unchanged');
    equal(await rejection(farStopped), 'far too');
    await takenUp();
    equal((await near(name).stats()).waiting, 2);
    await first.release();
    await Promise.all([a, b]);
    equal(order, ['a', 'b']);
  });

  test(`${what}: an abort after the grant is a no-op`, async () => {
    const name = fresh();
    const stop = new AbortController();
    const hold = await near(name).acquire({ signal: stop.signal, timeout: 1e6 });
    stop.abort('too late');
    equal((await near(name).stats()).held, 1);
    equal(hold.lost.aborted, false);
    await hold.release();
  });

  test(`${what}: with a signal that is aborted already nothing is taken, although it is free`, async () => {
    const name = fresh();
    const reason = { dog: 'ate it' };
    const before = await hub.stats();
    let used = false;
    for (const call of [
      () => near(name).acquire({ signal: AbortSignal.abort(reason) }),
      () => near(name).with(() => (used = true), { signal: AbortSignal.abort(reason) }),
    ]) ok(await rejection(call()) === reason, 'the reason, unchanged');
    equal(used, false);
    equal(await hub.stats(), before);
    const theirs = await far(name).tryAcquire();
    ok(theirs !== undefined, 'it is free still');
    await peer.release(theirs);
  });

  // ---- a grant that nobody hears of ----

  test(`${what}: a waiter that is aborted in the turn of the release does not keep it from the next`, async () => {
    const name = fresh();
    const order: unknown[] = [];
    const line = lineOf(order);
    const stop = new AbortController();
    const first = await near(name).acquire();
    const granted = near(name).acquire({ signal: stop.signal });
    await takenUp();
    const a = line.far('a', far(name).acquire());
    await takenUp();
    const b = line.near('b', near(name).acquire());
    void first.release();
    stop.abort('no more');
    const outcome = await granted.catch((reason: unknown) => reason);
    if (outcome !== 'no more') {
      ok(local, 'elsewhere the abort comes before the answer');
      equal(order, []);
      await (outcome as Hold).release();
    }
    await Promise.all([a, b]);
    equal(order, ['a', 'b']);
  });

  test(`${what}: a waiter of the peer that is aborted in the turn of the peer's release does not keep it`, async () => {
    const name = fresh();
    const order: unknown[] = [];
    const line = lineOf(order);
    const first = await far(name).acquire();
    const granted = far(name).acquire();
    await takenUp();
    const a = line.near('a', near(name).acquire());
    await takenUp();
    const b = line.far('b', far(name).acquire());
    await takenUp();
    peer.atOnce(() => {
      void peer.release(first);
      granted.abort('no more');
    });
    const outcome = await granted.catch((reason: unknown) => reason);
    if (outcome !== 'no more') await peer.release(outcome as FarRef);
    await Promise.all([a, b]);
    equal(order, ['a', 'b']);
  });

  test(`${what}: an abort of one realm that crosses the release of another does not keep it from the next`, async () => {
    const name = fresh();
    for (let round = 0; round < 10; round++) {
      const first = await near(name).acquire();
      const granted = far(name).acquire();
      await takenUp();
      const next = near(name).acquire();
      await takenUp();
      if (round % 2 === 0) granted.abort('no more');
      void first.release();
      if (round % 2 === 1) granted.abort('no more');
      const outcome = await granted.catch((reason: unknown) => reason);
      if (outcome !== 'no more') await peer.release(outcome as FarRef);
      await (await next).release();
    }
  });

  test(`${what}: all waiters but the last are aborted in the turn of the release`, async () => {
    const name = fresh();
    const stop = new AbortController();
    const first = await near(name).acquire();
    const stopped = Array.from({ length: 20 }, () => near(name).acquire({ signal: stop.signal }));
    await takenUp();
    const last = far(name).acquire();
    await takenUp();
    void first.release();
    stop.abort('no more');
    for (const each of stopped) {
      const outcome = await each.catch((reason: unknown) => reason);
      if (outcome !== 'no more') await (outcome as Hold).release();
    }
    await peer.release(await last);
  });

  test(`${what}: hundreds of calls, a third of them aborted, are inside one at a time`, async () => {
    const name = fresh();
    let inside = 0;
    let most = 0;
    let used = 0;
    const all: Promise<unknown>[] = [];
    for (let i = 0; i < 300; i++) {
      const stop = new AbortController();
      all.push(near(name).with(async () => {
        most = Math.max(most, ++inside);
        used++;
        await undefined;
        inside--;
      }, { signal: stop.signal }).catch((reason: unknown) => equal(reason, 'no more')));
      if (i % 10 === 0) all.push(far(name).acquire().then((hold) => peer.release(hold)));
      if (i % 3 === 0) void Promise.resolve().then(() => stop.abort('no more'));
    }
    await Promise.all(all);
    equal([most, inside], [1, 0]);
    ok(used >= 200, `${used} were inside`);
  }, 20_000);

  // ---- holding it ----

  test(`${what}: with() gives it back whatever comes`, async () => {
    const name = fresh();
    equal(await near(name).with((hold: Hold) => hold.lost.aborted), false);
    equal(await near(name).with(async () => 'later', { timeout: 1e6 }), 'later');
    const error = new URIError('while in use');
    ok(await rejection(near(name).with(() => { throw error; })) === error, 'the error of the function');
    ok(await rejection(near(name).with(() => Promise.reject(error))) === error, 'the error of its promise');
    await near(name).with(async () => {
      equal(await far(name).tryAcquire(), undefined);
    });
    const theirs = await far(name).tryAcquire();
    ok(theirs !== undefined, 'it is free');
    let used = false;
    await rejects(near(name).with(() => (used = true), { timeout: 1 }), 'TimeoutError');
    equal(used, false);
    await peer.release(theirs);
  });

  test(`${what}: with() of what is no function is a TypeError, and takes nothing`, async () => {
    const name = fresh();
    const before = await hub.stats();
    for (const bad of [undefined, null, 'f', {}] as any[]) await rejects(near(name).with(bad), 'TypeError', /function/);
    equal(await hub.stats(), before);
  });

  test(`${what}: release is idempotent, always the same promise, and never releases another's hold`, async () => {
    const name = fresh();
    const hold = await near(name).acquire();
    const next = far(name).acquire();
    await takenUp();
    const released = hold.release();
    ok(released === hold.release(), 'one promise');
    equal(await released, undefined);
    const theirs = await next;
    ok(released === hold.release(), 'one promise');
    equal(await hold.release(), undefined);
    equal((await near(name).stats()).held, 1);
    equal(await near(name).tryAcquire(), undefined);
    await peer.release(theirs);
    await peer.release(theirs);
    equal((await near(name).stats()).held, 0);
  });

  if (Symbol.asyncDispose !== undefined) {
    test(`${what}: a hold is async disposable`, async () => {
      const name = fresh();
      const hold = await near(name).acquire() as Hold & AsyncDisposable;
      ok(hold[Symbol.asyncDispose]() === hold.release(), 'disposing is releasing');
      await hold.release();
      equal((await near(name).stats()).held, 0);
    });
  }

  test(`${what}: bad options are a TypeError that names them, and change nothing`, async () => {
    const name = fresh();
    const before = await hub.stats();
    const bad = [...badOptions, ...badPriorities.map((priority): [RegExp, unknown] => [/\bpriority\b/, { priority }])];
    for (const [message, options] of bad) {
      await rejects(near(name).acquire(options), 'TypeError', message);
      await rejects(near(name).with(() => {}, options), 'TypeError', message);
    }
    equal(await hub.stats(), before);
    const hold = await near(name).acquire({ signal: undefined, timeout: undefined, priority: undefined });
    await hold.release();
  });

  // ---- the end ----

  test(`${what}: close rejects all who wait and all who come; the holder keeps it, and then the name is free`, async () => {
    const name = fresh();
    const hold = await near(name).acquire();
    const mine = rejects(near(name).acquire(), 'ClosedError');
    const theirs = rejects(far(name).acquire(), 'ClosedError');
    await takenUp();
    await far(name).close();
    equal((await mine).code, 'CLOSED');
    await theirs;
    await rejects(near(name).acquire(), 'ClosedError');
    await rejects(near(name).tryAcquire(), 'ClosedError');
    await rejects(far(name).acquire(), 'ClosedError');
    await rejects(near(name).with(() => {}), 'ClosedError');
    equal(hold.lost.aborted, false);
    equal((await near(name).stats()).held, 1);
    await near(name).close();
    await hold.release();
    equal(hold.lost.aborted, false);
    const afresh = await far(name).acquire();
    equal(await near(name).tryAcquire(), undefined);
    await peer.release(afresh);
  });

  test(`${what}: close of what nobody uses leaves nothing`, async () => {
    const name = fresh();
    const before = await hub.stats();
    await near(name).close();
    await far(name).close();
    equal(await hub.stats(), before);
    await (await near(name).acquire()).release();
  });

  test(`${what}: what a session holds goes to the next in line when it ends, and its waits are withdrawn`, async () => {
    const name = fresh();
    const other = await peer.another();
    const lost = await far(name, other).acquire();
    const gone = rejects(far(name, other).acquire(), 'ClosedError');
    await other.fence();
    const next = near(name).acquire();
    await takenUp();
    const last = far(name).acquire();
    await takenUp();
    await other.close();
    await gone;
    equal(await peer.lost(lost), 'ClosedError');
    const hold = await next;
    equal((await near(name).stats()).waiting, 1);
    await peer.release(lost);
    equal((await near(name).stats()).held, 1);
    await hold.release();
    await peer.release(await last);
  });

  test(`${what}: a session that ends with a grant under way to it keeps it from nobody`, async () => {
    const name = fresh();
    const other = await peer.another();
    const first = await near(name).acquire();
    const theirs = far(name, other).acquire().then(() => 'granted', () => 'ended');
    await other.fence();
    const next = near(name).acquire();
    await takenUp();
    const closed = other.close();
    void first.release();
    await closed;
    await theirs;
    await (await next).release();
  });

  test(`${what}: the name is dropped when nobody holds it or waits for it`, async () => {
    const name = fresh();
    const { names } = await hub.stats();
    const hold = await near(name).acquire();
    const theirs = far(name).acquire();
    await takenUp();
    equal((await hub.stats()).names, names + 1);
    await hold.release();
    equal((await hub.stats()).names, names + 1);
    await peer.release(await theirs);
    equal((await hub.stats()).names, names);
  });
}

/** A client that may go away, and the session by which it was let in. */
interface Going {
  client: Hub;
  session: { end(): void };
}

async function letIn(hub: Hub): Promise<Going> {
  const { port1, port2 } = new MessageChannel();
  const session = hub.attach(port1);
  return { session, client: await connect(port2) };
}

const ways: [string, (going: Going) => void][] = [
  ['closes its client', ({ client }) => void client.close()],
  ['is shut out', ({ session }) => session.end()],
];

/** Lock, ReentrantLock and RWLock. */
export function lockCases(test: Test, place: Place): void {
  const { hub, peer } = place;
  const takenUp = async (): Promise<void> => {
    await hub.stats();
    await peer.fence();
  };

  for (const kind of ['lock', 'reentrantLock', 'rwlock'] as const) {
    exclusiveCases(test, place, {
      what: kind,
      near: (name) => hub[kind](name),
      far: (name, by = peer) => by[kind](name),
    });

    test(`${kind}: its stats are exact, and it is locked while somebody holds it`, async () => {
      const name = fresh();
      const lock = hub[kind](name);
      equal(await lock.stats(), { held: 0, shared: false, waiting: 0, tenures: 0, abandoned: false });
      equal(await lock.isLocked(), false);
      const theirs = await peer[kind](name).acquire();
      const mine = lock.acquire();
      equal(await lock.stats(), { held: 1, shared: false, waiting: 1, tenures: 1, abandoned: false });
      equal(await lock.isLocked(), true);
      await peer.release(theirs);
      const guard = await mine;
      equal(await lock.stats(), { held: 1, shared: false, waiting: 0, tenures: 2, abandoned: false } satisfies LockStats);
      equal(await lock.isLocked(), true);
      await guard.release();
      equal(await lock.isLocked(), false);
    });

    test(`${kind}: a name that is no string throws a TypeError`, async () => {
      for (const bad of [undefined, null, 5, {}] as any[]) {
        const error = await rejection((async () => hub[kind](bad))());
        equal([error.name, /\bname\b/.test(error.message)], ['TypeError', true]);
      }
    });
  }

  test('locks of three kinds and one name are three locks', async () => {
    const name = fresh();
    const guards = [
      await hub.lock(name).acquire(), await hub.reentrantLock(name).acquire(), await hub.rwlock(name).acquire(),
    ];
    for (const guard of guards) await guard.release();
  });

  // ---- holders that go away ----

  for (const kind of ['lock', 'reentrantLock', 'rwlock'] as const) {
    for (const [how, leave] of ways) {
      test(`${kind}: when its holder ${how}, the next in line is told, and nobody after that`, async () => {
        const name = fresh();
        const { names } = await hub.stats();
        const going = await letIn(hub);
        const held = await going.client[kind](name).acquire();
        equal(held.abandoned, false);
        const next = hub[kind](name).acquire();
        await takenUp();
        const last = hub[kind](name).acquire();
        await takenUp();
        leave(going);
        const guard = await next;
        equal([guard.abandoned, (await hub[kind](name).stats()).abandoned], [true, false]);
        await guard.release();
        const after = await last;
        equal(after.abandoned, false);
        await after.release();
        equal((await hub.stats()).names, names);
      });

      test(`${kind}: when its holder ${how} and nobody waits, whoever comes next is told, and nobody after that`, async () => {
        const name = fresh();
        const { names } = await hub.stats();
        const lock = hub[kind](name);
        for (const take of [() => lock.acquire(), () => lock.tryAcquire(), () => lock.with((guard) => guard)]) {
          const going = await letIn(hub);
          await going.client[kind](name).acquire();
          leave(going);
          await becomes(async () => (await lock.stats()).held, 0);
          equal((await lock.stats()).abandoned, true);
          equal(await lock.isLocked(), false);
          equal((await hub.stats()).names, names + 1, 'the name is kept for that');
          const guard = await take();
          equal(guard?.abandoned, true);
          await guard?.release();
          equal((await hub.stats()).names, names, 'and for no longer');
          await lock.with(({ abandoned }) => equal(abandoned, false));
        }
      });
    }

    test(`${kind}: when a session of another realm ends, the next to hold it here is told`, async () => {
      const name = fresh();
      const other = await peer.another();
      await other[kind](name).acquire();
      const next = hub[kind](name).acquire();
      await takenUp();
      await other.close();
      const guard = await next;
      equal(guard.abandoned, true);
      await guard.release();
    });

    test(`${kind}: of one that goes away after its release, or while it waits, nobody is told`, async () => {
      const name = fresh();
      const { names } = await hub.stats();
      const going = await letIn(hub);
      const held = await going.client[kind](name).acquire();
      const next = hub[kind](name).acquire();
      await takenUp();
      await held.release();
      const guard = await next;
      const gone = rejects(going.client[kind](name).acquire(), 'ClosedError');
      await going.client.stats();
      await going.client.close();
      await gone;
      await becomes(async () => (await hub[kind](name).stats()).waiting, 0);
      equal([guard.abandoned, (await hub[kind](name).stats()).abandoned], [false, false]);
      await guard.release();
      equal((await hub.stats()).names, names);
    });

    test(`${kind}: who was told and goes away in turn leaves the next the same`, async () => {
      const name = fresh();
      const first = await letIn(hub);
      const second = await letIn(hub);
      await first.client[kind](name).acquire();
      const theirs = second.client[kind](name).acquire();
      await second.client.stats();
      const mine = hub[kind](name).acquire();
      await takenUp();
      first.session.end();
      equal((await theirs).abandoned, true);
      await second.client.close();
      const guard = await mine;
      equal(guard.abandoned, true);
      await guard.release();
      await hub[kind](name).with(({ abandoned }) => equal(abandoned, false));
    });

    test(`${kind}: a grant that is aborted on its way leaves what it would have told to the next`, async () => {
      const name = fresh();
      for (let round = 0; round < 6; round++) {
        const [going, between] = [await letIn(hub), await letIn(hub)];
        const stop = new AbortController();
        await going.client[kind](name).acquire();
        const aborted = between.client[kind](name).acquire({ signal: stop.signal });
        await between.client.stats();
        const next = hub[kind](name).acquire();
        await takenUp();
        going.session.end();
        for (let i = 0; i < round; i++) await (i === 0 ? hub.stats() : turn());
        stop.abort('no more');
        const outcome = await aborted.catch((reason: unknown) => reason);
        const granted = outcome !== 'no more';
        if (granted) {
          equal((outcome as Guard).abandoned, true);
          await (outcome as Guard).release();
        }
        const guard = await next;
        equal(guard.abandoned, !granted);
        await guard.release();
        await between.client.close();
      }
    });

    test(`${kind}: who comes to a lock that was closed is told of nobody`, async () => {
      const name = fresh();
      const { names } = await hub.stats();
      const going = await letIn(hub);
      await going.client[kind](name).acquire();
      await hub[kind](name).close();
      await going.client.close();
      await becomes(async () => (await hub.stats()).names, names);
      await hub[kind](name).with(({ abandoned }) => equal(abandoned, false));
    });
  }

  for (const kind of ['lock', 'rwlock'] as const) {
    test(`${kind}: of one that was stolen from and goes away nobody is told`, async () => {
      const name = fresh();
      const { names } = await hub.stats();
      const going = await letIn(hub);
      const lost = await going.client[kind](name).acquire();
      const thief = await hub[kind](name).steal();
      equal(thief.abandoned, false);
      const next = hub[kind](name).acquire();
      await takenUp();
      await going.client.close();
      equal(lost.lost.aborted, true);
      await thief.release();
      const guard = await next;
      equal([guard.abandoned, (await hub[kind](name).stats()).abandoned], [false, false]);
      await guard.release();
      await becomes(async () => (await hub.stats()).names, names);
    });

    test(`${kind}: a thief of what nobody holds is told of the one that went away`, async () => {
      const name = fresh();
      const going = await letIn(hub);
      await going.client[kind](name).acquire();
      going.session.end();
      await becomes(async () => (await hub[kind](name).stats()).abandoned, true);
      const thief = await hub[kind](name).steal();
      equal(thief.abandoned, true);
      await thief.release();
    });
  }

  test('reentrantLock: of a holder that was inside twice the next is told, also where it enters again', async () => {
    const name = fresh();
    const lock = hub.reentrantLock(name);
    const going = await letIn(hub);
    const outer = await going.client.reentrantLock(name).acquire();
    await going.client.reentrantLock(name).acquire({ within: outer });
    const next = lock.acquire();
    await takenUp();
    const last = lock.acquire();
    await takenUp();
    await going.client.close();
    const guard = await next;
    const within = await lock.acquire({ within: guard });
    equal([guard.abandoned, within.abandoned], [true, true]);
    await guard.release();
    await within.release();
    const after = await last;
    equal(after.abandoned, false);
    await after.release();
  });

  test('rwlock: of one that shared it and goes away nobody is told, the others and the next neither', async () => {
    const name = fresh();
    const { names } = await hub.stats();
    const lock = hub.rwlock(name);
    const going = await letIn(hub);
    await going.client.rwlock(name).acquire({ mode: 'shared' });
    const shared = await lock.acquire({ mode: 'shared' });
    const alone = lock.acquire();
    await takenUp();
    await going.client.close();
    await becomes(async () => (await lock.stats()).held, 1);
    await shared.release();
    const guard = await alone;
    equal([shared.abandoned, guard.abandoned], [false, false]);
    await guard.release();
    equal((await hub.stats()).names, names);
  });

  test('rwlock: all who share it next are told, and of one of them that goes away the next is', async () => {
    const name = fresh();
    const lock = hub.rwlock(name);
    const [first, second] = [await letIn(hub), await letIn(hub)];
    await first.client.rwlock(name).acquire();
    const theirs = second.client.rwlock(name).acquire({ mode: 'shared' });
    await second.client.stats();
    const mine = lock.acquire({ mode: 'shared' });
    await takenUp();
    const alone = lock.acquire();
    await takenUp();
    first.session.end();
    const shared = await mine;
    equal([(await theirs).abandoned, shared.abandoned], [true, true]);
    await second.client.close();
    await becomes(async () => (await lock.stats()).abandoned, true);
    await shared.release();
    const guard = await alone;
    equal(guard.abandoned, true);
    await guard.release();
  });

  // ---- steal ----

  for (const kind of ['lock', 'rwlock'] as const) {
    const lockOf = (name: string) => hub[kind](name);
    const farOf = (name: string) => peer[kind](name);

    test(`${kind}: steal takes it from another realm's holder, before all who wait; they keep their places`, async () => {
      const name = fresh();
      const order: string[] = [];
      const theirs = await farOf(name).acquire();
      const a = lockOf(name).acquire({ priority: 5 }).then((guard) => (order.push('a'), guard));
      await takenUp();
      const b = farOf(name).acquire().then((ref) => (order.push('b'), ref));
      await takenUp();
      const thief = await lockOf(name).steal();
      equal(await peer.lost(theirs), 'StolenError');
      equal(await lockOf(name).stats(), { held: 1, shared: false, waiting: 2, tenures: 2, abandoned: false });
      equal(await peer.release(theirs), undefined);
      equal((await lockOf(name).stats()).held, 1);
      equal(order, []);
      await thief.release();
      await (await a).release();
      await peer.release(await b);
      equal(order, ['a', 'b']);
      equal(thief.lost.aborted, false);
    });

    test(`${kind}: who is stolen from learns it, with a StolenError, and its release changes nothing`, async () => {
      const name = fresh();
      const mine = await lockOf(name).acquire();
      const heard = new Promise<unknown>((resolve) => {
        mine.lost.addEventListener('abort', () => resolve(mine.lost.reason));
      });
      const theirs = await farOf(name).steal();
      const reason = await heard as StolenError;
      ok(reason instanceof StolenError, 'a StolenError');
      equal(reason.code, 'STOLEN');
      equal(await mine.release(), undefined);
      ok(mine.release() === mine.release(), 'one promise');
      equal(await lockOf(name).isLocked(), true);
      equal(await lockOf(name).tryAcquire(), undefined);
      await peer.release(theirs);
      equal(await lockOf(name).isLocked(), false);
    });

    test(`${kind}: lost tells of a theft also who asks for it only then`, async () => {
      const name = fresh();
      const mine = await lockOf(name).acquire();
      await peer.release(await farOf(name).steal());
      await takenUp();
      equal(mine.lost.aborted, true);
      equal((mine.lost.reason as Error).name, 'StolenError');
      const { calls } = await hub.stats();
      await mine.release();
      equal((await hub.stats()).calls, calls - 1, 'it is to be released all the same');
    });

    test(`${kind}: with() ends as its function does, although it was stolen meanwhile`, async () => {
      const name = fresh();
      const outcome = await lockOf(name).with(async (guard) => {
        const theirs = await farOf(name).steal();
        await takenUp();
        await peer.release(theirs);
        return (guard.lost.reason as Error).name;
      });
      equal(outcome, 'StolenError');
      equal(await lockOf(name).isLocked(), false);
    });

    test(`${kind}: steal takes what is free, what its own realm holds, and what was stolen`, async () => {
      const name = fresh();
      const first = await lockOf(name).steal();
      const second = await lockOf(name).steal();
      equal((first.lost.reason as Error).name, 'StolenError');
      const third = await farOf(name).steal();
      await takenUp();
      equal((second.lost.reason as Error).name, 'StolenError');
      await first.release();
      await second.release();
      equal(await lockOf(name).stats(), { held: 1, shared: false, waiting: 0, tenures: 3, abandoned: false });
      await peer.release(third);
    });

    test(`${kind}: a release and a theft in one turn leave the thief with it`, async () => {
      const name = fresh();
      const guard = await lockOf(name).acquire();
      const next = farOf(name).acquire();
      await takenUp();
      void guard.release(); // hands it to the peer, from whom it is stolen
      const thief = await lockOf(name).steal();
      const theirs = await next;
      equal(await peer.lost(theirs), 'StolenError');
      await peer.release(theirs);
      equal(await lockOf(name).isLocked(), true);
      await thief.release();
      equal(guard.lost.aborted, false);
    });

    test(`${kind}: a grant that was aborted can be stolen before the hub hears of the abort`, async () => {
      const name = fresh();
      const stop = new AbortController();
      const guard = await lockOf(name).acquire();
      const granted = lockOf(name).acquire({ signal: stop.signal });
      await takenUp();
      const thief = farOf(name).steal();
      void guard.release();
      stop.abort('no more');
      const outcome = await granted.catch((reason: unknown) => reason);
      if (outcome !== 'no more') await (outcome as Guard).release();
      await peer.release(await thief);
      equal(await lockOf(name).isLocked(), false);
    });

    test(`${kind}: steal of a closed lock is a ClosedError, and the holder keeps it`, async () => {
      const name = fresh();
      const guard = await lockOf(name).acquire();
      await lockOf(name).close();
      await rejects(lockOf(name).steal(), 'ClosedError');
      await rejects(farOf(name).steal(), 'ClosedError');
      equal(guard.lost.aborted, false);
      await guard.release();
    });

    test(`${kind}: when a thief's session ends, the first in line gets it`, async () => {
      const name = fresh();
      const other = await peer.another();
      const mine = await lockOf(name).acquire();
      const next = lockOf(name).acquire();
      await takenUp();
      await other[kind](name).steal();
      await takenUp();
      equal((mine.lost.reason as Error).name, 'StolenError');
      await other.close();
      await (await next).release();
      await mine.release();
    });
  }

  // ---- ReentrantLock ----

  test('reentrantLock: its holder enters again at once, also while others wait, and leaves in any order', async () => {
    const name = fresh();
    const lock = hub.reentrantLock(name);
    const outer = await lock.acquire();
    const theirs = peer.reentrantLock(name).acquire();
    await takenUp();
    const inner = await lock.acquire({ within: outer, timeout: 1e6, signal: new AbortController().signal });
    const innermost = await lock.acquire({ within: inner });
    equal(await lock.stats(), { held: 3, shared: false, waiting: 1, tenures: 1, abandoned: false });
    await outer.release();
    await innermost.release();
    equal((await lock.stats()).held, 1);
    const again = await lock.acquire({ within: inner });
    await inner.release();
    await inner.release();
    equal(await lock.tryAcquire(), undefined);
    await again.release();
    const ref = await theirs;
    const within = await peer.reentrantLock(name).acquire({ within: ref });
    equal(await lock.stats(), { held: 2, shared: false, waiting: 0, tenures: 2, abandoned: false });
    await peer.release(ref);
    equal(await lock.isLocked(), true);
    await peer.release(within);
    equal(await lock.isLocked(), false);
  });

  test('reentrantLock: who holds it and does not say so waits for itself', async () => {
    const name = fresh();
    const lock = hub.reentrantLock(name);
    await lock.with(async (guard) => {
      await rejects(lock.acquire({ timeout: 1 }), 'TimeoutError');
      equal(await lock.tryAcquire(), undefined);
      equal(await lock.with(() => 'inside', { within: guard }), 'inside');
      equal((await lock.stats()).held, 1);
      await rejects(lock.with(() => { throw new URIError('inside'); }, { within: guard }), 'URIError');
      equal((await lock.stats()).held, 1);
    });
    equal(await lock.isLocked(), false);
  });

  test('reentrantLock: within what does not hold this lock is a NotOwnerError, and changes nothing', async () => {
    const name = fresh();
    const lock = hub.reentrantLock(name);
    const released = await lock.acquire();
    await released.release();
    const ofAnother = await hub.reentrantLock(fresh()).acquire();
    const ofAnotherKind = await hub.lock(name).acquire();
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    const client = await connect(port2);
    const foreign = await client.reentrantLock(name).acquire();
    const before = await hub.stats();
    for (const within of [released, ofAnother, ofAnotherKind, foreign, null, 5, 'guard', {}] as any[]) {
      const error = await rejects(lock.acquire({ within }), 'NotOwnerError');
      equal(error.code, 'NOT_OWNER');
      await rejects(lock.with(() => {}, { within }), 'NotOwnerError');
    }
    const theirs = await peer.reentrantLock(fresh()).acquire();
    await rejects(peer.reentrantLock(name).acquire({ within: theirs }), 'NotOwnerError');
    await peer.release(theirs);
    await rejects(peer.reentrantLock(name).acquire({ within: theirs }), 'NotOwnerError');
    equal(await hub.stats(), before);
    equal((await lock.stats()).held, 1);
    await foreign.release();
    await client.close();
    await ofAnother.release();
    await ofAnotherKind.release();
  });

  test('reentrantLock: a hold that is being released is not entered on', async () => {
    const name = fresh();
    const lock = hub.reentrantLock(name);
    const guard = await lock.acquire();
    void guard.release();
    await rejects(lock.acquire({ within: guard }), 'NotOwnerError');
    const next = await lock.acquire();
    await rejects(lock.acquire({ within: guard }), 'NotOwnerError');
    await next.release();
  });

  test('reentrantLock: an abort of an entry gives back that entry alone', async () => {
    const name = fresh();
    const lock = hub.reentrantLock(name);
    const guard = await lock.acquire();
    const stop = new AbortController();
    const entry = lock.acquire({ within: guard, signal: stop.signal });
    stop.abort('no more');
    const outcome = await entry.catch((reason: unknown) => reason);
    if (outcome !== 'no more') await (outcome as Guard).release();
    equal((await lock.stats()).held, 1);
    equal(await rejection(lock.acquire({ within: guard, signal: AbortSignal.abort('before') })), 'before');
    equal((await lock.stats()).held, 1);
    await guard.release();
  });

  test('reentrantLock: who is inside stays inside, and can enter again, after a close', async () => {
    const name = fresh();
    const lock = hub.reentrantLock(name);
    const guard = await lock.acquire();
    await peer.reentrantLock(name).close();
    const again = await lock.acquire({ within: guard });
    await rejects(lock.acquire(), 'ClosedError');
    await guard.release();
    await rejects(lock.acquire(), 'ClosedError');
    await again.release();
    await (await lock.acquire()).release();
  });

  test("reentrantLock: a session's end gives back all its entries", async () => {
    const name = fresh();
    const other = await peer.another();
    const outer = await other.reentrantLock(name).acquire();
    await other.reentrantLock(name).acquire({ within: outer });
    const next = hub.reentrantLock(name).acquire();
    equal((await hub.reentrantLock(name).stats()).held, 2);
    await other.close();
    const guard = await next;
    equal((await hub.reentrantLock(name).stats()).held, 1);
    await guard.release();
  });

  // ---- RWLock ----

  test('rwlock: those who share it are inside together, and one who wants it alone waits for all of them', async () => {
    const name = fresh();
    const lock = hub.rwlock(name);
    const a = await lock.acquire({ mode: 'shared' });
    const b = await peer.rwlock(name).acquire({ mode: 'shared' });
    const c = await lock.acquire({ mode: 'shared' });
    equal(await lock.stats(), { held: 3, shared: true, waiting: 0, tenures: 1, abandoned: false });
    let got = false;
    const alone = peer.rwlock(name).acquire().then((ref) => (got = true, ref));
    await takenUp();
    await a.release();
    await peer.release(b);
    await takenUp();
    equal(got, false);
    await c.release();
    const ref = await alone;
    equal(await lock.stats(), { held: 1, shared: false, waiting: 0, tenures: 2, abandoned: false });
    await peer.release(ref);
  });

  test('rwlock: who shares it waits behind one who wants it alone, and passes when that one leaves', async () => {
    const name = fresh();
    const lock = hub.rwlock(name);
    const stop = new AbortController();
    const first = await lock.acquire({ mode: 'shared' });
    const alone = lock.acquire({ mode: 'exclusive', signal: stop.signal });
    await takenUp();
    const mine = lock.acquire({ mode: 'shared' });
    const theirs = peer.rwlock(name).acquire({ mode: 'shared' });
    await takenUp();
    equal(await lock.stats(), { held: 1, shared: true, waiting: 3, tenures: 1, abandoned: false });
    equal(await lock.tryAcquire({ mode: 'shared' }), undefined);
    equal(await peer.rwlock(name).tryAcquire({ mode: 'shared' }), undefined);
    stop.abort('no more');
    equal(await rejection(alone), 'no more');
    const [guard, ref] = [await mine, await theirs];
    equal(await lock.stats(), { held: 3, shared: true, waiting: 0, tenures: 1, abandoned: false });
    for (const each of [first, guard]) await each.release();
    await peer.release(ref);
  });

  test('rwlock: those who share it get it together, up to the next who wants it alone', async () => {
    const name = fresh();
    const lock = hub.rwlock(name);
    const first = await lock.acquire();
    const a = lock.acquire({ mode: 'shared' });
    await takenUp();
    const b = peer.rwlock(name).acquire({ mode: 'shared' });
    await takenUp();
    const alone = lock.acquire();
    await takenUp();
    const late = peer.rwlock(name).acquire({ mode: 'shared' });
    await takenUp();
    void first.release();
    const [mine, theirs] = [await a, await b];
    equal(await lock.stats(), { held: 2, shared: true, waiting: 2, tenures: 2, abandoned: false });
    void mine.release();
    void peer.release(theirs);
    const guard = await alone;
    equal(await lock.stats(), { held: 1, shared: false, waiting: 1, tenures: 3, abandoned: false });
    await guard.release();
    await peer.release(await late);
  });

  test('rwlock: two releases in one turn with several waiters, and then a newcomer: nobody overtakes', async () => {
    const name = fresh();
    const lock = hub.rwlock(name);
    const order: string[] = [];
    const inside = [await lock.acquire({ mode: 'shared' }), await lock.acquire({ mode: 'shared' })];
    const all: Promise<unknown>[] = [];
    for (const who of ['a', 'b']) {
      all.push(lock.acquire().then((guard) => (order.push(who), guard.release())));
      await takenUp();
    }
    all.push(peer.rwlock(name).acquire().then((ref) => (order.push('far'), peer.release(ref))));
    await takenUp();
    for (const guard of inside) void guard.release();
    all.push(lock.acquire({ mode: 'shared' }).then((guard) => (order.push('late'), guard.release())));
    await Promise.all(all);
    equal(order, ['a', 'b', 'far', 'late']);
  });

  test('rwlock: the try form shares what is shared, and takes alone only what is free', async () => {
    const name = fresh();
    const lock = hub.rwlock(name);
    const a = await lock.tryAcquire({ mode: 'shared' });
    const b = await peer.rwlock(name).tryAcquire({ mode: 'shared' });
    ok(a !== undefined && b !== undefined, 'two share it');
    equal(await lock.tryAcquire(), undefined);
    equal(await peer.rwlock(name).tryAcquire({ mode: 'exclusive' }), undefined);
    await a.release();
    await peer.release(b);
    const alone = await peer.rwlock(name).tryAcquire();
    ok(alone !== undefined, 'it was free');
    equal(await lock.tryAcquire({ mode: 'shared' }), undefined);
    await peer.release(alone);
  });

  test('rwlock: a priority passes those who wait, not those who are inside', async () => {
    const name = fresh();
    const lock = hub.rwlock(name);
    const inside = await lock.acquire({ mode: 'shared' });
    const alone = peer.rwlock(name).acquire();
    await takenUp();
    const passing = await lock.acquire({ mode: 'shared', priority: 1 });
    const urgent = lock.acquire({ priority: 2 });
    await takenUp();
    const more = peer.rwlock(name).acquire({ mode: 'shared', priority: 1 });
    await takenUp();
    equal(await lock.stats(), { held: 2, shared: true, waiting: 3, tenures: 1, abandoned: false });
    await inside.release();
    await passing.release();
    await (await urgent).release();
    await peer.release(await more);
    await peer.release(await alone);
  });

  test('rwlock: with() shares it too', async () => {
    const lock = hub.rwlock(fresh());
    await lock.with(async () => {
      equal((await lock.stats()).shared, true);
      await lock.with(() => {}, { mode: 'shared' });
    }, { mode: 'shared' });
    equal(await lock.isLocked(), false);
  });

  test('rwlock: a mode that is none is a TypeError that names it, and changes nothing', async () => {
    const lock = hub.rwlock(fresh());
    const before = await hub.stats();
    for (const mode of ['read', '', null, 1, {}] as any[]) {
      await rejects(lock.acquire({ mode }), 'TypeError', /\bmode\b/);
      await rejects(lock.tryAcquire({ mode }), 'TypeError', /\bmode\b/);
      await rejects(lock.with(() => {}, { mode }), 'TypeError', /\bmode\b/);
    }
    equal(await hub.stats(), before);
  });

  test('rwlock: steal takes it from all who share it, and holds it alone', async () => {
    const name = fresh();
    const lock = hub.rwlock(name);
    const mine = await lock.acquire({ mode: 'shared' });
    const theirs = await peer.rwlock(name).acquire({ mode: 'shared' });
    const alone = lock.acquire();
    await takenUp();
    const shared = peer.rwlock(name).acquire({ mode: 'shared' });
    await takenUp();
    const thief = await lock.steal();
    equal((mine.lost.reason as Error).name, 'StolenError');
    equal(await peer.lost(theirs), 'StolenError');
    equal(await lock.stats(), { held: 1, shared: false, waiting: 2, tenures: 2, abandoned: false });
    await mine.release();
    await peer.release(theirs);
    equal((await lock.stats()).held, 1);
    await thief.release();
    const guard = await alone;
    equal(guard.lost.aborted, false);
    await guard.release();
    await peer.release(await shared);
  });

  test("rwlock: of a session's end the others who share it take no notice", async () => {
    const name = fresh();
    const lock = hub.rwlock(name);
    const other = await peer.another();
    await other.rwlock(name).acquire({ mode: 'shared' });
    const waits = rejects(other.rwlock(name).acquire(), 'ClosedError');
    await other.fence();
    const mine = await peer.rwlock(name).acquire({ mode: 'shared', priority: 1 });
    const shared = lock.acquire({ mode: 'shared' });
    await takenUp();
    equal(await lock.stats(), { held: 2, shared: true, waiting: 2, tenures: 1, abandoned: false });
    await other.close();
    await waits;
    const guard = await shared; // it stood behind one who has gone
    equal(await lock.stats(), { held: 2, shared: true, waiting: 0, tenures: 1, abandoned: false });
    await guard.release();
    await peer.release(mine);
    await turn();
    equal(await lock.isLocked(), false);
  });
}
