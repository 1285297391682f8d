/** The answer to a query for locks, as Go writes it. */

import type { GoProgram } from './go.ts';

/** One call that holds or waits for a lock. */
export interface LockEntry {
  held: boolean;
  name: string;
  mode: number;
  clientId: string;
}

/** Reads what `query.go` has written; of names, those that are `allowed`. */
export function readQuery(program: GoProgram, epoch: number, allowed: (name: string) => boolean): LockEntry[] {
  const { exports } = program;
  const address = program.enter(() => exports.clca_scratch(0));
  const words = (at: number, n: number): Uint16Array => new Uint16Array(exports.mem.buffer, address + 2 * at, n);
  const [low, high] = words(0, 2);
  const units = words(2, low! + high! * 65536);
  const entries: LockEntry[] = [];
  for (let at = 0; at < units.length;) {
    const [holds, mode, session, generation, shorts, longs] = units.subarray(at, at + 6);
    at += 6;
    const length = shorts! + longs! * 65536;
    let name = '';
    for (const end = at + length; at < end; at++) name += String.fromCharCode(units[at]!);
    if (!allowed(name)) continue;
    entries.push({ held: holds === 1, name, mode: mode!, clientId: `${epoch.toString(36)}-${session}-${generation}` });
  }
  return entries;
}
