/** One scenario on the page, and the buttons that play it. */

import { Diagram } from './diagram.ts';
import type { Recorded } from './record.ts';
import { castOf } from './scenario-cast.ts';
import type { ClcaTheatre } from './scenario-clca.ts';
import { authors } from './scenario-list.ts';
import { playPython } from './scenario-python.ts';
import type { Original, Scenario } from './scenario.ts';

type Side = 'clca' | 'original';

export class ScenarioView {
  #article = document.querySelector<HTMLElement>('.play')!;
  #diagrams = { clca: this.#diagram('clca', 'With clca'), original: this.#diagram('original', 'With the original') };
  #playing = new Map<Side, AbortController>();
  #scenario!: Scenario;
  #original!: Original;

  constructor(readonly theatre: Promise<ClcaTheatre>, readonly beat: number) {
    this.#find('.of-both').append(this.#find('.key'));
    for (const button of this.#article.querySelectorAll<HTMLElement>('[data-play]')) {
      const sides: Side[] = button.dataset['play'] === 'both' ? ['clca', 'original'] : [button.dataset['play'] as Side];
      button.onclick = () => this.#play(...sides);
    }
  }

  show(scenario: Scenario): void {
    for (const playing of this.#playing.values()) playing.abort();
    this.#scenario = scenario;
    this.#find('h2').textContent = scenario.title;
    this.#find('.about').textContent = scenario.about;
    this.#find('.acts').replaceChildren(...scenario.acts.map(({ says }) => element('li', says)));
    const modes = this.#find('.modes');
    modes.hidden = scenario.originals.length < 2;
    modes.replaceChildren(...scenario.originals.map((original, index) => {
      const label = element('label');
      const input = element('input');
      Object.assign(input, { type: 'radio', name: 'original', checked: index === 0, value: original.code });
      input.onchange = () => this.#choose(original);
      label.append(input, element('span', authors[original.code]));
      return label;
    }));
    this.#find('[data-side=clca] .ended p').textContent = scenario.ends;
    this.#clear('clca');
    this.#choose(scenario.originals[0]!);
    this.#article.hidden = false;
  }

  #choose(original: Original): void {
    this.#playing.get('original')?.abort();
    this.#original = original;
    this.#find('[data-side=original] .ended p').textContent = original.ends;
    this.#clear('original');
    const { wrong } = original;
    const fault = this.#find('.fault');
    fault.toggleAttribute('data-right', wrong === undefined);
    this.#find('.fault code').textContent = wrong?.lines ?? '';
    this.#find('.fault .why').textContent = wrong?.why ?? 'Here the original does what is right.';
    this.#find('.fault .rule').replaceChildren(element('b', 'clca: '), wrong?.rule ?? '');
  }

  #diagram(side: Side, label: string): Diagram {
    return new Diagram(this.#find(`[data-side=${side}] .drawn`), { label, controls: false });
  }

  #clear(side: Side): void {
    this.#diagrams[side].expect(castOf(this.#scenario, side === 'original' ? this.#original.code : undefined));
    this.#tell(side, 'idle', 'Not played yet.');
  }

  #play(...sides: Side[]): void {
    for (const act of this.#acts) delete act.dataset['done'];
    for (const side of sides) void this.#playOne(side);
  }

  async #playOne(side: Side): Promise<void> {
    this.#playing.get(side)?.abort();
    const playing = new AbortController();
    this.#playing.set(side, playing);
    this.#clear(side);
    this.#tell(side, 'playing', 'Playing …');
    const scenario = this.#scenario;
    const original = this.#original;
    const play = {
      beat: this.beat,
      record: (event: Recorded) => playing.signal.aborted || this.#diagrams[side].add(event),
      step: (index: number) => playing.signal.aborted || (this.#acts[index]!.dataset['done'] = ''),
      stop: playing.signal,
    };
    const theatre = await this.theatre; // also for the original, so that both begin together
    if (playing.signal.aborted) return;
    const ends = await (side === 'clca' ? theatre.play(scenario, play) : playPython(scenario, original.code, play));
    if (playing.signal.aborted) return;
    this.#tell(side, side === 'original' && original.wrong !== undefined ? 'wrong' : 'right', ends);
  }

  get #acts(): HTMLElement[] {
    return [...this.#article.querySelectorAll<HTMLElement>('.acts li')];
  }

  #tell(side: Side, state: string, text: string): void {
    const output = this.#find(`[data-side=${side}] .ends`);
    output.dataset['state'] = state;
    output.textContent = text;
  }

  #find(selector: string): HTMLElement {
    return this.#article.querySelector<HTMLElement>(selector)!;
  }
}

function element<K extends keyof HTMLElementTagNameMap>(tag: K, text = ''): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(tag), { textContent: text });
}
