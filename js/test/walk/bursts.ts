/**
 * Walks in bursts. In a burst several actors do several things at once, so that nobody knows the order in which the hub
 * takes them up, nor what of it comes before the end of a realm. Then everything comes to rest, and what the actors have,
 * by what they have said, must go together with what the hub says of itself.
 */

import { equal, ok } from '../assert.ts';
import { inTask } from '../../src/platform.ts';
import { Patience } from '../patience.ts';
import { type CallAct, type Kind, described, unbounded } from './acts.ts';
import type { Actor, Realm } from './cast.ts';
import { ItemBook } from './items.ts';
import type { Entry, Running } from './ledger.ts';
import { Walker, type Way } from './walker.ts';

export class Bursts extends Walker {
  #items = new ItemBook();
  #resized = false;
  /** A tab has gone: what a function of it returned after its goodbye counts as a message that was dropped. */
  #lostTab = false;

  protected override async walk(steps: number): Promise<void> {
    await this.begin();
    for (let left = steps; left > 0;) {
      const acts = Math.min(left, 2 + this.pick([1, 2, 4, 8, 16]));
      left -= acts;
      this.cast.deaf = true; // what is done in a burst depends on no race in it
      for (let i = 0; i < acts; i++) await this.#one();
      await this.#rest();
      await this.#check();
    }
    await this.#end();
  }

  get #open(): Actor[] { return this.cast.living.filter((each) => each.open); }

  async #one(): Promise<void> {
    const held = this.cast.living.filter((each) => each.held);
    const blocked = this.cast.realms.filter((each) => each.alive && each.blocked !== undefined);
    if (held.length > 0 && this.chance(20)) return this.#release(this.pick(held));
    if (blocked.length > 0 && this.chance(20)) return this.#unblock(this.pick(blocked));
    if (this.hasRoom && this.chance(4)) return this.newActor();
    if (this.chance(3)) return this.#endActor();
    if (this.chance(4)) return this.#hold();
    if (this.chance(2)) return this.#block();
    const actor = this.pick(this.cast.living.filter((each) => !each.blocked));
    const { ledger } = actor;
    const again = this.chance(this.scene.burden(ledger) > 5 ? 80 : 40);
    const act = again ? this.scene.ending(ledger) : actor.open ? this.scene.newCall(ledger, true) : undefined;
    if (act === undefined) return;
    if (act.do === 'call' && act.method === 'resize') this.#resized = true;
    this.do(actor, act);
    if (this.chance(15)) await new Promise<void>(inTask);
    else if (this.chance(10)) await this.place.hub.stats();
  }

  #hold(): void {
    const relayed = this.cast.living.filter((each) => each.relay !== undefined && !each.held);
    if (relayed.length === 0) return;
    const actor = this.pick(relayed);
    const what = this.pick(['out', 'in', 'both'] as const);
    this.note(`${actor.name} is held back: ${what}`);
    actor.relay!.holdsOut = what !== 'in';
    actor.relay!.holdsIn = what !== 'out';
  }

  #release(actor: Actor): void {
    this.note(`${actor.name} is not held back any more`);
    const relay = actor.relay!;
    relay.holdsOut = relay.holdsIn = false;
    if (this.chance(50)) {
      relay.passOut();
      relay.passIn();
    } else {
      relay.passIn();
      relay.passOut();
    }
  }

  async #block(): Promise<void> {
    const actors = this.cast.living.filter((each) => each.realm.kind === 'worker' && !each.blocked);
    if (actors.length === 0) return;
    const actor = this.pick(actors);
    this.note(`${actor.name} is blocked`);
    await this.cast.block(actor, []);
  }

  #unblock(realm: Realm): void {
    this.note(`realm ${realm.id} is let go`);
    this.cast.unblock(realm);
  }

  async #endActor(): Promise<void> {
    const actor = this.pick(this.cast.living);
    if (actor === this.own) return;
    switch (this.pick(['realm', 'session', 'attachment'] as const)) {
      case 'realm': {
        const way = this.wayToEnd(actor.realm);
        if (way !== undefined) await this.#endRealm(actor.realm, way);
        return;
      }
      case 'session':
        if (actor.open && !actor.blocked) this.#close(actor);
        return;
      case 'attachment':
        if (!this.canBeShutOut(actor)) return;
        this.note(`${actor.name} is shut out`);
        actor.attached!.end();
        return this.#ended(actor);
    }
  }

  async #endRealm(realm: Realm, way: Way): Promise<void> {
    const actors = this.actorsIn(realm);
    this.note(`${way} ends the realm of ${actors.map((each) => each.name).join()}`);
    this.#lostTab ||= realm.kind === 'tab';
    await this.cast.endRealm(realm, way);
    for (const each of actors) this.#ended(each);
  }

  #close(actor: Actor): void {
    this.note(`${actor.name} closes its session`);
    actor.realm.tell({ client: actor.id, close: true });
    this.#ended(actor);
  }

  /** A session ends, and all that are below it. */
  #ended(actor: Actor): void {
    if (!actor.open) return;
    actor.open = false;
    this.#items.left(actor.ledger);
    for (const each of this.cast.actors.values()) if (each.parent === actor) this.#ended(each);
  }

  /** Lets all go on, and waits until nothing happens any more. */
  async #rest(): Promise<void> {
    this.cast.hear();
    for (const actor of this.cast.living) if (actor.held) this.#release(actor);
    for (const realm of this.cast.realms) if (realm.alive && realm.blocked !== undefined) this.#unblock(realm);
    const patience = new Patience(10_000);
    const sessions = (): number => this.before.sessions + this.#open.length;
    let last = '';
    for (let quiet = 0; quiet < 2;) {
      await this.cast.fence();
      const stats = await this.place.hub.stats();
      const now = JSON.stringify(stats);
      quiet = this.cast.events.length === 0 && now === last && stats.sessions === sessions() ? quiet + 1 : 0;
      last = now;
      this.cast.events = [];
      if (patience.over) throw new Error(`there are ${stats.sessions} sessions, not ${sessions()}; or there is no rest`);
    }
  }

  // ---- what must be so ----

  #calls(kind: Kind, method?: string): Entry[] {
    return this.#open.flatMap((actor) => [...actor.ledger.calls.values()])
      .filter(({ act }) => act.kind === kind && (method === undefined || act.method === method));
  }
  #pending(kind: Kind, method?: string): Entry[] { return this.#calls(kind, method).filter((each) => each.pending && !each.called); }
  #held(kind: Kind): Entry[] { return this.#calls(kind).filter((each) => each.token === 'live' && !each.returned); }
  #runs(kind: Kind): Running[] {
    return this.#open.flatMap((actor) => [...actor.ledger.runs.values()]).filter(({ act }) => act.kind === kind);
  }

  async #check(): Promise<void> {
    const { kinds } = this.scene;
    const { hub } = this.place;
    const stats = await hub.stats();
    let calls = 0;
    let runs = 0;
    for (const kind of kinds) {
      calls += this.#pending(kind).length + this.#calls(kind).filter((each) => each.token !== 'none' && !each.returned).length;
      runs += this.#runs(kind).length;
    }
    if (kinds.includes('checkpoint')) calls += await this.#checkCheckpoint();
    if (kinds.includes('signal')) equal((await hub.signal('it').stats()).waiting, this.#pending('signal').length, 'waiting for the signal');
    if (kinds.includes('event')) {
      const { set, waiting } = await hub.event('it').stats();
      equal(waiting, this.#pending('event').length, 'waiting for the event');
      ok(!set || waiting === 0, 'nobody waits for an event that is set');
    }
    if (kinds.includes('latch')) {
      const { remaining, waiting } = await hub.latch('it', this.scene.made.latch!).stats();
      equal(waiting, this.#pending('latch').length, 'waiting at the latch');
      ok(remaining > 0 || waiting === 0, 'nobody waits at an open latch');
    }
    if (kinds.includes('barrier')) {
      const { parties, waiting, broken } = await hub.barrier('it', this.scene.made.barrier!).stats();
      equal(waiting, this.#pending('barrier').length, 'waiting at the barrier');
      ok(waiting < parties && (!broken || waiting === 0), `${waiting} of ${parties} wait at a barrier, broken: ${broken}`);
    }
    if (kinds.includes('lock')) {
      const away = this.#pending('condition', 'wait').length;
      const { held, waiting } = await hub.lock('it').stats();
      const notNotified = kinds.includes('condition') ? (await hub.condition(hub.lock('it'), 'c').stats()).waiting : 0;
      equal(held, this.#held('lock').length - away, 'holders of the lock');
      equal(waiting + notNotified, this.#pending('lock').length + away, 'waiting for the lock');
      ok(held <= 1 && (held === 1 || waiting === 0), `${held} hold the lock and ${waiting} wait`);
    }
    if (kinds.includes('reentrantLock')) {
      const { held, waiting } = await hub.reentrantLock('it').stats();
      const holders = this.#open.filter(({ ledger }) => [...ledger.calls.values()].some(({ act, token, returned }) =>
        act.kind === 'reentrantLock' && token === 'live' && !returned));
      equal(held, this.#held('reentrantLock').length, 'holds on the reentrant lock');
      equal(waiting, this.#pending('reentrantLock').length, 'waiting for the reentrant lock');
      ok(holders.length <= 1 && (held > 0 || waiting === 0), `${holders.length} have the reentrant lock and ${waiting} wait`);
    }
    if (kinds.includes('rwlock')) {
      const holders = [...this.#held('rwlock'), ...this.#held('webLock')];
      const { held, shared, waiting } = await hub.rwlock('it').stats();
      equal(held, holders.length, 'holders of the rwlock');
      equal(waiting, this.#pending('rwlock').length + this.#pending('webLock').length, 'waiting for the rwlock');
      ok(held <= 1 || shared, `${held} hold the rwlock alone`);
      ok(!shared || holders.every(({ act }) => act.mode === 'shared' && act.method !== 'steal'), 'who wants it alone does not share');
      ok(held > 0 || waiting === 0, `${waiting} wait for a free rwlock`);
    }
    if (kinds.includes('semaphore')) {
      const { permits, held, available, waiting } = await hub.semaphore('it', this.scene.made.semaphore!).stats();
      const sum = (entries: Entry[]): number => entries.reduce((all, { act }) => all + (act.n ?? 1), 0);
      const pending = this.#pending('semaphore');
      equal(held, sum(this.#held('semaphore')), 'permits that are out');
      equal(waiting, pending.length, 'waiting for permits');
      ok(this.#resized || held <= permits, `${held} of ${permits} permits are out`);
      ok(waiting === 0 || pending.some(({ act }) => (act.n ?? 1) > available), `all ${waiting} could have of the ${available} permits`);
    }
    if (kinds.includes('queue')) await this.#checkQueue();
    for (const kind of ['task', 'once'] as const) {
      if (!kinds.includes(kind)) continue;
      const { state, waiting } = await (kind === 'task' ? hub.sharedTask('it', () => {}) : hub.once('it', () => {})).stats();
      equal(waiting, this.#pending(kind).length, `waiting for the ${kind}`);
      const running = this.#runs(kind);
      ok(running.length <= 1, `${running.length} run the ${kind}`);
      equal(running.length === 1, state === 'running' || state === 'stopping', `whether the ${kind} is run while it is ${state}`);
      equal(waiting > 0, state === 'running' || state === 'stopping' && waiting > 0, `whether anybody waits for the ${kind} that is ${state}`);
    }
    if (kinds.includes('resource')) {
      const { state, waiting, held } = await hub.sharedResource('it', { start() {} }).stats();
      const live = this.#runs('resource');
      equal(waiting, this.#pending('resource').length, 'waiting for the resource');
      // Whose hold was lost as the resource was closed is not told if it is then lost with its owner.
      const closed = this.#calls('resource').filter((each) => !each.returned && each.lost === 'ClosedError' && each.token === 'lost').length;
      const least = this.#held('resource').length;
      ok(least <= held && held <= least + closed, `${held} hold the resource, not ${least}, or as many as ${closed} more`);
      equal(live.length, state === 'idle' ? 0 : 1, `resources that live, while it is ${state}`);
      equal(held > 0, state === 'live', `whether a resource that is ${state} is held`);
    }
    if (kinds.includes('pool')) {
      const { max, lent, idle, creating, destroying, waiting } = await hub.pool('it', { max: this.scene.made.pool!, create() {} }).stats();
      equal(lent, this.#held('pool').length, 'leases that are out');
      equal(waiting, this.#pending('pool', 'acquire').length + this.#pending('pool', 'tryAcquire').length, 'waiting for the pool');
      equal(lent + idle + creating + destroying, this.#runs('pool').length, 'resources of the pool');
      ok(lent + idle + creating + destroying <= max, 'the pool has no more than its max');
      ok(waiting === 0 || idle === 0 || lent + creating + destroying > 0, `${waiting} wait for the pool, of which ${idle} are idle`);
    }
    equal(stats.calls, this.before.calls + calls, 'calls');
    equal(stats.runs, this.before.runs + runs, 'runs');
    ok(stats.names <= this.before.names + kinds.length, `${stats.names} names are in use`);
    if (!this.#lostTab) equal(stats.dropped, this.before.dropped, 'messages that were dropped');
    for (const actor of this.cast.living) {
      if (actor.open) continue;
      for (const { act, pending, called } of actor.ledger.calls.values()) ok(!pending || called, `${described(act)} is settled, as its session is over`);
    }
  }

  /** Returns how many arms hold callers. */
  async #checkCheckpoint(): Promise<number> {
    const { state, waiting } = await this.place.hub.checkpoint('it').stats();
    const arms = this.#pending('checkpoint', 'arm').length;
    equal(waiting, this.#pending('checkpoint', 'wait').length, 'parked callers');
    equal(arms, state === 'armed' ? 1 : 0, `arms that wait while it is ${state}`);
    ok(state === 'holding' || waiting === 0, `${waiting} are parked while it is ${state}`);
    return state === 'holding' ? 1 : 0;
  }

  async #checkQueue(): Promise<void> {
    const { made, order } = this.scene.shapeOf('queue');
    const queue = this.place.hub.queue('it', { capacity: made === unbounded ? Infinity : made, order });
    const { length, capacity, getting, putting } = await queue.stats();
    equal(getting, this.#pending('queue', 'get').length, 'waiting to get');
    equal(putting, this.#pending('queue', 'put').length, 'waiting to put');
    ok(getting === 0 || length + putting === 0, `${getting} wait to get, while ${length} items are there and ${putting} wait to put`);
    ok(putting === 0 || length >= capacity!, `${putting} wait to put, while there is room`);
    this.#items.check(this.cast.actors.values(), length);
  }

  // ---- the end ----

  async #end(): Promise<void> {
    this.note('the end begins');
    for (let rounds = 0; ; rounds++) {
      if (rounds === 40) throw new Error('there is no end to it');
      for (const kind of this.scene.kinds) if (kind !== 'webLock' && kind !== 'condition') this.do(this.own, this.#closing(kind));
      let busy = false;
      for (const actor of this.cast.living) {
        for (let act = this.scene.ending(actor.ledger); act !== undefined; act = this.scene.ending(actor.ledger)) {
          busy = true;
          this.do(actor, act);
        }
      }
      await this.#rest();
      await this.#check();
      if (!busy && (await this.place.hub.stats()).names === this.before.names) break;
    }
    for (const actor of this.cast.living) {
      for (const { act, pending } of actor.ledger.calls.values()) equal(pending, false, `${described(act)} is pending`);
    }
    for (const actor of this.cast.living) {
      if (!actor.open || actor === this.own) continue;
      const way = this.chance(50) ? this.wayToEnd(actor.realm) : undefined;
      if (way === undefined) this.#close(actor);
      else await this.#endRealm(actor.realm, way);
    }
    this.#close(this.own);
    await this.#rest();
    const left = await this.place.hub.stats();
    equal({ ...left, dropped: this.before.dropped }, this.before, 'what is left');
  }

  #closing(kind: Kind): CallAct { return this.scene.call(kind, kind === 'queue' ? 'closeNow' : 'close'); }
}
