/**
 * The model of Python in which the site plays the code of the documents: that in it this code does what it does in
 * Python, call by call, right and wrong. The names of the cases are those of the list of its defects: D for Signal, K for
 * CheckpointSignal, H for SharedTask, A for the first answer, Q for the question's own start(). Then all scenarios of the
 * site, there and with clca.
 */

import { test } from 'node:test';
import { type Hub, type Step, connect, createHub } from 'clca';
import {
  type Coroutine, type Loop, type Task, CancelledError, Future, PythonError, World, createTask, sleep,
} from '../../../example-site/src/python-asyncio.ts';
import { CheckpointSignal } from '../../../example-site/src/python-checkpoint.ts';
import { SharedTask } from '../../../example-site/src/python-shared-task.ts';
import { Signal } from '../../../example-site/src/python-signal.ts';
import { AnsweredStream, AnsweredStreamAsWritten, AskedStream } from '../../../example-site/src/python-stream.ts';
import type { Recorded } from '../../../example-site/src/record.ts';
import { ClcaTheatre, type Realm } from '../../../example-site/src/scenario-clca.ts';
import { ScenarioLane, shown } from '../../../example-site/src/scenario-lane.ts';
import { scenarios } from '../../../example-site/src/scenario-list.ts';
import { playPython } from '../../../example-site/src/scenario-python.ts';
import { Made } from '../../../example-site/src/scenario-trace.ts';
import type { Who } from '../../../example-site/src/scenario.ts';
import { equal, ok } from '../assert.ts';

/** A world with one loop, and what its tasks have come to. */
class Python {
  readonly logged: string[] = [];
  readonly woken: string[] = []; // in their order
  readonly world = new World({ logs: (_loop, error) => this.logged.push(error.name) });
  readonly loop = this.world.loop();

  /** Runs a coroutine in a task, from outside. */
  start<T>(coroutine: Coroutine<T>, name = '', loop = this.loop): Started<T> {
    const started: Started<T> = { cancel: () => loop.callSoonThreadsafe(() => void started.task!.cancel()) };
    const noted = function* (this: Python): Coroutine<T> {
      const value = yield* coroutine;
      this.woken.push(name);
      return value;
    }.call(this);
    loop.callSoonThreadsafe(() => void (started.task = createTask(noted)));
    return started;
  }

  /** Cancels a task that was just started, or is just being cancelled, right after its next step. */
  cancelNext(started: Started<any>): void {
    this.loop.callSoonThreadsafe(() => this.loop.callSoon(() => void started.task!.cancel()));
  }

  /** Lets everything happen within that time. */
  run(milliseconds = 100): void {
    this.world.run(this.world.now + milliseconds);
  }
}

interface Started<T> {
  task?: Task<T>;
  cancel(): void;
}

/** How a task stands: what it returned, the name of its exception, or that it waits. */
function state({ task }: Started<any>): string {
  if (task === undefined) return 'not started';
  if (!task.done()) return 'waits';
  if (task.cancelled()) return 'CancelledError';
  const { message, name } = task.exception() ?? { message: '', name: 'done' };
  return message === '' ? name : `${name}: ${message}`;
}

const states = (...started: Started<any>[]): string => started.map(state).join(', ');

function signalWith(count: number): { python: Python; signal: Signal; waiters: Started<void>[] } {
  const python = new Python();
  const signal = new Signal();
  const waiters = Array.from({ length: count }, (_, i) => python.start(signal.wait(), String(i)));
  return { python, signal, waiters };
}

function checkpointHolding(count: number): {
  python: Python; checkpoint: CheckpointSignal; arm: Started<void>; waiters: Started<void>[];
} {
  const python = new Python();
  const checkpoint = new CheckpointSignal();
  const arm = python.start(checkpoint.arm());
  python.run();
  const waiters = Array.from({ length: count }, () => python.start(checkpoint.wait()));
  python.run(100 + 2 * count);
  return { python, checkpoint, arm, waiters };
}

/** `resume()`, called in a task. */
function* resume(checkpoint: CheckpointSignal): Coroutine<void> {
  checkpoint.resume();
}

test('Signal as it is meant: one call wakes all who wait', () => {
  const { python, signal, waiters } = signalWith(3);
  python.run();
  equal(states(...waiters), 'waits, waits, waits');
  python.start(signal.signal());
  python.run();
  equal(states(...waiters), 'done, done, done');
  equal(signal.sharedFuture, undefined);
});

test('D1: the cancellation of a later waiter hits all, and the first returns as if signalled', () => {
  const { python, waiters: [a, b, c] } = signalWith(3);
  python.run();
  b!.cancel();
  python.run();
  equal(states(a!, b!, c!), 'done, CancelledError, CancelledError');
});

test('D2: when the first waiter is cancelled the others wait for ever, and signal() does nothing', () => {
  const { python, signal, waiters: [a, b, c] } = signalWith(3);
  python.run();
  a!.cancel();
  python.run();
  const sent = python.start(signal.signal());
  python.run(10_000);
  equal(states(a!, b!, c!, sent), 'CancelledError, waits, waits, done');
  equal(python.world.next, Infinity);
});

test('D2b: signalled and cancelled in one turn, the first waiter leaves an InvalidStateError in the log', () => {
  const { python, signal, waiters: [a] } = signalWith(1);
  python.run();
  python.start(signal.signal());
  a!.cancel();
  python.run();
  equal(state(a!), 'CancelledError');
  equal(python.logged, ['InvalidStateError']);
});

test('D3: a signal after create_task(wait()) is lost', () => {
  const python = new Python();
  const signal = new Signal();
  let waiter!: Task;
  python.start(function* () {
    waiter = createTask(signal.wait());
    yield* signal.signal();
  }());
  python.run(10_000);
  ok(!waiter.done(), 'it waits');
});

test('D4: the first to wait is woken last', () => {
  const { python, signal } = signalWith(4);
  python.run();
  python.start(signal.signal(), 'signal');
  python.run();
  equal(python.woken, ['signal', '1', '2', '3', '0']);
});

test('D5: signal() has to wait behind all waits, two turns of the loop for each', () => {
  const { python, signal, waiters } = signalWith(200);
  const sent = python.start(signal.signal());
  python.world.step(); // they are made
  python.world.step(); // they begin
  const before = python.loop.turns;
  while (!sent.task!.done()) python.world.step();
  equal(python.loop.turns - before, 400);
  python.run(1000);
  ok(waiters.every((waiter) => state(waiter) === 'done'), 'all are woken');
});

test('D6: a waiter cancelled in its locked sleep(0) leaves a future that nobody cleans up', () => {
  const { python, signal, waiters: [a] } = signalWith(1);
  python.cancelNext(a!);
  python.run();
  equal(state(a!), 'CancelledError');
  equal(signal.sharedFuture!.done(), false);
});

test('D7: a waiter in a second loop gets a RuntimeError', () => {
  const { python, signal, waiters: [a] } = signalWith(1);
  const b = python.start(signal.wait(), 'B', python.world.loop());
  python.run();
  equal(states(a!, b), 'waits, RuntimeError: Task got Future attached to a different loop');
});

for (const timer of [undefined, 3000]) {
  test(`D8: a signal from another thread is not noticed ${timer === undefined ? 'at all' : 'before the next timer'}`, () => {
    const { python, signal, waiters: [a] } = signalWith(1);
    if (timer !== undefined) python.start(sleep(timer));
    python.run(300);
    const sent = python.start(signal.signal(), '', python.world.loop());
    python.run(2000);
    equal(states(a!, sent), 'waits, done');
    python.run(2000);
    equal(state(a!), timer === undefined ? 'waits' : 'done');
  });
}

test('D9: when the loop of the first waiter is closed, the one who signals gets its error', () => {
  const { python, signal } = signalWith(1);
  python.run();
  python.loop.close();
  const sent = python.start(signal.signal(), '', python.world.loop());
  python.run();
  equal(state(sent), 'RuntimeError: Event loop is closed');
});

test('D10: a second cancellation while the first waiter wants the lock skips the clean-up', () => {
  const { python, signal, waiters: [a] } = signalWith(1);
  python.run();
  python.start(signal.wait()); // has the lock for a turn
  a!.cancel();
  python.cancelNext(a!);
  python.run();
  equal(state(a!), 'CancelledError');
  ok(signal.sharedFuture !== undefined, 'it is still there');
});

test('CheckpointSignal as it is meant: arm, arrive, resume', () => {
  const { python, checkpoint, arm, waiters } = checkpointHolding(3);
  equal(states(arm, ...waiters), 'done, waits, waits, waits');
  python.start(resume(checkpoint));
  python.run();
  equal(states(...waiters), 'done, done, done');
});

test('K1, K12: once it was armed, everybody is stopped for good', () => {
  const { python, checkpoint } = checkpointHolding(1);
  python.start(resume(checkpoint));
  python.run();
  const again = python.start(checkpoint.wait());
  python.run(10_000);
  equal(state(again), 'waits');
});

test('K2: an arm that was cancelled still stops whoever comes', () => {
  const { python, checkpoint, arm } = checkpointHolding(0);
  arm.cancel();
  python.run();
  const waiter = python.start(checkpoint.wait());
  python.run(10_000);
  equal(states(arm, waiter), 'CancelledError, waits');
});

test('K3: a second arm while one stands there is never confirmed', () => {
  const { python, checkpoint, waiters: [a] } = checkpointHolding(1);
  const second = python.start(checkpoint.arm());
  python.run();
  const b = python.start(checkpoint.wait());
  python.run();
  equal(states(second, a!, b), 'waits, waits, waits');
  python.start(resume(checkpoint));
  python.run(10_000);
  equal(states(second, a!, b), 'waits, done, done');
});

test('a second arm before anybody has come is refused', () => {
  const { python, checkpoint } = checkpointHolding(0);
  const second = python.start(checkpoint.arm());
  python.run();
  equal(state(second), 'RuntimeError: Already armed');
});

test('K4: a resume before anybody has come is not remembered', () => {
  const { python, checkpoint } = checkpointHolding(0);
  const early = python.start(resume(checkpoint));
  const waiter = python.start(checkpoint.wait());
  python.run(10_000);
  equal(states(early, waiter), 'done, waits');
});

test('K5: when the first of those who stand is cancelled, the others go on', () => {
  const { python, waiters: [a, b, c] } = checkpointHolding(3);
  a!.cancel();
  python.run();
  equal(states(a!, b!, c!), 'CancelledError, done, done');
});

test('K6: later ones that are cancelled leave their callbacks, which fail at the resume', () => {
  const { python, checkpoint, waiters } = checkpointHolding(501);
  for (const waiter of waiters.slice(1)) waiter.cancel();
  python.run(2000);
  equal(checkpoint.resumeSignal!.callbacks, 501); // with that of the first waiter's own task
  python.start(resume(checkpoint));
  python.run(2000);
  equal(python.logged.length, 500);
  equal(python.logged[0], 'InvalidStateError');
});

test('K7: resume() at once after arm() meets the lock of the one who has just come', () => {
  const python = new Python();
  const checkpoint = new CheckpointSignal();
  const controller = python.start(function* () {
    yield* checkpoint.arm();
    checkpoint.resume();
  }());
  python.run();
  const waiter = python.start(checkpoint.wait());
  python.run(10_000);
  equal(states(controller, waiter), 'RuntimeError: the current thread is already holding this lock, waits');
});

test('K8: the third example of the document hangs', () => {
  const python = new Python();
  const checkpoint = new CheckpointSignal();
  const worker = python.start(checkpoint.wait(), '', python.world.loop());
  const main = python.start(function* () {
    yield* sleep(500);
    yield* checkpoint.arm();
    checkpoint.resume();
  }());
  python.run(60_000);
  equal(states(worker, main), 'done, waits');
  equal(python.world.next, Infinity);
});

test('K9: armed first, the arm is seen at the next timer, and the worker in the other loop is never woken', () => {
  const python = new Python();
  const checkpoint = new CheckpointSignal();
  python.start(sleep(3000));
  const arm = python.start(checkpoint.arm());
  python.run(300);
  const worker = python.start(checkpoint.wait(), '', python.world.loop());
  python.run(2000);
  equal(states(arm, worker), 'waits, waits');
  python.run(1000);
  equal(states(arm, worker), 'done, waits');
  python.start(resume(checkpoint));
  python.run(60_000);
  equal(state(worker), 'waits');
});

test('K10: arm() says that one stands there, who was cancelled in its sleep(0)', () => {
  const { python, checkpoint, arm } = checkpointHolding(0);
  const waiter = python.start(checkpoint.wait());
  python.cancelNext(waiter);
  python.run();
  equal(states(arm, waiter), 'done, CancelledError');
  equal(checkpoint.resumeSignal!.done(), false); // nobody is left who waits for it
});

/** What SharedTask runs: it ends when `told` does, and cleans up for that long. */
function work(cleanUp = 0, error?: string): { told(how?: Error): void; run: () => Coroutine<string>; cutOff: boolean } {
  let future: Future | undefined;
  const it = {
    cutOff: false,
    told(how?: Error): void {
      future!.loop.callSoonThreadsafe(() => (how === undefined ? future!.setResult() : future!.setException(how)));
    },
    *run(): Coroutine<string> {
      try {
        future = new Future();
        yield* future;
        return 'result';
      } catch (caught) {
        if (!(caught instanceof CancelledError)) throw caught;
        try {
          if (cleanUp > 0) yield* sleep(cleanUp);
        } catch (again) {
          it.cutOff = true;
          throw again;
        }
        if (error !== undefined) throw new PythonError('ValueError', error);
        throw caught;
      }
    },
  };
  return it;
}

function sharedBy(count: number, it = work(), timeout?: number): { python: Python; task: SharedTask<string>; clients: Started<string>[] } {
  const python = new Python();
  const task = new SharedTask(it.run());
  const clients = Array.from({ length: count }, () => python.start(task.wait(timeout)));
  python.run(5);
  return { python, task, clients };
}

test('SharedTask as it is meant: one timeout is one timeout, and the last who leaves cancels the task', () => {
  const it = work();
  const { python, task, clients: [a] } = sharedBy(1, it);
  const b = python.start(task.wait(50));
  const c = python.start(task.wait());
  python.run();
  equal(states(a!, b, c), 'waits, TimeoutError, waits');
  it.told();
  python.run();
  equal(states(a!, b, c), 'done, TimeoutError, done');
  const late = python.start(task.wait());
  python.run();
  equal(late.task!.result(), 'result');

  const both = sharedBy(2);
  for (const client of both.clients) client.cancel();
  both.python.run();
  equal(states(...both.clients), 'CancelledError, CancelledError');
});

test('H1: who comes while the task cleans up gets a CancelledError that nobody sent', () => {
  const { python, task, clients: [a] } = sharedBy(1, work(100));
  a!.cancel();
  python.run(50);
  const b = python.start(task.wait());
  python.run(200);
  equal(states(a!, b), 'CancelledError, CancelledError');
  equal(b.task!.cancelling, 0);
});

test('H2: the second cancellation of the last client cuts off the clean-up', () => {
  const it = work(100);
  const { python, clients: [a] } = sharedBy(1, it);
  a!.cancel();
  python.run(50);
  a!.cancel();
  python.run(10);
  equal(state(a!), 'CancelledError');
  equal(it.cutOff, true);
});

test('H3: a client that times out, and is cancelled in the clean-up, tells only of the timeout', () => {
  const { python, clients: [a] } = sharedBy(1, work(100), 50);
  python.run(80);
  a!.cancel();
  python.run(100);
  equal(state(a!), 'TimeoutError');
  equal(a!.task!.cancelling, 1);
});

test('H4: the last client gets the error of the clean-up in place of its own', () => {
  const { python, clients: [a, b] } = sharedBy(2, work(0, 'no flush'));
  a!.cancel();
  b!.cancel();
  python.run();
  equal(states(a!, b!), 'CancelledError, ValueError: no flush');
});

test('H5: a task that does not heed its cancellation keeps a client beyond its timeout', () => {
  const python = new Python();
  const task = new SharedTask(function* (): Coroutine<void> {
    for (;;) {
      try {
        yield* new Future();
      } catch {}
    }
  }());
  const client = python.start(task.wait(50));
  python.run(600);
  equal(state(client), 'waits');
});

test('H6: clients who got the result are counted for ever', () => {
  const it = work();
  const { python, task } = sharedBy(4, it);
  it.told();
  python.run();
  equal(task.clients, 4);
});

test('H8: cancelled before it was started, it cannot be awaited', () => {
  const python = new Python();
  const task = new SharedTask(work().run());
  task.cancel();
  const client = python.start(task.wait());
  python.run();
  equal(state(client), 'RuntimeError: cannot reuse already awaited coroutine');
});

test('H9: the timeout of the only client cancels a task that is somebody else’s', () => {
  const python = new Python();
  const owned = python.start(work().run());
  python.run();
  const client = python.start(new SharedTask(owned.task!).wait(50));
  python.run();
  equal(states(client, owned), 'TimeoutError, CancelledError');
});

type AnyStream = AskedStream | AnsweredStream;

function streamOf<S extends AnyStream>(make: (startUp: () => Coroutine<unknown>) => S, ...timeouts: (number | undefined)[]): {
  python: Python; stream: S; it: ReturnType<typeof work>; clients: Started<void>[];
} {
  const python = new Python();
  const it = work();
  const stream = make(() => it.run());
  const clients = timeouts.map((timeout) => python.start(stream.start(timeout)));
  python.run(5);
  return { python, stream, it, clients };
}

const asked = (startUp: () => Coroutine<unknown>): AskedStream => new AskedStream(startUp);
const answered = (startUp: () => Coroutine<unknown>): AnsweredStream => new AnsweredStream(startUp);

for (const [name, make] of [['Q', asked], ['A', answered]] as [string, (startUp: () => Coroutine<unknown>) => AnyStream][]) {
  test(`${name}: the three scenarios of the question`, () => {
    const fails = streamOf(make, undefined, undefined);
    fails.it.told(new PythonError('ValueError'));
    fails.python.run();
    equal(states(...fails.clients), 'ValueError, ValueError');

    const one = streamOf(make, undefined, undefined);
    one.clients[0]!.cancel();
    one.python.run();
    one.it.told();
    one.python.run();
    equal(states(...one.clients), 'CancelledError, done');

    const both = streamOf(make, undefined, undefined);
    for (const client of both.clients) client.cancel();
    both.python.run();
    equal(states(...both.clients), 'CancelledError, CancelledError');
  });
}

test('Q: the timeout of one cancels the start for all, who hear of a timeout that they did not set', () => {
  const { python, clients } = streamOf(asked, 50, undefined);
  python.run();
  equal(states(...clients), 'FeedTimeoutError: stream failed to start within 0.05s, FeedTimeoutError: stream failed to start within Nones');
});

test('Q: after one failure nobody can start it again', () => {
  const { python, stream, it } = streamOf(asked, undefined);
  it.told(new PythonError('ValueError'));
  python.run();
  const again = python.start(stream.start());
  python.run();
  equal(state(again), 'AssertionError');
});

test('A1: the timeout of one cancels the start for all', () => {
  const { python, clients } = streamOf(answered, 50, undefined);
  python.run();
  equal(states(...clients), 'TimeoutError, CancelledError');
});

test('A2: … even if that one was cancelled before', () => {
  const { python, clients } = streamOf(answered, 50, undefined);
  clients[0]!.cancel();
  python.run(20);
  equal(states(...clients), 'CancelledError, waits');
  python.run(50);
  equal(states(...clients), 'CancelledError, CancelledError');
});

test('A3: a stop() without a start counts below nothing, and one too many stops the stream of others', () => {
  const early = new Python();
  const unused = new AnsweredStream(() => work().run());
  early.start(unused.stop());
  early.run();
  equal(unused.users, -1);

  const { python, stream, it, clients } = streamOf(answered, undefined, undefined);
  it.told();
  python.run();
  equal(states(...clients), 'done, done');
  const { workerTask } = stream;
  for (let i = 0; i < 2; i++) python.start(stream.stop());
  python.run();
  equal(workerTask!.cancelled(), true);
});

test('A3: as it is written, it cannot be started at all', () => {
  const python = new Python();
  const client = python.start(new AnsweredStreamAsWritten(() => work().run()).start());
  python.run();
  equal(state(client), "AttributeError: 'Stream' object has no attribute '_worker_startup_task'");
});

test('A4: who asks again before the other one was told gets the old error', () => {
  const python = new Python();
  let runs = 0;
  const stream = new AnsweredStream(function* () {
    runs++;
    yield* sleep(10);
    throw new PythonError('ValueError');
  });
  const a = python.start(function* () {
    try {
      yield* stream.start();
    } catch {}
    yield* stream.start();
  }());
  const b = python.start(stream.start());
  python.run();
  equal(states(a, b), 'ValueError, ValueError');
  equal(runs, 1);
});

test('the world does the same each time, and ends', async () => {
  for (const scenario of scenarios) {
    for (const { code } of scenario.originals) {
      const told: string[][] = [];
      for (let i = 0; i < 2; i++) {
        const events: string[] = [];
        const record = ({ at: _, ...event }: object & { at: number }): unknown => events.push(JSON.stringify(event));
        await playPython(scenario, code, { beat: 400, record }, () => {});
        ok(events.length > 3, scenario.id);
        told.push(events);
      }
      equal(told[0], told[1], `${scenario.id} ${code}`);
    }
  }
});

for (const { id, ...scenario } of scenarios) {
  for (const { code, ends } of scenario.originals) {
    test(`scenario ${id}, with ${code}`, async () => {
      equal(await playPython({ id, ...scenario }, code, { beat: 400, record: () => {} }, () => {}), ends);
    });
  }
}

test('scenarios with clca', async (t) => {
  let hear = (_step: Step): void => {};
  const hub = await createHub({ trace: (step) => hear(step) });
  const theatre: ClcaTheatre = new ClcaTheatre(hub, { page: await realm('page'), A: await realm('A'), B: await realm('B') });
  hear = (step) => theatre.step(step);
  console.error = (error: unknown) => theatre.hear('A', { say: 'logged', text: shown(error) });

  async function realm(who: Who): Promise<Realm> {
    let { client, lane } = await letIn();
    async function letIn(): Promise<{ client: Hub; lane: ScenarioLane }> {
      const { port1, port2 } = new MessageChannel();
      hub.attach(port1);
      const made = new Made();
      const client = await connect(port2, made);
      return { client, lane: new ScenarioLane(client, made, who, (said) => theatre.hear(who, said)) };
    }
    return {
      obey: (order) => void lane.obey(order),
      async die() {
        await client.close();
        ({ client, lane } = await letIn());
      },
    };
  }

  for (const scenario of scenarios) {
    await t.test(scenario.id, async () => {
      const timed = scenario.start?.cleansUp !== undefined || scenario.acts.some(({ timeout }) => timeout !== undefined);
      equal(await theatre.play(scenario, { beat: timed ? 100 : 1, record: () => {} }), scenario.ends);
    });
  }
  for (const id of ['signal-all', 'signal-first-leaves', 'checkpoint-stage']) {
    await t.test(`${id} is recorded alike in both worlds`, async () => {
      const scenario = scenarios.find((each) => each.id === id)!;
      const [ours, theirs] = [new Map<string, string[]>(), new Map<string, string[]>()];
      await theatre.play(scenario, { beat: 1, record: (event) => note(ours, event) });
      await playPython(scenario, scenario.originals[0]!.code, { beat: 400, record: (event) => note(theirs, event) }, () => {});
      const [a, b] = [told(ours), told(theirs)];
      if (id === 'signal-first-leaves') { // B is woken by the signal, or by nobody
        equal(a['B'], ['call by B', 'taken', 'answer by page', 'settled']);
        equal(b['B'], ['call by B', 'taken']);
      } else {
        equal(a, b);
      }
    });
  }
  await hub.close();
});

/** Keeps an event with its call. */
function note(calls: Map<string, string[]>, event: Recorded): void {
  if (!('call' in event) || event.type === 'cancel') return;
  const more = event.type === 'call' ? ` by ${event.lane}` : event.type === 'answer' && event.by !== undefined ? ` by ${event.by}` : '';
  calls.set(event.call, [...calls.get(event.call) ?? [], event.type + more]);
}

/** What happened to the calls, each by the lane that made it, in the order in which it must have happened. */
function told(calls: Map<string, string[]>): Record<string, string[]> {
  const lanes = new Map([...calls].map(([call, events]) => [call, events.find((event) => event.startsWith('call'))!.slice(8)]));
  const order = ['call', 'taken', 'answer', 'settled'];
  const all: Record<string, string[]> = {};
  for (const [call, events] of calls) {
    const named = events.map((event) => event.replace(/^answer by (.*)/, (_, by) => `answer by ${lanes.get(by)}`));
    const sorted = named.sort((a, b) => order.indexOf(a.split(' ')[0]!) - order.indexOf(b.split(' ')[0]!));
    all[lanes.get(call)!] = [...all[lanes.get(call)!] ?? [], ...sorted];
  }
  return all;
}
