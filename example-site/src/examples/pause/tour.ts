/**
 * The computation: a short tour through some cities, by simulated annealing. Each step looks at one change, which goes
 * through a part of the tour backwards; it is made if that is shorter, or with luck, of which there is less and less.
 */

import { random } from '../random.ts';

const cities = 90;
const steps = 24_000_000;
const [hot, cold] = [20, 0.05];
const cooling = (cold / hot) ** (1 / steps);

export interface State {
  step: number;
  steps: number;
  temperature: number;
  length: number;
  tour: { x: number; y: number }[];
  /** What the next step will do: go backwards from the one place in the tour to the other, or leave it as it is. */
  next: Change;
}

interface Change { from: number; to: number; by: number; made: boolean }

export class Tour {
  #random: () => number;
  #places: { x: number; y: number }[];
  #temperature = hot;
  #step = 0;
  #next: Change;

  constructor(seed: number) {
    this.#random = random(seed);
    this.#places = Array.from({ length: cities }, () => ({ x: 4 + 92 * this.#random(), y: 4 + 92 * this.#random() }));
    this.#next = this.#look();
  }

  get done(): boolean {
    return this.#step === steps;
  }

  step(): void {
    const { from, to, made } = this.#next;
    if (made) for (let i = from, j = to; i < j; i++, j--) this.#swap(i, j);
    this.#temperature *= cooling;
    this.#step++;
    this.#next = this.#look();
  }

  state(): State {
    return {
      step: this.#step, steps, temperature: this.#temperature, length: this.#length(), tour: this.#places, next: this.#next,
    };
  }

  #look(): Change {
    let from = Math.floor(cities * this.#random());
    let to = Math.floor(cities * this.#random());
    if (from > to) [from, to] = [to, from];
    const before = (from + cities - 1) % cities;
    const after = (to + 1) % cities;
    const by = before === to ? 0 // all of the tour: the same one
      : this.#distance(before, to) + this.#distance(from, after) - this.#distance(before, from) - this.#distance(to, after);
    return { from, to, by, made: by < 0 || this.#random() < Math.exp(-by / this.#temperature) };
  }

  #swap(i: number, j: number): void {
    const place = this.#places[i]!;
    this.#places[i] = this.#places[j]!;
    this.#places[j] = place;
  }

  #distance(i: number, j: number): number {
    const [a, b] = [this.#places[i]!, this.#places[j]!];
    return Math.hypot(a.x - b.x, a.y - b.y);
  }

  #length(): number {
    return this.#places.reduce((sum, _, i) => sum + this.#distance(i, (i + 1) % cities), 0);
  }
}
