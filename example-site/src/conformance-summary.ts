/** A line on the page that sums something up: a name, a square for each place, and how it is in words. */

import type { State } from './conformance-results.ts';

export class Summary {
  readonly #element: HTMLElement;
  readonly #squares: HTMLElement[];

  constructor(element: HTMLElement, name: string, places: number) {
    this.#element = element;
    element.querySelector('.name')!.textContent = name;
    this.#squares = Array.from({ length: places }, () => document.createElement('i'));
    element.querySelector('.squares')!.append(...this.#squares);
  }

  show(states: State[], words: string): void {
    for (const [i, state] of states.entries()) this.#squares[i]!.dataset.state = state;
    this.#element.dataset.state = summed(states);
    this.#element.querySelector('.state')!.textContent = words;
  }
}

/** What is worst comes first. */
export function summed(states: State[]): State {
  return (['failed', 'running', 'idle', 'passed', 'skipped'] as const).find((state) => states.includes(state)) ?? 'idle';
}

/** The element that the template makes. */
export function made(template: string): HTMLElement {
  const { content } = document.getElementById(template) as HTMLTemplateElement;
  return content.firstElementChild!.cloneNode(true) as HTMLElement;
}
