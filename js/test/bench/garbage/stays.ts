/**
 * How long a Go program keeps the page's thread, stay by stay: from the moment JavaScript enters it until it is back. The
 * product has nothing for this, so the exported functions are wrapped before a hub adopts the instance, and `go._resume`.
 */

/** What Go tells of its collector; main.go has the order. */
export interface Figures {
  cycles: number;
  bytes: number;
  objects: number;
  live: number;
  goal: number;
  assist: number;
  dedicated: number;
  idle: number;
  pause: number;
}

const names = ['cycles', 'bytes', 'objects', 'live', 'goal', 'assist', 'dedicated', 'idle', 'pause'] as const;

export interface Go {
  env: Record<string, string>;
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
  _resume(): void;
}

type Exported = (...args: number[]) => number;

/** Stays shorter than this are not asked whether there was a collection in them: that costs a few microseconds. */
const long = 0.25;

/** So many of the longest are kept, of either sort. */
const most = 20;

export interface Stay {
  /** Milliseconds. */
  ms: number;
  what: string;
  /** When it began, since the beginning. */
  at: number;
}

export interface Account {
  stays: number;
  /** Milliseconds in Go. */
  inside: number;
  /** The longest with a part of a collection inside: one that ended in it, or one that was under way. */
  collecting: Stay[];
  others: Stay[];
  /** How many stays took up to 2^i / 16 ms. */
  histogram: number[];
}

export class Stays {
  readonly instance: WebAssembly.Instance;
  #account!: Account;
  #begun = 0;
  #depth = 0;
  #cycles = 0;
  #allowed = 0;
  #measure: Exported;
  #memory: WebAssembly.Memory;

  constructor(go: Go, instance: WebAssembly.Instance) {
    const exports: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(instance.exports)) {
      exports[name] = name.startsWith('clca_') ? this.#timed(name, value as Exported) : value;
    }
    this.#measure = instance.exports['measure'] as Exported;
    this.#memory = instance.exports['mem'] as WebAssembly.Memory;
    this.instance = Object.create(WebAssembly.Instance.prototype, { exports: { value: exports } }) as WebAssembly.Instance;
    const resume = go._resume;
    go._resume = this.#timed('resume', () => (resume.call(go), 0));
    this.reset();
  }

  reset(): void {
    this.#account = { stays: 0, inside: 0, collecting: [], others: [], histogram: new Array<number>(20).fill(0) };
    this.#begun = performance.now();
    this.#cycles = this.figures().cycles;
  }

  get account(): Account {
    return this.#account;
  }

  figures(): Figures {
    const at = this.#measure();
    const values = new Float64Array(this.#memory.buffer, at, names.length);
    return Object.fromEntries(names.map((name, i) => [name, values[i]])) as unknown as Figures;
  }

  get linear(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Whether a collection has ended since this was asked last. */
  collected(): boolean {
    const { cycles } = this.figures();
    const collected = cycles !== this.#cycles;
    this.#cycles = cycles;
    return collected;
  }

  #timed(what: string, f: Exported): Exported {
    return (...args) => {
      const start = performance.now();
      this.#depth++;
      try {
        return f(...args);
      } finally {
        if (--this.#depth === 0) this.#note(what, start, performance.now() - start);
      }
    };
  }

  #note(what: string, start: number, ms: number): void {
    const account = this.#account;
    account.stays++;
    account.inside += ms;
    account.histogram[Math.max(0, Math.ceil(Math.log2(ms * 16)))]!++;
    if (ms < long) return;
    keep(this.collected() ? account.collecting : account.others, { ms, what, at: start - this.#begun });
  }
}

function keep(longest: Stay[], stay: Stay): void {
  longest.push(stay);
  longest.sort((a, b) => b.ms - a.ms);
  longest.length = Math.min(longest.length, most);
}
