/** The lanes on the page: one column each for this tab's own, the goroutine's, and every other tab. */

import { Column } from './column.ts';
import type { Activity, Channel, LaneMessage, Order, Primitive } from './protocol.ts';

type Watcher = (message: LaneMessage) => void;

export class Board {
  #columns = new Map<string, Column>();
  #watchers = new Set<Watcher>();
  #silent = new Map<string, Order[]>(); // lanes that are still to speak, with what they are told to begin then
  #root: HTMLElement;
  #tab: number;
  #channel: Channel;
  #view: Primitive;

  /** `foundTab` is called when another tab is seen for the first time. */
  constructor(
    root: HTMLElement, tab: number, channel: Channel, view: Primitive, private foundTab: (tab: number) => void,
  ) {
    this.#root = root;
    this.#tab = tab;
    this.#channel = channel;
    this.#view = view;
  }

  /** Makes the column of a lane that is still to speak, before that of another or at the end; `kill` ends it. */
  expect(lane: string, title: string, kind: string, { kill, before }: { kill?: () => void; before?: string } = {}): void {
    const column = new Column(lane, title, kind, this.#view, (order) => this.order(lane, order), kill);
    this.#columns.set(lane, column);
    this.#silent.set(lane, []);
    this.#root.insertBefore(column.element, (before === undefined ? undefined : this.#columns.get(before)?.element) ?? null);
  }

  /** Takes in what a lane says. */
  heard(message: LaneMessage): void {
    const { id, tab, label } = message.lane;
    if (tab === undefined || tab === this.#tab) {
      this.#columns.get(id)?.show(message);
    } else {
      const page = `tab ${tab} page`;
      if (!this.#columns.has(page)) {
        this.expect(page, `Tab ${tab}`, 'another tab');
        this.foundTab(tab);
      }
      if (id === page) this.#columns.get(page)!.show(message);
      else this.#columns.get(page)!.log(message, `${label}: `);
    }
    const orders = this.#silent.get(id) ?? [];
    this.#silent.delete(id);
    for (const each of orders) this.order(id, each);
    for (const watcher of this.#watchers) watcher(message);
  }

  remove(tab: number): void {
    this.removeLane(`tab ${tab} page`);
  }

  removeLane(lane: string): void {
    this.#columns.get(lane)?.element.remove();
    this.#columns.delete(lane);
    this.#silent.delete(lane);
  }

  order(lane: string, order: Order): void {
    this.#channel.say({ kind: 'order', lane, order });
  }

  /** Shows the lanes as they are at a primitive. */
  turn(view: Primitive): void {
    this.#view = view;
    for (const column of this.#columns.values()) column.turn(view);
  }

  /** Has all lanes begin something that do not do so already; those that are still to speak, as soon as they do. */
  beginAll(what: Activity, how: string | undefined): void {
    for (const [lane, column] of this.#columns) {
      if (!column.can(what) || column.does(what)) continue;
      const order: Order = { do: 'start', what, how };
      const silent = this.#silent.get(lane);
      if (silent === undefined) this.order(lane, order);
      else silent.push(order);
    }
  }

  /** Has all lanes end something, or only those that hold what they wanted. */
  endAll(what: Activity, onlyHolders = false): void {
    if (!onlyHolders) for (const [lane, orders] of this.#silent) this.#silent.set(lane, orders.filter((each) => !('what' in each) || each.what !== what));
    for (const [lane, column] of this.#columns) {
      if (onlyHolders ? column.holds(what) : column.does(what)) this.order(lane, { do: 'stop', what });
    }
  }

  /** Calls `told` at each event of any lane. */
  onEvent(told: () => void): void {
    this.#watchers.add(({ event }) => event !== undefined && told());
  }
}
