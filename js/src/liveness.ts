/**
 * How one realm learns that another is gone. No browser says so, but a Web Lock is released with the realm that holds
 * it: each side holds one under a random name for as long as it lives, and the other side asks for it.
 */

import { type Port, inTask, listen, locks, randomName } from './platform.ts';

/** A lock that is held until `release()` or the end of the realm. */
export interface LifeLock {
  name: string | undefined;
  release(): void;
}

/** Takes a lock that others can watch; without Web Locks there is none, and nobody watches. */
export async function holdLifeLock(): Promise<LifeLock> {
  const manager = locks();
  if (manager === undefined) return { name: undefined, release() {} };
  const name = randomName('clca:life:');
  const release = await hold(manager, name);
  return release === undefined ? { name: undefined, release() {} } : { name, release };
}

/** Whether it can be the name of such a lock, and what in it is that realm's own. */
export function lifeOf(name: unknown): string | undefined {
  return typeof name === 'string' ? /^clca:life:([0-9a-z-]{1,64})$/.exec(name)?.[1] : undefined;
}

/** Takes the lock of that name, and returns what releases it; undefined if it was not to be had. */
export function hold(manager: LockManager, name: string, options: LockOptions = {}): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    manager.request(name, options, (lock) => {
      if (lock === null) return resolve(undefined);
      return new Promise<void>((release) => resolve(release));
    }).catch(() => resolve(undefined));
  });
}

/**
 * Calls `gone` when the realm that holds the lock is gone and what it had said through the port has been heard, and
 * returns what stops the watch.
 *
 * If the lock is free at once, that realm has died already, or the two do not share locks (a page and a Worker of
 * different storage partitions, say). Then `ask` decides: it resolves with whether the other side answers over the
 * port.
 */
export function watchLife(name: string | undefined, port: Port | undefined, gone: () => void, ask: () => Promise<boolean>): () => void {
  const manager = locks();
  if (manager === undefined || name === undefined) return () => {};
  const stop = new AbortController();
  const { signal } = stop;
  const request = async (): Promise<void> => {
    // Shared, so that of many who watch none keeps it from the others.
    const free = await manager.request(name, { mode: 'shared', ifAvailable: true }, (lock) => lock !== null);
    if (!free) await manager.request(name, { mode: 'shared', signal }, () => {});
    else if (await ask()) return;
    if (port !== undefined) await silence(port);
    if (!signal.aborted) gone();
  };
  request().catch(() => {}); // only the end of the watch, or of this realm, makes a request fail
  return () => stop.abort();
}

/** Resolves once nothing comes through the port any more: what a realm has said may arrive after the news of its end. */
async function silence(port: Port): Promise<void> {
  let heard = true;
  const unlisten = listen(port, () => { heard = true; });
  while (heard) {
    heard = false;
    await new Promise<void>(inTask);
  }
  unlisten();
}
