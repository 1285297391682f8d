/**
 * Clients that mean no good: each has a port and posts what it likes, which is mostly what a real client would post, a little
 * changed, so that it gets far. All that they do comes from one seed.
 */

import { CallWords, Kind, Op, Outcome, Status, Unsaid, Version } from '../src/abi.ts';
import { completionWords } from '../src/wire.ts';
import { type Recorded, portHere, theirs } from './hostile-corpus.ts';

/** Random whole numbers below what is asked, the same for the same seed. */
export type Random = (below: number) => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export interface Limits {
  prefix?: string;
  limit?: number;
}

/** What all attackers share. */
export interface World {
  random: Random;
  corpus: Recorded[];
  /** Lets a port in, right below the hub's own realm; returns what shuts it out. */
  attach(port: MessagePort, limits: Limits): () => void;
  /** Names of those who are to be left in peace. */
  secrets: string[];
}

const names = ['x', 'y', 'xc', '', '\ud83d', '\ud83d\ude00', 'x'.repeat(3000)].map((each) => theirs + each);
const shortest = theirs.length + 4;

/** All names that they use, but for those that they are denied. */
export const hostileNames = new Set(names.flatMap((name) => [name, ...Array.from({ length: shortest }, (_, n) => name.slice(0, n))]));

const boundaries = [0, 1, 2, 2 ** 16, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 2, 2 ** 32 - 1];

export class Attackers {
  /** How many messages they have posted. */
  posted = 0;
  #world: World;
  #all: Attacker[] = [];
  #ends: (() => void)[] = [];
  #ports: MessagePort[] = [];
  #numbers: number[] = [0];
  #heard = 0;

  constructor(world: World, count: number) {
    this.#world = world;
    for (let i = 0; i < count; i++) this.#all.push(this.#open());
  }

  /** Tells them a number that is valid for somebody. */
  overhear(number: number): void {
    this.#numbers[this.#heard++ % 500] = number;
  }

  /** They post so many messages, or a few more. */
  go(messages: number): void {
    const { random } = this.#world;
    for (const until = this.posted + messages; this.posted < until;) {
      const at = random(this.#all.length);
      const attacker = this.#all[at]!;
      if (attacker.over || random(400) === 0) {
        attacker.leave();
        this.#all[at] = this.#open();
      } else if (random(300) === 0 && !attacker.over) {
        this.#all[at] = this.#below(attacker);
      } else {
        attacker.act();
      }
    }
  }

  /** All are shut out. Nobody closes a port: that is up to the hub. */
  end(): void {
    for (const end of this.#ends) end();
  }

  /** Closes what is left of ports. */
  tidy(): void {
    for (const port of this.#ports) port.close();
  }

  #open(): Attacker {
    const { random, attach } = this.#world;
    const limits: Limits = {};
    if (random(2) === 0) limits.limit = [1, 3, 20, 1000][random(4)]!;
    if (random(2) === 0) limits.prefix = [theirs, theirs, `${theirs}x`, `${theirs}\ud83d`][random(4)]!;
    const { port1, port2 } = new MessageChannel();
    this.#ends.push(attach(port1, limits));
    return this.#attacker(port2, limits.prefix !== undefined);
  }

  /** One that an attacker lets in. */
  #below(parent: Attacker): Attacker {
    const { port1, port2 } = new MessageChannel();
    parent.letIn(port1);
    return this.#attacker(port2, parent.restricted);
  }

  #attacker(port: MessagePort, restricted: boolean): Attacker {
    this.#ports.push(port);
    return new Attacker(port, restricted, {
      ...this.#world,
      numbers: this.#numbers,
      overhear: (number) => this.overhear(number),
      keep: (each) => void this.#ports.push(each),
      count: () => void this.posted++,
    });
  }
}

interface Surroundings extends World {
  numbers: number[];
  overhear(number: number): void;
  keep(port: MessagePort): void;
  count(): void;
}

class Attacker {
  /** Its hub has said so, or it has left. */
  over = false;
  /** It is kept to names of its own, so that it may try those of others. */
  readonly restricted: boolean;

  #port: MessagePort;
  #around: Surroundings;
  #random: Random;
  #epoch = 0;
  #runs: number[] = [];
  #next: number; // in the corpus
  #late: Recorded[] = [];
  #ids = 0;
  #heardOf = 0;

  constructor(port: MessagePort, restricted: boolean, around: Surroundings) {
    this.#port = port;
    this.restricted = restricted;
    this.#around = around;
    this.#random = around.random;
    this.#next = around.random(3) === 0 ? around.random(around.corpus.length) : 0;
    port.onmessage = ({ data }) => this.#heard(data);
    if (around.random(20) > 0) this.#hello();
  }

  #heard(data: any): void {
    if (data instanceof Uint32Array) {
      for (let at = 1; at < data.length; at += completionWords) {
        if (data[at + 1] === Status.Run) this.#runs.push(data[at + 2]!);
        this.#around.overhear(data[at + 2 * (this.#heardOf++ % 2)]!);
      }
    } else if (data.clca === 'welcome') {
      this.#epoch = data.epoch;
    } else if (data.clca === 'over' && data.reason !== 'gone') {
      this.over = true;
    }
  }

  #post(message: unknown): void {
    const transfer = new Set<Transferable>();
    const lively = this.#revived(message, transfer, 0);
    try {
      this.#port.postMessage(lively, [...transfer]);
      this.#around.count();
    } catch {
      // It cannot be cloned; nobody gets it.
    }
  }

  /** The message with ports where they were, or are to be. */
  #revived(value: any, transfer: Set<Transferable>, depth: number): unknown {
    if (value === portHere) return this.#somePort(transfer);
    if (value instanceof MessagePort) return transfer.add(value), value;
    if (depth === 4 || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.length > 100 ? value : value.map((each) => this.#revived(each, transfer, depth + 1));
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    const entries = Object.entries(value).map(([key, each]) => [key, this.#revived(each, transfer, depth + 1)]);
    return Object.fromEntries(entries);
  }

  #somePort(transfer: Set<Transferable>): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#around.keep(port2); // Node crashes where a port that was closed meanwhile is to be cloned
    transfer.add(port1);
    if (this.#random(2) === 0) port2.postMessage(this.#random(2) === 0 ? junk(this.#random) : this.#greeting());
    return port1;
  }

  #greeting(): object {
    const { random } = this.#around;
    const past = random(5) === 0 ? { generation: this.#number(), memberships: random(2) === 0 ? ['a', 'lock'] : junk(random) } : {};
    const blocks = [undefined, true, true, junk(random)][random(4)];
    return { clca: 'hello', version: Version, lock: [undefined, undefined, 'a lock', '-', junk(random)][random(5)], blocks, ...past };
  }

  #hello(): void {
    this.#post(this.#greeting());
  }

  letIn(port: MessagePort): void {
    const prefix = [undefined, '', theirs, `${theirs}x`, `${theirs}\ud83d`, 'nothing', junk(this.#random)][this.#random(7)];
    const limit = [undefined, undefined, 2, 100, -1, 0.5, NaN, 2 ** 32 - 1, junk(this.#random)][this.#random(9)];
    this.#post({ clca: 'admit', id: this.#random(3) > 0 ? this.#ids++ : this.#random(3), port, prefix, limit });
  }

  leave(): void {
    this.over = true;
    switch (this.#random(4)) {
      case 0: return this.#post({ clca: 'bye', suspended: false });
      case 1: return this.#port.close();
    }
  }

  /** Posts something. */
  act(): void {
    const { corpus } = this.#around;
    switch (this.#random(16)) {
      case 0: case 1: case 2: return this.#send(this.#recorded());
      case 3: case 4: return this.#send(this.#twisted(this.#recorded()));
      case 5: return this.#send(this.#mistyped(this.#recorded()));
      case 6: return this.#send(corpus[this.#random(corpus.length)]!); // out of order
      case 7: return void this.#late.push(this.#recorded());
      case 8: {
        const late = this.#late.splice(this.#random(this.#late.length + 1), 1)[0];
        for (let times = this.#random(3); late !== undefined && times >= 0; times--) this.#send(late);
        return;
      }
      case 9: case 10: case 11: return this.#send(this.#made());
      case 12: return this.#send(new Uint32Array(Array.from({ length: 1 + CallWords * (1 + this.#random(20)) }, () => this.#number())));
      case 13: return this.#oblige();
      case 14: return this.#stray();
      case 15: return this.#rarely();
    }
  }

  /** The next message of a real client. */
  #recorded(): Recorded {
    const { corpus } = this.#around;
    return corpus[this.#next++ % corpus.length]!;
  }

  /** Sends words with the epoch of the hub, most of the time. */
  #send(message: Recorded): void {
    const words = message instanceof Uint32Array ? message : message['words'];
    if (!(words instanceof Uint32Array)) return this.#post(message);
    const own = words.slice();
    if (this.#random(50) > 0) own[0] = this.#epoch;
    this.#post(words === message ? own : { ...message, words: own });
  }

  #number(): number {
    const { numbers } = this.#around;
    switch (this.#random(5)) {
      case 0: return boundaries[this.#random(boundaries.length)]!;
      case 1: return (numbers[this.#random(2 ** 31) % numbers.length]! + this.#random(3) - 1) >>> 0;
      case 2: return this.#random(2 ** 32);
      default: return this.#random(40);
    }
  }

  #name(): string {
    const { secrets } = this.#around;
    if (this.restricted && this.#random(3) === 0) return secrets[this.#random(secrets.length)]!;
    const name = names[this.#random(names.length)]!;
    return this.#random(10) === 0 ? name.slice(0, this.#random(shortest)) : name;
  }

  /** The message with other words, other names, or another number of either. */
  #twisted(message: Recorded): Recorded {
    const original = message instanceof Uint32Array ? message : message['words'];
    if (!(original instanceof Uint32Array)) return this.#mistyped(message);
    let words = original.slice();
    for (let times = this.#random(4); times >= 0; times--) {
      const calls = Math.max(1, (words.length - 1) / CallWords | 0);
      const at = (): number => 1 + CallWords * this.#random(calls);
      switch (this.#random(7)) {
        case 0: case 1: case 2:
          words[this.#random(words.length)] = this.#number();
          break;
        case 3:
          words = words.slice(0, this.#random(words.length + 1));
          break;
        case 4:
          words = Uint32Array.of(...words, ...Array.from({ length: this.#random(12) }, () => this.#number()));
          break;
        case 5:
          words = Uint32Array.of(...words, ...words.subarray(at(), at()));
          break;
        case 6:
          words.copyWithin(at(), at(), at());
          break;
      }
    }
    if (message instanceof Uint32Array) return words;
    const said = (message['names'] as string[]).slice();
    if (this.#random(2) === 0) said[this.#random(said.length + 1)] = this.#name();
    return { ...message, words, names: said };
  }

  /** The message with something of a wrong type in it. */
  #mistyped(message: Recorded): Recorded {
    if (message instanceof Uint32Array) {
      const others = [Int32Array, Uint8Array, Float64Array, Uint16Array, BigUint64Array as any];
      const Other = others[this.#random(others.length)]!;
      return { clca: 'batch', words: Other.from(Other === BigUint64Array ? [1n] : message), names: [], items: [] };
    }
    const changed: Record<string, unknown> = { ...message };
    const keys = Object.keys(changed);
    const key = keys[this.#random(keys.length)]!;
    const value = changed[key] as any;
    if (this.#random(3) === 0) {
      delete changed[key];
    } else if (this.#random(2) === 0 && typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
      const inner: any = Array.isArray(value) ? value.slice() : { ...value };
      const within = ['value', 'error', 'uncloneable', 'transfer', ...Object.keys(inner)];
      inner[within[this.#random(within.length)]!] = junk(this.#random);
      changed[key] = inner;
    } else {
      changed[key] = this.#random(4) === 0 ? this.#number() : junk(this.#random);
    }
    return changed;
  }

  /** Calls that make sense, more or less. */
  #made(): Recorded {
    const words = [0];
    const said: string[] = [];
    if (this.#random(4) === 0) words.push(Op.Forget, 0, 0, 0, 0);
    for (let index = 0; index < 16 && words.length > 1; index++) {
      const kind = this.#random(Kind.Denied + 1);
      const name = this.#name();
      const argument = kind === Kind.Condition ? name.length - this.#random(2) : [0, 1, 2, 3, Unsaid, this.#number()][this.#random(6)]!;
      words.push(Op.Bind, index, kind, argument, 0);
      said.push(name);
    }
    const items: unknown[] = [];
    for (let calls = this.#random(12); calls >= 0; calls--) {
      const op = this.#random(Op.Watch + 2);
      const argument = this.#random(3) === 0 ? this.#number() : this.#random(4);
      if ((op === Op.Put || op === Op.TryPut) && this.#random(3) > 0) items.push([argument, junk(this.#random)]);
      words.push(op, this.#random(17), this.#random(24), argument, this.#random(3));
    }
    return { clca: 'batch', words: Uint32Array.from(words), names: said, items };
  }

  /** Does what it was asked to, more or less. */
  #oblige(): void {
    const run = this.#random(5) === 0 ? this.#number() : this.#runs[this.#random(2 ** 31) % Math.max(1, this.#runs.length)] ?? 0;
    const parts = { name: junk(this.#random), message: junk(this.#random), stack: junk(this.#random), code: junk(this.#random) };
    const payloads = [
      { value: junk(this.#random) }, { error: junk(this.#random) }, { error: { parts } }, { error: { thrown: parts } },
      { uncloneable: junk(this.#random) }, { value: 1, transfer: junk(this.#random) }, junk(this.#random),
      { value: portHere, transfer: [portHere] },
    ];
    if (this.#random(5) > 0) this.#post({ clca: 'payload', run, payload: payloads[this.#random(payloads.length)] });
    const outcome = this.#random(10) === 0 ? this.#number() : this.#random(2) === 0 ? Outcome.Result : Outcome.Error;
    this.#send(Uint32Array.of(0, Op.Finish, 0, outcome, run, 0));
  }

  /** Says something that only somebody else could say. */
  #stray(): void {
    const value = junk(this.#random);
    const payload = this.#random(2) === 0 ? { value, transfer: [value] } : { value };
    switch (this.#random(5)) {
      case 0: return this.#post({ clca: 'back', item: this.#number(), payload });
      case 1: return this.#post({ clca: 'item', item: this.#random(3) > 0 ? this.#random(4) : this.#number(), payload });
      case 2: return this.#post({ clca: 'payload', run: this.#number(), payload });
      case 3: return this.#post({ clca: 'end', id: this.#random(3) > 0 ? this.#random(3) : junk(this.#random) });
      case 4: return this.#send(Uint32Array.of(0, Op.End, 0, this.#number(), this.#number(), 0));
    }
  }

  #rarely(): void {
    switch (this.#random(8)) {
      case 0: return this.#hello();
      case 1: return this.#post({ clca: 'bye', suspended: this.#random(3) > 0 || junk(this.#random) });
      case 2: return this.#post({ clca: this.#random(2) === 0 ? 'close' : junk(this.#random) });
      case 3: return this.#post({ clca: 'hello', version: this.#random(20) === 0 ? junk(this.#random) : Version, lock: junk(this.#random) });
      case 4: {
        const { port1, port2 } = new MessageChannel();
        if (this.#random(2) === 0) port2.close();
        else this.#around.keep(port2);
        return this.letIn(port1);
      }
      case 5: return this.#post({ clca: ['pong', 'serve', 'welcome', 'over', 'connect', 'port'][this.#random(6)], id: 0, reason: 'lost' });
      default: return this.#post(junk(this.#random));
    }
  }
}

/** Something that can be cloned, and is hardly what was expected. */
export function junk(random: Random): unknown {
  const all: (() => unknown)[] = [
    () => undefined, () => null, () => true, () => -1, () => NaN, () => Infinity, () => 0.5, () => 2 ** 53, () => '', () => 'text',
    () => '\udc00', () => 10n, () => new Date(NaN), () => /x/g, () => [], () => ({}), () => [[[]]], () => new Map([[{}, new Set([1])]]),
    () => new ArrayBuffer(8), () => new Uint8Array(3), () => new Uint32Array(1 + CallWords), () => new Float64Array(2), () => new Error('e'),
    () => ({ toString: 1, valueOf: 1 }), () => [{ toString: 1 }], () => ({ clca: {} }), () => ({ clca: 'batch', words: [], names: [], items: [] }),
    () => JSON.parse('{"__proto__": {"clca": "hello"}, "constructor": 1, "length": -1}'), () => ({ then: 1 }), () => new Array(2 ** 31),
    () => Object.assign([], { length: 5, clca: 'bye' }), () => nested(100), () => portHere, () => [portHere, portHere], () => Object(1n),
    () => ({ value: 1, error: { parts: {} }, transfer: [] }), () => new DOMException('d', 'DataCloneError'), () => new Array(50).fill(portHere),
  ];
  return all[random(all.length)]!();
}

function nested(depth: number): unknown {
  let value: unknown = 'the bottom';
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { value };
  return value;
}
