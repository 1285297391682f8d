/** Where the hub's side of a session speaks with its realm: directly in the hub's own, through a port elsewhere. */

import * as abi from './abi.ts';
import { type Kind, Op, type Outcome, Status } from './abi.ts';
import type { Leave } from './attach.ts';
import { Cell, Why, answer, canShare, endBlocked, newMemory, ownRealm, setCell } from './blocking.ts';
import { UnsupportedError } from './errors.ts';
import { lifeOf, watchLife } from './liveness.ts';
import { longestName } from './options.ts';
import { type Payload, arrives, clone, copied, received, transferredIn, uncloneable } from './payload.ts';
import { type Port, listen, node } from './platform.ts';
import type { Line, Session } from './session.ts';
import type { Switchboard } from './switchboard.ts';
import { Batch, type Limits, type OverReason, type ToClient, type ToHub, kindOf } from './wire.ts';
/** Where completions of a session go. */
export interface Endpoint {
  /** The session's handle in Go; undefined before it was opened and after it has ended. */
  handle: number | undefined;
  deliver(call: number, status: Status, value: number): void;
  gone(): void;
}

/** Whether the value of a completion is the number of a payload. */
function brings(status: Status): boolean {
  return status === Status.Result || status === Status.Reject || status === Status.Lent || status === Status.Item;
}

/** Whether it is what a call that blocks waits for; others may not even be of a call. */
function answers(status: Status): boolean {
  return status === Status.Done || status === Status.Fail || status === Status.Held || status === Status.Ended;
}

/** The session of the hub's own realm: its calls enter Go at once where that is possible. */
export class LocalEndpoint implements Endpoint, Line {
  handle: number | undefined;
  session!: Session;
  #board: Switchboard;
  #last: { name: number; slot: number; others: number } | undefined; // a wait that was made, and that Go is not told of yet

  constructor(board: Switchboard) {
    this.#board = board;
  }

  call(op: Op, name: number, slot: number, argument: number, priority: number): void {
    const board = this.#board;
    if (this.#last !== undefined) this.flush();
    if (op === Op.Query) return board.submit(() => board.query(this.handle!, slot, () => true));
    try {
      if (board.idle && board.call(this.handle!, op, name, slot, argument, priority)) return;
    } catch (error) {
      // Such as a stack that overflows. Whether the call was made nobody can tell, so nothing is to be believed any more.
      board.program.torn(error);
      throw error;
    }
    board.submit(() => board.call(this.handle!, op, name, slot, argument, priority));
  }

  wait(name: number, slot: number): void {
    if (this.#last !== undefined) this.flush();
    this.#last = { name, slot, others: 0 };
    this.#board.program.onEnter = this.flush;
    queueMicrotask(this.flush);
  }

  waitToo(slot: number): boolean {
    if (this.#last?.slot !== slot) return false;
    this.#last.others++;
    return true;
  }

  /** Makes the wait that was kept, before all else that is done with Go. */
  flush = (): void => {
    const last = this.#last;
    if (last === undefined) return;
    this.#last = undefined;
    this.#board.program.onEnter = undefined;
    this.call(Op.Wait, last.name, last.slot, last.others, 0);
  };

  share(): never {
    throw new UnsupportedError(ownRealm);
  }

  unanswered(): void {}

  bind(index: number, kind: Kind, text: string, argument: number): void {
    this.flush();
    this.#board.submit(() => (this.#board.bind(this.handle!, index, kind, text, argument), true));
  }

  item(value: unknown, transfer: Transferable[] | undefined): number {
    return this.#board.keep(copied(value, transfer));
  }

  back(): void {} // nothing has left this realm

  forget(): void {
    this.flush();
    this.#board.submit(() => (this.#board.forget(this.handle!), true));
  }

  finish(run: number, outcome: Outcome, payload: Payload): void {
    const copy = clone(payload);
    this.#board.submit(() => this.#board.finish(this, run, outcome, copy));
  }

  deliver(call: number, status: Status, value: number): void {
    let payload: Payload | undefined;
    if (brings(status)) {
      payload = this.#board.payload(value, this);
      if (payload !== undefined && value < abi.ItemNumbers) payload = clone(payload);
    }
    this.session.complete(call, status, value, payload);
  }

  gone(): void {}
}

/** What whoever lets a realm in is told of it. */
export interface ChildEvents {
  left(how: Leave): void;
  /** The hub shares this memory with it. */
  shares(memory: SharedArrayBuffer): void;
}

/** A session behind a port. */
export class PortEndpoint implements Endpoint {
  handle: number | undefined;
  readonly depth: number; // of the tree of sessions
  #board: Switchboard;
  #port: Port;
  #parent: Endpoint;
  #limits: Limits;
  #out: Batch;
  #sent = new Set<number>(); // runs whose payload went out with the present batch, or before it
  #payloads: [number: number, payload: Payload][] = []; // that go out with it
  #runs = new Map<number, Payload | undefined>(); // that it was given, with what it says they came to
  #items = new Map<number, Payload>(); // that it is about to put, by its numbers
  #children = new Map<number, () => void>();
  #unlisten: () => void;
  #unwatch: () => void = () => {};
  #answered: (() => void) | undefined;
  #below = new Set<PortEndpoint>();
  #orphans = new Map<PortEndpoint, () => void>(); // realms below this one that came back from a suspension before it did
  #life: string | undefined; // what its life lock has of its own
  #memberships: string[] = []; // by which hubs before this one knew its realm
  #left: (how: Leave) => void;
  #gone = false; // for good
  #memory: Int32Array<SharedArrayBuffer> | undefined; // by which its realm hears of answers while it is blocked
  #shares: (memory: SharedArrayBuffer) => void;

  constructor(board: Switchboard, port: Port, parent: Endpoint, limits: Limits, events: ChildEvents) {
    this.#board = board;
    this.#left = events.left;
    this.#shares = events.shares;
    this.#port = port;
    this.#parent = parent;
    this.#limits = limits;
    this.depth = parent instanceof PortEndpoint ? parent.depth + 1 : 1;
    if (parent instanceof PortEndpoint) parent.#below.add(this);
    this.#out = new Batch(board.epoch);
    this.#unlisten = listen(port, (data, event) => this.heard(data, event));
    port.addEventListener?.('messageerror', () => board.drop(this));
    if (node !== undefined) port.addEventListener?.('close', () => this.#vanished(true));
    port.start?.();
    port.unref?.();
  }

  /** Whether its realm has created this hub, and alone may close it. */
  get owns(): boolean {
    return this.#limits === owner;
  }

  say(message: ToClient, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  deliver(call: number, status: Status, value: number): void {
    if (this.#memory !== undefined) {
      if (status === Status.Armed) setCell(this.#memory, value - 1, Cell.Ask);
      else if (answers(status) && answer(this.#memory, call, status, value)) return;
    }
    if (brings(status)) this.#sendPayload(value);
    else if (status === Status.Run) this.#runs.set(value, undefined);
    else if (status === Status.Over) this.#runs.delete(value);
    if (this.#out.empty) this.#board.touch(this);
    this.#out.push3(call, status, value);
  }

  #sendPayload(run: number): void {
    const payload = this.#board.payload(run, this);
    if (payload === undefined || this.#sent.has(run)) return;
    this.#sent.add(run);
    if ('value' in payload && arrives(payload.value)) this.#payloads.push([run, payload]);
    else this.#sendAlone(run, payload);
  }

  #sendAlone(run: number, payload: Payload): void {
    try {
      this.say({ clca: 'payload', run, payload }, payload.transfer);
    } catch (error) {
      const failed = uncloneable(error);
      this.#board.back(run, this, failed); // it has not left
      this.say({ clca: 'payload', run, payload: failed });
    }
  }

  flush(): void {
    if (this.#out.empty) return;
    const words = this.#out.take();
    if (this.#sent.size > 0) this.#sent.clear();
    if (this.#payloads.length === 0) return this.#port.postMessage(words);
    const payloads = this.#payloads;
    this.#payloads = [];
    try {
      this.say({ clca: 'batch', words, payloads }, transferredIn(payloads));
    } catch {
      for (const [run, payload] of payloads) this.#sendAlone(run, payload);
      this.#port.postMessage(words);
    }
  }

  /** Takes in one message of the realm, which may say anything, and brings these ports. */
  heard(data: unknown, event?: { readonly ports?: readonly unknown[] }): void {
    if (this.#board.over !== undefined) return;
    if (data instanceof Uint32Array) return this.#batch(data, [], []);
    const kind = kindOf(data);
    const ports = event?.ports ?? [];
    if (ports.length > 0 && ports.length > portsOf(kind, data)) return this.#board.drop(this);
    const message = data as ToHub;
    switch (kind) {
      case 'hello': return this.#hello(message as ToHub & { clca: 'hello' });
      case 'batch': {
        const { words, names, items } = message as ToHub & { clca: 'batch' };
        if (!(words instanceof Uint32Array) || !Array.isArray(names) || !Array.isArray(items)) break;
        return this.#batch(words, names, items);
      }
      case 'item': {
        const { item, payload } = message as ToHub & { clca: 'item' };
        if (typeof payload !== 'object' || payload === null || this.#items.size >= mostItems) break;
        this.#items.set(item, received(payload));
        return;
      }
      case 'back': {
        const { item, payload } = message as ToHub & { clca: 'back' };
        if (typeof payload !== 'object' || payload === null) break;
        return this.#board.back(item, this, received(payload));
      }
      case 'payload': {
        const { run, payload } = message as ToHub & { clca: 'payload' };
        if (!this.#runs.has(run) || typeof payload !== 'object' || payload === null) break;
        this.#runs.set(run, received(payload));
        return;
      }
      case 'admit': {
        const { id, port, prefix, limit } = message as ToHub & { clca: 'admit' };
        if (typeof id !== 'number' || this.#children.has(id) || !(port instanceof MessagePort)) break;
        const { limit: most = mostChildren } = this.#limits;
        if (!isPrefix(prefix) || !isLimit(limit) || this.depth === deepest || this.#children.size >= most) {
          const message = 'there are too many realms below each other, or beside, or the limits make no sense';
          port.postMessage({ clca: 'over', reason: 'ended', message } satisfies ToClient);
          port.close();
          break;
        }
        this.#children.set(id, this.#board.admit(port, this, this.#narrowed({ prefix, limit }), [], {
          left: (how) => {
            this.#children.delete(id);
            this.say({ clca: 'left', id, dead: how === 'dead' });
          },
          shares: (memory) => this.say({ clca: 'memory', id, memory }),
        }));
        return;
      }
      case 'end': {
        const { id } = message as ToHub & { clca: 'end' };
        this.#children.get(id)?.();
        this.#children.delete(id);
        return;
      }
      case 'bye': {
        const { suspended } = message as ToHub & { clca: 'bye' };
        if (suspended === true) this.#board.end(this);
        else this.shut('ended', 'the session was closed');
        return;
      }
      case 'close':
        if (this.owns) this.#board.close();
        return;
      case 'pong': return this.#answered?.();
    }
    this.#board.drop(this);
  }

  /** A realm lets others in with no more than its own rights. */
  #narrowed({ prefix: within, limit }: Limits): Limits {
    const { prefix, nothing } = this.#limits;
    const narrowed: Limits = nothing ? { nothing, limit } : { limit }; // its own limit bounds those below it too
    if (within === undefined || prefix?.startsWith(within)) narrowed.prefix = prefix;
    else if (within.startsWith(prefix ?? '')) narrowed.prefix = within;
    else narrowed.nothing = true;
    return narrowed;
  }

  #hello(hello: ToHub & { clca: 'hello' }): void {
    if (this.#gone) return;
    if (hello.version !== abi.Version) {
      const theirs = typeof hello.version === 'number' ? hello.version : 'unknown';
      this.shut('version', `the hub speaks version ${abi.Version} of the protocol, this client version ${theirs}`);
      return;
    }
    const parent = this.#parent;
    if (parent instanceof PortEndpoint && parent.handle === undefined && !parent.#gone) { // or one above it is suspended
      parent.#orphans.set(this, () => this.#hello(hello));
      return;
    }
    this.#board.end(this);
    const { memberships = [] } = hello;
    this.#life = lifeOf(hello.lock);
    const reports = Array.isArray(memberships) && memberships.length <= mostMemberships && this.#board.awaits(memberships);
    this.#memberships = reports ? memberships : [];
    this.#board.open(this, this.#parent, this.#limits.limit ?? 0, reports, (ok) => {
      if (this.#gone) return this.#board.end(this);
      if (!ok) return this.shut('ended', 'the realm that attached this one has gone, or may let in no more');
      this.#unwatch();
      if (this.#life !== undefined) this.#unwatch = watchLife(hello.lock, this.#port, () => this.#vanished(true), () => this.#ask());
      const { epoch, lifeLock: lock, home } = this.#board;
      const blocks = hello.blocks === true && home === undefined && canShare();
      const limited = this.#limited;
      const session = this.#board.traced(this.handle!);
      this.say({ clca: 'welcome', version: abi.Version, epoch, session, lock, limited, blocks, home: home && { ...home, path: this.#path } });
      if (blocks) this.#share();
      const orphans = new Map(this.#orphans);
      this.#orphans.clear();
      for (const child of this.#below) {
        // Not before: a page in the back/forward cache would lose its place there.
        if (child.handle === undefined && !orphans.has(child)) child.#sayGone();
      }
      for (const hello of orphans.values()) hello();
    });
  }

  get #limited(): boolean {
    return this.#limits.limit !== undefined || this.#parent instanceof PortEndpoint && this.#parent.#limited;
  }

  /** Shares memory with its realm, and with the one above it, which will know if this hub is lost. */
  #share(): void {
    this.#memory = newMemory();
    const memory = this.#memory.buffer;
    this.say({ clca: 'memory', memory });
    this.#shares(memory);
  }

  /** By which the next hub knows its realm, and those above it. */
  get #path(): string {
    const own = this.#life ?? '';
    return this.#parent instanceof PortEndpoint ? `${own}.${this.#parent.#path}` : own;
  }

  /** Whether the realm answers over its port. */
  #ask(): Promise<boolean> {
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve(false), 1000);
      this.#answered = () => {
        clearTimeout(late);
        resolve(true);
      };
      this.say({ clca: 'ping' });
    });
  }

  #batch(words: Uint32Array, names: unknown[], items: unknown[]): void {
    const { epoch } = this.#board;
    const calls = (words.length - 1) / abi.CallWords;
    if (words[0] !== epoch || !Number.isInteger(calls) || names.length > calls || items.length > calls) {
      this.#board.drop(this);
      return;
    }
    const brought = this.#items; // with this batch, since the last
    this.#items = new Map();
    for (const item of items) if (Array.isArray(item)) brought.set(item[0], received(item[1]));
    if (this.handle === undefined) return this.#sayGone();
    let at = 1;
    let name = 0;
    this.#board.submit(() => {
      const { handle } = this;
      if (handle === undefined) return true;
      for (; at < words.length; at += abi.CallWords) {
        if (this.#board.held) return false;
        const op: Op = words[at] === Op.Take ? Op.Get : words[at]!; // nothing is sure to arrive here
        if (op === Op.Bind) {
          this.#bind(handle, words[at + 1]!, words[at + 2]!, names[name++], words[at + 3]!);
        } else if (op === Op.Forget) {
          this.#board.forget(handle);
        } else if (op === Op.Finish) {
          if (!this.#finish(words[at + 3]!, words[at + 2]!)) return false;
        } else if (op === Op.Put || op === Op.TryPut) {
          // What does not arrive could not be cloned, as with a result.
          const item = brought.get(words[at + 3]!) ?? { uncloneable: 'the item could not be cloned' };
          if (!this.#board.put(handle, op, words[at + 1]!, words[at + 2]!, item, words[at + 4]!)) return false;
        } else if (op === Op.Query) {
          if (!this.#board.query(handle, words[at + 2]!, (text) => this.#allows(text))) return false;
        } else if (op === Op.HubStats) {
          if (!this.#board.call(handle, op, 0, words[at + 2]!, this.#restricted ? 1 : 0, 0)) return false;
        } else if (op === Op.Reported) {
          if (!this.#board.call(handle, op, 0, words[at + 2]!, 0, 0)) return false;
          this.#board.reported(this.#memberships.splice(0));
        } else if (!this.#board.call(handle, op, words[at + 1]!, words[at + 2]!, words[at + 3]!, words[at + 4]!)) {
          return false;
        }
      }
      return true;
    });
  }

  /** Says that the session has ended while its realm, or one above it, was suspended; another can begin. */
  #sayGone(): void {
    if (this.#memory !== undefined) endBlocked(this.#memory, Why.Suspended); // it may hear nothing else
    this.say({ clca: 'over', reason: 'gone', message: 'the session has ended', epoch: this.#board.epoch });
  }

  #bind(handle: number, index: number, kind: number, text: unknown, argument: number): void {
    if (typeof text !== 'string' || kind >= abi.Kind.Denied) {
      this.#board.drop(this);
      return;
    }
    // A condition is as allowed as its lock is.
    const [name, rest] = kind === abi.Kind.Condition ? [text.slice(0, argument), text.slice(argument)] : [text, ''];
    const allowed = this.#allows(name) && Math.max(name.length, rest.length) <= longestName;
    if (allowed) this.#board.bind(handle, index, kind, text, argument);
    else this.#board.bind(handle, index, abi.Kind.Denied, '', 0);
  }

  /** Whether it may not use all names, and so see nothing of the others. */
  get #restricted(): boolean {
    return this.#limits.nothing === true || (this.#limits.prefix ?? '') !== '';
  }

  #allows(name: string): boolean {
    const { prefix = '', nothing } = this.#limits;
    return !nothing && name.startsWith(prefix);
  }

  #finish(run: number, outcome: Outcome): boolean {
    // What does not arrive with its message could not be cloned, in whatever way.
    return this.#board.finish(this, run, outcome, this.#runs.get(run) ?? { uncloneable: 'the result could not be cloned' });
  }

  gone(): void {
    this.#payloads = [];
    this.#sent.clear();
    if (this.#memory !== undefined) endBlocked(this.#memory, Why.Suspended); // or for good, which is known by then
    this.#out.clear();
    this.#runs.clear();
    this.#items.clear();
  }

  /** The realm is dead, or has said goodbye for good. */
  #vanished(dead: boolean): void {
    if (this.#gone) return;
    if (this.#board.over === undefined) this.#endBelow();
    this.#board.end(this);
    this.#leave();
    if (this.#board.over === undefined) this.#left(dead ? 'dead' : 'closed');
  }

  /** Those below it that are blocked learn that it is for good, before they learn that their sessions have ended. */
  #endBelow(): void {
    for (const each of this.#below) {
      if (each.#memory !== undefined) endBlocked(each.#memory, Why.Closed);
      each.#endBelow();
    }
  }

  /** Shuts the realm out, and says why. */
  shut(reason: OverReason, message: string): void {
    this.flush();
    if (this.#memory !== undefined) endBlocked(this.#memory, reason === 'lost' ? Why.Lost : Why.Closed);
    this.say({ clca: 'over', reason, message });
    this.#vanished(false);
  }

  #leave(): void {
    this.#gone = true;
    this.#orphans.clear();
    if (this.#parent instanceof PortEndpoint) {
      this.#parent.#below.delete(this);
      this.#parent.#orphans.delete(this);
    }
    this.#unwatch();
    this.#unlisten();
    // When the hub ends, each realm is told why it does.
    if (this.#board.over === undefined) for (const end of this.#children.values()) end();
    this.#children.clear();
    this.#board.forgetPort(this);
    this.#port.close();
  }
}

/** How many ports a message may bring. One that is hidden in a value could not be sent on. */
function portsOf(kind: string | undefined, message: unknown): number {
  if (kind === 'admit') return 1;
  const { payload, items } = message as { payload?: unknown; items?: unknown };
  const payloads = kind === 'batch' && Array.isArray(items) ? items.map((item) => Object(item)[1]) : [payload];
  let ports = 0;
  for (const each of payloads) {
    const { transfer } = Object(each) as Payload;
    if (Array.isArray(transfer)) ports += transfer.length;
  }
  return ports;
}

const isPrefix = (prefix: unknown): boolean => prefix === undefined || typeof prefix === 'string';
const isLimit = (limit: unknown): boolean => limit === undefined
  || Number.isInteger(limit) && (limit as number) > 0 && (limit as number) < 2 ** 31;

/** How deep sessions can lie below each other. */
const deepest = 100;
/** How many hubs a client can have been of that were lost before they were told so. */
const mostMemberships = 1000;
/** How many realms one can let in that has no limit. */
const mostChildren = 2 ** 16;
/** How many items can be on their way into queues. */
const mostItems = 2 ** 21;

/** The limits of the realm that created a hub elsewhere, which alone may close it. */
export const owner: Limits = {};
