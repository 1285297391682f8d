import type { Hub } from 'clca';
import { type Work, within } from '../interleave.ts';

/** A primitive, the work that is timed on it, and who offers it without any library. */
export interface Subject<T> extends Offers<T> {
  /** So many callers each await a Promise of their own, until all of them have settled. */
  work(via: T, callers: number): Promise<unknown>;
  /** Throws unless it does what it says: who must wait does, and all go on in the order in which they came. */
  check(via: T, callers: number): Promise<void>;
}

/** Those who offer a primitive: clca first, where it is among them. */
export interface Offers<T> {
  /** What begins with `floor` is no library, but as little as one can write by hand. */
  sides: Record<string, (hub: Hub, callers: number) => T>;
  /** Those who do the work in a way of their own; it resolves with an array of as many as have gone on. */
  programs?: Record<string, (callers: number) => () => Promise<unknown[]>>;
}

/** Who has arrived, in which order. */
export class Arrivals {
  readonly order: number[] = [];

  /** Notes when the promise settles, as the next of those that were given here. */
  async expect(promise: Promise<unknown>, index: number): Promise<void> {
    await promise;
    this.order.push(index);
  }

  /** Throws unless so many have arrived, in order. */
  check(many: number, when: string): void {
    if (this.order.length !== many) throw new Error(`${this.order.length} had gone on ${when}, not ${many}`);
    const early = this.order.findIndex((arrived, index) => arrived !== index);
    if (early >= 0) throw new Error(`${this.order[early]} went on in place ${early} ${when}`);
  }
}

/** Lets all happen that is under way. */
export async function quiet(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve));
}

/** What makes each ready, twice: to be checked, with no more callers than show what it does, and to be timed. */
export function sides<T>(
  { work, check, sides, programs = {} }: Subject<T>, hub: Hub, callers: number,
): Record<string, () => Promise<Work>> {
  const enough = Math.min(callers, 1000);
  const all: Record<string, () => Promise<Work>> = {};
  for (const [name, make] of Object.entries(sides)) {
    all[name] = async () => {
      await within(20_000, check(make(hub, enough), enough));
      await hub.stats(); // the names that were in use are free again
      const via = make(hub, callers);
      return () => work(via, callers);
    };
  }
  for (const [name, make] of Object.entries(programs)) {
    all[name] = async () => {
      const { length } = await within(20_000, make(enough)());
      if (length !== enough) throw new Error(`${length} have gone on, not ${enough}`);
      return make(callers);
    };
  }
  return all;
}
