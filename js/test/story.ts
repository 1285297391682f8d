/** What could have been recorded of a page, two Workers and Go, told to tests of the sequence diagram. */

import type { Recorded } from '../../example-site/src/record.ts';

/** It begins at a time, and ends some 7 seconds later. */
export function story(begin: number): Recorded[] {
  const events: Recorded[] = [];
  const at = (ms: number): number => begin + ms;
  const lane = (lane: string, label: string, kind: 'page' | 'worker' | 'goroutine' | 'hub', ms = 0): void => {
    events.push({ type: 'lane', at: at(ms), lane, label, kind });
  };
  /** Made at a moment, taken up after some time, answered at another moment, and noticed after some time. */
  const call = (
    name: string, lane: string, text: string, made: number, taken: number, answered: number, noticed: number,
    brought = 'undefined', by?: string,
  ): void => {
    events.push(
      { type: 'call', at: at(made), lane, call: name, text }, { type: 'taken', at: at(made + taken), call: name },
      { type: 'answer', at: at(answered), call: name, ...by !== undefined && { by } },
      { type: 'settled', at: at(answered + noticed), call: name, ok: true, text: brought },
    );
  };
  lane('page', 'Page', 'page');
  lane('hub', 'Hub', 'hub', 0.4);
  lane('a', 'Worker A', 'worker', 30);
  lane('b', 'Worker B', 'worker', 31);
  lane('go', 'Goroutine', 'goroutine', 31.2);

  // All wait, and one signal wakes them.
  call('wait a', 'a', "hub.signal('go').wait()", 1000, 0.12, 2300.21, 0.11, 'undefined', 'wake');
  call('wait b', 'b', "hub.signal('go').wait()", 1000.05, 0.13, 2300.22, 0.14, 'undefined', 'wake');
  call('wait go', 'go', 'signal.Wait(ctx)', 1000.1, 0.01, 2300.23, 0.02, 'nil', 'wake');
  call('wake', 'page', "hub.signal('go').signal()", 2300.1, 0.1, 2300.24, 0.09, '3');

  // Two want the lock, and one gives up.
  call('lock a', 'a', "hub.lock('door').acquire()", 3500, 0.11, 3500.13, 0.1, 'granted');
  events.push({ type: 'held', at: at(3500.23), call: 'lock a' });
  call('lock b', 'b', "hub.lock('door').acquire()", 3500.3, 0.1, 4900.22, 0.12, 'granted', 'unlock a');
  events.push({ type: 'call', at: at(3500.4), lane: 'page', call: 'lock page', text: "hub.lock('door').acquire({ signal })" });
  events.push({ type: 'taken', at: at(3500.52), call: 'lock page' });
  events.push({ type: 'cancel', at: at(4200), call: 'lock page', text: 'AbortError: The operation was aborted.' });
  events.push({ type: 'settled', at: at(4200.05), call: 'lock page', ok: false, text: 'AbortError' });
  call('unlock a', 'a', 'lease.release()', 4900.1, 0.11, 4900.23, 0.1);
  events.push({ type: 'released', at: at(4900.1), call: 'lock a' });
  events.push({ type: 'held', at: at(4900.34), call: 'lock b' });

  // One stands still, and is killed: what it holds is freed.
  events.push({ type: 'note', at: at(5400), lane: 'b', text: 'starts to compute' });
  events.push({ type: 'blocked', at: at(5400.2), lane: 'b' }, { type: 'unblocked', at: at(6100), lane: 'b' });
  events.push({ type: 'released', at: at(6500), call: 'lock b' });
  events.push({ type: 'gone', at: at(6500), lane: 'b', how: 'killed' });
  call('lock go', 'go', 'lock.Acquire(ctx)', 6700, 0.01, 6700.02, 0.01, 'nil');
  events.push({ type: 'held', at: at(6700.04), call: 'lock go' });
  call('wait a again', 'a', "hub.signal('go').wait()", 6900, 0.1, Infinity, 0);
  return events.filter((event) => event.at !== Infinity).sort((a, b) => a.at - b.at);
}

/** Four lanes that want the same lock, and a signal now and then; times are as coarse as browsers make them. */
export function busyStory(begin: number, rounds: number): Recorded[] {
  const events: Recorded[] = [
    { type: 'lane', at: begin, lane: 'hub', label: 'Hub', kind: 'hub' },
    { type: 'lane', at: begin, lane: 'page', label: 'Page', kind: 'page' },
    { type: 'lane', at: begin, lane: 'a', label: 'Worker A', kind: 'worker' },
    { type: 'lane', at: begin, lane: 'b', label: 'Worker B', kind: 'worker' },
    { type: 'lane', at: begin, lane: 'go', label: 'Goroutine', kind: 'goroutine' },
  ];
  const coarse = (ms: number): number => begin + Math.round(ms * 10) / 10;
  const lanes = ['page', 'a', 'b', 'go'];
  let now = 500;
  let holder: string | undefined;
  const waiting: string[] = [];
  for (let i = 0; i < rounds; i++) {
    const lane = lanes[i % lanes.length]!;
    const idle = (call: string | undefined): boolean => call === undefined || lanes[Number(call.split(' ')[1]) % 4] !== lane;
    if (waiting.every(idle) && idle(holder)) {
      const call = `lock ${i}`;
      events.push({ type: 'call', at: coarse(now), lane, call, text: "hub.lock('door').acquire()" });
      events.push({ type: 'taken', at: coarse(now + 0.1), call });
      waiting.push(call);
    }
    now += i % 3 === 0 ? 900 : 0.2;
    if (holder === undefined || i % 2 === 1) {
      const release = holder && `release of ${holder}`;
      if (holder !== undefined) {
        const owner = lanes[Number(holder.split(' ')[1]) % lanes.length]!;
        events.push({ type: 'call', at: coarse(now), lane: owner, call: release!, text: 'lease.release()' });
        events.push({ type: 'released', at: coarse(now), call: holder }, { type: 'taken', at: coarse(now + 0.1), call: release! });
        events.push({ type: 'answer', at: coarse(now + 0.1), call: release! });
        events.push({ type: 'settled', at: coarse(now + 0.2), call: release!, ok: true, text: 'undefined' });
      }
      holder = waiting.shift();
      if (holder === undefined) continue;
      events.push({ type: 'answer', at: coarse(now + 0.1), call: holder, ...release !== undefined && { by: release } });
      events.push({ type: 'settled', at: coarse(now + 0.2), call: holder, ok: true, text: 'granted' });
      events.push({ type: 'held', at: coarse(now + 0.2), call: holder });
      now += 1;
    }
  }
  return events.sort((a, b) => a.at - b.at);
}
