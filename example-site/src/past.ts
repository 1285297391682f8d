/** What was told in the room, for pages that come later. It is bounded; which realms there are is not forgotten. */

import type { LaneMessage, Message, Told } from './protocol.ts';
import { present } from './record.ts';

const most = 1000; // messages

/** A realm, by the first and the last that was heard of it. */
interface Realm {
  lane: LaneMessage['lane'];
  appeared: Told;
  end?: Told;
}

export class Past {
  #told: Told[] = [];
  #realms: Realm[] = [];

  /** `gone` resolves when a tab is, which one that crashes does not tell. */
  constructor(readonly gone: (tab: number) => Promise<void>) {}

  keep(message: Message): void {
    const told = { at: present(), message };
    switch (message.kind) {
      case 'lane': return this.#appears(message, told);
      case 'killed': return this.#end(told, ({ id }) => id === message.lane);
      case 'gone': return this.#end(told, ({ tab }) => tab === message.tab);
      case 'steps': case 'hub': case 'happened': this.#told.push(told);
    }
    if (this.#told.length <= most) return;
    this.#told.shift();
    this.#realms = this.#realms.filter(({ end }) => end === undefined || end.at >= this.#told[0]!.at);
  }

  /** In the order in which it was told. */
  all(): Told[] {
    const realms = this.#realms.flatMap(({ appeared, end }) => (end === undefined ? [appeared] : [appeared, end]));
    return [...realms, ...this.#told].sort((a, b) => a.at - b.at);
  }

  #appears({ lane }: LaneMessage, appeared: Told): void {
    if (this.#realms.some((each) => each.lane.id === lane.id && each.end === undefined)) return;
    const realm: Realm = { lane, appeared };
    this.#realms.push(realm);
    if (lane.tab === undefined) return;
    const { tab } = lane;
    void this.gone(tab).then(() => (realm.end ??= { at: present(), message: { kind: 'gone', tab } }));
  }

  #end(told: Told, ends: (lane: LaneMessage['lane']) => boolean): void {
    for (const realm of this.#realms) if (ends(realm.lane)) realm.end ??= told;
  }
}
