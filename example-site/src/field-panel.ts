/** One event loop on the page, or the other tabs: its calls as dots, and what it says of them. */

import { find } from './column.ts';
import { Dots, Look } from './field-dots.ts';
import type { Wake } from './field-protocol.ts';
import { count, time } from './field-words.ts';

/** The calls of one realm, and which of them have left. */
export interface Calls {
  realm: string;
  calls: number;
  left: Set<number>;
}

/** One of them: its realm, and which it is there. */
export type Call = [realm: string, call: number];

/** A wake as it is shown: when each dot was woken, after the call that did it. */
interface Shown {
  after: Float64Array; // not a number where it was not
  order: Uint32Array; // the dots that were, as they were
  seen: number; // of these
}

const pulse = 320; // milliseconds that a dot takes to be as large as the others again
const awake = 1.25; // the size of a dot that was woken
const largest = 2;

export class FieldPanel {
  #dots: Dots;
  #width = 0;
  #of: Calls[] = [];
  #looks = new Uint8Array(0);
  #scales = new Float32Array(0);
  #shown: Shown | undefined;
  #over: number | undefined; // the dot that the pointer is on

  /** Called when one presses the dot of a call that waits. */
  onLeave: (call: Call) => void = () => {};

  /** While nobody is there, it shows where so many would be. */
  constructor(readonly element: HTMLElement, private absent: number) {
    const canvas = find<HTMLCanvasElement>(element, 'canvas');
    this.#dots = new Dots(canvas);
    new ResizeObserver(([entry]) => {
      const [exact] = entry!.devicePixelContentBoxSize ?? [];
      this.#width = exact?.inlineSize ?? Math.round(entry!.contentRect.width * devicePixelRatio);
      this.again();
    }).observe(canvas);
    canvas.onpointermove = (event) => this.#point(this.#at(event));
    canvas.onpointerleave = () => this.#point(undefined);
    canvas.onclick = (event) => {
      const call = this.#call(this.#at(event));
      if (call !== undefined) this.onLeave(call);
    };
    this.#room(absent);
  }

  /** Shows these from now on, which it had before but for some that have left, or not. */
  has(of: Calls[]): void {
    const same = of.length === this.#of.length && of.every(({ realm }, at) => realm === this.#of[at]!.realm);
    this.#of = of;
    if (!same || this.#shown === undefined) this.rest();
  }

  is(title: string, kind: string): void {
    find(this.element, 'h3').textContent = title;
    find(this.element, '.kind').textContent = kind;
  }

  get title(): string {
    return find(this.element, 'h3').textContent!;
  }

  get waiting(): number {
    return this.#of.reduce((n, { calls, left }) => n + calls - left.size, 0);
  }

  /** One of those that wait, as they come. */
  any(): Call | undefined {
    const start = Math.floor(Math.random() * this.#looks.length);
    for (let i = 0; i < this.#looks.length; i++) {
      const call = this.#call((start + i) % this.#looks.length);
      if (call !== undefined) return call;
    }
    return undefined;
  }

  /** Says it in one of the lines, in parts that stay together. */
  says(line: 'state' | 'times', ...parts: string[]): void {
    const spans = parts.map((textContent) => Object.assign(document.createElement('span'), { textContent }));
    find(this.element, `.${line}`).replaceChildren(...spans.flatMap((span) => [span, ' ']));
    if (line === 'state') this.#dots.canvas.ariaLabel = `${this.title}: ${parts.join(' ')}`;
  }

  /** Draws what is so now. */
  rest(): void {
    this.#shown = undefined;
    const { waiting } = this;
    const dots = this.#of.reduce((n, { calls }) => n + calls, 0);
    this.element.dataset.waiting = String(waiting);
    if (dots > 0) this.says('state', `${count(waiting, 'call')} wait${waiting < dots ? `, ${dots - waiting} left` : ''}`);
    this.#room(dots || this.absent);
    let at = 0;
    for (const { calls, left } of this.#of) {
      this.#looks.fill(Look.waiting, at, at + calls);
      for (const call of left) this.#looks[at + call] = Look.left;
      at += calls;
    }
    this.#draw();
  }

  /** Draws anew, as its size or the colours of the page have changed. */
  again(): void {
    this.#measure();
    this.#draw();
  }

  /** Begins to show a wake; returns how long that took, or undefined if it woke nobody here. */
  begin({ at, times }: Wake): number | undefined {
    this.rest();
    this.says('times');
    const after = new Float64Array(this.#looks.length).fill(NaN);
    let from = 0;
    for (const { realm, calls } of this.#of) {
      const its = times.get(realm);
      for (let call = 0; its !== undefined && call < calls; call++) {
        after[from + call] = Math.max(0, its[call]! - at);
        if (Number.isNaN(its[call]!)) this.#looks[from + call] = Look.left;
      }
      from += calls;
    }
    const woken = Uint32Array.from(after.keys()).filter((dot) => !Number.isNaN(after[dot]!));
    this.element.dataset.woken = String(woken.length);
    if (woken.length === 0) return undefined;
    const order = woken.sort((a, b) => after[a]! - after[b]!);
    this.#shown = { after, order, seen: 0 };
    this.#draw();
    return after[order.at(-1)!];
  }

  /** Shows how it was so long after the call, so many times slower than it was; returns how many were woken by then. */
  show(after: number, slower: number): number {
    const shown = this.#shown;
    if (shown === undefined) return 0;
    const { order } = shown;
    const before = shown.seen;
    while (shown.seen < order.length && shown.after[order[shown.seen]!]! <= after) this.#looks[order[shown.seen++]!] = Look.woken;
    let moves = shown.seen > before;
    for (let i = shown.seen - 1; i >= 0; i--) {
      const dot = order[i]!;
      const done = Math.min(1, (after - shown.after[dot]!) * slower / pulse);
      if (done === 1 && this.#scales[dot] === awake) break; // and so are all that were woken before
      this.#scales[dot] = awake + (largest - awake) * (1 - done) ** 2;
      moves = true;
    }
    if (moves) this.#draw();
    if (shown.seen > before) {
      const [first, last] = [order[0]!, order.at(-1)!].map((dot) => time(shown.after[dot]!));
      this.says('state', `${count(shown.seen, 'call')} woken`);
      if (shown.seen < order.length) this.says('times', `first after ${first}`);
      else this.says('times', `first after ${first},`, `last after ${last}`);
    }
    return shown.seen;
  }

  /** They wait again, and fade to what they looked like before, up to 1. */
  fade(faded: number): void {
    if (this.#shown === undefined) return;
    this.#scales.fill(awake + (1 - awake) * faded);
    this.#draw(faded);
  }

  #room(dots: number): void {
    if (this.#looks.length !== dots) {
      this.#looks = new Uint8Array(dots);
      this.#scales = new Float32Array(dots);
      this.#over = undefined;
      this.#measure();
    }
    this.#looks.fill(Look.none);
    this.#scales.fill(1);
    if (this.#over !== undefined) this.#scales[this.#over] = largest;
  }

  #measure(): void {
    if (this.#width > 0) this.#dots.measure(this.#looks.length, this.#width);
  }

  #draw(faded = 0): void {
    if (this.#width > 0) this.#dots.draw(this.#looks, this.#scales, faded);
  }

  #at(event: MouseEvent): number | undefined {
    const { left, top, width, height } = this.#dots.canvas.getBoundingClientRect();
    return this.#dots.at((event.clientX - left) / width, (event.clientY - top) / height);
  }

  #point(dot: number | undefined): void {
    const over = this.#shown === undefined && this.#call(dot) !== undefined ? dot : undefined;
    this.#dots.canvas.style.cursor = over === undefined ? '' : 'pointer';
    if (over === this.#over) return;
    if (this.#over !== undefined && this.#shown === undefined) this.#scales[this.#over] = 1;
    this.#over = over;
    if (over !== undefined) this.#scales[over] = largest;
    if (this.#shown === undefined) this.#draw();
  }

  /** The call that waits as this dot. */
  #call(dot: number | undefined): Call | undefined {
    if (dot === undefined) return undefined;
    let from = 0;
    for (const { realm, calls, left } of this.#of) {
      if (dot < from + calls) return left.has(dot - from) ? undefined : [realm, dot - from];
      from += calls;
    }
    return undefined;
  }
}
