/** One lane on the page: its state, its buttons, its log. */

import type { LaneMessage, Order, Primitive, State, States } from './protocol.ts';
import { describe } from './words.ts';

const template = document.getElementById('lane') as HTMLTemplateElement;
const started = performance.timeOrigin;
const kept = 200; // lines of a log

/** What the toggle says while the lane is idle, and while it is not. */
const toggles: Partial<Record<Primitive, [string, string]>> = {
  signal: ['Wait', 'Leave'],
  checkpoint: ['Work', 'Stop'],
  resource: ['Acquire', 'Release'],
};

export class Column {
  readonly element: HTMLElement;
  #states: States = {};
  #log: HTMLElement;
  #goes: (activity: Primitive) => boolean;

  constructor(lane: string, title: string, kind: string, order: (order: Order) => void) {
    const element = template.content.firstElementChild!.cloneNode(true) as HTMLElement;
    this.element = element;
    this.#log = find(element, '.log');
    element.dataset.lane = lane;
    element.setAttribute('aria-label', title);
    this.#log.setAttribute('aria-label', `Events of ${title}`);
    find(element, 'h3').textContent = title;
    find(element, '.kind').textContent = kind;
    const inGo = lane === 'goroutine';
    this.#goes = (activity) => !inGo || activity === 'signal' || activity === 'checkpoint';
    if (inGo) {
      const absent = Object.assign(document.createElement('span'), { className: 'absent', textContent: 'JavaScript only' });
      find(element, '[data-for=resource]').replaceChildren(absent);
    }
    for (const button of element.querySelectorAll<HTMLElement>('[data-toggle]')) {
      const what = button.dataset.toggle as Primitive;
      button.onclick = () => order({ do: this.does(what) ? 'stop' : 'start', what });
    }
    find(element, '[data-signal]').onclick = () => order({ do: 'signal' });
    this.#showStates('starting');
  }

  /** Whether the lane takes part in an activity at all. */
  can(activity: Primitive): boolean {
    return this.#goes(activity);
  }

  does(activity: Primitive): boolean {
    return this.#states[activity] !== undefined;
  }

  show(message: LaneMessage): void {
    this.#states = message.states;
    find<HTMLFieldSetElement>(this.element, '.buttons').disabled = false;
    find(this.element, '.steps b').textContent = String(message.steps);
    for (const button of this.element.querySelectorAll<HTMLElement>('[data-toggle]')) {
      const what = button.dataset.toggle as Primitive;
      button.textContent = toggles[what]![this.does(what) ? 1 : 0];
    }
    this.#showStates('idle');
    this.log(message);
  }

  #showStates(otherwise: 'idle' | 'starting'): void {
    const states: (State | 'idle' | 'starting')[] = [...new Set(Object.values(this.#states))];
    if (states.length === 0) states.push(otherwise);
    this.element.dataset.state = states.at(-1);
    const chips = find(this.element, '.chips');
    if (chips.textContent === states.join('')) return;
    chips.replaceChildren(...states.map((state) => {
      const chip = Object.assign(document.createElement('span'), { className: 'chip', textContent: state });
      chip.dataset.state = state;
      return chip;
    }));
  }

  /** Adds the event of a message to the log, if it has one. */
  log({ event, at, states }: LaneMessage, prefix = ''): void {
    if (event === undefined) return;
    const line = document.createElement('li');
    line.dataset.step = `${event.primitive} ${event.step}`;
    line.dataset.state = states[event.primitive] ?? 'idle';
    const seconds = (at - started) / 1000;
    const time = Object.assign(document.createElement('time'), { textContent: seconds.toFixed(seconds < 100 ? 2 : 1) });
    const text = Object.assign(document.createElement('span'), { textContent: prefix + describe(event) });
    if (['fails', 'sees', 'loses', 'throws'].includes(event.step)) text.className = 'bad';
    line.append(time, text);
    this.#log.prepend(line); // shown at the end, where the style keeps the log
    if (this.#log.childElementCount > kept) this.#log.lastElementChild!.remove();
  }
}

export function find<E extends HTMLElement = HTMLElement>(root: ParentNode, selector: string): E {
  return root.querySelector<E>(selector)!;
}
