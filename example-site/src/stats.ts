/** What the hub itself counts, asked whenever something has happened. */

import type { Hub } from 'clca';
import { find } from './column.ts';
import { names } from './names.ts';
import { told } from './outcome.ts';

export function showStats(hub: Hub): () => void {
  const resource = hub.sharedResource(names.resource, { start() {} });
  const lines: Record<string, () => Promise<string>> = {
    async signal() {
      const { waiting, signals, woken } = await hub.signal(names.signal).stats();
      return `${waiting} waiting · ${count(signals, 'signal')} so far, ${woken} woken`;
    },
    async checkpoint() {
      const { state, waiting, generation } = await hub.checkpoint(names.checkpoint).stats();
      return `${state} · ${waiting} parked · armed ${count(generation, 'time')} so far`;
    },
    async resource() {
      const { state, held, waiting } = await resource.stats();
      return `${state} · held by ${held}${waiting > 0 ? `, ${waiting} waiting` : ''}`;
    },
  };
  let asking = false;
  let again = false;
  const ask = async (): Promise<void> => {
    again = asking;
    if (asking) return;
    asking = true;
    do {
      again = false;
      for (const [panel, line] of Object.entries(lines)) {
        const { value } = await told(line());
        if (value !== undefined) find(document, `[data-stats=${panel}]`).textContent = `The hub counts: ${value}`;
      }
    } while (again);
    asking = false;
  };
  return () => void ask();
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
