/**
 * A form that needs three things before it can be used, which load independently. Others may want the same ones, in
 * other realms: what is loading is loaded once for all, and goes on for as long as somebody waits for it.
 */

import type { Hub } from 'clca';
import { fetch } from './server.ts'; // Stands in for a server; without this line, it is the browser's own.

export const needed = ['countries', 'rates', 'address'] as const;
export type Part = (typeof needed)[number];

/** The part, which is loaded unless it was; one that did not load can be asked for again. */
export function part(hub: Hub, name: Part) {
  return hub.once(name, async (signal) => {
    const response = await fetch(`/${name}.json`, { signal }); // Aborted when nobody waits any more.
    if (!response.ok) throw new Error(`the server says ${response.status}`);
    return response.json();
  });
}

/** All that the form needs; or the error that says which part is missing. An abort or a failure lets go of the others. */
export async function loadForm(hub: Hub, cancel: AbortSignal): Promise<Record<Part, any>> {
  const failed = new AbortController();
  const options = { signal: AbortSignal.any([cancel, failed.signal]), timeout: 6000 };
  const load = async (name: Part) => {
    try {
      return [name, await part(hub, name).run(options)];
    } catch (error) {
      throw new Error(`The ${name} did not load`, { cause: error });
    }
  };
  try {
    return Object.fromEntries(await Promise.all(needed.map(load)));
  } catch (error) {
    cancel.throwIfAborted();
    throw error;
  } finally {
    failed.abort(); // Promise.all has forgotten those that it did not wait for. Those that are loaded stay so.
  }
}
