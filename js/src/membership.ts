/**
 * Who the clients of a hub are that tabs share, so that the next hub of its name knows them should this one be lost.
 *
 * A client holds a Web Lock that says so from its welcome on, before it makes its first call. The next hub lists these
 * locks when it starts: each is a client that may hold something, until it has reported, or its lock is free. The name
 * of the lock has the generation of the hub in it, so that hubs of one name are numbered in order without a clock.
 */

import { type LifeLock, hold } from './liveness.ts';
import { locks, randomName } from './platform.ts';

/** Becomes a client of that hub in the eyes of the next; undefined where there are no Web Locks. */
export async function joinAs(hub: string, generation: number): Promise<LifeLock | undefined> {
  const manager = locks();
  if (manager === undefined) return undefined;
  const name = `${randomName(`clca:client:${generation}:`)}:${hub}`;
  const release = await hold(manager, name);
  return release === undefined ? undefined : { name, release };
}

/** The clients of hubs of that name, and the generation of the latest. To be asked for when no hub of that name serves. */
export async function clientsOf(hub: string): Promise<{ clients: string[]; generation: number }> {
  const clients: string[] = [];
  let generation = 0;
  for (const { name = '' } of (await locks()?.query())?.held ?? []) {
    const [, number, of] = /^clca:client:(\d+):[^:]*:([^]*)$/.exec(name) ?? [];
    if (of !== hub) continue;
    clients.push(name);
    generation = Math.max(generation, Number(number));
  }
  return { clients, generation };
}
