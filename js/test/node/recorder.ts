/** What the pages of the site are told of the past, and what they make of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Past } from '../../../example-site/src/past.ts';
import type { Message } from '../../../example-site/src/protocol.ts';
import type { Recorded } from '../../../example-site/src/record.ts';
import { Recorder } from '../../../example-site/src/recorder.ts';

const lane = (id: string, tab: number): Message =>
  ({ kind: 'lane', lane: { id, label: 'Worker A', tab }, at: 0, states: {}, doing: {}, steps: 0 });
const steps = (id: string, ...all: object[]): Message => ({ kind: 'steps', lane: id, hows: {}, steps: all } as Message);
const hub = (...all: object[]): Message => ({ kind: 'hub', steps: all } as Message);
const id = { session: 1, call: 1 };
const whole = [
  steps('tab 2 A', { ...id, step: 'called', at: 1 }),
  hub({ ...id, step: 'taken', at: 2, kind: 'signal', name: 'go', op: 'wait' }),
  hub({ ...id, step: 'answered', at: 3, status: 'done' }),
  steps('tab 2 A', { ...id, step: 'settled', at: 4 }),
];
const forGood = (): Promise<void> => new Promise(() => {});

test('what is told before and heard as well is recorded once, in order', () => {
  for (let told = 0; told <= whole.length; told++) {
    for (let heard = 0; heard <= told; heard++) {
      const recorded: Recorded[] = [];
      const recorder = new Recorder(1, (event) => recorded.push(event));
      for (const message of whole.slice(heard)) recorder.hear(message);
      recorder.begin(whole.slice(0, told).map((message, at) => ({ at, message: structuredClone(message) })));
      assert.deepEqual(recorded.slice(1).map(({ type, at }) => `${type} ${at}`), ['call 1', 'taken 2', 'answer 3', 'settled 4']);
    }
  }
});

test('who had the number of a tab before is not the tab that has it now', () => {
  const recorded: Recorded[] = [];
  const recorder = new Recorder(2, (event) => recorded.push(event));
  recorder.begin([{ at: 1, message: lane('tab 2 A', 2) }, { at: 2, message: { kind: 'gone', tab: 2 } }]);
  recorder.hear(lane('tab 2 A', 2));
  recorder.hear(whole[0]!);
  recorder.hear(whole[1]!);
  const [, first, gone, own, call] = recorded as any[];
  assert.deepEqual([first.label, first.kind, gone.type, gone.lane, gone.at], ['Tab 2 Worker A', 'tab', 'gone', first.lane, 2]);
  assert.deepEqual([own.label, own.kind, call.lane], ['Worker A', 'worker', own.lane]);
  assert.notEqual(own.lane, first.lane);
});

test('the past is bounded, and yet knows all realms that there are', () => {
  const past = new Past(forGood);
  past.keep(lane('tab 1 A', 1));
  past.keep(lane('tab 2 A', 2));
  past.keep({ kind: 'gone', tab: 2 });
  for (let i = 0; i < 5000; i++) past.keep(hub({ step: 'taken', at: i }));
  const count = (kind: Message['kind']): number => past.all().filter(({ message }) => message.kind === kind).length;
  assert.deepEqual([count('hub'), count('lane'), count('gone')], [1000, 1, 0]);
});

test('a tab that crashes ends in the past as well', async () => {
  let crash = (): void => {};
  const past = new Past(() => new Promise((resolve) => (crash = resolve)));
  past.keep(lane('tab 1 A', 1));
  crash();
  await undefined;
  assert.deepEqual(past.all().map(({ message }) => message.kind), ['lane', 'gone']);
});
