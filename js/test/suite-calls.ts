import { ClcaError } from 'clca';
import { becomes, equal, ok, rejection, rejects, throws, turn, untilAborted } from './assert.ts';
import { type Place, fresh } from './place.ts';
import { caughtErrors, onUnhandledRejection } from './reports.ts';
import { type Test, skip } from './runner.ts';

/** What holds for all calls: their order, their arguments, their aborts and timeouts, their errors. */
export function callCases(test: Test, { hub, peer, local }: Place): void {
  const idle = { start: () => 'live' };

  /** Every call that takes options, by itself. */
  const waits = (name: string, run = (): unknown => 'run') => ({
    'signal.wait': (options: any) => hub.signal(name).wait(options),
    'checkpoint.arm': (options: any) => hub.checkpoint(name).arm(options),
    'checkpoint.wait': (options: any) => hub.checkpoint(name).wait(options),
    'sharedTask.wait': (options: any) => hub.sharedTask(name, run).wait(options),
    'sharedResource.acquire': (options: any) => hub.sharedResource(name, { start: run }).acquire(options),
    'sharedResource.with': (options: any) => hub.sharedResource(name, { start: run }).with(run, options),
  });

  // ---- order ----

  test("the calls of one session are taken up in the order in which they were made", async () => {
    const names = Array.from({ length: 300 }, () => fresh());
    const counts: Promise<number>[] = [];
    const waits: Promise<void>[] = [];
    for (const name of names) {
      counts.push(hub.signal(name).signal());
      waits.push(hub.signal(name).wait());
      counts.push(hub.signal(name).signal());
      counts.push(hub.signal(name).signal());
    }
    equal(await Promise.all(counts), names.flatMap(() => [0, 1, 0]));
    await Promise.all(waits);
  });

  test('calls of one session settle in order, whatever they are', async () => {
    const name = fresh();
    const order: string[] = [];
    const note = (what: string, promise: Promise<unknown>): Promise<unknown> => promise.then(() => order.push(what));
    const all = [
      note('pass', hub.checkpoint(name).wait()),
      note('signal', hub.signal(name).signal()),
      note('stats', hub.stats()),
      note('resume', hub.checkpoint(name).resume()),
      note('disarm', hub.checkpoint(name).disarm()),
    ];
    await Promise.all(all);
    equal(order, ['pass', 'signal', 'stats', 'resume', 'disarm']);
  });

  // ---- bad arguments ----

  test('a name that is no string throws a TypeError', () => {
    for (const name of [undefined, null, 5, {}, Symbol('name'), ['name']] as any[]) {
      throws(() => hub.signal(name), 'TypeError', /\bname\b/);
      throws(() => hub.checkpoint(name), 'TypeError', /\bname\b/);
      throws(() => hub.sharedTask(name, () => {}), 'TypeError', /\bname\b/);
      throws(() => hub.sharedResource(name, idle), 'TypeError', /\bname\b/);
    }
  });

  test('a function that is none throws a TypeError that names it', () => {
    for (const bad of [undefined, null, 'run', {}] as any[]) {
      throws(() => hub.sharedTask('n', bad), 'TypeError', /\brun\b/);
    }
    for (const bad of [undefined, null, {}, { start: 1 }, { stop() {} }] as any[]) {
      throws(() => hub.sharedResource('n', bad), 'TypeError', /\bstart\b/);
    }
    throws(() => hub.sharedResource('n', { start() {}, stop: 1 as any }), 'TypeError', /\bstop\b/);
  });

  test('attach throws a TypeError that names the bad argument', () => {
    for (const bad of [undefined, null, 1, 'worker', {}, () => {}] as any[]) {
      throws(() => hub.attach(bad), 'TypeError', /\btarget\b/);
    }
    const { port1 } = new MessageChannel();
    for (const prefix of [1, null, {}] as any[]) throws(() => hub.attach(port1, { prefix }), 'TypeError', /\bprefix\b/);
    for (const limit of [0, -1, 1.5, NaN, Infinity, '5', 2 ** 31] as any[]) {
      throws(() => hub.attach(port1, { limit }), 'TypeError', /\blimit\b/);
    }
    for (const limits of [null, 5, 'x'] as any[]) throws(() => hub.attach(port1, limits), 'TypeError', /\blimits\b/);
    port1.close();
  });

  const bad: [RegExp, unknown][] = [
    [/\boptions\b/, null], [/\boptions\b/, 5], [/\boptions\b/, 'soon'],
    [/\bsignal\b/, { signal: {} }], [/\bsignal\b/, { signal: null }], [/\bsignal\b/, { signal: 'stop' }],
    [/\btimeout\b/, { timeout: 0 }], [/\btimeout\b/, { timeout: -1 }], [/\btimeout\b/, { timeout: NaN }],
    [/\btimeout\b/, { timeout: Infinity }], [/\btimeout\b/, { timeout: '5' }], [/\btimeout\b/, { timeout: null }],
  ];
  test('bad options reject with a TypeError that names them, and change nothing', async () => {
    const name = fresh();
    let runs = 0;
    const before = await hub.stats();
    for (const [what, call] of Object.entries(waits(name, () => ++runs))) {
      for (const [message, options] of bad) {
        let promise: Promise<unknown> | undefined;
        try {
          promise = call(options);
        } catch (error) {
          throw new Error(`${what} threw instead of rejecting`, { cause: error });
        }
        await rejects(promise, 'TypeError', message);
      }
    }
    equal(await hub.stats(), before);
    equal(runs, 0);
    equal((await hub.checkpoint(name).stats()).state, 'disarmed');
  });

  test('options may be there and say nothing', async () => {
    const name = fresh();
    for (const options of [{}, { signal: undefined, timeout: undefined }, undefined]) {
      await hub.checkpoint(name).wait(options);
    }
  });

  test('an AbortSignal need not be of this realm\'s class', async () => {
    const name = fresh();
    const listeners = new Set<() => void>();
    const foreign = {
      aborted: false,
      reason: undefined as unknown,
      addEventListener: (_: string, listener: () => void) => void listeners.add(listener),
      removeEventListener: (_: string, listener: () => void) => void listeners.delete(listener),
    };
    const wait = hub.signal(name).wait({ signal: foreign as unknown as AbortSignal });
    Object.assign(foreign, { aborted: true, reason: 'from afar' });
    for (const listener of listeners) listener();
    equal(await rejection(wait), 'from afar');
  });

  // ---- aborts and timeouts ----

  test('a signal that is aborted already fails the call, with its reason and no side effect', async () => {
    const name = fresh();
    const reason = { dog: 'ate it' };
    const before = await hub.stats();
    let runs = 0;
    for (const call of Object.values(waits(name, () => ++runs))) {
      ok(await rejection(call({ signal: AbortSignal.abort(reason) })) === reason, 'the reason, unchanged');
      await rejects(call({ signal: AbortSignal.abort() }), 'AbortError');
    }
    equal(await hub.stats(), before);
    equal(runs, 0);
    equal((await hub.checkpoint(name).stats()).state, 'disarmed');
    equal((await hub.sharedTask(name, () => {}).stats()).runs, 0);
  });

  for (const reason of [undefined, null, 0, 'My dog ate it.', new Error('mine')]) {
    test(`the reason of an abort arrives unchanged: ${String(reason)}`, async () => {
      const name = fresh();
      const stop = new AbortController();
      const wait = hub.signal(name).wait({ signal: stop.signal });
      await hub.stats();
      stop.abort(reason);
      ok(Object.is(await rejection(wait), stop.signal.reason), 'the reason, unchanged');
      equal((await hub.signal(name).stats()).waiting, 0);
    });
  }

  test('an abort settles the call before the hub can have answered', async () => {
    const name = fresh();
    const stop = new AbortController();
    const order: string[] = [];
    const wait = hub.signal(name).wait({ signal: stop.signal });
    const aborted = rejection(wait).then(() => order.push('abort'));
    const answered = hub.stats().then(() => order.push('answer'));
    stop.abort('bored');
    await Promise.all([aborted, answered]);
    if (!local) equal(order, ['abort', 'answer']);
  });

  test('an abort after the call has settled is a no-op', async () => {
    const name = fresh();
    const stop = new AbortController();
    const arm = hub.checkpoint(name).arm({ signal: stop.signal });
    const wait = hub.checkpoint(name).wait();
    await arm;
    stop.abort('too late');
    equal((await hub.checkpoint(name).stats()).state, 'holding');
    equal(await hub.checkpoint(name).resume(), 1);
    await wait;
  });

  test('one AbortSignal ends many calls, and leaves all others', async () => {
    const name = fresh();
    const stop = new AbortController();
    const stopped = Array.from({ length: 1000 }, () => hub.signal(name).wait({ signal: stop.signal }));
    const others = Array.from({ length: 10 }, () => hub.signal(name).wait());
    equal((await hub.signal(name).stats()).waiting, 1010);
    stop.abort('all of you');
    for (const each of stopped) equal(await rejection(each), 'all of you');
    equal(await hub.signal(name).signal(), 10);
    await Promise.all(others);
  });

  test('what options throw when they are read is a rejection, and the next call is none the worse', async () => {
    const name = fresh();
    const thrown = new Error('thrown');
    const hostile = (): never => { throw thrown; };
    let read = 0;
    const options: any[] = [
      { get signal() { return hostile(); } },
      { get timeout() { return hostile(); } },
      { get priority() { return hostile(); } },
      { get priority() { return read++ === 0 ? 1 : hostile(); } }, // which is read once
      { signal: { aborted: false, addEventListener: hostile, removeEventListener() {} } },
      { get within() { return hostile(); } },
    ];
    for (const each of options) {
      for (const call of [() => hub.lock(name).acquire(each), () => hub.reentrantLock(name).acquire(each)]) {
        const outcome = await call().then((guard) => guard.release(), (error: unknown) => error);
        ok(outcome === undefined || outcome === thrown, 'it is acquired, or the rejection is what was thrown');
        equal(await hub.lock(name).isLocked(), false);
      }
    }
  });

  test('an abort in the turn of the grant comes before who awaits it: what was granted goes to the next', async () => {
    const name = fresh();
    const lock = hub.lock(name);
    let stop = new AbortController();
    const free = lock.acquire({ signal: stop.signal });
    stop.abort('too early');
    equal(await rejection(free), 'too early');

    const guard = await lock.acquire();
    stop = new AbortController();
    const waiting = rejection(lock.acquire({ signal: stop.signal }));
    await hub.stats();
    void guard.release();
    stop.abort('no more');
    const next = lock.acquire();
    equal(await waiting, 'no more');
    await (await next).release();

    const queue = hub.queue<string>(name);
    stop = new AbortController();
    const getting = rejection(queue.get({ signal: stop.signal }));
    await hub.stats();
    const put = queue.put('first');
    stop.abort('not this');
    await put;
    equal(await getting, 'not this');
    void queue.put('second');
    equal(await queue.get(), 'first');
    equal(await queue.get(), 'second');
    await queue.taskDone();
    await queue.taskDone();
  });

  test('10,000 settled calls leave no listener on their AbortSignal', async () => {
    const name = fresh();
    const { signal } = new AbortController();
    const live = new Set<unknown>();
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = function (this: AbortSignal, ...args: any[]) {
      live.add(args[1]);
      addEventListener.apply(this, args as any);
    };
    signal.removeEventListener = function (this: AbortSignal, ...args: any[]) {
      live.delete(args[1]);
      removeEventListener.apply(this, args as any);
    };
    const waits = Array.from({ length: 10_000 }, () => hub.signal(name).wait({ signal, timeout: 1e6 }));
    ok(live.size > 0, 'it listens while they wait');
    equal(await hub.signal(name).signal(), 10_000);
    await Promise.all(waits);
    equal(live.size, 0);
    await hub.checkpoint(name).wait({ signal });
    await (await hub.sharedResource(name, idle).acquire({ signal })).release();
    await becomes(async () => (await hub.sharedResource(name, idle).stats()).state, 'idle');
    equal(live.size, 0);
    const semaphore = hub.semaphore(name, 100);
    await Promise.all(Array.from({ length: 10_000 }, () => semaphore.with(() => {}, { signal })));
    equal(live.size, 0);
    await hub.lock(name).with(() => {}, { signal });
    const queue = hub.queue(name);
    const got = queue.get({ signal });
    await queue.put(1, { signal });
    equal(await got, 1);
    await queue.taskDone();
    equal(live.size, 0);
  });

  test('a timeout is a DOMException named TimeoutError, and withdraws the call', async () => {
    const name = fresh();
    const error = await rejects(hub.signal(name).wait({ timeout: 1 }), 'TimeoutError');
    ok(error instanceof DOMException, 'a DOMException');
    equal((await hub.signal(name).stats()).waiting, 0);
  });

  test('a timeout that the timers of the platform cannot count is a long one', async () => {
    const name = fresh();
    const timeouts = [2 ** 31, 2 ** 32 + 1, 2 ** 53, Number.MAX_VALUE];
    const waits = timeouts.map((timeout) => hub.signal(name).wait({ timeout }));
    await turn();
    await turn();
    equal(await hub.signal(name).signal(), 4);
    await Promise.all(waits);
  });

  test('of an abort and a timeout the first one counts', async () => {
    const name = fresh();
    const stop = new AbortController();
    const wait = hub.signal(name).wait({ signal: stop.signal, timeout: 1e6 });
    stop.abort('first');
    equal(await rejection(wait), 'first');
    await rejects(hub.signal(name).wait({ signal: new AbortController().signal, timeout: 1 }), 'TimeoutError');
  });

  // ---- errors ----

  test('an error is of its class, and has a name, a code, and the stack of the caller', async () => {
    const name = fresh();
    const arm = rejects(hub.checkpoint(name).arm(), 'DisarmedError');
    async function theOneWhoCalls(): Promise<void> {
      await hub.checkpoint(name).arm();
    }
    const error = await rejects(theOneWhoCalls(), 'AlreadyArmedError');
    ok(error instanceof ClcaError && error instanceof Error, 'a ClcaError');
    equal(error.code, 'ALREADY_ARMED');
    await hub.checkpoint(name).disarm();
    await arm;
    await needsAsyncStacks();
    ok(String(error.stack).includes('theOneWhoCalls'), `the caller is in ${error.stack}`);
  });

  test('each of many calls that fail together has an error and a stack of its own', async () => {
    const name = fresh();
    async function theFirst(): Promise<void> {
      await hub.signal(name).wait();
    }
    async function theSecond(): Promise<void> {
      await hub.signal(name).wait();
    }
    const failing = [rejects(theFirst(), 'ClosedError'), rejects(theSecond(), 'ClosedError')];
    await hub.signal(name).close();
    const [first, second] = await Promise.all(failing);
    ok(first !== second, 'two errors');
    await needsAsyncStacks();
    ok(/theFirst/.test(first.stack) && !/theSecond/.test(first.stack), `theFirst alone is in ${first.stack}`);
    ok(/theSecond/.test(second.stack) && !/theFirst/.test(second.stack), `theSecond alone is in ${second.stack}`);
  });

  test('a rejection that is handled is reported nowhere, and one that is not is reported once', async () => {
    const name = fresh();
    const reported: unknown[] = [];
    const stopListening = onUnhandledRejection((reason) => reported.push(reason));
    try {
      const stop = new AbortController();
      const handled = Array.from({ length: 10 }, () => hub.signal(name).wait({ signal: stop.signal }));
      const caught = handled.map((each) => each.catch(() => {}));
      void hub.signal(name).wait({ signal: stop.signal });
      stop.abort('not handled');
      await Promise.all(caught);
      await becomes(() => reported, ['not handled']);

      const arm = rejects(hub.checkpoint(name).arm(), 'DisarmedError');
      void hub.checkpoint(name).arm();
      await becomes(() => reported.length, 2);
      equal((reported[1] as Error).name, 'AlreadyArmedError');
      await hub.checkpoint(name).disarm();
      await arm;

      void hub.signal(name).wait({ timeout: -1 });
      await becomes(() => reported.length, 3);
      equal((reported[2] as Error).name, 'TypeError');

      void hub.sharedTask(name, () => { throw new Error('not handled either'); }).wait();
      await becomes(() => reported.length, 4);
      equal((reported[3] as Error).message, 'not handled either');
      await hub.sharedTask(name, () => {}).close();
      await turn();
      equal(reported.length, 4);
    } finally {
      stopListening();
    }
  });

  test('calls that are pending, or resolve, are reported nowhere', async () => {
    const name = fresh();
    equal((await caughtErrors(async () => {
      const wait = hub.signal(name).wait();
      void hub.checkpoint(name).wait();
      await hub.stats();
      await turn();
      equal(await peer.signal(name).signal(), 1);
      await wait;
    })).length, 0);
  });

  test('the stats of the hub are exact', async () => {
    const name = fresh();
    const before = await hub.stats();
    const waits = [hub.signal(name).wait(), hub.signal(name).wait()];
    const task = hub.sharedTask(name, untilAborted);
    const wait = rejects(task.wait(), 'ClosedError');
    const ref = await hub.sharedResource(name, idle).acquire();
    equal(await hub.stats(), { ...before, names: before.names + 3, calls: before.calls + 4, runs: before.runs + 2 });
    await hub.signal(name).signal();
    await Promise.all(waits);
    await ref.release();
    await task.close();
    await wait;
    await becomes(async () => (await hub.stats()).runs, before.runs);
    equal((await hub.stats()).calls, before.calls);
  });
}

/**
 * Skips the case where the engine does not follow the awaits from an error to who waits for it, through a promise that was
 * resolved with another. Of the engines, V8 does.
 */
export async function needsAsyncStacks(): Promise<void> {
  async function theOneWhoAwaits(): Promise<string> {
    return await new Promise<string>((resolve) => resolve(later()));
  }
  async function later(): Promise<string> {
    await undefined;
    await undefined;
    return String(new Error().stack);
  }
  if (!(await theOneWhoAwaits()).includes('theOneWhoAwaits')) skip('stacks do not follow awaits in this engine');
}
