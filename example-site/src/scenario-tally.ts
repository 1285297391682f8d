/** What became of the calls of a play, in words. It knows no scenario: it was told what began and how it ended. */

import { type Kind, type Method, type Who, names } from './scenario.ts';

interface Made {
  who: Who | 'start';
  method: Method | 'run';
  at: number; // the step at which it was made
  left?: true;
  end?: { at: number; ok: boolean; text: string; cancelled?: boolean };
  closed?: true;
}

export class Tally {
  #step = 0;
  #made = new Map<string, Made>();
  #logged: string[] = [];

  constructor(readonly kind: Kind) {}

  /** The next step begins. */
  step(): void {
    this.#step++;
  }

  made(id: string, who: Who | 'start', method: Method | 'run'): void {
    this.#made.set(id, { who, method, at: this.#step });
  }

  /** Who made it gave it up. */
  left(id: string): void {
    const made = this.#made.get(id);
    if (made !== undefined) made.left = true;
  }

  settled(id: string, ok: boolean, text: string, cancelled = false): void {
    const made = this.#made.get(id);
    if (made !== undefined) made.end ??= { at: this.#step, ok, text, cancelled };
  }

  /** What was started is stopped. */
  closed(id: string): void {
    const made = this.#made.get(id);
    if (made !== undefined) made.closed = true;
  }

  /** The loop of those calls is no more. */
  gone(who: Who): void {
    for (const made of this.#made.values()) if (made.who === who) made.end ??= { at: this.#step, ok: false, text: 'gone' };
  }

  /** Somebody was told of an error that belongs to no call. */
  logged(text: string): void {
    this.#logged.push(text);
  }

  get logs(): number {
    return this.#logged.length;
  }

  get pending(): string[] {
    return [...this.#made].filter(([, { end }]) => end === undefined).map(([id]) => id);
  }

  /** How each of those ended that took part, all that wait still being such that nothing more happens. */
  ends(): string {
    const said = new Map<string, string[]>();
    for (const who of ['A', 'B', 'page', 'start'] as const) {
      const words = [...this.#made.values()].filter((made) => made.who === who).map((made) => this.#word(made));
      const word = words.filter((each) => each !== '').join(', then ');
      if (word !== '') said.set(word, [...said.get(word) ?? [], names[who]]);
    }
    const sentences = [...said].map(([word, whos]) => `${whos.join(' and ')}: ${word}.`);
    if (this.#logged.length > 0) sentences.push(`${names.log}: ${this.#logged.join(', ')}.`);
    return sentences.join(' ');
  }

  #word({ method, at, left, end, closed }: Made): string {
    const call = method === 'wait' || method === 'ask' ? '' : `${method}() `;
    if (end === undefined) return method === 'run' ? 'goes on' : `${call}waits for ever`;
    if (method === 'run') return closed ? `${end.text}, then stopped` : end.text;
    if (!end.ok) return left && end.cancelled ? 'left' : `${call}${end.text}`;
    switch (method) {
      case 'signal': case 'resume': return end.text && `${call}→ ${end.text}`;
      case 'arm': return 'arm() done';
      case 'stop': return '';
      case 'ask': return left ? `${end.text}, though it left` : end.text;
      case 'wait': return this.#woken(at, end.at);
    }
  }

  #woken(at: number, end: number): string {
    const waker = this.kind === 'signal' ? 'signal' : 'resume';
    const woken = [...this.#made.values()].some((made) => made.method === waker && made.at >= at && made.at <= end);
    if (this.kind === 'signal') return woken ? 'woken' : 'woken, though nobody signalled';
    if (woken) return 'resumed';
    return at === end ? 'passes' : 'passes, though nobody resumed';
  }
}
