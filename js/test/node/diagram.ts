/** The sequence diagram's layout, apart from any page: where things stand, and when they are shown. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Axis, gapOf, usualZoom, widthOf, zoomToFit, zooms } from '../../../example-site/src/diagram-axis.ts';
import { type Theme, type View, draw } from '../../../example-site/src/diagram-draw.ts';
import { type Item, History, idOf, startOf } from '../../../example-site/src/diagram-history.ts';
import { arrange, arrowsOf, hit, layout } from '../../../example-site/src/diagram-layout.ts';
import { Playback, lateness, longest } from '../../../example-site/src/diagram-playback.ts';
import { duration, sentence, shortenedTo } from '../../../example-site/src/diagram-words.ts';
import type { Recorded } from '../../../example-site/src/record.ts';
import { story } from '../story.ts';

const measures = { zoom: usualZoom, rowHeight: 44, inset: 0 };
const allZooms = [zooms.least, 1, 40, usualZoom, 2000, zooms.most];

function recorded(events: Recorded[], limit?: number): History {
  const history = new History(limit);
  for (const event of events) history.add(event);
  return history;
}

/** Numbers in [0, 1) that are the same each time. */
function* numbers(seed: number): Generator<number, never> {
  for (;;) {
    seed = (seed * 1664525 + 1013904223) % 2 ** 32;
    yield seed / 2 ** 32;
  }
}

function shuffled<T>(values: T[], seed: number): T[] {
  const random = numbers(seed);
  return values.map((value) => ({ value, key: random.next().value })).sort((a, b) => a.key - b.key).map(({ value }) => value);
}

/** Calls of three lanes that come at random, wait, and are woken by one another. */
function randomStory(seed: number, calls: number): Recorded[] {
  const random = numbers(seed);
  const events: Recorded[] = [];
  let now = 1e12;
  for (let i = 0; i < calls; i++) {
    const next = (): number => random.next().value;
    now += next() < 0.8 ? next() * 0.2 : next() * 3000;
    const call = `call ${i}`;
    events.push({ type: 'call', at: now, lane: `lane ${Math.floor(next() * 3)}`, call, text: `text ${i}` });
    events.push({ type: 'taken', at: now + next() * 0.1, call });
    const by = i > 0 && next() < 0.5 ? { by: `call ${Math.floor(next() * i)}` } : {};
    const answered = now + 0.1 + next() * 50;
    events.push({ type: 'answer', at: answered, call, ...by });
    events.push({ type: 'settled', at: answered + next() * 0.1, call, ok: next() < 0.9, text: 'done' });
  }
  return events.sort((a, b) => a.at - b.at);
}

test('a longer gap is wider, and up to the limit it is to scale', () => {
  for (const zoom of allZooms) {
    assert.equal(widthOf(0.05, zoom), 0.05 * zoom);
    let before = -1;
    for (let gap = 0; gap < 1e7; gap = gap * 1.3 + 1e-4) {
      const width = widthOf(gap, zoom);
      assert.ok(width > before, `${gap} ms at ${zoom}`);
      before = width;
      assert.ok(Math.abs(gapOf(width, zoom) - gap) <= 1e-9 * (1 + gap), `back from ${gap} ms at ${zoom}`);
    }
  }
});

test('seconds between people take no more room than a few tenths of a millisecond', () => {
  assert.ok(widthOf(5000, usualZoom) < widthOf(0.1, usualZoom) * 4);
});

test('later is further to the right, and what comes after a moment does not move it', () => {
  for (const zoom of allZooms) {
    const times = recorded(randomStory(1, 300)).times();
    const axis = new Axis(times, zoom);
    for (let i = 1; i < times.length; i++) assert.ok(axis.x(times[i]!) > axis.x(times[i - 1]!));
    for (const i of [0, 1, 50, times.length - 1]) {
      const early = new Axis(times.slice(0, i + 1), zoom);
      for (const later of [0, 0.01, 0.5, 100]) {
        const time = Math.min(times[i]! + later, times[i + 1] ?? Infinity);
        assert.ok(Math.abs(early.x(time) - axis.x(time)) < 1e-6);
        assert.ok(Math.abs(axis.time(axis.x(time)) - time) < 0.01);
      }
    }
  }
});

test('all that fits is in view', () => {
  const times = recorded(randomStory(2, 100)).times();
  const end = times.at(-1)! + 4000;
  for (const width of [200, 1000, 3000]) {
    const used = new Axis(times, zoomToFit(times, end, width)).x(end);
    assert.ok(used <= width && used > width * 0.98, `${used} of ${width}`);
  }
});

test('whatever the order in which events come, the same is drawn', () => {
  const events = story(1e12);
  const [plain, ...others] = [events, shuffled(events, 1), shuffled(events, 2), events.toReversed()].map((order) => {
    const { bars, signs } = layout(recorded(order), measures);
    const lanes = recorded(order).items();
    return {
      bars: bars.map(({ call, made, taken, answered, settled, end }) => ({ id: call.id, made, taken, answered, settled, end })),
      signs: signs.map(({ mark, x, end }) => ({ what: mark.what, lane: mark.lane, x, end })),
      items: lanes.map(startOf),
    };
  });
  for (const other of others) {
    const byName = (each: { id?: string; what?: string; lane?: string }): string => `${each.id}${each.what}${each.lane}`;
    const sorted = <T extends object>(values: T[]): T[] => values.toSorted((a, b) => byName(a) < byName(b) ? -1 : 1);
    assert.deepEqual(sorted(other.bars), sorted(plain!.bars));
    assert.deepEqual(sorted(other.signs), sorted(plain!.signs));
    assert.deepEqual(other.items, plain!.items);
  }
});

test('nothing is drawn before its cause, though the clocks of realms differ', () => {
  const history = recorded([
    { type: 'call', at: 100, lane: 'a', call: 'c', text: 'c' }, { type: 'taken', at: 99.9, call: 'c' },
    { type: 'answer', at: 100.2, call: 'c' }, { type: 'settled', at: 100.1, call: 'c', ok: true, text: '' },
  ]);
  const [bar] = layout(history, measures).bars;
  assert.ok(bar!.made <= bar!.taken! && bar!.taken! <= bar!.answered! && bar!.answered! <= bar!.settled!);
});

test('no two bars overlap, and none leaves its row', () => {
  for (const seed of [1, 2, 3]) {
    for (const inset of [0, 16]) {
      const { bars, measures: { rowHeight } } = layout(recorded(randomStory(seed, 400)), { ...measures, inset });
      for (const [i, a] of bars.entries()) {
        assert.ok(a.y >= a.row * rowHeight + inset && a.y + a.height <= (a.row + 1) * rowHeight, a.call.id);
        for (const b of bars.slice(i + 1)) {
          const apart = (a.block !== undefined && a.block === b.block) || a.end <= b.made || b.end <= a.made || a.y + a.height <= b.y || b.y + b.height <= a.y;
          assert.ok(apart, `${a.call.id} and ${b.call.id}`);
        }
      }
    }
  }
});

test('arrows go between a bar and the row of the hub, and a wake begins where its cause is', () => {
  const { bars, hub, causes, measures: { rowHeight } } = layout(recorded(story(1e12)), measures);
  const inHub = (y: number): boolean => y > hub * rowHeight && y < (hub + 1) * rowHeight;
  for (const bar of bars) {
    for (const { kind, x1, x2, y1, y2 } of arrowsOf(bar, Infinity)) {
      assert.ok(x1 <= x2 && inHub(kind === 'call' ? y2 : y1));
      assert.equal(kind === 'call' ? y1 : y2, bar.side);
      if (kind === 'wake') assert.ok(y1 === bar.cause!.y && bar.cause!.id === bar.call.by);
    }
  }
  assert.deepEqual(causes.map(({ id, answers }) => [id, answers.length]), [['wake', 3], ['unlock a', 1]]);
});

test('what a release hands on comes from the release, and not from the call that acquired it', () => {
  const events = story(1e12).map((event) => event.type === 'answer' && event.by === 'unlock a' ? { ...event, by: 'lock a' } : event);
  const { bars, causes } = layout(recorded(events), measures);
  const { cause } = bars.find(({ call }) => call.id === 'lock b')!;
  assert.equal(cause!.source!.x, bars.find(({ call }) => call.id === 'lock a')!.released);
  assert.ok(causes.includes(cause!) && cause!.source!.x <= cause!.from);
});

test('what the end of a lane hands on comes from where the hub learns of it, and not from what the lane did', () => {
  const history = recorded([
    ...story(1e12).filter((event) => !('call' in event && event.call === 'lock go')),
    { type: 'call', at: 1e12 + 6000, lane: 'go', call: 'heir', text: 'lock.Acquire(ctx)' }, { type: 'taken', at: 1e12 + 6000, call: 'heir' },
    { type: 'missed', at: 1e12 + 6510, lane: 'b' }, { type: 'answer', at: 1e12 + 6510, call: 'heir', by: 'b' },
    { type: 'settled', at: 1e12 + 6511, call: 'heir', ok: true, text: '' }, { type: 'held', at: 1e12 + 6511, call: 'heir', abandoned: true },
  ]);
  const { bars, causes, signs, hub, measures: { rowHeight } } = layout(history, measures);
  const { cause } = bars.find(({ call }) => call.id === 'heir')!;
  const mark = signs.find(({ mark: { what } }) => what === 'missed')!;
  assert.ok(causes.includes(cause!));
  assert.deepEqual([mark.row, cause!.id, cause!.from], [hub, mark.mark.id, mark.x]);
  assert.equal(Math.floor(cause!.source!.y / rowHeight), bars.find(({ call }) => call.id === 'lock b')!.row);
  assert.ok(cause!.source!.x < cause!.from);
  const told = history.items().map((item) => sentence(item, history, Infinity));
  assert.ok(told.includes('is gone, as the hub learns; woke Goroutine'));
  const of = (text: string): string => told.findLast((each) => each.startsWith(text))!;
  assert.match(of('lock.Acquire'), /answered 510 ms later, free since Worker B died; noticed 1 ms later; abandoned$/);
});

test('whatever the order in which lanes appear, each has its place among the others', () => {
  const wanted = [
    ['page', 'Page'], ['worker', 'Worker A'], ['worker', 'Worker B'], ['hub', 'Hub'], ['goroutine', 'Goroutine'],
    ['tab', 'Tab 2 Page'], ['tab', 'Tab 2 Worker A'], ['tab', 'Tab 10 Page'], ['tab', 'Tab 10 Worker A'],
  ] as const;
  const lanes = wanted.map(([kind, label], i) => ({ id: String(i), label, kind, from: i }));
  for (const order of [lanes, lanes.toReversed(), shuffled(lanes, 1), shuffled(lanes, 2)]) {
    for (let count = 0; count <= order.length; count++) {
      const there = order.slice(0, count);
      const { rows, hub } = arrange(there);
      assert.deepEqual(rows.map(({ label }) => label), wanted.map(([, label]) => label)
        .filter((label) => label === 'Hub' || there.some((each) => each.label === label)));
      assert.equal(rows[hub]!.kind, 'hub');
    }
  }
});

test('a lane that is started again takes the row of the one that has gone', () => {
  const life = (id: string, from: number, gone?: number): object => ({
    id, label: 'Worker A', kind: 'worker', from, ...gone !== undefined && { gone: { at: gone, how: 'killed' } },
  });
  const rows = (...lanes: object[]): number => arrange(lanes as never).rows.length;
  assert.equal(rows(life('1', 0, 5), life('2', 6)), 2);
  assert.equal(rows(life('1', 0), life('2', 6)), 3);
});

test('memory is bounded, the oldest is forgotten first, and what still goes on is not', () => {
  const history = new History(500);
  history.add({ type: 'call', at: 1, lane: 'lane 0', call: 'waits', text: 'waits for ever' });
  const events = randomStory(4, 3000);
  for (const event of events) {
    history.add(event);
    assert.ok(history.size <= 500);
  }
  assert.ok(history.forgotten! > events[0]!.at);
  assert.ok(history.call('waits') !== undefined);
  assert.equal(history.call('call 0'), undefined);
  assert.ok(history.call('call 2999') !== undefined);
  assert.ok(history.items().length < 500);
  const kept = history.items().filter(({ call }) => call !== undefined).length;
  assert.equal(history.lost + kept, 3001);
});

test('bars that could not be seen are one block, and each counts', () => {
  for (const shape of [measures, { ...measures, rowHeight: 54, inset: 16 }]) {
    const events: Recorded[] = [];
    for (let i = 0; i < 1000; i++) {
      events.push({ type: 'call', at: 1e12 + i / 100, lane: 'a', call: `call ${i}`, text: 'wait' });
      events.push({ type: 'settled', at: 1e12 + 100 + i / 100, call: `call ${i}`, ok: true, text: '' });
    }
    const few = layout(recorded(events.slice(0, 12)), shape);
    assert.deepEqual(few.blocks, []);
    const { bars, blocks, measures: { rowHeight, inset } } = layout(recorded(events), shape);
    const alone = bars.filter(({ block }) => block === undefined);
    assert.equal(blocks.length, 1);
    assert.equal(blocks[0]!.bars.length + alone.length, 1000);
    assert.ok(alone.length > 0 && alone.every(({ height }) => height >= 3) && blocks[0]!.height >= 10);
    assert.ok([blocks[0]!, ...alone].every(({ y, height }) => y >= inset && y + height <= rowHeight));
  }
});

test('what is answered at once has not waited, unless another call has answered it', () => {
  const { bars } = layout(recorded(story(1e12)), measures);
  assert.deepEqual(bars.filter(({ brief }) => brief).map(({ call }) => call.id), ['wake', 'lock a', 'unlock a', 'lock go']);
});

test('where there is little room, what a call was is shortened before what it brought', () => {
  const of = (length: number): string => shortenedTo("signal('go').signal()", ' → 1', length);
  assert.deepEqual([40, 25, 12, 8, 7, 3].map(of), ["signal('go').signal() → 1", "signal('go').signal() → 1", 'signal(… → 1', 'sig… → 1', '→ 1', '→ 1']);
  assert.equal(shortenedTo('wait()', '', 4), 'wai…');
});

test('calls that never end do not make it grow without bounds', () => {
  const history = new History(100);
  for (let i = 0; i < 1000; i++) history.add({ type: 'call', at: i, lane: 'a', call: `${i}`, text: '' });
  assert.ok(history.items().length <= 110);
});

test('what is expected has its rows from the start, and nothing else is left', () => {
  const history = recorded(story(1e12));
  history.expect([
    { lane: 'page', label: 'Page', kind: 'page' }, { lane: 'a', label: 'A', kind: 'worker' }, { lane: 'hub', label: 'Hub', kind: 'hub' },
  ]);
  const labels = (): string[] => layout(history, measures).rows.map(({ label }) => label);
  const expected = labels();
  assert.deepEqual([expected, history.items(), history.times().length], [['Page', 'A', 'Hub'], [], 0]);
  history.add({ type: 'lane', at: 5, lane: 'page', label: 'Page', kind: 'page' });
  history.add({ type: 'lane', at: 6, lane: 'a', label: 'A', kind: 'worker' });
  assert.deepEqual(labels(), expected);
  assert.equal(history.items().length, 2);
});

test('slow motion shows no event before its turn, and loses none', () => {
  const events = randomStory(5, 60).filter(({ type }) => type !== 'answer');
  const random = numbers(7);
  for (const pace of [1, 10, 1000]) {
    const history = new History();
    const playback = new Playback();
    const begin = events[0]!.at - 1000;
    playback.setPace(pace, begin);
    if (pace === 1) playback.pause(begin);
    playback.goOn();
    // In frames of 16 ms, events become known up to 20 ms late.
    const arriving = events.map((event) => ({ event, at: event.at + random.next().value * 20 })).sort((a, b) => a.at - b.at);
    const shownAt = new Map<number, number>();
    let edge = -Infinity;
    for (let now = begin, passed = 0; shownAt.size < new Set(events.map(({ at }) => at)).size; now += 16, passed += 16) {
      assert.ok(passed < 1e6, `at 1/${pace}, all is shown at last`);
      while (arriving.length > 0 && arriving[0]!.at <= now) history.add(arriving.shift()!.event);
      const times = history.times();
      playback.advance(16, times, now);
      assert.ok(playback.edge(now) <= now && playback.edge(now) >= edge, 'it goes on');
      edge = playback.edge(now);
      for (const time of times) if (time <= edge && !shownAt.has(time)) shownAt.set(time, passed);
    }
    const order = [...shownAt].sort(([a], [b]) => a - b);
    if (pace === 1) continue; // what is late is shown when it comes
    for (let i = 1; i < order.length; i++) {
      const gap = order[i]![0] - order[i - 1]![0];
      const took = order[i]![1] - order[i - 1]![1];
      assert.ok(took >= Math.max(0, Math.min(gap * pace, longest) - 17), `${gap} ms took ${took} ms at 1/${pace}`);
    }
  }
});

test('paused, it stays where it is; gone on, it plays what came meanwhile', () => {
  const playback = new Playback();
  const times = [10, 20, 30, 40];
  playback.pause(25);
  playback.advance(1000, times, 1000);
  assert.equal(playback.edge(1000), 25);
  assert.ok(playback.isBehind(times));
  playback.goOn();
  playback.advance(6, times, 1006);
  assert.equal(playback.edge(1006), 31);
  playback.advance(100, times, 1106);
  assert.ok(playback.live);
});

test('back at the present, all is shown', () => {
  const playback = new Playback();
  playback.setPace(1000, 5);
  playback.advance(1, [10, 20], 25);
  playback.setPace(1, 25);
  playback.toPresent(25);
  assert.equal(playback.edge(26), 26);
  assert.ok(lateness < longest);
});

test('at each moment of a replay, a lane is drawn from its beginning to that moment at most', () => {
  const events = story(1e12);
  const drawn = layout(recorded(events), measures);
  const rowLine = (y: number): boolean => y % measures.rowHeight === (measures.inset + measures.rowHeight) / 2 - 0.5;
  for (const { at } of events) {
    const edge = drawn.axis.x(at);
    const lines: { from: number; to: number }[] = [];
    let [x, y] = [0, 0];
    const context = new Proxy({}, {
      get: (_, name) => (...given: number[]) => {
        if (name === 'measureText') return { width: 7 };
        if (name === 'lineTo' && given[1] === y && rowLine(y)) lines.push({ from: x, to: given[0]! });
        if (name === 'moveTo' || name === 'lineTo') [x, y] = given as [number, number];
        return undefined;
      },
      set: () => true,
    });
    const theme = new Proxy({}, { get: () => '' });
    const view = { left: -8, width: 1e6, height: 400, edge, until: at, mode: 'playing', chosen: undefined, related: new Set() };
    draw(context as CanvasRenderingContext2D, drawn, view as View, theme as Theme);
    assert.notEqual(lines.length, 0);
    for (const { from, to } of lines) assert.ok(from <= to && to <= edge, `from ${from} to ${to}, at ${edge}`);
  }
});

test('what one points at is what is drawn there', () => {
  const drawn = layout(recorded(story(1e12)), measures);
  for (const bar of drawn.bars) {
    const found = hit(drawn, bar.made + 2, bar.y + bar.height / 2, Infinity);
    assert.equal(found && idOf(found as Item), bar.call.id);
    assert.equal(hit(drawn, bar.made + 2, bar.y + bar.height / 2, bar.made - 1)?.call?.id === bar.call.id, false);
  }
});

test('lengths of time are told in the unit that suits them', () => {
  const told = [0, 0.0004, 0.012, 0.9, 0.99999, 12.34, 999.9, 2345, 59_990, 61_000, 7.2e6].map(duration);
  assert.deepEqual(told, ['0 ms', '0 µs', '12 µs', '900 µs', '1 ms', '12.3 ms', '1 s', '2.35 s', '1 min 0 s', '1 min 1 s', '2.0 h']);
});
