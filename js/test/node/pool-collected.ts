/** Leases that nobody can give back any more, as only a collection of garbage on demand can show. */

import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Hub, type Leak, type Pool, connect, createHub } from 'clca';
import { becomes, equal, ok } from '../assert.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

async function pair(): Promise<Record<'hub' | 'client', Hub>> {
  const hub = await createHub();
  const { port1, port2 } = new MessageChannel();
  hub.attach(port1);
  return { hub, client: await connect(port2) };
}

/** Acquires in a function of its own, so that no variable keeps the lease. */
async function forget(pool: Pool<unknown>): Promise<void> {
  await pool.acquire();
}

const alive = setInterval(() => {}, 1e6); // the ports of one thread keep no process alive

for (const where of ['hub', 'client'] as const) {
  test(`a lease that is collected is reported, its resource unmade, and its place free: ${where}`, async () => {
    const realms = await pair();
    const leaks: Leak<object>[] = [];
    const log: string[] = [];
    const pool = realms[where].pool<object>('p', {
      max: 1,
      leakAfter: 1e6,
      create: () => (log.push('create'), { number: log.length }),
      destroy: () => void log.push('destroy'),
      onRelease: () => void log.push('released'),
      onLeak: (leak) => void leaks.push(leak),
    });
    await forget(pool);
    const next = pool.acquire();
    await becomes(async () => (collect(), (await pool.stats()).waiting), 0);
    const lease = await next;
    equal(log, ['create', 'destroy', 'create']);
    equal(leaks.map(({ kind, resource }) => [kind, resource]), [['collected', { number: 1 }]]);
    ok(leaks[0]!.stack!.includes('forget'), `who forgot it is in ${leaks[0]!.stack}`);
    equal(pool.outstanding().length, 1);
    await lease.release();
    await pool.close();
    await pool.join();
    await realms.hub.close();
  });

  test(`a lease that is in use, or was given back, is not taken for a leak when it is collected: ${where}`, async () => {
    const realms = await pair();
    const leaks: unknown[] = [];
    let made = 0;
    const pool = realms[where].pool('p', { max: 2, create: () => ++made, onLeak: (leak) => void leaks.push(leak) });
    const used = await pool.acquire();
    await (async () => (await pool.acquire()).release())();
    for (let i = 0; i < 5; i++) {
      collect();
      await pool.stats();
    }
    equal([leaks, (await pool.stats()).lent, (await pool.stats()).idle, used.resource], [[], 1, 1, 1]);
    await used.release();
    await realms.hub.close();
    collect();
    equal(leaks, []);
  });
}

test('a pool does not keep the process alive while nothing is pending', async () => {
  const { hub } = await pair();
  const pool = hub.pool('p', { max: 2, idleTime: 1e6, leakAfter: 1e6, create: () => 'resource' });
  const before = process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  await (await pool.acquire()).release();
  await pool.acquire();
  equal(process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length, before);
  await hub.close();
  clearInterval(alive);
});
