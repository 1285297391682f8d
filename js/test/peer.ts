/**
 * A client of the hub in another realm, which does what it is told from here. `serveAsPeer` is its end, `Peer` this
 * one; what lies between is anything that posts messages.
 *
 * What it is told arrives in order, and so does what it then asks of the hub: once `fence()` has resolved, the hub has
 * taken up all calls that the peer was told to make before.
 */

import { type Hub, connect } from 'clca';
import { Passing } from './passing.ts';

/** A MessagePort, a BroadcastChannel. */
export interface Channel {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

/** What a function does that the peer brings to a shared task or resource: after its start is noted in the log. */
export interface Plan {
  /** Returns this. */
  value?: unknown;
  /** Throws an Error of this name and message, and code. */
  error?: { name: string; message: string; code?: string };
  /** Throws this. */
  thrown?: unknown;
  /** Does so once it is told to `finish`; an abort is noted, and ends it with the reason. */
  held?: boolean;
  /** As held, but an abort does not end it. */
  stubborn?: boolean;
  /** Returns what no other realm can get. */
  uncloneable?: boolean;
}

type Kind = 'signal' | 'checkpoint' | 'sharedTask' | 'sharedResource' | 'lock' | 'reentrantLock' | 'rwlock' | 'semaphore'
  | 'event' | 'condition' | 'barrier' | 'latch' | 'once' | 'queue' | 'pool';

interface Options {
  timeout?: number;
  priority?: number;
  permits?: number;
  mode?: 'exclusive' | 'shared';
  within?: FarRef;
  now?: boolean;
}

interface ToldCall {
  do: 'call';
  id: number;
  client: number;
  kind: Kind;
  name: string;
  method: string;
  options?: Options;
  plan?: Plan;
  /** What the primitive is made with, besides its name. */
  made?: unknown[];
  /** What the method takes before its options. */
  args?: unknown[];
  /** The guard that it takes before its options. */
  guard?: FarRef;
  /** What it puts, made over there: something that moves along. What comes over the port is noted in the log. */
  moves?: 'buffer' | 'port';
}

type Told =
  | ToldCall
  | { do: 'abort'; id: number; reason: unknown }
  | { do: 'fence' | 'another' | 'close' | 'calls'; id: number; client: number }
  | { do: 'finish' | 'log' | 'passed' | 'stop'; id: number; name: string }
  | { do: 'pass'; id: number; client: number; name: string; loops: number; busy: number }
  | { do: 'release' | 'destroy' | 'lost'; id: number; ref: number };

type Said =
  | { id: number; value: unknown }
  | { id: number; thrown: unknown }
  | { id: number; error: { name: string; message: string; code?: string; stack?: string } };

/** A reference to something that the peer holds. */
export interface FarRef {
  ref: number;
  value: unknown;
}

/** Does what the other end tells. */
export function serveAsPeer(hub: Hub, channel: Channel): void {
  const clients: Hub[] = [hub];
  const aborts = new Map<number, AbortController>();
  const refs: any[] = [];
  const logs = new Map<string, string[]>();
  const held = new Map<string, (() => void)[]>();
  const loops = new Map<string, Passing>();

  const logOf = (name: string): string[] => {
    if (!logs.has(name)) logs.set(name, []);
    return logs.get(name)!;
  };

  const carryOut = (name: string, plan: Plan) => async (abort: AbortSignal): Promise<unknown> => {
    const log = logOf(name);
    log.push('start');
    abort.addEventListener('abort', () => log.push(`abort: ${(abort.reason as Error).name}`));
    if (plan.held || plan.stubborn) {
      await new Promise<void>((resolve, reject) => {
        held.set(name, [...(held.get(name) ?? []), resolve]);
        if (!plan.stubborn) abort.addEventListener('abort', () => reject(abort.reason));
      });
    }
    if (plan.error !== undefined) throw Object.assign(new Error(plan.error.message), plan.error);
    if ('thrown' in plan) throw plan.thrown;
    return plan.uncloneable ? () => 'mine alone' : plan.value;
  };

  const make = (client: Hub, { kind, name, plan = {}, made = [] }: ToldCall): any => {
    switch (kind) {
      case 'sharedTask':
      case 'once': return client[kind](name, carryOut(name, plan));
      case 'sharedResource': return client.sharedResource(name, {
        start: carryOut(name, plan),
        stop: (value) => void logOf(name).push(`stop: ${JSON.stringify(value)}`),
      });
      case 'condition': return client.condition(client.lock(name), ...made as [string?]);
      case 'pool': return client.pool(name, {
        ...made[0] as { max: number },
        create: carryOut(name, plan),
        destroy: (value) => void logOf(name).push(`stop: ${JSON.stringify(value)}`),
      });
      default: return client[kind](name, ...made as [any]);
    }
  };

  const drained = async (queue: AsyncIterable<unknown>): Promise<unknown[]> => {
    const items: unknown[] = [];
    for await (const item of queue) items.push(item);
    return items;
  };

  /** Puts what moves along, and returns whether it was gone at once. */
  const moved = async (queue: any, { name, method, moves }: ToldCall, options: object): Promise<boolean> => {
    if (moves === 'buffer') {
      const buffer = new Uint8Array([1, 2, 3]).buffer;
      const put = queue[method]({ buffer }, { ...options, transfer: [buffer] });
      const gone = buffer.byteLength === 0;
      await put;
      return gone;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => {
      logOf(name).push(data);
      port1.close();
    };
    await queue[method](port2, { ...options, transfer: [port2] });
    return true;
  };

  const carry = async (told: Told): Promise<any> => {
    switch (told.do) {
      case 'call': {
        const abort = new AbortController();
        aborts.set(told.id, abort);
        try {
          const { guard, args = guard === undefined ? [] : [refs[guard.ref]] } = told;
          const { within, ...others } = told.options ?? {};
          const options = { ...others, within: within && refs[within.ref], signal: abort.signal };
          const primitive = make(clients[told.client]!, told);
          if (told.moves !== undefined) return await moved(primitive, told, options);
          if (told.method === 'drain') return await drained(primitive);
          const value = await primitive[told.method](...args, options);
          if (value instanceof MessagePort) return value.postMessage('hello from the peer'), 'a port';
          if (typeof value?.release !== 'function') return value;
          const shown = 'resource' in value ? value.resource : value.value;
          return { ref: refs.push(value) - 1, value: typeof shown === 'function' ? 'a function' : shown } satisfies FarRef;
        } finally {
          aborts.delete(told.id);
        }
      }
      case 'abort': return aborts.get(told.id)?.abort(told.reason);
      case 'fence': return void await clients[told.client]!.stats();
      case 'another': {
        const { port1, port2 } = new MessageChannel();
        hub.attach(port1);
        return clients.push(await connect(port2)) - 1;
      }
      case 'close': return clients[told.client]!.close();
      case 'finish': return held.get(told.name)?.shift()?.();
      case 'log': return logOf(told.name);
      case 'pass': return void loops.set(told.name, new Passing(clients[told.client]!, told.name, told.loops, told.busy));
      case 'passed': return loops.get(told.name)!.count;
      case 'stop': return loops.get(told.name)!.stop();
      case 'release':
      case 'destroy': return refs[told.ref]![told.do]();
      case 'lost': return new Promise((resolve) => {
        const { lost } = refs[told.ref]!;
        const tell = (): void => resolve((lost.reason as Error).name);
        if (lost.aborted) tell();
        else lost.addEventListener('abort', tell);
      });
    }
  };

  const hear = (told: Told): void => {
    if (told.do === 'abort') return void carry(told);
    const say = (said: Said): void => channel.postMessage(said);
    carry(told).then((value) => say({ id: told.id, value })).catch((error) => {
      if (!(error instanceof Error || error instanceof DOMException)) return say({ id: told.id, thrown: error });
      const { name, message, code, stack } = error as Error & { code?: string };
      say({ id: told.id, error: { name, message, code: code!, stack: stack! } });
    });
  };

  channel.onmessage = ({ data }) => (data as Told[]).forEach(hear);
}

/** What the peer waits for, and how it is made to stop. */
export type FarWait<T = void> = Promise<T> & { abort(reason?: unknown): void };

/** How one end is told by the other. */
interface Teller {
  tell(told: any): FarWait<any>;
  atOnce<T>(what: () => T): T;
}

export class Peer {
  #teller: Teller;
  #client: number;

  constructor(channel: Channel);
  /** @internal */
  constructor(teller: Teller, client: number);
  constructor(by: Channel | Teller, client = 0) {
    this.#teller = 'tell' in by ? by : teller(by);
    this.#client = client;
  }

  #tell(told: any): FarWait<any> {
    return this.#teller.tell({ ...told, client: this.#client });
  }

  #call<T>(kind: Kind, name: string, method: string, options?: Options, more?: Partial<ToldCall>): FarWait<T> {
    return this.#tell({ do: 'call', kind, name, method, options, ...more });
  }

  /** What the peer is told meanwhile, it does in one turn. */
  atOnce<T>(what: () => T): T {
    return this.#teller.atOnce(what);
  }

  signal(name: string) {
    return {
      wait: (options?: { timeout?: number }) => this.#call<void>('signal', name, 'wait', options),
      signal: () => this.#call<number>('signal', name, 'signal'),
      close: () => this.#call<void>('signal', name, 'close'),
    };
  }

  checkpoint(name: string) {
    return {
      arm: (options?: { timeout?: number }) => this.#call<void>('checkpoint', name, 'arm', options),
      wait: (options?: { timeout?: number }) => this.#call<void>('checkpoint', name, 'wait', options),
      resume: () => this.#call<number>('checkpoint', name, 'resume'),
      disarm: () => this.#call<boolean>('checkpoint', name, 'disarm'),
      close: () => this.#call<void>('checkpoint', name, 'close'),
    };
  }

  sharedTask(name: string, plan: Plan = {}) {
    return {
      wait: (options?: { timeout?: number }) => this.#call<any>('sharedTask', name, 'wait', options, { plan }),
      close: () => this.#call<void>('sharedTask', name, 'close'),
    };
  }

  sharedResource(name: string, plan: Plan = {}) {
    return {
      acquire: (options?: { timeout?: number }) => this.#call<FarRef>('sharedResource', name, 'acquire', options, { plan }),
      close: () => this.#call<void>('sharedResource', name, 'close'),
    };
  }

  #lock(kind: Kind, name: string, more?: Partial<ToldCall>) {
    return {
      acquire: (options?: Options) => this.#call<FarRef>(kind, name, 'acquire', options, more),
      tryAcquire: (options?: Options) => this.#call<FarRef | undefined>(kind, name, 'tryAcquire', options, more),
      steal: () => this.#call<FarRef>(kind, name, 'steal', {}, more),
      close: () => this.#call<void>(kind, name, 'close', {}, more),
    };
  }

  lock(name: string) { return this.#lock('lock', name); }
  reentrantLock(name: string) { return this.#lock('reentrantLock', name); }
  rwlock(name: string) { return this.#lock('rwlock', name); }

  semaphore(name: string, permits: number) {
    const more = { made: [permits] };
    return {
      ...this.#lock('semaphore', name, more),
      resize: (to: number) => this.#call<void>('semaphore', name, 'resize', {}, { ...more, args: [to] }),
    };
  }

  /** A condition of the lock of that name. */
  condition(lock: string, name?: string) {
    const made = name === undefined ? [] : [name];
    return {
      wait: (guard: FarRef, options?: Options) => this.#call<void>('condition', lock, 'wait', options, { made, guard }),
      notify: (n: number) => this.#call<number>('condition', lock, 'notify', {}, { made, args: [n] }),
      notifyAll: () => this.#call<number>('condition', lock, 'notifyAll', {}, { made }),
    };
  }

  event(name: string) {
    return {
      wait: (options?: Options) => this.#call<void>('event', name, 'wait', options),
      set: () => this.#call<number>('event', name, 'set'),
      clear: () => this.#call<boolean>('event', name, 'clear'),
      isSet: () => this.#call<boolean>('event', name, 'isSet'),
      close: () => this.#call<void>('event', name, 'close'),
    };
  }

  latch(name: string, count: number) {
    const made = [count];
    return {
      wait: (options?: Options) => this.#call<void>('latch', name, 'wait', options, { made }),
      countDown: (n: number) => this.#call<number>('latch', name, 'countDown', {}, { made, args: [n] }),
      close: () => this.#call<void>('latch', name, 'close', {}, { made }),
    };
  }

  barrier(name: string, parties: number) {
    const made = [parties];
    return {
      wait: (options?: Options) => this.#call<number>('barrier', name, 'wait', options, { made }),
      reset: () => this.#call<number>('barrier', name, 'reset', {}, { made }),
      isBroken: () => this.#call<boolean>('barrier', name, 'isBroken', {}, { made }),
      close: () => this.#call<void>('barrier', name, 'close', {}, { made }),
    };
  }

  once(name: string, plan: Plan = {}) {
    return {
      run: (options?: Options) => this.#call<any>('once', name, 'run', options, { plan }),
      isDone: () => this.#call<boolean>('once', name, 'isDone'),
      close: () => this.#call<void>('once', name, 'close'),
    };
  }

  queue(name: string, options?: { capacity?: number; order?: string }) {
    const made = options === undefined ? [] : [options];
    return {
      put: (item: unknown, how?: Options) => this.#call<void>('queue', name, 'put', how, { made, args: [item] }),
      /** Puts something that moves along; resolves with whether it was gone there at once. */
      move: (moves: 'buffer' | 'port') => this.#call<boolean>('queue', name, 'put', {}, { made, moves }),
      tryPut: (item: unknown, how?: Options) => this.#call<boolean>('queue', name, 'tryPut', how, { made, args: [item] }),
      get: (how?: Options) => this.#call<any>('queue', name, 'get', how, { made }),
      tryGet: () => this.#call<{ value: any } | undefined>('queue', name, 'tryGet', {}, { made }),
      /** Takes items until it is closed and empty. */
      drain: () => this.#call<any[]>('queue', name, 'drain', {}, { made }),
      taskDone: () => this.#call<void>('queue', name, 'taskDone', {}, { made }),
      join: (how?: Options) => this.#call<void>('queue', name, 'join', how, { made }),
      close: (how?: Options) => this.#call<unknown[]>('queue', name, 'close', how, { made }),
    };
  }

  pool(name: string, options: { max: number }, plan: Plan = {}) {
    const more = { made: [options], plan };
    return {
      acquire: (how?: Options) => this.#call<FarRef>('pool', name, 'acquire', how, more),
      tryAcquire: () => this.#call<FarRef | undefined>('pool', name, 'tryAcquire', {}, more),
      join: (how?: Options) => this.#call<void>('pool', name, 'join', how, more),
      close: () => this.#call<{ lent: number }>('pool', name, 'close', {}, more),
    };
  }

  /** Resolves once the hub has taken up all that the peer was told to ask for. */
  fence(): Promise<void> {
    return this.#tell({ do: 'fence' });
  }

  /** One more client in that realm, below the peer's. */
  async another(): Promise<Peer> {
    return new Peer(this.#teller, await this.#tell({ do: 'another' }));
  }

  /** Ends this client's session. */
  close(): Promise<void> {
    return this.#tell({ do: 'close' });
  }

  /** Lets the oldest held function of that name go on. */
  finish(name: string): Promise<void> {
    return this.#tell({ do: 'finish', name });
  }

  /** What happened to the peer's functions of that name. */
  log(name: string): Promise<string[]> {
    return this.#tell({ do: 'log', name });
  }

  /** Passes a checkpoint over and over, in so many loops, each of which computes for so many milliseconds in between. */
  pass(name: string, loops: number, busy: number): Promise<void> {
    return this.#tell({ do: 'pass', name, loops, busy });
  }

  /** How often it has passed it. */
  passed(name: string): Promise<number> {
    return this.#tell({ do: 'passed', name });
  }

  /** Ends those loops; resolves when they have ended. */
  stop(name: string): Promise<void> {
    return this.#tell({ do: 'stop', name });
  }

  release({ ref }: FarRef): Promise<void> {
    return this.#tell({ do: 'release', ref });
  }

  /** Gives back a lease of a pool as one that is of no use. */
  destroy({ ref }: FarRef): Promise<void> {
    return this.#tell({ do: 'destroy', ref });
  }

  /** The name of the reason for which what the peer holds is lost, once it is. */
  lost({ ref }: FarRef): Promise<string> {
    return this.#tell({ do: 'lost', ref });
  }
}

function teller(channel: Channel): Teller {
  let id = 0;
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  channel.onmessage = ({ data }) => {
    const said = data as Said;
    const call = pending.get(said.id);
    pending.delete(said.id);
    if ('value' in said) call?.resolve(said.value);
    else if ('thrown' in said) call?.reject(said.thrown);
    else call?.reject(Object.assign(new Error(said.error.message), said.error));
  };
  let kept: unknown[] | undefined; // what is told at once
  const post = (told: object): void => {
    if (kept === undefined) channel.postMessage([told]);
    else kept.push(told);
  };
  return {
    tell(told) {
      const own = ++id;
      const promise = new Promise((resolve, reject) => pending.set(own, { resolve, reject }));
      post({ ...told, id: own });
      promise.catch(() => {}); // the case looks at it when it wants
      return Object.assign(promise, {
        abort: (reason: unknown = 'changed my mind') => post({ do: 'abort', id: own, reason }),
      });
    },
    atOnce(what) {
      kept = [];
      const done = what();
      channel.postMessage(kept);
      kept = undefined;
      return done;
    },
  };
}
