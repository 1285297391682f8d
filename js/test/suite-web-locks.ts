import { type AttachOptions, type Hub, connect } from 'clca';
import { becomes, equal, gate, ok, rejection, rejects, turn } from './assert.ts';
import { type Place, fresh } from './place.ts';
import { onUnhandledRejection } from './reports.ts';
import type { Test } from './runner.ts';

/** `hub.locks`, or `navigator.locks`. */
export interface Locks {
  request(...given: any[]): Promise<any>;
  query(): Promise<{ held?: any[]; pending?: any[] }>;
}

const never = (): void => {
  throw new Error('called');
};

/** Holds a lock until told; resolves once it does. */
async function hold(locks: Locks, name: string, options: object = {}) {
  const { opened, open, fail } = gate<unknown>();
  const called = gate<any>();
  const request = locks.request(name, options, (lock: unknown) => {
    called.open(lock);
    return opened;
  });
  request.catch(() => {}); // the case looks at it when it wants
  return { lock: await called.opened, release: open, fail, request };
}

/** What is held and wanted of that name. */
async function snapshot(locks: Locks, name: string): Promise<{ held: string[]; pending: string[] }> {
  const { held, pending } = await locks.query();
  const modes = (infos: any[] = []): string[] => infos.filter((each) => each.name === name).map((each) => each.mode);
  return { held: modes(held), pending: modes(pending) };
}

const isFree = (locks: Locks, name: string, mode = 'exclusive'): Promise<boolean> => {
  return locks.request(name, { ifAvailable: true, mode }, (lock: unknown) => lock !== null);
};

async function microtasks(): Promise<void> {
  for (let i = 0; i < 50; i++) await undefined;
}

/** What holds for any LockManager: the cases are as true of the browser's own. */
export function lockManagerCases(test: Test, locks: Locks): void {
  // ---- arguments ----

  test('hub.locks: fewer than two arguments reject with a TypeError', async () => {
    await rejects(locks.request(), 'TypeError');
    await rejects(locks.request('a'), 'TypeError');
    await rejects(locks.request(Symbol('a')), 'TypeError');
  });

  test('hub.locks: a name is converted to a string', async () => {
    const id = fresh();
    const values: [unknown, string][] = [
      [undefined, 'undefined'], [null, 'null'], [5, '5'], [-0, '0'], [true, 'true'], [10n, '10'], [['a', id], `a,${id}`], ['', ''],
      [{ toString: () => id }, id], [{}, '[object Object]'], [`\ud800${id}`, `\ud800${id}`], [`${id}\udc00`, `${id}\udc00`],
      [`${id}-a`, `${id}-a`], [` -${id}`, ` -${id}`], [`\u2010${id}`, `\u2010${id}`], [`${id}\0`, `${id}\0`],
    ];
    for (const [value, name] of values) equal(await locks.request(value, (lock: any) => lock.name), name);
  });

  test('hub.locks: two different names are two locks, lone surrogates included', async () => {
    const name = fresh();
    const held = await hold(locks, `${name}\ud800`);
    for (const other of [`${name}\ud801`, `${name}\ufffd`, name, `${name} `]) equal(await isFree(locks, other), true);
    equal(await isFree(locks, `${name}\ud800`), false);
    held.release(1);
    await held.request;
  });

  test('hub.locks: a name that cannot be converted rejects', async () => {
    await rejects(locks.request(Symbol('a'), never), 'TypeError');
    await rejects(locks.request(Object.create(null), never), 'TypeError');
    const own = { own: true };
    ok(await rejection(locks.request({ toString() { throw own; } }, never)) === own, 'with what the conversion threw');
  });

  test('hub.locks: a name that begins with a hyphen rejects with a NotSupportedError', async () => {
    for (const name of ['-', '-a', '--', { toString: () => '-x' }, -1, -Infinity]) {
      const error = await rejects(locks.request(name, never), 'NotSupportedError');
      ok(error instanceof DOMException, 'a DOMException');
    }
  });

  test('hub.locks: a callback that is none rejects with a TypeError', async () => {
    for (const bad of [undefined, null, {}, 'f', 5, Symbol('f')]) {
      await rejects(locks.request('a', bad), 'TypeError');
      await rejects(locks.request('a', {}, bad), 'TypeError');
    }
    await rejects(locks.request('a', () => 'the options', undefined), 'TypeError');
  });

  test('hub.locks: options may be undefined, null or any object', async () => {
    const name = fresh();
    for (const options of [undefined, null, {}, [], () => {}, /x/, { other: 1 }, Object.create({ mode: 'shared' })]) {
      equal(await locks.request(name, options, (lock: any) => lock.mode), options?.mode ?? 'exclusive');
    }
    for (const options of [5, 'x', true, Symbol('s'), 5n]) await rejects(locks.request(name, options, never), 'TypeError');
  });

  test('hub.locks: what comes after the callback is no matter', async () => {
    equal(await locks.request(fresh(), {}, () => 'called', { mode: 'no mode' }), 'called');
  });

  test('hub.locks: a mode is converted to a string, and must be one of the two', async () => {
    const name = fresh();
    for (const [mode, is] of [['shared', 'shared'], ['exclusive', 'exclusive'], [undefined, 'exclusive'], [['shared'], 'shared']]) {
      equal(await locks.request(name, { mode }, (lock: any) => lock.mode), is);
    }
    equal(await locks.request(name, { mode: { toString: () => 'shared' } }, (lock: any) => lock.mode), 'shared');
    for (const mode of ['', 'Shared', ' shared', null, 5, Symbol('m'), {}]) {
      await rejects(locks.request(name, { mode }, never), 'TypeError');
    }
  });

  test('hub.locks: ifAvailable and steal are converted to booleans', async () => {
    const name = fresh();
    const held = await hold(locks, name, { steal: 0, ifAvailable: '' });
    equal(await locks.request(name, { ifAvailable: 'no', steal: null }, (lock: unknown) => lock), null);
    equal(await locks.request(name, { steal: {}, ifAvailable: NaN }, () => 'stolen'), 'stolen');
    await rejects(held.request, 'AbortError');
  });

  test('hub.locks: options that do not go together reject with a NotSupportedError', async () => {
    const { signal } = new AbortController();
    for (const options of [
      { steal: true, ifAvailable: true }, { steal: true, mode: 'shared' }, { steal: true, mode: 'shared', ifAvailable: true },
      { signal, steal: true }, { signal, ifAvailable: true }, { signal: AbortSignal.abort('before'), steal: true },
    ]) {
      const error = await rejects(locks.request(fresh(), options, never), 'NotSupportedError');
      ok(error instanceof DOMException, 'a DOMException');
    }
    await rejects(locks.request('-', { mode: 'bad' }, never), 'TypeError');
    await rejects(locks.request('-', { signal: AbortSignal.abort('before') }, never), 'NotSupportedError');
  });

  test('hub.locks: a signal that is none rejects with a TypeError', async () => {
    for (const signal of [null, {}, 5, 'stop', new AbortController()]) {
      await rejects(locks.request(fresh(), { signal }, never), 'TypeError');
    }
    equal(await locks.request(fresh(), { signal: undefined }, () => 'called'), 'called');
  });

  test('hub.locks: options are read in the order of the platform, and the callback is looked at last', async () => {
    const read: string[] = [];
    const name = { toString: () => (read.push('name'), 'a') };
    const options = (values: Record<string, unknown> = {}) => new Proxy({}, {
      get: (_, key) => (read.push(String(key)), values[key as string]),
      has: (_, key) => (read.push(`has ${String(key)}`), false),
      ownKeys: () => (read.push('keys'), []),
    });
    const all = ['name', 'ifAvailable', 'mode', 'signal', 'steal'];
    await locks.request(name, options(), () => read.push('called'));
    equal(read.splice(0), [...all, 'called']);
    await rejects(locks.request(name, options(), 'no function'), 'TypeError');
    equal(read.splice(0), all);
    await rejects(locks.request(name, options({ mode: 'bad' }), never), 'TypeError');
    equal(read.splice(0), ['name', 'ifAvailable', 'mode']);
    await rejects(locks.request(name, options({ signal: 5 }), never), 'TypeError');
    equal(read.splice(0), ['name', 'ifAvailable', 'mode', 'signal']);
    await rejects(locks.request(name, 5, never), 'TypeError');
    equal(read.splice(0), ['name']);
  });

  test('hub.locks: what reading an option throws is the rejection', async () => {
    const own = { own: true };
    for (const key of ['ifAvailable', 'mode', 'signal', 'steal']) {
      const options = Object.defineProperty({}, key, { get() { throw own; } });
      ok(await rejection(locks.request(fresh(), options, never)) === own, key);
    }
  });

  test('hub.locks: a method without its object rejects with a TypeError, and does not throw', async () => {
    const { request, query } = locks;
    await rejects(request.call(undefined, fresh(), never), 'TypeError');
    await rejects(query.call(undefined), 'TypeError');
    await rejects(request.call({}, fresh(), never), 'TypeError');
  });

  test('hub.locks: its functions and objects look as those of the platform', async () => {
    equal([locks.request.length, locks.request.name, locks.query.length, locks.query.name], [2, 'request', 0, 'query']);
    equal(Object.prototype.toString.call(locks), '[object LockManager]');
    equal(await locks.request(fresh(), (lock: any) => Object.prototype.toString.call(lock)), '[object Lock]');
  });

  // ---- the callback, and what it returns ----

  test('hub.locks: the callback is called with nothing but the lock, in a task of its own', async () => {
    const name = fresh();
    let given: unknown[] | undefined;
    let self: unknown = 'not called';
    const request = locks.request(name, function (this: unknown, ...args: unknown[]) {
      given = args;
      self = this;
    });
    equal(given, undefined, 'not synchronously');
    await microtasks();
    equal(given, undefined, 'nor in a microtask');
    await request;
    equal(given!.length, 1);
    equal(self, undefined);
  });

  test('hub.locks: a lock has a name and a mode that are read-only, and no properties of its own', async () => {
    for (const mode of ['exclusive', 'shared']) {
      const name = fresh();
      const lock = await locks.request(name, { mode }, (lock: any) => lock);
      equal([lock.name, lock.mode], [name, mode]);
      equal(Object.getOwnPropertyNames(lock), []);
      equal(JSON.stringify(lock), '{}');
      for (const key of ['name', 'mode']) {
        let error: unknown;
        try {
          lock[key] = 'other';
        } catch (thrown) {
          error = thrown;
        }
        ok(error instanceof TypeError, `${key} cannot be set`);
      }
      equal([lock.name, lock.mode], [name, mode]);
      lock.mine = 1;
      equal(lock.mine, 1);
    }
  });

  test('hub.locks: the request resolves with what the callback returns, or what that resolves with', async () => {
    const name = fresh();
    const value = { value: true };
    for (const given of [value, Promise.resolve(value), { then: (done: (value: unknown) => void) => done(value) }]) {
      ok(await locks.request(name, () => given) === value, 'unchanged');
      ok(await locks.request(name, async () => given) === value, 'unchanged');
    }
    for (const given of [undefined, null, 0, '', NaN]) ok(Object.is(await locks.request(name, () => given), given), String(given));
    const fulfilled = Promise.resolve(Promise.resolve(value));
    ok(await locks.request(name, { mode: 'shared' }, () => fulfilled) === value, 'unchanged');
  });

  test('hub.locks: the request rejects with what the callback throws, or what that rejects with', async () => {
    const name = fresh();
    for (const reason of [new Error('mine'), 'mine', undefined, null, 0]) {
      for (const callback of [
        () => { throw reason; }, () => Promise.reject(reason), async () => { throw reason; },
        () => ({ then(_: unknown, fail: (reason: unknown) => void) { fail(reason); } }), () => ({ get then() { throw reason; } }),
      ]) {
        ok(Object.is(await rejection(locks.request(name, callback)), reason), `unchanged: ${String(reason)}`);
        equal(await isFree(locks, name), true);
      }
    }
    await rejects(locks.request(name, class {}), 'TypeError');
  });

  test('hub.locks: the lock is held until what the callback returned has settled', async () => {
    const name = fresh();
    let done!: (value: string) => void;
    const held = locks.request(name, () => ({ then: (each: typeof done) => void (done = each) }));
    await becomes(() => typeof done, 'function');
    equal(await isFree(locks, name), false);
    done('now');
    equal(await held, 'now');
    equal(await isFree(locks, name), true);
  });

  test('hub.locks: the lock is given back with the first microtask after the end', async () => {
    const name = fresh();
    const first = await hold(locks, name);
    first.release(1);
    equal(await isFree(locks, name), false, 'it is asked before');
    await first.request;
    const second = await hold(locks, name);
    await turn(); // Chromium looks at what was returned when the callback's microtasks are over
    second.release(1);
    await undefined;
    equal(await isFree(locks, name), true, 'it is asked after');
    await second.request;
  });

  // ---- order ----

  test('hub.locks: one at a time has the lock alone, in the order of the requests', async () => {
    const name = fresh();
    const order: unknown[] = [];
    let inside = 0;
    await Promise.all(Array.from({ length: 50 }, (_, i) => locks.request(name, async () => {
      equal(++inside, 1);
      order.push(i);
      if (i % 3 === 0) await turn();
      await undefined;
      inside--;
    })));
    equal(order, Array.from({ length: 50 }, (_, i) => i));
  });

  test('hub.locks: any number share the lock, but pass nobody who waits', async () => {
    const name = fresh();
    const order: string[] = [];
    const first = await hold(locks, name, { mode: 'shared' });
    const second = await hold(locks, name, { mode: 'shared' });
    const alone = locks.request(name, () => order.push('alone'));
    const third = locks.request(name, { mode: 'shared' }, () => order.push('third'));
    const fourth = locks.request(name, { mode: 'shared' }, () => order.push('fourth'));
    equal(await snapshot(locks, name), { held: ['shared', 'shared'], pending: ['exclusive', 'shared', 'shared'] });
    second.release(1);
    await second.request;
    equal(await snapshot(locks, name), { held: ['shared'], pending: ['exclusive', 'shared', 'shared'] });
    equal(order, []);
    first.release(1);
    await Promise.all([alone, third, fourth]);
    equal(order, ['alone', 'third', 'fourth']);
  });

  test('hub.locks: a callback and all that follows in microtasks is over before the next is called', async () => {
    const name = fresh();
    const log: string[] = [];
    const held = await hold(locks, name);
    const requests = ['a', 'b', 'c'].map((who) => locks.request(name, { mode: 'shared' }, async () => {
      log.push(`${who} begins`);
      await microtasks();
      log.push(`${who} ends`);
    }));
    const others = ['d', 'e'].map((who) => locks.request(fresh(), async () => {
      log.push(`${who} begins`);
      await microtasks();
      log.push(`${who} ends`);
    }));
    held.release(1);
    await Promise.all([...requests, ...others]);
    equal(log.length, 10);
    for (let i = 0; i < 10; i += 2) equal(log[i]!.replace('begins', 'ends'), log[i + 1]);
    equal(log.filter((each) => /^[abc] begins/.test(each)).join(), 'a begins,b begins,c begins');
    equal(log.filter((each) => /^[de] begins/.test(each)).join(), 'd begins,e begins');
  });

  test('hub.locks: a request settles, and who awaits it goes on, before the next is called', async () => {
    const name = fresh();
    const log: string[] = [];
    const request = async (who: number, result: () => unknown): Promise<void> => {
      await locks.request(name, () => (log.push(`${who} called`), result())).catch(() => {});
      await microtasks();
      log.push(`${who} over`);
    };
    await Promise.all([
      request(1, () => 'now'), request(2, () => Promise.reject('no')), request(3, turn), request(4, () => { throw 'no'; }), request(5, microtasks),
    ]);
    equal(log, [1, 2, 3, 4, 5].flatMap((who) => [`${who} called`, `${who} over`]));
  });

  test('hub.locks: names are independent, and requests can be nested', async () => {
    const [a, b] = [fresh(), fresh()];
    equal(await locks.request(a, () => locks.request(b, async () => {
      equal(await isFree(locks, a), false);
      equal(await isFree(locks, b), false);
      return 'both';
    })), 'both');
    equal(await locks.request(a, { mode: 'shared' }, () => locks.request(a, { mode: 'shared' }, () => 'twice')), 'twice');
    equal(await isFree(locks, a), true);
  });

  test('hub.locks: a request for the same name that is made by who holds it comes after', async () => {
    const name = fresh();
    const log: string[] = [];
    let inner!: Promise<unknown>;
    const outer = locks.request(name, async () => {
      inner = locks.request(name, () => log.push('inner'));
      equal(await locks.request(name, { ifAvailable: true }, (lock: unknown) => lock), null);
      log.push('outer');
    });
    await outer;
    await inner;
    equal(log, ['outer', 'inner']);
  });

  test('hub.locks: who awaits a request can have the lock again', async () => {
    const name = fresh();
    for (let i = 0; i < 3; i++) {
      await locks.request(name, async () => {});
      equal(await isFree(locks, name), true);
      equal(await locks.request(name, async () => 'inner').then(() => locks.request(name, () => 'again')), 'again');
      equal(await snapshot(locks, name), { held: [], pending: [] });
    }
  });

  // ---- ifAvailable ----

  test('hub.locks: ifAvailable gets the lock if nobody holds it against that and nobody waits, and else null', async () => {
    const name = fresh();
    const isHad = (mode: string): Promise<boolean> => isFree(locks, name, mode);
    equal([await isHad('exclusive'), await isHad('shared')], [true, true]);
    const alone = await hold(locks, name, { ifAvailable: true });
    ok(alone.lock !== null, 'it is free');
    equal([await isHad('exclusive'), await isHad('shared')], [false, false]);
    alone.release(1);
    await alone.request;
    const shared = await hold(locks, name, { mode: 'shared' });
    equal([await isHad('exclusive'), await isHad('shared')], [false, true]);
    const waits = locks.request(name, () => 'had');
    equal([await isHad('exclusive'), await isHad('shared')], [false, false]);
    equal(await snapshot(locks, name), { held: ['shared'], pending: ['exclusive'] });
    shared.release(1);
    equal(await waits, 'had');
  });

  test('hub.locks: what the callback makes of null is what becomes of the request', async () => {
    const name = fresh();
    const held = await hold(locks, name);
    const got = (callback: (lock: unknown) => unknown): Promise<unknown> => locks.request(name, { ifAvailable: true }, callback);
    equal(await got((lock) => lock), null);
    equal(await got(async (lock) => [lock]), [null]);
    equal(await got(() => ({ then: (done: (value: string) => void) => done('then') })), 'then');
    equal(await rejection(got(() => { throw 'thrown'; })), 'thrown');
    equal(await rejection(got(() => Promise.reject('rejected'))), 'rejected');
    held.release('all the same');
    equal(await held.request, 'all the same');
  });

  // ---- steal ----

  test('hub.locks: a steal takes the lock from who holds it, whose request rejects and whose callback goes on', async () => {
    const name = fresh();
    const held = await hold(locks, name);
    const thief = await hold(locks, name, { steal: true });
    equal([thief.lock.name, thief.lock.mode], [name, 'exclusive']);
    const error = await rejects(held.request, 'AbortError');
    ok(error instanceof DOMException, 'a DOMException');
    equal(await snapshot(locks, name), { held: ['exclusive'], pending: [] });
    held.release('too late'); // it gives nothing back
    await turn();
    equal(await snapshot(locks, name), { held: ['exclusive'], pending: [] });
    await rejects(held.request, 'AbortError');
    thief.release('mine');
    equal(await thief.request, 'mine');
    equal(await isFree(locks, name), true);
  });

  test('hub.locks: who waits keeps their place when the lock is stolen', async () => {
    const name = fresh();
    const order: string[] = [];
    const held = await hold(locks, name);
    const first = locks.request(name, () => order.push('first'));
    const second = locks.request(name, { mode: 'shared' }, () => order.push('second'));
    const thief = locks.request(name, { steal: true }, () => order.push('thief'));
    await Promise.all([first, second, thief, rejects(held.request, 'AbortError')]);
    equal(order, ['thief', 'first', 'second']);
    held.release(1);
  });

  test('hub.locks: a steal of a lock that is free gets it', async () => {
    const name = fresh();
    equal(await locks.request(name, { steal: true }, (lock: any) => lock.mode), 'exclusive');
    equal(await isFree(locks, name), true);
  });

  test('hub.locks: a steal takes the lock from all who share it, and from a thief', async () => {
    const name = fresh();
    const shared = [await hold(locks, name, { mode: 'shared' }), await hold(locks, name, { mode: 'shared' })];
    const thief = await hold(locks, name, { steal: true });
    for (const { request } of shared) await rejects(request, 'AbortError');
    const next = await hold(locks, name, { steal: true });
    await rejects(thief.request, 'AbortError');
    for (const each of [...shared, thief]) each.release(1);
    await turn();
    equal(await snapshot(locks, name), { held: ['exclusive'], pending: [] });
    next.release('last');
    equal(await next.request, 'last');
  });

  test('hub.locks: who is robbed in the turn of the request is called, and then rejects', async () => {
    const name = fresh();
    const log: string[] = [];
    const { opened, open } = gate();
    const robbed = locks.request(name, () => (log.push('robbed'), opened));
    const thief = locks.request(name, { steal: true }, () => log.push('thief'));
    await rejects(robbed, 'AbortError');
    await thief;
    equal(log, ['robbed', 'thief']);
    open();
  });

  test('hub.locks: what becomes of a stolen callback is reported nowhere', async () => {
    const name = fresh();
    const reported: unknown[] = [];
    const stop = onUnhandledRejection((reason) => reported.push(reason));
    try {
      const held = await hold(locks, name);
      await locks.request(name, { steal: true }, () => {});
      await rejects(held.request, 'AbortError');
      held.fail('too late');
      await turn();
      await turn();
      equal(reported, []);
      void locks.request(name, () => Promise.reject('not handled'));
      await becomes(() => reported, ['not handled']);
      void locks.request('-', never);
      await becomes(() => reported.length, 2);
      const stopped = new AbortController();
      const other = await hold(locks, name);
      void locks.request(name, { signal: stopped.signal }, never);
      stopped.abort('nor this');
      await becomes(() => reported.slice(2), ['nor this']);
      other.release(1);
      await other.request;
      await turn();
      equal(reported.length, 3);
    } finally {
      stop();
    }
  });

  // ---- signal ----

  test('hub.locks: a signal that is aborted already rejects with its reason, and asks for nothing', async () => {
    const name = fresh();
    const reason = { dog: 'ate it' };
    ok(await rejection(locks.request(name, { signal: AbortSignal.abort(reason) }, never)) === reason, 'unchanged');
    await rejects(locks.request(name, { signal: AbortSignal.abort() }, never), 'AbortError');
    equal(await snapshot(locks, name), { held: [], pending: [] });
  });

  for (const reason of [undefined, null, 0, 'My dog ate it.', new Error('mine')]) {
    test(`hub.locks: an abort rejects who waits, with its reason: ${String(reason)}`, async () => {
      const name = fresh();
      const held = await hold(locks, name);
      const stop = new AbortController();
      const waits = locks.request(name, { signal: stop.signal }, never);
      const next = locks.request(name, () => 'next');
      await locks.query();
      stop.abort(reason);
      ok(Object.is(await rejection(waits), stop.signal.reason), 'unchanged');
      await becomes(() => snapshot(locks, name), { held: ['exclusive'], pending: ['exclusive'] });
      held.release(1);
      equal(await next, 'next');
    });
  }

  test('hub.locks: an abort rejects at once', async () => {
    const name = fresh();
    const held = await hold(locks, name);
    const stop = new AbortController();
    const log: string[] = [];
    const waits = locks.request(name, { signal: stop.signal }, never).catch((reason) => log.push(reason));
    const asked = locks.query().then(() => log.push('asked'));
    stop.abort('aborted');
    await microtasks();
    equal(log, ['aborted']);
    held.release(1);
    await Promise.all([waits, asked, held.request]);
  });

  test('hub.locks: an abort after the lock was granted changes nothing', async () => {
    const name = fresh();
    const stop = new AbortController();
    const held = await hold(locks, name, { signal: stop.signal });
    stop.abort('too late');
    await turn();
    equal(await snapshot(locks, name), { held: ['exclusive'], pending: [] });
    held.release('held');
    equal(await held.request, 'held');
    const other = new AbortController();
    equal(await locks.request(name, { signal: other.signal }, () => (other.abort('inside'), 'inside')), 'inside');
  });

  test('hub.locks: an abort in the turn of the request ends it, though the lock is free', async () => {
    const name = fresh();
    const stop = new AbortController();
    const request = locks.request(name, { signal: stop.signal }, never);
    stop.abort('at once');
    equal(await rejection(request), 'at once');
    equal(await locks.request(name, () => 'next'), 'next');
  });

  test('hub.locks: an abort by who was granted the lock in the same turn ends the request before it is called', async () => {
    for (const wait of [async () => {}, microtasks]) {
      const name = fresh();
      const stop = new AbortController();
      const first = locks.request(name, { mode: 'shared' }, async () => {
        await wait();
        stop.abort('by the first');
      });
      const second = locks.request(name, { mode: 'shared', signal: stop.signal }, never);
      const third = locks.request(name, { mode: 'shared' }, () => 'third');
      equal(await rejection(second), 'by the first');
      equal([await first, await third], [undefined, 'third']);
      await becomes(() => snapshot(locks, name), { held: [], pending: [] });
    }
  });

  test('hub.locks: one signal ends all requests that it was given to', async () => {
    const name = fresh();
    const stop = new AbortController();
    const { signal } = stop;
    const held = await hold(locks, name, { mode: 'shared', signal });
    const stopped = [
      locks.request(name, { signal }, never), locks.request(name, { signal, mode: 'shared' }, never),
      locks.request(name, { signal }, never), locks.request(name, { signal, mode: 'shared' }, never),
    ];
    const other = locks.request(name, () => 'other');
    await locks.query();
    stop.abort('all of you');
    for (const each of stopped) equal(await rejection(each), 'all of you');
    await becomes(() => snapshot(locks, name), { held: ['shared'], pending: ['exclusive'] });
    held.release('held');
    equal([await held.request, await other], ['held', 'other']);
  });

  // ---- query ----

  test('hub.locks: a query finds who holds and who waits, in their order', async () => {
    const name = fresh();
    equal(await snapshot(locks, name), { held: [], pending: [] });
    const held = await hold(locks, name, { mode: 'shared' });
    const more = hold(locks, name, { mode: 'shared' });
    const waits = ['exclusive', 'shared', 'exclusive'].map((mode) => locks.request(name, { mode }, () => {}));
    const before = await locks.query();
    equal(await snapshot(locks, name), { held: ['shared', 'shared'], pending: ['exclusive', 'shared', 'exclusive'] });
    held.release(1);
    (await more).release(1);
    await Promise.all(waits);
    equal(await snapshot(locks, name), { held: [], pending: [] });
    const own = before.held!.filter((each) => each.name === name);
    equal(own.length, 2, 'a snapshot does not change');
    equal(Object.keys(before), ['held', 'pending']);
    equal(Object.keys(own[0]), ['clientId', 'mode', 'name']);
    ok(typeof own[0].clientId === 'string' && own[0].clientId !== '', 'a client has an id');
    equal(own[1].clientId, own[0].clientId);
    equal([before, before.held, own[0]].map((each) => Object.getPrototypeOf(each)), [Object.prototype, Array.prototype, Object.prototype]);
  });

  test('hub.locks: a query is taken up between the requests before and after it', async () => {
    const name = fresh();
    const first = locks.request(name, turn);
    const one = snapshot(locks, name);
    const second = locks.request(name, { mode: 'shared' }, turn);
    const two = snapshot(locks, name);
    equal(await one, { held: ['exclusive'], pending: [] });
    equal(await two, { held: ['exclusive'], pending: ['shared'] });
    await Promise.all([first, second]);
  });
}

/** What hub.locks does beyond, between realms and with the rest of the hub. */
export function webLockCases(test: Test, { hub, peer }: Place): void {
  const { locks } = hub;
  lockManagerCases(test, locks as Locks);

  /** One more client in this realm, below the one under test. */
  async function another(limits?: AttachOptions): Promise<Hub> {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1, limits);
    return connect(port2);
  }

  test('hub.locks: it is the same object each time', () => {
    ok(hub.locks === locks, 'the same');
  });

  test('hub.locks: its locks are those of hub.rwlock, and no others', async () => {
    const name = fresh();
    const guard = await hub.rwlock(name).acquire({ mode: 'shared' });
    const other = await hub.lock(name).acquire();
    equal(await snapshot(locks, name), { held: ['shared'], pending: [] });
    equal(await isFree(locks, name), false);
    equal(await locks.request(name, { steal: true }, () => hub.rwlock(name).tryAcquire()), undefined);
    equal((guard.lost.reason as Error).name, 'StolenError');
    equal(other.lost.aborted, false);
    const held = await hold(locks, name);
    await (await hub.rwlock(name).steal()).release();
    await rejects(held.request, 'AbortError');
    held.release(1);
    await guard.release();
    await other.release();
  });

  test('hub.locks: an AbortSignal need not be of this realm\'s class', async () => {
    const name = fresh();
    const listeners = new Set<() => void>();
    const foreign = {
      aborted: false,
      reason: undefined as unknown,
      addEventListener: (_: string, listener: () => void) => void listeners.add(listener),
      removeEventListener: (_: string, listener: () => void) => void listeners.delete(listener),
    };
    equal(await locks.request(name, { signal: foreign as unknown as AbortSignal }, () => 'called'), 'called');
    equal(listeners.size, 0);
    const held = await hold(locks, name);
    const waits = locks.request(name, { signal: foreign as unknown as AbortSignal }, never);
    Object.assign(foreign, { aborted: true, reason: 'from afar' });
    for (const listener of listeners) listener();
    equal(await rejection(waits), 'from afar');
    equal(await rejection(locks.request(name, { signal: foreign as unknown as AbortSignal }, never)), 'from afar');
    held.release(1);
    await held.request;
  });

  test('hub.locks: settled requests leave no listener on their AbortSignal', async () => {
    const name = fresh();
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: any[]) => (listeners++, addEventListener.apply(signal, args as any));
    signal.removeEventListener = (...args: any[]) => (listeners--, removeEventListener.apply(signal, args as any));
    const requests = Array.from({ length: 1000 }, () => locks.request(name, { signal }, () => {}));
    ok(listeners > 0, 'it listens while they wait');
    await Promise.all(requests);
    equal(listeners, 0);
  });

  // Chromium 156 grants it when one of those leaves who share the lock.
  test('hub.locks: when one who wants the lock alone gives up, those behind share it who can', async () => {
    const name = fresh();
    const held = await hold(locks, name, { mode: 'shared' });
    const stop = new AbortController();
    const alone = locks.request(name, { signal: stop.signal }, never);
    const shared = locks.request(name, { mode: 'shared' }, () => 'shared');
    const next = locks.request(name, () => 'next');
    await locks.query();
    stop.abort('given up');
    equal(await rejection(alone), 'given up');
    equal(await shared, 'shared');
    held.release(1);
    equal(await next, 'next');
  });

  // ---- between realms ----

  test('hub.locks: realms wait for each other, in the order in which the hub took them up', async () => {
    const name = fresh();
    const order: unknown[] = [];
    const far = await peer.rwlock(name).acquire();
    const first = locks.request(name, () => order.push('first'));
    await locks.query();
    const farNext = peer.rwlock(name).acquire();
    farNext.then(() => order.push('far'), () => {});
    await peer.fence();
    const second = locks.request(name, () => order.push('second'));
    equal(await snapshot(locks, name), { held: ['exclusive'], pending: ['exclusive', 'exclusive', 'exclusive'] });
    await peer.release(far);
    await first;
    await peer.release(await farNext);
    await second;
    equal(order, ['first', 'far', 'second']);
  });

  test('hub.locks: a lock can be stolen from another realm, and by one', async () => {
    const name = fresh();
    const far = await peer.rwlock(name).acquire();
    const lost = peer.lost(far);
    const thief = await hold(locks, name, { steal: true });
    equal(await lost, 'StolenError');
    const again = await peer.rwlock(name).steal();
    await rejects(thief.request, 'AbortError');
    thief.release('too late');
    await peer.release(far);
    equal(await isFree(locks, name), false);
    await peer.release(again);
    equal(await locks.request(name, () => 'free'), 'free');
  });

  test('hub.locks: what a realm holds and waits for ends with it', async () => {
    const name = fresh();
    const gone = await peer.another();
    await gone.rwlock(name).acquire({ mode: 'shared' });
    const waits = gone.rwlock(name).acquire();
    await gone.fence();
    const next = locks.request(name, { mode: 'shared' }, (lock) => lock!.mode);
    equal(await snapshot(locks, name), { held: ['shared'], pending: ['exclusive', 'shared'] });
    await gone.close();
    await rejects(waits, 'ClosedError');
    equal(await next, 'shared');
    await becomes(() => snapshot(locks, name), { held: [], pending: [] });
  });

  test('hub.locks: when the session is over its requests reject, and its callbacks go on', async () => {
    const name = fresh();
    const client = await another();
    const held = await hold(client.locks as Locks, name);
    const waits = client.locks.request(name, never);
    const next = locks.request(name, () => 'next');
    await client.locks.query();
    const closing = client.close();
    await rejects(held.request, 'ClosedError');
    await rejects(waits, 'ClosedError');
    await closing;
    equal(await next, 'next');
    held.release('over');
    await rejects(client.locks.request(name, never), 'ClosedError');
    await rejects(client.locks.query(), 'ClosedError');
    await rejects(client.locks.request('-', never), 'NotSupportedError');
  });

  test('hub.locks: requests of a session that is over before their turn are not called', async () => {
    const name = fresh();
    const client = await another();
    const first = client.locks.request(name, { mode: 'shared' }, () => void client.close());
    const second = client.locks.request(name, { mode: 'shared' }, never);
    await rejects(first, 'ClosedError');
    await rejects(second, 'ClosedError');
    await client.closed;
  });

  test('hub.locks: a client id is the same for all requests of a session, and of no other', async () => {
    const name = fresh();
    const client = await another();
    const own = [await hold(locks as Locks, name, { mode: 'shared' }), await hold(locks as Locks, name, { mode: 'shared' })];
    const others = await hold(client.locks as Locks, name, { mode: 'shared' });
    const far = await peer.rwlock(name).acquire({ mode: 'shared' });
    const waits = [locks.request(name, () => {}), client.locks.request(name, () => {})];
    await client.locks.query();
    const { held, pending } = await locks.query();
    const ids = [...held, ...pending].filter((each) => each.name === name).map((each) => each.clientId);
    equal(ids.length, 6);
    const [mine, alsoMine, theirs, farAway, mineToo, theirsToo] = ids;
    equal([alsoMine, mineToo, theirsToo], [mine, mine, theirs]);
    equal(new Set([mine, theirs, farAway]).size, 3);
    equal((await client.locks.query()).held, held);
    for (const each of [...own, others]) each.release(1);
    await peer.release(far);
    await Promise.all(waits);
    await client.close();
  });

  test('hub.locks: a session with a prefix uses and sees its names alone', async () => {
    const name = fresh();
    const client = await another({ prefix: `${name}/` });
    const inside = await hold(locks as Locks, `${name}/a`);
    const outside = await hold(locks as Locks, name);
    const waits = locks.request(`${name}/a`, () => 'waited');
    const hidden = locks.request(name, () => 'waited');
    await locks.query();
    const seen = await client.locks.query();
    equal([seen.held.map((each) => each.name), seen.pending.map((each) => each.name)], [[`${name}/a`], [`${name}/a`]]);
    await rejects(client.locks.request(name, never), 'DeniedError');
    await rejects(client.locks.request(name, { ifAvailable: true }, never), 'DeniedError');
    await rejects(client.locks.request(name, { steal: true }, never), 'DeniedError');
    await rejects(client.locks.request(`-${name}`, never), 'NotSupportedError');
    equal(await client.locks.request(`${name}/a`, { ifAvailable: true }, (lock) => lock), null);
    equal(await client.locks.request(`${name}/b`, (lock) => lock!.name), `${name}/b`);
    inside.release(1);
    outside.release(1);
    equal([await waits, await hidden], ['waited', 'waited']);
    await client.close();
  });

  test('hub.locks: the hub has nothing left of a thousand requests', async () => {
    const before = await hub.stats();
    const names = Array.from({ length: 100 }, () => fresh());
    let called = 0;
    await Promise.all(names.flatMap((name) => Array.from({ length: 10 }, (_, i) => {
      return locks.request(name, { mode: i % 2 === 0 ? 'shared' : 'exclusive' }, async () => void called++);
    })));
    equal(called, 1000);
    await becomes(() => hub.stats(), before);
  });
}
