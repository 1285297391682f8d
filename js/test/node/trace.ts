/** What a trace tells: each step of each call once, in order, under one identity. That the suite passes with it says conformance.ts. */

import { after, test } from 'node:test';
import { type Hub, type Step, connect, createHub } from 'clca';
import { localHub, switchboard } from '../../src/create.ts';
import { load } from '../../src/load.ts';
import { becomes, equal, ok, rejects } from '../assert.ts';
import { caughtErrors } from '../reports.ts';

const alive = setInterval(() => {}, 1e6);
after(() => clearInterval(alive));

/** A traced hub, and a traced client of it; all in this realm, so that what is told comes in the order in which it happens. */
interface Scene {
  hub: Hub;
  client: Hub;
  steps: Step[];
  /** Their sessions. */
  here: number;
  there: number;
  forget(): void;
  end(): Promise<void>;
}

async function scene(): Promise<Scene> {
  const steps: Step[] = [];
  const trace = (step: Step): void => void steps.push(step);
  const hub = await createHub({ trace });
  const { port1, port2 } = new MessageChannel();
  hub.attach(port1);
  const client = await connect(port2, { trace });
  const [here, there] = steps.flatMap(({ step, session }) => (step === 'opened' ? [session] : []));
  steps.length = 0;
  return { hub, client, steps, here: here!, there: there!, forget: () => void (steps.length = 0), end: () => hub.close() };
}

/** The steps as words: what they are of, by the letter of the session and the number of the call. */
function told({ steps, here, there }: Scene): string[] {
  const name = (session: number | undefined): string => (session === here ? 'H' : session === there ? 'C' : '?');
  return steps.map((each) => {
    const words = [each.step, name(each.session) + ('call' in each ? each.call : '')];
    if (each.step === 'taken') words.push([each.kind, each.name, each.op].filter((word) => word !== undefined).join('.'));
    if (each.step === 'answered') words.push(each.status, ...[each.value ?? each.error ?? []].flat().map(String));
    if (each.step === 'answered' && each.abandoned) words.push('abandoned');
    if ('by' in each && each.by !== undefined) words.push(`by ${name(each.by.session)}${each.by.call ?? ''}`);
    return words.join(' ');
  });
}

test('a call is made, taken up, answered and settled, once and in this order, and is the same in both views', async () => {
  const it = await scene();
  equal(await it.hub.signal('s').signal(), 0);
  equal(told(it), ['called H1', 'taken H1 signal.s.signal', 'answered H1 done 0', 'settled H1']);
  it.forget();
  equal(await it.client.event('e').set(), 0);
  equal(told(it), ['called C1', 'taken C1 event.e.set', 'answered C1 done 0', 'settled C1']);
  const ats = it.steps.map(({ at }) => at);
  equal(ats, ats.toSorted((a, b) => a - b), 'so do the times say');
  ok(Math.abs(ats[0]! - Date.now()) < 60_000, 'they are of today');
  await it.end();
});

test('a wake names the call that caused it', async () => {
  const it = await scene();
  const waits = [it.client.signal('s').wait({ timeout: 1e6 }), it.hub.signal('s').wait({ timeout: 1e6 })];
  await it.client.stats();
  it.forget();
  equal(await it.hub.signal('s').signal(), 2);
  await Promise.all(waits);
  equal(told(it), [
    'called H2', 'taken H2 signal.s.signal',
    'answered H1 done 0 by H2', 'settled H1', 'answered C1 done 0 by H2', 'answered H2 done 2', 'settled H2', 'settled C1',
  ]);
  await it.end();
});

test('what a release hands over is by the call that held it, and what a session held by its end', async () => {
  const it = await scene();
  const first = await it.hub.lock('l').acquire();
  const session = it.hub.attach(new MessageChannel().port1);
  const second = it.client.lock('l').acquire();
  await it.client.stats();
  it.forget();
  await first.release();
  await second;
  equal(told(it), ['released H1', 'answered C1 held by H1', 'freed H1', 'settled C1']);
  const third = it.hub.lock('l').acquire();
  await it.hub.stats();
  it.forget();
  await it.client.close();
  await third;
  equal(told(it), [`answered H2 held abandoned by C`, 'settled H2', 'ended C']);
  session.end();
  await it.end();
});

test('what a goroutine wakes names no call, even if a call is the next to enter Go', async () => {
  const it = await scene();
  const wait = it.hub.signal('g').wait();
  await it.hub.stats();
  it.forget();
  let call: Promise<number> | undefined;
  const inside = {
    get timeout() { // Go asks for it, and cannot be entered meanwhile
      call = it.hub.signal('other').signal();
      return 1e6;
    },
  };
  const goroutine = it.hub.go['signal']('s').wait(inside);
  equal(await it.hub.go['signal']('g').signal(), 1);
  equal(await call, 0);
  await wait;
  equal(told(it).filter((each) => !each.startsWith('called')), [
    'answered H1 done 0', 'settled H1', 'taken H3 signal.other.signal', 'answered H3 done 0', 'settled H3',
  ]);
  await it.end();
  await rejects(goroutine, 'ClosedError');
});

test('waits that are one call join it, and end with it', async () => {
  const it = await scene();
  const signal = it.client.signal('s');
  const waits = [signal.wait(), signal.wait(), signal.wait()];
  await it.client.stats();
  equal(told(it).slice(0, 4), ['called C1', 'joined C1', 'joined C1', 'called C2']);
  equal(await it.hub.signal('s').signal(), 3);
  await Promise.all(waits);
  equal(told(it).filter((each) => each.startsWith('settled C1')).length, 1);
  await it.end();
});

test('a call that is given up is cancelled in its realm, and ended in the hub', async () => {
  const it = await scene();
  const stop = new AbortController();
  const wait = it.client.signal('s').wait({ signal: stop.signal });
  const arrival = it.client.barrier('b', 2).wait({ signal: stop.signal });
  await it.client.stats();
  it.forget();
  stop.abort('enough');
  equal(await Promise.allSettled([wait, arrival]), [1, 2].map(() => ({ status: 'rejected', reason: 'enough' })));
  equal(told(it), [
    'settled C1', 'cancelled C1', 'cancelled C2', 'answered C1 ended', 'answered C2 ended', 'settled C2',
  ], 'the barrier decides');
  it.forget();
  await rejects(it.hub.signal('s').wait({ timeout: 1 }), 'TimeoutError');
  equal(told(it), ['called H1', 'taken H1 signal.s.wait', 'settled H1', 'cancelled H1', 'answered H1 ended']);
  await it.end();
});

test('a shared function runs in the call that brought it, which causes what all get', async () => {
  const it = await scene();
  let finish!: (value: string) => void;
  const task = (hub: Hub): Promise<string> => hub.sharedTask('t', () => new Promise<string>((resolve) => (finish = resolve))).wait();
  const results = [task(it.client), task(it.hub)];
  await it.client.stats();
  await it.hub.stats();
  const first = told(it).find((each) => each.startsWith('runs'))!.split(' ')[1]!;
  const other = first === 'C1' ? 'H1' : 'C1';
  it.forget();
  finish('done');
  equal(await Promise.all(results), ['done', 'done']);
  const answers = told(it).filter((each) => each.startsWith('answered'));
  equal(answers.sort(), [`answered ${first} result`, `answered ${other} result by ${first}`].sort());
  await rejects(it.hub.once('o', () => Promise.reject(new TypeError('no'))).run(), 'TypeError');
  ok(told(it).some((each) => each === 'answered H3 rejected'), 'the function has failed');
  await it.end();
});

test('what fails is answered with the name of the error', async () => {
  const it = await scene();
  const arm = it.hub.checkpoint('c').arm().catch(() => {});
  await rejects(it.client.checkpoint('c').arm(), 'AlreadyArmedError');
  await rejects(it.client.lock('l').acquire({ timeout: -1 }), 'TypeError');
  equal(told(it).filter((each) => each.includes('C')), [
    'called C1', 'taken C1 checkpoint.c.arm', 'answered C1 failed AlreadyArmedError', 'settled C1',
  ], 'a call with a bad argument is none');
  await it.end();
  await arm;
});

test('waits at a checkpoint that the realm knows to be open have no steps', async () => {
  const it = await scene();
  const gate = it.client.checkpoint('c');
  for (let i = 0; i < 3; i++) await gate.wait();
  it.forget();
  for (let i = 0; i < 100; i++) await gate.wait();
  equal(told(it), []);
  await it.end();
});

test('sessions are told of, with the one above', async () => {
  const it = await scene();
  const { port1, port2 } = new MessageChannel();
  it.client.attach(port1);
  const below = await connect(port2);
  const [opened] = it.steps.flatMap((each) => (each.step === 'opened' ? [each] : []));
  equal(opened?.below, it.there);
  await below.close();
  await becomes(() => it.steps.some(({ step, session }) => step === 'ended' && session === opened!.session), true);
  await it.end();
});

test('a hub that follows a lost one has sessions of other numbers, in both views', async () => {
  const sessions = new Set<number | undefined>();
  for (const generation of [1, 2]) {
    const steps: Step[] = [];
    const trace = (step: Step): void => void steps.push(step);
    const home = { name: 'traced', generation, path: '', url: '', worker: '', module: true };
    const hub = localHub(await switchboard(load(new URL('tools.wasm', import.meta.url)), trace, home));
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    const client = await connect(port2, { trace });
    await Promise.all([hub, client].map((each) => each.signal('s').signal()));
    const told = steps.flatMap((each) => (each.step === 'opened' ? [each.session] : []));
    equal(told.length, 2);
    for (const step of ['called', 'taken', 'answered', 'settled']) {
      equal(steps.flatMap((each) => (each.step === step ? [each.session] : [])).sort(), told, step);
    }
    for (const session of told) sessions.add(session);
    await hub.close();
  }
  equal(sessions.size, 4);
});

test('a trace that throws is reported, is told no more, and changes nothing', async () => {
  let hub!: Hub;
  let calls = 0;
  const errors = await caughtErrors(async () => {
    hub = await createHub({
      trace() {
        calls++;
        throw new Error('of the trace');
      },
    });
    const wait = hub.signal('s').wait();
    equal(await hub.signal('s').signal(), 1);
    await wait;
  });
  equal(calls, 2, 'once by the hub, once by the client of its realm');
  equal(errors.map(({ message }) => message), ['of the trace', 'of the trace']);
  await hub.close();
});

test('a trace that is no function is a TypeError', async () => {
  await rejects(createHub({ trace: 1 as any }), 'TypeError', /^trace must be a function$/);
  await rejects(connect(new MessageChannel().port1, { trace: {} as any }), 'TypeError', /^trace must be a function$/);
});
