/** One lane on the page: its state, its buttons, its log. It shows one primitive at a time. */

import { type Activity, type LaneMessage, type Order, type Primitive, type States, primitiveOf } from './protocol.ts';
import { bad, describe } from './words.ts';

const template = document.getElementById('lane') as HTMLTemplateElement;
const started = performance.timeOrigin;
const kept = 200; // lines of a log, for each primitive

export class Column {
  readonly element: HTMLElement;
  #states: States = {};
  #doing: LaneMessage['doing'] = {};
  #nothing: 'starting' | 'idle' = 'starting';
  #log: HTMLElement;
  #view: Primitive;
  #title: string;

  constructor(
    lane: string, title: string, kind: string, view: Primitive, order: (order: Order) => void, kill?: () => void,
  ) {
    const element = template.content.firstElementChild!.cloneNode(true) as HTMLElement;
    this.element = element;
    this.#log = find(element, '.log');
    this.#title = title;
    element.dataset.lane = lane;
    element.setAttribute('aria-label', title);
    this.#log.setAttribute('aria-label', `Events of ${title}`);
    find(element, 'h3').textContent = title;
    find(element, '.kind').textContent = kind;
    if (lane === 'goroutine') leaveToScripts(element);
    for (const button of all(element, '.buttons button')) {
      button.onclick = () => {
        if (button.ariaDisabled !== 'true') order(this.#orderOf(button));
      };
    }
    const block = find(element, '[data-block]');
    block.onclick = () => order({ do: 'block', milliseconds: Number(block.dataset.block) });
    block.hidden = lane === 'goroutine'; // which has no loop of its own
    block.ariaLabel = `${block.textContent}: ${title}`;
    const killer = find(element, '[data-kill]');
    killer.hidden = kill === undefined;
    killer.ariaLabel = `Kill ${title}`;
    killer.onclick = kill ?? null;
    for (const button of all(element, '[data-toggle]')) button.dataset.begins = button.textContent;
    this.#showButtons();
    this.#view = view;
    this.turn(view);
  }

  #orderOf({ dataset: { toggle, begin, end, call, how } }: HTMLElement): Order {
    if (call !== undefined) {
      const [what, name] = call.split(' ') as [Primitive, string];
      return { do: 'call', what, call: name };
    }
    const what = (toggle ?? begin ?? end) as Activity;
    return begin === undefined && this.does(what) ? { do: 'stop', what } : { do: 'start', what, how };
  }

  /** Whether the lane takes part in an activity at all. */
  can(what: Activity): boolean {
    return this.element.querySelector(`[data-toggle="${what}"]`) !== null;
  }

  does(what: Activity): boolean {
    return this.#doing[what] !== undefined;
  }

  holds(what: Activity): boolean {
    return stateOf(this.#states[what]) === 'holding';
  }

  show(message: LaneMessage): void {
    this.#states = message.states;
    this.#doing = message.doing;
    for (const fieldset of all(this.element, 'fieldset') as HTMLFieldSetElement[]) fieldset.disabled = false;
    find(this.element, '.steps b').textContent = String(message.steps);
    this.#nothing = 'idle';
    this.#showStates();
    this.#showButtons();
    this.log(message);
  }

  /** Shows what belongs to a primitive, and nothing else. */
  turn(view: Primitive): void {
    this.#view = view;
    for (const each of all(this.element, '[data-for]')) {
      each.hidden = each.dataset.for !== view;
      each.classList.remove('new');
    }
    this.#showStates();
  }

  #showStates(): void {
    const shown = statesAt(this.#view, this.#states);
    const elsewhere = shown.length === 0 ? this.#elsewhere : undefined;
    if (shown.length === 0) shown.push(elsewhere === undefined ? this.#nothing : 'idle here');
    this.element.dataset.state = stateOf(shown.at(-1));
    const chips = find(this.element, '.chips');
    chips.title = elsewhere ?? '';
    if (chips.textContent === shown.join('')) return;
    chips.replaceChildren(...shown.map((state) => {
      const chip = Object.assign(document.createElement('span'), { className: 'chip', textContent: state });
      chip.dataset.state = stateOf(state);
      return chip;
    }));
  }

  /** What it is at while another primitive is shown: the diagram has that too. */
  get #elsewhere(): string | undefined {
    const [first] = Object.entries(this.#states) as [Activity, string][];
    return first && `at ${primitiveOf(first[0])}: ${stateOf(first[1])}`;
  }

  #showButtons(): void {
    for (const button of all(this.element, '[data-toggle]')) {
      const { toggle, how = '', begins, ends = 'Leave' } = button.dataset;
      const what = toggle as Activity;
      const mine = this.#doing[what] === how;
      button.textContent = !mine ? begins! : this.holds(what) ? 'Release' : ends;
      disable(button, this.does(what) && !mine);
    }
    for (const button of all(this.element, '[data-begin]')) {
      const what = button.dataset.begin as Activity;
      disable(button, this.does(what) && !this.holds(what));
    }
    for (const button of all(this.element, '[data-end]')) disable(button, !this.does(button.dataset.end as Activity));
    for (const button of all(this.element, '.buttons button')) button.ariaLabel = `${button.textContent}: ${this.#title}`;
  }

  /** Adds the event of a message to the log, if it has one. */
  log({ event, at, states }: LaneMessage, prefix = ''): void {
    if (event === undefined) return;
    const { primitive, step } = event;
    const line = document.createElement('li');
    line.className = 'new';
    line.dataset.for = primitive;
    line.dataset.step = `${primitive} ${step}`;
    line.dataset.state = stateOf(statesAt(primitive, states).at(-1)) || 'idle';
    line.hidden = primitive !== this.#view;
    const seconds = (at - started) / 1000;
    const time = Object.assign(document.createElement('time'), { textContent: seconds.toFixed(seconds < 100 ? 2 : 1) });
    const text = Object.assign(document.createElement('span'), { textContent: prefix + describe(event) });
    if (bad.includes(step)) text.className = 'bad';
    line.append(time, text);
    this.#log.prepend(line); // shown at the end, where the style keeps the log
    const lines = all(this.#log, `[data-for=${primitive}]`);
    if (lines.length > kept) lines.at(-1)!.remove();
  }
}

/** Not `disabled`, which would take the focus away from one who works by the keyboard. */
function disable(button: HTMLElement, yes: boolean): void {
  button.ariaDisabled = yes ? 'true' : null;
}

function statesAt(primitive: Primitive, states: States): string[] {
  const entries = Object.entries(states) as [Activity, string][];
  return [...new Set(entries.filter(([what]) => primitiveOf(what) === primitive).map(([, state]) => state))];
}

/** A state without what more is said of it. */
function stateOf(state = ''): string {
  return state.split(' ', 1)[0]!;
}

/** Takes out what Go does not do. */
function leaveToScripts(element: HTMLElement): void {
  for (const button of all(element, '[data-scripts]')) {
    const group = button.parentElement!;
    button.remove();
    if (group.querySelector('button') !== null) continue;
    group.replaceChildren(Object.assign(document.createElement('span'), { className: 'label', textContent: 'JavaScript only' }));
  }
}

export function find<E extends HTMLElement = HTMLElement>(root: ParentNode, selector: string): E {
  return root.querySelector<E>(selector)!;
}

export function all(root: ParentNode, selector: string): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(selector)];
}
