/**
 * A session that reaches its hub through a port.
 *
 * The session outlives its port: a page that returns from the back/forward cache says hello anew, and if the hub of all
 * tabs is lost, the link goes to the next of its name, which it tells first what this realm holds.
 */

import * as abi from './abi.ts';
import { type Kind, Op, Outcome, Status } from './abi.ts';
import { ClcaError, ClosedError, HubLostError, LoadError, SuspendedError, UnsupportedError, VersionError, renewed } from './errors.ts';
import type { Leave } from './attach.ts';
import { Why, asMemory, endBlocked, ownRealm, whyNot } from './blocking.ts';
import { type LifeLock, holdLifeLock, watchLife } from './liveness.ts';
import { joinAs } from './membership.ts';
import { type WaitOptions, within } from './options.ts';
import { type Payload, arrives, copied, received, transferredIn, uncloneable } from './payload.ts';
import { type Port, claim, isHere, listen, node } from './platform.ts';
import { type Line, Session, report } from './session.ts';
import { Batch, type Home, type Limits, type OverReason, type ToClient, type ToHub, completionWords, kindOf } from './wire.ts';

/** The hub is served by another SharedWorker, of this script and name. */
export class Elsewhere extends Error {
  constructor(readonly url: string, readonly worker: string, readonly module: boolean) {
    super(`the hub is served by ${url}`);
  }
}

/** Ends the links of sessions that nobody can reach any more. */
const collected = new FinalizationRegistry<Link>((link) => link.close());

const goodbye: ToHub = { clca: 'bye', suspended: false };

/** How often a client tries to reach the next hub, for how many milliseconds each time, and with what pauses between. */
const trials = 15;
const patience = 2_000;
const longestPause = 2_000;

export class Link implements Line {
  /** Leads this link to the next hub, if this one is lost. */
  again: ((home: Home, options: WaitOptions) => Promise<void>) | undefined;
  /** Called when the session goes on with another hub than before. */
  onReconnect: (() => void) | undefined;

  #session: WeakRef<Session>;
  #needed: Session | undefined; // while it is, though nobody may be able to reach it
  #taken = false;
  #port: Port | undefined;
  #life: LifeLock;
  #out = new Batch(0);
  #names: string[] = [];
  #items: [item: number, payload: Payload][] = [];
  #lastItem = 0; // numbers them
  #waiting: { message: ToHub; transfer: Transferable[] }[] = []; // for a session, before the batch
  #scheduled = false;
  #epoch: number | undefined; // undefined while there is no session
  #home: Home | undefined;
  #memberships: LifeLock[] = []; // of the hub that is told of this one last, and of those before it that were lost
  #reported: Promise<void> | undefined; // the next hub is told what was held of the last
  #payloads = new Map<number, Payload>(); // of the batch that follows
  #memory: Int32Array | undefined; // that is shared with the hub
  #shared: (memory: Int32Array | undefined) => void = () => {};
  #children = new Map<number, (how: Leave) => void>(); // what is called when they have left
  #memories = new Map<number, Int32Array | undefined>(); // that the hub shares with them
  #lastChild = 0;
  #over: ClcaError | undefined;
  #onOver: ((error: ClcaError) => void) | undefined;
  #unlisten: () => void = () => {};
  #unwatch: () => void = () => {};
  #welcomed: ((error?: Error) => void) | undefined;

  static async create(): Promise<Link> {
    return new Link(await holdLifeLock());
  }

  private constructor(life: LifeLock) {
    this.#life = life;
    const session = new Session(this);
    this.#session = new WeakRef(session);
    this.#needed = session;
    collected.register(session, this, this);
    if (typeof document === 'object' && typeof addEventListener === 'function') {
      addEventListener('pagehide', this.#onHide);
      addEventListener('pageshow', this.#onShow);
    }
  }

  /** Its session; undefined once it was collected, and is about to end. */
  get session(): Session | undefined {
    return this.#needed ?? this.#session.deref();
  }

  review(): void {
    if (!this.#taken) return;
    const { session } = this;
    this.#needed = session?.needed || this.#children.size > 0 ? session : undefined;
  }

  /** Says hello through the port, and resolves when the hub has answered. A port that has failed is closed. */
  async join(port: Port, options: WaitOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    claim(port);
    this.#port = port;
    this.#unlisten = listen(port, (data) => this.#heard(data));
    port.addEventListener?.('messageerror', () => this.#shared(undefined)); // nothing else is refused
    if (node !== undefined) port.addEventListener?.('close', () => port === this.#port && this.#lost('the port was closed'));
    port.start?.();
    let welcomed: ((error?: Error) => void) | undefined;
    try {
      await within<void>(options, (resolve, reject) => {
        if (this.#over !== undefined) throw this.#over;
        this.#welcomed = welcomed = (error) => {
          this.#welcomed = undefined;
          if (error === undefined) resolve();
          else reject(error);
        };
        this.#hello();
      });
    } catch (error) {
      if (port === this.#port) {
        this.#post(goodbye); // it may yet be let in
        this.#hangUp();
      }
      throw error;
    } finally {
      if (this.#welcomed === welcomed) this.#welcomed = undefined;
    }
    if (this.session?.waits === true) port.ref?.();
    else port.unref?.();
  }

  /** Hands the session over: from now on it lives as long as somebody can reach it, or it is needed. */
  take(): Session {
    const session = this.#needed!;
    this.#taken = true;
    this.review();
    return session;
  }

  /** Says it to the hub, whether there is a session or not. */
  #post(message: ToHub, transfer: Transferable[] = []): void {
    this.#port?.postMessage(message, transfer);
  }

  /** Says it in the session, which may have yet to begin: it is cloned now all the same. */
  #say(message: ToHub, transfer: Transferable[] = []): void {
    if (this.#epoch !== undefined) this.#post(message, transfer);
    else this.#waiting.push(structuredClone({ message, transfer }, { transfer }));
  }

  #hello(): void {
    const { name: lock } = this.#life;
    const past = this.#reported && { memberships: this.#memberships.map(({ name }) => name!) };
    this.#post({ clca: 'hello', version: abi.Version, lock, blocks: whyNot() === undefined, ...past });
  }

  // ---- to the hub ----

  call(op: Op, name: number, slot: number, argument: number, priority: number): void {
    this.#out.push5(op, name, slot, argument, priority);
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(this.#due);
  }

  wait(name: number, slot: number): void {
    this.call(Op.Wait, name, slot, 0, 0);
  }

  waitToo(slot: number): boolean {
    return this.#out.waitToo(slot);
  }

  share(): Int32Array {
    const missing = whyNot();
    if (missing !== undefined) throw new UnsupportedError(missing);
    if (this.#epoch === undefined) throw new SuspendedError('the session is about to begin anew; a call can block after that');
    if (isHere(this.#epoch)) throw new UnsupportedError(ownRealm);
    if (this.#memory !== undefined) return this.#memory;
    throw new UnsupportedError('blocking needs a hub to share memory with: in the page, or in a Worker of it, and not in a SharedWorker');
  }

  unanswered(error: unknown): void {
    if (error instanceof HubLostError) this.#lost(error.message);
  }

  bind(index: number, kind: Kind, text: string, argument: number): void {
    this.#out.push5(Op.Bind, index, kind, argument, 0);
    this.#names.push(text);
  }

  forget(): void {
    this.#out.push5(Op.Forget, 0, 0, 0, 0);
  }

  finish(run: number, outcome: Outcome, payload: Payload): void {
    if (this.#over !== undefined) return;
    try {
      this.#say({ clca: 'payload', run, payload });
    } catch (error) {
      this.#say({ clca: 'payload', run, payload: uncloneable(error) });
    }
    this.call(Op.Finish, 0, outcome, run, 0);
  }

  item(value: unknown, transfer: Transferable[] | undefined): number {
    const item = (this.#lastItem = (this.#lastItem + 1) >>> 0);
    const payload = copied(value, transfer);
    if (arrives(payload.value)) this.#items.push([item, payload]);
    else this.#say({ clca: 'item', item, payload }, payload.transfer);
    return item;
  }

  back(item: number, payload: Payload): void {
    if (this.#over !== undefined || this.#epoch === undefined) return;
    try {
      this.#post({ clca: 'back', item, payload }, payload.transfer);
    } catch (error) {
      this.#post({ clca: 'back', item, payload: uncloneable(error) });
    }
  }

  busy(waiting: boolean): void {
    if (waiting) this.#port?.ref?.();
    else this.#port?.unref?.();
    this.review();
  }

  #due = (): void => {
    this.#scheduled = false;
    this.flush();
  };

  flush(): void {
    if (this.#over !== undefined || this.#epoch === undefined) return; // without a session it waits for the next welcome
    for (const { message, transfer } of this.#waiting.splice(0)) this.#post(message, transfer);
    if (this.#out.empty) return;
    const words = this.#out.take();
    if (this.#names.length === 0 && this.#items.length === 0) {
      this.#port!.postMessage(words);
    } else {
      this.#post({ clca: 'batch', words, names: this.#names, items: this.#items }, transferredIn(this.#items));
      this.#names = [];
      this.#items = [];
    }
  }

  // ---- from the hub ----

  #heard(data: unknown): void {
    if (this.#over !== undefined) return kindOf(data) === 'over' ? this.#hangUp() : undefined;
    if (data instanceof Uint32Array) return this.#batch(data);
    const message = data as ToClient;
    switch (kindOf(data)) {
      case 'batch': {
        const { words, payloads } = message as ToClient & { clca: 'batch' };
        if (!(words instanceof Uint32Array) || !Array.isArray(payloads)) return;
        for (const each of payloads) if (Array.isArray(each)) this.#payloads.set(each[0], received(each[1]));
        return this.#batch(words);
      }
      case 'welcome': return void this.#welcome(message as ToClient & { clca: 'welcome' });
      case 'payload': {
        const { run, payload } = message as ToClient & { clca: 'payload' };
        this.#payloads.set(run, received(payload));
        return;
      }
      case 'over': {
        const { reason, message: why, epoch } = message as ToClient & { clca: 'over' };
        if (reason !== 'gone') {
          const error = errorFor(reason, why);
          // One that follows a lost hub and could not begin is not the last to be tried.
          const next = this.#reported !== undefined && this.#epoch === undefined;
          if (next && (reason === 'failed' || reason === 'lost')) return this.#welcomed?.(error);
          this.#hangUp();
          return this.#end(error);
        }
        if (this.#epoch === undefined) return; // it knows already
        // A hub that was started anew on the same port knows nothing of this session, nor of its epoch.
        return epoch === this.#epoch ? this.#suspend() : this.#lost();
      }
      case 'elsewhere': {
        const { url, worker, module } = message as ToClient & { clca: 'elsewhere' };
        return this.#welcomed?.(new Elsewhere(url, worker, module));
      }
      case 'left': {
        const { id, dead } = message as ToClient & { clca: 'left' };
        return this.#left(id, dead ? 'dead' : 'closed');
      }
      case 'ping': return this.#post({ clca: 'pong' });
      case 'memory': {
        const { memory, id } = message as ToClient & { clca: 'memory' };
        if (id !== undefined) return void (this.#children.has(id) && this.#memories.set(id, asMemory(memory)));
        return this.#shared(asMemory(memory));
      }
    }
  }

  async #welcome(welcome: ToClient & { clca: 'welcome' }): Promise<void> {
    const { version, epoch, lock, home, limited, blocks } = welcome;
    if (version !== abi.Version) {
      return this.#end(errorFor('version', `the hub speaks version ${version} of the protocol, this client version ${abi.Version}`));
    }
    const port = this.#port;
    this.#unwatch();
    // If the hub's lock is free at once, the two share no locks, since the hub has just answered; or it has died since.
    this.#unwatch = watchLife(lock, port, () => this.#lost(), () => Promise.resolve(home === undefined));
    const memory = blocks ? new Promise<Int32Array | undefined>((resolve) => void (this.#shared = resolve)) : undefined;
    const membership = home && await joinAs(home);
    const shared = await memory;
    if (membership !== undefined) this.#memberships.push(membership);
    if (this.#over !== undefined) this.#resign(0);
    if (port !== this.#port) return; // the hub was lost meanwhile
    this.#home = membership && home;
    this.#epoch = epoch;
    this.#out.epoch = epoch;
    this.#memory = shared;
    if (this.session !== undefined) {
      this.session.limited = limited;
      this.session.last.session = welcome.session;
    }
    this.flush();
    if (this.#reported === undefined) this.#resign(1);
    else this.#reported.then(() => this.#settledDown(), () => {});
    this.#welcomed?.();
  }

  /** The hub has taken back what it could: those before it are past. */
  #settledDown(): void {
    this.#reported = undefined;
    this.#resign(1);
    try {
      this.onReconnect?.();
    } catch (error) {
      report(error);
    }
  }

  /** Gives up all memberships but so many of the latest. */
  #resign(keep: number): void {
    for (const { release } of this.#memberships.splice(0, this.#memberships.length - keep)) release();
  }

  #batch(words: Uint32Array): void {
    if (words[0] !== this.#epoch) return;
    const { session } = this;
    session?.turns.within(() => {
      for (let at = 1; at + completionWords <= words.length; at += completionWords) {
        const status: Status = words[at + 1]!;
        const value = words[at + 2]!;
        const payload = this.#payloads.size > 0 ? this.#payloads.get(value) : undefined;
        session.complete(words[at]!, status, value, payload);
      }
    });
    this.#payloads.clear();
  }

  /** Lets another realm in, below this one, and calls `left` when it has left; returns what shuts it out again. */
  admit(port: MessagePort, limits: Limits, left: (how: Leave) => void): () => void {
    const id = this.#lastChild++;
    this.#children.set(id, left);
    this.review();
    this.#say({ clca: 'admit', id, port, ...limits }, [port]);
    return () => {
      if (this.#over === undefined) this.#say({ clca: 'end', id });
    };
  }

  // ---- the end, for a while or for good ----

  /** Calls the listener once the session is over for good, which may be now. */
  onOver(listener: (error: ClcaError) => void): void {
    if (this.#over === undefined) this.#onOver = listener;
    else listener(this.#over);
  }

  #onHide = (event: PageTransitionEvent): void => {
    this.#post({ clca: 'bye', suspended: true });
    if (event.persisted) this.#resign(0); // it would keep the next hub waiting
  };

  #onShow = (event: PageTransitionEvent): void => {
    if (event.persisted) this.#suspend();
  };

  /** The hub does not know the session any more: what was under way is over, and the next begins. */
  #suspend(): void {
    if (this.#epoch === undefined && this.#reported === undefined) return this.#hello(); // it may have been taken back
    this.#begin();
    this.#reported = undefined;
    void this.session?.restart(() => new SuspendedError(), false);
    this.#hello();
  }

  /** What was to be said to the hub is of no use. */
  #begin(): void {
    this.#epoch = undefined;
    this.#out.clear();
    this.#names = [];
    this.#items = [];
    const unsaid = this.#waiting.splice(0);
    this.#payloads.clear();
    for (const { message } of unsaid) {
      if (message.clca === 'admit') this.#left(message.id, 'lost');
    }
  }

  #left(child: number, how: Leave): void {
    const left = this.#children.get(child);
    this.#children.delete(child);
    this.#memories.delete(child);
    left?.(how);
    this.review();
  }

  /** The hub is gone. If there can be another, this realm keeps what it holds, and tells that one of it first. */
  #lost(message?: string): void {
    this.#hangUp();
    if (this.#over !== undefined) return;
    const home = this.#home;
    const error = new HubLostError(message);
    if (home === undefined || this.again === undefined) return this.#end(error);
    // It may be on its way to the next, which is gone as well before it was told anything.
    if (this.#welcomed !== undefined) return this.#welcomed(error);
    this.#begin();
    const children = [...this.#children.values()];
    this.#children.clear();
    for (const left of children) left('lost'); // each comes by itself
    this.#reported = this.session?.restart(() => renewed(error), true);
    this.#reported?.catch(() => {}); // then it is lost once more
    void this.#goOn(home);
  }

  async #goOn(home: Home): Promise<void> {
    let cause: unknown;
    let pause = 25;
    for (let trial = 0; trial < trials; trial++) { // not by the clock, which goes on while a tab is frozen
      try {
        return await this.again!(home, { timeout: patience });
      } catch (error) {
        if (this.#over !== undefined) return;
        cause = error;
        if ((error as Error).name === 'TimeoutError') continue;
        // The network may be away; and a browser says of a Worker that it ends that its script did not load.
        if (!(error instanceof HubLostError || error instanceof LoadError)) break;
        pause = Math.min(2 * pause, longestPause);
        await new Promise((resolve) => setTimeout(resolve, pause));
        if (this.#over !== undefined) return;
      }
    }
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#end(new HubLostError(`the hub is gone, and could not be started again: ${why}`, { cause }));
  }

  /** Says goodbye: what this realm holds is given back, and what is pending here rejects. */
  close(): void {
    if (this.#over !== undefined) return;
    this.flush();
    this.#end(new ClosedError('the session was closed'));
  }

  /** Asks the hub to end, which only its creator may. */
  closeHub(): void {
    if (this.#over !== undefined) return;
    this.flush();
    this.#port?.ref?.(); // until it is closed
    this.#post({ clca: 'close' });
  }

  #end(error: ClcaError): void {
    if (this.#over !== undefined) return;
    this.#over = error;
    for (const memory of this.#memories.values()) {
      if (memory !== undefined) endBlocked(memory, error instanceof HubLostError ? Why.Lost : Why.Closed);
    }
    this.session?.fail(() => renewed(error));
    this.leave();
    this.#welcomed?.(error);
    this.#onOver?.(error);
  }

  /** Ends a link that has never got anywhere, or is over. What was said in a session stands, since the hub hears it first. */
  leave(): void {
    this.#over ??= new ClosedError();
    collected.unregister(this); // which would keep it, and what it leads to
    this.#needed = undefined;
    this.#children.clear();
    this.#memories.clear();
    this.#post(goodbye);
    if (this.#epoch === undefined) this.#hangUp();
    else this.#port?.unref?.(); // it and the lock stay until the hub has answered, or is gone
    this.#resign(0); // now that whoever held something knows that it is lost
    if (typeof document === 'object' && typeof removeEventListener === 'function') {
      removeEventListener('pagehide', this.#onHide);
      removeEventListener('pageshow', this.#onShow);
    }
  }

  #hangUp(): void {
    this.#epoch = undefined;
    this.#unwatch();
    this.#unlisten();
    this.#port?.close();
    this.#port = undefined;
    if (this.#over !== undefined) this.#life.release();
  }
}

function errorFor(reason: OverReason, message: string): ClcaError {
  switch (reason) {
    case 'lost': return new HubLostError(message);
    case 'failed': return new LoadError(message);
    case 'version': return new VersionError(message);
    default: return new ClosedError(message);
  }
}
