/** A client that does what a walk tells it to, and says what happens. */

import type { Hub } from 'clca';
import { inTask } from '../../src/platform.ts';
import { type Act, type CallAct, unbounded } from './acts.ts';

export class Actor {
  #hub: Hub;
  #say: (event: string) => void;
  #stops = new Map<number, AbortController>();
  #tokens = new Map<number, any>();
  #begun = new Map<number, number>();
  #ends = new Map<string, (how: 'value' | 'error') => void>();

  constructor(hub: Hub, say: (event: string) => void) {
    this.#hub = hub;
    this.#say = say;
  }

  /** Resolves when the hub has taken up all calls made before, and what it had said by then has been heard. */
  async fence(hub: boolean): Promise<void> {
    if (hub) await this.#hub.stats().catch(() => {});
    await new Promise<void>(inTask);
  }

  close(): Promise<void> { return this.#hub.close(); }

  do(act: Act): void {
    switch (act.do) {
      case 'call': return this.#follow(act, this.#call(act));
      case 'abort': return this.#stops.get(act.call)!.abort('stop');
      case 'release':
      case 'destroy': {
        void this.#tokens.get(act.call)[act.do]().then(() => this.#say(`${act.call} released`));
        return;
      }
      case 'finish': {
        const end = this.#ends.get(act.run)!;
        this.#ends.delete(act.run);
        return end(act.how);
      }
    }
  }

  #call(act: CallAct): Promise<unknown> {
    const { kind, name, method, n, mode, priority, within } = act;
    const options: any = {};
    if (priority !== undefined) options.priority = priority;
    if (act.timeout) options.timeout = 1e8;
    if (act.signal) {
      const stop = new AbortController();
      this.#stops.set(act.call, stop);
      options.signal = stop.signal;
    }
    const guard = within === undefined ? undefined : this.#tokens.get(within);
    const primitive = this.#primitive(act);
    switch (kind) {
      case 'lock':
      case 'rwlock': return primitive[method]({ ...options, mode });
      case 'reentrantLock':
        return method === 'reenter' ? primitive.acquire({ ...options, within: guard }) : primitive[method](options);
      case 'webLock': {
        const { signal } = options;
        return primitive.request(name, {
          mode: mode ?? 'exclusive', ...(signal && { signal }), steal: method === 'steal', ifAvailable: method === 'tryAcquire',
        }, (lock: object | null) => {
          this.#say(`${act.call} called with${lock === null ? 'out' : ''} a lock`);
          return new Promise((resolve, reject) => {
            this.#ends.set(`${act.call}`, (how) => (how === 'value' ? resolve('done') : reject(runError())));
          });
        });
      }
      case 'condition': return method === 'notify' ? primitive.notify(n)
        : primitive.wait(guard, options).then(() => (guard.abandoned ? 'what was abandoned' : undefined));
      case 'semaphore': return method === 'resize' ? primitive.resize(n) : primitive[method]({ ...options, permits: n });
      case 'latch': return method === 'countDown' ? primitive.countDown(n) : primitive[method](options);
      case 'queue': {
        if (method === 'close' || method === 'closeNow') {
          return primitive.close({ now: method === 'closeNow' }).then((items: Item[]) => items.map(({ number }) => number).join());
        }
        if (method === 'put' || method === 'tryPut') {
          const item: Item = { number: act.call };
          if (act.moves) options.transfer = [item.buffer = new Uint32Array([act.call]).buffer];
          return primitive[method](item, options);
        }
        const got = primitive[method](options) as Promise<any>;
        if (method === 'get') return got.then(numberOf);
        return method === 'tryGet' ? got.then((taken) => taken && numberOf(taken.value)) : got;
      }
      case 'pool':
        return method === 'close' ? primitive.close().then(({ lent }: { lent: number }) => lent) : primitive[method](options);
      default: return primitive[method](options);
    }
  }

  #primitive(act: CallAct): any {
    const { kind, name, made, order } = act;
    const hub = this.#hub as any;
    switch (kind) {
      case 'semaphore':
      case 'latch':
      case 'barrier': return hub[kind](name, made);
      case 'queue': return hub.queue(name, { capacity: made === unbounded ? Infinity : made, order });
      case 'condition': {
        const [lock, own] = name.split('/');
        return hub.condition(hub.lock(lock), own);
      }
      case 'webLock': return hub.locks;
      case 'task': return hub.sharedTask(name, (signal: AbortSignal) => this.#run(act, signal));
      case 'once': return hub.once(name, (signal: AbortSignal) => this.#run(act, signal));
      case 'resource': return hub.sharedResource(name, {
        start: (signal: AbortSignal) => this.#run(act, signal),
        stop: (value: string) => this.#stop(act, value),
      });
      case 'pool': return hub.pool(name, {
        max: made,
        create: (signal: AbortSignal) => this.#run(act, signal),
        destroy: (value: string) => this.#stop(act, value),
        ...(act.valid !== undefined && { validate: () => act.valid }),
      });
      default: return hub[kind](name);
    }
  }

  /** A function that a call has brought. */
  async #run(act: CallAct, signal: AbortSignal): Promise<string> {
    const n = (this.#begun.get(act.call) ?? 0) + 1;
    this.#begun.set(act.call, n);
    const run = n === 1 ? `${act.call}` : `${act.call}.${n}`;
    this.#say(`run ${run}`);
    let ended = false;
    const how = await new Promise<'value' | 'error'>((resolve) => {
      const end = (how: 'value' | 'error'): void => {
        if (ended) return;
        ended = true;
        this.#say(`run ${run} ended with ${how}`);
        resolve(how);
      };
      this.#ends.set(run, end);
      if (act.prompt !== undefined) end(act.prompt);
      const onAbort = (): void => {
        if (ended) return; // its outcome is on the way
        this.#say(`run ${run} aborted with ${(signal.reason as Error).name}`);
        if (act.heeds) end('error');
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort);
    });
    if (how === 'error') throw signal.aborted ? signal.reason : runError();
    return `made by ${run}`;
  }

  async #stop(act: CallAct, value: string): Promise<void> {
    const run = value.slice('made by '.length);
    this.#say(`run ${run} stopping`);
    if (act.prompt === undefined) await new Promise<unknown>((resolve) => this.#ends.set(run, resolve));
    this.#say(`run ${run} stopped`);
  }

  #follow(act: CallAct, promise: Promise<unknown>): void {
    promise.then((value: any) => {
      if (typeof value?.release !== 'function') return this.#say(`${act.call} resolved ${value ?? 'nothing'}`);
      this.#tokens.set(act.call, value);
      const made = value.value ?? value.resource;
      this.#say(`${act.call} holds${made === undefined ? '' : ` what was ${made}`}${value.abandoned ? ' what was abandoned' : ''}`);
      const onLost = (): void => this.#say(`${act.call} lost ${(value.lost.reason as Error).name}`);
      if (value.lost.aborted) onLost();
      else value.lost.addEventListener('abort', onLost);
    }, (error: unknown) => this.#say(`${act.call} rejected ${typeof error === 'string' ? error : (error as Error).name}`));
  }
}

interface Item {
  number: number;
  buffer?: ArrayBuffer;
}

/** What is in an item, which must be whole. */
function numberOf({ number, buffer }: Item): number | string {
  return buffer === undefined || new Uint32Array(buffer)[0] === number ? number : `a broken ${number}`;
}

function runError(): Error {
  return Object.assign(new Error('as it was told'), { name: 'RunError' });
}
