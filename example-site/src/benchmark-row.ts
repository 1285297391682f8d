/** A row on the page: its sides, each a bar with its figures in words, and how far it is. Nothing in it ever moves. */

import type { Took } from '../../js/test/bench/interleave.ts';
import { type Figures, digits, figuresOf, time } from './benchmark-figures.ts';

const template = document.getElementById('figures') as HTMLTemplateElement;

export class Row {
  readonly name: string;
  readonly title: string;
  readonly group: string;
  readonly only: HTMLButtonElement;
  figures: Figures[] = [];
  /** Why there are none. */
  error: string | undefined;
  #element: HTMLElement;
  #sides: HTMLElement[];

  constructor(element: HTMLElement) {
    this.#element = element;
    this.name = element.dataset.row!;
    this.title = element.querySelector('h4')!.textContent!;
    this.group = element.closest('section')!.querySelector('h3')!.textContent!;
    this.only = element.querySelector('button')!;
    this.only.setAttribute('aria-label', `Run alone: ${this.title}`);
    this.#sides = [...element.querySelectorAll<HTMLElement>('[data-side]')];
    for (const side of this.#sides) side.append(template.content.cloneNode(true));
    this.clear();
  }

  /** Of the side that has most. */
  get rounds(): number {
    return Math.max(0, ...this.figures.map(({ rounds }) => rounds));
  }

  /** Whether there is a figure, or a reason why there is none. */
  get isMeasured(): boolean {
    return this.rounds > 0 || this.error !== undefined || this.figures.some(({ error }) => error !== undefined);
  }

  /** What the page calls a side. */
  label(side: string): string {
    return this.#sides.find((each) => each.dataset.side === side)?.querySelector('b')!.textContent ?? side;
  }

  clear(state = 'not run yet'): void {
    this.figures = [];
    this.error = undefined;
    for (const side of this.#sides) {
      side.dataset.state = 'empty';
      fill(side, { value: '–', ratio: '', spread: '', why: '' });
    }
    this.say('idle', state);
  }

  say(state: 'idle' | 'running' | 'done' | 'failed', words: string): void {
    this.#element.dataset.state = state;
    this.#element.querySelector('.state')!.textContent = words;
  }

  fail(error: string): void {
    this.error = error.replace(/^Error: /, '');
    for (const side of this.#sides) this.#refuse(side, this.error);
    this.say('failed', 'cannot run here');
  }

  show(took: Took[]): void {
    this.figures = figuresOf(took);
    const scale = Math.max(...this.figures.filter(({ rounds }) => rounds > 0).map(({ quartiles }) => quartiles[1]));
    for (const side of this.#sides) {
      const figures = this.figures.find((each) => each.side === side.dataset.side);
      if (figures === undefined) this.#refuse(side, 'not in this page');
      else if (figures.error !== undefined) this.#refuse(side, figures.error);
      else if (figures.rounds > 0) draw(side, figures, scale);
    }
  }

  #refuse(side: HTMLElement, why: string): void {
    side.dataset.state = 'failed';
    fill(side, { value: '–', ratio: '', spread: '', why });
    side.querySelector<HTMLElement>('.why')!.title = why;
  }
}

function draw(side: HTMLElement, { median, quartiles, ratio }: Figures, scale: number): void {
  const [low, high] = quartiles;
  side.dataset.state = 'measured';
  const spread = `, half of the rounds between ${time(low)} and ${time(high)}`;
  const compared = ratio === undefined ? '' : `${digits(ratio.median)}×`;
  fill(side, { value: time(median), spread, ratio: compared, why: '' });
  const at = (ms: number): string => (100 * ms / scale).toFixed(2);
  side.querySelector('rect')!.setAttribute('width', String(Math.max(0.4, Number(at(median))))); // to be seen
  const whisker = `M${at(low)} 5H${at(high)}M${at(low)} 3V7M${at(high)} 3V7`;
  for (const path of side.querySelectorAll('path')) path.setAttribute('d', whisker);
}

function fill(side: HTMLElement, texts: Record<string, string>): void {
  for (const [name, text] of Object.entries(texts)) side.querySelector(`.${name}`)!.textContent = text;
}
