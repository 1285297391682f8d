import { becomes, equal, gate, ok, rejection, rejects, untilAborted } from './assert.ts';
import { type Place, fresh } from './place.ts';
import { caughtErrors } from './reports.ts';
import type { Test } from './runner.ts';

/** SharedResource. The rows A1 to A4 are those of the semantics: what the first sketch of this primitive got wrong. */
export function resourceCases(test: Test, { hub, peer }: Place): void {
  /** A resource that keeps a log of its life. */
  const logged = (name: string, value: unknown = 'the resource', log: string[] = []) => ({
    log,
    resource: hub.sharedResource(name, {
      start: () => {
        log.push('start');
        return value;
      },
      stop: (stopped) => void log.push(stopped === value ? 'stop' : 'stop of something else'),
    }),
  });
  const statsOf = (name: string) => hub.sharedResource(name, { start() {} }).stats();

  test('the first acquire starts it, all share it, and the last release stops it', async () => {
    const name = fresh('resource');
    const value = { of: 'the start' };
    const { resource, log } = logged(name, value);
    const [a, b] = await Promise.all([resource.acquire(), resource.acquire()]);
    const far = await peer.sharedResource(name).acquire();
    ok(a.value === value && b.value === value, 'the realm that started it has the value itself');
    equal(far.value, value, 'another realm has a copy');
    equal(await resource.stats(), { state: 'live', waiting: 0, held: 3, runs: 1 });
    await a.release();
    await peer.release(far);
    equal(log, ['start']);
    equal((await resource.stats()).held, 1);
    await b.release();
    await becomes(() => log.length, 2);
    equal(log, ['start', 'stop']);
    await becomes(async () => (await resource.stats()).state, 'idle');
    await (await resource.acquire()).release();
    await becomes(async () => (await resource.stats()).state, 'idle');
    equal(log, ['start', 'stop', 'start', 'stop']);
  });

  test('the session that started it stops it, whoever is the last', async () => {
    const name = fresh('resource');
    const far = await peer.sharedResource(name, { value: [1, 2] }).acquire();
    const { resource, log } = logged(name);
    const near = await resource.acquire();
    equal(near.value, [1, 2]);
    await peer.release(far);
    equal(await peer.log(name), ['start']);
    await near.release();
    await becomes(() => peer.log(name), ['start', 'stop: [1,2]']);
    equal(log, []);
    await becomes(async () => (await statsOf(name)).state, 'idle');
  });

  test('release is idempotent, and always the same promise', async () => { // A3
    const name = fresh('resource');
    const { resource } = logged(name);
    const [a, b] = await Promise.all([resource.acquire(), resource.acquire()]);
    ok(a.release() === a.release(), 'one promise');
    equal(await a.release(), undefined);
    equal((await resource.stats()).held, 1);
    await b.release();
    await becomes(async () => (await resource.stats()).state, 'idle');
    equal(await a.release(), undefined);
    equal((await resource.stats()).held, 0);
  });

  test('a failed start is the error of all who waited for it, and the next acquire tries afresh', async () => { // A4
    const name = fresh('resource');
    const go = gate();
    const error = new EvalError('no start');
    const failing = hub.sharedResource(name, {
      start: async () => {
        await go.opened;
        throw error;
      },
      stop: () => { throw new Error('there is nothing to stop'); },
    });
    const near = [rejection(failing.acquire()), rejection(failing.acquire())];
    await hub.stats();
    const far = peer.sharedResource(name).acquire();
    await peer.fence();
    equal(await failing.stats(), { state: 'starting', waiting: 3, held: 0, runs: 1 });
    go.open();
    for (const each of near) ok(await each === error, 'the realm that ran it has the error itself');
    await rejects(far, 'EvalError', /^no start$/);
    const { resource } = logged(name);
    const ref = await resource.acquire();
    equal(ref.value, 'the resource');
    await ref.release();
    await becomes(async () => (await resource.stats()).state, 'idle');
  });

  test('one who leaves does not cancel the start for the others', async () => { // A1, A2
    const name = fresh('resource');
    const go = gate();
    const stop = new AbortController();
    let aborted = false;
    const resource = hub.sharedResource(name, {
      start: async (signal) => {
        signal.addEventListener('abort', () => (aborted = true));
        await go.opened;
        return 'live';
      },
    });
    const late = rejects(resource.acquire({ timeout: 1 }), 'TimeoutError');
    const leaver = resource.acquire({ signal: stop.signal });
    const stayer = resource.acquire();
    await late;
    stop.abort('bored');
    equal(await rejection(leaver), 'bored');
    equal((await resource.stats()).waiting, 1);
    go.open();
    const ref = await stayer;
    equal(ref.value, 'live');
    equal(aborted, false);
    equal((await resource.stats()).held, 1);
    await ref.release();
    await becomes(async () => (await resource.stats()).state, 'idle');
  });

  test('when the last one leaves the start is aborted; if it ends well all the same, it is stopped', async () => {
    const name = fresh('resource');
    const log: string[] = [];
    const started = gate();
    const go = gate();
    const stop = new AbortController();
    const wait = hub.sharedResource(name, {
      start: async (signal) => {
        signal.addEventListener('abort', () => log.push((signal.reason as Error).name));
        started.open();
        await go.opened;
        return 'late';
      },
      stop: (value) => void log.push(`stop ${value}`),
    }).acquire({ signal: stop.signal });
    await started.opened;
    stop.abort('bored');
    equal(await rejection(wait), 'bored');
    await becomes(() => log.length, 1);
    equal((await statsOf(name)).state, 'cancelling');
    go.open();
    await becomes(async () => (await statsOf(name)).state, 'idle');
    equal(log, ['NoConsumersError', 'stop late']);
  });

  test('who comes while it is being stopped waits and gets a fresh one: two are never live', async () => {
    const name = fresh('resource');
    const log: string[] = [];
    const go = gate();
    const stopping = gate();
    let made = 0;
    const resource = hub.sharedResource(name, {
      start: () => {
        log.push(`start ${++made}`);
        return made;
      },
      stop: async (value) => {
        stopping.open();
        await go.opened;
        log.push(`stop ${value}`);
      },
    });
    const first = await resource.acquire();
    await first.release();
    await stopping.opened;
    const second = resource.acquire();
    equal(await resource.stats(), { state: 'stopping', waiting: 1, held: 0, runs: 1 });
    go.open();
    const ref = await second;
    equal(ref.value, 2);
    equal(log, ['start 1', 'stop 1', 'start 2']);
    await ref.release();
    await becomes(async () => (await resource.stats()).state, 'idle');
  });

  test('an abort that crosses the grant gives the hold back', async () => {
    const name = fresh('resource');
    const { resource, log } = logged(name);
    const first = await resource.acquire();
    const stop = new AbortController();
    const second = resource.acquire({ signal: stop.signal });
    stop.abort('bored');
    const outcome = await second.catch((reason: unknown) => reason);
    if (outcome === 'bored') equal((await resource.stats()).held, 1);
    else await (outcome as Awaited<typeof second>).release(); // the grant was there first
    await first.release();
    await becomes(async () => (await resource.stats()).state, 'idle');
    equal(log, ['start', 'stop']);
  });

  test('an abort after the grant is a no-op', async () => {
    const name = fresh('resource');
    const { resource } = logged(name);
    const stop = new AbortController();
    const ref = await resource.acquire({ signal: stop.signal });
    stop.abort('too late');
    equal((await resource.stats()).held, 1);
    equal(ref.lost.aborted, false);
    await ref.release();
    await becomes(async () => (await resource.stats()).state, 'idle');
  });

  test('with() releases whatever comes', async () => {
    const name = fresh('resource');
    const { resource } = logged(name);
    equal(await resource.with((ref) => `used ${String(ref.value)}`), 'used the resource');
    await becomes(async () => (await resource.stats()).state, 'idle');
    await rejects(resource.with(() => { throw new URIError('while in use'); }), 'URIError');
    await becomes(async () => (await resource.stats()).state, 'idle');
  });

  if (Symbol.asyncDispose !== undefined) {
    test('a hold is async disposable', async () => {
      const name = fresh('resource');
      const { resource } = logged(name);
      const ref = await resource.acquire();
      ok(ref[Symbol.asyncDispose]() === ref.release(), 'disposing is releasing');
      await ref.release();
      await becomes(async () => (await resource.stats()).state, 'idle');
    });
  }

  test('if the session that started it ends, all others learn that it is lost', async () => {
    const name = fresh('resource');
    const other = await peer.another();
    await other.sharedResource(name, { value: 'mortal' }).acquire();
    const { resource, log } = logged(name);
    const near = await resource.acquire();
    const far = await peer.sharedResource(name).acquire();
    equal(near.value, 'mortal');
    const lost = new Promise<unknown>((resolve) => {
      near.lost.addEventListener('abort', () => resolve(near.lost.reason));
    });
    await other.close();
    equal((await lost as Error).name, 'OwnerLostError');
    equal(await peer.lost(far), 'OwnerLostError');
    equal(await peer.log(name), ['start', 'stop: "mortal"']);
    const afresh = await resource.acquire();
    equal(afresh.value, 'the resource');
    equal(await resource.stats(), { state: 'live', waiting: 0, held: 1, runs: 2 });
    await near.release();
    await peer.release(far);
    equal((await resource.stats()).held, 1);
    await afresh.release();
    await becomes(async () => (await resource.stats()).state, 'idle');
    equal(log, ['start', 'stop']);
  });

  test('who waits when the session that starts it ends gets its own', async () => {
    const name = fresh('resource');
    const other = await peer.another();
    const far = other.sharedResource(name, { held: true }).acquire();
    await other.fence();
    await becomes(() => peer.log(name), ['start']);
    const { resource, log } = logged(name);
    const near = resource.acquire();
    await hub.stats();
    await other.close();
    await rejects(far, 'ClosedError');
    const ref = await near;
    equal(ref.value, 'the resource');
    await ref.release();
    await becomes(async () => (await resource.stats()).state, 'idle');
    equal(log, ['start', 'stop']);
  });

  test('the end of a session gives back what it held', async () => {
    const name = fresh('resource');
    const { resource, log } = logged(name);
    const near = await resource.acquire();
    const other = await peer.another();
    const far = await other.sharedResource(name).acquire();
    equal((await resource.stats()).held, 2);
    await other.close();
    equal(await peer.lost(far), 'ClosedError');
    await becomes(async () => (await resource.stats()).held, 1);
    await near.release();
    await becomes(async () => (await resource.stats()).state, 'idle');
    equal(log, ['start', 'stop']);
  });

  test('closing it tells all who hold it, rejects all who wait, and frees the name', async () => {
    const name = fresh('resource');
    const { resource, log } = logged(name);
    const near = await resource.acquire();
    const far = await peer.sharedResource(name).acquire();
    await peer.sharedResource(name).close();
    equal(await peer.lost(far), 'ClosedError');
    await becomes(() => near.lost.aborted, true);
    equal((near.lost.reason as Error).name, 'ClosedError');
    equal(log, ['start']);
    await near.release();
    await peer.release(far);
    await becomes(() => log.length, 2);
    await becomes(async () => (await statsOf(name)).state, 'idle');
    const again = await resource.acquire();
    await again.release();
    await becomes(async () => (await resource.stats()).state, 'idle');

    const slow = fresh('resource');
    const pending = rejects(hub.sharedResource(slow, { start: untilAborted }).acquire(), 'ClosedError');
    await hub.stats();
    await hub.sharedResource(slow, { start() {} }).close();
    await pending;
    await becomes(async () => (await hub.stats()).runs, 0);
  });

  test('a value that cannot be cloned is a DataCloneError elsewhere, and holds nothing', async () => {
    const name = fresh('resource');
    const { resource } = logged(name, () => 'made here');
    const near = await resource.acquire();
    await rejects(peer.sharedResource(name).acquire(), 'DataCloneError');
    await peer.fence();
    equal((await resource.stats()).held, 1);
    await near.release();
    await becomes(async () => (await resource.stats()).state, 'idle');
  });

  test('what stop throws is reported where it was started, and is nobody else\'s', async () => {
    const name = fresh('resource');
    const resource = hub.sharedResource(name, { start: () => 1, stop: () => { throw new Error('the stop failed'); } });
    const errors = await caughtErrors(async () => {
      const ref = await resource.acquire();
      equal(await ref.release(), undefined);
      await becomes(async () => (await resource.stats()).state, 'idle');
    });
    equal(errors.map((each) => each.message), ['the stop failed']);
  });

  test('without stop there is nothing to be stopped', async () => {
    const name = fresh('resource');
    const resource = hub.sharedResource(name, { start: () => 1 });
    await (await resource.acquire()).release();
    await becomes(async () => (await resource.stats()).state, 'idle');
  });

  test('the functions are called as methods of what they came in', async () => {
    const name = fresh('resource');
    const functions = {
      made: 0,
      start() { return ++this.made; },
      stop() { this.made = -1; },
    };
    const ref = await hub.sharedResource(name, functions).acquire();
    equal(ref.value, 1);
    await ref.release();
    await becomes(() => functions.made, -1);
  });
}
