/** A part of the suite on the page: how its cases are together, and, once one opens it, each of them. */

import type { CaseRow } from './conformance-case.ts';
import type { State } from './conformance-results.ts';
import { Summary, made, summed } from './conformance-summary.ts';

export class PartRows {
  readonly element = made('part') as HTMLDetailsElement;
  readonly rows: CaseRow[];
  readonly #summary: Summary;

  constructor(part: string, places: number, rows: CaseRow[]) {
    this.rows = rows;
    this.#summary = new Summary(this.element.querySelector('summary')!, part, places);
    this.element.addEventListener('toggle', () => this.#fill());
    this.show();
  }

  show(): void {
    const states = this.rows.map((row) => row.states);
    const byPlace = states[0]!.map((_, place) => together(states.map((each) => each[place]!)));
    const all = states.flat();
    const count = (state: State): number => all.filter((each) => each === state).length;
    const cases = `${this.rows.length} case${this.rows.length === 1 ? '' : 's'}`;
    this.#summary.show(byPlace, count('failed') > 0 ? `${count('failed')} failed` : cases);
  }

  /** Shows those alone, or is not shown if there is none. */
  choose(chosen: (row: CaseRow) => boolean, open: boolean): void {
    for (const row of this.rows) row.element.hidden = !chosen(row);
    this.element.hidden = this.rows.every((row) => row.element.hidden);
    this.element.open = open && !this.element.hidden;
    this.#fill();
  }

  /** The cases are many, and come into the page as somebody looks. */
  #fill(): void {
    const list = this.element.querySelector('ul')!;
    if (this.element.open && list.childElementCount === 0) list.append(...this.rows.map((row) => row.element));
  }
}

/** Of some cases in a place: it has passed what has passed, as long as the others were not asked for. */
function together(states: State[]): State {
  return summed(states.includes('passed') ? states.filter((state) => state !== 'idle') : states);
}
