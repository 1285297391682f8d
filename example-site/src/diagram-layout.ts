/** Where everything stands: lanes become rows, calls become bars in the tracks of a row, and times become positions. */

import { Axis } from './diagram-axis.ts';
import { type Call, type History, type Item, type Lane, type Mark, endOf } from './diagram-history.ts';

/** A row has the lane that is there now, and those of the same label that had gone before it came. */
export interface Row {
  lanes: Lane[];
  label: string;
  kind: Lane['kind'];
}

export interface Measures {
  zoom: number;
  /** Pixels. In each row, the first `inset` are left to its label. */
  rowHeight: number;
  inset: number;
}

/** All positions are pixels on the axis and from the top of the first row. A step that is not known is missing. */
export interface Bar {
  call: Call;
  item: Item;
  row: number;
  y: number;
  height: number;
  /** Where it turns to the hub, and where in the hub it arrives. */
  side: number;
  hubY: number;
  /** Where in the hub its answer comes from: from the call that caused it, if another did. */
  fromY: number;
  cause?: Cause;
  /** Whether it was answered at once, and so has not waited. */
  brief: boolean;
  /** What it is shown with, if it could not be seen alone. */
  block?: Block;
  /** Whether what the call did itself caused the answers of others. */
  causes: boolean;
  made: number;
  taken?: number;
  answered?: number;
  settled?: number;
  cancelled?: number;
  held?: number;
  released?: number;
  /** Until when it waits, and until when it is drawn; infinite as long as that goes on. */
  waits: number;
  end: number;
  /** Where the next bar of its track begins. */
  next: number;
}

/** Bars that follow one another too closely to be drawn above one another. */
export interface Block {
  bars: Bar[];
  from: number;
  end: number;
  y: number;
  height: number;
}

/** Where a call, or the end of a lane, caused the answers of others, from the first moment to the last. */
export interface Cause {
  /** Of the call, or of the mark. */
  id: string;
  y: number;
  from: number;
  /** Where that comes from, if not from the call itself: from the release of what it held; from where the lane has ended. */
  source?: { x: number; y: number; bar?: Bar };
  /** Where the answers are that it caused, ascending. */
  answers: { x: number; bar: Bar }[];
}

export interface Sign {
  mark: Mark;
  item: Item;
  row: number;
  y: number;
  x: number;
  end: number;
  /** Whether there is room above the bars of the row for a text. */
  free: boolean;
}

export interface Layout {
  rows: Row[];
  axis: Axis;
  measures: Measures;
  /** The row of the hub. */
  hub: number;
  bars: Bar[];
  blocks: Block[];
  causes: Cause[];
  signs: Sign[];
}

const ranks: Record<Lane['kind'], number> = { page: 0, worker: 1, hub: 2, goroutine: 3, tab: 4 };
const { compare: order } = new Intl.Collator('en', { numeric: true });
const most = { rows: 12, barHeight: 18 };
/** Pixels below which a bar cannot be seen; how many of those that are too many stand alone, and how high. */
const thin = 4;
const alone = { tracks: 4, pitch: 5 };
/** Milliseconds in which the hub answers what need not wait. */
const atOnce = 1;

/** The page, its Workers, the hub, goroutines, and then each other tab; of one kind, in the order of their labels. */
export function arrange(lanes: Lane[]): { rows: Row[]; hub: number } {
  const rows: Row[] = [];
  const insert = (row: Row): void => {
    const i = rows.findIndex(({ kind, label }) => (ranks[kind] - ranks[row.kind] || order(label, row.label)) > 0);
    rows.splice(i < 0 ? rows.length : i, 0, row);
  };
  const hubs = lanes.filter(({ kind }) => kind === 'hub');
  const hub: Row = { lanes: hubs, label: hubs[0]?.label ?? 'Hub', kind: 'hub' };
  insert(hub);
  for (const lane of lanes) {
    const { label, kind } = lane;
    if (kind === 'hub') continue;
    const again = rows.find((row) => {
      const last = row.lanes.at(-1)!;
      return row.label === label && row.kind === kind && last.gone !== undefined && last.gone.at <= lane.from;
    });
    if (again !== undefined) {
      again.lanes.push(lane);
      continue;
    }
    if (rows.length > most.rows) {
      const i = rows.findIndex((row) => row !== hub && row.lanes.every(({ gone }) => gone !== undefined));
      if (i >= 0) rows.splice(i, 1);
    }
    insert({ lanes: [lane], label, kind });
  }
  return { rows, hub: rows.indexOf(hub) };
}

export function layout(history: History, measures: Measures): Layout {
  const { rows, hub } = arrange(history.lanes());
  const axis = new Axis(history.times(), measures.zoom);
  const rowOf = new Map(rows.flatMap(({ lanes }, i) => lanes.map(({ id }) => [id, i] as const)));
  const bars: Bar[] = [];
  const signs: Sign[] = [];
  for (const item of history.items()) {
    if (item.call !== undefined) {
      const row = rowOf.get(item.call.lane);
      if (row !== undefined && row !== hub) bars.push(barOf(item, item.call, row, axis));
    } else {
      const row = item.mark.what === 'missed' ? hub : rowOf.get(item.mark.lane);
      if (row !== undefined) signs.push(signOf(item, item.mark, row, axis, measures));
    }
  }
  const causes = causesOf(bars, signs, (mark) => {
    const { gone } = history.lane(mark.lane)!;
    const row = rowOf.get(mark.lane);
    if (gone === undefined || row === undefined) return undefined;
    return { x: axis.x(gone.at), y: row * measures.rowHeight + (measures.inset + measures.rowHeight) / 2 };
  });
  const { tracks, blocks } = placeInRows(bars, rows.length, hub, measures);
  for (const sign of signs) sign.free = tracks[sign.row]! <= 1;
  placeInHub(bars, causes, hub, measures);
  for (const cause of causes) if (cause.source?.bar !== undefined) cause.source.y = cause.source.bar.side;
  return { rows, axis, measures, hub, bars, blocks, causes, signs };
}

function barOf(item: Item, call: Call, row: number, axis: Axis): Bar {
  const bar: Bar = {
    call, item, row, y: 0, height: 0, side: 0, hubY: 0, fromY: 0, causes: false,
    brief: call.by === undefined && call.answered !== undefined && call.answered - (call.taken ?? -Infinity) < atOnce,
    made: axis.x(call.made), waits: Infinity, end: Infinity, next: Infinity,
  };
  for (const step of ['taken', 'answered', 'settled', 'cancelled', 'held', 'released'] as const) {
    if (call[step] !== undefined) bar[step] = axis.x(call[step]);
  }
  const end = endOf(call);
  if (end !== undefined) bar.end = Math.max(bar.made, bar.settled ?? 0, axis.x(end));
  bar.waits = Math.min(bar.settled ?? Infinity, bar.held ?? Infinity, bar.end);
  return bar;
}

function signOf(item: Item, mark: Mark, row: number, axis: Axis, { rowHeight }: Measures): Sign {
  const x = axis.x(mark.at);
  const lasts = mark.what === 'blocked';
  const end = mark.until !== undefined ? axis.x(mark.until) : lasts ? Infinity : x;
  return { mark, item, row, y: row * rowHeight, x, end, free: true };
}

/**
 * Bars that overlap in time stand in tracks of their own, all of one height in a row; where they could not be seen any more,
 * only a few do, and the others are one block. How many tracks each row has.
 */
function placeInRows(
  bars: Bar[], rows: number, hub: number, { rowHeight, inset }: Measures,
): { tracks: number[]; blocks: Block[] } {
  const counts: number[] = [];
  const blocks: Block[] = [];
  for (let row = 0; row < rows; row++) {
    const tracks: Bar[] = []; // the last bar of each
    const trackOf: number[] = [];
    const own = bars.filter((bar) => bar.row === row);
    for (const bar of own) {
      let track = tracks.findIndex((last) => last.end <= bar.made);
      if (track < 0) track = tracks.length;
      else tracks[track]!.next = bar.made;
      tracks[track] = bar;
      trackOf.push(track);
    }
    const room = rowHeight - inset - 6;
    const crowded = room / tracks.length < thin;
    const count = crowded ? alone.tracks : tracks.length;
    const pitch = crowded ? alone.pitch : Math.min(most.barHeight + 2, room / count);
    const above = row * rowHeight + inset + 3;
    const block = room - pitch * count; // the height
    const top = !crowded ? above + block / 2 : row < hub ? above + block : above;
    let last: Block | undefined;
    own.forEach((bar, i) => {
      if (trackOf[i]! >= count) {
        if (last === undefined || last.end <= bar.made) {
          last = { bars: [], from: bar.made, end: 0, y: row < hub ? above : above + pitch * count, height: block - 2 };
          blocks.push(last);
        }
        last.bars.push(bar);
        last.end = Math.max(last.end, bar.end);
        bar.block = last;
        bar.y = last.y;
        bar.height = last.height;
        bar.side = row < hub ? bar.y + bar.height : bar.y;
        return;
      }
      // The first track is the one next to the hub.
      const track = row < hub ? count - 1 - trackOf[i]! : trackOf[i]!;
      bar.y = top + pitch * track;
      bar.height = pitch > 6 ? pitch - 2 : pitch * 0.8;
      bar.side = row < hub ? bar.y + bar.height : bar.y;
    });
    counts.push(tracks.length);
  }
  return { tracks: counts, blocks };
}

function causesOf(bars: Bar[], signs: Sign[], endOf: (mark: Mark) => Cause['source']): Cause[] {
  const missed = new Map(signs.flatMap((sign) => (sign.mark.what === 'missed' ? [[sign.mark.lane, sign] as const] : [])));
  const byId = new Map(bars.map((bar) => [bar.call.id, bar]));
  const causes = new Map<string, Cause>();
  for (const bar of bars) {
    const by = bar.call.by === undefined ? undefined : byId.get(bar.call.by);
    const end = bar.call.by === undefined ? undefined : missed.get(bar.call.by);
    if ((by === undefined && end === undefined) || bar.answered === undefined) continue;
    const released = by?.released !== undefined && by.released <= bar.answered;
    const id = by?.call.id ?? end!.mark.id;
    const key = `${id}${released ? ' released' : ''}`;
    let cause = causes.get(key);
    if (cause === undefined) {
      cause = { id, y: 0, from: by === undefined ? end!.x : released ? Infinity : by.taken ?? by.made, answers: [] };
      const source = by === undefined ? endOf(end!.mark) : released ? { x: by.released!, y: 0, bar: by } : undefined;
      if (source !== undefined) cause.source = source;
      causes.set(key, cause);
    }
    bar.cause = cause;
    if (released || by === undefined) cause.from = Math.min(cause.from, bar.answered);
    cause.answers.push({ x: Math.max(bar.answered, cause.from), bar });
  }
  for (const { answers } of causes.values()) answers.sort((a, b) => a.x - b.x);
  return [...causes.values()].sort((a, b) => a.from - b.from);
}

/** In the hub, each cause that reaches to others has a track while it does so. */
function placeInHub(bars: Bar[], causes: Cause[], hub: number, { rowHeight, inset }: Measures): void {
  const middle = hub * rowHeight + inset / 2 + rowHeight / 2;
  const ends: number[] = [];
  const trackOf = causes.map((cause) => {
    let track = ends.findIndex((end) => end < cause.from);
    if (track < 0) track = ends.length;
    ends[track] = cause.answers.at(-1)!.x;
    return track;
  });
  const pitch = Math.min(8, (rowHeight - inset - 10) / Math.max(1, ends.length));
  // The middle first, then one below it, one above it, and so on.
  causes.forEach((cause, i) => {
    cause.y = middle + pitch * Math.ceil(trackOf[i]! / 2) * (trackOf[i]! % 2 === 1 ? 1 : -1);
  });
  const own = new Map(causes.flatMap((cause) => cause.source === undefined ? [[cause.id, cause.y] as const] : []));
  for (const bar of bars) {
    bar.hubY = own.get(bar.call.id) ?? middle;
    bar.fromY = bar.cause?.y ?? bar.hubY;
    bar.causes = own.has(bar.call.id);
  }
}

/** What is at a point, or so near to it that a finger would mean it. */
export function hit(layout: Layout, x: number, y: number, edge: number, reach = 6): Item | undefined {
  let best: Item | undefined;
  let least = reach;
  const consider = (item: Item, distance: number): void => {
    if (distance > least || (distance === least && best !== undefined && distance > 0)) return;
    best = item;
    least = distance;
  };
  for (const { item, row, x: from, end, mark } of layout.signs) {
    if (from > edge || Math.floor(y / layout.measures.rowHeight) !== row) continue;
    if (mark.what === 'blocked') consider(item, Math.max(reach / 2, outside(x, from, Math.min(end, edge))));
    else consider(item, Math.max(1, Math.abs(x - from)));
  }
  for (const bar of layout.bars) {
    if (bar.made > edge) continue;
    const end = Math.max(bar.made + 3, Math.min(bar.end, edge));
    consider(bar.item, Math.max(outside(x, bar.made, end), outside(y, bar.y, bar.y + bar.height)));
    for (const { x1, y1, x2, y2 } of arrowsOf(bar, edge)) consider(bar.item, 1 + toSegment(x, y, x1, y1, x2, y2));
  }
  return best;
}

export interface Arrow {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  /** An answer goes to the lane; one that another call caused is a wake. */
  kind: 'call' | 'answer' | 'wake';
  /** Whether it has arrived. */
  done: boolean;
}

/** The arrows of a call up to a position; what is under way there has come so far. */
export function arrowsOf(bar: Bar, edge: number): Arrow[] {
  const arrows: Arrow[] = [];
  const { made, taken, answered, settled, side, hubY, fromY } = bar;
  const add = (kind: Arrow['kind'], x1: number, y1: number, x2: number, y2: number): void => {
    const far = x2 <= edge ? 1 : (edge - x1) / (x2 - x1);
    arrows.push({ kind, x1, y1, x2: x1 + far * (x2 - x1), y2: y1 + far * (y2 - y1), done: x2 <= edge });
  };
  if (taken !== undefined && made <= edge) add('call', made, side, taken, hubY);
  if (answered !== undefined && settled !== undefined && answered <= edge) {
    add(bar.call.by === undefined ? 'answer' : 'wake', answered, fromY, settled, side);
  }
  return arrows;
}

/** How far a value is from an interval. */
function outside(value: number, from: number, to: number): number {
  return Math.max(0, from - value, value - to);
}

function toSegment(x: number, y: number, x1: number, y1: number, x2: number, y2: number): number {
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length));
  return Math.hypot(x - x1 - t * (x2 - x1), y - y1 - t * (y2 - y1));
}
