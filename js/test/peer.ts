/**
 * A client of the hub in another realm, which does what it is told from here. `serveAsPeer` is its end, `Peer` this
 * one; what lies between is anything that posts messages.
 *
 * What it is told arrives in order, and so does what it then asks of the hub: once `fence()` has resolved, the hub has
 * taken up all calls that the peer was told to make before.
 */

import { type Hub, type Ref, connect } from 'clca';

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

type Kind = 'signal' | 'checkpoint' | 'sharedTask' | 'sharedResource';

interface ToldCall {
  do: 'call';
  id: number;
  client: number;
  kind: Kind;
  name: string;
  method: string;
  timeout?: number;
  plan?: Plan;
}

type Told =
  | ToldCall
  | { do: 'abort'; id: number; reason: unknown }
  | { do: 'fence' | 'another' | 'close' | 'calls'; id: number; client: number }
  | { do: 'finish' | 'log'; id: number; name: string }
  | { do: 'release' | 'lost'; id: number; ref: number };

type Said =
  | { id: number; value: unknown }
  | { id: number; thrown: unknown }
  | { id: number; error: { name: string; message: string; code?: string; stack?: string } };

/** A reference to a Ref of the peer's. */
interface FarRef {
  ref: number;
  value: unknown;
}

/** Does what the other end tells. */
export function serveAsPeer(hub: Hub, channel: Channel): void {
  const clients: Hub[] = [hub];
  const aborts = new Map<number, AbortController>();
  const refs: Ref<unknown>[] = [];
  const logs = new Map<string, string[]>();
  const held = new Map<string, (() => void)[]>();

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

  const make = (client: Hub, { kind, name, plan = {} }: ToldCall): any => {
    switch (kind) {
      case 'sharedTask': return client.sharedTask(name, carryOut(name, plan));
      case 'sharedResource': return client.sharedResource(name, {
        start: carryOut(name, plan),
        stop: (value) => void logOf(name).push(`stop: ${JSON.stringify(value)}`),
      });
      default: return client[kind](name);
    }
  };

  const carry = async (told: Told): Promise<any> => {
    switch (told.do) {
      case 'call': {
        const abort = new AbortController();
        aborts.set(told.id, abort);
        try {
          const options = { signal: abort.signal, timeout: told.timeout };
          const value = await make(clients[told.client]!, told)[told.method](options);
          if (told.method !== 'acquire') return value;
          return { ref: refs.push(value) - 1, value: (value as Ref<unknown>).value } satisfies FarRef;
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
      case 'release': return refs[told.ref]!.release();
      case 'lost': return new Promise((resolve) => {
        const { lost } = refs[told.ref]!;
        const tell = (): void => resolve((lost.reason as Error).name);
        if (lost.aborted) tell();
        else lost.addEventListener('abort', tell);
      });
    }
  };

  channel.onmessage = ({ data }) => {
    const told = data as Told;
    if (told.do === 'abort') return void carry(told);
    const say = (said: Said): void => channel.postMessage(said);
    carry(told).then((value) => say({ id: told.id, value })).catch((error) => {
      if (!(error instanceof Error || error instanceof DOMException)) return say({ id: told.id, thrown: error });
      const { name, message, code, stack } = error as Error & { code?: string };
      say({ id: told.id, error: { name, message, code: code!, stack: stack! } });
    });
  };
}

/** What the peer waits for, and how it is made to stop. */
export type FarWait<T = void> = Promise<T> & { abort(reason?: unknown): void };

export class Peer {
  #tell: (told: any) => FarWait<any>;
  #client: number;

  constructor(channel: Channel);
  /** @internal */
  constructor(tell: (told: any) => FarWait<any>, client: number);
  constructor(by: Channel | ((told: any) => FarWait<any>), client = 0) {
    this.#tell = typeof by === 'function' ? by : teller(by);
    this.#client = client;
  }

  #call<T>(kind: Kind, name: string, method: string, options: { timeout?: number } = {}, plan?: Plan): FarWait<T> {
    return this.#tell({ do: 'call', client: this.#client, kind, name, method, timeout: options.timeout, plan });
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
      wait: (options?: { timeout?: number }) => this.#call<any>('sharedTask', name, 'wait', options, plan),
      close: () => this.#call<void>('sharedTask', name, 'close'),
    };
  }

  sharedResource(name: string, plan: Plan = {}) {
    return {
      acquire: (options?: { timeout?: number }) => this.#call<FarRef>('sharedResource', name, 'acquire', options, plan),
      close: () => this.#call<void>('sharedResource', name, 'close'),
    };
  }

  /** Resolves once the hub has taken up all that the peer was told to ask for. */
  fence(): Promise<void> {
    return this.#tell({ do: 'fence', client: this.#client });
  }

  /** One more client in that realm, below the peer's. */
  async another(): Promise<Peer> {
    return new Peer(this.#tell, await this.#tell({ do: 'another', client: this.#client }));
  }

  /** Ends this client's session. */
  close(): Promise<void> {
    return this.#tell({ do: 'close', client: this.#client });
  }

  /** Lets the oldest held function of that name go on. */
  finish(name: string): Promise<void> {
    return this.#tell({ do: 'finish', name });
  }

  /** What happened to the peer's functions of that name. */
  log(name: string): Promise<string[]> {
    return this.#tell({ do: 'log', name });
  }

  release({ ref }: FarRef): Promise<void> {
    return this.#tell({ do: 'release', ref });
  }

  /** The name of the reason for which the Ref is lost, once it is. */
  lost({ ref }: FarRef): Promise<string> {
    return this.#tell({ do: 'lost', ref });
  }
}

function teller(channel: Channel): (told: any) => FarWait<any> {
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
  return (told) => {
    const own = ++id;
    const promise = new Promise((resolve, reject) => pending.set(own, { resolve, reject }));
    channel.postMessage({ ...told, id: own });
    promise.catch(() => {}); // the case looks at it when it wants
    return Object.assign(promise, {
      abort: (reason: unknown = 'changed my mind') => channel.postMessage({ do: 'abort', id: own, reason }),
    });
  };
}
