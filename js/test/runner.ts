/**
 * Runs cases one after the other, anywhere: in a page, a Worker, a SharedWorker, a Node thread. A case fails when it
 * throws, and when it has not ended by its deadline, so that nothing hangs. It may be skipped for what the platform lacks.
 */

/** The name is a property that holds. */
export interface Case {
  name: string;
  run(): void | Promise<void>;
  /** Milliseconds. */
  deadline: number;
}

export type Test = (name: string, run: Case['run'], deadline?: number) => void;

export interface Result {
  name: string;
  ok: boolean;
  error?: string;
  /** Why it was not tried to its end. */
  skipped?: string;
  ms: number;
}

export interface Report {
  cases: Result[];
}

/** Hears of each case twice: as it begins, and with its result as it has ended. */
export type Seen = (name: string, result?: Result) => void;

/** Collects what `define` defines. */
export function casesOf(define: (test: Test) => void): Case[] {
  const cases: Case[] = [];
  define((name, run, deadline = 10_000) => {
    if (cases.some((each) => each.name === name)) throw new Error(`two cases are called ${name}`);
    cases.push({ name, run, deadline });
  });
  return cases;
}

/** Those that have the text in their names, or the one that is called so. */
export function chosen<T extends { name: string }>(cases: T[], text: string): T[] {
  const one = cases.filter(({ name }) => name === text);
  return one.length > 0 ? one : cases.filter(({ name }) => name.includes(text));
}

/** Runs the cases, and `between` after each as a part of it. */
export async function run(
  cases: Case[],
  between: () => Promise<void> = async () => {},
  seen: Seen = () => {},
): Promise<Report> {
  const report: Report = { cases: [] };
  for (const { name, run, deadline } of cases) {
    seen(name);
    const began = performance.now();
    const result: Result = { name, ok: true, ms: 0 };
    try {
      await within(deadline, (async () => {
        result.skipped = await skipped(run);
        await between();
      })());
    } catch (error) {
      result.ok = false;
      result.error = described(error);
      await within(10_000, between()).catch(() => {});
    }
    result.ms = performance.now() - began;
    report.cases.push(result);
    seen(name, result);
  }
  return report;
}

/** Ends the case, as one that the platform cannot be asked for. */
export function skip(why: string): never {
  throw new Skip(why);
}

class Skip extends Error {}

async function skipped(run: Case['run']): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (error instanceof Skip) return error.message;
    throw error;
  }
}

/** The promise, or a rejection once the time is over. */
export async function within<T>(ms: number, promise: PromiseLike<T>, what = 'it'): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} had not ended after ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function described(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const head = `${error.name}: ${error.message}`;
  return error.stack?.includes(error.message) ? error.stack : `${head}\n${error.stack ?? ''}`;
}
