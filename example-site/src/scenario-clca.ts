/** Plays a scenario with clca: with a hub, and the realms that it is told of. */

import type { Hub, Step } from 'clca';
import { present } from './record.ts';
import { castOf } from './scenario-cast.ts';
import type { CallOrder, Order, Said, Stage } from './scenario-lane.ts';
import type { Play } from './scenario-python.ts';
import { Tally } from './scenario-tally.ts';
import { Scheduler } from './scenario-trace.ts';
import type { Act, Scenario, Who } from './scenario.ts';

/** A realm to which orders can be sent. */
export interface Realm {
  obey(order: Order): void;
  /** Ends it, as if its tab had been closed, and starts another in its place. */
  die(): Promise<void>;
}

type Unnumbered = Order extends infer O ? O extends Order ? Omit<O, 'order'> : never : never;

const patience = 5000; // milliseconds, after which a call is said to wait still

export class ClcaTheatre {
  #orders = 0;
  #done = new Map<number, () => void>();
  #last: Promise<unknown> = Promise.resolve();
  #heard: (who: Who, said: Said) => void = () => {};
  #scheduler: Scheduler | undefined;

  constructor(readonly hub: Hub, readonly realms: Record<Who, Realm>) {}

  /** What the hub's trace tells. */
  step(step: Step): void {
    this.#scheduler?.hear(step);
  }

  /** What a realm says. */
  hear(who: Who, said: Said): void {
    if (said.say === 'done') this.#done.get(said.order)?.();
    else this.#heard(who, said);
  }

  /** Resolves with how it ended; with nothing if it was stopped. One is played at a time. */
  play(scenario: Scenario, play: Play): Promise<string> {
    const played = this.#last.then(() => (play.stop?.aborted ? '' : this.#play(scenario, play)));
    this.#last = played.catch(() => {});
    return played;
  }

  async #play(scenario: Scenario, play: Play): Promise<string> {
    const tally = new Tally(scenario.kind);
    const stage: Stage = {
      name: `scenario ${crypto.randomUUID()}`, kind: scenario.kind, start: scenario.start, beat: play.beat,
    };
    this.#scheduler = new Scheduler(stage.name, play.record);
    let changed = (): void => {};
    let runs = 0; // that go on
    this.#heard = (who, said) => {
      switch (said.say) {
        case 'made':
          if (said.method === 'run') runs++;
          tally.made(said.call, said.method === 'run' ? 'start' : who, said.method);
          break;
        case 'left': tally.left(said.call); break;
        case 'settled':
          if (said.call.startsWith('start ')) runs--;
          tally.settled(said.call, said.ok, said.text, said.cancelled);
          break;
        case 'stopped': tally.closed(said.call); break;
        case 'logged':
          tally.logged(said.text);
          play.record({ type: 'note', at: present(), lane: who, text: `logged: ${said.text}` });
          break;
        case 'record': play.record(said.event); break;
      }
      changed();
    };
    /** Resolves when that is so, or when it has not come to be so for long. */
    const becomes = async (so: () => boolean): Promise<void> => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        changed();
      }, patience);
      while (!so() && !late && !play.stop?.aborted) await new Promise<void>((resolve) => (changed = resolve));
      clearTimeout(timer);
    };
    play.stop?.addEventListener('abort', () => changed());
    for (const lane of castOf(scenario)) play.record({ type: 'lane', at: present(), ...lane });

    let step: Promise<unknown>[] = [];
    for (const [index, act] of scenario.acts.entries()) {
      if (!act.together) {
        await Promise.all(step.splice(0));
        await pause((1 + (act.after ?? 0)) * play.beat, play.stop);
        if (play.stop?.aborted) break;
        tally.step();
      }
      play.step?.(index);
      if (act.does === 'succeed' || act.does === 'fail') await becomes(() => runs > 0);
      if (!act.together) step.push(this.#perform(act, stage, play, tally, scenario.acts[index + 1]?.together));
    }
    await Promise.all(step);
    if (!play.stop?.aborted) {
      const deaf = scenario.start?.deaf === true;
      await becomes(() => tally.pending.every((id) => deaf && id.startsWith('start ')));
      if (scenario.start?.throws !== undefined) await becomes(() => tally.logs > 0);
    }
    const ends = play.stop?.aborted ? '' : tally.ends();
    this.#heard = () => {};
    await Promise.all((['page', 'A', 'B'] as const).map((who) => this.#order(who, { do: 'clear' })));
    return ends;
  }

  async #perform(act: Act, stage: Stage, play: Play, tally: Tally, leave: true | undefined): Promise<void> {
    const { who, does, and, then, again, timeout } = act;
    switch (does) {
      case 'die':
        play.record({ type: 'gone', at: present(), lane: who, how: 'killed' });
        tally.gone(who);
        return this.realms[who].die();
      case 'leave': return this.#order(who, { do: 'leave' });
      case 'succeed': case 'fail':
        await Promise.all((['page', 'A', 'B'] as const).map((each) => this.#order(each, { do: does })));
        return;
      default: {
        const order: Omit<CallOrder, 'order'> = {
          do: 'call', stage, method: does, and, then, again, leave, timeout: timeout && timeout * play.beat,
        };
        return this.#order(who, order);
      }
    }
  }

  #order(who: Who, order: Unnumbered): Promise<void> {
    const number = ++this.#orders;
    return new Promise((resolve) => {
      this.#done.set(number, () => {
        this.#done.delete(number);
        resolve();
      });
      this.realms[who].obey({ ...order, order: number } as Order);
    });
  }
}

function pause(milliseconds: number, stop: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (stop?.aborted) return resolve();
    setTimeout(resolve, milliseconds);
    stop?.addEventListener('abort', () => resolve());
  });
}
