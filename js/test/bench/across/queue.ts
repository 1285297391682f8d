/** Handing items from one realm to others: the queues of all peers, and what is done with them. */

import type { Part, Realm } from './realm.ts';

interface Queue {
  put(item: unknown, move: Transferable[]): unknown;
  get(): Promise<unknown>;
  /** A loop over the items, where that is another thing than `get()` time and again. */
  items?(): AsyncIterable<unknown>;
}

const capacity = 64;

const queues: Record<string, (realm: Realm, name: string) => Queue> = {
  clca: ({ hub }, name) => {
    const queue = hub.queue<unknown>(name, { capacity });
    return { put: (item, move) => queue.put(item, { transfer: move }), get: () => queue.get() };
  },
  'clca items()': ({ hub }, name) => {
    const queue = hub.queue<unknown>(`${name} of items`, { capacity });
    return {
      put: (item, move) => queue.put(item, { transfer: move }),
      get: () => queue.get(),
      items: () => queue.items(),
    };
  },
  comlink: ({ libraries }, name) => ({
    put: (item, move) => libraries!.coordinator.put(name, move.length > 0 ? libraries!.transfer(item, move) : item),
    get: () => libraries!.coordinator.get(name),
  }),
  'floor: MessageChannel': ({ lines }, name) => {
    let turn = 0;
    return {
      put: (item, move) => lines[turn++ % lines.length]!.post(name, item, move),
      get: () => lines[0]!.get(name),
    };
  },
};

const made = new Map<string, Queue>();

function queueOf(realm: Realm, via: string, name: string): Queue {
  const key = `${via} ${name}`;
  let queue = made.get(key);
  if (queue === undefined) made.set(key, (queue = queues[via]!(realm, name)));
  return queue;
}

/** Items as they are to be sent: small ones are copied, large ones move. Each begins with its number. */
function itemsOf(count: number, bytes: number): { items: ArrayBuffer[]; move: (item: ArrayBuffer) => Transferable[] } {
  const items = Array.from({ length: count }, (_, i) => {
    const item = new ArrayBuffer(bytes);
    new Uint32Array(item, 0, 1)[0] = i;
    return item;
  });
  return { items, move: bytes < 1000 ? () => [] : (item) => [item] };
}

const numberOf = (item: unknown): number => new Uint32Array(item as ArrayBuffer, 0, 1)[0]!;

/** How many puts may be on their way: as many as a queue of ours holds. */
const outstanding = capacity;

/**
 * Puts so many items, as fast as they are taken, for so many realms to consume. Returns milliseconds from the first put
 * until all realms have told that they saw the end, and the numbers of the items there.
 */
export const produce: Part = async (realm, _reply, via, count: number, bytes: number, consumers: number) => {
  const { items, move } = itemsOf(count, bytes);
  if (via === 'workerpool') {
    const pool = await realm.libraries!.taskPool(`consume ${consumers}`, consumers);
    const start = performance.now();
    const numbers = await windowed(items, (item) => pool.exec('consume', [item], { transfer: move(item) }));
    return { ms: performance.now() - start, numbers };
  }
  const queue = queueOf(realm, via, 'items');
  const told = realm.lines.map((line) => line.get('consumed') as Promise<number[]>);
  const start = performance.now();
  await windowed(items, (item) => queue.put(item, move(item)));
  for (let i = 0; i < consumers; i++) void queue.put('end', []);
  const numbers = await Promise.all(told);
  return { ms: performance.now() - start, numbers: numbers.flat() };
};

/** Calls for each item, so many at a time. */
async function windowed<T, R>(items: T[], call: (item: T) => R): Promise<Awaited<R>[]> {
  const results: Awaited<R>[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: outstanding }, async () => {
    while (next < items.length) results.push(await call(items[next++]!));
  }));
  return results;
}

/** Takes items until the end. Replies at once, and tells the first realm which they were. */
export const consume: Part = async (realm, reply, via) => {
  reply();
  const queue = queueOf(realm, via, 'items');
  const numbers: number[] = [];
  for await (const item of queue.items?.() ?? each(queue)) {
    if (item === 'end') break;
    numbers.push(numberOf(item));
  }
  realm.lines[0]!.post('consumed', numbers);
};

async function* each(queue: Queue): AsyncIterable<unknown> {
  for (;;) yield await queue.get();
}

/** One item at a time, and the answer of who got it. Returns the milliseconds of all. */
export const bounce: Part = async (realm, _reply, via, times: number, bytes: number): Promise<number> => {
  const { items, move } = itemsOf(times, bytes);
  if (via === 'workerpool') {
    const pool = await realm.libraries!.taskPool('bounce', 1);
    return timed(items, (item) => pool.exec('consume', [item], { transfer: move(item) }));
  }
  const [there, back] = [queueOf(realm, via, 'there'), queueOf(realm, via, 'back')];
  return timed(items, (item) => {
    const answer = back.get();
    void there.put(item, move(item));
    return answer;
  });
};

async function timed(items: ArrayBuffer[], bounced: (item: ArrayBuffer) => PromiseLike<unknown>): Promise<number> {
  const numbers = [];
  const start = performance.now();
  for (const item of items) numbers.push(await bounced(item));
  const ms = performance.now() - start;
  if (numbers.some((number, i) => number !== i)) throw new Error(`other answers than items: ${numbers}`);
  return ms;
}

/** Answers so many items with their numbers. Replies at once. */
export const acknowledge: Part = async (realm, reply, via, times: number) => {
  reply();
  const [there, back] = [queueOf(realm, via, 'there'), queueOf(realm, via, 'back')];
  for (let i = 0; i < times; i++) void back.put(numberOf(await there.get()), []);
};
