/**
 * A form that needs three things, which load independently. Others may want some of them
 * too, in other realms: each is loaded once for all, as long as somebody waits for it.
 */

import type { Hub } from 'clca';
import { fetch } from './server.ts'; // Pretends. Without this line, it is the real one.

export const parts = ['countries', 'rates', 'address'] as const;
export type Part = (typeof parts)[number];
export type Parts = Record<Part, any>;

/** One of them. What has loaded is kept; if it failed, the next to ask tries again. */
export function part(hub: Hub, name: Part) {
  return hub.once(name, async (signal) => { // Aborted when nobody waits any more.
    const response = await fetch(`/${name}.json`, { signal });
    if (!response.ok) throw new Error(`the server says ${response.status}`);
    return response.json();
  });
}

/**
 * Resolves with all three. Rejects with the reason of `cancel`, or with an error that
 * says what did not load and why. Then nothing loads on that nobody else waits for.
 */
export async function loadForm(hub: Hub, cancel: AbortSignal, timeout = 5000): Promise<Parts> {
  const leave = new AbortController();
  const signal = AbortSignal.any([cancel, leave.signal]);
  const load = async (name: Part) => {
    try {
      return [name, await part(hub, name).run({ signal, timeout })];
    } catch (error) {
      cancel.throwIfAborted();
      throw new Error(`The ${name} did not load`, { cause: error });
    }
  };
  try {
    return Object.fromEntries(await Promise.all(parts.map(load)));
  } finally {
    leave.abort(); // Promise.all has left the others waiting if one has failed.
  }
}
