/**
 * Clients that mean no good, against a hub with others on it, all in one thread, so that all can be seen. The seed is in the name of
 * the test: SEED=… runs it again, and SOAK=1 a million messages.
 */

import { after, test } from 'node:test';
import { type Hub, connect } from 'clca';
import { Code, Kind, Op, Outcome, Status, Version } from '../../src/abi.ts';
import { localHub } from '../../src/create.ts';
import { load } from '../../src/load.ts';
import { Switchboard } from '../../src/switchboard.ts';
import { becomes, equal, ok, rejects, turn } from '../assert.ts';
import { Attackers, hostileNames, randomFrom } from '../hostile-attack.ts';
import { record } from '../hostile-corpus.ts';
import { Honest } from '../hostile-honest.ts';
import { Raw, closeAll } from '../hostile-raw.ts';
import { keptPayloads } from '../kept.ts';

const { SEED, SOAK } = process.env;
const seeds = SEED === undefined ? Array.from({ length: SOAK ? 10 : 4 }, () => Math.floor(Math.random() * 2 ** 31)) : [Number(SEED)];
const messages = SOAK ? 100_000 : 15_000;

// All realms are in this thread, whose ports keep no process alive.
const alive = setInterval(() => {}, 1e6);
const tidying: (() => void)[] = [];
after(() => {
  clearInterval(alive);
  for (const tidy of tidying) tidy();
});

const complaints: string[] = [];
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => complaints.push(`${event}: ${error?.stack ?? error}`));
}
console.error = (...words: unknown[]) => void complaints.push(`console.error: ${words.join(' ')}`);

interface Lab {
  hub: Hub;
  /** How much the switchboard keeps. */
  kept(): { payloads: number; ports: number; wanted: number };
  /** How many bytes of memory the module has. */
  memory(): number;
}

async function start(): Promise<Lab> {
  const program = await load(new URL('../../dist/clca.wasm', import.meta.url));
  // The switchboard shows nobody what it keeps: these are the first that it makes.
  const made: { size: number }[] = [];
  const { Map, Set } = globalThis;
  const noted = (Plain: any): any => class extends Plain {
    constructor(entries?: unknown) {
      super(entries);
      made.push(this as unknown as { size: number });
    }
  };
  globalThis.Map = noted(Map);
  globalThis.Set = noted(Set);
  let board: Switchboard;
  try {
    board = new Switchboard(program, { name: undefined, release() {} });
  } finally {
    Object.assign(globalThis, { Map, Set });
  }
  const [ports, , wanted] = made;
  return {
    hub: localHub(board),
    kept: () => ({ payloads: keptPayloads(), ports: ports!.size, wanted: wanted!.size }),
    memory: () => program.exports.mem.buffer.byteLength,
  };
}

/** The hub, and two who mind their own business on it, until the end, when nothing may be left of anybody. */
async function amongOthers(seed: number, act: (lab: Lab, near: Honest, far: Honest, port: MessagePort) => Promise<void>): Promise<void> {
  const lab = await start();
  const { hub, kept } = lab;
  try {
    const inUse = async (): Promise<object> => ({ ...await hub.stats(), dropped: 'is no matter' });
    const begin = await inUse();
    const { port1, port2 } = new MessageChannel();
    const session = hub.attach(port1);
    const client = await connect(port2);
    const near = new Honest(hub, client, `near ${seed}/`);
    const far = new Honest(client, hub, `far ${seed}/`);
    await near.hold();
    await far.hold();
    const before = { inUse: await inUse(), kept: kept() };
    await act(lab, near, far, port2);
    await near.round();
    await far.round();
    await becomes(inUse, before.inUse);
    equal(kept(), before.kept, 'what the switchboard keeps');
    await near.release();
    await far.release();
    await client.close();
    session.end();
    await becomes(inUse, begin);
    await becomes(kept, { payloads: 0, ports: 0, wanted: 0 });
    equal(complaints, [], 'what was complained of');
  } finally {
    complaints.length = 0;
    await hub.close(); // of ports too, which keep the process alive
  }
}

const corpus = await (async () => {
  const { hub } = await start();
  const recorded = await record(hub);
  await hub.close();
  return recorded;
})();

for (const seed of seeds) {
  test(`${messages} hostile messages disturb nobody, and nothing is left of them, seed ${seed}`, async () => {
    const random = randomFrom(seed);
    await amongOthers(random(2 ** 32), async ({ hub }, near, far, port) => {
      const attackers = new Attackers({
        random,
        corpus,
        attach: (each, limits) => {
          const session = hub.attach(each, limits);
          return () => session.end();
        },
        secrets: ['', 'held', 'round', 'held full'].flatMap((each) => [near.name + each, far.name + each]),
      }, 8);
      tidying.push(() => attackers.tidy()); // not before: that nothing is left is up to the hub
      port.addEventListener('message', ({ data }) => {
        if (data instanceof Uint32Array) for (const each of data.subarray(1)) attackers.overhear(each);
      });
      let over = false;
      let rounds = 0;
      const working = (async () => {
        for (; !over; rounds++) {
          await near.round();
          await far.round();
        }
      })();
      working.catch(() => (over = true));
      while (!over && attackers.posted < messages) {
        attackers.go(1 + random(60));
        await turn();
      }
      over = true;
      await working;
      attackers.end();
      await turn();
      await closeAll(hub, hostileNames);
      if (SOAK) console.log(`${attackers.posted} messages of ${corpus.length} kinds, ${rounds} rounds of the honest`);
    });
  });
}

/** What did harm once, or looks as if it could. */
const once: Record<string, (raw: Raw, lab: Lab) => unknown> = {
  'a hello whose version cannot be shown': (raw) => raw.post({ clca: 'hello', version: { toString: 1 }, lock: undefined }),

  'a hello with endless memberships': async (raw) => {
    raw.post({ clca: 'hello', version: Version, lock: undefined, generation: 1, memberships: new Array(2 ** 32 - 1) });
    await raw.until(({ clca }) => clca === 'welcome' || undefined);
  },

  'a batch with endless names and items': async (raw) => {
    await raw.hello();
    const endless = new Array(2 ** 32 - 1);
    raw.batch([Op.Bind, 0, Kind.Signal, 0, 0], endless);
    raw.batch([Op.Bind, 0, Kind.Signal, 0, 0], ['x'], endless);
    raw.post({ clca: 'batch', words: Uint32Array.of(raw.epoch ^ 1), names: [], items: endless });
    await raw.hello();
  },

  'results and errors that cannot be shown': async (raw, { hub }) => {
    const { port1, port2 } = new MessageChannel();
    const session = hub.attach(port1);
    const far = await connect(port2);
    const bad = { toString: 1, valueOf: 1 };
    const payloads = [
      { error: { parts: { message: bad } } }, { error: { parts: { name: bad, message: '', stack: bad, code: bad } } }, { error: bad },
      { uncloneable: bad }, { value: 1, transfer: bad }, { value: 1, transfer: new Array(2 ** 32 - 1) }, { value: 1, transfer: [bad, bad] },
    ];
    await raw.hello();
    for (const [i, payload] of payloads.entries()) {
      raw.batch([Op.Bind, 0, Kind.Task, 0, 0, Op.Wait, 0, 0, 0, 0], [`task ${i}`]);
      const run = await raw.until((data) => data instanceof Uint32Array && data[2] === Status.Run ? data[3] : undefined);
      raw.heard.length = 0;
      const waits = [hub, far].map((each) => each.sharedTask(`task ${i}`, () => {}).wait());
      for (const each of [hub, far]) await each.stats();
      raw.post({ clca: 'payload', run, payload });
      raw.calls(Op.Finish, 0, Outcome.Error, run, 0);
      await Promise.allSettled(waits);
      await Promise.allSettled([hub, far].map((each) => each.sharedTask(`task ${i}`, () => {}).wait())); // it is kept
      await hub.sharedTask(`task ${i}`, () => {}).close();
      await raw.until((data) => data instanceof Uint32Array || undefined);
    }
    session.end();
  },

  'a lock with an argument': async (raw, { hub }) => {
    await raw.hello();
    for (const kind of [Kind.Lock, Kind.ReentrantLock, Kind.RWLock]) {
      raw.batch([Op.Bind, 0, kind, 7, 0, Op.Acquire, 0, kind - Kind.Lock, 0, 0], ['shared']);
    }
    await raw.until(() => raw.answered === 3 || undefined);
    equal(await hub.lock('shared').tryAcquire(), undefined);
    equal(await hub.rwlock('shared').tryAcquire(), undefined);
    equal(await hub.reentrantLock('shared').isLocked(), true);
    for (const lock of [hub.lock('shared'), hub.reentrantLock('shared'), hub.rwlock('shared')]) await lock.close(); // else they are abandoned
  },

  'names that are as long as can be': async (raw, { memory }) => {
    await raw.hello();
    const name = 'x'.repeat(20_000_000);
    for (let i = 0; i < 20; i++) {
      raw.batch([Op.Bind, i, Kind.Event, 0, 0, Op.Set, i, 0, 0, 0], [name + i]);
      await raw.hello();
    }
    ok(memory() < 2 ** 28, `the hub has ${memory()} bytes`);
  },

  'two children of one id': async (raw, { hub }) => {
    await raw.hello();
    for (const port of [raw.admit(1), raw.admit(1)]) new Raw(port).post({ clca: 'hello', version: Version, lock: undefined });
    await raw.hello();
    await hub.stats();
  },

  'children of children of children': async (raw) => {
    await raw.hello();
    let at = raw;
    for (let depth = 0; depth < 3000; depth++) {
      const below = at.admit(1);
      below.postMessage({ clca: 'hello', version: Version, lock: undefined });
      at = new Raw(below);
      if (depth % 100 === 0) await turn();
    }
    await raw.hello();
    await turn();
  },

  'a child that is ended while its parent is away': async (raw, { hub }) => {
    await raw.hello();
    const { sessions } = await hub.stats();
    const child = new Raw(raw.admit(1));
    raw.post({ clca: 'bye', suspended: true });
    await becomes(async () => (await hub.stats()).sessions, sessions - 1);
    for (let i = 0; i < 2; i++) child.post({ clca: 'hello', version: Version, lock: undefined });
    await turn();
    raw.post({ clca: 'end', id: 1 });
    await child.until(({ clca }) => clca === 'over' || undefined);
    await raw.hello();
    equal((await hub.stats()).sessions, sessions);
  },

  'an end for one who is not its child': async (raw, { hub }) => {
    await raw.hello();
    const other = Raw.enter(hub);
    await other.raw.hello();
    const child = new Raw(other.raw.admit(7));
    await child.hello();
    const { sessions } = await hub.stats();
    for (const id of [7, 0, 1, -1, NaN, '7', { id: 7 }, [7]]) raw.post({ clca: 'end', id });
    await raw.hello();
    equal((await hub.stats()).sessions, sessions);
    other.end();
  },

  'watches with wild arguments': async (raw, { hub }) => {
    const cells = [0, 1, 2, 64, 65, 2 ** 16, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1];
    for (const blocks of [undefined, true, 'yes', {}]) {
      await raw.hello({ blocks });
      const { answered } = raw;
      raw.batch([Op.Bind, 0, Kind.Checkpoint, 0, 0, ...cells.flatMap((cell, slot) => [Op.Watch, 0, slot, cell, cell])], ['watched']);
      await raw.hello({ blocks }); // which ends the session that watches
      raw.batch([Op.Bind, 0, Kind.Checkpoint, 0, 0, ...cells.flatMap((cell, slot) => [Op.Watch, 0, slot, cell, cell])], ['watched']);
      raw.calls(Op.HubStats, 0, cells.length, 0, 0);
      await raw.until(() => raw.answered > answered || undefined);
      const arm = hub.checkpoint('watched').arm();
      const parked = hub.checkpoint('watched').wait();
      await arm;
      equal(await hub.checkpoint('watched').resume(), 1);
      await parked;
    }
    const told = (): unknown => raw.completions().filter(([, status]) => status === Status.Armed).map(([, , cell]) => cell);
    await becomes(told, Array.from({ length: 4 }, () => cells).flat());
  },

  'watches of what is no checkpoint': async (raw) => {
    await raw.hello();
    for (let kind = 0; kind < Kind.Denied; kind++) {
      if (kind === Kind.Checkpoint) continue;
      raw.batch([Op.Bind, 0, kind, kind === Kind.Condition ? 1 : 3, 0, Op.Watch, 0, kind, 1, 0, Op.End, 0, kind, 0, 0], ['no checkpoint']);
    }
    await raw.hello();
  },

  'a hundred thousand watches of one checkpoint': async (raw, { hub }) => {
    await raw.hello({ blocks: true });
    const count = 100_000;
    raw.batch([Op.Bind, 0, Kind.Checkpoint, 0, 0], ['watched']);
    raw.post(Uint32Array.from([raw.epoch, ...Array.from({ length: count }, (_, slot) => [Op.Watch, 0, slot, slot, 0]).flat()]));
    raw.calls(Op.HubStats, 0, count, 0, 0);
    await raw.until(() => raw.answered > 0 || undefined);
    const { answered } = raw;
    const arm = hub.checkpoint('watched').arm();
    await raw.until(() => raw.answered === answered + count || undefined);
    const parked = hub.checkpoint('watched').wait();
    await arm;
    equal(await hub.checkpoint('watched').resume(), 1);
    await parked;
    raw.post(Uint32Array.from([raw.epoch, ...Array.from({ length: count }, (_, slot) => [Op.Watch, 0, slot, slot, 0]).flat()]));
    await raw.hello(); // ends them
  },

  'memory that is scribbled in': async (raw, { hub }) => {
    for (let round = 0; round < 20; round++) {
      raw.heard.length = 0;
      await raw.hello({ blocks: true });
      const memory = await raw.until(({ clca, memory }) => (clca === 'memory' ? new Int32Array(memory) : undefined));
      const scribble = (): void => {
        for (let i = 0; i < memory.length; i++) Atomics.store(memory, i, [0, 1, 2, 3, 4, -1, 2 ** 31 - 1][(i * 7 + round * 3) % 7]!);
        Atomics.store(memory, 0, round % 5);
      };
      scribble();
      raw.batch([
        Op.Bind, 0, Kind.Checkpoint, 0, 0, Op.Watch, 0, 0, 1, 0, Op.Wait, 0, 1, 0, 0,
        Op.Bind, 1, Kind.Lock, 0, 0, Op.Acquire, 1, 2, 0, 0, Op.Acquire, 1, 3, 0, 0, Op.Bind, 2, Kind.Signal, 0, 0, Op.Wait, 2, 4, 0, 0,
      ], ['scribbled', 'scribbled', 'scribbled']);
      await becomes(async () => (await hub.signal('scribbled').stats()).waiting, 1);
      scribble();
      equal(await hub.signal('scribbled').signal(), 1);
      scribble();
      const arm = hub.checkpoint('scribbled').arm();
      await hub.stats();
      await hub.checkpoint('scribbled').disarm();
      await rejects(arm, 'DisarmedError');
    }
    raw.heard.length = 0;
    await raw.hello();
    const guard = await hub.lock('scribbled').acquire();
    await guard.release();
  },

  'what only the owner may say': async (raw) => {
    raw.post({ clca: 'close' });
    await raw.hello();
    raw.post({ clca: 'close' });
    await raw.hello();
  },
};

for (const [what, say] of Object.entries(once)) {
  test(`harmless: ${what}`, { timeout: 60_000 }, () => amongOthers(1, async (lab) => {
    const { raw, end } = Raw.enter(lab.hub);
    await say(raw, lab);
    await turn();
    end();
    await turn();
  }));
}

test('a flood beyond the limit is answered with errors, call by call, while others are served', { timeout: 60_000 }, () => amongOthers(1, async ({ hub }, _near, far) => {
  const flood = 200_000;
  const limit = 10;
  const { raw, end } = Raw.enter(hub, { limit });
  await raw.hello();
  raw.batch([Op.Bind, 0, Kind.Signal, 0, 0], ['flooded']);
  const words = Uint32Array.of(raw.epoch, Op.Wait, 0, 0, 0, 0);
  for (let slot = 0; slot < flood; slot++) {
    words[3] = slot;
    raw.post(words);
  }
  await far.round();
  await raw.until(() => raw.answered === flood - limit || undefined);
  ok(raw.completions().every(([slot, status, code]) => slot! >= limit && status === Status.Fail && code === Code.Limit), 'all are LimitErrors');
  equal(await hub.signal('flooded').signal(), limit);
  await raw.until(() => raw.answered === flood || undefined);
  const batch = Uint32Array.from([raw.epoch, ...Array.from({ length: 100_000 }, (_, slot) => [Op.Wait, 0, slot, 0, 0]).flat()]);
  raw.post(batch);
  raw.post(batch); // whose first calls are in slots that are taken, and refused
  await raw.until(() => raw.answered === flood + 2 * (100_000 - limit) || undefined);
  equal(await hub.signal('flooded').signal(), limit);
  end();
}));
