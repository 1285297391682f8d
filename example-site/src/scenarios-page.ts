/** The page of scenarios: it starts a hub and two Workers, and plays what the visitor chooses. */

import { type Attachment, type Hub, type Step, connect } from 'clca';
import { ClcaTheatre, type Realm } from './scenario-clca.ts';
import { type Order, type Said, ScenarioLane } from './scenario-lane.ts';
import { groups, scenarios } from './scenario-list.ts';
import { Made } from './scenario-trace.ts';
import { ScenarioView } from './scenario-view.ts';
import type { Who } from './scenario.ts';
import { onLeaving } from './tab.ts';
import { showTrouble } from './trouble.ts';

const parameters = new URLSearchParams(location.search);
const beat = Number(parameters.get('beat')) || 400; // milliseconds, for those who watch

const theatre = open();
theatre.catch(showTrouble);
const view = new ScenarioView(theatre, beat);
wireList();

async function open(): Promise<ClcaTheatre> {
  let opened: ClcaTheatre | undefined; // before it is, nothing is played of which something could be told
  const made = new Made();
  const worker = new Worker(new URL('./scenario-hub-worker.js', import.meta.url), { type: 'module', name: 'hub' });
  worker.addEventListener('message', ({ data }) => 'steps' in data && (data as { steps: Step[] }).steps.forEach((step) => opened?.step(step)));
  const hub = await connect(worker, made);
  void hub.closed.then((error) => showTrouble(error ?? 'The hub was closed.'));
  const hear = (who: Who) => (said: Said): void => opened?.hear(who, said);
  const page = new ScenarioLane(hub, made, 'page', hear('page'));
  opened = new ClcaTheatre(hub, {
    page: { obey: (order) => void page.obey(order), die: async () => {} },
    A: workerRealm(hub, 'A', hear('A')),
    B: workerRealm(hub, 'B', hear('B')),
  });
  return opened;
}

function workerRealm(hub: Hub, who: Who, hear: (said: Said) => void): Realm {
  const start = (): { worker: Worker; attachment: Attachment } => {
    const fresh = new Worker(new URL('./scenario-lane-worker.js', import.meta.url), { type: 'module', name: who });
    fresh.addEventListener('message', ({ data }) => 'say' in data && hear(data as Said));
    return { worker: fresh, attachment: hub.attach(fresh) };
  };
  let { worker, attachment } = start();
  return {
    obey: (order: Order) => worker.postMessage(order),
    async die() {
      const { sessions } = await hub.stats();
      worker.terminate();
      for (let i = 0; i < 100 && (await hub.stats()).sessions >= sessions; i++) await new Promise((resolve) => setTimeout(resolve, 10));
      attachment.end(); // where nothing tells of its death
      ({ worker, attachment } = start());
    },
  };
}

/** The list, by links and, where there is no room for them, by a menu; the fragment says which one is shown. */
function wireList(): void {
  const list = document.querySelector<HTMLElement>('.list')!;
  const menu = document.querySelector<HTMLSelectElement>('.pick select')!;
  for (const { title, scenarios } of groups) {
    const options = Object.assign(document.createElement('optgroup'), { label: title });
    list.append(Object.assign(document.createElement('p'), { textContent: title }));
    for (const { id, title } of scenarios) {
      list.append(Object.assign(document.createElement('a'), { href: `#${id}`, textContent: title }));
      options.append(new Option(title, id));
    }
    menu.append(options);
  }
  menu.onchange = () => location.hash = menu.value;
  const show = (): void => {
    const id = location.hash.slice(1);
    const scenario = scenarios.find((each) => each.id === id) ?? (id === '' ? scenarios[0]! : undefined);
    if (scenario === undefined) return; // another place on the page
    for (const link of list.querySelectorAll('a')) link.ariaCurrent = link.hash === `#${scenario.id}` ? 'page' : null;
    menu.value = scenario.id;
    document.title = `${scenario.title} · Scenarios · clca`;
    view.show(scenario);
  };
  addEventListener('hashchange', show);
  show();
}

onLeaving();
