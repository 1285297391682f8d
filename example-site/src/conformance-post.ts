/** Tells the server of the page what happens, where one asked for it: of each case as it begins and as it has ended. */

import type { Said } from '../../js/test/tell.ts';

export type Line =
  | { userAgent: string; cases: number; places: string[] }
  | { place: string; skipped: string }
  | { place: string } & Said
  | { done: true };

let due: Line[] = [];
let posting = false;

export function post(line: Line): void {
  due.push(line);
  if (!posting) void postAll();
}

/** One request at a time, so that all arrives in order. */
async function postAll(): Promise<void> {
  posting = true;
  while (due.length > 0) {
    const body = JSON.stringify(due);
    due = [];
    await fetch('./report', { method: 'POST', body });
  }
  posting = false;
}
