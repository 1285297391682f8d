/** What all walks have in common: their random choices, their cast, and the tale of what they did. */

import { type Act, described, randomFrom } from './acts.ts';
import { type Actor, Cast, type Place, type Realm } from './cast.ts';
import { Scene } from './script.ts';

const most = 6; // actors at a time

/** How the realm of an actor ends. */
export type Way = 'terminate' | 'self' | 'close' | 'reload' | 'crash';

export abstract class Walker {
  protected readonly place: Place;
  protected readonly cast: Cast;
  protected readonly scene: Scene;
  protected before = { sessions: 0, names: 0, calls: 0, runs: 0, dropped: 0 };
  /** The one in the driver's realm that is there from the beginning to the end. */
  protected own!: Actor;
  #seed: number;
  #random: (below: number) => number;
  #log: string[] = [];
  #kept = 0;

  constructor(place: Place, seed: number) {
    this.place = place;
    this.#seed = seed;
    this.#random = randomFrom(seed);
    this.scene = new Scene(this.#random);
    this.cast = new Cast(place);
  }

  /** Walks so many steps, and leaves nothing behind. */
  async go(steps: number): Promise<void> {
    try {
      this.before = await this.place.hub.stats();
      this.#kept = this.place.kept?.() ?? 0;
      await this.walk(steps);
      const kept = (this.place.kept?.() ?? 0) - this.#kept;
      if (kept !== 0) throw new Error(`${kept} things are kept`);
    } catch (error) {
      throw new Error(this.#tale((error as Error).message), { cause: error });
    } finally {
      await this.cast.over();
    }
  }

  protected abstract walk(steps: number): Promise<void>;
  protected entered(_actor: Actor): void {}

  protected chance(percent: number): boolean { return this.#random(100) < percent; }
  protected pick<T>(from: readonly T[]): T { return from[this.#random(from.length)]!; }
  protected note(text: string): void { this.#log.push(`${this.#log.length + 1}: ${text}`); }

  #tale(message: string): string {
    const { kinds, made, order } = this.scene;
    return `seed ${this.#seed}, step ${this.#log.length}: ${message}\n`
      + `${this.constructor.name} of ${kinds.join()}, ${JSON.stringify(made)}, ${order}; the last are:\n  ${this.#log.slice(-40).join('\n  ')}`;
  }

  protected do(actor: Actor, act: Act): void {
    this.note(`${actor.name}: ${described(act)}`);
    this.cast.act(actor, act);
  }

  protected async enter(realm: Realm, below: Actor | undefined, how: 'own' | 'port' | 'relay'): Promise<Actor> {
    const actor = await this.cast.connect(realm, below, how);
    this.entered(actor);
    this.note(`${actor.name} enters${below === undefined ? '' : ` below ${below.name}`}`);
    return actor;
  }

  /** The first one, and another. */
  protected async begin(): Promise<void> {
    this.own = await this.enter(this.cast.startRealm('own'), undefined, 'port');
    await this.newActor();
  }

  /** One more client in some realm, perhaps one that comes back; or in a new Worker, Worker of a Worker, or tab. */
  protected async newActor(): Promise<void> {
    const { cast } = this;
    const parents = cast.living.filter((each) => each.open && each.realm.kind !== 'tab' && !each.blocked && !each.held);
    const below = this.chance(25) && parents.length > 0 ? this.pick(parents) : undefined;
    const how = this.chance(50) ? 'relay' : 'port';
    if (this.chance(40)) {
      const realms = cast.realms.filter((each) => each.alive && each.blocked === undefined && each.tab === undefined);
      await this.enter(this.pick(realms), below, how);
    } else if (below !== undefined && below.realm.kind === 'worker' && this.chance(70)) {
      const own = this.chance(50);
      await this.enter(cast.startRealm('nested', below.realm, own ? below : undefined), below, own ? 'own' : how);
    } else if (this.place.openTab !== undefined && this.chance(40)) {
      await this.enter(await cast.startTab(`${this.#seed}-${this.#log.length}`), undefined, 'own');
    } else {
      await this.enter(cast.startRealm('worker'), below, below === undefined && this.chance(50) ? 'own' : how);
    }
  }

  protected get hasRoom(): boolean { return this.cast.living.length < most; }

  /** All whose realm ends with this one. */
  protected actorsIn(realm: Realm): Actor[] {
    return this.cast.living.filter((each) => each.realm === realm || each.realm.above === realm);
  }

  /** Ends a realm, or undefined if that cannot be now. */
  protected wayToEnd(realm: Realm): Way | undefined {
    if (realm.kind === 'own') return undefined;
    if (realm.kind === 'tab') return this.pick(['close', 'reload', 'crash'] as const);
    const way = this.pick(['terminate', 'self'] as const);
    return (way === 'self' ? realm : realm.above)?.blocked !== undefined ? undefined : way;
  }

  /** Whether whoever let the actor in can shut it out now. */
  protected canBeShutOut({ attached, open }: Actor): boolean {
    if (!open || attached === undefined) return false;
    return attached.by === undefined || attached.by.open && !attached.by.gone && !attached.by.blocked && !attached.by.held;
  }
}
