/** How many payloads switchboards keep, which they show nobody: so it is noted where they are kept. */

import { Payloads } from '../src/payloads.ts';

const seen = new Set<Payloads>();

for (const method of ['add', 'set'] as const) {
  const keep: (...args: any[]) => any = Payloads.prototype[method];
  (Payloads.prototype as any)[method] = function (this: Payloads, ...args: unknown[]) {
    seen.add(this);
    return keep.apply(this, args);
  };
}

/** Of all hubs in this thread. */
export function keptPayloads(): number {
  let count = 0;
  for (const each of seen) each.each(() => count++);
  return count;
}
