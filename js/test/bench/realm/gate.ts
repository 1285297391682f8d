import { Arrivals, quiet } from './subject.ts';

/** What lets in so many at a time: a semaphore, or a lock. */
export interface Gate {
  /** Goes in and leaves again; resolves when that is done. */
  pass(inside?: () => void): Promise<unknown>;
  /** Goes in and stays there until the function is called that it resolves with. */
  hold(): Promise<() => unknown>;
}

export function passAll(via: Gate, callers: number): Promise<unknown>[] {
  const all: Promise<unknown>[] = [];
  for (let i = 0; i < callers; i++) all.push(via.pass());
  return all;
}

/** Throws unless it lets in so many, and then the others in the order in which they came. */
export async function checkGate(via: Gate, permits: number, callers: number): Promise<void> {
  for (let again = 0; again < 2; again++) {
    const held = await Promise.all(Array.from({ length: permits }, () => via.hold()));
    const inside = new Arrivals();
    const all = Array.from({ length: callers }, (_, i) => via.pass(() => inside.order.push(i)));
    await quiet();
    inside.check(0, 'before anybody left');
    await held.pop()!();
    await Promise.all(all);
    inside.check(callers, 'after that');
    for (const leave of held) await leave();
  }
}

/** A gate of what is acquired, with what releases it. */
export function gate<T>(acquire: () => Promise<T>, release: (held: T) => unknown): Gate {
  return {
    async pass(inside) {
      const held = await acquire();
      inside?.();
      await release(held);
    },
    async hold() {
      const held = await acquire();
      return () => release(held);
    },
  };
}

/** A gate that runs what is to be done inside. */
export function runner(through: (inside: () => unknown) => Promise<unknown>): Gate {
  const nothing = (): void => {};
  return {
    pass: (inside = nothing) => through(inside),
    hold: () => new Promise((enter) => void through(() => new Promise<void>((leave) => enter(leave)))),
  };
}

export function byHand(permits: number): Gate {
  const slots = new Slots(permits);
  return gate(() => slots.acquire(), () => slots.release());
}

class Slots {
  #free: number;
  #waiting: (() => void)[] = [];
  #first = 0;

  constructor(permits: number) {
    this.#free = permits;
  }

  acquire(): Promise<void> {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free--;
    return Promise.resolve();
  }

  release(): void {
    if (this.#first < this.#waiting.length) {
      this.#waiting[this.#first++]!();
    } else {
      this.#free++;
      this.#waiting = [];
      this.#first = 0;
    }
  }
}
