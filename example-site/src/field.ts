/** The field: all calls as dots, and each wake as it really went, slowed down. */

import type { FieldPanel } from './field-panel.ts';
import type { Wake } from './field-protocol.ts';
import { woken } from './field-wake.ts';
import { count, many, time } from './field-words.ts';

const length = 2400; // milliseconds that a wake is shown for, at most
const steps = [1, 2, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 5000];
const rest = 1600; // milliseconds that one sees the woken, before one sees them wait again
const fading = 500;

export class Field {
  readonly #calm = matchMedia('(prefers-reduced-motion: reduce)');
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `tells` the fact once it has been seen, and until then how far it is. */
  constructor(private panels: FieldPanel[], private tells: (fact: string, more: string, final: boolean) => void) {
    const again = (): void => panels.forEach((panel) => panel.again());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  }

  /** Shows a wake, in the tab of that number. */
  play(wake: Wake, tab: number): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    const took = Math.max(...this.panels.map((panel) => panel.begin(wake) ?? 0));
    const slower = steps.findLast((step) => step * took <= length) ?? 1;
    const still = this.#calm.matches || document.hidden;
    const all = Array.from(wake.times.values(), woken).filter((n) => n > 0);
    const told = all.reduce((sum, n) => sum + n, 0);
    const pace = slower === 1 ? 'at its own pace' : `slowed down ${many(slower)} times`;
    const over = (): void => {
      for (const panel of this.panels) panel.show(Infinity, 1);
      const by = wake.tab === tab ? 'One call' : `One call in tab ${wake.tab}`;
      const fact = `${by} woke ${count(wake.answered, 'call')} in ${count(all.length, 'event loop')} in ${time(took)}.`;
      const late = told === wake.answered ? '' : ` ${count(wake.answered - told, 'call')} did not tell when.`;
      const how = still ? 'These are the times' : `Shown ${pace}, from the times`;
      this.tells(fact, `${how} at which each call returned in its own loop. Now they wait again.${late}`, true);
      this.#timer = setTimeout(() => this.#fade(still), rest);
    };
    if (still) return over();
    const begun = performance.now();
    const step = (): void => {
      const after = (performance.now() - begun) / slower;
      const seen = this.panels.reduce((n, panel) => n + panel.show(after, slower), 0);
      if ((after - took) * slower > 400) return over();
      this.tells(time(Math.min(after, took)), `${many(seen)} of ${many(told)} woken, shown ${pace}`, false);
      this.#frame = requestAnimationFrame(step);
    };
    step();
  }

  #fade(still: boolean): void {
    const begun = performance.now();
    const step = (): void => {
      const faded = still || document.hidden ? 1 : (performance.now() - begun) / fading;
      if (faded >= 1) return this.panels.forEach((panel) => panel.rest());
      for (const panel of this.panels) panel.fade(faded);
      this.#frame = requestAnimationFrame(step);
    };
    step();
  }
}
