/** Plays a scenario with the code of the documents, in a world of Python, and records what happens there as it does. */

import {
  type Coroutine, type Future as AnyFuture, type Loop, type Task, CancelledError, Future, LockTurn, PythonError, World,
  createTask, currentTask, sleep, tagAs,
} from './python-asyncio.ts';
import { CheckpointSignal } from './python-checkpoint.ts';
import { SharedTask } from './python-shared-task.ts';
import { Signal } from './python-signal.ts';
import { AnsweredStream, AnsweredStreamAsWritten, AskedStream } from './python-stream.ts';
import { type Recorded, present } from './record.ts';
import { castOf, classOf } from './scenario-cast.ts';
import { Tally } from './scenario-tally.ts';
import { type Act, type Code, type Method, type Scenario, type Who, names, waits } from './scenario.ts';

/** Milliseconds between two steps, in Python's time. */
export const beat = 400;

export interface Play {
  /** Milliseconds between two steps, in the room's time. */
  beat: number;
  record: (event: Recorded) => unknown;
  /** Says which step begins. */
  step?: (index: number) => unknown;
  stop?: AbortSignal | undefined;
}

const loops = ['page', 'A', 'B'] as const;

/** Resolves with how it ended. It is over when nothing can happen any more, or some beats after the last step. */
export async function playPython(scenario: Scenario, code: Code, play: Play, wait = pace(play.beat / beat)): Promise<string> {
  const stage = new Stage(scenario, code, play);
  const until = async (time: number): Promise<void> => {
    while (stage.world.next <= time) {
      await wait(stage.world.next);
      stage.world.step();
    }
    stage.world.run(time);
  };
  let time = 0;
  for (const [index, act] of scenario.acts.entries()) {
    if (!act.together) {
      time += (1 + (act.after ?? 0)) * beat;
      await until(time);
      await wait(time);
      if (play.stop?.aborted) return '';
      stage.tally.step();
    }
    play.step?.(index);
    stage.perform(act);
  }
  await until(time + beat);
  for (let i = 0; i < 6 && stage.world.next < Infinity && stage.tally.pending.length > 0; i++) {
    time += beat;
    await until(time);
  }
  stage.end();
  return stage.tally.ends();
}

/** Keeps the world's time in step with that of the room, which is so much faster. */
function pace(rate: number): (time: number) => Promise<void> | void {
  const began = performance.now();
  return (time) => {
    const left = began + time * rate - performance.now();
    return left > 1 ? new Promise((resolve) => setTimeout(resolve, left)) : undefined;
  };
}

/** A start that goes on, until it is told how it ends. */
interface Run {
  id: string;
  told: Future<'succeed' | 'fail'>;
  over?: true;
}

class Stage {
  readonly world = new World({
    suspends: (tag, on) => this.#suspends(tag, on),
    completes: (future, cause) => this.#completes(future, cause),
    cancels: (task, cause) => this.#cancels(task, cause),
    logs: (_loop, error) => this.#logs(error),
  });
  readonly tally: Tally;
  #began = present();
  #events = 0; // within the same instant
  #instant = 0;
  #subject: any;
  #lanes = new Map<Who, { loop: Loop; task?: Task<any>; call?: string; held?: string }>();
  #calls = new Map<string, { taken?: true; answered?: true; on: Set<AnyFuture<any>> }>();
  #run: Run | undefined;
  #runs = 0;

  constructor(readonly scenario: Scenario, readonly code: Code, readonly play: Play) {
    this.tally = new Tally(scenario.kind);
    const main = this.world.loop();
    for (const who of loops) {
      this.#lanes.set(who, { loop: scenario.apart?.includes(who) ? this.world.loop() : main });
    }
    const startUp = (): Coroutine<unknown> => this.#startUp();
    switch (code) {
      case 'Signal': this.#subject = new Signal(); break;
      case 'CheckpointSignal': this.#subject = new CheckpointSignal(); break;
      case 'SharedTask': this.#subject = new SharedTask(startUp()); break;
      case 'AskedStream': this.#subject = new AskedStream(startUp); break;
      case 'AnsweredStream': this.#subject = new AnsweredStream(startUp); break;
      case 'AnsweredStreamAsWritten': this.#subject = new AnsweredStreamAsWritten(startUp); break;
    }
    for (const lane of castOf(scenario, code)) this.#record({ type: 'lane', ...lane });
  }

  perform(act: Act): void {
    const lane = this.#lanes.get(act.who)!;
    switch (act.does) {
      case 'die':
        this.#record({ type: 'gone', lane: act.who, how: 'closed' });
        this.tally.gone(act.who);
        return lane.loop.close();
      case 'leave':
        return this.#leave(act.who);
      case 'succeed': case 'fail': {
        const { does } = act;
        const run = this.#run;
        if (run === undefined || run.over) return;
        return void run.told.loop.callSoonThreadsafe(() => {
          if (!run.told.done()) run.told.setResult(does);
        }, run.id);
      }
      default:
        lane.loop.callSoonThreadsafe(() => void createTask(this.#program(act, act.does as Method)));
    }
  }

  #leave(who: Who): void {
    const { loop, task, call } = this.#lanes.get(who)!;
    if (task === undefined || task.done()) return;
    this.tally.left(call!);
    this.#record({ type: 'cancel', call: call!, text: 'task.cancel()' });
    loop.callSoonThreadsafe(() => void task.cancel(), call);
  }

  /** What nobody will ever wake is said to be so. */
  end(): void {
    const forEver = this.world.next === Infinity;
    for (const id of this.tally.pending) {
      const who = this.#whoOf(id);
      if (who !== undefined) this.#record({ type: 'note', lane: who, text: forEver ? 'waits for ever' : 'still waits' });
    }
  }

  #whoOf(id: string): Who | undefined {
    return (['A', 'B', 'page'] as const).find((who) => id.startsWith(`${who} `));
  }

  *#program(act: Act, method: Method): Coroutine<void> {
    const first = this.#call(act, method);
    if (act.and !== undefined) {
      createTask(quiet(first));
      yield* quiet(this.#call(act, act.and));
      return;
    }
    try {
      yield* first;
    } catch {
      if (act.again) yield* quiet(this.#call(act, method));
      return;
    }
    if (act.then !== undefined) yield* quiet(this.#call(act, act.then));
  }

  *#call({ who, timeout, ours }: Act, method: Method): Coroutine<void> {
    const id = `${who} ${this.#calls.size + 1}`;
    const lane = this.#lanes.get(who)!;
    tagAs(id);
    this.#calls.set(id, { on: new Set() });
    if (waits(method)) Object.assign(lane, { task: currentTask(), call: id });
    this.tally.made(id, who, method);
    const limit = timeout === undefined || ours ? undefined : timeout * beat;
    this.#record({ type: 'call', lane: who, call: id, text: textOf(this.code, method, limit), primitive: this.code });
    if (method === 'stop' && lane.held !== undefined) this.#record({ type: 'released', call: lane.held });
    if (method === 'stop') delete lane.held;
    try {
      const value = yield* this.#made(method, limit);
      this.#settled(id, true, typeof value === 'string' ? value : method === 'ask' ? 'the stream' : '');
      if (method === 'ask' && this.code !== 'SharedTask') this.#record({ type: 'held', call: lane.held = id });
    } catch (error) {
      this.#settled(id, false, shown(error as Error), error instanceof CancelledError);
      throw error;
    }
  }

  *#made(method: Method, limit: number | undefined): Coroutine<unknown> {
    const subject = this.#subject;
    switch (method) {
      case 'ask': return yield* this.code === 'SharedTask' ? subject.wait(limit) : subject.start(limit);
      case 'resume': return void subject.resume();
      default: return yield* subject[method]();
    }
  }

  /** What is started, and shared. */
  *#startUp(): Coroutine<string> {
    const id = `start ${++this.#runs}`;
    tagAs(id);
    const run: Run = { id, told: new Future<'succeed' | 'fail'>() };
    this.#run = run;
    this.tally.made(id, 'start', 'run');
    this.#record({ type: 'call', lane: 'start', call: id, text: 'the start runs' });
    try {
      const how = yield* this.#heard(run);
      if (how === 'fail') throw new PythonError('ValueError', 'it did not start');
      run.over = true;
      this.#ended(id, true, 'done');
      return 'the result';
    } catch (error) {
      run.over = true;
      if (!(error instanceof CancelledError)) this.#ended(id, false, 'fails');
      else yield* this.#cleanUp(id);
      throw error;
    }
  }

  *#heard(run: Run): Coroutine<'succeed' | 'fail'> {
    for (;;) {
      try {
        return yield* run.told;
      } catch (error) {
        if (!this.scenario.start!.deaf) throw error;
        this.#record({ type: 'note', lane: 'start', text: 'does not heed it' });
        run.told = new Future();
      }
    }
  }

  *#cleanUp(id: string): Coroutine<void> {
    const { cleansUp = 0, throws } = this.scenario.start!;
    if (cleansUp > 0) {
      this.#record({ type: 'note', lane: 'start', text: 'cleans up' });
      try {
        yield* sleep(cleansUp * beat);
      } catch (error) {
        this.#ended(id, false, 'cancelled, its clean-up cut off');
        throw error;
      }
    }
    this.#ended(id, false, cleansUp > 0 ? 'cancelled, and cleaned up' : 'cancelled');
    if (throws !== undefined) throw new PythonError('ValueError', throws);
  }

  #ended(id: string, ok: boolean, text: string): void {
    this.tally.settled(id, ok, text);
    this.#record({ type: 'settled', call: id, ok, text });
  }

  #settled(id: string, ok: boolean, text: string, cancelled = false): void {
    const call = this.#calls.get(id)!;
    if (!call.taken && !cancelled) {
      this.#record({ type: 'taken', call: id });
      this.#record({ type: 'answer', call: id });
    }
    this.tally.settled(id, ok, text, cancelled);
    this.#record({ type: 'settled', call: id, ok, text });
  }

  #suspends(tag: string | undefined, on: AnyFuture<any>): void {
    const call = this.#calls.get(tag ?? '');
    if (call === undefined || on instanceof LockTurn) return;
    call.on.add(on);
    if (call.taken) return;
    call.taken = true;
    this.#record({ type: 'taken', call: tag! });
  }

  #completes(future: AnyFuture<any>, cause: string | undefined): void {
    for (const [id, call] of this.#calls) {
      if (!call.on.delete(future) || call.answered || cause === id) continue;
      call.answered = true;
      this.#record(cause !== undefined && this.#calls.has(cause)
        ? { type: 'answer', call: id, by: cause } : { type: 'answer', call: id });
    }
  }

  #cancels({ tag }: Task<any>, cause: string | undefined): void {
    if (tag === undefined || !tag.startsWith('start ') || tag === cause) return;
    const who = this.#whoOf(cause ?? '');
    const by = who === undefined ? '' : ` by ${names[who]}`;
    if (this.#run?.id === tag && this.#run.over !== true) {
      this.#record({ type: 'cancel', call: tag, text: `cancelled${by}` });
    } else if (!this.tally.pending.includes(tag)) {
      this.tally.closed(tag);
      this.#record({ type: 'note', lane: 'start', text: `stopped${by}` });
    }
  }

  #logs(error: Error): void {
    const text = shown(error);
    this.tally.logged(text);
    this.#record({ type: 'note', lane: 'hub', text: `logged: ${text}` });
  }

  #record(event: DistributiveOmit<Recorded, 'at'>): void {
    const { now } = this.world;
    if (now !== this.#instant) this.#events = 0;
    this.#instant = now;
    // Within a turn, things happen one after the other.
    this.play.record({ ...event, at: this.#began + (now + Math.min(0.9, 0.02 * this.#events++)) * this.play.beat / beat } as Recorded);
  }
}

type DistributiveOmit<T, K extends keyof any> = T extends unknown ? Omit<T, K> : never;

/** Nobody looks at how it ended. */
function* quiet(coroutine: Coroutine<void>): Coroutine<void> {
  try {
    yield* coroutine;
  } catch {}
}

function shown({ name, message }: Error): string {
  return message === '' ? name : `${name}: ${message}`;
}

const variables = { Signal: 'signal', CheckpointSignal: 'checkpoint', SharedTask: 'task', Stream: 'stream' } as Record<string, string>;

function textOf(code: Code, method: Method, limit: number | undefined): string {
  const called = method !== 'ask' ? method : code === 'SharedTask' ? 'wait' : 'start';
  return `${variables[classOf(code)]}.${called}(${limit === undefined ? '' : `timeout=${limit / 1000}`})`;
}
