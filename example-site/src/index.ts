/** The front page: thousands of calls in this page, in two Workers, in Go and in other tabs, and one call that wakes them. */

import type { Hub } from 'clca';
import { all, find } from './column.ts';
import { FieldCalls } from './field-calls.ts';
import { FieldPanel } from './field-panel.ts';
import { type FieldMessage, goroutines } from './field-protocol.ts';
import { type Counts, type Realm, Realms } from './field-realms.ts';
import { Wakes } from './field-wake.ts';
import { count, many } from './field-words.ts';
import { Field } from './field.ts';
import { type Identity, Channel } from './protocol.ts';
import { joinHub, roomOf, shared } from './start-hub.ts';
import { goneFor, onLeaving, takeNumber } from './tab.ts';
import { showTrouble } from './trouble.ts';

const room = roomOf('field');
const calls = matchMedia('(max-width: 48rem)').matches ? 625 : 2500; // of each realm
const patience = 5000; // milliseconds, for a Worker that does not start
const loops = ['page', 'A', 'B', goroutines, 'tabs'] as const;
type Loop = (typeof loops)[number];

const panels = new Map(loops.map((loop) => {
  const element = find(document, `[data-loop=${loop}]`);
  return [loop, new FieldPanel(element, loop === 'tabs' ? 0 : calls)];
}));
const another = find<HTMLAnchorElement>(document, '#another');
another.href = location.href;
another.hidden = !shared;
if (!shared) find(document, '.invite p').textContent = 'Without a SharedWorker, each tab has a hub of its own.';
let ended = false;
start().catch(trouble);

async function start(): Promise<void> {
  const { tab, leave } = await takeNumber(room);
  const hub = await joinHub('./field-hub-worker.js', room);
  void hub.closed.then((error) => trouble(error ?? 'The hub was closed.'));
  const front = new Front(hub, tab);
  onLeaving(() => {
    front.tellAll({ kind: 'gone', tab });
    leave();
  });
}

class Front {
  #channel = new Channel<FieldMessage>(room, (message) => this.#heard(message));
  #field = new Field(Array.from(panels.values()), tells);
  #realms: Realms;
  #wakes: Wakes;
  #own: FieldCalls;
  #kill: (() => void) | undefined; // Worker B
  #others = new Set<number>(); // tabs
  #turn: Promise<void> = Promise.resolve(); // one thing after the other, so that it is plain what came of which

  constructor(private hub: Hub, private tab: number) {
    this.#realms = new Realms(hub.signal('go'), () => this.#show(), counted);
    this.#wakes = new Wakes(hub, tab);
    this.#own = new FieldCalls(hub, this.#identity('page'), calls, (message) => this.tellAll(message));
    this.#own.begin();
    this.#startWorker('A');
    this.#kill = this.#startWorker('B');
    this.tellAll({ kind: 'start', calls });
    this.tellAll({ kind: 'who' });
    this.#wire();
  }

  tellAll(message: FieldMessage): void {
    this.#channel.say(message); // which the page itself does not hear
    this.#heard(message);
  }

  #heard(message: FieldMessage): void {
    if (message.kind === 'wake') {
      find(document, '#answer').textContent = many(message.wake.answered);
      return this.#field.play(message.wake, this.tab);
    }
    this.#own.hear(message);
    this.#wakes.hear(message);
    this.#realms.hear(message);
    if (message.kind === 'waits') this.#meet(message.realm.tab ?? this.tab);
  }

  #meet(other: number): void {
    if (other === this.tab || this.#others.has(other)) return;
    this.#others.add(other);
    void goneFor(room, other).then(() => {
      this.#others.delete(other);
      this.#realms.hear({ kind: 'gone', tab: other });
    });
  }

  #identity(loop: Loop): Identity {
    return { id: `tab ${this.tab} ${loop}`, label: loop === 'page' ? 'Page' : `Worker ${loop}`, tab: this.tab };
  }

  #loopOf({ realm }: Realm): Loop {
    return loops.find((loop) => realm === (loop === goroutines ? loop : this.#identity(loop).id)) ?? 'tabs';
  }

  #startWorker(loop: Loop): () => void {
    const realm = this.#identity(loop);
    const url = new URL('./field-worker.js', import.meta.url);
    url.search = String(new URLSearchParams({ room, realm: JSON.stringify(realm), calls: String(calls) }));
    const worker = new Worker(url, { type: 'module', name: realm.label });
    this.hub.attach(worker);
    return () => {
      worker.terminate();
      this.tellAll({ kind: 'killed', realm: realm.id });
    };
  }

  #show(): void {
    const realms = this.#realms.all();
    for (const [loop, panel] of panels) panel.has(realms.filter((realm) => this.#loopOf(realm) === loop));
    if (loops.every((loop) => loop === 'tabs' || panels.get(loop)!.waiting > 0)) enable();
    const theirs = realms.filter((realm) => this.#loopOf(realm) === 'tabs');
    const tabs = [...new Set(theirs.map(({ identity }) => identity.tab))];
    const panel = panels.get('tabs')!;
    const title = tabs.length === 1 ? `Tab ${tabs[0]}` : `${tabs.length} other tabs`;
    if (tabs.length > 0) return panel.is(title, count(theirs.length, 'event loop'));
    panel.is('Other tabs', 'none is open');
    panel.says('state');
    panel.says('times');
  }

  #wire(): void {
    const wake = (): void => this.#next(async () => {
      this.tellAll({ kind: 'wake', wake: await this.#wakes.wake() });
      await this.#realms.count(); // then all wait again
    });
    find(document, '#wake').onclick = wake;
    addEventListener('keydown', ({ key, target, repeat }) => {
      if (key === 'Enter' && target === document.body && !repeat) wake();
    });
    const leaves = (panel: FieldPanel, [realm, call]: [string, number]): void => {
      this.tellAll({ kind: 'leave', realm, call });
      says(`A call of ${panel.title} has left. The others stay.`);
    };
    for (const panel of panels.values()) panel.onLeave = (call) => leaves(panel, call);
    find(document, '#leave').onclick = () => {
      const panel = panels.get('page')!;
      const call = panel.any();
      if (call !== undefined) leaves(panel, call);
    };
    find(document, '#kill').onclick = () => this.#next(() => this.#killOrStart());
    setTimeout(enable, patience);
  }

  #next(does: () => Promise<void>): void {
    this.#turn = this.#turn.then(does).catch(trouble);
  }

  async #killOrStart(): Promise<void> {
    const panel = panels.get('B')!;
    const button = find(document, '#kill');
    if (this.#kill === undefined) {
      this.#kill = this.#startWorker('B');
      button.textContent = 'Kill Worker B';
      panel.says('state', 'Starting');
      panel.says('times');
      return says('Worker B starts.');
    }
    const { waiting } = panel;
    this.#kill();
    this.#kill = undefined;
    button.textContent = 'Start Worker B again';
    panel.says('state', 'Killed');
    panel.says('times');
    if (!await this.#realms.count()) return;
    panel.says('times', `its ${count(waiting, 'wait')}`, 'were withdrawn');
    says(`Worker B was killed, and its ${count(waiting, 'wait')} were withdrawn.`);
  }
}

function tells(fact: string, more: string, final: boolean): void {
  find(document, '#fact').textContent = fact;
  find(document, '#more').textContent = more;
  if (final) says(fact);
}

function says(text: string): void {
  find(document, '#said').textContent = text;
}

function counted({ waiting, signals, woken }: Counts): void {
  find(document, '#counts').textContent = `The hub counts ${many(waiting)} waiting` +
    (signals === 0 ? '.' : `; so far, ${count(signals, 'signal')} woke ${count(woken, 'call')}.`);
}

function enable(): void {
  for (const fieldset of all(document, 'fieldset') as HTMLFieldSetElement[]) fieldset.disabled = ended;
}

function trouble(error: unknown): void {
  showTrouble(error);
  ended = true;
  enable();
}
