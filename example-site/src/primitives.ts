/** The page: it starts the hub and two Workers, and shows what happens in them, in itself, in Go and in other tabs. */

import { Board } from './board.ts';
import { all } from './column.ts';
import { wireControls } from './controls.ts';
import { showCounts } from './counts.ts';
import { Diagram } from './diagram.ts';
import { Lane } from './lane.ts';
import { type Identity, type Message, Channel } from './protocol.ts';
import { Realms } from './realms.ts';
import { type LaneId, type Recorded, present } from './record.ts';
import { Recorder } from './recorder.ts';
import { joinHub, roomOf, shared } from './start-hub.ts';
import { goneFor, onLeaving, takeNumber } from './tab.ts';
import { showTrouble } from './trouble.ts';
import { wireViews } from './views.ts';
import { Witness } from './witness.ts';

const room = roomOf('site');

const view = wireViews();
start().catch(trouble);

async function start(): Promise<void> {
  const host = document.getElementById('diagram')!;
  const diagram = new Diagram(host, { label: 'What happens in the realms' });
  const { tab, leave } = await takeNumber(room);
  const page = { id: `tab ${tab} page`, label: 'Page', tab } satisfies Identity;
  diagram.expect([
    { lane: page.id, label: page.label, kind: 'page' },
    ...['A', 'B'].map((letter): LaneId => ({ lane: `tab ${tab} ${letter}`, label: `Worker ${letter}`, kind: 'worker' })),
    { lane: 'hub', label: 'Hub', kind: 'hub' },
    { lane: 'goroutine', label: 'Goroutine', kind: 'goroutine' },
  ]);
  const recorder = new Recorder(tab, (event) => {
    diagram.add(event);
    host.dispatchEvent(new CustomEvent<Recorded>('recorded', { detail: event }));
  });
  const channel = new Channel(room, heard);
  const board = new Board(document.getElementById('lanes')!, tab, channel, view(), (other) => {
    void goneFor(room, other).then(() => heard({ kind: 'gone', tab: other }));
  });
  addEventListener('hashchange', () => board.turn(view()));
  const witness = new Witness(room, page.id);
  const joined = joinHub('./hub-worker.js', room, witness.trace);
  board.expect(page.id, 'Page', shared ? `this tab, tab ${tab}` : 'this tab');
  board.expect('goroutine', 'Goroutine', 'Go, in the hub');
  const realms = new Realms(joined, board, tellAll, room, tab, shared);
  realms.add();
  realms.add();

  function heard(message: Message): void {
    if (message.kind === 'lane') board.heard(message);
    if (message.kind === 'gone') board.remove(message.tab);
    if (message.kind !== 'past') recorder.hear(message);
    else if (message.tab === tab) recorder.begin(message.past);
  }

  function tellAll(message: Message): void {
    channel.say(message); // which the page itself does not hear
    heard(message);
  }

  const hub = await joined;
  void hub.closed.then((error) => {
    recorder.lose(present());
    trouble(error ?? 'The hub was closed.');
  });
  const lane = new Lane(hub, room, page, witness);
  channel.say({ kind: 'recall', tab });
  channel.say({ kind: 'who' });

  const askCounts = showCounts(lane, view);
  board.onEvent(askCounts);
  askCounts();
  addEventListener('hashchange', askCounts);
  wireControls(lane, board, askCounts);
  document.getElementById('place')!.textContent = shared ? `hub in a SharedWorker · tab ${tab}` : 'hub in a Worker';
  onLeaving(() => {
    channel.say({ kind: 'gone', tab });
    leave();
  });
}

function trouble(error: unknown): void {
  showTrouble(error);
  for (const fieldset of all(document, 'fieldset') as HTMLFieldSetElement[]) fieldset.disabled = true;
}
