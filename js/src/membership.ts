/**
 * Who the clients of a hub are that tabs share, so that the next hub of its name knows them should this one be lost.
 *
 * A client holds a Web Lock that says so from its welcome on, before it makes its first call. The next hub lists these
 * locks when it starts: each is a client that may hold something, until it has reported, or its lock is free. The name
 * of the lock has the generation of the hub in it, so that hubs of one name are numbered in order without a clock; and
 * the client's path, which is itself and those above it. One that has left takes those below it along: they cannot say
 * so themselves while a page and its Workers are in the back/forward cache.
 */

import { type LifeLock, hold } from './liveness.ts';
import { locks, randomName } from './platform.ts';
import type { Home } from './wire.ts';

/** Becomes a client of that hub in the eyes of the next; undefined where there are no Web Locks. */
export async function joinAs({ name: hub, generation, path }: Home): Promise<LifeLock | undefined> {
  const manager = locks();
  if (manager === undefined) return undefined;
  const name = `${randomName(`clca:client:${generation}:${path}~`)}:${hub}`;
  const release = await hold(manager, name);
  return release === undefined ? undefined : { name, release };
}

/** A client, and the clients above it, by the names of their locks. */
export interface Client {
  name: string;
  above: string[];
}

/** The clients of hubs of that name, and the generation of the latest. To be asked for when no hub of that name serves. */
export async function clientsOf(hub: string): Promise<{ clients: Client[]; generation: number }> {
  const found: { name: string; path: string[] }[] = [];
  let generation = 0;
  for (const { name = '' } of (await locks()?.query())?.held ?? []) {
    const [, number, path, of] = /^clca:client:(\d+):([^:~]*)~[^:]*:([^]*)$/.exec(name) ?? [];
    if (path === undefined || of !== hub) continue;
    found.push({ name, path: path.split('.') });
    generation = Math.max(generation, Number(number));
  }
  const clients = found.map(({ name, path }) => ({
    name,
    above: path.slice(1).map((each) => found.filter((other) => other.path[0] === each).map((other) => other.name)),
  }));
  return {
    clients: clients.filter(({ above }) => above.every((names) => names.length > 0)).map(({ name, above }) => ({ name, above: above.flat() })),
    generation,
  };
}
