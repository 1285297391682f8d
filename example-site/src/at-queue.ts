/** Putting items into a queue, faster than they are taken out of it. */

import type { Queue } from 'clca/client';
import { count } from './counting.ts';
import type { Exhibit } from './exhibits.ts';
import type { Lane } from './lane.ts';
import { pause, told } from './outcome.ts';
import { wait } from './waiting.ts';

const toPut = 250; // milliseconds
const toTake = 1000;

export const atQueue: Exhibit<Queue<string>> = {
  of: ({ hub }) => hub.queue('jobs', { capacity: 3 }),
  activities: {
    'queue put': produce,
    'queue get': consume,
  },
  calls: { closes: (queue) => queue.close() },
  async counts(queue) {
    const { length, capacity, putting, getting, unfinished } = await queue.stats();
    return {
      text: `${length} of ${count(capacity, 'item')} · ${putting} waiting to put, ${getting} to get · ${unfinished} not done`,
      full: length,
      of: capacity,
    };
  },
  words: {
    puts: 'has put',
    full: 'waits to put',
    takes: 'takes',
    empty: 'waits for an item',
    done: 'is done with',
    stops: 'stops',
    closes: 'closes it',
  },
};

let made = 0;

async function produce(queue: Queue<string>, lane: Lane, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const item = `${lane.letter}${++made}`;
    if (!(await wait(lane, 'queue put', stop, queue.put(item, { signal: stop }), '', 'full'))) return;
    lane.become('queue put', 'running');
    lane.report('queue put', 'puts', item);
    await pause(toPut, stop);
  }
  lane.become('queue put', undefined);
  lane.report('queue put', 'stops');
}

async function consume(queue: Queue<string>, lane: Lane, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const taken = await wait(lane, 'queue get', stop, queue.get({ signal: stop }), '', 'empty');
    if (taken === undefined) return;
    lane.become('queue get', 'running');
    lane.report('queue get', 'takes', taken.value);
    await pause(toTake, stop);
    await told(queue.taskDone()); // of a queue that was closed and is empty, nobody counts it any more
    lane.report('queue get', 'done', taken.value);
  }
  lane.become('queue get', undefined);
  lane.report('queue get', 'stops');
}
