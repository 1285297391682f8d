/**
 * How clients of a shared hub get to the next, in a world of realms that are not real: what no browser can be made to do
 * happens there when the test wants it, such as a SharedWorker that starts anew on the same ports, as WebKit has it.
 *
 * A realm has its ports, its Web Locks and its globals, which its code finds by the context in which it runs.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Version } from '../../src/abi.ts';
import { type ConnectOptions, connect } from '../../src/connect.ts';
import type { Hub } from '../../src/hub.ts';
import { type ServeOptions, serve } from '../../src/serve.ts';
import { becomes, equal, gate, ok, rejection, rejects, turn } from '../assert.ts';

const current = new AsyncLocalStorage<Realm>();
const wasm = await WebAssembly.compile(await readFile(new URL('../../dist/clca.wasm', import.meta.url)));

type Listener = (event: any) => void;

// Time passes twenty times as fast there: a client waits for a while before it tries again.
const { setTimeout: later } = globalThis;
globalThis.setTimeout = ((run: () => void, ms = 0) => {
  const timers = current.getStore()?.timers;
  const timer = later(() => (timers?.delete(timer), run()), ms / 20);
  timers?.add(timer);
  return timer;
}) as typeof setTimeout;

class Realm extends EventTarget {
  dead = false;
  /** It is a page, and has a document. */
  page = false;
  #asleep: (() => void)[] | undefined;
  readonly timers = new Set<NodeJS.Timeout>();
  readonly ports = new Set<Port>();
  readonly channels = new Set<Channel>();

  constructor(readonly world: World, readonly url: string) {
    super();
  }

  run<T>(code: () => T): T {
    return current.run(this, code);
  }

  /** Does something in a task of its own, unless it is dead; not while it sleeps. */
  task(run: () => void): void {
    setImmediate(() => {
      if (this.dead) return;
      if (this.#asleep !== undefined) this.#asleep.push(run);
      else this.run(run);
    });
  }

  /** A page goes into the back/forward cache. */
  hide(): void {
    this.run(() => this.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: true })));
    this.#asleep = [];
  }

  /** It comes back, and knows of that before it hears what was said meanwhile, or so many tasks after that. */
  show(tasks: number): void {
    const event = Object.assign(new Event('pageshow'), { persisted: true });
    const show = (): unknown => this.run(() => this.dispatchEvent(event));
    const showAfter = (left: number): void => this.task(() => (left === 1 ? show() : showAfter(left - 1)));
    if (tasks === 0) show();
    for (const run of this.#asleep ?? []) this.task(run);
    this.#asleep = undefined;
    if (tasks > 0) showAfter(tasks);
  }

  /** It is no more: its locks are free, and nothing it has under way has any effect. */
  die(): void {
    this.dead = true;
    for (const timer of this.timers) clearTimeout(timer);
    for (const port of this.ports) port.close();
    this.world.locks.freeAll(this);
  }
}

/** Web Locks of all realms of a world. */
class Locks {
  #queue: { name: string; realm: Realm; shared: boolean; held: boolean; granted: () => void }[] = [];

  async request(name: string, ...rest: unknown[]): Promise<unknown> {
    const use = rest.at(-1) as (lock: unknown) => unknown;
    const { mode, ifAvailable = false, signal } = (rest.length > 1 ? rest[0] : {}) as LockOptions;
    const realm = current.getStore()!;
    const entry = { name, realm, shared: mode === 'shared', held: false, granted: () => {} };
    await turn();
    if (ifAvailable && !this.#free(entry, this.#queue.length)) return use(null);
    const granted = new Promise<void>((resolve, reject) => {
      entry.granted = resolve;
      signal?.addEventListener('abort', () => {
        if (!entry.held) this.#remove(entry), reject(signal.reason);
      });
    });
    if (signal?.aborted) throw signal.reason;
    if (realm.dead) return new Promise(() => {});
    this.#queue.push(entry);
    this.#grant();
    await granted;
    try {
      return await use({ name });
    } finally {
      this.#remove(entry);
    }
  }

  async query(): Promise<{ held: { name: string }[] }> {
    await turn();
    return { held: this.#queue.filter(({ held }) => held) };
  }

  freeAll(realm: Realm): void {
    for (const entry of this.#queue.filter((each) => each.realm === realm)) this.#remove(entry);
  }

  #free(entry: { name: string; shared: boolean }, at: number): boolean {
    return !this.#queue.slice(0, at).some((other) => other.name === entry.name && !(other.shared && entry.shared));
  }

  #remove(entry: object): void {
    this.#queue = this.#queue.filter((each) => each !== entry);
    this.#grant();
  }

  #grant(): void {
    this.#queue.forEach((entry, i) => {
      if (entry.held || !this.#free(entry, i)) return;
      entry.held = true;
      entry.realm.task(entry.granted);
    });
  }
}

/** A MessagePort. What is sent arrives in a task of its own, where somebody lives to hear it. */
class Port {
  realm: Realm | undefined;
  peer: Port | undefined;
  #listeners = new Map<string, Set<Listener>>();

  static pair(a: Realm, b: Realm): [Port, Port] {
    const [one, other] = [new Port(), new Port()];
    one.belong(a);
    other.belong(b);
    one.peer = other;
    other.peer = one;
    return [one, other];
  }

  belong(realm: Realm): void {
    this.realm = realm;
    realm.ports.add(this);
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    const data: unknown = structuredClone(message, { transfer });
    const to = this.peer;
    if (this.realm?.dead !== true) setImmediate(() => to?.realm?.task(() => to.hear(data)));
  }

  hear(data: unknown): void {
    if (this.realm === undefined) return;
    for (const listener of [...(this.#listeners.get('message') ?? [])]) listener({ data });
  }

  addEventListener(type: string, listener: Listener): void {
    if (!this.#listeners.has(type)) this.#listeners.set(type, new Set());
    this.#listeners.get(type)!.add(listener);
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  start(): void {}

  close(): void {
    this.realm?.ports.delete(this);
    this.realm = undefined;
  }

  /** The same port, in a realm that has taken the place of another. */
  movedTo(realm: Realm): Port {
    const port = new Port();
    port.belong(realm);
    port.peer = this.peer;
    this.peer!.peer = port;
    this.peer = undefined;
    return port;
  }
}

class Channel {
  onmessage: Listener | null = null;
  #realm = current.getStore()!;
  #name: string;

  constructor(name: string) {
    this.#name = name;
    this.#realm.channels.add(this);
  }

  postMessage(message: unknown): void {
    const data: unknown = structuredClone(message);
    for (const realm of this.#realm.world.workers.values()) {
      if (realm === this.#realm || this.#realm.dead) continue;
      for (const each of realm.channels) {
        if (each.#name === this.#name) realm.task(() => each.onmessage?.({ data }));
      }
    }
  }

  close(): void {
    this.#realm.channels.delete(this);
  }
}

/** What starts a SharedWorker, or finds it. */
class Starter extends EventTarget {
  readonly port: Port;

  constructor(url: string | URL) {
    super();
    const realm = current.getStore()!;
    const { world } = realm;
    const [near, far] = Port.pair(realm, realm);
    this.port = near;
    void world.starts.opened.then(() => {
      if (near.realm === undefined) return; // closed meanwhile
      const worker = world.worker(String(url));
      realm.ports.delete(far);
      far.belong(worker);
      worker.run(() => worker.dispatchEvent(Object.assign(new Event('connect'), { ports: [far] })));
    });
  }
}

class World {
  readonly locks = new Locks();
  readonly workers = new Map<string, Realm>();
  /** SharedWorkers start once it is open. */
  starts = gate();
  /** What the next SharedWorker serves with. */
  options: ServeOptions = {};
  /** How a SharedWorker's script goes. */
  script = (): void => serve({ wasm, name: 'lab', ...this.options });

  constructor() {
    this.starts.open();
  }

  worker(url: string): Realm {
    let realm = this.workers.get(url);
    if (realm === undefined || realm.dead) {
      realm = new Realm(this, url);
      this.workers.set(url, realm);
      realm.run(this.script);
    }
    return realm;
  }

  /** The SharedWorker that was started last. */
  get last(): Realm {
    return [...this.workers.values()].at(-1)!;
  }

  /** It starts anew, on the ports that it has. */
  restart(): void {
    const old = this.last;
    const ports = [...old.ports];
    old.ports.clear();
    old.dead = true;
    const realm = new Realm(this, old.url);
    this.workers.set(old.url, realm);
    realm.run(this.script);
    for (const port of ports) {
      const moved = port.movedTo(realm);
      realm.run(() => realm.dispatchEvent(Object.assign(new Event('connect'), { ports: [moved] })));
    }
  }

  async client(options: ConnectOptions = {}, url = 'https://a.example/hub.js'): Promise<Client> {
    const realm = new Realm(this, 'https://a.example/');
    realm.page = true;
    const client = new Client(realm);
    const onReconnect = (): unknown => client.again++;
    client.hub = await realm.run(async () => connect(new SharedWorker(url), { onReconnect, ...options }));
    return client;
  }
}

class Client {
  hub!: Hub;
  again = 0;

  constructor(readonly realm: Realm) {}

  /** Once it has gone on, so often at least. */
  async cameBack(times = 1): Promise<void> {
    await becomes(() => this.again >= times, true);
  }
}

for (const [name, get] of Object.entries({
  navigator: () => ({ locks: current.getStore()?.world.locks }),
  document: () => (current.getStore()?.page === true ? {} : undefined),
  location: () => ({ href: current.getStore()?.url }),
  addEventListener: () => current.getStore()?.addEventListener.bind(current.getStore()),
  removeEventListener: () => current.getStore()?.removeEventListener.bind(current.getStore()),
})) {
  Object.defineProperty(globalThis, name, { configurable: true, get });
}
Object.assign(globalThis, { onconnect: null, MessagePort: Port, SharedWorker: Starter, BroadcastChannel: Channel });

const tick = (): Promise<void> => new Promise(setImmediate);

/** What two clients find after some way to lose the hub: holdings are kept, nobody else has them, waits go on. */
async function outlives(lose: (world: World, clients: Client[]) => Promise<void> | void): Promise<void> {
  const world = new World();
  const [a, b] = [await world.client(), await world.client()];
  const guard = await a.hub.lock('l').acquire();
  const permit = await b.hub.semaphore('s', 3).acquire({ permits: 2 });
  const wait = b.hub.lock('l').acquire({ reconnect: true });
  const lost = rejection(b.hub.lock('l').acquire());
  await b.hub.stats();
  await lose(world, [a, b]);
  equal((await lost).name, 'HubLostError');
  await Promise.all([a.cameBack(), b.cameBack()]);
  await becomes(async () => (await a.hub.stats()).unreported, 0);
  equal([guard.lost.aborted, permit.lost.aborted], [false, false]);
  equal(await b.hub.lock('l').tryAcquire(), undefined);
  equal((await a.hub.semaphore('s', 3).stats()).held, 2);
  await guard.release();
  await (await wait).release();
  await permit.release();
  equal((await a.hub.stats()).names, 0);
}

test('what is held outlives a SharedWorker that dies', () => outlives((world) => world.last.die()));

test('what is held outlives a SharedWorker that is started anew on the same ports, by those who speak to it', () =>
  outlives(async (world, clients) => {
    world.locks.freeAll(world.last);
    world.restart();
    // Its lock is free with it, so each finds out, whatever comes first.
    for (const { hub } of clients) void hub.signal('s').signal().catch(() => {});
  }));

test('a client that speaks to a SharedWorker which was started anew is told so, before any lock says it', async () => {
  const world = new World();
  const a = await world.client();
  const guard = await a.hub.lock('l').acquire();
  const old = world.last;
  world.restart();
  const call = rejection(a.hub.signal('s').signal());
  equal((await call).name, 'HubLostError');
  world.locks.freeAll(old); // the next serves only then
  await a.cameBack(1);
  equal(guard.lost.aborted, false);
  equal((await a.hub.lock('l').stats()).held, 1);
});

test('a hub that is lost while it is joined after another does no harm, however far', () => outlives(async (world, clients) => {
  for (let turns = 0; turns < 25; turns++) {
    const before = world.last;
    before.die();
    await becomes(() => world.last !== before, true);
    for (let i = 0; i < turns; i++) await tick();
    for (const client of clients) client.again = 0;
    world.last.die();
    for (const client of clients) await client.cameBack();
  }
}));

for (const losses of [0, 1, 2]) {
  for (const [order, tasks] of [['it has heard nothing', 0], ['it has heard that', 1], ['it believes that', 10]] as const) {
    test(`a page is suspended, the hub is lost ${losses} times, and ${order} when it knows of its return`, async () => {
      const world = new World();
      const [a, b] = [await world.client(), await world.client()];
      const guard = await a.hub.lock('l').acquire();
      const wait = rejection(a.hub.signal('s').wait());
      const again = a.hub.queue('q').get({ reconnect: true });
      const other = b.hub.lock('l').acquire({ reconnect: true });
      await Promise.all([a.hub.stats(), b.hub.stats()]);
      a.realm.hide();
      const held = await other;
      for (let times = 1; times <= losses; times++) {
        world.last.die();
        await b.cameBack(times);
        await becomes(async () => (await b.hub.stats()).unreported, 0);
      }
      a.realm.show(tasks);
      equal((await wait).name, tasks <= 1 || losses === 0 ? 'SuspendedError' : 'HubLostError');
      await becomes(() => guard.lost.aborted, true);
      await b.hub.queue('q').put(1);
      equal(await again, 1);
      await b.hub.queue('q').taskDone();
      equal(held.lost.aborted, false);
      equal(await a.hub.lock('l').tryAcquire(), undefined);
      await held.release();
      await (await a.hub.lock('l').acquire()).release();
      equal((await a.hub.stats()).names, 0);
    });
  }
}

test('what was stolen is told, though the hub that knew is lost, and the next before it has heard of it', async () => {
  const world = new World();
  const [a, b] = [await world.client(), await world.client()];
  const robbed = await a.hub.lock('l').acquire();
  a.realm.ports.forEach((port) => (port.hear = () => {})); // hears nothing more from this hub
  const thief = await b.hub.lock('l').steal();
  equal(robbed.lost.aborted, false);
  world.last.die();
  await Promise.all([a.cameBack(1), b.cameBack(1)]);
  await becomes(() => robbed.lost.aborted, true);
  equal((robbed.lost.reason as Error).name, 'StolenError');
  equal(thief.lost.aborted, false);
  equal((await a.hub.lock('l').stats()).held, 1);
});

test('a client that was lent nothing and waits for nothing follows, and sees all as new', async () => {
  const world = new World();
  const a = await world.client();
  await a.hub.event('e').set();
  await a.hub.queue('q').put(1);
  world.last.die();
  await a.cameBack(1);
  equal(await a.hub.event('e').isSet(), false);
  equal(await a.hub.queue('q').tryGet(), undefined);
});

test('a wait at a checkpoint that was given up before the hub was lost arms nothing in the next', async () => {
  const world = new World();
  const [a, b] = [await world.client(), await world.client()];
  const stop = new AbortController();
  const aborted = rejection(a.hub.checkpoint('c').wait({ signal: stop.signal }));
  const timed = rejection(a.hub.checkpoint('d').wait({ timeout: 1 }));
  const arm = rejection(a.hub.checkpoint('e').arm({ signal: stop.signal }));
  world.last.dead = true; // it hears nothing any more
  stop.abort('enough');
  equal([await aborted, (await timed).name, await arm], ['enough', 'TimeoutError', 'enough']);
  world.last.die();
  await Promise.all([a.cameBack(), b.cameBack()]);
  for (const name of ['c', 'd', 'e']) equal((await b.hub.checkpoint(name).stats()).state, 'disarmed');
});

test('more holdings than a session has names are all taken back', async () => {
  const world = new World();
  const [a, b] = [await world.client(), await world.client()];
  const guards = await Promise.all(Array.from({ length: 3000 }, (_, i) => a.hub.lock(`l${i}`).acquire()));
  const waits = guards.map((_, i) => b.hub.lock(`l${i}`).acquire({ reconnect: true }));
  await b.hub.stats();
  for (let times = 1; times <= 2; times++) {
    world.last.die();
    await Promise.all([a.cameBack(times), b.cameBack(times)]);
    equal(guards.some(({ lost }) => lost.aborted), false);
    equal((await a.hub.stats()).names, 3000);
    equal(await b.hub.lock('l2999').tryAcquire(), undefined);
  }
  await Promise.all(guards.map((guard) => guard.release()));
  await Promise.all(waits.map(async (wait) => (await wait).release()));
  equal((await a.hub.stats()).names, 0);
});

test('between two hubs: close() ends at once what waits, and the next hub is not held up', async () => {
  const world = new World();
  const [a, b] = [await world.client(), await world.client()];
  const guard = await a.hub.lock('l').acquire();
  const wait = rejection(a.hub.lock('l').acquire({ reconnect: true }));
  const other = b.hub.lock('l').acquire({ reconnect: true });
  await b.hub.stats();
  world.starts = gate();
  world.last.die();
  const lost = rejection(a.hub.signal('s').wait());
  await a.hub.close();
  equal((await wait).name, 'ClosedError');
  await lost;
  equal(guard.lost.aborted, true);
  await guard.release();
  world.starts.open();
  await (await other).release();
});

test('between two hubs: a release holds, also if the next one is lost before it has heard of it', async () => {
  const world = new World();
  const [a, b] = [await world.client(), await world.client()];
  const guard = await a.hub.lock('l').acquire();
  const wait = b.hub.lock('l').acquire({ reconnect: true });
  await b.hub.stats();
  const known = rejection(a.hub.signal('s').wait());
  await a.hub.stats();
  world.starts = gate();
  world.last.die();
  await known;
  const released = guard.release();
  world.starts.open();
  const before = world.last;
  await becomes(() => world.last !== before, true);
  world.last.die();
  await released;
  await (await wait).release();
});

test('aborts and timeouts between two hubs settle at once, and nothing is granted for them later', async () => {
  const world = new World();
  const [a, b] = [await world.client(), await world.client()];
  const guard = await a.hub.lock('l').acquire();
  const stop = new AbortController();
  const known = rejection(b.hub.signal('s').wait());
  const aborted = rejection(b.hub.lock('l').acquire({ reconnect: true, signal: stop.signal }));
  const timed = rejection(b.hub.lock('l').acquire({ reconnect: true, timeout: 100 }));
  await b.hub.stats();
  world.starts = gate();
  world.last.die();
  await known;
  stop.abort('enough');
  equal(await aborted, 'enough');
  equal((await timed).name, 'TimeoutError');
  equal((await rejection(b.hub.lock('l').acquire({ timeout: 1 }))).name, 'TimeoutError');
  world.starts.open();
  await a.cameBack(1);
  await b.cameBack(1);
  equal((await a.hub.lock('l').stats()).waiting, 0);
  await guard.release();
  equal((await a.hub.lock('l').stats()).held, 0);
});

test('a hub of another version is the end, with a VersionError', async () => {
  const world = new World();
  const a = await world.client();
  const guard = await a.hub.lock('l').acquire();
  const wait = rejection(a.hub.lock('l').acquire({ reconnect: true }));
  await a.hub.stats();
  world.script = () => {
    current.getStore()!.addEventListener('connect', (event) => {
      const [port] = (event as unknown as { ports: Port[] }).ports;
      const welcome = { clca: 'welcome', version: Version + 1, epoch: 1, lock: undefined };
      port!.addEventListener('message', () => port!.postMessage(welcome));
    });
  };
  world.last.die();
  equal((await wait).name, 'VersionError');
  equal((await a.hub.closed)?.name, 'VersionError');
  equal((guard.lost.reason as Error).name, 'VersionError');
});

test('a hub whose module cannot be loaded any more is lost for good', async () => {
  const world = new World();
  const a = await world.client();
  const guard = await a.hub.lock('l').acquire();
  const lost = rejection(a.hub.signal('s').wait());
  await a.hub.stats();
  world.options = { wasm: new Uint8Array(8) };
  world.last.die();
  equal((await lost).name, 'HubLostError');
  equal((await a.hub.closed)?.name, 'HubLostError');
  ok(guard.lost.aborted, 'what was held is lost');
  await rejects(a.hub.lock('l').acquire(), 'HubLostError');
});

/** Whole numbers that the seed decides. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Clients come, take, and die; SharedWorkers die wherever they are; and nobody is ever inside beside another. */
async function melee(seed: number): Promise<void> {
  const roll = dice(seed);
  const world = new World();
  const permits = 3;
  const nobody = (): Map<Client, number> => new Map();
  const inside = { lock: nobody(), web: nobody(), shared: nobody(), permits: nobody() };
  const had: Record<string, number> = { lock: 0, web: 0, shared: 0, permits: 0 };
  const total = (): number => Object.values(had).reduce((a, b) => a + b);
  let stopped = false;
  const wrong: string[] = [];
  const check = (): void => {
    const modes = [...inside.shared.values()];
    if (inside.lock.size > 1) wrong.push('two have the lock');
    if (inside.web.size > 1) wrong.push('two have the lock of hub.locks');
    if (modes.length > 1 && modes.includes(0)) wrong.push('one shares the lock with who has it alone');
    const taken = [...inside.permits.values()].reduce((a, b) => a + b, 0);
    if (taken > permits) wrong.push('more permits are held than there are');
  };
  const within = async (kind: keyof typeof inside, client: Client, how: number, lost?: AbortSignal): Promise<void> => {
    if (client.realm.dead) return;
    inside[kind].set(client, how);
    had[kind]!++;
    check();
    if (roll(3) > 0) for (let i = roll(12); i > 0; i--) await tick();
    else await new Promise((resolve) => later(resolve, roll(60))); // longer than it takes to come back
    inside[kind].delete(client);
    if (lost?.aborted && !client.realm.dead) wrong.push(`${kind}: ${lost.reason}`);
  };
  const live = async (client: Client): Promise<void> => {
    const { hub, realm } = client;
    const loop = async (act: () => Promise<void>): Promise<void> => {
      while (!stopped && !realm.dead) {
        await act().catch((error) => error?.name === 'HubLostError' || wrong.push(String(error?.stack ?? error)));
        await tick();
      }
    };
    await Promise.all([
      loop(async () => {
        const guard = await hub.lock('l').acquire({ reconnect: roll(3) > 0 });
        await within('lock', client, 1, guard.lost);
        await guard.release();
      }),
      loop(() => hub.locks.request('w', () => within('web', client, 1))),
      loop(async () => {
        const shared = roll(3) > 0;
        const guard = await hub.rwlock('rw').acquire({ mode: shared ? 'shared' : 'exclusive', reconnect: true });
        await within('shared', client, Number(shared), guard.lost);
        await guard.release();
      }),
      loop(async () => {
        const weight = 1 + roll(2);
        const permit = await hub.semaphore('s', permits).acquire({ permits: weight, reconnect: true });
        await within('permits', client, weight, permit.lost);
        await permit.release();
      }),
    ]);
  };
  const lives: Promise<void>[] = [];
  const clients: Client[] = [];
  const come = async (): Promise<void> => {
    const client = await world.client({ timeout: 20_000 });
    clients.push(client);
    lives.push(live(client));
  };
  await Promise.all([come(), come(), come(), come()]);
  for (let losses = 0; losses < 12; losses++) {
    const enough = total() + 1 + roll(30);
    if (roll(3) > 0) await becomes(() => total() >= enough, true);
    for (let i = roll(40); i > 0; i--) await tick();
    if (clients.length > 2 && roll(4) === 0) {
      const [victim] = clients.splice(roll(clients.length), 1);
      victim!.realm.die();
      for (const each of Object.values(inside)) each.delete(victim!);
      void come().catch(() => {});
    }
    if (roll(4) === 0) {
      const old = world.last;
      world.restart();
      world.locks.freeAll(old);
    } else {
      world.last.die();
    }
  }
  const alive = clients.filter(({ realm }) => !realm.dead);
  const before = { ...had };
  for (const kind of Object.keys(had)) await becomes(() => had[kind]! > before[kind]!, true);
  stopped = true;
  await Promise.all(alive.map(async ({ hub }) => {
    while (await hub.stats().then(() => false, () => true)) await tick();
  }));
  equal(wrong.slice(0, 3), [], `seed ${seed}`);
}

const soak = Number(process.env['SOAK'] ?? 0) * 60_000;

test('nobody is inside beside another, whenever hubs and clients die', async () => {
  const until = performance.now() + Math.max(soak, 1);
  let seed = soak > 0 ? Date.now() >>> 0 : 1;
  do await melee(seed++);
  while (performance.now() < until || (soak === 0 && seed < 3));
});
