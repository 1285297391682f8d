/**
 * One running Go program that imports wasm/hub, and the door to it.
 *
 * Three rules of Go's WebAssembly are kept here. An exported function must not be entered while Go is on the stack, so
 * every way in is counted. An exported function returns without running the goroutines that it made ready, so Go is
 * resumed afterwards when it says so. And a program that has ended still answers, with nonsense, so nothing is believed
 * once it has.
 */

import { Version } from './abi.ts';
import { type ClcaError, HubLostError, LoadError, VersionError, errorOf, renewed } from './errors.ts';

/** The exported functions of wasm/hub; exports.go says what each does. */
export interface Exports {
  mem: WebAssembly.Memory;
  clca_boot(): number;
  clca_window(): number;
  clca_scratch(units: number): number;
  clca_open(parent: number, limit: number, reports: number): number;
  clca_end(session: number): number;
  clca_bind(session: number, index: number, kind: number, units: number, argument: number): number;
  clca_forget(session: number): number;
  clca_call(session: number, op: number, name: number, slot: number, argument: number, priority: number): number;
  clca_dropped(session: number): void;
  clca_drain(): number;
  clca_recover(clients: number, generation: number): number;
  clca_collect(): number;
  clca_close(): number;
}

const required = [
  'clca_boot', 'clca_window', 'clca_scratch', 'clca_open', 'clca_end', 'clca_bind', 'clca_forget', 'clca_call',
  'clca_dropped', 'clca_drain', 'clca_recover', 'clca_collect', 'clca_close',
] as const;

/** The object of `wasm_exec.js` that runs a program, with those of its private members that are needed here. */
export interface Go {
  exited?: boolean;
  exit: (code: number) => void;
  readonly importObject: WebAssembly.Imports;
  mem: DataView;
  run(instance: WebAssembly.Instance): Promise<void>;
  _pendingEvent: unknown;
  _makeFuncWrapper(id: number): (...args: unknown[]) => unknown;
  _resume(): void;
  _scheduledTimeouts: Map<number, ReturnType<typeof setTimeout>>;
}

/** Instances that have a hub: two would take each other's completions. */
const taken = new WeakSet<WebAssembly.Instance>();

/** Whom a Go program tells what happens to it. */
export interface GoListener {
  /** Go has been left, after a resume that woke calls. */
  woke(): void;
  /** The program has ended, for good. */
  died(error: HubLostError): void;
}

export class GoProgram {
  readonly exports: Exports;
  /** What the program published by `hub.Publish`. */
  published: Record<string, unknown> = {};
  listener: GoListener | undefined;
  dead: HubLostError | undefined;
  /** Called before Go is entered, in whatever way. */
  onEnter: (() => void) | undefined;
  /** Why the program is about to end, if somebody has asked it to. */
  closing: ClcaError | undefined;

  #go: Go;
  #instance: WebAssembly.Instance;
  #hooks: Pick<Go, '_resume' | 'exit'>;
  #answers = new WeakMap<Promise<unknown>, Promise<unknown>>();
  #unanswered = new Set<(reason: unknown) => void>();
  #depth = 0;
  #belled = false;
  #ready = false;
  #onReady: (() => void) | undefined;
  #log: () => string;

  /** Takes over a Go program that runs. `log` returns what it printed last. */
  constructor(go: Go, instance: WebAssembly.Instance, log: () => string = () => '') {
    this.#go = go;
    this.#instance = instance;
    this.#log = log;
    this.exports = instance.exports as unknown as Exports;
    if (go.exited) throw new LoadError(`before it served, the Go program ended${quoted(log())}`);
    if (taken.has(instance)) throw new LoadError('this Go program has a hub already');
    for (const name of required) {
      if (typeof this.exports[name] !== 'function') {
        throw new VersionError(`this is no module for this version of clca: it does not export ${name}; ` +
          'does the Go program import github.com/clca-dev/clca/wasm/hub, in the version of this package?');
      }
    }
    taken.add(instance);
    const { _resume, exit } = go;
    this.#hooks = { _resume, exit };
    go._resume = () => this.#resumed(() => _resume.call(go));
    go.exit = (code) => {
      exit.call(go, code);
      this.#die(`the Go program ended with exit code ${code}${quoted(this.#log())}`);
    };
    this.#boot();
  }

  /** Hands Go an object of ours. A js.Func made during the call is the only way that needs no global name. */
  #boot(): void {
    const go = this.#go;
    let introduce: ((host: object) => unknown) | undefined;
    const make = go._makeFuncWrapper;
    go._makeFuncWrapper = (id) => (introduce = make.call(go, id));
    let version: number | undefined;
    try {
      version = this.#enter(() => this.exports.clca_boot());
    } catch {
      // Then it has died.
    }
    go._makeFuncWrapper = make;
    if (this.dead !== undefined) return; // a goroutine of its own had its turn, and ended it
    if (version !== Version) {
      throw new VersionError(`the module speaks version ${version} of the protocol, this package version ${Version}`);
    }
    const host = {
      ready: () => {
        this.#ready = true;
        this.#onReady?.();
      },
      bell: () => {
        this.#belled = true;
        if (this.#depth === 0) queueMicrotask(() => this.#left());
      },
      error: errorOf,
    };
    this.published = introduce!(host) as Record<string, unknown>;
  }

  /** Resolves when the program calls `hub.Serve`; rejects with a LoadError if it ends before, which it may have by now. */
  serving(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ready) return this.dead === undefined ? resolve() : reject(this.dead);
      const died = (cause: HubLostError): void => reject(new LoadError(`before it served, ${cause.message}`, { cause }));
      if (this.dead !== undefined) return died(this.dead);
      this.#onReady = resolve;
      this.listener = { woke() {}, died };
    });
  }

  /**
   * Every way into Go but the exported functions: a goroutine's timer, a resume of ours, and each call of a js.Func, which
   * is an event with a result. A Promise that such a call answers with is settled at the latest when the program ends, and
   * a call that comes later is answered with a rejection.
   */
  #resumed(resume: () => void): void {
    const event = this.#go._pendingEvent as { result?: unknown } | null;
    if (this.dead === undefined) {
      try {
        this.#enter(resume);
      } catch (error) {
        if (event === null) throw error;
      }
    }
    if (event === null) return;
    if (this.dead !== undefined) {
      const answer = Promise.reject(this.#end());
      answer.catch(() => {}); // whoever called may not have asked for an answer
      event.result = answer;
    } else if (event.result instanceof Promise) {
      event.result = this.#answer(event.result);
    }
  }

  #answer(promise: Promise<unknown>): Promise<unknown> {
    let answer = this.#answers.get(promise);
    if (answer === undefined) {
      answer = new Promise((resolve, reject) => {
        this.#unanswered.add(reject);
        const settled = (): void => void this.#unanswered.delete(reject);
        promise.then((value) => (settled(), resolve(value)), (error) => (settled(), reject(error)));
      });
      this.#answers.set(promise, answer);
      this.#answers.set(answer, answer);
    }
    return answer;
  }

  #end(): ClcaError {
    return renewed(this.closing ?? this.dead!);
  }

  /** Leaves the program as it was before. */
  release(): void {
    Object.assign(this.#go, this.#hooks);
    taken.delete(this.#instance);
    this.listener = undefined;
  }

  /** Stops the program: nothing enters it any more. */
  abandon(): void {
    this.listener = undefined;
    this.#die('the Go program was given up');
  }

  /** Whether an exported function may be called now. */
  get open(): boolean {
    return this.#depth === 0 && this.dead === undefined;
  }

  /** Calls an exported function. The caller has seen that the program is open, and believes nothing if it is dead now. */
  enter(f: () => number): number {
    return this.dead === undefined ? this.#enter(f) : 0;
  }

  /** `clca_call`, which is called often enough to do without a closure. */
  call(session: number, op: number, name: number, slot: number, argument: number, priority: number): number {
    this.onEnter?.();
    this.#depth++;
    try {
      return this.exports.clca_call(session, op, name, slot, argument, priority);
    } catch (error) {
      this.torn(error);
      return 0;
    } finally {
      this.#depth--;
      if (this.#belled) this.#left();
    }
  }

  #enter<T>(f: () => T): T {
    if (this.#depth === 0) this.onEnter?.();
    this.#depth++;
    try {
      return f();
    } catch (error) {
      this.torn(error);
      throw error;
    } finally {
      this.#depth--;
      if (this.#belled && this.#depth === 0) this.#left();
    }
  }

  /** An exception has come through Go's frames, or those that lead to them, whose state is now anybody's guess. */
  torn(error: unknown): void {
    this.#die(`the Go program was torn by ${String(error)}`, error);
  }

  #left(): void {
    if (!this.#belled) return;
    this.#belled = false;
    if (this.dead === undefined) this.listener?.woke();
  }

  /** Lets the goroutines run that are ready. */
  resume(): void {
    if (!this.open) return;
    this.#go._pendingEvent = null;
    try {
      this.#go._resume();
    } catch {
      // Then it has died, which everybody was told.
    }
  }

  #die(message: string, cause?: unknown): void {
    if (this.dead !== undefined) return;
    this.dead = new HubLostError(message, cause === undefined ? undefined : { cause });
    // A timer of a program that has ended would throw where nobody can catch it.
    for (const timer of this.#go._scheduledTimeouts.values()) clearTimeout(timer);
    this.#go._scheduledTimeouts.clear();
    for (const reject of this.#unanswered) reject(this.#end());
    this.#unanswered.clear();
    this.listener?.died(this.dead);
  }
}

function quoted(log: string): string {
  return log === '' ? '' : `: ${log}`;
}
