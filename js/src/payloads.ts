import { ItemNumbers, type Status } from './abi.ts';
import type { Endpoint } from './endpoint.ts';
import type { Payload } from './payload.ts';

/** What a run came to, or an item of a queue. */
export interface Kept {
  payload: Payload;
  /** Who ran it, and has it as it was. */
  by?: Endpoint | undefined;
  /** Where it has gone, as it could not be copied. */
  away?: Endpoint | undefined;
  /** Who has been granted it meanwhile. */
  wanted?: { endpoint: Endpoint; call: number; status: Status } | undefined;
}

/** What Go knows by its number alone: Go numbers the runs, and items have numbers that are used again. */
export class Payloads {
  #runs = new Map<number, Kept>();
  #items: (Kept | undefined)[] = [];
  #free: number[] = [];
  #freed: number[] = []; // in the present turn: messages that name them may have yet to be sent

  get(number: number): Kept | undefined {
    return number < ItemNumbers ? this.#runs.get(number) : this.#items[number - ItemNumbers];
  }

  /** Keeps what a run came to. */
  set(run: number, kept: Kept): void {
    this.#runs.set(run, kept);
  }

  /** Keeps an item, and returns its number. */
  add(payload: Payload): number {
    const index = this.#free.length > 0 ? this.#free.pop()! : this.#items.length;
    this.#items[index] = { payload };
    return ItemNumbers + index;
  }

  delete(number: number): void {
    if (number < ItemNumbers) {
      this.#runs.delete(number);
    } else if (this.#items[number - ItemNumbers] !== undefined) {
      this.#items[number - ItemNumbers] = undefined;
      if (this.#freed.push(number - ItemNumbers) === 1) queueMicrotask(this.#recycle);
    }
  }

  /** Comes after the messages of this turn are sent: who sends them was the first to ask for that. */
  #recycle = (): void => {
    for (const index of this.#freed) this.#free.push(index);
    this.#freed = [];
    if (this.#free.length === this.#items.length && this.#free.length > 1024) this.clear(true); // what a crowd needed is not kept
  };

  /** Forgets all of them, or all items. */
  clear(items = false): void {
    if (!items) this.#runs.clear();
    this.#items = [];
    this.#free = [];
    this.#freed = [];
  }

  /** Calls `each` with all that are kept. */
  each(each: (number: number, kept: Kept) => void): void {
    for (const [number, kept] of this.#runs) each(number, kept);
    for (const [index, kept] of this.#items.entries()) if (kept !== undefined) each(ItemNumbers + index, kept);
  }
}
