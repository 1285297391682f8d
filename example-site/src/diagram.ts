/**
 * A live sequence diagram of what happens in the realms of a hub. Lanes are rows, the hub's among them, and
 * time runs to the right on an elastic axis. It draws when something has changed, and not while nobody can see it: then it only tells.
 */

import { lastUpTo, usualZoom, widthOf, zoomToFit, zooms } from './diagram-axis.ts';
import { axisHeight, draw, type Theme, themeOf } from './diagram-draw.ts';
import { listen } from './diagram-gestures.ts';
import { History, type Item, idOf, laneOf, startOf } from './diagram-history.ts';
import { type Layout, hit, layout } from './diagram-layout.ts';
import { type Parts, build, make, say } from './diagram-parts.ts';
import { Playback } from './diagram-playback.ts';
import { TextList, summary, tell } from './diagram-telling.ts';
import { causeOf, causedBy, clock, duration, shortClock } from './diagram-words.ts';
import { type LaneId, type Recorded, present } from './record.ts';

export interface DiagramOptions {
  label?: string;
  /** Without controls, it keeps all in view as long as that can be read. */
  controls?: boolean;
}

const narrow = 640; // pixels of the host, below which names stand in the rows
const indent = 12; // pixels before the first event
const period = 250; // milliseconds between two tellings of what nobody sees drawn
const settling = 70; // milliseconds in which most of a movement is done

export class Diagram {
  readonly #history = new History();
  readonly #playback = new Playback();
  readonly #parts: Parts;
  readonly #list: TextList;
  readonly #host: HTMLElement;
  readonly #controls: boolean;
  readonly #calm = matchMedia('(prefers-reduced-motion: reduce)');
  #context: CanvasRenderingContext2D;
  #theme!: Theme;
  #layout: Layout;
  #laidOut = -1; // the version of the history
  #zoom = usualZoom;
  #width = 0;
  #height = 0;
  #rowHeight = 44;
  #inset = 0;
  #left = -indent;
  #edge = { time: 0, x: 0 };
  #rows = 5; // for which there is room

  /** Chosen by keyboard or tap; pointed at by the mouse. */
  #chosen: Item | undefined;
  #pointed: Item | undefined;

  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drawnAt = 0;
  #visible = true;
  #unseen: ReturnType<typeof setTimeout> | undefined;
  #summarized = -Infinity;
  #listed = -Infinity;
  #listing: ReturnType<typeof setTimeout> | undefined;

  constructor(host: HTMLElement, options: DiagramOptions = {}) {
    this.#host = host;
    this.#controls = options.controls ?? true;
    this.#parts = build(host, options.label ?? 'Sequence diagram');
    this.#list = new TextList(this.#parts.list);
    this.#context = this.#parts.canvas.getContext('2d')!;
    host.classList.toggle('bare', !this.#controls);
    this.#layout = layout(this.#history, this.#measures());
    this.#wireControls();
    this.#wirePlot();
    this.#watch();
    tell(this.#parts.words, undefined, this.#history, 0);
  }

  /** Takes in an event, at any time; events may come late. */
  add(event: Recorded): void {
    this.#history.add(event);
    this.#change();
  }

  /** Forgets all, and shows these lanes before anything is heard of them. */
  expect(lanes: LaneId[]): void {
    this.#history.expect(lanes);
    this.#rows = lanes.length;
    this.#measure();
    this.#chosen = this.#pointed = undefined;
    this.#left = -indent;
    if (!this.#controls) this.#zoom = usualZoom;
    this.#playback.toPresent(present());
    this.#change();
  }

  /** Where a call stands on the screen; undefined if it is not in view. */
  whereIs(call: string): DOMRect | undefined {
    const bar = this.#layout.bars.find((each) => each.call.id === call);
    if (bar === undefined || bar.made > this.#edge.x) return undefined;
    const { left, top } = this.#parts.canvas.getBoundingClientRect();
    const from = Math.max(0, bar.made - this.#left);
    const to = Math.min(this.#width, Math.min(bar.end, this.#edge.x) - this.#left);
    return to < 0 || from > this.#width ? undefined : new DOMRect(left + from, top + bar.y, Math.max(3, to - from), bar.height);
  }

  // What it shows.

  #measures(): { zoom: number; rowHeight: number; inset: number } {
    return { zoom: this.#zoom, rowHeight: this.#rowHeight, inset: this.#inset };
  }

  /** Has it drawn with the next frame; while the canvas is out of sight it is only told, and not so often. */
  #change(): void {
    if (!this.#visible) {
      this.#unseen ??= setTimeout(() => {
        this.#unseen = undefined;
        if (!this.#visible && !document.hidden) this.#draw(period);
      }, period);
      return;
    }
    if (this.#frame !== 0) return;
    clearTimeout(this.#timer);
    this.#frame = requestAnimationFrame((at) => {
      this.#frame = 0;
      this.#draw(Math.min(100, at - this.#drawnAt));
      this.#drawnAt = at;
    });
  }

  #draw(passed: number): void {
    if (this.#width === 0) return;
    const now = present();
    this.#playback.advance(passed, this.#history.times(), now);
    this.#layOut();
    this.#edge = this.#edgeAt(this.#playback.edge(now));
    if (!this.#controls) this.#keepInView();
    this.#showRows();
    const moving = this.#follow(passed);
    const chosen = this.#pointed ?? this.#chosen;
    if (this.#visible) draw(this.#context, this.#layout, {
      left: this.#left, width: this.#width, height: this.#height, edge: this.#edge.x, until: this.#edge.time,
      mode: this.#playback.live ? 'live' : this.#playback.playing ? 'playing' : 'paused',
      chosen: chosen && idOf(chosen), related: this.#related(chosen),
    }, this.#theme);
    this.#tell(chosen, now);
    const plays = this.#playback.playing && this.#playback.isBehind(this.#history.times());
    if (plays || (moving && this.#visible)) this.#change();
    else if (this.#playback.playing && this.#visible) this.#timer = setTimeout(() => this.#change(), this.#untilNextPixel());
  }

  #edgeAt(time: number): { time: number; x: number } {
    return { time, x: this.#layout.axis.x(time) };
  }

  /** Brings the layout up to date, and what is in view stays where it is. */
  #layOut(): void {
    const { measures } = this.#layout;
    const { zoom, rowHeight, inset } = this.#measures();
    const same = measures.zoom === zoom && measures.rowHeight === rowHeight && measures.inset === inset;
    if (same && this.#laidOut === this.#history.version) return;
    const before = this.#layout.axis;
    // Playing, what is new is at the right; paused, it is what came late, and is not to move what one looks at.
    const screen = this.#playback.playing ? 0 : Math.min(this.#width, this.#edge.x - this.#left);
    const known = before.times.length > 0 && this.#left + screen > 0;
    const anchor = before.before(this.#left + screen);
    this.#layout = layout(this.#history, this.#measures());
    this.#laidOut = this.#history.version;
    if (known && same) this.#left = Math.max(-indent, this.#layout.axis.x(anchor.time) + anchor.past - screen);
  }

  /** The room that is left free between the edge and the right side, for the text of what happens there. */
  get #margin(): number {
    return Math.min(150, this.#width / 4);
  }

  /** Moves the view after the edge; true if it has not come there yet. */
  #follow(passed: number): boolean {
    if (!this.#playback.playing) {
      this.#left = this.#clamp(this.#left);
      return false;
    }
    const room = this.#width - this.#margin;
    let target = this.#left;
    // However long ago that was, what happened last stays in view.
    const latest = this.#layout.axis.before(this.#edge.x);
    if (this.#playback.live || this.#edge.x > this.#left + room) target = Math.min(this.#edge.x - room, this.#edge.x - (latest.past || 0) - room / 2);
    else if (this.#edge.x < this.#left) target = this.#edge.x - room / 4;
    target = Math.max(-indent, target);
    const way = target - this.#left;
    // What is far away would only be seen to rush by.
    if (this.#calm.matches || Math.abs(way) < 0.5 || Math.abs(way) > 3 * this.#width) this.#left = target;
    else this.#left += way * (1 - Math.exp(-passed / settling));
    return this.#left !== target;
  }

  #clamp(left: number): number {
    return Math.max(-indent, Math.min(left, this.#edge.x - this.#width / 3));
  }

  #keepInView(): void {
    const room = this.#width - this.#margin - indent;
    if (this.#edge.x <= room || this.#zoom <= usualZoom / 8) return;
    this.#zoom = Math.max(usualZoom / 8, zoomToFit(this.#history.times(), this.#edge.time, room * 0.9));
    this.#layOut();
    this.#edge = this.#edgeAt(this.#edge.time);
  }

  /** Milliseconds until the present has moved on by so much that one sees it. */
  #untilNextPixel(): number {
    const { times } = this.#layout.axis;
    if (times.length === 0) return 1e6;
    const gap = Math.max(1, this.#edge.time - times[lastUpTo(times, this.#edge.time)]!);
    const pixel = widthOf(2 * gap, this.#zoom) - widthOf(gap, this.#zoom);
    // Each doubling adds so many pixels; and the seconds that are written there are to be right.
    return Math.min(gap / Math.max(1, pixel), Math.max(100, gap / 50));
  }

  /** What belongs to an event: the call that caused it, and those that it caused. */
  #related(item: Item | undefined): Set<string> {
    const related = new Set<string>();
    if (item === undefined) return related;
    const { time } = this.#edge;
    for (const each of causedBy(item, this.#history, time)) related.add(each.id);
    const cause = item.call && causeOf(item.call, this.#history, time);
    if (cause !== undefined) related.add(idOf(cause));
    return related;
  }

  // What it says.

  #tell(chosen: Item | undefined, now: number): void {
    const { parts, until } = { parts: this.#parts, until: this.#edge.time };
    // An item is made anew with each change of the history.
    const current = chosen && this.#history.items().find((item) => idOf(item) === idOf(chosen));
    tell(parts.words, current, this.#history, until);
    say(parts.status, this.#status(now));
    parts.nothing.hidden = this.#history.items().some(({ call }) => call !== undefined);
    const { forgotten } = this.#history;
    say(parts.forgotten, forgotten === undefined ? '' : `Before ${shortClock(forgotten)}: forgotten.`);
    this.#showScale();
    this.#showControls(now);
    const inShort = this.#history.size === 0 ? '' : summary(this.#history, until);
    if (now - this.#summarized > 3000 && parts.summary.textContent !== inShort) {
      this.#summarized = now;
      parts.summary.textContent = inShort;
    }
    if (parts.details.open) this.#showList();
  }

  /** Four times a second at most. */
  #showList(): void {
    this.#listing ??= setTimeout(() => {
      this.#listing = undefined;
      this.#list.show(this.#history, this.#edge.time);
      this.#listed = performance.now();
    }, Math.max(0, this.#listed + 250 - performance.now()));
  }

  #status(now: number): string {
    const { live, playing, pace } = this.#playback;
    if (live) return this.#history.size === 0 ? 'Nothing has happened yet' : summary(this.#history, this.#edge.time);
    const times = this.#history.times();
    const waiting = times.length - 1 - lastUpTo(times, this.#edge.time);
    const behind = `${((now - this.#edge.time) / 1000).toFixed(1)} s behind`;
    if (!playing) return `Paused at ${clock(this.#edge.time)}${waiting > 0 ? `, ${waiting} more` : ''}`;
    const slow = pace === 1 ? '' : `1/${pace}: `;
    return waiting > 0 ? `${slow}${behind}, ${waiting} to come` : `${slow}waiting for what comes next`;
  }

  #showScale(): void {
    const { scale } = this.#parts;
    const length = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1].findLast((ms) => ms * this.#zoom <= 60) ?? 0.001;
    const bar = scale.parentElement!.querySelector('i')!;
    const width = `${(length * this.#zoom).toFixed(1)}px`;
    if (bar.style.width !== width) bar.style.width = width;
    say(scale, duration(length));
  }

  #showControls(now: number): void {
    const { pause, present: live, scrub, pace } = this.#parts;
    say(pause, this.#playback.playing ? 'Pause' : 'Go on');
    live.toggleAttribute('data-on', this.#playback.live);
    live.ariaPressed = String(this.#playback.live);
    if (pace.value !== String(this.#playback.pace)) pace.value = String(this.#playback.pace);
    // From the first event to the last, or to the present.
    const { times } = this.#layout.axis;
    const last = times.length === 0 ? 0 : this.#layout.axis.x(times[times.length - 1]!);
    const value = times.length === 0 ? 1 : Math.max(0, this.#edge.x);
    const most = Math.max(1, value, last);
    if (Number(scrub.max) !== most) scrub.max = String(most);
    if (Number(scrub.value) !== value) scrub.value = String(value);
    const { time } = this.#edge;
    const text = times.length === 0 ? '' : `${shortClock(time)}, ${Math.max(0, Math.round((now - time) / 1000))} seconds ago`;
    if (scrub.ariaValueText !== text) scrub.ariaValueText = text;
  }

  /** Each as it was at the moment that is shown. */
  #showRows(): void {
    const { names } = this.#parts;
    const { rows, hub } = this.#layout;
    const time = this.#playback.live ? Infinity : this.#edge.time;
    const shown = rows.map(({ label, kind, lanes }, i) => {
      const lane = lanes.findLast(({ from }) => from <= time);
      const gone = lane?.gone !== undefined && lane.gone.at <= time ? lane.gone.how : undefined;
      const state = i === hub ? 'hub-row' : gone !== undefined ? 'gone' : lane === undefined ? 'coming' : '';
      return [state, label, gone ?? (lane ?? lanes.at(-1))?.about ?? kinds[kind]] as const;
    });
    const key = shown.join('\n');
    if (names.dataset['key'] !== key) {
      names.dataset['key'] = key;
      names.replaceChildren(...shown.map(([state, label, about]) => make('li', state, make('b', '', label), make('span', '', about))));
    }
    if (rows.length > this.#rows) {
      this.#rows = rows.length;
      this.#measure();
    }
  }

  // What one does with it.

  #wireControls(): void {
    const { pause, present: live, closer, wider, fit, pace, replay, scrub, details } = this.#parts;
    pause.onclick = () => this.#pauseOrGoOn();
    live.onclick = () => {
      this.#playback.setPace(1, present());
      this.#playback.toPresent(present());
      this.#change();
    };
    closer.onclick = () => this.#zoomBy(2);
    wider.onclick = () => this.#zoomBy(0.5);
    fit.onclick = () => this.#fit();
    pace.onchange = () => {
      this.#playback.setPace(Number(pace.value), present());
      this.#change();
    };
    replay.onclick = () => this.#replay();
    scrub.oninput = () => this.#seek(this.#layout.axis.time(Number(scrub.value)));
    details.ontoggle = () => this.#change();
  }

  #wirePlot(): void {
    const { canvas } = this.#parts;
    listen(canvas, {
      pan: (pixels) => this.#panTo(this.#left + pixels),
      zoom: (factor, x) => this.#zoomBy(factor, x),
      point: (x, y) => this.#point(hit(this.#layout, x + this.#left, y, this.#edge.x)),
      leave: () => this.#point(undefined),
      tap: (x, y, finger) => this.#choose(hit(this.#layout, x + this.#left, y, this.#edge.x, finger ? 16 : 6)),
      walk: (step, alongLane) => this.#walk(step, alongLane),
      changeLane: (step) => this.#changeLane(step),
      walkTo: (end) => this.#choose(end === 'first' ? this.#shown()[0] : this.#shown().at(-1), true),
      fit: () => this.#fit(),
      pause: () => this.#pauseOrGoOn(),
      forget: () => this.#choose(undefined),
    });
  }

  #pauseOrGoOn(): void {
    if (this.#playback.playing) {
      this.#playback.pause(present());
    } else {
      // From what one sees, if one has gone back.
      const right = this.#layout.axis.time(this.#left + this.#width - this.#margin);
      if (right < this.#edge.time) this.#playback.seek(right);
      this.#playback.goOn();
    }
    this.#change();
  }

  #panTo(left: number): void {
    if (this.#playback.playing) this.#playback.pause(present());
    this.#left = this.#clamp(left);
    this.#change();
  }

  /** Stops at that moment, and has it in view. */
  #seek(time: number): void {
    if (Number.isNaN(time)) return;
    this.#playback.pause(present());
    this.#playback.seek(time);
    this.#edge = this.#edgeAt(time);
    const room = this.#width - this.#margin;
    const { x } = this.#edge;
    if (x < this.#left || x > this.#left + room) this.#left = x - room;
    this.#change();
  }

  #replay(): void {
    const from = this.#layout.axis.time(Math.max(0, this.#left));
    if (Number.isNaN(from)) return;
    if (this.#playback.pace === 1) this.#playback.setPace(1000, present());
    this.#playback.seek(from - 1e-3);
    this.#playback.goOn();
    this.#change();
  }

  /** Without an x, what is chosen stays where it is, or what is at the edge. */
  #zoomBy(factor: number, x?: number): void {
    const zoom = Math.min(zooms.most, Math.max(zooms.least, this.#zoom * factor));
    if (x !== undefined && this.#playback.playing) this.#playback.pause(present());
    const inView = (position: number): boolean => position >= this.#left && position <= this.#left + this.#width;
    const chosen = this.#chosen && this.#layout.axis.x(startOf(this.#chosen));
    const screen = x ?? (chosen !== undefined && inView(chosen) ? chosen - this.#left
      : inView(this.#edge.x) ? this.#edge.x - this.#left : this.#width / 2);
    const time = this.#layout.axis.time(this.#left + screen);
    this.#zoom = zoom;
    this.#layOut();
    this.#edge = this.#edgeAt(this.#edge.time);
    if (!Number.isNaN(time)) this.#left = this.#clamp(this.#layout.axis.x(time) - screen);
    this.#change();
  }

  #fit(): void {
    const times = this.#history.times();
    if (times.length === 0) return;
    this.#zoom = zoomToFit(times, this.#edge.time, this.#width - this.#margin - indent);
    this.#layOut();
    this.#edge = this.#edgeAt(this.#edge.time);
    this.#left = -indent;
    this.#change();
  }

  #point(item: Item | undefined): void {
    const { canvas, words } = this.#parts;
    canvas.style.cursor = item === undefined ? '' : 'pointer';
    if ((item && idOf(item)) === (this.#pointed && idOf(this.#pointed))) return;
    this.#pointed = item;
    words.ariaLive = 'off';
    this.#change();
  }

  /** Chooses an event, and brings it into view if it is to be. */
  #choose(item: Item | undefined, show = false): void {
    this.#chosen = item;
    this.#pointed = undefined;
    this.#parts.words.ariaLive = 'polite';
    if (item !== undefined && show) {
      const x = this.#layout.axis.x(startOf(item));
      if (x < this.#left || x > this.#left + this.#width - 40) this.#panTo(x - this.#width / 2);
    }
    this.#change();
  }

  #shown(): Item[] {
    return this.#history.items().filter((item) => startOf(item) <= this.#edge.time);
  }

  #walk(step: 1 | -1, alongLane: boolean): void {
    const lane = this.#chosen && laneOf(this.#chosen);
    const items = this.#shown().filter((item) => !alongLane || lane === undefined || laneOf(item) === lane);
    const at = this.#chosen === undefined ? -1 : items.findIndex((item) => idOf(item) === idOf(this.#chosen!));
    if (at >= 0) {
      this.#choose(items[Math.min(items.length - 1, Math.max(0, at + step))], true);
    } else {
      // Into what is in view, from the side one comes from.
      const inView = items.filter((item) => this.#layout.axis.x(startOf(item)) >= this.#left);
      this.#choose(step === 1 ? inView[0] : items.at(-1), true);
    }
  }

  #changeLane(step: 1 | -1): void {
    if (this.#chosen === undefined) return this.#walk(-1, false);
    const { rows } = this.#layout;
    const rowOf = (item: Item): number => rows.findIndex(({ lanes }) => lanes.some(({ id }) => id === laneOf(item)));
    const start = startOf(this.#chosen);
    for (let row = rowOf(this.#chosen) + step; row >= 0 && row < rows.length; row += step) {
      const own = this.#shown().filter((item) => rowOf(item) === row);
      if (own.length === 0) continue;
      const distance = (item: Item): number => Math.abs(startOf(item) - start);
      return this.#choose(own.reduce((best, item) => distance(item) < distance(best) ? item : best), true);
    }
  }

  // Where it stands.

  #watch(): void {
    const { canvas } = this.#parts;
    this.#theme = themeOf(this.#host);
    const restyle = (): void => {
      this.#theme = themeOf(this.#host);
      this.#change();
    };
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
      matchMedia(query).addEventListener('change', restyle);
    }
    new ResizeObserver(() => this.#measure()).observe(canvas.parentElement!);
    new IntersectionObserver((entries) => {
      this.#visible = entries.at(-1)!.isIntersecting;
      if (this.#visible) this.#change();
      else clearTimeout(this.#timer);
    }).observe(canvas);
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) clearTimeout(this.#timer);
      else this.#change();
    });
    this.#measure();
  }

  /** Takes over the size that the host has, and reserves the height of the rows. */
  #measure(): void {
    const { canvas } = this.#parts;
    const isNarrow = this.#host.clientWidth < narrow;
    this.#inset = isNarrow ? 16 : 0;
    this.#rowHeight = isNarrow ? 54 : 44;
    this.#host.classList.toggle('narrow', isNarrow);
    const height = this.#rows * this.#rowHeight + axisHeight;
    this.#host.style.setProperty('--row-height', `${this.#rowHeight}px`);
    canvas.style.height = `${height}px`;
    const { clientWidth: width } = canvas;
    const scale = Math.min(3, devicePixelRatio);
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    this.#context.setTransform(scale, 0, 0, scale, 0, 0);
    this.#width = width;
    this.#height = height;
    this.#change();
  }
}

const kinds = { page: 'this tab', worker: 'Worker', tab: 'another tab', goroutine: 'Go', hub: 'Go scheduler' };
