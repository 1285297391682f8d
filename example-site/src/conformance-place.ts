/** A place on the page: how far the suite is there. */

import { type PlaceResults, tallyOf } from './conformance-results.ts';
import { made } from './conformance-summary.ts';

export class PlaceRow {
  readonly results: PlaceResults;
  readonly element = made('place');
  readonly alone: HTMLButtonElement;

  constructor(place: string) {
    this.results = { place, cases: new Map(), due: 0 };
    this.element.querySelector('.name')!.textContent = place;
    this.alone = this.element.querySelector('button')!;
    this.alone.setAttribute('aria-label', `Run alone: ${place}`);
    this.show(0);
  }

  /** Of so many cases. */
  show(all: number): void {
    const { cases, skipped, error } = this.results;
    const { passed, failed } = tallyOf([this.results], [...cases.keys()]);
    this.element.dataset.state = skipped !== undefined ? 'skipped' : failed > 0 ? 'failed' : passed > 0 ? 'passed' : 'idle';
    const words = skipped ?? error ?? (all === 0 ? 'not run' : `${passed} of ${all} passed${failed > 0 ? `, ${failed} failed` : ''}`);
    const state = this.element.querySelector<HTMLElement>('.state')!;
    state.textContent = words;
    state.title = words;
  }
}
