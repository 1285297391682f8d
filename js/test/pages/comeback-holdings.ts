/** What a client holds that outlives its hub, one of each; and what others find as long as it does, and after. */

import type { Checkpoint, Guard, Hub, Permit } from 'clca';
import { equal, gate } from '../assert.ts';

/** How many permits `weights` has. */
const permits = 100;

export class Holdings {
  #tokens: (Guard | Permit)[] = [];
  #web = gate<string>();
  #request: Promise<unknown> | undefined;
  #checkpoint: Checkpoint;

  /** Takes one of each, under the name of who does; some are shared by all. */
  static async take(hub: Hub, who: string, weight: number): Promise<Holdings> {
    const held = new Holdings(hub.checkpoint(`held ${who}`));
    const called = gate();
    held.#request = hub.locks.request(`web ${who}`, () => (called.open(), held.#web.opened));
    await called.opened;
    const outer = await hub.reentrantLock(`twice ${who}`).acquire();
    held.#tokens = [
      await hub.lock(`lock ${who}`).acquire(),
      outer,
      await hub.reentrantLock(`twice ${who}`).acquire({ within: outer }),
      await hub.rwlock(`exclusive ${who}`).acquire(),
      await hub.rwlock('shared').acquire({ mode: 'shared' }),
      await hub.semaphore('weights', permits).acquire({ permits: weight }),
    ];
    const arm = held.#checkpoint.arm();
    held.#checkpoint.wait().catch(() => {}); // it is lost with the hub
    await arm;
    return held;
  }

  private constructor(checkpoint: Checkpoint) {
    this.#checkpoint = checkpoint;
  }

  /** It believes that it has all of them. */
  check(): void {
    equal(this.#tokens.map(({ lost }) => lost.aborted), this.#tokens.map(() => false), 'lost');
  }

  /** Gives all back, and the callback ends as if nothing had been. */
  async release(): Promise<void> {
    this.check();
    await Promise.all(this.#tokens.map((token) => token.release()));
    this.#web.open('done');
    equal(await this.#request, 'done');
    await this.#checkpoint.resume();
  }
}

/** What of a client's holdings is found taken by one who asks. */
export async function busy(hub: Hub, who: string): Promise<Record<string, boolean>> {
  const taken: Record<string, boolean> = {
    web: await hub.locks.request(`web ${who}`, { ifAvailable: true }, (lock) => lock === null),
    checkpoint: (await hub.checkpoint(`held ${who}`).stats()).state === 'holding',
  };
  for (const [name, asked] of Object.entries({
    lock: hub.lock(`lock ${who}`).tryAcquire(),
    twice: hub.reentrantLock(`twice ${who}`).tryAcquire(),
    exclusive: hub.rwlock(`exclusive ${who}`).tryAcquire({ mode: 'shared' }),
  })) {
    const token = await asked;
    taken[name] = token === undefined;
    await token?.release();
  }
  return taken;
}
