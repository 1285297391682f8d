/** A page on whose hub some mind their own business, while Workers attack it. */

import { type AttachOptions, connect, createHub } from 'clca';
import { becomes, equal } from '../assert.ts';
import { hostileNames } from '../hostile-attack.ts';
import { type Recorded, record, theirs } from '../hostile-corpus.ts';
import { Honest } from '../hostile-honest.ts';
import { closeAll } from '../hostile-raw.ts';
import type { Mission } from './hostile-worker.ts';

/** Those who attack: what they are let in with, and how they end. */
const parties: { limits: AttachOptions; end: Mission['end'] | 'terminate' | 'session.end' }[] = [
  { limits: {}, end: 'hub.close' },
  { limits: { prefix: theirs }, end: 'self.close' },
  { limits: { prefix: theirs, limit: 200 }, end: 'session.end' },
  { limits: { limit: 1000 }, end: 'terminate' },
];

async function attack(where: 'here' | 'worker', seed: number, messages: number): Promise<number> {
  const corpus = await recorded();
  const hub = await createHub({ where });
  const inUse = async (): Promise<object> => ({ ...await hub.stats(), dropped: 'is no matter' });
  const begin = await inUse();
  const { port1, port2 } = new MessageChannel();
  hub.attach(port1);
  const other = await connect(port2);
  const pair = [new Honest(hub, other, `one ${crypto.randomUUID()}/`), new Honest(other, hub, `two ${crypto.randomUUID()}/`)];
  for (const each of pair) await each.hold();
  const before = await inUse();
  const { sessions } = await hub.stats();

  let done = 0;
  let posted = 0;
  for (const [i, { limits, end }] of parties.entries()) {
    const worker = new Worker(new URL('hostile-worker.js', import.meta.url), { type: 'module' });
    const session = hub.attach(worker, limits);
    worker.addEventListener('message', ({ data }) => {
      if (!('posted' in data)) return; // of clca
      posted += data.posted as number;
      done++;
      if (end === 'terminate') worker.terminate();
      if (end === 'session.end') session.end();
    });
    const secrets = pair.flatMap(({ name }) => [name, `${name}held`, `${name}round`]);
    const own = end === 'terminate' || end === 'session.end' ? 'none' : end;
    worker.postMessage({ mission: { seed: seed + i, corpus, messages, secrets, end: own } satisfies Mission });
  }
  let rounds = 0;
  for (; rounds < 3 || done < parties.length; rounds++) {
    for (const each of pair) await each.round();
  }
  await becomes(async () => (await hub.stats()).sessions, sessions);
  await closeAll(hub, hostileNames);
  await becomes(inUse, before);
  for (const each of pair) await each.release();
  await other.close();
  await becomes(inUse, begin);
  equal(await hub.signal('s').signal(), 0);
  await hub.close();
  return posted;
}

async function recorded(): Promise<Recorded[]> {
  const hub = await createHub();
  const corpus = await record(hub);
  await hub.close();
  return corpus;
}

Object.assign(globalThis, { attack });
