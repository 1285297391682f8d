/** What a walk may do next: random acts that make sense for an actor with what it has. */

import { type Act, type CallAct, type Kind, kinds, unbounded } from './acts.ts';
import type { Entry, Ledger } from './ledger.ts';

export type Random = (below: number) => number;

/** What is the same in all of a walk: which primitives it uses, one of each kind, and what those are made with. */
export class Scene {
  readonly kinds: Kind[];
  readonly made: Partial<Record<Kind, number>>;
  readonly order: 'fifo' | 'lifo' | 'priority';
  readonly ranked: boolean;
  #random: Random;
  #calls = 0;

  constructor(random: Random) {
    this.#random = random;
    this.kinds = kinds.filter(() => random(4) === 0);
    while (this.kinds.length < 2) this.kinds.push(this.pick(kinds));
    if (this.kinds.includes('condition')) this.kinds.push('lock');
    if (this.kinds.includes('webLock')) this.kinds.push('rwlock');
    this.kinds = [...new Set(this.kinds)];
    this.made = {
      semaphore: 1 + random(4), latch: 1 + random(4), barrier: 2 + random(2), pool: 1 + random(3),
      queue: [0, 1, 3, unbounded][random(4)]!,
    };
    this.order = this.pick(['fifo', 'lifo', 'priority'] as const);
    this.ranked = random(2) === 0;
  }

  chance(percent: number): boolean { return this.#random(100) < percent; }
  pick<T>(from: readonly T[]): T { return from[this.#random(from.length)]!; }

  /** The name of the primitive of that kind; a Lock and an RWLock of one name are two. */
  nameOf(kind: Kind): string { return kind === 'condition' ? 'it/c' : 'it'; }

  /** How a primitive is named: what creates it, too. */
  shapeOf(kind: Kind): Pick<CallAct, 'kind' | 'name' | 'made' | 'order'> {
    const made = this.made[kind];
    return { kind, name: this.nameOf(kind), ...(made !== undefined && { made }), ...(kind === 'queue' && { order: this.order }) };
  }

  call(kind: Kind, method: string, more: Partial<CallAct> = {}): CallAct {
    return { do: 'call', call: ++this.#calls, ...this.shapeOf(kind), method, ...more };
  }

  /** A new call, or undefined if there is none of that kind now. */
  newCall(ledger: Ledger, bursts: boolean): CallAct | undefined {
    const kind = this.pick(this.kinds);
    const n = 1 + this.#random(this.made.semaphore! + (this.chance(10) ? 1 : 0));
    const bounded = { ...(this.chance(70) && { signal: true }), ...(this.chance(10) && { timeout: true }) };
    const ranked = { ...bounded, ...(this.ranked && this.chance(50) && { priority: this.#random(4) - 1 }) };
    const mode = this.pick(['exclusive', 'shared', 'shared'] as const);
    const runs = { ...(this.chance(50) && { heeds: true }), ...(bursts && this.chance(50) && { prompt: this.pick(['value', 'value', 'error'] as const) }) };
    switch (kind) {
      case 'signal': return this.either([3, 'wait', bounded], [1, 'signal'], [0.1, 'close'])(kind);
      case 'event': return this.either([4, 'wait', bounded], [1, 'set'], [1, 'clear'], [0.5, 'isSet'], [0.2, 'close'])(kind);
      case 'checkpoint':
        return this.either([3, 'wait', bounded], [2, 'arm', bounded], [1, 'resume'], [0.3, 'disarm'], [0.2, 'close'])(kind);
      case 'latch': return this.either([3, 'wait', bounded], [2, 'countDown', { n: 1 + this.#random(2) }], [0.3, 'close'])(kind);
      case 'barrier': return this.either([5, 'wait', bounded], [0.7, 'reset'], [0.3, 'isBroken'], [0.2, 'close'])(kind);
      case 'lock': return this.either([6, 'acquire', ranked], [1, 'tryAcquire'], [0.5, 'steal'], [0.3, 'isLocked'], [0.2, 'close'])(kind);
      case 'rwlock': return this.either([6, 'acquire', { ...ranked, mode }], [1, 'tryAcquire', { mode }], [0.5, 'steal'],
        [0.3, 'isLocked'], [0.2, 'close'])(kind);
      case 'webLock': {
        const { priority: _, timeout: __, ...plain } = ranked as Partial<CallAct>;
        return this.either([6, 'acquire', { ...plain, mode }], [1, 'tryAcquire', { mode }], [0.5, 'steal'])(kind);
      }
      case 'reentrantLock': {
        const guard = this.guardOf(ledger, kind);
        if (guard !== undefined && this.chance(60)) return this.call(kind, 'reenter', { within: guard.act.call });
        return this.either([6, 'acquire', ranked], [1, 'tryAcquire'], [0.3, 'isLocked'], [0.2, 'close'])(kind);
      }
      case 'condition': {
        const guard = this.guardOf(ledger, 'lock');
        if (guard !== undefined && this.chance(75)) return this.call(kind, 'wait', { ...bounded, within: guard.act.call });
        return this.call(kind, 'notify', { n: this.chance(80) ? 1 : 3 });
      }
      case 'semaphore': return this.either([8, 'acquire', { ...ranked, n }], [1, 'tryAcquire', { n }],
        [0.7, 'resize', { n: 1 + this.#random(4) }], [0.2, 'close'])(kind);
      case 'queue': {
        const priority = this.order === 'priority' ? { priority: this.#random(3) } : {};
        const moves = bursts && this.chance(20) && { moves: true };
        return this.either([6, 'put', { ...bounded, ...priority, ...moves }], [1, 'tryPut', { ...priority, ...moves }], [6, 'get', bounded],
          [1, 'tryGet'], [3, 'taskDone'], [0.5, 'join', bounded], [0.15, 'close'], [0.15, 'closeNow'])(kind);
      }
      case 'pool': {
        const functions = { ...runs, ...(this.chance(50) && { valid: this.chance(60) }) };
        return this.either([8, 'acquire', { ...ranked, ...functions }], [2, 'tryAcquire', functions], [0.4, 'close'],
          [0.3, 'join', bounded])(kind);
      }
      case 'task': return this.either([6, 'wait', { ...bounded, ...runs }], [0.7, 'close'])(kind);
      case 'once': return this.either([6, 'run', { ...bounded, ...runs }], [0.5, 'isDone'], [0.7, 'close'])(kind);
      case 'resource': return this.either([6, 'acquire', { ...bounded, ...runs }], [0.4, 'close'])(kind);
    }
  }

  either(...choices: [weight: number, method: string, more?: Partial<CallAct>][]): (kind: Kind) => CallAct {
    let at = this.#random(1000) / 1000 * choices.reduce((sum, [weight]) => sum + weight, 0);
    const [, method, more] = choices.find(([weight]) => (at -= weight) < 0) ?? choices[0]!;
    return (kind) => this.call(kind, method, more);
  }

  /** A guard to show. */
  guardOf(ledger: Ledger, kind: Kind): Entry | undefined {
    const guards = [...ledger.calls.values()].filter((each) => each.act.kind === kind && each.token !== 'none' && !each.returned);
    return guards.length === 0 ? undefined : this.pick(guards);
  }

  /** Something that ends a call, a hold or a function; only what it says to the hub at once, if `brief`. */
  ending(ledger: Ledger, brief = false): Act | undefined {
    const acts: (() => Act)[] = [];
    for (const { act, pending, aborted, token, returned, called } of ledger.calls.values()) {
      const { call } = act;
      if (pending && act.signal && !aborted) acts.push(() => ({ do: 'abort', call }));
      if (act.kind === 'webLock') {
        if (called && !brief) acts.push(() => this.finish(`${call}`, false));
      } else if (token !== 'none' && !returned) {
        acts.push(() => ({ do: act.kind === 'pool' && this.chance(30) ? 'destroy' : 'release', call }));
      }
    }
    if (!brief) {
      for (const [name, { state, aborted, told }] of ledger.runs) {
        if (told) continue;
        if (state === 'running') acts.push(() => this.finish(name, !aborted || this.chance(50)));
        else if (state === 'stopping') acts.push(() => ({ do: 'finish', run: name, how: 'value' }));
      }
    }
    return acts.length === 0 ? undefined : this.pick(acts)();
  }

  finish(run: string, mayFail: boolean): Act {
    return { do: 'finish', run, how: mayFail && this.chance(25) ? 'error' : 'value' };
  }

  /** How much an actor has under way. */
  burden(ledger: Ledger): number {
    let burden = ledger.runs.size;
    for (const { pending, token, returned } of ledger.calls.values()) if (pending || token !== 'none' && !returned) burden++;
    return burden;
  }
}
