/** Draws a part of the layout on a canvas. */

import { isFolded } from './diagram-axis.ts';
import { type Arrow, type Bar, type Block, type Cause, type Layout, type Sign, arrowsOf } from './diagram-layout.ts';
import { clock, cut, duration, markText, outcomeOf, shortened, shortenedTo } from './diagram-words.ts';

export const axisHeight = 38;

/** Milliseconds after which what happens is another matter: such gaps are shaded. */
const apart = 10;

export interface View {
  /** Pixels: which part of the axis is seen, how large, and up to where there is anything to see. */
  left: number;
  width: number;
  height: number;
  edge: number;
  /** The time of that. */
  until: number;
  /** How the edge is marked. */
  mode: 'live' | 'playing' | 'paused';
  /** The id of what is pointed at, and of what belongs to it. */
  chosen: string | undefined;
  related: Set<string>;
}

const colours = [
  'card', 'ink', 'soft', 'line', 'hover', 'main', 'bad', 'bar',
  'waiting', 'waiting-soft', 'waiting-line', 'holding',
] as const;
export type Theme = Record<typeof colours[number] | 'mono' | 'text', string>;

/** The colours and fonts of the page. */
export function themeOf(element: HTMLElement): Theme {
  const style = getComputedStyle(element);
  const theme = Object.fromEntries(colours.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return { ...theme, mono: style.getPropertyValue('--mono'), text: style.fontFamily } as Theme;
}

export function draw(context: CanvasRenderingContext2D, layout: Layout, view: View, theme: Theme): void {
  new Drawing(context, layout, view, theme).all();
}

class Drawing {
  readonly #right: number;
  readonly #bottom: number;
  /** Of a character of a bar's text. */
  readonly #pitch: number;

  constructor(
    readonly c: CanvasRenderingContext2D, readonly layout: Layout, readonly view: View, readonly theme: Theme,
  ) {
    this.#right = view.left + view.width;
    this.#bottom = layout.rows.length * layout.measures.rowHeight;
    c.font = this.#font(11);
    this.#pitch = c.measureText('0').width;
  }

  all(): void {
    const { c, view, layout } = this;
    c.clearRect(0, 0, view.width, view.height);
    this.#rows();
    c.save();
    c.translate(-view.left, 0);
    this.#axis();
    for (const sign of layout.signs) if (sign.mark.what === 'blocked' && this.#seen(sign.x, sign.end)) this.#blocked(sign);
    this.#lifelines();
    const bars = layout.bars.filter((bar) => this.#touches(bar));
    const [plain, strong] = split(bars, (bar) => this.#isChosen(bar.call.id));
    for (const bar of plain) if (bar.block === undefined || bar.block.bars[0] === bar) this.#arrows(bar);
    for (const cause of layout.causes) if (!this.#isChosen(cause.id)) this.#cause(cause);
    for (const bar of strong) this.#arrows(bar);
    for (const cause of layout.causes) if (this.#isChosen(cause.id)) this.#cause(cause);
    for (const bar of bars) if (bar.block === undefined) this.#bar(bar);
    for (const block of layout.blocks) if (this.#seen(block.from, block.end)) this.#block(block);
    for (const sign of layout.signs) if (sign.mark.what !== 'blocked' && this.#seen(sign.x, sign.x)) this.#sign(sign);
    this.#edge();
    c.restore();
  }

  #seen(from: number, to: number): boolean {
    return from <= Math.min(this.#right, this.view.edge) && to >= this.view.left - 200;
  }

  /** Whether anything of it is in view: the bar, or the text after it. */
  #touches(bar: Bar): boolean {
    return this.#seen(bar.made, Math.max(bar.end, bar.taken ?? 0) + 400);
  }

  #isChosen(id: string): boolean {
    return id === this.view.chosen || this.view.related.has(id);
  }

  #font(size: number, family: 'mono' | 'text' = 'mono', weight = 400): string {
    return `${weight} ${size}px ${this.theme[family]}`;
  }

  #rows(): void {
    const { c, view, theme, layout: { rows, hub, measures: { rowHeight } } } = this;
    c.fillStyle = theme.hover;
    c.fillRect(0, hub * rowHeight, view.width, rowHeight);
    c.fillStyle = theme.line;
    for (let i = 1; i <= rows.length; i++) c.fillRect(0, i * rowHeight - 1, view.width, 1);
  }

  #lifelines(): void {
    const { c, view, theme, layout: { rows, hub, axis, measures: { rowHeight, inset } } } = this;
    const edge = axis.times.length === 0 ? Infinity : view.edge;
    rows.forEach(({ lanes }, row) => {
      const y = Math.round(row * rowHeight + (inset + rowHeight) / 2) - 0.5;
      c.strokeStyle = theme.bar;
      c.lineWidth = row === hub ? 2 : 1;
      c.setLineDash(axis.times.length === 0 ? [2, 6] : []);
      const lives = lanes.map(({ from, gone }, i) => ({
        from: row === hub && i === 0 ? -Infinity : axis.x(from),
        to: Math.min(edge, gone === undefined ? Infinity : axis.x(gone.at)),
      }));
      for (const life of lives) {
        const [from, to] = [Math.max(life.from, view.left), Math.min(life.to, this.#right)];
        if (from < to) this.#line(from, y, to, y); // else it is yet to come, or out of view
      }
    });
    c.setLineDash([]);
  }

  /** Where time is folded, and the clock wherever it is to scale again. */
  #axis(): void {
    const { c, view, theme, layout: { axis } } = this;
    const top = this.#bottom;
    const until = axis.times.length > 0 ? axis.times[lastShown(axis.times, view.until)]! : NaN;
    const folds = axis.folds(view.left, this.#right).filter(({ to }) => to <= view.edge);
    const lastX = axis.x(until);
    if (isFolded(view.until - until)) folds.push({ from: lastX, to: view.edge, gap: view.until - until });
    c.textBaseline = 'middle';
    c.font = this.#font(11, 'text');
    for (const { from, to, gap } of folds) {
      c.fillStyle = theme.bar;
      c.fillRect(to, top, 1, 5);
      if (gap > apart) {
        c.globalAlpha = 0.5;
        c.fillStyle = theme.hover;
        c.fillRect(from, 0, to - from, top);
        c.globalAlpha = 1;
      }
      this.#gap(from, to, duration(gap), top + 12.5);
    }
    // The clock, whenever something happens after a while.
    c.textAlign = 'left';
    c.fillStyle = theme.soft;
    const starts = [0, ...folds.filter(({ gap, to }) => gap > apart && to < view.edge).map(({ to }) => to)];
    let free = view.left;
    for (const x of starts) {
      if (axis.times.length === 0 || x > this.#right) break;
      const text = clock(axis.before(x + 1e-6).time);
      const { width } = c.measureText(text);
      if (x < free || x + width > this.#right) continue;
      c.fillText(text, x, top + 27.5);
      free = x + width + 12;
    }
  }

  /** How long a gap is that is not to scale. */
  #gap(from: number, to: number, text: string, y: number): void {
    const { c, view, theme } = this;
    const room = c.measureText(text).width;
    const seen = { from: Math.max(from, view.left), to: Math.min(to, this.#right) };
    if (seen.to - seen.from < room + 12) return;
    const middle = (seen.from + seen.to) / 2;
    c.fillStyle = theme.ink;
    c.textAlign = 'center';
    c.fillText(text, middle, y);
    if (seen.to - seen.from < room + 22) return;
    c.strokeStyle = theme.soft;
    c.lineWidth = 1;
    for (const side of [-1, 1]) {
      for (const shift of [0, 3]) {
        const x = middle + side * (room / 2 + 5 + shift);
        this.#line(x - 2, y + 4, x + 2, y - 4);
      }
    }
  }

  #blocked({ x, end, y, mark }: Sign): void {
    const { c, view, theme, layout: { measures: { rowHeight } } } = this;
    const to = Math.min(end, view.edge);
    c.save();
    c.beginPath();
    c.rect(x, y + 1, Math.max(2, to - x), rowHeight - 3);
    c.clip();
    c.strokeStyle = theme.soft;
    c.globalAlpha = this.view.chosen === mark.id ? 1 : 0.75;
    c.lineWidth = 1;
    const from = Math.max(x, view.left);
    for (let i = from - (from % 7) - rowHeight; i < Math.min(to, this.#right); i += 7) this.#line(i, y + rowHeight, i + rowHeight, y);
    c.restore();
    const text = markText(mark, view.until);
    c.font = this.#font(11, 'text');
    c.textAlign = 'left';
    c.textBaseline = 'middle';
    if (c.measureText(text).width + 12 < to - from) this.#label(text, from + 6, y + rowHeight - 10, theme.ink);
  }

  #cause(cause: Cause): void {
    const { c, view, theme } = this;
    const reached = cause.answers.filter(({ x }) => x <= view.edge);
    if (reached.length === 0 || cause.from > this.#right + 400 || reached.at(-1)!.x < view.left - 400) return;
    c.globalAlpha = this.#fade(cause.id, ...reached.map(({ bar }) => bar.call.id));
    c.strokeStyle = c.fillStyle = theme.main;
    if (cause.source !== undefined) {
      const { x, y, bar } = cause.source;
      const arrow = { kind: 'call', x1: x, y1: y, x2: cause.from, y2: cause.y, done: true } as const;
      c.lineWidth = 1.75;
      if (bar === undefined) c.setLineDash([3, 3]); // nobody says so: the hub misses it
      this.#line(arrow.x1, arrow.y1, arrow.x2, arrow.y2);
      c.setLineDash([]);
      this.#head(arrow);
    }
    c.lineWidth = 3;
    this.#line(cause.from, cause.y, reached.at(-1)!.x, cause.y);
    this.#dot(cause.from, cause.y, 3.5);
    for (const { x } of reached) this.#dot(x, cause.y, 2.5);
    c.globalAlpha = 1;
  }

  #arrows(bar: Bar): void {
    const { c, view, theme } = this;
    c.globalAlpha = this.#fade(bar.call.id);
    const chosen = this.#isChosen(bar.call.id);
    for (const arrow of arrowsOf(bar, view.edge)) {
      const blue = arrow.kind === 'wake' || (arrow.kind === 'call' && bar.causes);
      c.strokeStyle = c.fillStyle = blue ? theme.main : chosen ? theme.ink : theme.soft;
      c.lineWidth = (blue ? 1.75 : 1.25) + (chosen ? 0.5 : 0);
      this.#line(arrow.x1, arrow.y1, arrow.x2, arrow.y2);
      this.#head(arrow);
      if (arrow.kind === 'call' && arrow.done) this.#dot(arrow.x2, arrow.y2, 2);
      if (arrow.kind === 'answer') this.#dot(arrow.x1, arrow.y1, 2);
    }
    c.globalAlpha = 1;
  }

  #head({ x1, y1, x2, y2, kind }: Arrow): void {
    const { c } = this;
    const angle = Math.atan2(y2 - y1, x2 - x1);
    const [size, spread] = [7, 0.42];
    c.beginPath();
    c.moveTo(x2 - size * Math.cos(angle - spread), y2 - size * Math.sin(angle - spread));
    c.lineTo(x2, y2);
    c.lineTo(x2 - size * Math.cos(angle + spread), y2 - size * Math.sin(angle + spread));
    if (kind === 'wake') c.fill();
    else c.stroke();
  }

  #bar(bar: Bar): void {
    const { c, view, theme } = this;
    const { call, y, height, made } = bar;
    c.globalAlpha = this.#fade(call.id);
    const chosen = view.chosen === call.id;
    const waits = Math.min(bar.waits, bar.cancelled ?? Infinity, view.edge);
    const goesOn = waits === view.edge && bar.waits > view.edge;
    const [fill, stroke] = bar.brief ? [theme.hover, theme.soft] : [theme['waiting-soft'], theme['waiting-line']];
    this.#box(made, Math.max(made + 3, waits), y, height, fill, stroke, goesOn);
    if (bar.cancelled !== undefined && bar.cancelled <= view.edge) {
      c.strokeStyle = theme['waiting-line'];
      c.setLineDash([3, 3]);
      c.lineWidth = 1;
      this.#line(waits, y + height / 2, Math.min(bar.end, view.edge), y + height / 2);
      c.setLineDash([]);
      this.#cross(bar.cancelled, y + height / 2, Math.min(5, height / 2), theme.bad);
    }
    const holds = bar.held !== undefined && bar.held <= view.edge;
    const end = Math.min(bar.end, view.edge);
    if (holds) this.#box(bar.held!, Math.max(bar.held! + 3, end), y, height, theme.holding, theme.holding, bar.end > view.edge);
    const failed = call.ok === false && bar.settled !== undefined && bar.settled <= view.edge;
    if (failed && bar.cancelled === undefined) {
      c.fillStyle = theme.bad;
      c.fillRect(bar.settled! - 1.5, y - 1, 3, height + 2);
    }
    if (chosen) {
      c.strokeStyle = theme.ink;
      c.lineWidth = 1.5;
      c.strokeRect(made - 2, y - 2, Math.max(3, end - made) + 4, height + 4);
    }
    if (height >= 11) this.#text(bar, holds, end, failed);
    c.globalAlpha = 1;
  }

  /** How many there are of which no bar could be seen. */
  #block({ bars, from, end, y, height }: Block): void {
    const { c, view, theme } = this;
    const made = bars.filter((bar) => bar.made <= view.edge);
    c.globalAlpha = this.#fade(...bars.map(({ call }) => call.id));
    const to = Math.min(end, view.edge);
    const brief = made.every((bar) => bar.brief);
    const [fill, stroke] = brief ? [theme.hover, theme.soft] : [theme['waiting-soft'], theme['waiting-line']];
    this.#box(from, Math.max(from + 3, to), y, height, fill, stroke, end > view.edge);
    const start = Math.max(from, view.left) + 5;
    c.font = this.#font(11);
    c.textAlign = 'left';
    c.textBaseline = 'middle';
    const name = shortened(made[0]!.call.text);
    const alike = made.every((bar) => shortened(bar.call.text) === name);
    const inside = Math.floor((Math.min(to, this.#right) - start - 4) / this.#pitch);
    const count = `× ${made.length.toLocaleString('en')}`;
    if (inside >= count.length) {
      c.fillStyle = brief ? theme.soft : theme.waiting;
      c.fillText(shortenedTo(alike ? name : '', ` ${count}`, inside).trimStart(), start, y + height / 2 + 0.5);
    } else {
      this.#label(count, to + 5, y + height / 2 + 0.5, theme.ink);
    }
    c.globalAlpha = 1;
  }

  /** What was called, and what it brought: in the bar if that is long enough, or else after it. */
  #text(bar: Bar, holds: boolean, end: number, failed: boolean): void {
    const { c, view, theme } = this;
    const { call } = bar;
    const y = bar.y + bar.height / 2 + 0.5;
    const settled = bar.settled !== undefined && bar.settled <= view.edge;
    const name = shortened(call.text);
    const result = settled || bar.cancelled !== undefined ? outcomeOf(call, view.until).text : '';
    const plain = holds && result !== 'abandoned'; // the bar says that it was granted
    const tail = plain || result === '' || result === 'undefined' || result === 'waits' ? '' : ` → ${result}`;
    const fits = (from: number, to: number): number => Math.floor((to - from) / this.#pitch);
    c.font = this.#font(11);
    c.textAlign = 'left';
    c.textBaseline = 'middle';
    const waits = Math.min(bar.waits, bar.cancelled ?? Infinity, view.edge);
    const boxes = [
      { from: bar.made, to: waits, colour: bar.brief ? theme.soft : theme.waiting },
      ...holds ? [{ from: bar.held!, to: end, colour: theme.card }] : [],
    ];
    for (const { from, to, colour } of boxes) {
      const start = Math.max(from, view.left) + 5;
      if (fits(start, to - 4) < Math.min(name.length, 12)) continue;
      const rest = tail.trimStart();
      const after = bar.end <= view.edge && rest.length <= fits(end + 5, Math.min(bar.next, this.#right) - 5);
      c.fillStyle = colour;
      c.fillText(after ? cut(name, fits(start, to - 4)) : shortenedTo(name, tail, fits(start, to - 4)), start, y);
      if (after && rest !== '') this.#label(rest, end + 5, y, failed ? theme.bad : theme.soft);
      return;
    }
    const start = Math.max(end, bar.made + 3) + 5;
    const outside = shortenedTo(name, tail, fits(start, Math.min(bar.next, this.#right) - 5));
    if (outside.length > 3) this.#label(outside, start, y, failed ? theme.bad : theme.ink);
  }

  #sign({ mark, x, y, free }: Sign): void {
    const { c, view, theme, layout: { measures: { rowHeight, inset } } } = this;
    const middle = Math.round(y + (inset + rowHeight) / 2) - 0.5;
    const chosen = view.chosen === mark.id;
    c.strokeStyle = c.fillStyle = chosen ? theme.main : mark.what === 'killed' || mark.what === 'lost' ? theme.bad : theme.soft;
    c.lineWidth = 2;
    if (mark.what === 'appears') {
      c.fillStyle = theme.card;
      this.#dot(x, middle, 3.5);
      c.stroke();
    } else if (mark.what === 'closed') {
      this.#line(x, middle - 9, x, middle + 9);
    } else if (mark.what === 'missed') {
      this.#cross(x, middle, 4, theme.bad);
    } else if (mark.what === 'killed' || mark.what === 'lost') {
      this.#cross(x, middle, 7, theme.bad);
    } else {
      const top = y + inset + 3;
      c.beginPath();
      c.moveTo(x, top + 8);
      c.lineTo(x - 4, top);
      c.lineTo(x + 4, top);
      c.fill();
      if (!free) return;
      c.font = this.#font(11, 'text');
      c.textAlign = 'left';
      c.textBaseline = 'middle';
      this.#label(cut(mark.text!, 40), x + 7, top + 4, chosen ? theme.ink : theme.soft);
    }
  }

  /** The present, or how far it is played, once anything has happened. */
  #edge(): void {
    const { c, view, theme, layout: { axis } } = this;
    if (axis.times.length === 0) return;
    c.strokeStyle = c.fillStyle = view.mode === 'paused' ? theme.soft : theme.main;
    c.lineWidth = view.mode === 'playing' ? 2 : 1;
    if (view.mode === 'paused') c.setLineDash([4, 4]);
    this.#line(view.edge, 0, view.edge, this.#bottom);
    c.setLineDash([]);
    c.beginPath();
    c.moveTo(view.edge - 4, 0);
    c.lineTo(view.edge + 4, 0);
    c.lineTo(view.edge, 6);
    c.fill();
  }

  /** Fades what does not belong to what is pointed at. */
  #fade(...ids: string[]): number {
    return this.view.chosen === undefined || ids.some((id) => this.#isChosen(id)) ? 1 : 0.3;
  }

  #line(x1: number, y1: number, x2: number, y2: number): void {
    this.c.beginPath();
    this.c.moveTo(x1, y1);
    this.c.lineTo(x2, y2);
    this.c.stroke();
  }

  #dot(x: number, y: number, radius: number): void {
    this.c.beginPath();
    this.c.arc(x, y, radius, 0, 2 * Math.PI);
    this.c.fill();
  }

  #cross(x: number, y: number, size: number, colour: string): void {
    const { c, theme } = this;
    for (const [style, width] of [[theme.card, 5], [colour, 2]] as const) {
      c.strokeStyle = style;
      c.lineWidth = width;
      this.#line(x - size, y - size, x + size, y + size);
      this.#line(x - size, y + size, x + size, y - size);
    }
  }

  #box(from: number, to: number, y: number, height: number, fill: string, stroke: string, open: boolean): void {
    const { c, view } = this;
    // Far outside, nobody sees where it ends.
    const left = Math.max(from, view.left - 20);
    const right = Math.min(to, this.#right + 20);
    if (right <= left) return;
    const round = Math.min(3, height / 2, (right - left) / 2);
    c.fillStyle = fill;
    c.strokeStyle = stroke;
    c.lineWidth = 1;
    c.beginPath();
    c.roundRect(left + 0.5, y + 0.5, Math.max(1, right - left - 1), Math.max(0.5, height - 1), open ? [round, 0, 0, round] : round);
    c.fill();
    c.stroke();
  }

  /** Writes on whatever is there already. */
  #label(text: string, x: number, y: number, colour: string): void {
    const { c, theme } = this;
    const alpha = c.globalAlpha;
    c.globalAlpha = 0.85 * alpha;
    c.fillStyle = theme.card;
    c.fillRect(x - 2, y - 8, c.measureText(text).width + 4, 15);
    c.globalAlpha = alpha;
    c.fillStyle = colour;
    c.fillText(text, x, y);
  }
}

function lastShown(times: ArrayLike<number>, until: number): number {
  let i = times.length - 1;
  while (i > 0 && times[i]! > until) i--;
  return i;
}

function split<T>(values: T[], test: (value: T) => boolean): [no: T[], yes: T[]] {
  return [values.filter((value) => !test(value)), values.filter(test)];
}

