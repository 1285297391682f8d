/**
 * The three scenarios of a shared start. Workers A and B are told when to ask and when to leave; each next step is
 * taken once the one before has been seen to happen, and its mark is set then.
 */

import type { Hub } from 'clca';
import type { Board } from './board.ts';
import { find } from './column.ts';
import { pause } from './outcome.ts';
import type { LaneMessage } from './protocol.ts';
import { describe } from './words.ts';

const beat = 700; // milliseconds, for those who watch

type Scenario = 'fails' | 'one-leaves' | 'both-leave';

/** `two` says which Workers take part, if there are two. */
export function wireScenarios(hub: Hub, board: Board, two: () => [a: string, b: string] | undefined): void {
  const cards = [...document.querySelectorAll<HTMLElement>('[data-scenario]')];
  const enable = (yes: boolean): void => {
    for (const card of cards) find<HTMLFieldSetElement>(card, 'fieldset').disabled = !yes;
  };
  for (const card of cards) {
    find(card, 'button').onclick = async () => {
      const workers = two();
      if (workers === undefined) {
        find(card, 'output').textContent = 'It takes two Workers: add one.';
        return;
      }
      enable(false);
      const over = new AbortController();
      const removal = board.removal(workers, over.signal).then((gone) => {
        if (gone) find(card, 'output').textContent = 'One of its Workers was killed.';
      });
      await Promise.race([play(card, hub, board, ...workers), removal]);
      over.abort();
      enable(true);
      find(card, 'button').focus({ preventScroll: true }); // which it lost when it was disabled
    };
  }
}

async function play(card: HTMLElement, hub: Hub, board: Board, a: string, b: string): Promise<void> {
  const scenario = card.dataset.scenario as Scenario;
  const output = find(card, 'output');
  const marks = [...card.querySelectorAll<HTMLElement>('li')];
  for (const mark of marks) delete mark.dataset.done;
  output.textContent = '';
  const done = async (): Promise<void> => {
    marks.find((each) => each.dataset.done === undefined)!.dataset.done = '';
    await pause(beat);
  };

  // A name of its own: nothing is left of the last time, and no other tab plays with it.
  const name = `start-up ${crypto.randomUUID()}`;
  const endOf = (lane: string): Promise<LaneMessage> => board.next(lane, 'task', 'gets', 'sees', 'leaves');
  const ends = [endOf(a), endOf(b)] as const;
  const ask = async (lane: string): Promise<void> => {
    const waits = board.next(lane, 'task', 'waits');
    board.order(lane, { do: 'start', what: 'task', name, how: scenario });
    await waits;
  };
  const leave = async (lane: string, end: Promise<LaneMessage>): Promise<void> => {
    board.order(lane, { do: 'stop', what: 'task' });
    await end;
  };

  const runs = board.next(a, 'task', 'runs');
  await Promise.all([runs, ask(a)]);
  await done();
  await ask(b);
  await done();

  const runEnds = board.next(a, 'task', 'returns', 'throws', 'cancelled');
  if (scenario === 'fails') {
    await hub.signal(name).signal();
    await runEnds;
    await done();
    await Promise.all(ends);
  } else {
    await leave(a, ends[0]);
    await done();
    if (scenario === 'one-leaves') {
      await hub.signal(name).signal();
      await runEnds;
      await done();
      await ends[1];
    } else {
      await leave(b, ends[1]);
      await done();
      await runEnds;
    }
  }
  await done();

  const said = (await Promise.all([...ends, runEnds])).map(({ event }) => describe(event!));
  output.textContent = `A ${said[0]}. B ${said[1]}.` + (scenario === 'both-leave' ? ` In A, ${said[2]}.` : '');
  await hub.sharedTask(name, () => {}).close();
}
