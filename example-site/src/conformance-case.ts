/** A case on the page: a square for each place, and, once one opens it, what came of it there. */

import { type PlaceResults, type State, stateOf } from './conformance-results.ts';

const template = document.getElementById('case') as HTMLTemplateElement;

export class CaseRow {
  readonly name: string;
  readonly element: HTMLElement;
  readonly #squares: HTMLElement[];
  readonly #places: PlaceResults[];

  constructor(name: string, places: PlaceResults[], runAlone: () => void) {
    this.name = name;
    this.#places = places;
    this.element = (template.content.cloneNode(true) as DocumentFragment).firstElementChild as HTMLElement;
    find(this.element, '.name').textContent = name;
    this.#squares = places.map(() => document.createElement('i'));
    find(this.element, '.squares').append(...this.#squares);
    const button = find(this.element, 'button');
    button.setAttribute('aria-label', `Run alone: ${name}`);
    button.addEventListener('click', runAlone);
    find(this.element, 'details').addEventListener('toggle', () => this.#tell());
    this.show();
  }

  get failed(): boolean {
    return this.element.dataset.state === 'failed';
  }

  show(): void {
    const states = this.#places.map((each) => stateOf(each, this.name));
    for (const [i, state] of states.entries()) this.#squares[i]!.dataset.state = state;
    const { state, words } = summed(states);
    this.element.dataset.state = state;
    find(this.element, '.state').textContent = words;
    this.#tell();
  }

  #tell(): void {
    if (!(find<HTMLDetailsElement>(this.element, 'details')).open) return;
    find(this.element, 'details ul').replaceChildren(...this.#places.map((each) => {
      const item = document.createElement('li');
      const state = stateOf(each, this.name);
      const result = each.cases.get(this.name);
      item.dataset.state = state;
      item.textContent = `${each.place}: ${spoken(state)}`;
      if (result !== undefined) item.textContent += `, ${result.ms.toFixed(1)} ms`;
      const why = each.skipped ?? result?.skipped;
      if (why !== undefined) item.textContent += `: ${why}`;
      if (result?.error !== undefined) {
        const error = document.createElement('pre');
        error.tabIndex = 0; // it may be wider than the page
        error.textContent = result.error;
        item.append(error);
      }
      return item;
    }));
  }
}

function summed(states: State[]): { state: State; words: string } {
  const count = (state: State): number => states.filter((each) => each === state).length;
  if (count('failed') > 0) return { state: 'failed', words: `failed in ${count('failed')}` };
  if (count('running') > 0) return { state: 'running', words: 'runs' };
  if (count('passed') > 0) return { state: 'passed', words: `passed in ${count('passed')}` };
  const state = states[0]!;
  return { state, words: spoken(state) };
}

function spoken(state: State): string {
  return { idle: 'not run', running: 'runs', passed: 'passed', failed: 'failed', skipped: 'skipped' }[state];
}

function find<T extends HTMLElement>(element: HTMLElement, selector: string): T {
  return element.querySelector<T>(selector)!;
}
