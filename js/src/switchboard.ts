/**
 * The hub's side of all sessions, in the hub's realm: it carries calls from sessions to Go and completions from Go to
 * sessions, and keeps what runs have returned.
 *
 * Nothing is lost when Go cannot be entered: what is to be done then waits, in order, and so does all that comes later.
 */

import * as abi from './abi.ts';
import { Op, type Outcome, Status } from './abi.ts';
import { type ChildEvents, type Endpoint, LocalEndpoint, PortEndpoint } from './endpoint.ts';
import { type ClcaError, ClosedError, type HubLostError, renewed } from './errors.ts';
import type { GoListener, GoProgram } from './go.ts';
import { type LifeLock, watchLife } from './liveness.ts';
import type { Client } from './membership.ts';
import { startTimer } from './options.ts';
import { type Payload, uncloneable } from './payload.ts';
import { type Port, answerHere, whenIdle } from './platform.ts';
import { type Kept, Payloads } from './payloads.ts';
import { readQuery } from './query.ts';
import { Session } from './session.ts';
import { type Cause, type Trace, Tracer, now } from './trace.ts';
import type { Home, Limits, OverReason } from './wire.ts';

/** Returns false if it could not be done now, and is to be tried again. */
type Job = () => boolean;

const handleSlots = 1 << 16;
const none = 0xffffffff;

export class Switchboard implements GoListener {
  readonly epoch = crypto.getRandomValues(new Uint32Array(1))[0]!;
  readonly program: GoProgram;
  /** The session of the hub's own realm. */
  readonly session: Session;
  over: { reason: OverReason; error: ClcaError } | undefined;
  /**
   * Goroutines of the program are ready, and Go is to be resumed before anything else is asked of it. If one of them ran within
   * an exported function, and called a function of JavaScript's that calls back into Go, Go would mistake one for the other.
   */
  held = false;

  #onOver: ((error: ClcaError) => void) | undefined;
  #endpoints: (Endpoint | undefined)[] = [];
  #ports = new Set<PortEndpoint>();
  #payloads = new Payloads();
  #wanted = new Set<number>(); // those that are wanted while they are away
  #asked: ((name: string) => boolean) | undefined; // the names that the query may see which is being carried out
  #window = new Uint32Array(0);
  #backlog: Job[] = [];
  #scheduled = false;
  #delivering = false;
  #pumping = false; // Go is to be resumed, soon
  #dirty: PortEndpoint[] = [];
  #life: LifeLock;
  #unheard: () => void;
  #local: LocalEndpoint;
  #tracer: Tracer | undefined;
  #cause: Cause | undefined; // of what is delivered now, if that is traced
  #unreported = new Map<string, { above: string[]; unwatch: () => void }>(); // clients of those before it

  /** `home` is where this hub is, if there can be another of its name when it is lost. */
  constructor(program: GoProgram, life: LifeLock, trace?: Trace, readonly home?: Home) {
    this.program = program;
    this.#life = life;
    program.listener = this;
    this.#local = new LocalEndpoint(this);
    this.session = new Session(this.#local, true);
    this.#local.session = this.session;
    this.#tracer = trace && new Tracer(trace);
    this.session.trace = trace;
    this.#unheard = answerHere(this.epoch);
    this.open(this.#local, undefined, 0, false, () => void (this.session.last.session = this.traced(this.#local.handle!)));
    if (program.dead !== undefined) this.died(program.dead);
  }

  /** What a session is called where it is traced: the next hub of this name has other numbers. */
  traced(handle: number): number {
    return (this.home?.generation ?? 0) * 2 ** 32 + handle;
  }

  get lifeLock(): string | undefined {
    return this.#life.name;
  }

  // ---- Go in, Go out ----

  /** Does a job now if that is possible, and else as soon as it is, after those that wait already. */
  submit(job: Job): void {
    if (this.over !== undefined) return;
    if (!this.idle || !job()) {
      this.#backlog.push(job);
      this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#work());
  }

  /** Works off the backlog. If the first job still cannot be done after a resume of Go, other tasks get a turn. */
  #work(): void {
    this.#scheduled = false;
    let resumed = false;
    let done = 0;
    try {
      while ((this.#pumping || this.#backlog.length > done) && this.program.open) {
        if (this.#pumping) {
          this.#pumping = this.held = false;
          this.program.resume();
        } else if (this.#do(done)) {
          done++;
          resumed = false;
        } else if (this.held) {
          resumed = false; // it has done a part
        } else if (!resumed) {
          resumed = true;
          this.program.resume();
        } else {
          break;
        }
      }
    } finally {
      this.#backlog.splice(0, done); // not one by one, of which each would move all others
      if ((this.#pumping || this.#backlog.length > 0) && !this.#scheduled && this.over === undefined) {
        this.#scheduled = true;
        setTimeout(() => this.#work());
      }
    }
  }

  /** Does a job of the backlog; one that fails is not tried again. */
  #do(index: number): boolean {
    const job = this.#backlog[index]!;
    this.#backlog[index] = () => true;
    const done = job();
    if (!done) this.#backlog[index] = job;
    return done;
  }

  /** Enters Go by another exported function than that of calls, for a cause or none. Returns false if it was busy. */
  #enter(f: () => number, cause?: Cause): boolean {
    const flags = this.program.enter(f);
    this.#cause = cause;
    return this.#returned(flags);
  }

  /** Enters Go with a call, and returns what that returned. */
  #call(handle: number, op: Op, name: number, slot: number, argument: number, priority: number): number {
    const tracer = this.#tracer;
    if (tracer === undefined) return this.program.call(handle, op, name, slot, argument, priority);
    // First comes what goroutines have settled, of which this call is not the cause.
    if (!this.#enter(() => this.program.exports.clca_drain()) || this.held) return abi.Busy;
    const at = now();
    const flags = this.program.call(handle, op, name, slot, argument, priority);
    if (this.program.dead !== undefined || flags & (abi.Busy | abi.Refused)) return flags;
    this.#delivering = true; // what is in the window comes before whatever it is that is done when this is told
    this.#cause = tracer.taken(at, this.traced(handle), op, name, slot, argument);
    this.#delivering = false;
    return flags;
  }

  /** Takes what an exported function returned: delivers what is in the window. Returns false if it was busy. */
  #returned(flags: number): boolean {
    if (this.program.dead !== undefined) return true;
    if (flags === 0) return true;
    if (flags & abi.Busy) return false;
    if (flags & abi.Refused) this.drop();
    if (flags & abi.Pump) this.#pump(flags);
    this.#deliver(flags & abi.CountMask);
    return true;
  }

  #pump(flags: number): void {
    this.#pumping = true;
    if (flags & abi.PumpFirst) this.held = true;
    this.#schedule();
  }

  #deliver(count: number): void {
    this.#delivering = true;
    try {
      this.#deliverAll(count);
    } finally {
      this.#delivering = false;
    }
  }

  #deliverAll(count: number): void {
    for (;;) {
      const window = this.#view();
      for (let i = 0; i < count; i++) {
        const at = i * abi.EntryWords;
        this.#entry(window[at]!, window[at + 1]!, window[at + 2]!, window[at + 3]!);
      }
      if (count < abi.WindowEntries || this.program.dead !== undefined) break;
      const flags = this.program.enter(() => this.program.exports.clca_drain());
      if (this.program.dead !== undefined) break;
      if (flags & abi.Busy) {
        this.woke();
        break;
      }
      if (flags & abi.Pump) this.#pump(flags);
      count = flags & abi.CountMask;
    }
  }

  /** The completion window; a growth of Go's memory detaches every view of it. */
  #view(): Uint32Array {
    if (this.#window.length === 0) { // detached; to ask for the buffer each time costs more than to look at it
      const address = this.program.enter(() => this.program.exports.clca_window());
      this.#window = new Uint32Array(this.program.exports.mem.buffer, address, abi.WindowEntries * abi.EntryWords);
    }
    return this.#window;
  }

  #entry(handle: number, call: number, status: Status, value: number): void {
    if (status === Status.Free) {
      this.#tracer?.over(value);
      this.#payloads.delete(value);
      this.#wanted.delete(value);
      return;
    }
    if (status === Status.Result && this.#asked !== undefined && this.#payloads.get(value) === undefined) {
      this.#payloads.set(value, { payload: { value: readQuery(this.program, this.epoch, this.#asked) } });
      queueMicrotask(() => this.#payloads.delete(value));
    }
    const endpoint = this.#endpoints[handle & (handleSlots - 1)];
    if (endpoint === undefined || endpoint.handle !== handle) return;
    if (status === Status.Gone) {
      this.#endpoints[handle & (handleSlots - 1)] = undefined;
      endpoint.handle = undefined;
      endpoint.gone();
      this.#tracer?.ended(this.traced(handle));
      this.#unwant(endpoint);
      // Should it come back, it is one like all others.
      this.#payloads.each((number, kept) => {
        if (kept.by === endpoint) kept.by = undefined;
        if (kept.away === endpoint) this.#cameBack(number, kept, uncloneable(new Error('it went with a realm that is gone')));
      });
      return;
    }
    if ((status === Status.Lent || status === Status.Result) && value >= abi.ItemNumbers) {
      const kept = this.#payloads.get(value);
      if (kept?.away !== undefined) {
        kept.wanted = { endpoint, call, status };
        this.#wanted.add(value);
        return;
      }
    } else if (status === Status.Ended && this.#wanted.size > 0) {
      this.#unwant(endpoint, call);
    }
    this.#tell(endpoint, call, status, value);
  }

  #tell(endpoint: Endpoint, call: number, status: Status, value: number): void {
    if (this.#tracer !== undefined) this.#tracer.told(this.traced(endpoint.handle!), call, status, value, this.#cause);
    endpoint.deliver(call, status, value);
    if (status === Status.Result && value >= abi.ItemNumbers) this.#payloads.delete(value); // nobody else has it
  }

  woke(): void {
    this.submit(() => this.#enter(() => this.program.exports.clca_drain()));
  }

  /** Counts a message that was not of the protocol, or a call that made no sense. */
  drop(by?: Endpoint): void {
    const handle = by?.handle ?? none;
    this.submit(() => {
      this.program.enter(() => (this.program.exports.clca_dropped(handle), 0));
      return true;
    });
  }

  // ---- after a hub that was lost ----

  /** Lets calls be granted; if it follows hubs of its name, once the clients of those have reported. */
  begin(clients: Client[] = []): void {
    whenIdle(() => this.submit(() => this.#enter(() => this.program.exports.clca_collect())));
    for (const { name, above } of clients) {
      this.#unreported.set(name, { above, unwatch: watchLife(name, undefined, () => this.#left(name), () => Promise.resolve(false)) });
    }
    this.#recover();
  }

  /** Whether a client that has been of a hub before this one has still to report. */
  awaits(client: string[]): boolean {
    return client.some((each) => this.#unreported.has(each));
  }

  /** A client has reported. */
  reported(client: string[]): void {
    let changed = false;
    for (const each of client) {
      this.#unreported.get(each)?.unwatch();
      changed = this.#unreported.delete(each) || changed;
    }
    if (changed) this.#recover();
  }

  /** A client is gone, and those below it. */
  #left(client: string): void {
    const below = [...this.#unreported].filter(([, { above }]) => above.includes(client)).map(([name]) => name);
    this.reported([client, ...below]);
  }

  #recover(): void {
    const { size } = this.#unreported;
    const { generation = 0 } = this.home ?? {};
    this.submit(() => this.#enter(() => this.program.exports.clca_recover(size, generation)));
  }

  // ---- what sessions ask for ----

  /** Opens a session, which may have to report what it held of a lost hub, and calls `opened`, with whether it could be. */
  open(endpoint: Endpoint, parent: Endpoint | undefined, limit: number, reports: boolean, opened: (ok: boolean) => void): void {
    this.submit(() => {
      if (parent !== undefined && parent.handle === undefined) return opened(false), true;
      const flags = this.program.enter(() => this.program.exports.clca_open(parent?.handle ?? none, limit, reports ? 1 : 0));
      if (flags & abi.Busy) return false;
      if (this.program.dead !== undefined || flags & abi.Refused) return opened(false), true;
      const handle = this.#view()[0]!;
      endpoint.handle = handle;
      this.#endpoints[handle & (handleSlots - 1)] = endpoint;
      this.#tracer?.opened(this.traced(handle), parent && this.traced(parent.handle!));
      opened(true);
      return true;
    });
  }

  end(endpoint: Endpoint): void {
    this.submit(() => {
      const { handle } = endpoint;
      return handle === undefined || this.#enter(() => this.program.exports.clca_end(handle), { session: this.traced(handle) });
    });
  }

  /** Carries out one call now; false if Go is busy. */
  call(handle: number, op: number, name: number, slot: number, argument: number, priority: number): boolean {
    return this.#returned(this.#call(handle, op, name, slot, argument, priority));
  }

  /** Carries out `Op.Query`, whose answer Go has written as numbers; of names, those that are `allowed`. */
  query(handle: number, slot: number, allowed: (name: string) => boolean): boolean {
    const flags = this.#call(handle, Op.Query, 0, slot, 0, 0);
    this.#asked = allowed;
    const done = this.#returned(flags);
    this.#asked = undefined;
    return done;
  }

  /** Keeps an item for a queue, and returns its number. */
  keep(payload: Payload): number {
    return this.#payloads.add(payload);
  }

  /** Puts an item into a queue; what is not put is not kept. */
  put(handle: number, op: number, name: number, slot: number, payload: Payload, priority: number): boolean {
    const item = this.keep(payload);
    const flags = this.#call(handle, op, name, slot, item, priority);
    if (flags & (abi.Refused | abi.Busy)) this.#payloads.delete(item);
    return this.#returned(flags);
  }

  /** An item that could not be copied has come back from the realm that was to have it. */
  back(item: number, from: Endpoint, payload: Payload): void {
    const kept = this.#payloads.get(item);
    if (kept?.away === from) this.#cameBack(item, kept, payload);
  }

  #cameBack(item: number, kept: Kept, payload: Payload): void {
    const { wanted } = kept;
    kept.payload = payload;
    kept.away = kept.wanted = undefined;
    if (wanted === undefined) return;
    this.#wanted.delete(item);
    this.#tell(wanted.endpoint, wanted.call, wanted.status, item);
  }

  /** Forgets that a call, or all calls of an endpoint, wait for an item to come back. */
  #unwant(endpoint: Endpoint, call?: number): void {
    for (const item of this.#wanted) {
      const kept = this.#payloads.get(item)!;
      if (kept.wanted!.endpoint !== endpoint || (call ?? kept.wanted!.call) !== kept.wanted!.call) continue;
      kept.wanted = undefined;
      this.#wanted.delete(item);
    }
  }

  /** Whether a call can be carried out now, before all else. */
  get idle(): boolean {
    return this.#backlog.length === 0 && !this.#delivering && !this.held && this.program.open;
  }

  bind(handle: number, index: number, kind: number, text: string, argument: number): void {
    const { exports } = this.program;
    this.program.enter(() => {
      const address = exports.clca_scratch(text.length);
      const units = new Uint16Array(exports.mem.buffer, address, text.length);
      for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
      if (exports.clca_bind(handle, index, kind, text.length, argument) & abi.Refused) this.drop();
      this.#tracer?.bound(this.traced(handle), index, kind, text);
      return 0;
    });
  }

  forget(handle: number): void {
    this.program.enter(() => this.program.exports.clca_forget(handle));
  }

  finish(endpoint: Endpoint, run: number, outcome: Outcome, payload: Payload): boolean {
    if (run >= abi.ItemNumbers) return this.drop(endpoint), true; // an item, which nobody runs
    const kept = this.#payloads.get(run);
    this.#payloads.set(run, { payload, by: endpoint });
    const flags = this.#call(endpoint.handle!, Op.Finish, 0, outcome, run, 0);
    if (flags & (abi.Refused | abi.Busy)) {
      // Not a run of this session's, or not now: nothing was settled with what it brought.
      if (kept === undefined) this.#payloads.delete(run);
      else this.#payloads.set(run, kept);
    }
    return this.#returned(flags);
  }

  /** What belongs to a run, unless `asker` is the one who ran it and still has it; or an item, which may then be away. */
  payload(run: number, asker: Endpoint): Payload | undefined {
    const kept = this.#payloads.get(run);
    if (kept === undefined || kept.by === asker) return undefined;
    const { payload } = kept;
    if (payload.transfer !== undefined && !(asker instanceof LocalEndpoint)) {
      kept.away = asker;
      kept.payload = { uncloneable: 'it is on its way' };
    }
    return payload;
  }

  // ---- ports ----

  /**
   * Lets a realm in that speaks through a port and has said this already, and tells of it; returns what shuts it out again.
   */
  admit(port: Port, parent: Endpoint | undefined, limits: Limits = {}, said: unknown[] = [], events: Partial<ChildEvents> = {}): () => void {
    const endpoint = new PortEndpoint(this, port, parent ?? this.#local, limits, { left() {}, shares() {}, ...events });
    if (this.over !== undefined) {
      endpoint.say({ clca: 'over', reason: this.over.reason, message: this.over.error.message });
      return () => {};
    }
    this.#ports.add(endpoint);
    for (const each of said) endpoint.heard(each);
    return () => endpoint.shut('ended', 'the session was ended by the realm that attached it');
  }

  forgetPort(endpoint: PortEndpoint): void {
    this.#ports.delete(endpoint);
  }

  /** Has the endpoint's completions sent once the present task is done. */
  touch(endpoint: PortEndpoint): void {
    if (this.#dirty.push(endpoint) > 1) return;
    queueMicrotask(() => {
      const dirty = this.#dirty;
      this.#dirty = [];
      for (const each of dirty) each.flush();
    });
  }

  // ---- the end ----

  /** Calls the listener once the hub is over, which may be now. */
  onOver(listener: (error: ClcaError) => void): void {
    if (this.over === undefined) this.#onOver = listener;
    else listener(this.over.error);
  }

  /** Ends the hub on purpose: all that is pending anywhere rejects with a ClosedError. */
  close(): void {
    if (this.over !== undefined) return;
    const error = new ClosedError('the hub was closed');
    this.program.closing = error;
    this.#finishAll('closed', error);
    const end = (): void => {
      if (this.program.dead !== undefined) return;
      if (!this.program.open) return queueMicrotask(end);
      this.program.enter(() => this.program.exports.clca_close());
      this.#pump(abi.Pump);
    };
    end();
  }

  died(error: HubLostError): void {
    this.#finishAll('lost', error);
  }

  #finishAll(reason: OverReason, error: ClcaError): void {
    if (this.over !== undefined) return;
    this.over = { reason, error };
    // The owner comes last: it terminates this Worker as soon as it knows.
    const ports = [...this.#ports];
    for (const endpoint of ports) if (!endpoint.owns) endpoint.shut(reason, error.message);
    for (const endpoint of ports) if (endpoint.owns) endpoint.shut(reason, error.message);
    this.#backlog = [];
    this.#payloads.clear();
    for (const { unwatch } of this.#unreported.values()) unwatch();
    this.#unreported.clear();
    this.session.fail(() => renewed(error));
    // What the realms are told is on its way by another road, and is to be there first.
    startTimer(20, () => this.#life.release(), true);
    this.#unheard();
    this.#onOver?.(error);
  }
}
