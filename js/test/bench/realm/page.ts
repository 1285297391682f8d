// The page of the rows within one realm: `bench.realm(subject, callers)`, which js/test/bench_realm_test.go calls.

import { createHub } from 'clca';
import { type Took, race } from '../interleave.ts';
import { barrier } from './barrier.ts';
import { event } from './event.ts';
import * as libraries from './libraries/index.ts';
import { lock } from './lock.ts';
import { getThenPut, putThenGet } from './queue.ts';
import { semaphore } from './semaphore.ts';
import { signal } from './signal.ts';
import { type Offers, type Subject, sides } from './subject.ts';

const subjects = {
  signal: beside(signal, libraries.signal),
  event: beside(event, libraries.event),
  semaphore: beside(semaphore, libraries.semaphore),
  lock: beside(lock, libraries.lock),
  barrier: beside(barrier, libraries.barrier),
  getThenPut: beside(getThenPut, libraries.getThenPut),
  putThenGet: beside(putThenGet, libraries.putThenGet),
};

/** Libraries among those who offer the primitive, after clca and before what is written by hand. */
function beside<T>(subject: Subject<T>, { sides, programs }: Offers<T>): Subject<T> {
  const { clca, ...others } = subject.sides;
  return { ...subject, sides: { clca: clca!, ...sides, ...others }, programs };
}

async function realm(subject: keyof typeof subjects, callers: number): Promise<Took[]> {
  const hub = await createHub();
  const took = await race(sides<unknown>(subjects[subject] as Subject<unknown>, hub, callers));
  await hub.close();
  return took;
}

Object.assign(globalThis, { bench: { realm } });
