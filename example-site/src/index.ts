/** The page: it starts the hub and two Workers, and shows what happens in them, in itself, in Go and in other tabs. */

import { Board } from './board.ts';
import { all } from './column.ts';
import { wireControls } from './controls.ts';
import { showCounts } from './counts.ts';
import { Lane } from './lane.ts';
import { type Identity, type Message, Channel } from './protocol.ts';
import { wireScenarios } from './scenarios.ts';
import { joinHub, startHub } from './start-hub.ts';
import { goneFor, takeNumber } from './tab.ts';
import { wireViews } from './views.ts';

const shared = typeof SharedWorker === 'function' && !new URLSearchParams(location.search).has('worker');
// One room for all tabs of this copy of the site, or one for this page alone.
const site = `clca site ${new URL('.', location.href).pathname}`;
const room = shared ? site : `${site} ${crypto.randomUUID()}`;

const view = wireViews();
start().catch(trouble);

async function start(): Promise<void> {
  const { tab, leave } = await takeNumber(room);
  const lanes = [
    { id: `tab ${tab} page`, label: 'Page', tab },
    { id: `tab ${tab} A`, label: 'Worker A', tab },
    { id: `tab ${tab} B`, label: 'Worker B', tab },
  ] as const satisfies Identity[];
  const channel = new Channel(room, heard);
  const board = new Board(document.getElementById('lanes')!, tab, channel, view(), (other) => {
    void goneFor(room, other).then(() => board.remove(other));
  });
  addEventListener('hashchange', () => board.turn(view()));
  board.expect(lanes[0].id, 'Page', shared ? `this tab, tab ${tab}` : 'this tab');
  board.expect(lanes[1].id, lanes[1].label, 'dedicated Worker');
  board.expect(lanes[2].id, lanes[2].label, 'dedicated Worker');
  board.expect('goroutine', 'Goroutine', 'Go, in the hub');
  if (shared) board.invite('Another tab is one more lane here.', 'Open this page again');
  else board.invite('Without a SharedWorker, each tab has a hub of its own.');

  function heard(message: Message): void {
    if (message.kind === 'lane') board.heard(message);
    if (message.kind === 'gone') board.remove(message.tab);
  }

  const hub = await (shared ? joinHub(room) : startHub(room));
  void hub.closed.then((error) => trouble(error ?? 'The hub was closed.'));
  for (const identity of lanes.slice(1)) {
    const url = new URL('./lane-worker.js', import.meta.url);
    url.search = String(new URLSearchParams({ room, identity: JSON.stringify(identity) }));
    hub.attach(new Worker(url, { type: 'module', name: identity.label }));
  }
  const lane = new Lane(hub, room, lanes[0]);
  channel.say({ kind: 'who' });

  const askCounts = showCounts(lane, view);
  board.onEvent(askCounts);
  askCounts();
  addEventListener('hashchange', askCounts);
  wireControls(lane, board, askCounts);
  wireScenarios(hub, board, lanes[1].id, lanes[2].id);
  document.getElementById('place')!.textContent = shared ? `hub in a SharedWorker · tab ${tab}` : 'hub in a Worker';

  // In the back/forward cache the session ends, and so do those of the Workers; what comes out of it starts again.
  addEventListener('pagehide', () => {
    channel.say({ kind: 'gone', tab });
    leave();
  });
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
}

function trouble(error: unknown): void {
  const line = document.getElementById('trouble')!;
  line.textContent = `${String(error).replace(/\.?$/, '.')} Reload the page to start again.`;
  line.hidden = false;
  for (const fieldset of all(document, 'fieldset') as HTMLFieldSetElement[]) fieldset.disabled = true;
}
