import { type Subject, quiet } from './subject.ts';

export interface Queue {
  put(item: number): unknown;
  get(): Promise<number>;
}

const sides: Subject<Queue>['sides'] = {
  clca: (hub) => hub.queue<number>('queue'),
  'floor: by hand': () => new Arrays(),
};

function putAll(via: Queue, items: number): void {
  for (let i = 0; i < items; i++) via.put(i);
}

function getAll(via: Queue, items: number): Promise<number[]> {
  const all: Promise<number>[] = [];
  for (let i = 0; i < items; i++) all.push(via.get());
  return Promise.all(all);
}

async function check(via: Queue, items: number, first: 'put' | 'get'): Promise<void> {
  if (first === 'put') putAll(via, items);
  let got = false;
  const all = getAll(via, items).finally(() => (got = true));
  if (first === 'get') {
    await quiet();
    if (got) throw new Error('got what nobody had put');
    putAll(via, items);
  }
  const wrong = (await all).findIndex((item, index) => item !== index);
  if (wrong >= 0) throw new Error(`the wrong item in place ${wrong}`);
}

/** All wait to get; then as many items are put. */
export const getThenPut: Subject<Queue> = {
  work(via, items) {
    const all = getAll(via, items);
    putAll(via, items);
    return all;
  },
  check: (via, items) => check(via, items, 'get'),
  sides,
};

/** Items are put; then all of them are got. */
export const putThenGet: Subject<Queue> = {
  work(via, items) {
    putAll(via, items);
    return getAll(via, items);
  },
  check: (via, items) => check(via, items, 'put'),
  sides,
};

class Arrays implements Queue {
  #items: number[] = [];
  #firstItem = 0;
  #waiting: ((item: number) => void)[] = [];
  #firstWaiting = 0;

  put(item: number): void {
    if (this.#firstWaiting < this.#waiting.length) {
      this.#waiting[this.#firstWaiting++]!(item);
      return;
    }
    this.#waiting = [];
    this.#firstWaiting = 0;
    this.#items.push(item);
  }

  get(): Promise<number> {
    if (this.#firstItem < this.#items.length) return Promise.resolve(this.#items[this.#firstItem++]!);
    this.#items = [];
    this.#firstItem = 0;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
