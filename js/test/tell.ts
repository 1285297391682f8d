/** What a page that runs a suite says of it to the page that has it in a frame. */

import type { Report, Result, Seen } from './runner.ts';

export type Said =
  | { begins: string }
  | { ended: Result }
  | { over: true }
  /** The suite itself could not be run, or not to its end. */
  | { failed: string };

/** Where nobody has the page in a frame, it says that to itself, which does not listen. */
export const tell: Seen = (name, result) => say(result === undefined ? { begins: name } : { ended: result });

/** Tells how it ends. */
export async function tellEnd(running: Promise<Report>): Promise<void> {
  try {
    await running;
    say({ over: true });
  } catch (error) {
    say({ failed: String((error as Error).stack ?? error) });
  }
}

function say(said: Said): void {
  parent.postMessage(said, location.origin);
}
