/** A page that is driven from outside, as `lab`: it starts hubs and realms, and tells what becomes of them. */

import { type Hub, type HubOptions, connect, createHub, serve } from 'clca';
import { becomes, equal, rejection, rejects } from '../assert.ts';
import { type Fate, meetFate, now } from '../fate.ts';
import { closeFarAway, deathIsToldLast, heardAll } from '../last-words.ts';
import { Life, Survivors, type Which } from '../occupations.ts';
import { outlast } from '../outlast.ts';
import { whyNotBlock } from '../suite-blocking.ts';
import { block, blocked, heed } from '../turnstile.ts';
import { WaitLoop } from '../wait-loop.ts';
import type { RealmReply } from './realm-worker.ts';

/** All Workers that this page has started, those of the package included. */
const workers: Worker[] = [];
const PlainWorker = globalThis.Worker;
globalThis.Worker = class extends PlainWorker {
  constructor(url: string | URL, options?: WorkerOptions) {
    super(url, options);
    workers.push(this);
  }
};

const fates: Record<string, Promise<Fate>> = {};

class Realm {
  readonly worker = new Worker(new URL('realm-worker.js', import.meta.url), { type: 'module' });
  #replies: ((reply: RealmReply) => void)[] = [];

  constructor(hub: Hub) {
    hub.attach(this.worker);
    this.worker.onmessage = ({ data }) => {
      for (const heard of this.#replies) heard(data as RealmReply);
    };
  }

  #reply(kind: keyof RealmReply): Promise<any> {
    return new Promise((resolve) => this.#replies.push((reply) => kind in reply && resolve(reply[kind])));
  }

  /** Tells it something, and resolves when it has done it. */
  tell(order: object): Promise<unknown> {
    const done = this.#reply('done');
    this.worker.postMessage({ order });
    return done;
  }

  get fate(): Promise<Fate> {
    return this.#reply('fate');
  }
}

const lab = {
  workers,
  hub: undefined as unknown as Hub,
  realm: undefined as unknown as Realm,
  survivors: undefined as unknown as Survivors,
  life: undefined as Life | undefined,
  /** Whether it was shown from the back/forward cache at last. */
  persisted: undefined as boolean | undefined,
  fates,
  now,
  /** When the hub was told to end, by the clock of all realms. */
  ended: 0,
  createHub,
  connect,
  serve,
  becomes,
  equal,
  rejects,
  rejection,

  async open(options: HubOptions): Promise<void> {
    lab.hub = await createHub(options);
  },

  async join(script: string, name: string): Promise<void> {
    const worker = new SharedWorker(new URL(script, import.meta.url), { type: 'module', name });
    lab.hub = await connect(worker);
  },

  /** This page meets its fate, under a name of its own. */
  async here(who: string): Promise<void> {
    fates[who] = (await meetFate(lab.hub, who)).fate;
  },

  /** As a Worker, and a Worker of a Worker. */
  async below(who: string, depth: number): Promise<void> {
    const realm = new Realm(lab.hub);
    fates[who] = realm.fate;
    await realm.tell({ meetFate: who, depth });
  },

  /** This client is one of those who survive. */
  async survive(which: Which): Promise<void> {
    lab.survivors = new Survivors(lab.hub, which);
    await lab.survivors.prepare();
  },

  /** This page is at everything, or a Worker below it. */
  async live(depth: number, which: Which): Promise<void> {
    if (depth === 0) return (lab.life = new Life()).begin(lab.hub, which);
    lab.realm = new Realm(lab.hub);
    await lab.realm.tell({ live: which, depth });
  },

  /** How everything ended that it was at. */
  ends: (depth: number) => (depth === 0 ? lab.life!.ends() : lab.realm.tell({ ends: true, depth })),

  /** A client is at everything that is then forgotten. */
  forget: async (client: Promise<Hub>) => new Life().begin(await client, 'forgettable'),

  closeFarAway,
  deathIsToldLast,
  heardAll,

  block,
  blocked,
  heed,

  outlast: (turnstile: string) => outlast(lab.hub, turnstile),

  whyNotBlock,

  WaitLoop,

  /** One more Worker, to be told things. */
  newRealm: () => new Realm(lab.hub),

  async allFates(): Promise<Record<string, Fate>> {
    const entries = Object.entries(fates).map(async ([who, fate]) => [who, await fate] as const);
    return Object.fromEntries(await Promise.all(entries));
  },
};

addEventListener('pageshow', ({ persisted }) => void (lab.persisted = persisted));

Object.assign(globalThis, { lab });
export type Lab = typeof lab;
