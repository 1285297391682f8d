/** Clients that nobody can reach any more, as only a collection of garbage on demand can show. */

import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Hub, connect, createHub } from 'clca';
import { becomes, equal, turn } from '../assert.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const alive = setInterval(() => {}, 1e6); // the ports of one thread keep no process alive

/** Lets `use` have a client of which it is to keep nothing; resolves with what it returns. */
async function forgotten<T>(hub: Hub, use: (client: Hub) => Promise<T>): Promise<T> {
  const { port1, port2 } = new MessageChannel();
  hub.attach(port1);
  return use(await connect(port2));
}

/** Collects until that is so. */
async function collected(so: () => Promise<boolean>): Promise<void> {
  await becomes(async () => (collect(), await turn(), so()), true);
}

const sessions = async (hub: Hub): Promise<number> => (await hub.stats()).sessions;

test('a client that is collected gives back what it held, and the next holder is told', async () => {
  const hub = await createHub();
  await forgotten(hub, async (client) => {
    await client.lock('l').acquire();
    await client.semaphore('s', 2).acquire({ permits: 2 });
  });
  equal(await hub.lock('l').tryAcquire(), undefined);
  await collected(async () => await sessions(hub) === 1);
  const guard = await hub.lock('l').acquire();
  equal(guard.abandoned, true);
  await guard.release();
  equal(await hub.stats(), { ...await hub.stats(), sessions: 1, names: 0, calls: 0 });
  await hub.close();
});

test('a client that watches checkpoints is collected all the same', async () => {
  const hub = await createHub();
  await forgotten(hub, async (client) => {
    for (let i = 0; i < 5; i++) await client.checkpoint('c').wait();
  });
  await collected(async () => await sessions(hub) === 1);
  await hub.close();
});

test('what can still be reached of a client keeps all of it', async () => {
  const hub = await createHub();
  const kept: Record<string, unknown> = {};
  const uses: Record<string, (client: Hub) => Promise<unknown>> = {
    hub: async (client) => client,
    primitive: async (client) => client.signal('x'),
    token: (client) => client.lock('token').acquire(),
    'signal of a token': async (client) => (await client.lock('signal').acquire()).lost,
    'listener to the signal of a token': async (client) => {
      (await client.lock('listener').acquire()).lost.addEventListener('abort', () => {});
    },
    'arm of a checkpoint': async (client) => {
      const armed = client.checkpoint('arm').arm();
      await client.stats();
      hub.checkpoint('arm').wait().catch(() => {});
      await armed;
    },
    'call that waits': async (client) => void client.signal('wait').wait().catch(() => {}),
    'function that holds': async (client) => void client.lock('with').with(() => new Promise(() => {})).catch(() => {}),
    'callback that holds': async (client) => void client.locks.request('callback', () => new Promise(() => {})).catch(() => {}),
    'resource of others': async (client) => {
      const ref = await client.sharedResource('resource', { start: () => 'theirs' }).acquire();
      kept['ref'] = await hub.sharedResource('resource', { start: () => 'not this' }).acquire();
      await ref.release();
    },
    'realm below it': async (client) => {
      const { port1, port2 } = new MessageChannel();
      client.attach(port1);
      kept['below'] = await connect(port2);
    },
  };
  for (const [name, use] of Object.entries(uses)) kept[name] = await forgotten(hub, use);
  const all = Object.keys(uses).length + 2; // the hub's own, and the realm below
  equal(await sessions(hub), all);
  for (let i = 0; i < 20; i++) {
    collect();
    await turn();
  }
  equal(await sessions(hub), all);
  await hub.close();
});

test('the end of the tests', () => clearInterval(alive));
