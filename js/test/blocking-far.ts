/** A Worker whose thread is blocked: what it does as it is told, and the end of who tells it. */

import type { Guard, Hub } from 'clca';

/** The words that both ends share, since one who is blocked hears and says nothing else. */
export const enum Word {
  Count,
  /** It is to stop what it does in a loop. */
  Stop,
  /** It has come so far, */
  Stage,
  /** and may go on to there. */
  Until,
  Words,
}

export const now = (): number => performance.timeOrigin + performance.now();

/** What it can be told. */
const acts = {
  /** Calls a method of a primitive, and keeps what it returns if that is a guard. */
  call({ hub, guards }: Inside, kind: 'checkpoint' | 'signal' | 'lock', name: string, method: string, ...args: unknown[]): unknown {
    const value = (hub[kind](name) as any)[method](...args);
    if (typeof value?.releaseSync !== 'function') return value;
    guards.push(value);
    return (value as Guard).abandoned;
  },

  /** The same with what cannot be sent. */
  callWithSignal({ hub }: Inside, kind: 'checkpoint' | 'signal' | 'lock', name: string, method: string): unknown {
    return (hub[kind](name) as any)[method]({ signal: new AbortController().signal });
  },

  /** Passes a checkpoint over and over, and never gets back to its event loop. Counts how often it has passed. */
  pass({ hub, words }: Inside, name: string): void {
    const checkpoint = hub.checkpoint(name);
    while (Atomics.load(words, Word.Stop) === 0) {
      checkpoint.waitSync();
      Atomics.add(words, Word.Count, 1);
    }
  },

  /** Passes so many checkpoints, each so many times in a row; then the first of them over and over, if it is to go on. */
  passAll({ hub, words }: Inside, names: string[], times: number, on = false): void {
    const checkpoints = names.map((name) => hub.checkpoint(name));
    for (const checkpoint of checkpoints) for (let i = 0; i < times; i++) checkpoint.waitSync();
    for (; on && Atomics.load(words, Word.Stop) === 0; Atomics.add(words, Word.Count, 1)) checkpoints[0]!.waitSync();
  },

  /** The same as pass by calls that do not block. */
  async loop({ hub, words }: Inside, name: string): Promise<void> {
    for (; Atomics.load(words, Word.Stop) === 0; Atomics.add(words, Word.Count, 1)) await hub.checkpoint(name).wait();
  },

  /** Pauses another one as often, and returns by how much it went on while it was paused. */
  async pause({ hub }: Inside, name: string, times: number, others: Int32Array): Promise<number> {
    const checkpoint = hub.checkpoint(name);
    let moved = 0;
    for (let i = 0; i < times; i++) {
      await checkpoint.arm();
      const before = Atomics.load(others, Word.Count);
      await hub.stats();
      moved += Atomics.load(others, Word.Count) - before;
      if (await checkpoint.resume() !== 1) throw new Error('nobody was resumed');
    }
    return moved;
  },

  /** Says something that is still to be sent, and blocks. */
  sayAndBlock({ hub }: Inside, event: string, name: string): void {
    void hub.event(event).set();
    hub.signal(name).waitSync();
  },

  /** Has the lock, gives it back, and computes on, as far as it is let. */
  computeWith({ hub, words }: Inside, name: string): void {
    const guard = hub.lock(name).acquireSync();
    reach(words, 1);
    guard.releaseSync();
    reach(words, 2);
  },

  /** Has had the lock, and computes on, as far as it is let. */
  async computeAfter({ hub, words }: Inside, name: string): Promise<void> {
    await hub.lock(name).with(() => {});
    reach(words, 1);
  },

  /** Gets an item, and computes on, as far as it is let. */
  async computeWithItem({ hub, words }: Inside, name: string): Promise<void> {
    await hub.queue(name).get();
    reach(words, 1);
  },

  /** Starts what others share, and keeps its reference as it would a guard. */
  async provide({ hub, guards, words }: Inside, name: string): Promise<void> {
    const stop = (): void => void Atomics.store(words, Word.Stage, 1);
    guards.push(await hub.sharedResource(name, { start: () => 'it runs', stop }).acquire());
  },

  /** Adds one so many times to what the lock protects, by two steps that others can come between. */
  increment({ hub }: Inside, name: string, times: number, what: Int32Array): void {
    const lock = hub.lock(name);
    for (let i = 0; i < times; i++) {
      const guard = lock.acquireSync();
      const before = Atomics.load(what, 0);
      Atomics.store(what, 0, before + 1);
      guard.releaseSync();
    }
  },

  /** Computes as far as it is let, and blocks. */
  computeAndBlock({ hub, words }: Inside, name: string): void {
    reach(words, 1);
    hub.signal(name).waitSync();
  },

  /** Computes until it is let go, and is blocked by nothing of clca. */
  spin({ words }: Inside): void {
    reach(words, 1);
  },

  release: ({ guards }: Inside, which: number): Promise<void> => guards[which]!.release(),
  releaseSync: ({ guards }: Inside, which: number): void => guards[which]!.releaseSync!(),
  lost: ({ guards }: Inside, which: number): string | undefined => (guards[which]!.lost!.reason as Error | undefined)?.name,
  stats: ({ hub }: Inside): Promise<object> => hub.stats(),
  closed: async ({ hub }: Inside): Promise<string | undefined> => (await hub.closed)?.name,

  /** Has one more, below this one. */
  below({ hub, start }: Inside, port: MessagePort, words: Int32Array): void {
    hub.attach(start(port, words));
  },

  /** Connects once more, by a port. */
  async byPort({ connect, hubs }: Inside, port: MessagePort): Promise<number> {
    return hubs.push(await connect(port)) - 1;
  },

  /** As another of its clients. */
  as({ hubs, ...inside }: Inside, client: number, act: string, ...args: unknown[]): unknown {
    return (acts as Record<string, any>)[act]({ ...inside, hubs, hub: hubs[client] }, ...args);
  },
};

export type Act = keyof typeof acts;

/** Says that it has come to a stage, and goes on once it may. */
function reach(words: Int32Array, stage: number): void {
  Atomics.store(words, Word.Stage, stage);
  while (Atomics.load(words, Word.Until) < stage);
}

interface Inside {
  hub: Hub;
  hubs: Hub[];
  words: Int32Array;
  guards: (Pick<Guard, 'release'> & Partial<Guard>)[];
  start: Start;
  connect(port: MessagePort): Promise<Hub>;
}

/** Starts a Worker that serves as one of these. */
export type Start = (port: MessagePort, words: Int32Array) => any;

/** How an act ended, and when, by the clock of all realms. */
export type Ended = { at: number } & ({ value: unknown } | { error: { name: string; message: string; code?: string; stack?: string } });

export function serveAsFar(hub: Hub, port: MessagePort, words: Int32Array, start: Start, connect: Inside['connect']): void {
  const inside: Inside = { hub, hubs: [hub], words, guards: [], start, connect };
  port.onmessage = async ({ data: { id, act, args } }) => {
    let ended: Ended;
    try {
      // Not awaited unless there is something to wait for: a call that blocks is to be made in this very task.
      const value = (acts[act as Act] as any)(inside, ...args);
      ended = { value: value instanceof Promise ? await value : value, at: now() };
    } catch (error) {
      const { name, message, code, stack } = error as Error & { code?: string };
      ended = { error: { name, message, code: code!, stack: stack! }, at: now() };
    }
    port.postMessage({ id, ended });
  };
  port.postMessage('ready');
}

/** This end. */
export class Far {
  readonly words: Int32Array<SharedArrayBuffer>;
  /** Resolves when it has connected. */
  readonly ready: Promise<void>;
  #port: MessagePort;
  #ids = 0;
  #pending = new Map<number, (ended: Ended) => void>();

  constructor(port: MessagePort, words: Int32Array<SharedArrayBuffer>) {
    this.#port = port;
    this.words = words;
    this.ready = new Promise((resolve) => {
      port.onmessage = ({ data }) => {
        if (data === 'ready') return resolve();
        this.#pending.get(data.id)!(data.ended);
        this.#pending.delete(data.id);
      };
    });
  }

  /** Has it do something; resolves with how that ended. */
  ends(act: Act, ...args: unknown[]): Promise<Ended> {
    const id = ++this.#ids;
    const ended = new Promise<Ended>((resolve) => void this.#pending.set(id, resolve));
    const transfer = args.filter((each) => each instanceof MessagePort) as MessagePort[];
    this.#port.postMessage({ id, act, args }, transfer);
    return ended;
  }

  /** The same; what it threw is a rejection. */
  tell(act: Act, ...args: unknown[]): Promise<any> {
    const told = this.ends(act, ...args).then((ended) => {
      if ('value' in ended) return ended.value;
      throw Object.assign(new Error(ended.error.message), ended.error);
    });
    told.catch(() => {}); // the case looks at it when it wants
    return told;
  }

  get count(): number { return Atomics.load(this.words, Word.Count); }
  get stage(): number { return Atomics.load(this.words, Word.Stage); }
  stop(): void { Atomics.store(this.words, Word.Stop, 1); }
  /** Lets it go on to the stage. */
  until(stage: number): void { Atomics.store(this.words, Word.Until, stage); }
}

export function farWords(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(4 * Word.Words));
}
