/** What the diagram shows, told beside it: the event that is pointed at, a summary, and all of it as a list. */

import { type History, type Item, endOf, idOf, laneOf, startOf } from './diagram-history.ts';
import { make, say } from './diagram-parts.ts';
import { causeOf, causedBy, clock, duration, labelOf, markText, outcomeOf, reasonOf, sentence, stepsOf } from './diagram-words.ts';

const hint = 'Point at an event, tap it, or walk from one to the next with the arrow keys.';

/** Tells one event, or how to have one told. */
export function tell(words: HTMLElement, item: Item | undefined, history: History, until: number): void {
  const key = item === undefined ? '' : `${idOf(item)}|${sentence(item, history, until)}`;
  if (words.dataset['key'] === key && words.childElementCount > 0) return;
  words.dataset['key'] = key;
  if (item === undefined) {
    words.replaceChildren(make('p', 'hint', hint));
    return;
  }
  const lane = make('span', 'lane-name', labelOf(history, laneOf(item)));
  const caused = causedBy(item, history, until).map((call) => labelOf(history, call.lane));
  const woke = caused.length === 0 ? [] : [make('p', 'why', `Woke ${list(caused)}`)];
  if (item.call === undefined) {
    words.replaceChildren(
      make('p', 'what', make('b', '', markText(item.mark, until)), lane),
      make('ol', 'steps', make('li', '', make('span', '', 'at'), clock(item.mark.at))),
      ...woke,
    );
    return;
  }
  const { call } = item;
  const outcome = outcomeOf(call, until);
  const brought = make('output', outcome.bad ? 'bad' : '', ['waits', ''].includes(outcome.text) ? outcome.text : `→ ${outcome.text}`);
  const steps = stepsOf(call, until).map(({ what, at, gap }) => {
    return make('li', '', make('span', '', what), gap === undefined ? clock(at) : `+${duration(gap)}`);
  });
  const end = endOf(call);
  if (steps.length > 2 && end !== undefined && end <= until) {
    steps.push(make('li', 'all', make('span', '', 'in all'), duration(end - call.made)));
  }
  const cause = causeOf(call, history, until);
  const [before, of, after] = cause === undefined ? [] : reasonOf(cause, call, history);
  words.replaceChildren(
    make('p', 'what', make('code', '', call.text), lane, brought),
    make('ol', 'steps', ...steps),
    ...before === undefined ? [] : [make('p', 'why', `Answered, ${before}`, ...of === undefined ? [] : [make('code', '', of.text)], after!)],
    ...woke,
  );
}

/** Three and more are told by number too. */
function list(names: string[]): string {
  const counted = names.length > 2 ? `${names.length}: ` : '';
  return counted + (names.length > 6 ? `${names.slice(0, 5).join(', ')} and others` : names.join(', '));
}

/** How it stands, in a few words. */
export function summary(history: History, until: number): string {
  let calls = 0;
  const { lost } = history;
  let wait = 0;
  let hold = 0;
  for (const { call } of history.items()) {
    if (call === undefined || call.made > until) continue;
    calls++;
    const over = endOf(call);
    if (call.held !== undefined && call.held <= until) hold += over === undefined || over > until ? 1 : 0;
    else if (over === undefined || over > until) wait++;
  }
  const all = (lost > 0 ? `the last ${number(calls)} of ` : '') + number(calls + lost);
  return `${all} ${calls + lost === 1 ? 'call' : 'calls'}: ${number(wait)} ${wait === 1 ? 'waits' : 'wait'}, ${number(hold)} ${hold === 1 ? 'holds' : 'hold'}`;
}

const number = (count: number): string => count.toLocaleString('en');

/** All events up to a moment, a row each; only what changed is written anew. */
export class TextList {
  #rows = new Map<string, { row: HTMLElement; key: string }>();

  constructor(readonly body: HTMLElement) {}

  show(history: History, until: number): void {
    const shown = history.items().filter((item) => startOf(item) <= until);
    const ids = new Set(shown.map(idOf));
    for (const [id, { row }] of this.#rows) {
      if (ids.has(id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    let before: Element | null = null;
    for (const item of shown) {
      const id = idOf(item);
      const cells = [clock(startOf(item)), labelOf(history, laneOf(item)), sentence(item, history, until)];
      const key = cells.join('|');
      const had = this.#rows.get(id);
      const row: HTMLElement = had?.row ?? make('tr', '', make('td', ''), make('td', ''), make('td', ''));
      if (had?.key !== key) {
        row.dataset['item'] = id;
        cells.forEach((text, i) => say(row.children[i] as HTMLElement, text));
        this.#rows.set(id, { row, key });
      }
      const place: Element | null = before === null ? this.body.firstElementChild : before.nextElementSibling;
      if (place !== row) this.body.insertBefore(row, place);
      before = row;
    }
  }
}
