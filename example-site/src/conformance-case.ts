/** A case on the page: how it is in all places, and, once one opens it, what came of it in each. */

import { type PlaceResults, type State, stateOf } from './conformance-results.ts';
import { Summary, made } from './conformance-summary.ts';

export class CaseRow {
  readonly name: string;
  readonly element = made('case');
  readonly #details = this.element.querySelector('details')!;
  readonly #summary: Summary;
  readonly #places: PlaceResults[];

  constructor(name: string, places: PlaceResults[], runAlone: () => void) {
    this.name = name;
    this.#places = places;
    this.#summary = new Summary(this.#details.querySelector('summary')!, name, places.length);
    const button = this.#details.querySelector('button')!;
    button.setAttribute('aria-label', `Run alone: ${name}`);
    button.addEventListener('click', runAlone);
    this.#details.addEventListener('toggle', () => this.#tell());
    this.show();
  }

  get states(): State[] {
    return this.#places.map((each) => stateOf(each, this.name));
  }

  get failed(): boolean {
    return this.states.includes('failed');
  }

  show(): void {
    this.#summary.show(this.states, words(this.states));
    this.#tell();
  }

  #tell(): void {
    if (!this.#details.open) return;
    this.#details.querySelector('ul')!.replaceChildren(...this.#places.map((each) => {
      const item = document.createElement('li');
      const result = each.cases.get(this.name);
      const why = each.skipped ?? result?.skipped;
      item.dataset.state = stateOf(each, this.name);
      item.textContent = `${each.place}: ${spoken[stateOf(each, this.name)]}`;
      if (result !== undefined) item.textContent += `, ${result.ms.toFixed(1)} ms`;
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

const spoken: Record<State, string> = {
  idle: 'not run', running: 'runs', passed: 'passed', failed: 'failed', skipped: 'skipped',
};

function words(states: State[]): string {
  for (const state of ['failed', 'running', 'passed', 'skipped'] as const) {
    const count = states.filter((each) => each === state).length;
    if (count > 0) return state === 'running' ? 'runs' : `${state} in ${count}`;
  }
  return spoken.idle;
}
