/**
 * Seeing what happens: each step of each call, as the realm has it that makes the call, and as the hub has it.
 *
 * The hub takes up the calls of a session in the order in which they were made, so both sides number them by counting, and
 * a call is the same in both views if its session and its number are. A realm that only connects needs none of this but
 * the types.
 */

import { HeldAbandoned, Kind, Op, Status } from './abi.ts';
import { errorOf } from './errors.ts';
import { report } from './session.ts';

/**
 * Is told each step as it happens, in the midst of it: it is to note the step and to do all else later. Above all it is not
 * to call the hub. What it throws is reported, and it is told no more.
 *
 * @example
 * const log = ['what happens:'];
 * const traced = await createHub({ trace: ({ step }) => log.push(step) });
 * await traced.signal('go').signal();
 * log; // => ['what happens:', 'opened', 'called', 'taken', 'answered', 'settled']
 * await traced.close();
 */
export type Trace = (step: Step) => void;

/**
 * A step of a call or of a session; `step` says which.
 *
 * @example
 * const log = ['what the hub does:'];
 * const traced = await createHub({
 *   trace(step) {
 *     if (step.step === 'taken') log.push(`${step.op} of ${step.kind} ${step.name}`);
 *     if (step.step === 'answered') log.push(step.status);
 *   },
 * });
 * await traced.event('ready').set();
 * log; // => ['what the hub does:', 'set of event ready', 'done']
 * await traced.close();
 */
export type Step = CallStep | TakenStep | AnsweredStep | HeldStep | SessionStep;

/**
 * Which call it is: the how manyth of a session.
 *
 * @example
 * const calls = new Set();
 * const traced = await createHub({ trace: (step) => 'call' in step && calls.add(`${step.session}/${step.call}`) });
 * await traced.signal('go').signal();
 * calls.size; // => 1 (it is the same in its realm and in the hub)
 * await traced.close();
 */
export interface CallId {
  /**
   * No other session of the hub has this number, nor of the hubs before it that were lost. Undefined for what a realm calls
   * between two sessions, in its next.
   */
  session: number | undefined;
  call: number;
}

interface When {
  /** Milliseconds since the epoch, with fractions: `performance.timeOrigin + performance.now()`. */
  at: number;
}

/**
 * In the realm that calls: it makes a call, or joins one that it has just made, as with many who wait for one signal; the
 * call is settled, for all who have joined it; it was given up, by an abort or a timeout, and the hub is asked to end it;
 * what it acquired is given back.
 *
 * What the hub is not asked has no steps: a call with a bad argument, and a wait at a checkpoint that the realm knows to be
 * open. The watch by which it knows that is a call as well, which is never settled.
 *
 * @example
 * const { port1, port2 } = new MessageChannel();
 * hub.attach(port1);
 * const log = ['a call that is given up:'];
 * const traced = await connect(port2, { trace: ({ step }) => log.push(step) });
 * await traced.signal('go').wait({ timeout: 10 }); // rejects with TimeoutError
 * log; // => ['a call that is given up:', 'called', 'settled', 'cancelled']
 */
export interface CallStep extends CallId, When {
  step: 'called' | 'joined' | 'settled' | 'cancelled' | 'released';
}

/**
 * In the hub: it takes up a call.
 *
 * @example
 * let asked;
 * const traced = await createHub({ trace: (step) => step.step === 'taken' && (asked = [step.kind, step.name, step.op]) });
 * await traced.lock('door').isLocked();
 * asked; // => ['lock', 'door', 'test']
 * await traced.close();
 */
export interface TakenStep extends CallId, When {
  step: 'taken';
  /** What is called: a method of `Hub`, such as `rwlock`. None for calls of the hub itself, and where the name is denied. */
  kind?: string | undefined;
  /** Of a condition, the lock's name and its own. */
  name?: string | undefined;
  /** What is asked of it, such as `wait`, `signal` or `acquire`. */
  op: string;
}

/**
 * In the hub: it answers a call, once.
 *
 * @example
 * let answer;
 * const traced = await createHub({
 *   trace(step) {
 *     if (step.step === 'answered') answer = [step.status, step.value];
 *   },
 * });
 * await traced.signal('go').signal();
 * answer; // => ['done', 0]
 * await traced.close();
 * @example
 * let abandoned;
 * const traced = await createHub({ trace: (step) => step.step === 'answered' && ({ abandoned } = step) });
 * const { port1, port2 } = new MessageChannel();
 * const session = traced.attach(port1);
 * const client = await connect(port2);
 * await client.lock('door').acquire();
 * session.end();
 * await traced.lock('door').acquire();
 * abandoned; // => true
 * await traced.close();
 */
export interface AnsweredStep extends CallId, When {
  step: 'answered';
  /**
   * The call is `done`, has a `result`, or has got something that is `held`; it has `failed`, or the function has which was
   * run for it, and so it is `rejected`; or it was given up, and has `ended`.
   */
  status: 'done' | 'result' | 'held' | 'failed' | 'rejected' | 'ended';
  /** With `done`: the number that it comes to, such as how many a signal has woken. */
  value?: number | undefined;
  /** With `failed`: the name of the error. */
  error?: string | undefined;
  /** With `held`, of a lock: whoever held it before went away without giving it back. */
  abandoned?: true | undefined;
  by?: Cause | undefined;
}

/**
 * In the hub: the function that a call has brought begins to run; what a call holds is lost to it; the hub has it back.
 *
 * @example
 * let freed;
 * const traced = await createHub({ trace: (step) => step.step === 'freed' && (freed = step.call) });
 * const guard = await traced.lock('door').acquire(); // call 1
 * await guard.release();
 * freed; // => 1
 * await traced.close();
 */
export interface HeldStep extends CallId, When {
  step: 'runs' | 'lost' | 'freed';
  by?: Cause | undefined;
}

/**
 * In the hub: a realm has a session from now on, below that of the realm which has let it in; or it has it no more.
 *
 * @example
 * let sessions = 0;
 * const traced = await createHub({
 *   trace(step) {
 *     if (step.step === 'opened') sessions++;
 *     if (step.step === 'ended') sessions--;
 *   },
 * });
 * sessions; // => 1 (the hub's own realm)
 * await traced.close();
 */
export interface SessionStep extends When {
  step: 'opened' | 'ended';
  session: number;
  below?: number | undefined;
}

/**
 * What has caused a step, if not the call itself: another call, or without `call` the end of a session. None: a goroutine.
 *
 * @example
 * let by;
 * const traced = await createHub({ trace: (step) => 'by' in step && (by ??= step.by) });
 * const waiting = traced.signal('go').wait(); // call 1
 * await traced.signal('go').signal(); // call 2
 * await waiting;
 * by.call; // => 2
 * await traced.close();
 */
export interface Cause {
  session: number;
  call?: number | undefined;
}

/** What is known of a session while it is traced. */
interface Traced {
  made: number;
  calls: Map<number, { call: number; kind: Kind | undefined; holds: boolean }>; // by slot
  names: { kind: Kind; text: string }[]; // by index
}

/** Tells the steps of a hub. */
export class Tracer {
  #trace: Trace | undefined;
  #sessions = new Map<number, Traced>();
  #runs = new Map<number, Cause>(); // those that have brought what runs

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  #tell(step: Step): void {
    try {
      this.#trace?.(step);
    } catch (error) {
      this.#trace = undefined;
      report(error);
    }
  }

  opened(session: number, below: number | undefined): void {
    this.#sessions.set(session, { made: 0, calls: new Map(), names: [] });
    this.#tell({ step: 'opened', at: now(), session, below });
  }

  ended(session: number): void {
    this.#sessions.delete(session);
    this.#tell({ step: 'ended', at: now(), session });
  }

  bound(session: number, index: number, kind: Kind, text: string): void {
    this.#sessions.get(session)?.names.splice(index, 1, { kind, text }); // indices are dense
  }

  /** The hub has taken up a call; returns what causes the steps that come of it. */
  taken(at: number, session: number, op: Op, index: number, slot: number, argument: number): Cause | undefined {
    const traced = this.#sessions.get(session)!;
    if (op === Op.End) return { session, call: traced.calls.get(slot)?.call };
    if (op === Op.Finish) return this.#runs.get(argument);
    const call = ++traced.made;
    const name = op === Op.HubStats || op === Op.Query || op === Op.Reported ? undefined : traced.names[index];
    traced.calls.set(slot, { call, kind: name?.kind, holds: false });
    const known = name === undefined || name.kind === Kind.Denied ? {} : { kind: kinds[name.kind], name: name.text };
    this.#tell({ step: 'taken', at, session, call, ...known, op: ops[op] });
    return { session, call };
  }

  /** The hub tells a session something of one of its calls. */
  told(session: number, slot: number, status: Status, value: number, cause: Cause | undefined): void {
    const calls = this.#sessions.get(session)?.calls;
    const it = calls?.get(slot);
    if (it === undefined) return;
    const { call, kind, holds } = it;
    const by = cause?.session === session && cause.call === call ? undefined : cause;
    const what = { at: now(), session, call, by };
    const answer = answers[status];
    if (answer !== undefined) {
      const holdsNow = it.holds = answer === 'held';
      if (!holdsNow) calls!.delete(slot);
      if (!holds) {
        const abandoned = holdsNow && (value & HeldAbandoned) !== 0 && locks.includes(kind);
        const more = status === Status.Done ? { value } : status === Status.Fail ? { error: errorOf(value).name } : abandoned && { abandoned };
        this.#tell({ step: 'answered', status: answer, ...more, ...what });
      } else if (!holdsNow) {
        this.#tell({ step: 'freed', ...what });
      }
    } else if (status === Status.Lost) {
      this.#tell({ step: 'lost', ...what });
    } else if (status === Status.Run) {
      this.#runs.set(value, { session, call });
      this.#tell({ step: 'runs', ...what });
    }
  }

  /** Nothing of a run is needed any more. */
  over(run: number): void {
    this.#runs.delete(run);
  }
}

/** What an answer is, by its status. */
const answers: Partial<Record<Status, AnsweredStep['status']>> = {
  [Status.Done]: 'done', [Status.Armed]: 'done', [Status.Result]: 'result', [Status.Held]: 'held', [Status.Lent]: 'held',
  [Status.Fail]: 'failed', [Status.Reject]: 'rejected', [Status.Ended]: 'ended',
};

const locks: (Kind | undefined)[] = [Kind.Lock, Kind.ReentrantLock, Kind.RWLock];

const kinds: Record<Exclude<Kind, Kind.Denied>, string> = {
  [Kind.Signal]: 'signal', [Kind.Checkpoint]: 'checkpoint', [Kind.Task]: 'sharedTask', [Kind.Resource]: 'sharedResource',
  [Kind.Lock]: 'lock', [Kind.ReentrantLock]: 'reentrantLock', [Kind.RWLock]: 'rwlock', [Kind.Semaphore]: 'semaphore',
  [Kind.Event]: 'event', [Kind.Condition]: 'condition', [Kind.Barrier]: 'barrier', [Kind.Latch]: 'latch',
  [Kind.Queue]: 'queue', [Kind.Pool]: 'pool', [Kind.Once]: 'once',
};

const ops: Record<Op, string> = {
  [Op.End]: 'end', [Op.Bind]: 'bind', [Op.Forget]: 'forget', [Op.Finish]: 'finish', [Op.HubStats]: 'stats',
  [Op.Query]: 'query', [Op.Reported]: 'reported', [Op.Wait]: 'wait', [Op.Signal]: 'signal', [Op.Arm]: 'arm',
  [Op.Resume]: 'resume', [Op.Disarm]: 'disarm', [Op.Acquire]: 'acquire', [Op.Try]: 'tryAcquire', [Op.Steal]: 'steal',
  [Op.Reenter]: 'reenter', [Op.Test]: 'test', [Op.Resize]: 'resize', [Op.Set]: 'set', [Op.Clear]: 'clear',
  [Op.Notify]: 'notify', [Op.CountDown]: 'countDown', [Op.Reset]: 'reset', [Op.Put]: 'put', [Op.TryPut]: 'tryPut',
  [Op.Get]: 'get', [Op.TryGet]: 'tryGet', [Op.TaskDone]: 'taskDone', [Op.Join]: 'join', [Op.CloseNow]: 'closeNow',
  [Op.Replace]: 'replace', [Op.Evict]: 'evict', [Op.Close]: 'close', [Op.Stats]: 'stats', [Op.Retake]: 'retake',
  [Op.Occupy]: 'occupy', [Op.Take]: 'get', [Op.Watch]: 'watch',
};

export function now(): number {
  return performance.timeOrigin + performance.now();
}
