/**
 * A realm that is driven from outside, as `lab`: a page, an iframe, a Worker, a Worker of a Worker. All of them run this
 * script, and are told what to do as statements. Each is a client of the hub that a SharedWorker serves.
 */

import { type Hub, connect, createHub } from 'clca';
import { becomes, equal, gate, ok, rejection, rejects, turn, untilAborted } from '../assert.ts';
import { Holdings, busy } from './comeback-holdings.ts';

type Statements = (realm: typeof lab) => Promise<unknown>;
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (name: string, body: string) => Statements;

/** A realm below this one, or beside it. */
interface Realm {
  at(path: string[], statements: string): Promise<unknown>;
}

class WorkerRealm implements Realm {
  readonly worker = new Worker(import.meta.url, { type: 'module' });
  #last = 0;
  #orders = new Map<number, (reply: Reply) => void>();

  constructor() {
    this.worker.onmessage = ({ data }) => {
      if (!('reply' in data)) return; // of clca
      const { id } = data as Reply;
      this.#orders.get(id)!(data as Reply);
      this.#orders.delete(id);
    };
  }

  async at(path: string[], statements: string): Promise<unknown> {
    const id = this.#last++;
    this.worker.postMessage({ order: true, id, path, statements } satisfies Order);
    const reply = await new Promise<Reply>((resolve) => this.#orders.set(id, resolve));
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply.value;
  }
}

interface Order {
  order: true;
  id: number;
  path: string[];
  statements: string;
}

interface Reply {
  reply: true;
  id: number;
  value?: unknown;
  error?: string;
}

const lab = {
  hub: undefined as unknown as Hub,
  /** How often it has gone on with another hub. */
  again: 0,
  stopped: false,
  competing: undefined as Promise<Record<string, number>> | undefined,
  held: undefined as unknown as Holdings,
  realms: {} as Record<string, Realm>,
  connect,
  createHub,
  becomes,
  equal,
  ok,
  rejects,
  rejection,
  turn,
  gate,
  untilAborted,
  Holdings,
  busy,
  /** What the tests' server is to this test. */
  door: '',
  stand,

  onReconnect: (): void => void lab.again++,

  /** From now on time passes twenty times as fast in this realm, where something waits for a while before it tries again. */
  hurry(): void {
    const { setTimeout: later } = globalThis;
    globalThis.setTimeout = ((run: () => void, ms = 0) => later(run, ms / 20)) as typeof setTimeout;
  },

  /** Becomes a client of the hub that a SharedWorker of that script and name serves. */
  async join(script = 'hub-worker.js', name = 'lab'): Promise<void> {
    const worker = new SharedWorker(new URL(script, import.meta.url), { type: 'module', name });
    lab.hub = await connect(worker, { onReconnect: lab.onReconnect });
  },

  /** A Worker that this realm starts and attaches, or an iframe that finds the hub by itself; it is a client then. */
  async begin(name: string): Promise<void> {
    const realm = (lab.realms[name] = name.startsWith('frame') ? await frame() : new WorkerRealm());
    if (realm instanceof WorkerRealm) {
      lab.hub.attach(realm.worker);
      await realm.at([], 'lab.hub = await lab.connect({ onReconnect: lab.onReconnect })');
    } else {
      await realm.at([], 'await lab.join()');
    }
  },

  /** Has statements carried out by the realm at the end of the path, which begins if there is none yet. */
  async at(path: string[], statements: string): Promise<unknown> {
    const [first, ...rest] = path;
    if (first === undefined) return new AsyncFunction('lab', statements)(lab);
    if (lab.realms[first] === undefined) await lab.begin(first);
    return lab.realms[first]!.at(rest, statements);
  },

  /** Takes what the others want too and gives it back, until `stopped`; resolves with how often it had each. */
  async compete(): Promise<Record<string, number>> {
    const { hub } = lab;
    const had = { lock: 0, web: 0, permits: 0, shared: 0, exclusive: 0 };
    const hold = async (kind: keyof typeof had, weight: number, most: number, lost?: AbortSignal): Promise<void> => {
      await lab.inside(kind === 'shared' || kind === 'exclusive' ? 'readers' : kind, weight, most);
      equal(lost?.aborted ?? false, false, kind);
      had[kind]++;
    };
    let over: Promise<never> | undefined;
    void hub.closed.then((error) => (over = Promise.reject(error)));
    const loop = async (turn: () => Promise<void>): Promise<void> => {
      while (!lab.stopped) {
        await turn().catch((error) => equal(error.name, 'HubLostError'));
        await over;
      }
    };
    await Promise.all([
      loop(async () => {
        const guard = await hub.lock('hammer').acquire({ reconnect: had.lock % 3 !== 0 });
        await hold('lock', 1, 1, guard.lost);
        await guard.release();
      }),
      loop(() => hub.locks.request('hammer web', () => hold('web', 1, 1))),
      loop(async () => {
        const weight = 1 + had.permits % 3;
        const permit = await hub.semaphore('hammer', 4).acquire({ permits: weight, reconnect: true });
        await hold('permits', weight, 4, permit.lost);
        await permit.release();
      }),
      loop(async () => {
        const mode = had.shared > 2 * had.exclusive ? 'exclusive' : 'shared';
        const guard = await hub.rwlock('hammer').acquire({ mode, reconnect: true });
        await hold(mode, mode === 'shared' ? 1 : 1000, mode === 'shared' ? 999 : 1000, guard.lost);
        await guard.release();
      }),
    ]);
    return had;
  },

  /** The server counts who is inside, and finds it wrong if there are more than may be. */
  async inside(name: string, weight: number, most: number): Promise<void> {
    await post(`enter?of=${name}&weight=${weight}&most=${most}`);
    await post(`leave?of=${name}&weight=${weight}`);
  },
};

/** Blocks this realm until the server answers. */
function stand(door: string): void {
  const request = new XMLHttpRequest();
  request.open('POST', `${door}/stand`, false);
  request.send();
}

async function post(what: string): Promise<void> {
  const response = await fetch(`${lab.door}/${what}`, { method: 'POST' });
  if (!response.ok) throw new Error(`${what}: ${await response.text()}`);
}

async function frame(): Promise<Realm> {
  const element = document.createElement('iframe');
  element.src = location.href;
  const loaded = new Promise((resolve) => element.addEventListener('load', resolve));
  document.body.append(element);
  await loaded;
  return (element.contentWindow as unknown as { lab: Realm }).lab;
}

if (typeof document === 'undefined') {
  addEventListener('message', async ({ data }) => {
    if (!('order' in data)) return; // of clca
    const { id, path, statements } = data as Order;
    const answer = { reply: true, id } as const;
    try {
      postMessage({ ...answer, value: await lab.at(path, statements) } satisfies Reply);
    } catch (error) {
      postMessage({ ...answer, error: String((error as Error)?.stack ?? error) } satisfies Reply);
    }
  });
}

Object.assign(globalThis, { lab });
export type Lab = typeof lab;
