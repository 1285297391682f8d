/**
 * A Worker that plays its part of a run: some lanes, each making one random call after the other on the same name, all
 * at full speed. What the calls are depends on the seed alone. It records what it says to the hub and what it sees, for
 * linear_test.go to check, and all Workers stamp that with one clock.
 */

import {
  type CountdownLatch, type Hub, type LockStats, type Token, type WaitOptions, ClosedError, connect,
} from 'clca/client';

/** What happens in a run; `run` counts them, so that each has a name of its own. */
export interface Run {
  kind: 'lock' | 'semaphore' | 'queue' | 'task';
  run: number;
  seed: number;
  /** How many permits, or the capacity. */
  size: number;
  lanes: number;
  calls: number;
}

/**
 * Something that was said to the hub, or seen of it, and when that was: the hub has taken it up, or it was so, between
 * its call and its return.
 */
export interface Step {
  op: string;
  id: number;
  args: number[];
  call: number;
  return: number;
  /** Its number in the order in which the hub takes up what is said; -1 if that is not known, or it was only seen. */
  number: number;
}

/** What all Workers share, in memory: the time, how many have come to the start, and how often a task was run. */
export interface Counters {
  clock: Int32Array;
  arrived: Int32Array;
  runs: Int32Array;
}

export interface Order extends Run {
  counters: Counters;
  worker: number;
  workers: number;
  /** What the latch can count down that hands out the numbers of the steps. */
  numbers: number;
}

const plainTimeout = setTimeout;
const connecting = connect({ timeout: 30_000 });

onmessage = async ({ data }) => {
  if (!('order' in data)) return; // of clca
  try {
    postMessage({ steps: await play(await connecting, data.order as Order) });
  } catch (error) {
    postMessage({ failed: String((error as Error)?.stack ?? error) });
  }
};

async function play(hub: Hub, order: Order): Promise<Step[]> {
  const journal = new Journal(hub, order);
  const lanes = Array.from({ length: order.lanes }, (_, i) => new Lane(journal, order, order.worker * order.lanes + i));
  const acts = lanes.map((lane) => kinds[order.kind](hub, `${order.kind} ${order.run}`, lane, order));
  globalThis.setTimeout = ((run: () => void, after?: number) => plainTimeout(() => {
    journal.fired = journal.moment(); // if it is that of a timeout, that is when its call is ended
    run();
  }, after)) as typeof setTimeout;
  await hub.stats();
  together(order);
  await Promise.all(acts.map(async (act) => {
    for (let i = 0; i < order.calls; i++) await act();
  }));
  await Promise.all(journal.pending);
  await hub.stats(); // what was aborted has been taken up, and what is to be run here has been told
  await tasks(1);
  await Promise.all(journal.running);
  await tasks(1);
  await hub.stats(); // how it ended as well
  globalThis.setTimeout = plainTimeout;
  await Promise.all(journal.pending);
  return journal.over();
}

/** Blocks until all Workers have come here. */
function together({ counters: { arrived }, workers }: Order): void {
  Atomics.add(arrived, 0, 1);
  Atomics.notify(arrived, 0);
  for (let n: number; (n = Atomics.load(arrived, 0)) < workers;) Atomics.wait(arrived, 0, n);
}

/** When something is said to the hub, and its number. */
interface Moment {
  call: number;
  number?: number;
}

/**
 * Before something is said to the hub, a number is drawn from a latch in the same turn; the hub takes up what one turn
 * has said without another's in between. So the numbers are those of the order in which it took up what all have said.
 */
class Journal {
  readonly pending: Promise<unknown>[] = [];
  readonly running: Promise<unknown>[] = [];
  readonly counters: Counters;
  /** When the timer fired whose task this is. */
  fired: Moment | undefined;
  #steps: (Omit<Step, 'number'> & { moment: Moment })[] = [];
  #numbers: CountdownLatch;
  #most: number;

  constructor(hub: Hub, { run, numbers, counters }: Order) {
    this.counters = counters;
    this.#numbers = hub.latch(`numbers ${run}`, numbers);
    this.#most = numbers;
  }

  now(): number {
    return Atomics.add(this.counters.clock, 0, 1);
  }

  /** What is said next, at once, is said at that moment. */
  moment(): Moment {
    const moment: Moment = { call: this.now() };
    this.pending.push(this.#numbers.countDown().then((left) => (moment.number = this.#most - left)));
    return moment;
  }

  /** Notes what is said to the hub at that moment. It has been taken up by its return, which is the end if not set. */
  says(op: string, id: number, args: number[] = [], moment: Moment = this.moment()): Pick<Step, 'args' | 'return'> {
    const step = { op, id, args, call: moment.call, return: 0, moment };
    this.#steps.push(step);
    return step;
  }

  /** Notes what was so at that time. */
  saw(op: string, id: number, args: number[], at: number): void {
    this.#steps.push({ op, id, args, call: at, return: at, moment: { call: at } });
  }

  over(): Step[] {
    const end = this.now();
    return this.#steps.map(({ moment: { number = -1 }, ...step }) => ({ ...step, return: step.return || end, number }));
  }
}

/** How a call that waits is ended. */
interface Plan {
  by: 'nobody' | 'abort' | 'abort in a microtask' | 'abort in a task' | 'abort by a timer' | 'timeout';
  after: number;
}

const givenUp = 'given up';

class Lane {
  readonly #random: (below: number) => number;
  #id: number;

  constructor(readonly journal: Journal, { seed }: Order, lane: number) {
    this.#random = randomOf(seed, lane);
    this.#id = (lane + 1) * 1000;
  }

  id(): number {
    return ++this.#id;
  }

  below(n: number): number {
    return this.#random(n);
  }

  /** With `patience`, no call waits for ever. */
  plan(patience = false): Plan {
    const dice = this.below(100);
    const after = 1 + this.below(3);
    if (dice < 12) return { by: 'abort', after };
    if (dice < 24) return { by: 'abort in a microtask', after };
    if (dice < 40) return { by: 'abort in a task', after };
    if (dice < 48) return { by: 'abort by a timer', after };
    if (dice < 56) return { by: 'timeout', after };
    return { by: patience ? 'abort by a timer' : 'nobody', after: 5 };
  }

  /** Some time, as a function that lets it pass. */
  pause(): () => Promise<void> {
    const dice = this.below(10);
    if (dice < 4) return async () => {};
    if (dice < 8) return () => microtasks(dice);
    return () => tasks(dice - 7);
  }

  /** What one does to look at it, and what one then sees. */
  async looks(look: () => Promise<number[]>): Promise<void> {
    const step = this.journal.says('look', 0);
    step.args = await look();
    step.return = this.journal.now();
  }

  /**
   * Makes a call that may wait, and ends it as planned. Resolves with its value and when that came; with undefined if
   * the call was ended. One that the hub decides on was then withdrawn by the time it was rejected; of another it is
   * only known that the hub heard of its end after that was said.
   */
  async waits<T>(
    op: string, id: number, args: number[], plan: Plan, make: (options: WaitOptions) => Promise<T>, decided = false,
  ): Promise<{ value: T; at: number } | undefined> {
    const { journal } = this;
    const stop = new AbortController();
    let end: Moment | undefined;
    let settled = false;
    const abort = (): void => {
      if (settled) return;
      end = journal.moment();
      stop.abort(givenUp);
    };
    const asked = journal.says(op, id, args);
    const { signal } = stop;
    const call = make(plan.by === 'nobody' ? {} : plan.by === 'timeout' ? { timeout: plan.after } : { signal });
    if (plan.by === 'abort') abort();
    else if (plan.by === 'abort in a microtask') void microtasks(plan.after).then(abort);
    else if (plan.by === 'abort in a task') void tasks(plan.after).then(abort);
    else if (plan.by === 'abort by a timer') setTimeout(abort, plan.after);
    try {
      const value = await call;
      const at = (asked.return = journal.now());
      return { value, at };
    } catch (error) {
      if (error === givenUp) {
        const ended = journal.says(decided ? 'withdraw' : 'end', id, [], end);
        if (decided) asked.return = ended.return = journal.now();
      } else if ((error as Error).name === 'TimeoutError') {
        journal.says('end', id, [], journal.fired);
      } else {
        asked.return = journal.now();
        throw error;
      }
      return undefined;
    } finally {
      settled = true;
    }
  }
}

type Kind = (hub: Hub, name: string, lane: Lane, order: Order) => () => Promise<void>;

/** What is held: `look` tells how much of it is, and how many wait. */
interface Holdable {
  acquire(options: WaitOptions & { permits: number; priority: number }): Promise<Token>;
  tryAcquire(options: { permits: number }): Promise<Token | undefined>;
  steal?(): Promise<Token>;
  stats(): Promise<Pick<LockStats, 'held' | 'waiting'>>;
}

function holds(of: Holdable, lane: Lane, size: number): () => Promise<void> {
  const { journal } = lane;
  return async () => {
    const id = lane.id();
    const dice = lane.below(100);
    const permits = 1 + lane.below(size);
    const priority = Math.max(0, lane.below(10) - 7);
    const plan = lane.plan();
    const pause = lane.pause();
    const awaits = lane.below(2) === 0;
    let token: Token | undefined;
    if (dice < 10) {
      return lane.looks(async () => {
        const { held, waiting } = await of.stats();
        return [held, waiting];
      });
    } else if (dice < 25) {
      const step = journal.says('try', id, [permits]);
      token = await of.tryAcquire({ permits });
      step.args.push(token === undefined ? 0 : 1);
      step.return = journal.now();
    } else {
      const call = dice < 30 && of.steal !== undefined
        ? await lane.waits('steal', id, [], { by: 'nobody', after: 0 }, () => of.steal!())
        : await lane.waits('acquire', id, [permits, priority], plan,
          (options) => of.acquire({ ...options, permits, priority }));
      if (call !== undefined) journal.saw('granted', id, [], call.at);
      token = call?.value;
    }
    if (token === undefined) return;
    await pause();
    const step = journal.says('release', id);
    const released = token.release().then(() => {
      step.return = journal.now();
      step.args = [token.lost.aborted ? 1 : 0];
    });
    if (awaits) await released;
    else journal.pending.push(released);
  };
}

const kinds: Record<Run['kind'], Kind> = {
  lock: (hub, name, lane) => holds(hub.lock(name), lane, 1),

  semaphore: (hub, name, lane, { size }) => holds(hub.semaphore(name, size), lane, size),

  queue(hub, name, lane, { size }) {
    const { journal } = lane;
    const queue = hub.queue<number>(name, { capacity: size });
    return async () => {
      const id = lane.id();
      const dice = lane.below(100);
      const plan = lane.plan(true);
      if (dice < 10) {
        await lane.looks(async () => {
          const { length, getting, putting, puts } = await queue.stats();
          return [length, getting, putting, puts];
        });
      } else if (dice < 45) {
        if (plan.by === 'timeout') plan.by = 'abort by a timer'; // whose moment is known
        const put = await lane.waits('put', id, [], plan, (options) => queue.put(id, options), true);
        if (put !== undefined) journal.saw('accepted', id, [], put.at);
      } else if (dice < 55) {
        const step = journal.says('try put', id);
        step.args = [await queue.tryPut(id) ? 1 : 0];
        step.return = journal.now();
      } else if (dice < 65) {
        const step = journal.says('try get', id);
        step.args = [(await queue.tryGet())?.value ?? 0];
        step.return = journal.now();
      } else {
        const got = await lane.waits('get', id, [], plan, (options) => queue.get(options));
        if (got !== undefined) journal.saw('got', id, [got.value], got.at);
      }
    };
  },

  /** The result of a run is its number, and so is the message of its error. */
  task(hub, name, lane, { seed, worker }) {
    const { journal } = lane;
    const run = async (signal: AbortSignal): Promise<number> => {
      const number = 1 + Atomics.add(journal.counters.runs, 0, 1);
      journal.saw('started', number, [worker], journal.now());
      const random = randomOf(seed, -number);
      const heeds = random(2) === 0;
      const fails = random(3) === 0;
      for (let left = random(4); left > 0 && !(heeds && signal.aborted); left--) await tasks(1);
      // Said a few microtasks later, so its number is not known.
      journal.says('finish', number, [fails ? 1 : 0], { call: journal.now() });
      if (fails) throw signal.aborted ? signal.reason : new Error(String(number));
      return number;
    };
    const task = hub.sharedTask(name, (signal) => {
      const running = run(signal);
      journal.running.push(running.catch(() => {}));
      return running;
    });
    const states = ['idle', 'running', 'stopping', 'done'];
    return async () => {
      const id = lane.id();
      const dice = lane.below(100);
      const plan = lane.plan();
      if (dice < 10) {
        await lane.looks(async () => {
          const { state, waiting } = await task.stats();
          return [states.indexOf(state), waiting];
        });
      } else if (dice < 25) {
        const step = journal.says('close', id);
        await task.close();
        step.return = journal.now();
      } else {
        try {
          const result = await lane.waits('wait', id, [], plan, (options) => task.wait(options));
          if (result !== undefined) journal.saw('result', id, [result.value, 0], result.at);
        } catch (error) {
          const number = error instanceof ClosedError ? 0 : Number((error as Error).message);
          if (Number.isNaN(number)) throw error;
          journal.saw('result', id, [number, 1], journal.now());
        }
      }
    };
  },
};

/** Numbers that depend on the seed and the stream alone (mulberry32). */
function randomOf(seed: number, stream: number): (below: number) => number {
  let state = Math.imul(seed ^ Math.imul(stream, 0x85ebca6b), 0x9e3779b1);
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) % below;
  };
}

async function microtasks(n: number): Promise<void> {
  for (; n > 0; n--) await undefined;
}

const channel = new MessageChannel();
const due: (() => void)[] = [];
channel.port1.onmessage = () => due.shift()!();

async function tasks(n: number): Promise<void> {
  for (; n > 0; n--) {
    await new Promise<void>((resolve) => {
      due.push(resolve);
      channel.port2.postMessage(undefined);
    });
  }
}
