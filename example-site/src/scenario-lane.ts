/** A realm that takes part in plays: it makes the calls that it is told to make, and tells how they end. */

import { type Hub, type Ref, type SharedResource, type SharedTask } from 'clca/client';
import { type Recorded, present } from './record.ts';
import type { Made } from './scenario-trace.ts';
import { type Kind, type Method, type Start, type Who, waits } from './scenario.ts';

/** What a play is with: a fresh name each time, so that nothing is left of the last. */
export interface Stage {
  name: string;
  kind: Kind;
  start?: Start | undefined;
  beat: number;
}

export interface CallOrder {
  do: 'call';
  /** Answered once the hub has taken up what was ordered, and the lane has heard of it. */
  order: number;
  stage: Stage;
  method: Method;
  and?: Method | undefined;
  then?: Method | undefined;
  again?: true | undefined;
  /** It leaves what it waits for, before it can hear of anything. */
  leave?: true | undefined;
  timeout?: number | undefined;
}

export type Order =
  | CallOrder
  | { do: 'leave'; order: number }
  /** What runs here ends so, if anything does. */
  | { do: 'succeed' | 'fail'; order: number }
  /** The play is over. */
  | { do: 'clear'; order: number };

export type Said =
  | { say: 'done'; order: number }
  | { say: 'made'; call: string; method: Method | 'run' }
  | { say: 'left'; call: string }
  | { say: 'settled'; call: string; ok: boolean; text: string; cancelled: boolean }
  | { say: 'stopped'; call: string }
  | { say: 'logged'; text: string }
  | { say: 'record'; event: Recorded };

/** What has been started here, and goes on. */
interface Run {
  end: (how: 'succeed' | 'fail') => void;
}

export class ScenarioLane {
  #calls = 0;
  #last: { call: string; stop: AbortController } | undefined;
  #stops = new Set<AbortController>();
  #refs: { call: string; ref: Ref<string>; released?: true }[] = []; // also those that are released
  #run: Run | undefined;
  #shared: SharedTask<string> | SharedResource<string> | undefined;

  /** The hub's trace must be that of `made`. */
  constructor(readonly hub: Hub, readonly made: Made, readonly who: Who, readonly say: (said: Said) => void) {}

  async obey(order: Order): Promise<void> {
    switch (order.do) {
      case 'call': this.#begin(order); break;
      case 'leave': this.#leave(); break;
      case 'succeed': case 'fail': this.#run?.end(order.do); break;
      case 'clear': await this.#clear(); break;
    }
    await this.hub.stats(); // an answer to this comes after all that was sent before it
    this.say({ say: 'done', order: order.order });
  }

  #begin({ stage, method, and, then, again, leave, timeout }: CallOrder): void {
    const call = (which: Method): Promise<unknown> => this.#call(stage, which, timeout);
    const first = call(method);
    if (and !== undefined) quiet(call(and));
    if (leave) this.#leave();
    if (then !== undefined) quiet(first.then(() => call(then)));
    else if (again) quiet(first.catch(() => call(method)));
    else quiet(first);
  }

  #leave(): void {
    if (this.#last === undefined) return;
    const { call, stop } = this.#last;
    this.say({ say: 'left', call });
    if (!stop.signal.aborted) this.#record({ type: 'cancel', at: present(), call, text: 'abort()' });
    stop.abort();
  }

  async #clear(): Promise<void> {
    for (const stop of this.#stops) stop.abort();
    this.#stops.clear();
    this.#run?.end('succeed');
    for (const { ref } of this.#refs.splice(0)) quiet(ref.release());
    if (this.#shared !== undefined) quiet(this.#shared.close());
    this.#shared = this.#last = this.#run = undefined;
  }

  async #call(stage: Stage, method: Method, timeout: number | undefined): Promise<void> {
    const stop = new AbortController();
    this.#stops.add(stop);
    const at = present();
    const { made, call = `${this.who} ${++this.#calls}` } = this.made.by(() => this.#make(stage, method, { signal: stop.signal, timeout }));
    if (waits(method)) this.#last = { call, stop };
    this.say({ say: 'made', call, method });
    this.#record({ type: 'call', at, lane: this.who, call, text: textOf(stage.kind, method, timeout) });
    try {
      const value = await made;
      this.#settled(call, true, value === undefined ? '' : value instanceof Object ? 'the stream' : String(value));
      if (value instanceof Object) this.#hold(call, value as Ref<string>);
    } catch (error) {
      this.#settled(call, false, shown(error), error === stop.signal.reason);
      throw error;
    }
  }

  #settled(call: string, ok: boolean, text: string, cancelled = false): void {
    this.say({ say: 'settled', call, ok, text, cancelled });
    this.#record({ type: 'settled', at: present(), call, ok, text });
  }

  #hold(call: string, ref: Ref<string>): void {
    this.#record({ type: 'held', at: present(), call });
    this.#refs.push({ call, ref });
  }

  #release(): Promise<void> | undefined {
    const held = this.#refs.at(-1);
    if (held === undefined) return undefined;
    if (!held.released) this.#record({ type: 'released', at: present(), call: held.call });
    held.released = true;
    return held.ref.release();
  }

  #make({ name, kind, ...stage }: Stage, method: Method, options: Options): Promise<unknown> | undefined {
    switch (method) {
      case 'wait': return kind === 'signal' ? this.hub.signal(name).wait(options) : this.hub.checkpoint(name).wait(options);
      case 'signal': return this.hub.signal(name).signal();
      case 'arm': return this.hub.checkpoint(name).arm(options);
      case 'resume': return this.hub.checkpoint(name).resume();
      case 'ask': return kind === 'task' ? this.#wait(name, stage, options) : this.#acquire(name, stage, options);
      case 'stop': return this.#release();
    }
  }

  #wait(name: string, stage: Omit<Stage, 'name' | 'kind'>, options: Options): Promise<string> {
    const task = this.hub.sharedTask(name, (abort) => this.#startUp(stage, abort).then(({ value }) => value));
    this.#shared = task;
    return task.wait(options).then(() => 'the result');
  }

  #acquire(name: string, stage: Omit<Stage, 'name' | 'kind'>, options: Options): Promise<Ref<string>> {
    let call = '';
    const resource = this.hub.sharedResource(name, {
      start: async (abort) => {
        const started = await this.#startUp(stage, abort);
        call = started.call;
        return started.value;
      },
      stop: () => {
        this.say({ say: 'stopped', call });
        this.#record({ type: 'note', at: present(), lane: this.who, text: 'the stream is stopped' });
      },
    });
    this.#shared = resource;
    return resource.acquire(options);
  }

  /** What is started, and shared: it ends when it is told to, or when it is aborted. */
  async #startUp({ start = {}, beat }: Omit<Stage, 'name' | 'kind'>, abort: AbortSignal): Promise<{ call: string; value: string }> {
    const call = `start ${crypto.randomUUID().slice(0, 8)}`;
    this.say({ say: 'made', call, method: 'run' });
    this.#record({ type: 'call', at: present(), lane: this.who, call, text: 'the start runs' });
    const how = await new Promise<'succeed' | 'fail' | 'abort'>((resolve) => {
      this.#run = { end: resolve };
      abort.addEventListener('abort', () => {
        if (!start.deaf) return resolve('abort');
        this.#record({ type: 'note', at: present(), lane: this.who, text: 'does not heed it' });
      });
    });
    this.#run = undefined;
    if (how === 'succeed') {
      this.#settled(call, true, 'done');
      return { call, value: 'the stream' };
    }
    if (how === 'fail') {
      this.#settled(call, false, 'fails');
      throw new Error('it did not start');
    }
    this.#record({ type: 'cancel', at: present(), call, text: 'cancelled' });
    if (start.cleansUp !== undefined) {
      this.#record({ type: 'note', at: present(), lane: this.who, text: 'cleans up' });
      await new Promise((resolve) => setTimeout(resolve, start.cleansUp! * beat));
    }
    this.#settled(call, false, start.cleansUp === undefined ? 'cancelled' : 'cancelled, and cleaned up');
    throw start.throws === undefined ? abort.reason : new Error(start.throws);
  }

  #record(event: Recorded): void {
    this.say({ say: 'record', event });
  }
}

interface Options {
  signal: AbortSignal;
  timeout: number | undefined;
}

function textOf(kind: Kind, method: Method, timeout: number | undefined): string {
  const limit = timeout === undefined ? '' : `{ timeout: ${timeout} }`;
  switch (kind) {
    case 'signal': case 'checkpoint': return `hub.${kind}('go').${method}(${limit})`;
    case 'task': return `hub.sharedTask('task', run).wait(${limit})`;
    case 'resource': return method === 'stop' ? 'ref.release()' : `hub.sharedResource('stream', { start }).acquire(${limit})`;
  }
}

function quiet(call: Promise<unknown>): void {
  call.catch(() => {});
}

export function shown(error: unknown): string {
  const { name, message } = error as Error;
  return ['AbortError', 'TimeoutError', 'AlreadyArmedError'].includes(name) || message === '' ? name : `${name}: ${message}`;
}
