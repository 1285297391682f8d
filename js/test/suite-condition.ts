import { type Guard, connect } from 'clca';
import { becomes, equal, ok, rejection, rejects, throws } from './assert.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';
import { badOptions } from './suite-lock.ts';
import { badCounts } from './suite-semaphore.ts';

/** Condition. */
export function conditionCases(test: Test, { hub, peer }: Place): void {
  const takenUp = async (): Promise<void> => {
    await hub.stats();
    await peer.fence();
  };

  /** A lock of a new name, and its condition. */
  function made() {
    const name = fresh();
    const lock = hub.lock(name);
    return { name, lock, condition: hub.condition(lock) };
  }

  /** That the guard holds the lock, as everybody sees it. */
  async function holds(name: string, guard: Guard): Promise<void> {
    equal(guard.lost.aborted, false);
    equal((await hub.lock(name).stats()).held, 1, 'it is held');
    equal(await peer.lock(name).tryAcquire(), undefined);
    await guard.release();
    equal((await hub.lock(name).stats()).held, 0, 'by that guard');
  }

  test('condition: a wait gives the lock up, and has it again when it was notified and the lock is free', async () => {
    const { name, lock, condition } = made();
    const guard = await lock.acquire();
    let woken = false;
    const wait = condition.wait(guard).then(() => (woken = true));
    const theirs = await peer.lock(name).acquire();
    equal(await condition.stats(), { waiting: 1 });
    equal(await peer.condition(name).notify(1), 1);
    await takenUp();
    equal(await condition.stats(), { waiting: 0 });
    equal((await lock.stats()).waiting, 1);
    equal(woken, false);
    await peer.release(theirs);
    equal(await wait, true);
    await holds(name, guard);
  });

  test('condition: one that waits in another realm is notified from here', async () => {
    const { name, lock, condition } = made();
    const theirs = await peer.lock(name).acquire();
    const wait = peer.condition(name).wait(theirs);
    const guard = await lock.acquire();
    equal(await condition.notify(), 1);
    await guard.release();
    await wait;
    equal(await lock.tryAcquire(), undefined);
    await peer.release(theirs);
    equal(await lock.isLocked(), false);
  });

  test('condition: those who wait are notified in the order of arrival, whatever realm they are in', async () => {
    const { name, lock, condition } = made();
    const order: string[] = [];
    const all: Promise<unknown>[] = [];
    for (const who of ['a', 'b', 'c']) {
      const guard = await lock.acquire();
      all.push(condition.wait(guard).then(() => (order.push(who), guard.release())));
      const theirs = await peer.lock(name).acquire();
      all.push(peer.condition(name).wait(theirs).then(() => (order.push(`far ${who}`), peer.release(theirs))));
      await takenUp();
    }
    equal(await condition.stats(), { waiting: 6 });
    equal(await condition.notify(1), 1);
    equal(await peer.condition(name).notify(2), 2);
    await Promise.all(all.slice(0, 3));
    equal(order, ['a', 'far a', 'b']);
    equal(await condition.notifyAll(), 3);
    await Promise.all(all);
    equal(order, ['a', 'far a', 'b', 'far b', 'c', 'far c']);
    equal(await peer.condition(name).notifyAll(), 0);
  });

  test('condition: a notification that nobody waits for is not remembered', async () => {
    const { name, lock, condition } = made();
    equal(await condition.notify(), 0);
    const guard = await lock.acquire();
    equal(await condition.notify(5), 0);
    const wait = condition.wait(guard);
    await takenUp();
    equal(await condition.stats(), { waiting: 1 });
    equal(await condition.notify(5), 1);
    await wait;
    await holds(name, guard);
  });

  test('condition: who is notified waits behind those who wait for the lock already', async () => {
    const { name, lock, condition } = made();
    const order: string[] = [];
    const guard = await lock.acquire();
    const wait = condition.wait(guard).then(() => order.push('notified'));
    const theirs = await peer.lock(name).acquire();
    const next = lock.acquire().then((each) => (order.push('next'), each.release()));
    await takenUp();
    equal(await peer.condition(name).notifyAll(), 1);
    const late = peer.lock(name).acquire().then((each) => (order.push('late'), peer.release(each)));
    await takenUp();
    await peer.release(theirs);
    await next;
    await wait;
    equal(order, ['next', 'notified']);
    await guard.release();
    await late;
  });

  test('condition: many rounds between two realms', async () => {
    const { name, lock, condition } = made();
    const guard = await lock.acquire();
    let mine = condition.wait(guard);
    const theirs = await peer.lock(name).acquire();
    for (let round = 0; round < 20; round++) {
      const [notified, wait] = peer.atOnce(() => [peer.condition(name).notify(1), peer.condition(name).wait(theirs)]);
      await mine;
      equal(await notified, 1);
      equal(await condition.notify(), 1);
      mine = condition.wait(guard);
      await wait;
    }
    equal(await peer.condition(name).notify(1), 1);
    await peer.release(theirs);
    await mine;
    await holds(name, guard);
  });

  // ---- aborts ----

  test('condition: an abort rejects only when the guard holds the lock again, and the notification goes to others', async () => {
    const { name, lock, condition } = made();
    const reason = { dog: 'ate it' };
    const stop = new AbortController();
    const order: string[] = [];
    const guard = await lock.acquire();
    const aborted = rejection(condition.wait(guard, { signal: stop.signal })).then((each) => (order.push('aborted'), each));
    const second = await lock.acquire();
    const other = condition.wait(second).then(() => order.push('notified'));
    const theirs = await peer.lock(name).acquire();
    stop.abort(reason);
    await takenUp();
    equal(order, []);
    equal(await condition.stats(), { waiting: 1 });
    equal(await peer.condition(name).notify(1), 1);
    await takenUp();
    equal(order, []);
    await peer.release(theirs);
    ok(await aborted === reason, 'the reason, unchanged');
    equal(order, ['aborted']);
    equal((await lock.stats()).waiting, 1);
    equal(await peer.lock(name).tryAcquire(), undefined);
    await guard.release();
    await other;
    await holds(name, second);
  });

  test('condition: an abort of the peer rejects there when its guard holds the lock again', async () => {
    const { name, lock, condition } = made();
    const theirs = await peer.lock(name).acquire();
    let ended = false;
    const aborted = peer.condition(name).wait(theirs);
    const outcome = rejection(aborted).then((reason) => (ended = true, reason));
    const guard = await lock.acquire();
    aborted.abort('no more');
    await takenUp();
    equal(ended, false);
    equal(await condition.stats(), { waiting: 0 });
    equal(await condition.notifyAll(), 0);
    await guard.release();
    equal(await outcome, 'no more');
    equal(await lock.tryAcquire(), undefined);
    await peer.release(theirs);
    equal(await lock.isLocked(), false);
  });

  test('condition: an abort while the lock is free rejects, holding it', async () => {
    const { name, lock, condition } = made();
    const stop = new AbortController();
    const guard = await lock.acquire();
    const wait = condition.wait(guard, { signal: stop.signal });
    await takenUp();
    equal(await lock.isLocked(), false);
    stop.abort('no more');
    equal(await rejection(wait), 'no more');
    await holds(name, guard);
  });

  test('condition: a timeout rejects when the guard holds the lock again', async () => {
    const { name, lock, condition } = made();
    const guard = await lock.acquire();
    ok(await rejects(condition.wait(guard, { timeout: 1 }), 'TimeoutError') instanceof DOMException, 'a DOMException');
    const wait = condition.wait(guard);
    equal(await condition.notify(), 1);
    await wait;
    await rejects(condition.wait(guard, { timeout: 1, signal: new AbortController().signal }), 'TimeoutError');
    await holds(name, guard);
    const theirs = await peer.lock(name).acquire();
    await rejects(peer.condition(name).wait(theirs, { timeout: 1 }), 'TimeoutError');
    equal(await lock.tryAcquire(), undefined);
    await peer.release(theirs);
  });

  test('condition: a notification counts as taken by one that is aborted after it', async () => {
    const { name, lock, condition } = made();
    const stop = new AbortController();
    const guard = await lock.acquire();
    const notified = condition.wait(guard, { signal: stop.signal });
    const second = await lock.acquire();
    let woken = false;
    const other = condition.wait(second).then(() => (woken = true));
    const theirs = await peer.lock(name).acquire();
    equal(await peer.condition(name).notify(1), 1);
    stop.abort('too late');
    await takenUp();
    equal(await condition.stats(), { waiting: 1 });
    await peer.release(theirs);
    equal(await notified, undefined);
    equal(stop.signal.aborted, true);
    await takenUp();
    equal(woken, false);
    await holds(name, guard);
    equal(await condition.notify(), 1);
    await other;
    await second.release();
  });

  test('condition: the same in the turn of the notification, in both realms', async () => {
    const { name, lock, condition } = made();
    const stop = new AbortController();
    const guard = await lock.acquire();
    const mine = condition.wait(guard, { signal: stop.signal });
    const notified = condition.notify();
    stop.abort('too late');
    equal(await notified, 1);
    equal(await mine, undefined);
    await holds(name, guard);

    const theirs = await peer.lock(name).acquire();
    const wait = peer.condition(name).wait(theirs);
    await peer.fence();
    const second = peer.atOnce(() => {
      const each = peer.condition(name).notify(1);
      wait.abort('too late');
      return each;
    });
    equal(await second, 1);
    equal(await wait, undefined);
    equal(await lock.isLocked(), true);
    await peer.release(theirs);
  });

  test('condition: an abort that crosses a notification gives it to one waiter, never to none', async () => {
    const { name, lock, condition } = made();
    for (let round = 0; round < 10; round++) {
      const theirs = await peer.lock(name).acquire();
      const first = peer.condition(name).wait(theirs);
      await peer.fence();
      const guard = await lock.acquire();
      let woken = false;
      const second = condition.wait(guard).then(() => (woken = true));
      await takenUp();
      if (round % 2 === 0) first.abort('no more');
      equal(await condition.notify(), 1);
      if (round % 2 === 1) first.abort('no more');
      const outcome = await first.then(() => 'notified', (reason: unknown) => reason);
      await peer.release(theirs);
      if (outcome === 'notified') {
        await takenUp();
        equal(woken, false);
        equal(await condition.notify(), 1);
      }
      await second;
      await guard.release();
    }
  });

  test('condition: with a signal that is aborted already the lock is not given up', async () => {
    const { name, lock, condition } = made();
    const reason = { dog: 'ate it' };
    const guard = await lock.acquire();
    const before = await hub.stats();
    ok(await rejection(condition.wait(guard, { signal: AbortSignal.abort(reason) })) === reason, 'the reason, unchanged');
    equal(await hub.stats(), before);
    equal((await lock.stats()).tenures, 1);
    await holds(name, guard);
  });

  test('condition: bad options are a TypeError that names them, and the lock is not given up', async () => {
    const { name, lock, condition } = made();
    const guard = await lock.acquire();
    const before = await hub.stats();
    for (const [message, options] of badOptions) {
      await rejects(condition.wait(guard, options as any), 'TypeError', message);
      await rejects(condition.waitFor(guard, () => false, options as any), 'TypeError', message);
      await rejects(condition.waitFor(guard, () => true, options as any), 'TypeError', message);
    }
    for (const n of badCounts) await rejects(condition.notify(n), 'TypeError', /\bn\b/);
    equal(await hub.stats(), before);
    equal((await lock.stats()).tenures, 1);
    await holds(name, guard);
  });

  // ---- guards ----

  test('condition: a guard that does not hold its lock is a NotOwnerError, and changes nothing', async () => {
    const { name, lock, condition } = made();
    const released = await lock.acquire();
    await released.release();
    const ofAnother = await hub.lock(fresh()).acquire();
    const ofAnotherKind = await hub.rwlock(name).acquire();
    const permit = await hub.semaphore(name, 1).acquire();
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    const client = await connect(port2);
    const foreign = await client.lock(name).acquire();
    const theirs = await peer.lock(fresh()).acquire();
    const before = await hub.stats();
    for (const guard of [released, ofAnother, ofAnotherKind, permit, foreign, undefined, null, 5, 'guard', {}] as any[]) {
      const error = await rejects(condition.wait(guard), 'NotOwnerError');
      equal(error.code, 'NOT_OWNER');
    }
    await rejects(peer.condition(name).wait(theirs), 'NotOwnerError');
    equal(await hub.stats(), before);
    equal(await condition.stats(), { waiting: 0 });
    equal((await lock.stats()).held, 1);
    await foreign.release();
    await client.close();
    for (const guard of [ofAnother, ofAnotherKind, permit]) await guard.release();
    await peer.release(theirs);
    await rejects(peer.condition(name).wait(theirs), 'NotOwnerError');
  });

  test('condition: one guard waits once at a time', async () => {
    const { name, lock, condition } = made();
    const guard = await lock.acquire();
    const wait = condition.wait(guard);
    await rejects(condition.wait(guard), 'NotOwnerError');
    await rejects(hub.condition(lock, 'other').wait(guard), 'NotOwnerError');
    equal(await condition.stats(), { waiting: 1 });
    equal(await condition.notify(), 1);
    await wait;
    await holds(name, guard);
  });

  test('condition: a guard that is released while it waits ends its wait with a NotOwnerError', async () => {
    const { lock, condition } = made();
    const guard = await lock.acquire();
    const wait = rejects(condition.wait(guard), 'NotOwnerError');
    await guard.release();
    await wait;
    equal(await condition.stats(), { waiting: 0 });
    equal(await condition.notify(), 0);
    equal(await lock.isLocked(), false);
  });

  test('condition: a guard that is released when it was notified gives the lock to the next', async () => {
    const { name, lock, condition } = made();
    const guard = await lock.acquire();
    const wait = rejects(condition.wait(guard), 'NotOwnerError');
    const theirs = await peer.lock(name).acquire();
    equal(await condition.notify(), 1);
    const next = lock.acquire();
    await guard.release();
    await wait;
    await peer.release(theirs);
    await (await next).release();
    equal(await lock.isLocked(), false);
  });

  test('condition: a guard that is stolen from does not wait, and one that waits is not stolen from', async () => {
    const { name, lock, condition } = made();
    const guard = await lock.acquire();
    const first = await peer.lock(name).steal();
    await rejects(condition.wait(guard), 'NotOwnerError');
    await guard.release();
    await peer.release(first);

    const second = await lock.acquire();
    const wait = condition.wait(second);
    await takenUp();
    const thief = await peer.lock(name).steal();
    equal(await condition.notify(), 1);
    await peer.release(thief);
    await wait;
    await holds(name, second);
  });

  test('condition: a wait in the turn of a theft does not get the lock past the thief', async () => {
    const { name, lock, condition } = made();
    const guard = await lock.acquire();
    const stealing = peer.lock(name).steal();
    const wait = condition.wait(guard).then(() => 'notified', (error: Error) => error.name);
    const thief = await stealing;
    await takenUp();
    if ((await condition.stats()).waiting === 1) equal(await condition.notify(), 1); // it had begun to wait before
    await peer.release(thief);
    equal(await wait, guard.lost.aborted ? 'NotOwnerError' : 'notified');
    await guard.release();
    equal(await lock.isLocked(), false);
  });

  // ---- waitFor ----

  test('condition: waitFor waits until it is so, asking only while it holds the lock', async () => {
    const { name, lock, condition } = made();
    const items: number[] = [];
    let asked = 0;
    const guard = await lock.acquire();
    const wait = condition.waitFor(guard, async () => {
      asked++;
      equal(await peer.lock(name).tryAcquire(), undefined);
      return items.length === 2;
    });
    for (const item of [1, 2]) {
      const other = await lock.acquire();
      items.push(item);
      equal(await condition.notifyAll(), 1);
      await other.release();
    }
    equal(await wait, undefined);
    equal(asked, 3);
    await condition.waitFor(guard, () => true);
    equal((await lock.stats()).held, 1);
    await holds(name, guard);
  });

  test('condition: waitFor ends as its wait does, or as what it asks does, holding the lock', async () => {
    const { name, lock, condition } = made();
    const guard = await lock.acquire();
    await rejects(condition.waitFor(guard, () => false, { timeout: 1 }), 'TimeoutError');
    const stop = new AbortController();
    const wait = rejection(condition.waitFor(guard, () => false, { signal: stop.signal }));
    const theirs = await peer.lock(name).acquire();
    stop.abort('no more');
    await peer.release(theirs);
    equal(await wait, 'no more');
    equal(await rejection(condition.waitFor(guard, () => true, { signal: AbortSignal.abort('before') })), 'before');
    await rejects(condition.waitFor(guard, () => { throw new URIError('asked'); }), 'URIError');
    for (const bad of [undefined, null, true, {}] as any[]) {
      await rejects(condition.waitFor(guard, bad), 'TypeError', /\bready\b/);
    }
    await holds(name, guard);
    await rejects(condition.waitFor(guard, () => false), 'NotOwnerError');
    await rejects(condition.waitFor(guard, () => true), 'NotOwnerError'); // nor is it asked without the lock
  });

  // ---- names ----

  test('condition: a lock has any number of conditions, told apart by their names', async () => {
    const { name, lock, condition } = made();
    const other = hub.condition(lock, 'other');
    const guards = [await lock.acquire()];
    const first = condition.wait(guards[0]!);
    guards.push(await lock.acquire());
    const second = other.wait(guards[1]!);
    await takenUp();
    equal(await peer.condition(name, 'other').notify(5), 1);
    await second;
    await guards[1]!.release();
    equal(await condition.stats(), { waiting: 1 });
    equal(await peer.condition(name, '').notify(5), 1);
    await first;
    await guards[0]!.release();

    const { names } = await hub.stats();
    const near = await hub.lock(`${name}a`).acquire();
    const wait = hub.condition(hub.lock(`${name}a`), 'bc').wait(near);
    await takenUp();
    equal(await hub.condition(hub.lock(`${name}ab`), 'c').notify(5), 0);
    equal(await peer.condition(`${name}ab`, 'c').notify(5), 0);
    equal((await hub.stats()).names, names + 2);
    equal(await peer.condition(`${name}a`, 'bc').notify(5), 1);
    await wait;
    await near.release();
    equal((await hub.stats()).names, names);
  });

  test('condition: what is no lock of this hub throws a TypeError, and so does a name that is no string', async () => {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    const client = await connect(port2);
    for (const bad of [undefined, null, 'lock', {}, hub.rwlock('l'), hub.reentrantLock('l'), client.lock('l')] as any[]) {
      throws(() => hub.condition(bad), 'TypeError', /\block\b/);
    }
    for (const bad of [null, 5, {}] as any[]) throws(() => hub.condition(hub.lock('l'), bad), 'TypeError', /\bname\b/);
    await client.close();
  });

  test('condition: a realm may use the conditions of those locks that it may use', async () => {
    const { name, lock, condition } = made();
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1, { prefix: `${name}/` });
    const client = await connect(port2);
    const theirs = client.lock(`${name}/own`);
    const guard = await theirs.acquire();
    const wait = client.condition(theirs, 'any').wait(guard);
    await client.stats();
    equal(await hub.condition(hub.lock(`${name}/own`), 'any').notify(), 1);
    await wait;
    for (const [text, ending] of [[name, '/own'], ['', `${name}/own`], [`${name}`, '']] as const) {
      await rejects(client.condition(client.lock(text), ending).notify(), 'DeniedError');
    }
    equal(await condition.stats(), { waiting: 0 });
    await guard.release();
    await client.close();
    equal(await lock.isLocked(), false);
  });

  // ---- the end ----

  test('condition: closing the lock rejects all who wait, without the lock, and frees the name', async () => {
    const { name, lock, condition } = made();
    const guard = await lock.acquire();
    const mine = rejects(condition.wait(guard), 'ClosedError');
    const theirs = await peer.lock(name).acquire();
    const far = rejects(peer.condition(name).wait(theirs), 'ClosedError');
    const second = await lock.acquire();
    const notified = rejects(condition.wait(second), 'ClosedError');
    const third = await lock.acquire();
    equal(await condition.notify(2), 2); // two of them are in the line of the lock
    await peer.lock(name).close();
    for (const each of [mine, far, notified]) equal((await each).code, 'CLOSED');
    await takenUp();
    for (const each of [guard, second]) equal((each.lost.reason as Error).name, 'ClosedError');
    equal(await peer.lost(theirs), 'ClosedError');
    await rejects(condition.wait(third), 'ClosedError');
    equal(third.lost.aborted, false);
    for (const each of [guard, second]) equal(await each.release(), undefined);
    await peer.release(theirs);
    equal((await lock.stats()).held, 1);
    await third.release();
    const afresh = await lock.acquire();
    const wait = condition.wait(afresh);
    equal(await condition.notify(), 1);
    await wait;
    await afresh.release();
  });

  test('condition: one that is aborted waits no longer for a lock that is closed, and loses it', async () => {
    const { name, lock, condition } = made();
    const stop = new AbortController();
    const guard = await lock.acquire();
    const wait = condition.wait(guard, { signal: stop.signal }).then(() => 'resolved', (error: unknown) => error);
    const theirs = await peer.lock(name).acquire();
    stop.abort('no more');
    await lock.close();
    equal(await wait, 'no more');
    equal(guard.lost.reason.name, 'ClosedError');
    await peer.release(theirs);
    await guard.release();
  });

  test('condition: a session that ends takes no notification with it', async () => {
    const { name, lock, condition } = made();
    const other = await peer.another();
    const lost = await other.lock(name).acquire();
    const gone = rejects(other.condition(name).wait(lost), 'ClosedError');
    await other.fence();
    const guard = await lock.acquire();
    const wait = condition.wait(guard);
    equal(await condition.stats(), { waiting: 2 });
    const { sessions } = await hub.stats();
    await other.close();
    await gone;
    await becomes(async () => (await hub.stats()).sessions, sessions - 1);
    equal(await condition.notify(), 1);
    await wait;
    await holds(name, guard);
  });

  test('condition: a session that ends when it was notified, or has the lock, lets the next have it', async () => {
    const { name, lock, condition } = made();
    const other = await peer.another();
    const lost = await other.lock(name).acquire();
    const gone = rejects(other.condition(name).wait(lost), 'ClosedError');
    await other.fence();
    const guard = await lock.acquire();
    const wait = condition.wait(guard);
    const holder = await other.lock(name).acquire();
    equal(await condition.notifyAll(), 2); // the first in line is of the session that ends
    equal((await lock.stats()).waiting, 2);
    await other.close();
    await gone;
    equal(await peer.lost(holder), 'ClosedError');
    await wait;
    await holds(name, guard);
  });

  test('condition: a wait tells its guard of a holder that went away meanwhile, however it ends', async () => {
    for (const aborts of [false, true]) {
      const { name, lock, condition } = made();
      const other = await peer.another();
      const stop = new AbortController();
      const guard = await lock.acquire();
      const wait = condition.wait(guard, { signal: stop.signal }).then(() => 'notified', (reason: unknown) => reason);
      await other.lock(name).acquire();
      equal(guard.abandoned, false);
      if (aborts) stop.abort('no more');
      else equal(await condition.notify(), 1);
      await takenUp();
      await other.close();
      equal(await wait, aborts ? 'no more' : 'notified');
      equal([guard.abandoned, (await lock.stats()).abandoned], [true, false]);
      await holds(name, guard);
      await lock.with(({ abandoned }) => equal(abandoned, false));
    }
  });

  test('condition: of one that goes away while it waits nobody is told', async () => {
    const { name, lock, condition } = made();
    const { names, sessions } = await hub.stats();
    const other = await peer.another();
    const theirs = await other.lock(name).acquire();
    const gone = rejects(other.condition(name).wait(theirs), 'ClosedError');
    await other.fence();
    const guard = await lock.acquire();
    await other.close();
    await gone;
    await becomes(async () => (await hub.stats()).sessions, sessions);
    equal(await condition.notify(), 0);
    equal([guard.abandoned, (await lock.stats()).abandoned], [false, false]);
    await guard.release();
    await lock.with(({ abandoned }) => equal(abandoned, false));
    equal((await hub.stats()).names, names);
  });

  test('condition: the lock and its condition live while somebody waits', async () => {
    const { name, lock, condition } = made();
    const { names, calls } = await hub.stats();
    equal(await condition.stats(), { waiting: 0 });
    equal((await hub.stats()).names, names);
    const guard = await lock.acquire();
    const wait = condition.wait(guard);
    const stats = await hub.stats();
    equal([stats.names, stats.calls], [names + 2, calls + 2]);
    equal(await peer.condition(name).notifyAll(), 1);
    await wait;
    equal((await hub.stats()).names, names + 1);
    await guard.release();
    equal((await hub.stats()).names, names);
  });
}
