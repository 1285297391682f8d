/** A piece of work, all of it. */
export type Work = () => Promise<unknown>;

/** Work that other realms do, and measure: so many milliseconds for so many pieces. */
export interface Measure {
  measure(): Promise<Sample>;
}

interface Sample {
  ms: number;
  pieces: number;
}

type Ready = Work | Measure;

/** What makes the work of each side ready. */
export type Sides = Record<string, () => Ready | Promise<Ready>>;

/** Milliseconds that one piece of work took, by round. */
export interface Times {
  ours: number[];
  theirs: number[];
}

/** What came of one side of a race. */
export interface Took {
  name: string;
  /** Milliseconds that one piece of work took, by round; null where it was passed over. */
  times: (number | null)[];
  /** Why it took no part. */
  error: string | undefined;
}

/** `?rounds=` of the page or Worker. */
export const rounds = Number(new URLSearchParams(location.search).get('rounds') ?? 24);

export interface RaceOptions {
  rounds?: number;
  /** Milliseconds that a sample takes, at least. */
  sample?: number;
  /** Milliseconds that a side has, in all. */
  patience?: number;
  /**
   * Called after each round, those before 0 included, which warm up; the next begins when it has resolved. A round that
   * it resolves with false for is as if it had not been.
   */
  heard?(round: number, took: Took[]): unknown;
}

/**
 * Times all sides of a row in one run: a round of each in turn, in an order that changes from round to round, so that
 * what else the machine does, and what the one before leaves to be collected, hits all alike. A sample is as many pieces
 * of work as take `sample` milliseconds, for the clock of a page is coarse. A side is what makes its work ready; one that
 * fails is out of the race, with the reason, and one that has had `patience` milliseconds is passed over.
 */
export async function race(sides: Sides, options: RaceOptions = {}): Promise<Took[]> {
  const { rounds: last = rounds, sample = 20, patience = 15_000, heard } = options;
  const racers = Object.entries(sides).map(([name, prepare]) => new Racer(name, prepare));
  const took = (): Took[] => racers.map((racer) => racer.took());
  for (const racer of racers) await racer.prepare();
  for (let round = -warmUp(last); round < last;) {
    for (let place = 0; place < racers.length; place++) {
      await racers[turn(round, place, racers.length)]!.run(round, sample, patience);
    }
    if (await heard?.(round, took()) !== false) round++;
    else if (round >= 0) for (const racer of racers) racer.forget();
  }
  return took();
}

/** How many rounds come before so many that count. */
export function warmUp(rounds: number): number {
  return Math.max(3, Math.ceil(rounds / 5));
}

/** A race of two, without any preparation. */
export async function interleave(ours: Work, theirs: Work): Promise<Times> {
  const took = await race({ ours: () => ours, theirs: () => theirs }, { patience: Infinity });
  for (const { name, error } of took) if (error !== undefined) throw new Error(`${name}: ${error}`);
  const [first, second] = took.map(({ times }) => times as number[]);
  return { ours: first!, theirs: second! };
}

/** Whose turn it is: in twice as many rounds as there are sides, each comes twice at each place and after each other. */
function turn(round: number, place: number, sides: number): number {
  const mirrored = Math.floor(round / sides) % 2 === 0 ? place : sides - 1 - place;
  const step = mirrored % 2 === 0 ? -mirrored / 2 : (mirrored + 1) / 2;
  return (((round + step) % sides) + sides) % sides;
}

class Racer {
  #times: (number | null)[] = [];
  #before = 0;
  #error: string | undefined;
  #prepare: () => Ready | Promise<Ready>;
  #work: Ready | undefined;
  #repeats = 1;
  #spent = 0;

  constructor(readonly name: string, prepare: () => Ready | Promise<Ready>) {
    this.#prepare = prepare;
  }

  prepare(): Promise<void> {
    return this.#guarded(async () => {
      this.#work = await this.#prepare();
    });
  }

  /** The rounds below 0 warm up, and find out how often the work is to be repeated. */
  run(round: number, sample: number, patience: number): Promise<void> {
    this.#before = this.#times.length;
    return this.#guarded(async () => {
      if (this.#spent > patience) {
        if (round >= 0) this.#times.push(null);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve)); // a task of its own
      let took: Sample;
      for (;;) {
        took = await within(120_000, timed(this.#work!, this.#repeats));
        this.#spent += took.ms;
        if (round >= 0 || took.ms >= sample) break;
        this.#repeats *= 2;
      }
      const enough = this.#spent > patience; // before it is warm, then
      if (round >= 0 || enough) this.#times.push(took.ms / took.pieces);
    });
  }

  /** The last round is to be run again. */
  forget(): void {
    this.#times.length = this.#before;
  }

  async #guarded(step: () => Promise<void>): Promise<void> {
    if (this.#error !== undefined) return;
    try {
      await step();
    } catch (error) {
      this.#error = String(error);
    }
  }

  took(): Took {
    return { name: this.name, times: this.#error === undefined ? this.#times : [], error: this.#error };
  }
}

/** Rejects if that takes more milliseconds. */
export function within<T>(limit: number, done: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it did not end within ${limit / 1000} s`)), limit);
    void done.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

async function timed(work: Ready, times: number): Promise<Sample> {
  if (typeof work === 'object') return measured(work, times);
  const start = performance.now();
  for (let i = 0; i < times; i++) await work();
  return { ms: performance.now() - start, pieces: times };
}

async function measured(work: Measure, times: number): Promise<Sample> {
  const sum = { ms: 0, pieces: 0 };
  for (let i = 0; i < times; i++) {
    const { ms, pieces } = await work.measure();
    sum.ms += ms;
    sum.pieces += pieces;
  }
  return sum;
}
