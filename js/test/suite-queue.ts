import { type Queue, type QueueOptions, connect } from 'clca';
import { becomes, equal, ok, rejection, rejects, throws } from './assert.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';

/** Queue: order, room, waits on both sides, and what becomes of items whose getter does not want them any more. */
export function queueCases(test: Test, { hub, peer, local }: Place): void {
  const takenUp = async (): Promise<void> => {
    await hub.stats();
    await peer.fence();
  };

  /** Says that so many items that were taken are done, so that the name is free. */
  async function done(queue: Queue<any>, items: number): Promise<void> {
    for (let i = 0; i < items; i++) await queue.taskDone();
  }

  /** One more client in this realm, below the one under test. */
  async function another() {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    return connect(port2);
  }

  const names = async (): Promise<number> => (await hub.stats()).names;

  // ---- items, and who waits for them ----

  test('queue: an item goes from any realm to any, in the order of the puts', async () => {
    const queue = hub.queue<string>(fresh());
    const far = peer.queue(fresh());
    for (const q of [queue, hub.queue<string>(fresh())]) {
      await q.put('a');
      await q.put('b');
      equal([await q.get(), await q.get()], ['a', 'b']);
      await done(q, 2);
    }
    await far.put('a');
    await far.put('b');
    equal([await far.get(), await far.get()], ['a', 'b']);
    await far.close();

    const name = fresh();
    await hub.queue(name).put('near 1');
    await peer.queue(name).put('far 2');
    await hub.queue(name).put('near 3');
    await peer.queue(name).put('far 4');
    equal(await peer.queue(name).get(), 'near 1');
    equal(await hub.queue(name).get(), 'far 2');
    equal(await hub.queue(name).get(), 'near 3');
    equal(await peer.queue(name).get(), 'far 4');
    await done(hub.queue(name), 4);
  });

  test('queue: those who wait to get are served in the order of arrival, in whatever realms they are', async () => {
    const name = fresh();
    const queue = hub.queue(name);
    const order: unknown[] = [];
    const gets: Promise<unknown>[] = [];
    for (let i = 0; i < 6; i++) {
      gets.push(i % 2 === 0 ? queue.get() : peer.queue(name).get());
      await takenUp();
    }
    equal((await queue.stats()).getting, 6);
    for (let i = 0; i < 6; i++) await (i % 3 === 0 ? queue.put(i) : peer.queue(name).put(i));
    order.push(...await Promise.all(gets));
    equal(order, [0, 1, 2, 3, 4, 5]);
    await done(queue, 6);
  });

  test('queue: those who wait to put are served in the order of arrival, in whatever realms they are', async () => {
    const name = fresh();
    const queue = hub.queue(name, { capacity: 1 });
    const far = peer.queue(name, { capacity: 1 });
    const order: unknown[] = [];
    const puts: Promise<unknown>[] = [];
    for (let i = 0; i < 6; i++) {
      puts.push((i % 2 === 0 ? queue.put(i) : far.put(i)).then(() => order.push(i)));
      await takenUp();
    }
    equal(await queue.stats(), { length: 1, capacity: 1, getting: 0, putting: 5, unfinished: 1, puts: 1 });
    const got: unknown[] = [];
    for (let i = 0; i < 6; i++) {
      got.push(await (i < 3 ? queue : far).get());
      await puts[Math.min(i + 1, 5)];
    }
    equal([got, order], [[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]]);
    await done(queue, 6);
  });

  test('queue: with capacity 0 a put waits until a get takes its item', async () => {
    const name = fresh();
    const queue = hub.queue(name, { capacity: 0 });
    const far = peer.queue(name, { capacity: 0 });
    let put = false;
    const putting = queue.put('near').then(() => (put = true));
    await takenUp();
    equal([put, await queue.tryPut('no'), (await queue.stats()).length], [false, false, 0]);
    equal(await far.get(), 'near');
    await putting;
    const getting = queue.get();
    await takenUp();
    equal(await far.tryPut('far'), true);
    equal(await getting, 'far');
    const both = far.put('waits');
    await takenUp();
    equal(await queue.tryGet(), { value: 'waits' });
    await both;
    await done(queue, 3);
  });

  for (const capacity of [1, 2, Infinity]) {
    test(`queue: with capacity ${capacity} puts that find room do not wait`, async () => {
      const name = fresh();
      const queue = hub.queue<number>(name, { capacity });
      const room = Math.min(capacity, 100);
      for (let i = 0; i < room; i++) await (i % 2 === 0 ? queue.put(i) : peer.queue(name, { capacity }).put(i));
      equal(await queue.tryPut(room), capacity === Infinity);
      const { length, putting } = await queue.stats();
      equal([length, putting], [capacity === Infinity ? room + 1 : room, 0]);
      if (capacity === Infinity) equal((await queue.stats()).capacity, Infinity);
      for (let i = 0; i < length; i++) equal(await (i % 2 === 0 ? peer.queue(name).get() : queue.get()), i);
      await done(queue, length);
    });
  }

  test('queue: order lifo takes the latest first, order priority the highest, and of equals the oldest', async () => {
    const stack = fresh();
    for (const item of ['a', 'b', 'c']) await peer.queue(stack, { order: 'lifo' }).put(item);
    equal([await hub.queue(stack).get(), await peer.queue(stack).get(), await hub.queue(stack).get()], ['c', 'b', 'a']);
    await done(hub.queue(stack), 3);

    const name = fresh();
    const queue = hub.queue(name, { order: 'priority' });
    const far = peer.queue(name, { order: 'priority' });
    await queue.put('0 first');
    await far.put('-5', { priority: -5 });
    await far.put('7 first', { priority: 7 });
    await queue.put('7 second', { priority: 7 });
    equal(await far.tryPut('2^31-1', { priority: 2 ** 31 - 1 }), true);
    equal(await queue.tryPut('-2^31', { priority: -(2 ** 31) }), true);
    await far.put('0 second', { priority: 0 });
    const got: unknown[] = [];
    for (let i = 0; i < 7; i++) got.push(await (i % 2 === 0 ? queue : far).get());
    equal(got, ['2^31-1', '7 first', '7 second', '0 first', '0 second', '-5', '-2^31']);
    await done(queue, 7);
  });

  test('queue: an item that comes back has the place again that it had', async () => {
    const name = fresh();
    const queue = hub.queue(name, { order: 'priority' });
    const stop = new AbortController();
    for (const [item, priority] of [['low', 1], ['high', 9], ['middle', 5]] as const) await queue.put(item, { priority });
    const other = await another();
    const aborted = rejection(other.queue(name).get({ signal: stop.signal }));
    stop.abort('bored');
    equal(await aborted, 'bored');
    await other.close();
    await queue.put('higher', { priority: 10 });
    const got = [await queue.get(), await peer.queue(name).get(), await queue.get(), await queue.get()];
    equal(got, ['higher', 'high', 'middle', 'low']);
    await done(queue, 4);
  });

  test('queue: try… never waits and never overtakes', async () => {
    const name = fresh();
    const queue = hub.queue(name, { capacity: 1 });
    const far = peer.queue(name, { capacity: 1 });
    equal([await queue.tryGet(), await far.tryGet()], [undefined, undefined]);
    equal([await queue.tryPut(undefined), await far.tryPut(1)], [true, false]);
    equal(await far.tryGet(), { value: undefined });
    equal(await far.tryPut(null), true);
    const waits = far.put('waited');
    await takenUp();
    equal(await queue.tryPut('overtakes'), false);
    equal(await queue.tryGet(), { value: null });
    await waits;
    equal(await queue.tryPut('overtakes'), false);
    equal(await queue.tryGet(), { value: 'waited' });
    const [first, second] = [far.get(), queue.get()];
    await takenUp();
    equal(await queue.tryGet(), undefined);
    await queue.put('first');
    equal(await queue.tryGet(), undefined, 'another waits for what comes');
    await queue.put('second');
    equal((await Promise.all([first, second])).sort(), ['first', 'second']);
    await done(queue, 5);
  });

  test('queue: four who put into a full queue, and two gets in one turn: a put that waited precedes a later one', async () => {
    const name = fresh();
    const queue = hub.queue<string>(name, { capacity: 2 });
    await queue.put('1');
    await queue.put('2');
    const waiting = peer.atOnce(() => ['3', '4', '5', '6'].map((item) => peer.queue(name).put(item)));
    await takenUp();
    equal((await queue.stats()).putting, 4);
    const gets = [queue.get(), queue.get()];
    const late = queue.put('7');
    const tried = queue.tryPut('8');
    equal(await Promise.all(gets), ['1', '2']);
    equal(await tried, false);
    for (const item of ['3', '4', '5', '6']) equal(await queue.get(), item);
    await Promise.all(waiting);
    await late;
    equal(await queue.get(), '7');
    await done(queue, 7);
  });

  // ---- what an item is ----

  test('queue: an item is what it was when put was called', async () => {
    const name = fresh();
    const item = { list: [1], deep: { n: 1 } };
    const bytes = new Uint8Array([1, 2, 3]);
    const puts = [hub.queue(name).put(item), hub.queue(name).put(bytes)];
    item.list.push(2);
    item.deep.n = 2;
    bytes[0] = 99;
    let text = 'before';
    puts.push(hub.queue(name).put(text));
    text = 'after';
    await Promise.all(puts);
    equal(await peer.queue(name).get(), { list: [1], deep: { n: 1 } });
    equal([...await hub.queue<Uint8Array>(name).get()], [1, 2, 3]);
    equal(await hub.queue(name).get(), 'before');
    const waits = hub.queue<typeof item>(name).get();
    await hub.queue(name).put(item);
    const copy = await waits;
    ok(copy !== item, 'a copy, in the same realm too');
    equal(copy, { list: [1, 2], deep: { n: 2 } });
    await done(hub.queue(name), 4);
  });

  test('queue: items are all that can be cloned', async () => {
    const name = fresh();
    const queue = hub.queue<any>(name);
    const plain = [undefined, null, true, 0, -0, NaN, Infinity, '', '\ud800', 12n ** 30n, [1, , 3], { a: { b: [] } }];
    for (const item of plain) {
      await queue.put(item);
      const got = await queue.get();
      if (typeof item === 'object') equal(got, item);
      else ok(Object.is(got, item), String(item));
    }
    await peer.queue(name).put(new Map([['key', new Set([1n])]]));
    const map = await queue.get();
    ok(map instanceof Map && map.get('key') instanceof Set && map.get('key').has(1n), 'a Map with a Set');
    await queue.put([new Date(5), /x/gi, new RangeError('a range')]);
    const [date, pattern, error] = await queue.get();
    ok(date instanceof Date && date.getTime() === 5, 'a Date');
    ok(pattern instanceof RegExp && pattern.flags === 'gi', 'a RegExp');
    ok(error instanceof RangeError && error.message === 'a range', 'an Error');
    const cycle: any = { big: 'x'.repeat(1 << 20) };
    cycle.self = cycle;
    await queue.put(cycle);
    const got = await peer.queue(name).get();
    ok(got.self === got && got.big.length === 1 << 20, 'one of 1 MB that holds itself');
    await done(queue, plain.length + 3);
  });

  test('queue: what cannot be cloned is a DataCloneError, and nothing was put', async () => {
    const name = fresh();
    const queue = hub.queue<any>(name, { capacity: 5 });
    await queue.put('there');
    const before = [await queue.stats(), await hub.stats()];
    const throwing = { get bad() { throw new RangeError('from a getter'); } };
    for (const put of [(item: unknown) => queue.put(item), (item: unknown) => queue.tryPut(item)]) {
      for (const item of [() => {}, Symbol('s'), { deep: [() => {}] }, Promise.resolve(), new WeakMap()]) {
        await rejects(put(item), 'DataCloneError');
      }
      await rejects(put(throwing), 'RangeError', /from a getter/);
    }
    equal([await queue.stats(), await hub.stats()], before);
    equal(await queue.get(), 'there');
    await queue.put('next');
    equal(await peer.queue(name).get(), 'next');
    await done(queue, 2);
  });

  test('queue: an item whose getters use the hub', async () => {
    const name = fresh();
    const calls: Promise<unknown>[] = [];
    const item = {
      get own() {
        calls.push(hub.signal(name).signal(), hub.queue(name).put('from within'), hub.signal(name).signal());
        return 'item';
      },
    };
    await hub.queue(name).put(item);
    equal(await Promise.all(calls), [0, undefined, 0]);
    equal(await hub.queue(name).get(), 'from within');
    equal(await hub.queue(name).get(), { own: 'item' });
    await done(hub.queue(name), 2);
  });

  test('queue: what cannot reach every realm is whole or a DataCloneError, but nothing else', async () => {
    const name = fresh();
    const module = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
    await hub.queue<unknown>(name).put(module);
    await hub.queue<unknown>(name).put('next');
    const got = await hub.queue<unknown>(name).get().catch((error: Error) => error);
    ok(got instanceof WebAssembly.Module || (got as Error)?.name === 'DataCloneError', `got ${String(got)}`);
    equal(await hub.queue(name).get(), 'next');
    await hub.queue(name).close();
  });

  // ---- what moves along ----

  test('queue: an ArrayBuffer that is transferred is gone at once, and whole where it is taken', async () => {
    const name = fresh();
    const queue = hub.queue<{ buffer: ArrayBuffer }>(name);
    const bytes = async (item: Promise<{ buffer: ArrayBuffer }>): Promise<number[]> => [...new Uint8Array((await item).buffer)];
    const put = (): Promise<void> => {
      const buffer = new Uint8Array([4, 5, 6]).buffer;
      const putting = queue.put({ buffer }, { transfer: new Set([buffer]) });
      equal(buffer.byteLength, 0, 'detached');
      return putting;
    };
    await put();
    equal(await bytes(queue.get()), [4, 5, 6], 'near to near');
    await put();
    equal(await bytes(peer.queue(name).get()), [4, 5, 6], 'near to far');
    equal(await peer.queue(name).move('buffer'), true, 'detached');
    equal(await bytes(queue.get()), [1, 2, 3], 'far to near');
    await peer.queue(name).move('buffer');
    equal(await bytes(peer.queue(name).get()), [1, 2, 3], 'far to far');
    const waits = peer.queue(name).get();
    await takenUp();
    await put();
    equal(await bytes(waits), [4, 5, 6], 'to one who waits');
    const other = await peer.another();
    await peer.queue(name).move('buffer');
    equal(await bytes(other.queue(name).get()), [1, 2, 3], 'to a third realm');
    await other.close();
    await put();
    const [{ buffer }] = await queue.close({ now: true }) as [{ buffer: ArrayBuffer }];
    equal([...new Uint8Array(buffer)], [4, 5, 6], 'to who closes it');
  });

  test('queue: a MessagePort that is transferred works where it is taken', async () => {
    const name = fresh();
    const queue = hub.queue<MessagePort>(name);
    const put = (): Promise<unknown> => {
      const { port1, port2 } = new MessageChannel();
      const heard = new Promise((resolve) => {
        port1.onmessage = ({ data }) => {
          port1.close();
          resolve(data);
        };
      });
      return queue.put(port2, { transfer: [port2] }).then(() => heard);
    };
    const near = put();
    (await queue.get()).postMessage('hello from near');
    equal(await near, 'hello from near');
    const there = put();
    equal(await peer.queue(name).get(), 'a port');
    equal(await there, 'hello from the peer');
    await peer.queue(name).move('port');
    (await queue.get()).postMessage('hello to the peer');
    await becomes(() => peer.log(name), ['hello to the peer']);
    await peer.queue(name).move('port');
    equal(await peer.queue(name).get(), 'a port');
    await becomes(() => peer.log(name), ['hello to the peer', 'hello from the peer']);
    await done(queue, 4);
  });

  test('queue: a transfer that makes no sense is an error, and nothing was put', async () => {
    const name = fresh();
    const queue = hub.queue<any>(name);
    const before = await hub.stats();
    for (const transfer of [5, null, {}, true] as any[]) await rejects(queue.put(1, { transfer }), 'TypeError', /\btransfer\b/);
    const twice = new ArrayBuffer(8);
    for (const transfer of [[5], [null], [{}], [twice, twice]] as any[]) {
      for (const put of ['put', 'tryPut'] as const) {
        const { name: what } = await rejection(queue[put](1, { transfer }));
        ok(what === 'DataCloneError' || what === 'TypeError', `a ${what}`);
      }
    }
    equal(twice.byteLength, 8);
    equal(await hub.stats(), before);
    equal(await queue.tryGet(), undefined);
  });

  // ---- aborts and timeouts ----

  test('queue: a put that is aborted while it waits rejects with the reason, and its item was not put', async () => {
    const name = fresh();
    const queue = hub.queue(name, { capacity: 1 });
    await queue.put('there');
    const stop = new AbortController();
    const reason = { dog: 'ate it' };
    const near = queue.put('never', { signal: stop.signal });
    const far = peer.queue(name).put('never either');
    const late = rejects(queue.put('nor this', { timeout: 1 }), 'TimeoutError');
    await takenUp();
    await late;
    equal((await queue.stats()).putting, 2);
    stop.abort(reason);
    ok(await rejection(near) === reason, 'the reason, unchanged');
    far.abort('bored');
    equal(await rejection(far), 'bored');
    await takenUp();
    equal(await queue.stats(), { length: 1, capacity: 1, getting: 0, putting: 0, unfinished: 1, puts: 1 });
    equal(await rejection(queue.put('before', { signal: AbortSignal.abort('was before') })), 'was before');
    equal(await queue.get(), 'there');
    equal(await queue.tryGet(), undefined);
    await done(queue, 1);
  });

  test('queue: a put decides with the hub: its rejection means that the item was not put', async () => {
    const name = fresh();
    const queue = hub.queue<number>(name, { capacity: 3 });
    const put: number[] = [];
    let taken: Promise<number> | undefined;
    for (let i = 0; i < 20; i++) {
      const stop = new AbortController();
      const putting = queue.put(i, { signal: stop.signal }).then(() => put.push(i), (reason) => equal(reason, i));
      if (i % 2 === 0) await hub.stats();
      if (i === 8) taken = peer.queue(name).get();
      stop.abort(i);
      await putting;
    }
    const first = await taken!;
    equal([first, ...await queue.close({ now: true })], put);
  });

  test('queue: an abort that comes too late does nothing', async () => {
    const name = fresh();
    const queue = hub.queue(name);
    const stop = new AbortController();
    await queue.put('item', { signal: stop.signal });
    const get = queue.get({ signal: stop.signal });
    equal(await get, 'item');
    stop.abort('too late');
    equal((await queue.stats()).length, 0);
    await done(queue, 1);
  });

  test('queue: a get that is aborted or times out has taken nothing', async () => {
    const name = fresh();
    const queue = hub.queue(name);
    const stop = new AbortController();
    const near = rejection(queue.get({ signal: stop.signal }));
    const far = peer.queue(name).get();
    await rejects(queue.get({ timeout: 1 }), 'TimeoutError');
    await takenUp();
    stop.abort('bored');
    equal(await near, 'bored');
    far.abort('far bored');
    equal(await rejection(far), 'far bored');
    await takenUp();
    equal((await queue.stats()).getting, 0);
    await queue.put('item');
    equal(await queue.get(), 'item');
    await done(queue, 1);
  });

  test('queue: an item that was handed to a get which is aborted in the same turn is the next to be taken', async () => {
    const name = fresh();
    const queue = hub.queue(name);
    for (const item of ['1', '2', '3']) await queue.put(item);

    const stop = new AbortController();
    const near = queue.get({ signal: stop.signal }).catch((reason: unknown) => reason);
    stop.abort('bored');
    const outcome = await near;
    if (!local) equal(outcome, 'bored', 'before the answer can be there');
    const next = outcome === 'bored' ? ['1', '2', '3'] : ['2', '3'];
    equal(await peer.queue(name).get(), next.shift());

    const far = peer.atOnce(() => {
      const get = peer.queue(name).get();
      get.abort('far bored');
      return get;
    });
    const farOutcome = await far.catch((reason: unknown) => reason);
    if (farOutcome !== 'far bored') equal(farOutcome, next.shift());
    await queue.put('4');
    next.push('4');
    for (const item of next) equal(await queue.get(), item);
    await done(queue, 4);
  });

  test('queue: what crosses the abort of a get is given to who waits behind it, in order', async () => {
    const name = fresh();
    const queue = hub.queue(name);
    for (let round = 0; round < 20; round++) {
      const stop = new AbortController();
      const first = queue.get({ signal: stop.signal }).catch((reason: unknown) => reason);
      const farFirst = peer.queue(name).get();
      await takenUp();
      const gets = [queue.get(), peer.queue(name).get()];
      await takenUp();
      const puts = ['a', 'b', 'c', 'd'].map((item) => (round % 2 === 0 ? queue : peer.queue(name)).put(item));
      for (let i = 0; i < round / 4; i++) await undefined;
      stop.abort('bored');
      farFirst.abort('far bored');
      const outcomes = [await first, await farFirst.catch((reason: unknown) => reason)];
      const taken = outcomes.filter((each) => each !== 'bored' && each !== 'far bored');
      await Promise.all(puts);
      const rest = [await gets[0], await gets[1]];
      while (rest.length + taken.length < 4) rest.push(await queue.get());
      equal([...taken, ...rest].sort(), ['a', 'b', 'c', 'd'], `round ${round}`);
      await done(queue, 4);
    }
  });

  test('queue: what was moved to a get that is aborted travels back, and is whole for the next one', async () => {
    const name = fresh();
    const queue = hub.queue<{ buffer: ArrayBuffer }>(name);
    const other = await another();
    for (let round = 0; round < 12; round++) {
      const stop = new AbortController();
      const getters = [hub, other][round % 2]!;
      const first = getters.queue<{ buffer: ArrayBuffer }>(name).get({ signal: stop.signal }).catch((reason: unknown) => reason);
      await getters.stats();
      const second = round % 3 === 0 ? peer.queue(name).get() : queue.get();
      await takenUp();
      const moved = peer.queue(name).move('buffer');
      if (round % 4 === 0) await moved; // it is on its way at least
      else for (let i = 0; i < round; i++) await undefined;
      stop.abort('bored');
      const outcome = await first;
      if (outcome !== 'bored') await peer.queue(name).move('buffer');
      for (const { buffer } of [await second, ...(outcome === 'bored' ? [] : [outcome as { buffer: ArrayBuffer }])]) {
        equal([...new Uint8Array(buffer)], [1, 2, 3], `round ${round}`);
      }
      await moved;
      await done(queue, outcome === 'bored' ? 1 : 2);
    }
    await other.close();
  });

  test('queue: what was moved to a get, aborted before the answer, goes through one who leaves too', async () => {
    const name = fresh();
    const other = await another();
    for (let round = 0; round < 6; round++) {
      await peer.queue(name).move('buffer');
      await peer.queue(name).put('next');
      const stop = new AbortController();
      const gone = rejection(other.queue(name).get({ signal: stop.signal }));
      const third = new AbortController();
      stop.abort('bored');
      equal(await gone, 'bored');
      const second = hub.queue<unknown>(name).get({ signal: third.signal }).catch((reason: unknown) => reason);
      third.abort('bored as well');
      const last = peer.queue(name).get();
      const values = [await second, await last, await hub.queue<unknown>(name).tryGet()];
      const bytes = values.map((each: any) => each?.buffer ?? each?.value?.buffer).filter((each) => each !== undefined);
      equal(bytes.length, 1, 'the item came once');
      equal([...new Uint8Array(bytes[0])], [1, 2, 3]);
      await hub.queue(name).close({ now: true });
    }
    await other.close();
  });

  test('queue: what was moved to a realm that goes away before it arrives is a DataCloneError, and the next item comes', async () => {
    const name = fresh();
    for (let round = 0; round < 6; round++) {
      const other = await another();
      void other.queue<unknown>(name).get().catch(() => {});
      await other.stats();
      const gets = [hub.queue<unknown>(name).get(), hub.queue<unknown>(name).get()].map((get) => get.catch((error: Error) => error.name));
      await hub.stats();
      const moved = peer.queue(name).move('buffer');
      const put = peer.queue(name).put('next');
      for (let i = 0; i < round; i++) await undefined;
      await other.close();
      await Promise.all([moved, put]);
      const after = peer.queue(name).put('after');
      const got = await Promise.all(gets);
      await after;
      // It may also have arrived there, or gone to the next as it was, and those who wait get what comes meanwhile.
      const others = got.filter((each) => each !== 'DataCloneError' && typeof each === 'string');
      equal(others, ['next', 'after'].slice(0, others.length), `round ${round}`);
      ok(others.length > 0, 'the next item comes');
      await hub.queue(name).close({ now: true });
    }
  });

  test('queue: what a session had not confirmed when it ended is the next to be taken, in order', async () => {
    const name = fresh();
    const queue = hub.queue(name);
    const client = await another();
    await Promise.all([client.stats(), client.stats(), client.stats()]); // its slots come in another order now
    for (let i = 0; i < 3; i++) void client.queue(name).get().catch(() => {});
    await client.stats();
    const waits = [queue.get()];
    await hub.stats();
    waits.push(peer.queue(name).get());
    await takenUp();
    const puts = ['1', '2', '3'].map((item) => queue.put(item));
    await client.close();
    await Promise.all(puts);
    equal([...await Promise.all(waits), await queue.get()], ['1', '2', '3']);
    await done(queue, 3);
  });

  test('queue: a realm whose session ends gives back its place in the line', async () => {
    const name = fresh();
    const queue = hub.queue(name, { capacity: 1 });
    await queue.put('there');
    const other = await peer.another();
    const far = rejects(other.queue(name).put('not put'), 'ClosedError');
    await other.fence();
    const waits = queue.put('put');
    await hub.stats();
    equal((await queue.stats()).putting, 2);
    await other.close();
    await far;
    await becomes(async () => (await queue.stats()).putting, 1);
    equal([await queue.get(), await queue.get()], ['there', 'put']);
    await waits;
    await done(queue, 2);
    equal(await queue.tryGet(), undefined);
  });

  // ---- iteration, the end ----

  test('queue: iteration ends when it is closed and empty', async () => {
    const before = await names();
    const name = fresh();
    const queue = hub.queue<number>(name);
    for (const item of [1, 2, 3]) await peer.queue(name).put(item);
    const got: number[] = [];
    for await (const item of queue) {
      got.push(item);
      if (item === 3) void peer.queue(name).close();
    }
    equal(got, [1, 2, 3]);
    await becomes(names, before);
  });

  test('queue: who is busy with an item when it is closed learns of it, and can say that the item is done', async () => {
    const before = await names();
    const name = fresh();
    const queue = hub.queue<number>(name);
    for (const item of [1, 2]) await queue.put(item);
    const got: number[] = [];
    const joins: Promise<void>[] = [];
    for await (const item of queue) {
      got.push(item);
      if (item === 2) {
        await peer.queue(name).close();
        joins.push(peer.queue(name).join());
        await takenUp();
        await rejects(queue.put(3), 'ClosedError');
      }
      await queue.taskDone();
    }
    equal(got, [1, 2]);
    await Promise.all(joins);
    await becomes(names, before);
    await queue.put(4);
    equal(await queue.get(), 4);
    await done(queue, 1);
  });

  test('queue: leaving the loop loses nothing', async () => {
    const name = fresh();
    const queue = hub.queue<number>(name);
    for (const item of [1, 2, 3, 4]) await queue.put(item);
    for await (const item of queue) if (item === 2) break;
    equal((await queue.stats()).length, 2);
    await rejects((async () => { for await (const _ of queue) throw new URIError('in the loop'); })(), 'URIError');
    equal(await peer.queue(name).get(), 4);
    await done(queue, 4);
  });

  test('queue: iteration throws when the session ends', async () => {
    const client = await another();
    const loop = rejects((async () => { for await (const _ of client.queue(fresh())); })(), 'ClosedError');
    await client.stats();
    await client.close();
    await loop;
    equal((await rejects(client.queue('q').get(), 'ClosedError')).code, 'CLOSED');
  });

  test('queue: close rejects who waits to put, and lets what is there be taken', async () => {
    const before = await names();
    const name = fresh();
    const queue = hub.queue(name, { capacity: 2 });
    await queue.put('1');
    await queue.put('2');
    const waiting = [rejects(queue.put('3'), 'ClosedError'), rejects(peer.queue(name).put('4'), 'ClosedError')];
    await takenUp();
    equal(await peer.queue(name).close(), []);
    await Promise.all(waiting);
    await rejects(queue.put('5'), 'ClosedError');
    await rejects(queue.tryPut('6'), 'ClosedError');
    await rejects(peer.queue(name).put('7'), 'ClosedError');
    equal([await queue.get(), await peer.queue(name).get()], ['1', '2']);
    await becomes(names, before);
    await queue.put('a new queue');
    equal(await queue.get(), 'a new queue');
    await done(queue, 1);
  });

  test('queue: closing an empty one wakes who waits to get', async () => {
    const name = fresh();
    const gets = [rejects(hub.queue(name).get(), 'ClosedError'), rejects(peer.queue(name).get(), 'ClosedError')];
    await takenUp();
    equal(await hub.queue(name).close(), []);
    const [near] = await Promise.all(gets);
    equal(near.code, 'CLOSED');
    equal(await peer.queue(name).close(), [], 'again');
  });

  test('queue: close at once resolves with what was there, in order, and nobody waits for it any more', async () => {
    const before = await names();
    for (const [order, want] of [['fifo', [1, 2, 3]], ['lifo', [3, 2, 1]], ['priority', [2, 3, 1]]] as const) {
      for (const near of [true, false]) {
        const name = fresh();
        const queue = hub.queue<number>(name, { order, capacity: 3 });
        for (const [item, priority] of [[1, 0], [2, 5], [3, 5]] as const) await queue.put(item, { priority });
        const waits = rejects(peer.queue(name).put(4), 'ClosedError');
        await takenUp();
        const joins = [queue.join(), peer.queue(name).join()];
        equal(await (near ? queue.close({ now: true }) : peer.queue(name).close({ now: true })), [...want], order);
        await waits;
        await Promise.all(joins);
        await becomes(names, before);
      }
    }
  });

  test('queue: close with 3,000 items that were not taken', async () => {
    const name = fresh();
    const queue = hub.queue<number>(name);
    await Promise.all(Array.from({ length: 3000 }, (_, i) => queue.put(i)));
    const items = await peer.queue(name).close({ now: true });
    equal(items.every((item, i) => item === i) && items.length, 3000);
  });

  test('queue: join waits until all is done, also by others and also what comes meanwhile', async () => {
    const name = fresh();
    const queue = hub.queue(name);
    await queue.join();
    await queue.put('1');
    let joined = 0;
    const joins = [queue.join(), peer.queue(name).join()].map((join) => join.then(() => joined++));
    await takenUp();
    await peer.queue(name).put('2');
    await queue.get();
    await peer.queue(name).get();
    await peer.queue(name).taskDone();
    const stop = new AbortController();
    const bored = rejection(queue.join({ signal: stop.signal }));
    await rejects(queue.join({ timeout: 1 }), 'TimeoutError');
    stop.abort('bored');
    equal(await bored, 'bored');
    equal([joined, (await queue.stats()).unfinished], [0, 1]);
    await queue.taskDone();
    await Promise.all(joins);
    await rejects(queue.taskDone(), 'OverReleaseError');
    equal((await rejects(peer.queue(name).taskDone(), 'OverReleaseError')).code, 'OVER_RELEASE');
  });

  test('queue: a name is free when all that was put is done', async () => {
    const before = await names();
    const name = fresh();
    const queue = hub.queue(name, { capacity: 1 });
    await queue.put('item');
    equal(await queue.get(), 'item');
    equal((await queue.stats()).unfinished, 1);
    await rejects(hub.queue(name, { capacity: 2 }).put('other'), 'MismatchError');
    await queue.taskDone();
    await becomes(names, before);
    equal(await hub.queue(name, { capacity: 2, order: 'lifo' }).tryPut('another'), true);
    await hub.queue(name).close({ now: true });
  });

  // ---- what it is like ----

  test('queue: who says something else than the first is told both', async () => {
    const name = fresh();
    const queue = hub.queue(name, { capacity: 2, order: 'lifo' });
    await queue.put('item');
    const others: QueueOptions[] = [{}, { capacity: 2 }, { capacity: 3, order: 'lifo' }, { order: 'priority' }];
    for (const options of others) {
      const error = await rejects(hub.queue(name, options).put('other'), 'MismatchError', /capacity 2 and order lifo/);
      ok(error.message.includes(JSON.stringify(name)), 'the name');
      equal(error.code, 'MISMATCH');
    }
    await rejects(peer.queue(name, { capacity: 3 }).get(), 'MismatchError', /not capacity 3 and order fifo/);
    await rejects(hub.queue(name, { order: 'priority' }).stats(), 'MismatchError', /not capacity Infinity and order priority/);
    equal(await hub.queue(name).get(), 'item', 'who says nothing takes it as it is');
    await done(queue, 1);
  });

  test('queue: who waits to get without having said anything does not hinder one who does', async () => {
    const name = fresh();
    const gets = [hub.queue(name).get(), peer.queue(name).get()];
    await takenUp();
    const queue = hub.queue(name, { capacity: 1, order: 'lifo' });
    await queue.put('1');
    await queue.put('2');
    equal((await Promise.all(gets)).sort(), ['1', '2']);
    equal((await queue.stats()).capacity, 1);
    await rejects(peer.queue(name, { capacity: 2 }).put('3'), 'MismatchError', /capacity 1 and order lifo/);
    await done(queue, 2);
  });

  test('queue: what it is like cannot change once something is in it', async () => {
    const name = fresh();
    await hub.queue(name).put('item');
    for (const options of [{ order: 'lifo' }, { capacity: 5 }] as QueueOptions[]) {
      await rejects(hub.queue(name, options).put('other'), 'MismatchError', /was created with capacity Infinity and order fifo/);
    }
    await hub.queue(name, {}).put('as it is');
    await rejects(hub.queue(name, { capacity: 5 }).get(), 'MismatchError');
    equal([await hub.queue(name).get(), await hub.queue(name).get()], ['item', 'as it is']);
    await done(hub.queue(name), 2);
  });

  test('queue: bad arguments', async () => {
    const name = fresh();
    const before = await hub.stats();
    for (const bad of [undefined, 5, null, {}] as any[]) throws(() => hub.queue(bad), 'TypeError', /\bname\b/);
    for (const options of [null, 5, 'fifo'] as any[]) throws(() => hub.queue(name, options), 'TypeError', /\boptions\b/);
    for (const capacity of [-1, 0.5, NaN, '1', null, -Infinity, 2 ** 28 - 1, 2 ** 31] as any[]) {
      throws(() => hub.queue(name, { capacity }), 'TypeError', /\bcapacity\b/);
    }
    for (const order of ['', 'FIFO', null, 1, 'constructor'] as any[]) throws(() => hub.queue(name, { order }), 'TypeError', /\border\b/);
    const queue = hub.queue<any>(name);
    for (const priority of [1.5, NaN, '1', null, 2 ** 31, -(2 ** 31) - 1, Infinity] as any[]) {
      await rejects(queue.put(1, { priority }), 'TypeError', /\bpriority\b/);
      await rejects(queue.tryPut(1, { priority }), 'TypeError', /\bpriority\b/);
    }
    for (const call of [(o: any) => queue.put(1, o), (o: any) => queue.get(o), (o: any) => queue.join(o)]) {
      for (const options of [null, 5] as any[]) await rejects(call(options), 'TypeError');
      await rejects(call({ timeout: 0 }), 'TypeError', /\btimeout\b/);
      await rejects(call({ signal: {} }), 'TypeError', /\bsignal\b/);
    }
    let closing: Promise<unknown> | undefined;
    try {
      closing = queue.close(null as any);
    } catch {
      ok(false, 'a function that returns a Promise never throws');
    }
    await rejects(closing, 'TypeError');
    equal(await hub.stats(), before);
  });

  test('queue: a realm that may not use the name, or makes too many calls, puts nothing', async () => {
    const name = fresh();
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1, { prefix: 'q/', limit: 2 });
    const client = await connect(port2);
    for (const item of ['text', { an: 'object' }]) {
      await rejects(client.queue(name).put(item), 'DeniedError');
      await rejects(client.queue(name).tryPut(item), 'DeniedError');
    }
    await rejects(client.queue(name).get(), 'DeniedError');
    const queue = client.queue(`q/${name}`, { capacity: 0 });
    const puts = ['1', '2', '3'].map((item) => queue.put(item));
    await rejects(puts[2]!, 'LimitError');
    equal([await hub.queue(`q/${name}`).get(), await hub.queue(`q/${name}`).get()], ['1', '2']);
    await Promise.all(puts.slice(0, 2));
    await done(hub.queue(`q/${name}`), 2);
    await client.close();
  });

  // ---- many ----

  test('queue: 10,000 items and four consumers: each item once, and in order for each consumer', async () => {
    const name = fresh();
    const queue = hub.queue<number>(name, { capacity: 100 });
    const near = async (): Promise<number[]> => {
      const got: number[] = [];
      for await (const item of hub.queue<number>(name)) got.push(item);
      return got;
    };
    const consumers = [near(), near(), peer.queue(name).drain(), peer.queue(name).drain()];
    await takenUp();
    for (let i = 0; i < 10_000; i += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, j) => queue.put(i + j)));
    }
    await queue.close();
    const got = await Promise.all(consumers);
    for (const items of got) ok(items.every((item, i) => i === 0 || items[i - 1]! < item), 'in order');
    const all = got.flat().sort((a, b) => a - b);
    equal([all.length, all.every((item, i) => item === i)], [10_000, true]);
  }, 30_000);

  test('queue: an item is its own, though it is put as others are thrown away, and fetched at once', async () => {
    const client = await another();
    for (let i = 0; i < 20; i++) {
      const [old, queue] = [client.queue(fresh()), client.queue(fresh())];
      await old.put('an old one');
      const closed = old.close({ now: true });
      const put = queue.put(i);
      const got = queue.get();
      equal([await closed, await put, await got], [['an old one'], undefined, i]);
      await done(queue, 1);
    }
    await client.close();
  });

  test('queue: a put with a signal that cannot be listened to rejects, and those after it are none the worse', async () => {
    const remote = await another();
    for (const client of [hub, remote]) {
      const odd = { aborted: false, addEventListener() { throw new Error('odd'); }, removeEventListener() {} } as unknown as AbortSignal;
      const queue = client.queue<number>(fresh());
      const { dropped } = await hub.stats();
      await queue.put(0);
      ok((await rejection(queue.put(1, { signal: odd })))?.message === 'odd', 'it rejects with what was thrown');
      await queue.put(2);
      equal(await queue.close({ now: true }), [0, 2]);
      equal((await hub.stats()).dropped, dropped, 'messages that were dropped');
    }
    await remote.close();
  });

  test('queue: a consumer that comes first, and one that stops', async () => {
    const name = fresh();
    const got: unknown[] = [];
    const consumer = (async () => {
      for await (const item of hub.queue(name)) {
        got.push(item);
        await hub.queue(name).taskDone();
        if (item === 'stop') break;
      }
    })();
    await hub.stats();
    for (const item of [1, 2, 'stop', 4]) await peer.queue(name, { capacity: 10 }).put(item);
    await consumer;
    equal(got, [1, 2, 'stop']);
    equal(await peer.queue(name).close({ now: true }), [4]);
  });
}
