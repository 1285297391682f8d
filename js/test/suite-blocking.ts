/** Calls that block a Worker's thread, as a function of where the hub is and those who are blocked. */

import { type AttachOptions, type Guard, type Hub, connect } from 'clca';
import { becomes, equal, ok, rejects, throws, turn } from './assert.ts';
import { type Act, Far, type Start, farWords, now } from './blocking-far.ts';
import { fresh } from './place.ts';
import type { Test } from './runner.ts';

/** What there is in a case: a hub of its own, and Workers. */
export interface Stage {
  hub: Hub;
  start: Start;
  /** Ends the realm of the hub, as a crash would; undefined where it is this one. */
  kill: (() => unknown) | undefined;
  terminate(worker: unknown): unknown;
}

export interface BlockingPlace {
  open(program?: string): Promise<Stage>;
  close(stage: Stage): Promise<void>;
  /** The hub's realm is this one. */
  local: boolean;
  /** This realm may be blocked, where the hub is not in it. */
  blocks: boolean;
}

/** A Worker in a case, and what ends it. */
interface Cast {
  far: Far;
  worker: any;
  attachment: { end(): void };
}

/** How long the slowest of those who were blocked took to learn of each end, in milliseconds. */
export const latencies: Record<string, number> = {};

export function blockingCases(test: Test, place: BlockingPlace): void {
  /** A case with a hub of its own, of which nothing is left but if it `ends` it. */
  const on = (name: string, run: (scene: Scene) => Promise<void>, { program, ends = false }: { program?: string; ends?: boolean } = {}): void => {
    test(name, async () => {
      const stage = await place.open(program);
      const scene = new Scene(stage);
      try {
        const before = await stage.hub.stats();
        await run(scene);
        if (!ends) for (const { far } of scene.cast) await far.tell('stats'); // what it has said has arrived
        for (const { attachment } of scene.cast) attachment.end();
        if (!ends) await becomes(() => stage.hub.stats(), before);
      } finally {
        for (const { worker } of scene.cast) stage.terminate(worker);
        await place.close(stage);
      }
    }, 20_000);
  };

  // ---- checkpoints ----

  on('waitSync passes, and is a call of the hub no more than it must be', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('compute');
    for (let i = 0; i < 5; i++) await far.tell('call', 'checkpoint', name, 'waitSync');
    equal((await hub.stats()).calls, 0, 'calls that can be seen');
    equal((await hub.stats()).names, 0, 'names that are in use');
  });

  on('a computation that never returns to its event loop is paused and resumed, many times', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('compute');
    const checkpoint = hub.checkpoint(name);
    const done = far.tell('pass', name);
    for (let i = 0; i < 100; i++) {
      await becomes(() => far.count > 0, true);
      await checkpoint.arm();
      const { count } = far;
      await hub.stats();
      equal((await checkpoint.stats()).waiting, 1);
      equal(far.count, count, 'what was passed while it stands');
      equal(await checkpoint.resume(), 1);
      await becomes(() => far.count > count, true);
    }
    far.stop();
    await done;
  });

  on('a computation is paused and resumed by another Worker', async ({ start }) => {
    const [computes, controls] = [await start(), await start()];
    const name = fresh('compute');
    const done = computes.far.tell('pass', name);
    equal(await controls.far.tell('pause', name, 50, computes.far.words), 0);
    computes.far.stop();
    await done;
  });

  on('a computation in a Worker below a Worker is paused and resumed', async ({ hub, start, below }) => {
    const above = await start();
    const far = await below(above);
    const name = fresh('compute');
    const done = far.tell('pass', name);
    for (let i = 0; i < 20; i++) {
      await hub.checkpoint(name).arm();
      const { count } = far;
      equal(await above.far.tell('stats') !== undefined, true);
      equal(far.count, count);
      equal(await hub.checkpoint(name).resume(), 1);
    }
    far.stop();
    await done;
  });

  on('a computation is paused and resumed by a goroutine', async ({ hub, start }) => {
    const { far } = await start();
    const done = far.tell('pass', 'compute');
    for (let i = 0; i < 20; i++) {
      await becomes(() => hub.signal('pause').signal(), 1);
      await hub.event('parked').wait();
      const { count } = far;
      await hub.stats();
      equal(far.count, count);
      await becomes(() => hub.signal('go on').signal(), 1);
      await becomes(() => far.count > count, true);
    }
    far.stop();
    await done;
  }, { program: 'pauses.wasm' });

  on('several computations stop at one checkpoint, and go on together', async ({ hub, start }) => {
    const cast = [await start(), await start(), await start()];
    const name = fresh('compute');
    const done = cast.map(({ far }) => far.tell('pass', name));
    for (let i = 0; i < 20; i++) {
      await hub.checkpoint(name).arm();
      await becomes(async () => (await hub.checkpoint(name).stats()).waiting, 3);
      const counts = cast.map(({ far }) => far.count);
      await hub.stats();
      equal(cast.map(({ far }) => far.count), counts);
      equal(await hub.checkpoint(name).resume(), 3);
    }
    for (const { far } of cast) far.stop();
    await Promise.all(done);
  });

  on('a checkpoint that is closed rejects who is blocked there, and one of the same name is another', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('compute');
    await far.tell('call', 'checkpoint', name, 'waitSync');
    await far.tell('call', 'checkpoint', name, 'waitSync');
    const arm = hub.checkpoint(name).arm();
    await hub.stats();
    const blocked = far.tell('call', 'checkpoint', name, 'waitSync');
    await arm;
    await hub.checkpoint(name).close();
    await rejects(blocked, 'ClosedError');
    await far.tell('call', 'checkpoint', name, 'waitSync');
    const again = hub.checkpoint(name).arm();
    await hub.stats();
    const more = far.tell('call', 'checkpoint', name, 'waitSync');
    await again;
    equal(await hub.checkpoint(name).resume(), 1);
    await more;
  });

  on('a waitSync that waits too long throws a TimeoutError, and leaves nobody parked', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('compute');
    await far.tell('call', 'checkpoint', name, 'waitSync', { timeout: 1000 });
    const arm = hub.checkpoint(name).arm();
    await hub.stats();
    const late = far.tell('call', 'checkpoint', name, 'waitSync', { timeout: 30 });
    await arm;
    await rejects(late, 'TimeoutError');
    await becomes(async () => (await hub.checkpoint(name).stats()).waiting, 0);
    equal((await hub.checkpoint(name).stats()).state, 'holding');
    equal(await hub.checkpoint(name).resume(), 0);
  });

  on('its own arm, resume and close come in order with its own waitSync', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('compute');
    for (let i = 0; i < 3; i++) await far.tell('call', 'checkpoint', name, 'waitSync');
    const arm = far.tell('call', 'checkpoint', name, 'arm');
    const blocked = far.tell('call', 'checkpoint', name, 'waitSync');
    await becomes(async () => (await hub.checkpoint(name).stats()).waiting, 1);
    equal(await hub.checkpoint(name).resume(), 1);
    await blocked;
    await arm;
    for (let i = 0; i < 3; i++) await far.tell('call', 'checkpoint', name, 'waitSync');
  });

  on('more checkpoints are passed than a realm knows of, and each can be armed', async ({ hub, start }) => {
    const { far } = await start();
    const names = Array.from({ length: 1100 }, () => fresh('compute'));
    await far.tell('passAll', names, 2);
    for (const name of [names[0]!, names[75]!, names[1099]!]) {
      const arm = hub.checkpoint(name).arm();
      await hub.stats();
      const blocked = far.tell('call', 'checkpoint', name, 'waitSync');
      await arm;
      for (const other of [names[74]!, names[1098]!]) await hub.checkpoint(other).wait();
      equal(await hub.checkpoint(name).resume(), 1);
      await blocked;
    }
  });

  on('a computation that has passed many others since can be stopped at the checkpoint that it began with', async ({ hub, start }) => {
    const { far } = await start();
    const names = Array.from({ length: 1025 }, () => fresh('compute'));
    const done = far.tell('passAll', names, 2, true);
    await becomes(() => far.count > 0, true);
    for (let i = 0; i < 3; i++) {
      await hub.checkpoint(names[0]!).arm();
      equal(await hub.checkpoint(names[0]!).resume(), 1);
    }
    far.stop();
    await done;
  });

  on('a computation in a realm whose calls are limited is paused and resumed', async ({ hub, start }) => {
    const { far } = await start({ limit: 100 });
    const name = fresh('compute');
    const done = far.tell('pass', name);
    for (let i = 0; i < 20; i++) {
      const { count } = far;
      await becomes(() => far.count > count, true);
      await hub.checkpoint(name).arm();
      equal(await hub.checkpoint(name).resume(), 1);
    }
    far.stop();
    await done;
  });

  // ---- signals ----

  on('a signal wakes who is blocked, and says how many', async ({ hub, start }) => {
    const cast = [await start(), await start()];
    const name = fresh('signal');
    for (let i = 0; i < 20; i++) {
      const blocked = cast.map(({ far }) => far.tell('call', 'signal', name, 'waitSync'));
      const own = hub.signal(name).wait();
      await becomes(async () => (await hub.signal(name).stats()).waiting, 3);
      equal(await hub.signal(name).signal(), 3);
      await Promise.all([...blocked, own]);
    }
  });

  on('a signal that does not come in time is a TimeoutError, and nobody is left waiting', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('signal');
    for (let i = 0; i < 5; i++) await rejects(far.tell('call', 'signal', name, 'waitSync', { timeout: 1 + 3 * i }), 'TimeoutError');
    await becomes(async () => (await hub.signal(name).stats()).waiting, 0);
    const blocked = far.tell('call', 'signal', name, 'waitSync', { timeout: 20_000 });
    await becomes(async () => (await hub.signal(name).stats()).waiting, 1);
    equal(await hub.signal(name).signal(), 1);
    await blocked;
    equal(await hub.signal(name).signal(), 0);
  });

  on('a signal and a timeout in one breath: one of them wins, and nothing is left', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('signal');
    for (let i = 0; i < 30; i++) {
      const blocked = far.tell('call', 'signal', name, 'waitSync', { timeout: 2 }).then(() => 'woken', ({ name }) => name);
      let count = 0;
      let how: string | undefined;
      void blocked.then((it) => (how = it));
      for (; how === undefined; await turn()) count += await hub.signal(name).signal();
      ok(how === 'TimeoutError' || how === 'woken' && count === 1, `${how}, while ${count} were woken`);
      await becomes(async () => (await hub.signal(name).stats()).waiting, 0); // once the hub has heard of the timeout
    }
  });

  on('a signal that is closed rejects who is blocked', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('signal');
    const blocked = far.tell('call', 'signal', name, 'waitSync');
    await becomes(async () => (await hub.signal(name).stats()).waiting, 1);
    await hub.signal(name).close();
    equal((await rejects(blocked, 'ClosedError')).code, 'CLOSED');
  });

  on('what was to be said is said before the thread is blocked', async ({ hub, start }) => {
    const { far } = await start();
    const [event, signal] = [fresh('event'), fresh('signal')];
    const blocked = far.tell('sayAndBlock', event, signal);
    await hub.event(event).wait();
    await becomes(() => hub.signal(signal).signal(), 1);
    await blocked;
    await hub.event(event).clear();
  });

  on('what else a realm is told while it is blocked is no answer, and it hears of it later', async ({ hub, start }) => {
    const { far } = await start();
    const [resource, signal] = [fresh('resource'), fresh('signal')];
    await far.tell('provide', resource); // the first of its calls, as the one that blocks will be
    const reference = await hub.sharedResource(resource, { start: () => ok(false, 'it runs') }).acquire();
    await far.tell('release', 0);
    const blocked = far.tell('call', 'signal', signal, 'waitSync');
    await becomes(async () => (await hub.signal(signal).stats()).waiting, 1);
    const released = reference.release();
    await hub.stats(); // it has been told to stop
    equal(await hub.signal(signal).signal(), 1);
    await blocked;
    await released;
    await becomes(() => far.stage, 1); // it has stopped
  });

  // ---- locks ----

  on('a lock that is free is granted at once', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('lock');
    equal(await far.tell('call', 'lock', name, 'acquireSync'), false, 'abandoned');
    equal(await hub.lock(name).tryAcquire(), undefined);
    await far.tell('release', 0);
    equal(await hub.lock(name).isLocked(), false);
  });

  on('a lock is granted to who is blocked, in its turn', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('lock');
    const guard = await hub.lock(name).acquire();
    const blocked = far.tell('call', 'lock', name, 'acquireSync', { timeout: 20_000 });
    await becomes(async () => (await hub.lock(name).stats()).waiting, 1);
    const next = hub.lock(name).acquire();
    await hub.stats();
    await guard.release();
    await blocked;
    equal((await hub.lock(name).stats()).waiting, 1);
    await far.tell('releaseSync', 0);
    await (await next).release();
  });

  on('who is blocked for a lock has its priority', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('lock');
    const guard = await hub.lock(name).acquire();
    const next = hub.lock(name).acquire();
    await hub.stats();
    const blocked = far.tell('call', 'lock', name, 'acquireSync', { priority: 1 });
    await becomes(async () => (await hub.lock(name).stats()).waiting, 2);
    await guard.release();
    await blocked;
    await far.tell('release', 0);
    await (await next).release();
  });

  on('a lock that is not had in time is a TimeoutError, and somebody else gets it', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('lock');
    const guard = await hub.lock(name).acquire();
    await rejects(far.tell('call', 'lock', name, 'acquireSync', { timeout: 20 }), 'TimeoutError');
    await becomes(async () => (await hub.lock(name).stats()).waiting, 0);
    await guard.release();
    await (await hub.lock(name).acquire()).release();
  });

  on('a grant and a timeout in one breath: one of them wins, and the lock is free at last', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('lock');
    let guards = 0;
    for (let i = 0; i < 30; i++) {
      const guard = await hub.lock(name).acquire();
      const blocked = far.tell('call', 'lock', name, 'acquireSync', { timeout: 2 });
      const turns = i % 6;
      for (let turn = 0; turn < turns; turn++) await hub.stats();
      await guard.release();
      const how = await blocked.then(() => 'granted', ({ name }) => name);
      ok(how === 'granted' || how === 'TimeoutError', how);
      if (how === 'granted') await far.tell('release', guards++);
      await (await hub.lock(name).acquire({ timeout: 5000 })).release();
    }
  });

  on('a lock that is closed rejects who is blocked', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('lock');
    const guard = await hub.lock(name).acquire();
    const blocked = far.tell('call', 'lock', name, 'acquireSync');
    await becomes(async () => (await hub.lock(name).stats()).waiting, 1);
    await hub.lock(name).close();
    await rejects(blocked, 'ClosedError');
    await rejects(far.tell('call', 'lock', name, 'acquireSync'), 'ClosedError');
    await guard.release();
  });

  on('a lock that was acquired so can be stolen, and its guard says so', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('lock');
    await far.tell('call', 'lock', name, 'acquireSync');
    equal(await far.tell('lost', 0), undefined);
    const guard = await hub.lock(name).steal();
    await becomes(() => far.tell('lost', 0), 'StolenError');
    await far.tell('release', 0);
    equal(await hub.lock(name).isLocked(), true);
    await guard.release();
  });

  on('a lock can be stolen from who computes, and from the one before who is blocked', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('lock');
    const first = await hub.lock(name).acquire();
    const blocked = far.tell('call', 'lock', name, 'acquireSync');
    await becomes(async () => (await hub.lock(name).stats()).waiting, 1);
    const second = await hub.lock(name).steal();
    ok(first.lost.aborted, 'the first knows');
    await first.release();
    equal((await hub.lock(name).stats()).waiting, 1);
    await second.release();
    await blocked;
    await far.tell('releaseSync', 0);
  });

  on('releaseSync hands over at once, though its realm goes on computing', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('lock');
    const done = far.tell('computeWith', name);
    await becomes(() => far.stage, 1);
    const next = hub.lock(name).acquire();
    await hub.stats();
    equal((await hub.lock(name).stats()).waiting, 1);
    far.until(1);
    await (await next).release();
    await becomes(() => far.stage, 2); // it computes on
    far.until(2);
    await done;
  });

  on('with() hands over before its caller computes on', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh('lock');
    const done = far.tell('computeAfter', name);
    await becomes(() => far.stage, 1);
    await (await hub.lock(name).acquire()).release();
    far.until(1);
    await done;
  });

  on('acquireSync excludes others: what it protects is counted right', async ({ hub, start }) => {
    const cast = [await start(), await start(), await start()];
    const name = fresh('lock');
    const what = new Int32Array(new SharedArrayBuffer(4));
    const done = Promise.all(cast.map(({ far }) => far.tell('increment', name, 60, what)));
    for (let i = 0; i < 30; i++) {
      await hub.lock(name).with(async () => {
        const before = Atomics.load(what, 0);
        await hub.stats();
        Atomics.store(what, 0, before + 1);
      });
    }
    await done;
    equal(what[0], 210);
  });

  // ---- what is not possible ----

  on('bad arguments throw a TypeError that names them, and change nothing', async ({ hub, start }) => {
    const { far } = await start();
    const name = fresh();
    const before = await hub.stats();
    for (const [kind, method] of [['checkpoint', 'waitSync'], ['signal', 'waitSync'], ['lock', 'acquireSync']] as const) {
      for (const timeout of [0, -1, NaN, Infinity, '5', null, {}]) {
        await rejects(far.tell('call', kind, name, method, { timeout }), 'TypeError', /\btimeout\b/);
      }
      await rejects(far.tell('callWithSignal', kind, name, method), 'TypeError', /\bsignal\b/);
      await rejects(far.tell('call', kind, name, method, { reconnect: true }), 'TypeError', /\breconnect\b/);
      for (const bad of [null, 5, 'x']) await rejects(far.tell('call', kind, name, method, bad), 'TypeError', /\boptions\b/);
    }
    for (const priority of [0.5, 2 ** 31, '1']) {
      await rejects(far.tell('call', 'lock', name, 'acquireSync', { priority }), 'TypeError', /\bpriority\b/);
    }
    equal(await hub.stats(), before);
  });

  on('where a thread cannot be blocked, it is said why', async ({ hub }) => {
    for (const call of callsThatBlock(hub, fresh())) {
      if (place.local) throws(call, 'UnsupportedError', /own realm/);
      else if (!place.blocks) throws(call, 'UnsupportedError', /page must not block/);
      else throws(call, 'TimeoutError');
    }
  });

  if (place.local) {
    on('a port to the hub of its own realm is no way for a thread to be blocked', async ({ hub }) => {
      const { port1, port2 } = new MessageChannel();
      const attachment = hub.attach(port1);
      const near = await connect(port2);
      const name = fresh();
      for (const [call, kind] of [['waitSync', 'checkpoint'], ['waitSync', 'signal'], ['acquireSync', 'lock']] as const) {
        throws(() => (near[kind](name) as any)[call]({ timeout: 1000 }), 'UnsupportedError', place.blocks ? /own realm/ : /page must not block/);
      }
      attachment.end();
      equal((await hub.stats()).names, 0, 'names that are in use');
    });
  }

  on('a client that has come by a port blocks as well', async ({ hub, start }) => {
    const { far } = await start();
    const { port1, port2 } = new MessageChannel();
    const attachment = hub.attach(port1);
    const client = await far.tell('byPort', port2);
    const name = fresh('compute');
    const done = far.tell('as', client, 'pass', name);
    await becomes(() => far.count > 0, true);
    await hub.checkpoint(name).arm();
    equal(await hub.checkpoint(name).resume(), 1);
    far.stop();
    await done;
    attachment.end();
  });

  // ---- deaths ----

  /** What one can be blocked in, or about. */
  const states: Record<string, { act: [Act, ...unknown[]]; block(scene: Scene, cast: Cast): Promise<{ ended: Promise<any> }> }> = {};
  const state = (name: string, prepare: (hub: Hub) => unknown, act: [Act, ...unknown[]], blocked: (hub: Hub, far: Far) => Promise<void>): void => {
    states[name] = {
      act,
      async block({ hub }, { far }) {
        await prepare(hub);
        const ended = far.ends(...act);
        await blocked(hub, far);
        return { ended };
      },
    };
  };
  state('waitSync at a checkpoint', async (hub) => {
    hub.checkpoint('c').arm().catch(() => {});
    await hub.stats();
  }, ['call', 'checkpoint', 'c', 'waitSync'], (hub) => becomes(async () => (await hub.checkpoint('c').stats()).waiting, 1));
  state('waitSync on a signal', () => {}, ['call', 'signal', 's', 'waitSync', { timeout: 1e6 }],
    (hub) => becomes(async () => (await hub.signal('s').stats()).waiting, 1));
  state('acquireSync', (hub) => hub.lock('l').acquire(), ['call', 'lock', 'l', 'acquireSync'],
    (hub) => becomes(async () => (await hub.lock('l').stats()).waiting, 1));
  state('a loop that passes a checkpoint', () => {}, ['pass', 'free'], (_hub, far) => becomes(() => far.count > 100, true));

  state('a loop that passes a checkpoint and awaits it', () => {}, ['loop', 'free'], (_hub, far) => becomes(() => far.count > 100, true));

  const deaths = (way: string, error: string, message: RegExp, end: (scene: Scene, all: Cast[]) => unknown, more: { program?: string } = {}): void => {
    for (const [what, { block }] of Object.entries(states)) {
      on(`${way}: one blocked in ${what} learns of it`, async (scene) => {
        const cast = await scene.start();
        const { ended } = await block(scene, cast);
        const began = now();
        await end(scene, [cast]);
        const { error: thrown, at } = await ended;
        equal(thrown?.name, error);
        ok(message.test(thrown.message), `${thrown.message} matches ${message}`);
        latencies[way] = Math.max(latencies[way] ?? 0, at - began);
        await rejects(cast.far.tell('call', 'checkpoint', 'free', 'waitSync'), error);
        await rejects(cast.far.tell('call', 'signal', 's', 'waitSync'), error);
        await rejects(cast.far.tell('call', 'lock', 'l', 'acquireSync'), error);
        equal(await cast.far.tell('closed'), error === 'HubLostError' ? error : undefined);
      }, { ...more, ends: true });
    }
  };
  deaths('the session is ended', 'ClosedError', /session was ended/, (_scene, all) => all.forEach(({ attachment }) => attachment.end()));
  deaths('the hub is closed', 'ClosedError', /./, ({ hub }) => hub.close());
  deaths('Go panics', 'HubLostError', /./, ({ hub }) => void hub.signal('panics').signal().catch(() => {}), { program: 'dies.wasm' });
  if (!place.local) deaths("the hub's Worker is terminated", 'HubLostError', /./, ({ kill }) => kill!());

  const ends: Record<string, [string, (scene: Scene, above: Cast) => unknown]> = {
    'the session above is ended': ['ClosedError', (_scene, above) => above.attachment.end()],
    'the hub is closed': ['ClosedError', ({ hub }) => hub.close()],
    ...(place.local ? {} : { "the hub's Worker is terminated": ['HubLostError', ({ kill }: Scene) => kill!()] }),
  };
  for (const [way, [error, end]] of Object.entries(ends)) {
    on(`${way}: a Worker that is blocked learns of it, and the one below it that is blocked too`, async (scene) => {
      const { hub } = scene;
      const above = await scene.start();
      const far = await scene.below(above);
      const all = [above.far.ends('call', 'signal', 's', 'waitSync'), far.ends('call', 'signal', 's', 'waitSync')];
      await becomes(async () => (await hub.signal('s').stats()).waiting, 2);
      const began = now();
      await end(scene, above);
      for (const ended of await Promise.all(all)) {
        equal((ended as { error: Error }).error?.name, error);
        latencies[`${way}, two deep`] = Math.max(latencies[`${way}, two deep`] ?? 0, ended.at - began);
      }
    }, { ends: true });
  }

  // All in one case: a browser takes two seconds to terminate what does not listen, one after the other or all at once.
  on('Workers that are terminated while they are blocked, or compute, leave nothing to anybody', async (scene) => {
    const { hub, stage } = scene;
    const { sessions } = await hub.stats();
    const doomed: Cast[] = [];
    const next: [string, Promise<Guard>][] = [];
    for (const [what, { block }] of Object.entries(states)) {
      const cast = await scene.start();
      await cast.far.tell('call', 'lock', what, 'acquireSync');
      await block(scene, cast);
      next.push([what, hub.lock(what).acquire()]);
      doomed.push(cast);
    }
    const computes = await scene.start();
    const name = fresh('queue');
    void computes.far.tell('computeWithItem', name);
    await hub.queue(name).put('an item');
    await becomes(() => computes.far.stage, 1);
    doomed.push(computes);
    await hub.stats();

    for (const { worker } of doomed) stage.terminate(worker);
    for (const [what, acquired] of next) {
      const guard = await acquired;
      equal(guard.abandoned, true, what);
      await guard.release();
    }
    await becomes(async () => (await hub.stats()).sessions, sessions);
    equal(await hub.queue(name).tryGet(), undefined, "the item was that Worker's alone");
    for (const [kind, left] of [['signal', 's'], ['checkpoint', 'c'], ['lock', 'l']] as const) {
      equal((await (hub[kind](left) as any).stats()).waiting, 0, left);
    }
    await hub.checkpoint('c').resume();
    await hub.checkpoint('c').disarm();
  }, { ends: true });

  on('a session that was ended while its realm is blocked is over for all it does later', async ({ hub, start }) => {
    const cast = await start();
    const blocked = cast.far.tell('call', 'signal', 's', 'waitSync');
    await becomes(async () => (await hub.signal('s').stats()).waiting, 1);
    cast.attachment.end();
    await rejects(blocked, 'ClosedError', /session was ended/);
    await rejects(cast.far.tell('stats'), 'ClosedError');
  }, { ends: true });
}

/** Each call that blocks, once, with a timeout. */
export function callsThatBlock(hub: Hub, name: string): (() => unknown)[] {
  return [
    () => {
      void hub.checkpoint(name).arm().catch(() => {});
      try {
        hub.checkpoint(name).waitSync({ timeout: 10 });
      } finally {
        void hub.checkpoint(name).disarm();
        void hub.checkpoint(name).resume();
      }
    },
    () => hub.signal(name).waitSync({ timeout: 10 }),
    () => {
      let guard;
      try {
        guard = hub.lock(name).acquireSync({ timeout: 10 });
        hub.lock(name).acquireSync({ timeout: 10 });
      } finally {
        guard?.releaseSync();
      }
    },
  ];
}

/** How each of them ends: `Name: message`. */
export function whyNotBlock(hub: Hub): string[] {
  return callsThatBlock(hub, fresh()).map((call) => {
    try {
      call();
      return 'it returned';
    } catch (error) {
      const { name, message } = error as Error;
      return `${name}: ${message}`;
    }
  });
}

class Scene {
  readonly cast: Cast[] = [];

  constructor(readonly stage: Stage) {}

  get hub(): Hub { return this.stage.hub; }
  get kill(): Stage['kill'] { return this.stage.kill; }

  /** One more Worker, which is let in. */
  start = async (limits?: AttachOptions): Promise<Cast> => {
    const { port1, port2 } = new MessageChannel();
    const words = farWords();
    const worker = this.stage.start(port2, words);
    const attachment = this.stage.hub.attach(worker, limits);
    const cast = { far: new Far(port1, words), worker, attachment };
    this.cast.push(cast);
    await cast.far.ready;
    return cast;
  };

  /** One more, below that. */
  below = async ({ far }: Cast): Promise<Far> => {
    const { port1, port2 } = new MessageChannel();
    const words = farWords();
    const below = new Far(port1, words);
    await far.tell('below', port2, words);
    await below.ready;
    return below;
  };
}
