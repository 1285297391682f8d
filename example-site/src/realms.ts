/** The realms of this tab: its Workers, which come and go, and the way to another tab. */

import type { Hub } from 'clca';
import type { Board } from './board.ts';
import { find } from './column.ts';
import type { Identity, Message } from './protocol.ts';
import { present } from './record.ts';

const most = 8; // Workers at a time

export class Realms {
  #workers: string[] = [];
  #letters = 0;
  #add = find<HTMLButtonElement>(document, '#add');
  #said = find(document, '#realms-said');

  constructor(
    private hub: Promise<Hub>, private board: Board, private tell: (message: Message) => void, private room: string, private tab: number,
    shared: boolean,
  ) {
    this.#add.onclick = () => {
      const said = this.#workers.length < most ? [`${this.add().label} starts.`] : [];
      if (this.#workers.length === most) said.push(`${most} Workers are the most: kill one to add one.`);
      this.#says(said.join(' '));
    };
    const another = find<HTMLAnchorElement>(document, '#another');
    another.href = location.href;
    another.hidden = !shared;
    if (!shared) this.#says('Without a SharedWorker, each tab has a hub of its own.');
    addEventListener('hashchange', () => (another.href = location.href));
    void hub.then(() => (find<HTMLFieldSetElement>(document, '.realms fieldset').disabled = false));
  }

  /** Starts a Worker, once the hub is there. */
  add(): Identity {
    const letter = String.fromCharCode('A'.charCodeAt(0) + this.#letters++ % 26);
    const identity = { id: `tab ${this.tab} ${letter}`, label: `Worker ${letter}`, tab: this.tab };
    const { id, label } = identity;
    const end = this.#start(identity);
    this.board.expect(id, label, 'dedicated Worker', {
      before: 'goroutine',
      kill: () => {
        void end.then((kill) => kill());
        this.board.removeLane(id);
        this.tell({ kind: 'killed', lane: id, at: present() });
        this.#count(this.#workers.filter((each) => each !== id));
        this.#says(`${label} is gone.`);
        this.#add.focus();
      },
    });
    this.#count([...this.#workers, id]);
    return identity;
  }

  async #start(identity: Identity): Promise<() => void> {
    const url = new URL('./lane-worker.js', import.meta.url);
    url.search = String(new URLSearchParams({ room: this.room, identity: JSON.stringify(identity) }));
    const hub = await this.hub;
    const worker = new Worker(url, { type: 'module', name: identity.label });
    hub.attach(worker);
    return () => worker.terminate();
  }

  /** Not `disabled`, which would take the focus away. */
  #count(workers: string[]): void {
    this.#workers = workers;
    this.#add.ariaDisabled = workers.length >= most ? 'true' : null;
  }

  #says(text: string): void {
    this.#said.textContent = text;
  }
}
