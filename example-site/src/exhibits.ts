/** The primitives that the site shows. Each has a file of its own, and a panel in index.html. */

import { atBarrier } from './at-barrier.ts';
import { atCheckpoint } from './at-checkpoint.ts';
import { atCondition } from './at-condition.ts';
import { atEvent } from './at-event.ts';
import { atLatch } from './at-latch.ts';
import { atLock } from './at-lock.ts';
import { atOnce } from './at-once.ts';
import { atPool } from './at-pool.ts';
import { atQueue } from './at-queue.ts';
import { atResource } from './at-resource.ts';
import { atRwlock } from './at-rwlock.ts';
import { atSemaphore } from './at-semaphore.ts';
import { atSignal } from './at-signal.ts';
import { atTask } from './at-task.ts';
import type { Lane } from './lane.ts';
import type { Activity, Order, Primitive } from './protocol.ts';

/** What a lane does from one order to the other; it ends by itself, or early once `stop` is aborted. */
export type Doing<P> = (at: P, lane: Lane, stop: AbortSignal, order: Order & { do: 'start' }) => Promise<void>;

export interface Exhibit<P> {
  /** What all lanes share, as one of them sees it. */
  of(lane: Lane): P | Promise<P>;
  activities: Partial<Record<Activity, Doing<P>>>;
  /** Those that can be begun again while they are under way. */
  nests?: Activity[];
  /** What a lane can do at once, by the step that tells of it. The page shows the code of each as it is written. */
  calls?: Record<string, (at: P) => Promise<unknown>>;
  /** What the hub itself counts. */
  counts?(at: P): Promise<Counts>;
  /** What its steps are called on the page, where words.ts does not say so for all. */
  words: Record<string, string>;
}

export interface Counts {
  text: string;
  /** How many of how many are full, to be drawn. */
  full?: number;
  of?: number;
  /** Who holds and who waits, to be listed. */
  held?: string[];
  pending?: string[];
}

export const exhibits: Record<Primitive, Exhibit<any>> = {
  signal: atSignal, event: atEvent, checkpoint: atCheckpoint, barrier: atBarrier, latch: atLatch,
  lock: atLock, rwlock: atRwlock, semaphore: atSemaphore, condition: atCondition,
  task: atTask, resource: atResource, once: atOnce, pool: atPool, queue: atQueue,
};
