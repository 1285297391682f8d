/** A session that reaches its hub through a port. */

import * as abi from './abi.ts';
import { type Kind, Op, Outcome, Status } from './abi.ts';
import { ClcaError, ClosedError, HubLostError, LoadError, SuspendedError, VersionError, renewed } from './errors.ts';
import { type LifeLock, holdLifeLock, watchLife } from './liveness.ts';
import { type WaitOptions, startTimer, timeoutError } from './options.ts';
import { type Payload, uncloneable } from './payload.ts';
import { type Port, claim, listen, node } from './platform.ts';
import { type Line, Session } from './session.ts';
import { Batch, type Limits, type OverReason, type ToClient, type ToHub, completionWords, kindOf } from './wire.ts';

/** The hub is served by another SharedWorker, of this script and name. */
export class Elsewhere extends Error {
  constructor(readonly url: string, readonly worker: string, readonly module: boolean) {
    super(`the hub is served by ${url}`);
  }
}

export class Link implements Line {
  readonly session = new Session(this);

  #port: Port;
  #life: LifeLock;
  #out = new Batch(0);
  #names: string[] = [];
  #items: [item: number, value: unknown][] = [];
  #lastItem = 0; // numbers them
  #scheduled = false;
  #epoch: number | undefined; // undefined while there is no session
  #payloads = new Map<number, Payload>(); // of the batch that follows
  #children = 0;
  #over: ClcaError | undefined;
  #onOver: ((error: ClcaError) => void) | undefined;
  #unlisten: () => void;
  #unwatch: () => void = () => {};
  #welcomed: ((error?: Error) => void) | undefined;

  /** Says hello through the port, and resolves when the hub has answered. */
  static async open(port: Port, options: WaitOptions = {}): Promise<Link> {
    options.signal?.throwIfAborted();
    claim(port);
    const link = new Link(port, await holdLifeLock());
    let stopTimer: (() => void) | undefined;
    let onAbort: (() => void) | undefined;
    const { signal, timeout } = options;
    try {
      await new Promise<void>((resolve, reject) => {
        signal?.throwIfAborted();
        link.#welcomed = (error) => (error === undefined ? resolve() : reject(error));
        if (timeout !== undefined) stopTimer = startTimer(timeout, () => reject(timeoutError()));
        if (signal !== undefined) signal.addEventListener('abort', (onAbort = () => reject(signal.reason)));
        link.#hello();
      });
    } catch (error) {
      link.#leave();
      throw error;
    } finally {
      link.#welcomed = undefined;
      stopTimer?.();
      if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
    }
    port.unref?.();
    return link;
  }

  private constructor(port: Port, life: LifeLock) {
    this.#port = port;
    this.#life = life;
    this.#unlisten = listen(port, (data) => this.#heard(data));
    if (node !== undefined) port.addEventListener?.('close', () => this.#end(new HubLostError('the port was closed')));
    port.start?.();
    if (typeof document === 'object' && typeof addEventListener === 'function') {
      addEventListener('pagehide', this.#onHide);
      addEventListener('pageshow', this.#onShow);
    }
  }

  #say(message: ToHub, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  #hello(): void {
    this.#say({ clca: 'hello', version: abi.Version, lock: this.#life.name });
  }

  // ---- to the hub ----

  call(op: Op, name: number, slot: number, argument: number, priority: number): void {
    this.#out.push5(op, name, slot, argument, priority);
    if (!this.#scheduled) this.#schedule();
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
    // What cannot change before the batch is sent, and can always be cloned, goes with it.
    if (transfer === undefined && Object(value) !== value && typeof value !== 'symbol') {
      this.#items.push([item, value]);
    } else {
      this.#say({ clca: 'item', item, payload: transfer === undefined ? { value } : { value, transfer } }, transfer);
    }
    return item;
  }

  back(item: number, payload: Payload): void {
    if (this.#over === undefined) this.#say({ clca: 'back', item, payload }, payload.transfer);
  }

  busy(waiting: boolean): void {
    if (waiting) this.#port.ref?.();
    else this.#port.unref?.();
  }

  #schedule(): void {
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      // Without a session the batch waits for the next welcome.
      if (this.#epoch !== undefined) this.#flush();
    });
  }

  #flush(): void {
    if (this.#over !== undefined || this.#out.empty) return;
    const words = this.#out.take();
    if (this.#names.length === 0 && this.#items.length === 0) {
      this.#port.postMessage(words);
    } else {
      this.#say({ clca: 'batch', words, names: this.#names, items: this.#items });
      this.#names = [];
      this.#items = [];
    }
  }

  // ---- from the hub ----

  #heard(data: unknown): void {
    if (this.#over !== undefined) return;
    if (data instanceof Uint32Array) return this.#batch(data);
    const message = data as ToClient;
    switch (kindOf(data)) {
      case 'welcome': return this.#welcome(message as ToClient & { clca: 'welcome' });
      case 'payload': {
        const { run, payload } = message as ToClient & { clca: 'payload' };
        this.#payloads.set(run, payload as Payload);
        return;
      }
      case 'over': {
        const { reason, message: why } = message as ToClient & { clca: 'over' };
        if (reason === 'gone') return this.#suspend();
        return this.#end(errorFor(reason, why));
      }
      case 'elsewhere': {
        const { url, worker, module } = message as ToClient & { clca: 'elsewhere' };
        return this.#welcomed?.(new Elsewhere(url, worker, module));
      }
      case 'ping': return this.#say({ clca: 'pong' });
    }
  }

  #welcome(welcome: ToClient & { clca: 'welcome' }): void {
    if (welcome.version !== abi.Version) {
      return this.#end(errorFor('version', `the hub speaks version ${welcome.version} of the protocol, this client version ${abi.Version}`));
    }
    this.#epoch = welcome.epoch;
    this.#out.epoch = welcome.epoch;
    this.#unwatch();
    // If the hub's lock is free at once, the two share no locks: the hub has just answered.
    this.#unwatch = watchLife(welcome.lock, () => this.#end(new HubLostError()), () => Promise.resolve(true));
    this.#flush();
    this.#welcomed?.();
  }

  #batch(words: Uint32Array): void {
    if (words[0] !== this.#epoch) return;
    this.session.turns.within(() => {
      for (let at = 1; at + completionWords <= words.length; at += completionWords) {
        const status: Status = words[at + 1]!;
        const value = words[at + 2]!;
        const payload = this.#payloads.size > 0 ? this.#payloads.get(value) : undefined;
        this.session.complete(words[at]!, status, value, payload);
      }
    });
    this.#payloads.clear();
  }

  /** Lets another realm in, below this one; returns what shuts it out again. */
  admit(port: MessagePort, limits: Limits): () => void {
    const id = this.#children++;
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

  #onHide = (): void => this.#say({ clca: 'bye', suspended: true });

  #onShow = (event: PageTransitionEvent): void => {
    if (event.persisted) this.#suspend();
  };

  /** The hub does not know the session any more: what was under way is over, and the next begins. */
  #suspend(): void {
    if (this.#epoch === undefined) return;
    this.#epoch = undefined;
    this.#out.clear();
    this.#names = [];
    this.#items = [];
    this.session.fail(() => new SuspendedError(), true);
    this.#hello();
  }

  /** Says goodbye: what this realm holds is given back, and what is pending here rejects. */
  close(): void {
    if (this.#over !== undefined) return;
    this.#flush();
    this.#say({ clca: 'bye', suspended: false });
    this.#end(new ClosedError('the session was closed'));
  }

  /** Asks the hub to end, which only its creator may. */
  closeHub(): void {
    if (this.#over !== undefined) return;
    this.#flush();
    this.#port.ref?.(); // until it is closed
    this.#say({ clca: 'close' });
  }

  #end(error: ClcaError): void {
    if (this.#over !== undefined) return;
    this.#over = error;
    this.session.fail(() => renewed(error));
    this.#leave();
    this.#welcomed?.(error);
    this.#onOver?.(error);
  }

  #leave(): void {
    this.#over ??= new ClosedError();
    this.#unwatch();
    this.#unlisten();
    this.#life.release();
    this.#port.close();
    if (typeof document === 'object' && typeof removeEventListener === 'function') {
      removeEventListener('pagehide', this.#onHide);
      removeEventListener('pageshow', this.#onShow);
    }
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
