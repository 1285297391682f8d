/** The realms and actors of one walk, as its driver has them: it tells them what to do, and hears what they say. */

import type { Hub } from 'clca';
import { becomes } from '../assert.ts';
import type { Act, Block, Said, Told } from './acts.ts';
import { Ledger } from './ledger.ts';
import { type Channel, type Powers, type Started, serveAsRealm } from './realm.ts';
import { Relay } from './relay.ts';

/** Where a walk takes place. */
export interface Place {
  hub: Hub;
  /** The hub is in this realm, whose session is above all others. */
  here: boolean;
  powers: Powers;
  /** Something that blocks a Worker until it is let go. */
  blocker(): { block: Block; letGo(): void };
  /** Opens another tab of a shared hub, which serves as a realm on that channel; or ends it. */
  openTab?(channel: string): Promise<void>;
  endTab?(channel: string, way: 'close' | 'reload' | 'crash'): Promise<void>;
  /** How much is kept anywhere in this realm for a hub that has nothing to do. */
  kept?(): number;
}

export type RealmKind = 'own' | 'worker' | 'nested' | 'tab';

export class Realm {
  alive = true;
  /** What lets it go, if it is blocked; one that `lingers` may go on for a moment when it is ended. */
  blocked: { letGo(): void; lingers: boolean } | undefined;
  started: Started | undefined;
  /** The Worker that has started it. */
  above: Realm | undefined;
  tab: string | undefined;

  constructor(readonly id: number, readonly kind: RealmKind, readonly channel: Channel) {}

  tell(told: Told, transfer: Transferable[] = []): void {
    if (transfer.length > 0) this.channel.postMessage(told, transfer);
    else this.channel.postMessage(told);
  }
}

export class Actor {
  readonly ledger = new Ledger();
  relay: Relay | undefined;
  /** It may be shut out: by whoever let it in. */
  attached: { by: Actor | undefined; end(): void } | undefined;
  /** Its session is open, as far as the driver knows. */
  open = true;

  constructor(readonly id: number, readonly realm: Realm, readonly parent: Actor | undefined) {}

  get blocked(): boolean { return this.realm.blocked !== undefined; }
  get held(): boolean { return this.relay !== undefined && (this.relay.holdsIn || this.relay.holdsOut); }
  get gone(): boolean { return !this.realm.alive; }
  get name(): string { return `${this.id} (${this.realm.kind}${this.relay === undefined ? '' : ', relayed'})`; }
}

export class Cast {
  readonly actors = new Map<number, Actor>();
  readonly realms: Realm[] = [];
  /** What was said and not taken. */
  events: string[] = [];
  /** What is said is not noted in the ledgers before `hear()`. */
  deaf = false;
  #unheard: (() => unknown)[] = [];
  #place: Place;
  #ids = 0;
  #fences = 0;
  #waits = new Map<string, (error?: string) => void>();
  #own: Realm;

  constructor(place: Place) {
    this.#place = place;
    const { port1, port2 } = new MessageChannel();
    serveAsRealm(port2, place.powers);
    this.#own = this.#realm('own', port1);
  }

  #realm(kind: RealmKind, channel: Channel): Realm {
    const realm = new Realm(++this.#ids, kind, channel);
    this.realms.push(realm);
    channel.onmessage = ({ data }) => {
      const said = data as Said;
      if ('event' in said) {
        const actor = this.actors.get(said.client)!;
        if (actor.gone) return;
        this.events.push(`${said.client}: ${said.event}`);
        this.#unheard.push(() => actor.gone || actor.ledger.heard(said.event));
        if (!this.deaf) this.hear();
      } else if ('fenced' in said) this.#came(`fence ${said.fenced}`);
      else if ('blocked' in said) this.#came(`blocked ${said.blocked}`);
      else this.#came(`connected ${said.connected}`, said.error);
    };
    return realm;
  }

  hear(): void {
    this.deaf = false;
    for (const each of this.#unheard.splice(0)) each();
  }

  #came(what: string, error?: string): void {
    this.#waits.get(what)?.(error);
    this.#waits.delete(what);
  }
  #until(what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waits.set(what, (error) => (error === undefined ? resolve() : reject(new Error(error))));
    });
  }

  get living(): Actor[] { return [...this.actors.values()].filter((each) => !each.gone); }

  /** A realm for a new actor. */
  startRealm(kind: RealmKind, above?: Realm, client?: Actor): Realm {
    if (kind === 'own') return this.#own;
    const { port1, port2 } = new MessageChannel();
    const realm = this.#realm(kind, port1);
    realm.above = above;
    if (above !== undefined) above.tell({ start: realm.id, control: port2, client: client?.id }, [port2]);
    else realm.started = this.#place.powers.start(port2);
    return realm;
  }

  async startTab(name: string): Promise<Realm> {
    const channel = new BroadcastChannel(name);
    const realm = this.#realm('tab', channel);
    realm.tab = name;
    await this.#place.openTab!(name);
    return realm;
  }

  /** Has a new actor in the realm connect: below another, or below the driver itself. */
  async connect(realm: Realm, below: Actor | undefined, how: 'own' | 'port' | 'relay'): Promise<Actor> {
    const actor = new Actor(++this.#ids, realm, below);
    this.actors.set(actor.id, actor);
    const { hub } = this.#place;
    const connected = this.#until(`connected ${actor.id}`);
    if (how === 'own') {
      if (realm.kind === 'worker') {
        const attachment = hub.attach(realm.started!.worker);
        actor.attached = { by: undefined, end: () => attachment.end() };
      } else if (realm.kind === 'nested') {
        actor.attached = { by: below!, end: () => below!.realm.tell({ client: below!.id, detach: realm.id }) };
      }
      realm.tell({ client: actor.id, connect: 'own' });
    } else {
      const { port1, port2 } = new MessageChannel();
      let hubSide = port2;
      if (how === 'relay') {
        const far = new MessageChannel();
        actor.relay = new Relay(port2, far.port1);
        hubSide = far.port2;
      }
      if (below === undefined) {
        const attachment = hub.attach(hubSide);
        actor.attached = { by: undefined, end: () => attachment.end() };
      } else {
        below.realm.tell({ client: below.id, attach: hubSide, id: actor.id }, [hubSide]);
        actor.attached = { by: below, end: () => below.realm.tell({ client: below.id, detach: actor.id }) };
      }
      realm.tell({ client: actor.id, connect: port1 }, [port1]);
    }
    await connected;
    return actor;
  }

  act(actor: Actor, ...acts: Act[]): void {
    for (const each of acts) actor.ledger.told(each);
    actor.realm.tell({ client: actor.id, acts });
  }

  async block(actor: Actor, acts: Act[]): Promise<void> {
    for (const each of acts) actor.ledger.told(each);
    const { block, letGo } = this.#place.blocker();
    actor.realm.blocked = { letGo, lingers: typeof block === 'string' };
    const blocked = this.#until(`blocked ${actor.id}`);
    actor.realm.tell({ client: actor.id, acts, block });
    await blocked;
  }

  unblock(realm: Realm): void {
    realm.blocked!.letGo();
    realm.blocked = undefined;
  }

  /** Resolves when each actor that can has had its calls taken up, and has said what came of that. */
  async fence(): Promise<void> {
    await Promise.all(this.living.filter((each) => !each.blocked).map((each) => {
      const number = ++this.#fences;
      const fenced = this.#until(`fence ${number}`);
      each.realm.tell({ client: each.id, fence: number, dry: each.held || !each.open });
      return fenced;
    }));
  }

  /** The realm is gone, and the Workers that it has started with it. */
  lostRealm(realm: Realm): void {
    realm.alive = false;
    realm.blocked = undefined; // for ever: let go, it would do something before it dies
    for (const actor of this.actors.values()) if (actor.realm === realm) actor.relay?.cut();
    for (const each of this.realms) if (each.above === realm && each.alive) this.lostRealm(each);
    this.events = this.events.filter((event) => !this.actors.get(Number.parseInt(event, 10))!.gone);
  }

  async endRealm(realm: Realm, way: 'terminate' | 'self' | 'close' | 'reload' | 'crash'): Promise<void> {
    if (realm.kind === 'tab') {
      await this.#place.endTab!(realm.tab!, way as 'close');
      this.lostRealm(realm);
      return;
    }
    if (way === 'self') realm.tell({ selfClose: true });
    else if (realm.above !== undefined) realm.above.tell({ terminate: realm.id });
    else realm.started!.terminate();
    this.lostRealm(realm);
  }

  /** Ends all that there still is. */
  async over(): Promise<void> {
    for (const realm of this.realms) if (realm.alive && realm.blocked !== undefined) this.unblock(realm);
    for (const realm of this.realms) {
      if (!realm.alive || realm.kind === 'own' || realm.above !== undefined) continue;
      if (realm.kind === 'tab') await this.#place.endTab!(realm.tab!, 'close').catch(() => {});
      else realm.started!.terminate();
      this.lostRealm(realm);
    }
    for (const { channel } of this.realms) channel.close();
  }

  /** Waits until so many calls have come from the actor: nothing is on its way to where it can be held back. */
  async hasSent(actor: Actor, calls: number): Promise<void> {
    await becomes(() => actor.relay!.seen, calls);
  }
}
