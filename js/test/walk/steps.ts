/**
 * Walks in single steps. After each, everything is still: all calls have been taken up and all answers have come, but for
 * those that the walk holds back itself. So what the actors have said, and what the hub says of itself, is exactly what
 * the model says.
 */

import { equal } from '../assert.ts';
import { Patience } from '../patience.ts';
import { type Act, type CallAct, type Kind, described, unbounded } from './acts.ts';
import type { Actor, Realm } from './cast.ts';
import { type Condition, machineOf } from './machines.ts';
import { Model, type Session } from './model.ts';
import { Walker, type Way } from './walker.ts';

export class Steps extends Walker {
  #model = new Model();
  /** What those have still to say who were blocked as soon as they had done something. */
  #unsaid = new Map<Realm, string[]>();

  #session(actor: Actor): Session { return this.#model.sessions.get(actor.id)!; }

  protected override async walk(steps: number): Promise<void> {
    await this.place.hub.lock('walk').with((guard) => { this.#model.tellsAbandoned = 'abandoned' in guard; });
    await this.begin();
    await this.#settle();
    for (let step = 0; step < steps; step++) {
      await this.#step();
      await this.#settle();
    }
    await this.#end();
  }

  // ---- steps ----

  async #step(): Promise<void> {
    const held = this.cast.living.filter((each) => each.held);
    const blocked = this.cast.realms.filter((each) => each.alive && each.blocked !== undefined);
    if (held.length > 0 && this.chance(8)) return this.#release(this.pick(held));
    if (blocked.length > 0 && this.chance(12)) return this.#unblock(this.pick(blocked));
    if (this.hasRoom && this.chance(6)) return this.newActor();
    const underWay = this.cast.living.some((each) => this.#session(each).in.length > 0);
    if (this.chance(underWay ? 9 : 5)) return this.#endActor();
    if (underWay && this.chance(15)) return this.#tooLate();
    if (this.chance(6)) return this.#hold();
    if (this.chance(2)) return this.#block();
    return this.#act();
  }

  async #act(): Promise<void> {
    const actors = this.cast.living.filter((each) => !each.blocked && this.scene.burden(each.ledger) < 40);
    const actor = this.pick(actors);
    const { ledger } = actor;
    const burdened = this.scene.burden(ledger) > 5;
    let act: Act | undefined;
    if (actor.open && !this.chance(burdened ? 80 : 40)) act = this.scene.newCall(ledger, false);
    act ??= this.scene.ending(ledger) ?? (actor.open || this.chance(10) ? this.scene.newCall(ledger, false) : undefined);
    if (act !== undefined) this.do(actor, act);
  }

  /** Aborts a call to which the hub has granted something that is on its way. */
  #tooLate(): void {
    const late = this.cast.living.filter((each) => !each.blocked).flatMap((actor) =>
      [...this.#session(actor).calls].filter((call) => call.state === 'holding' && call.pending && call.act.signal)
        .map((call) => ({ actor, call })));
    if (late.length === 0) return;
    const { actor, call } = this.pick(late);
    this.do(actor, { do: 'abort', call: call.id });
  }

  protected override do(actor: Actor, act: Act): void {
    super.do(actor, act);
    this.#model.act(actor.id, act);
  }

  protected override entered(actor: Actor): void { this.#model.open(actor.id, actor.parent?.id); }

  async #endActor(): Promise<void> {
    const actors = this.cast.living.filter((each) => each !== this.own);
    if (actors.length === 0) return;
    // The end of one to whom something is on its way says more than others.
    const awaiting = actors.filter((each) => this.#session(each).in.length > 0);
    const actor = this.pick(awaiting.length > 0 && this.chance(70) ? awaiting : actors);
    switch (this.pick(['realm', 'session', 'attachment'] as const)) {
      case 'realm': {
        const way = this.wayToEnd(actor.realm);
        const going = this.actorsIn(actor.realm);
        const lingers = going.some((each) => each.realm.blocked?.lingers && this.#session(each).out.length > 0);
        if (way !== undefined && !lingers && !this.#doubtful(going)) await this.#endRealm(actor.realm, way);
        return;
      }
      case 'session':
        if (actor.open && !actor.blocked && !actor.held && !this.#doubtful([actor])) this.#close(actor);
        return;
      case 'attachment':
        if (!this.canBeShutOut(actor) || this.#doubtful([actor])) return;
        this.note(`${actor.name} is shut out`);
        actor.attached!.end();
        this.#model.shut(this.#session(actor));
        return this.#mark();
    }
  }

  #close(actor: Actor): void {
    this.note(`${actor.name} closes its session`);
    actor.realm.tell({ client: actor.id, close: true });
    this.#model.close(this.#session(actor));
    this.#mark();
  }

  async #endRealm(realm: Realm, way: Way): Promise<void> {
    const actors = this.actorsIn(realm);
    this.note(`${way} ends the realm of ${actors.map((each) => each.name).join()}`);
    for (const each of actors) this.#session(each).dead = true;
    await this.cast.endRealm(realm, way);
    for (const each of actors) {
      const session = this.#session(each);
      session.out.length = session.in.length = 0;
      this.#model.gone(session);
    }
    this.#mark();
  }

  /** Marks those whose session has ended. */
  #mark(): void {
    for (const actor of this.cast.actors.values()) {
      const session = this.#session(actor);
      if (!session.alive) actor.open = false;
    }
  }

  /**
   * Whether it depends on the order in which the hub learns of ends what becomes of others. Two sessions that end with
   * one realm end in any order, unless one is below the other. A notification of a call that goes is passed on, unless
   * that got the lock first from another call that goes; likewise those who share a lock with one that goes, and got it
   * from another call that goes, may not be the last to hear that it was abandoned.
   */
  #doubtful(actors: Actor[]): boolean {
    const all = new Set(actors.flatMap((each) => [...family(this.#session(each))]));
    const busy = [...all].filter((session) => session.calls.size + session.runs.length > 0);
    if (busy.length > 2 || busy.length === 2 && busy[0]!.parent !== busy[1] && busy[1]!.parent !== busy[0]) return true;
    const calls = [...all].flatMap((session) => [...session.calls]);
    if (calls.some(({ role, machine }) => role === 'retake' && calls.some((other) => other.state === 'holding'
      && (machine as Condition).lock.holders.has(other)))) return true;
    return calls.some(({ machine, state }) => machine.shape.kind === 'rwlock' && state === 'holding'
      && calls.some((other) => other.machine === machine && other.state === 'waiting' && other.act.mode === 'shared'));
  }

  async #hold(): Promise<void> {
    const relayed = this.cast.living.filter((each) => each.relay !== undefined && each.open && !each.held && !each.blocked);
    if (relayed.length === 0) return;
    const actor = this.pick(relayed);
    const what = this.pick(['out', 'in', 'both'] as const);
    this.note(`${actor.name} is held back: ${what}`);
    const session = this.#session(actor);
    await this.cast.hasSent(actor, session.sent);
    actor.relay!.holdsOut = session.holdsOut = what !== 'in';
    actor.relay!.holdsIn = session.holdsIn = what !== 'out';
  }

  /** Lets pass what is held back: first what comes, then what goes, one by one. */
  async #release(actor: Actor): Promise<void> {
    this.note(`${actor.name} is not held back any more`);
    const session = this.#session(actor);
    const relay = actor.relay!;
    if (session.alive) await this.cast.hasSent(actor, session.sent);
    else session.out.length = 0; // nobody will hear it
    relay.holdsOut = session.holdsOut = true;
    relay.holdsIn = session.holdsIn = false;
    relay.passIn();
    this.#model.pump();
    await this.#settle();
    while (session.out.length > 0) {
      await this.cast.hasSent(actor, session.sent);
      const before = relay.calls;
      relay.passOne();
      for (let n = before - relay.calls; n > 0; n--) session.out.shift()!();
      this.#model.pump();
      await this.#settle();
    }
    relay.holdsOut = session.holdsOut = false;
    relay.passOut();
  }

  async #block(): Promise<void> {
    const actors = this.cast.living.filter((each) => each.realm.kind === 'worker' && !each.blocked && each.open
      && this.cast.living.every((other) => other.realm !== each.realm || other === each && !other.held));
    if (actors.length === 0) return;
    const actor = this.pick(actors);
    const acts: Act[] = [];
    const session = this.#session(actor);
    session.holdsOut = session.holdsIn = true;
    const act = this.scene.ending(actor.ledger, true);
    if (act !== undefined) {
      acts.push(act);
      this.#model.act(actor.id, act);
      this.#unsaid.set(actor.realm, this.#model.events);
      this.#model.events = [];
    }
    this.note(`${actor.name} is blocked after ${acts.map(described).join() || 'nothing'}`);
    await this.cast.block(actor, acts);
  }

  async #unblock(realm: Realm): Promise<void> {
    const [actor] = this.cast.living.filter((each) => each.realm === realm);
    this.note(`${actor!.name} is let go`);
    this.cast.unblock(realm);
    this.#model.events.push(...this.#unsaid.get(realm) ?? []);
    this.#unsaid.delete(realm);
    const session = this.#session(actor!);
    session.holdsOut = false;
    this.#model.pump();
    session.holdsIn = false;
    this.#model.pump();
  }

  // ---- what must be so ----

  /** Waits until all that the model says has come about, and nothing else has. */
  async #settle(): Promise<void> {
    const expected = this.#model.events;
    this.#model.events = [];
    const patience = new Patience(5000);
    for (;;) {
      await this.cast.fence();
      const found = await this.#differences(expected);
      if (found === undefined) break;
      if (patience.over) throw new Error(found);
    }
    this.cast.events = [];
  }

  async #differences(expected: string[]): Promise<string | undefined> {
    const { hub } = this.place;
    const kinds = this.scene.kinds.filter((each) => each !== 'webLock');
    const [all, ...each] = await Promise.all([hub.stats(), ...kinds.map((kind) => this.#statsOf(kind))]);
    const actual = sorted(this.cast.events);
    const wanted = sorted(expected);
    if (actual.join('\n') !== wanted.join('\n')) {
      const missing = without(wanted, actual);
      const extra = without(actual, wanted);
      return `it is not said that [${missing.join('; ')}], but that [${extra.join('; ')}]`;
    }
    for (const [i, kind] of kinds.entries()) {
      const found = difference(each[i], this.#modelStats(kind));
      if (found !== undefined) return `the stats of the ${kind}: ${found}`;
    }
    const { sessions, names, calls, runs } = this.#model.stats();
    const { before } = this;
    return difference(all, {
      sessions: before.sessions + sessions, names: before.names + names, calls: before.calls + calls, runs: before.runs + runs,
      dropped: before.dropped,
    });
  }

  #statsOf(kind: Kind): Promise<any> {
    const hub = this.place.hub as any;
    const { made, order } = this.#model.names.get(`${kind} ${this.scene.nameOf(kind)}`)?.shape ?? this.scene.shapeOf(kind);
    switch (kind) {
      case 'queue': return hub.queue('it', { capacity: made === unbounded ? Infinity : made, order }).stats();
      case 'condition': return hub.condition(hub.lock('it'), 'c').stats();
      case 'task': return hub.sharedTask('it', () => {}).stats();
      case 'once': return hub.once('it', () => {}).stats();
      case 'resource': return hub.sharedResource('it', { start() {} }).stats();
      case 'pool': return hub.pool('it', { max: made, create() {} }).stats();
      default: return hub[kind]('it', made).stats();
    }
  }

  #modelStats(kind: Kind): Record<string, unknown> {
    const machine = this.#model.names.get(`${kind} ${this.scene.nameOf(kind)}`);
    if (machine !== undefined) return machine.stats();
    return kind === 'condition' ? { waiting: 0 } : machineOf(new Model(), this.scene.shapeOf(kind)).stats();
  }

  // ---- the end ----

  /** All that waits is ended, all that is held is given back, all leave; and nothing is left. */
  async #end(): Promise<void> {
    this.note('the end begins');
    for (const actor of this.cast.living) {
      if (actor.held) {
        await this.#release(actor);
        await this.#settle();
      }
    }
    for (const realm of this.cast.realms) {
      if (realm.alive && realm.blocked !== undefined) {
        await this.#unblock(realm);
        await this.#settle();
      }
    }
    for (let rounds = 0; ; rounds++) {
      if (rounds === 20) throw new Error('there is no end to it');
      for (const kind of this.scene.kinds) {
        const close = this.#closing(kind);
        if (close === undefined) continue;
        this.do(this.own, close);
        await this.#settle();
      }
      let busy = false;
      for (const actor of this.cast.living) {
        for (let act = this.scene.ending(actor.ledger); act !== undefined; act = this.scene.ending(actor.ledger)) {
          busy = true;
          this.do(actor, act);
          await this.#settle();
        }
      }
      if (!busy && this.#model.names.size === 0) break;
    }
    for (const actor of this.cast.living) {
      for (const { act, pending } of actor.ledger.calls.values()) equal(pending, false, `${described(act)} is pending`);
    }
    for (const actor of this.cast.living) {
      if (actor === this.own || !actor.open || actor.gone) continue;
      const way = this.chance(50) ? this.wayToEnd(actor.realm) : undefined;
      if (way === undefined) this.#close(actor);
      else await this.#endRealm(actor.realm, way);
      await this.#settle();
    }
    this.#close(this.own);
    await this.#settle();
  }

  #closing(kind: Kind): CallAct | undefined {
    if (kind === 'webLock' || kind === 'condition') return undefined;
    if (!this.#model.names.has(`${kind} it`)) return undefined;
    const { made, order } = this.#model.names.get(`${kind} it`)!.shape;
    return this.scene.call(kind, kind === 'queue' ? 'closeNow' : 'close', { ...(made !== undefined && { made }), ...(order && { order }) });
  }
}

function family(session: Session): Session[] {
  return [session, ...session.children.flatMap(family)];
}

function sorted(events: string[]): string[] {
  return [...events].sort();
}

function without(all: string[], some: string[]): string[] {
  const rest = [...some];
  return all.filter((each) => {
    const at = rest.indexOf(each);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

/** In what the first is not as the second says. */
function difference(actual: object, expected: object): string | undefined {
  for (const [key, value] of Object.entries(expected)) {
    const found: unknown = (actual as Record<string, unknown>)[key];
    const is = found === Infinity ? unbounded : found;
    if (is !== value) return `${key} is ${String(is)}, not ${String(value)}`;
  }
  return undefined;
}
