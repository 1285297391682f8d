/**
 * What travels between realms.
 *
 * Calls go to the hub, and completions come back, as a Uint32Array: the hub's epoch, then CallWords words a call, or
 * three words (call, status, value) a completion. One realm's calls of one microtask are one message, and what they put or
 * get goes with it where it is sure to arrive. Everything else is rare, and is an object whose `clca` says what it is.
 */

import { Op } from './abi.ts';

/** What a realm may do, and how many calls it may have outstanding. */
export interface Limits {
  prefix?: string | undefined;
  limit?: number | undefined;
  /** It may use no name at all. */
  nothing?: boolean;
}

/** Where a hub is that can come back: which SharedWorker serves it, and the how manyth of its name it is. */
export interface Home {
  name: string;
  generation: number;
  /** The client that is told this, and those above it. */
  path: string;
  url: string;
  worker: string;
  module: boolean;
}

export type ToHub =
  | { clca: 'hello'; version: number; lock: string | undefined; blocks: boolean; memberships?: string[] }
  | { clca: 'batch'; words: Uint32Array; names: string[]; items: [item: number, payload: unknown][] }
  | { clca: 'item'; item: number; payload: unknown }
  | { clca: 'back'; item: number; payload: unknown }
  | { clca: 'payload'; run: number; payload: unknown }
  | ({ clca: 'admit'; id: number; port: MessagePort } & Limits)
  | { clca: 'end'; id: number }
  | { clca: 'bye'; suspended: boolean }
  | { clca: 'close' }
  | { clca: 'pong' };

export type ToClient =
  | {
      clca: 'welcome'; version: number; epoch: number; lock: string | undefined;
      /** What the hub calls it, where that is traced. */
      session: number;
      /** It, or one above it, has a limit to its calls. */
      limited: boolean;
      /** Memory follows. */
      blocks: boolean;
      home?: Home | undefined;
    }
  | { clca: 'memory'; memory: SharedArrayBuffer; id?: number }
  | { clca: 'batch'; words: Uint32Array; payloads: [number: number, payload: unknown][] }
  | { clca: 'payload'; run: number; payload: unknown }
  | { clca: 'over'; reason: OverReason; message: string; epoch?: number }
  | { clca: 'elsewhere'; url: string; worker: string; module: boolean }
  | { clca: 'left'; id: number; dead: boolean }
  | { clca: 'ping' };

/** Why a session is over: its hub was closed, died, or did not start; it was ended; or the hub no longer knows it. */
export type OverReason = 'closed' | 'lost' | 'failed' | 'ended' | 'gone' | 'version';

/** Between a Worker and who attaches it, before there is a port. Both sides speak first, so either may be late. */
export type Handshake =
  | { clca: 'attach' }
  | { clca: 'again' }
  | { clca: 'cancel'; id: string }
  | { clca: 'detach' }
  | { clca: 'connect'; id: string }
  | { clca: 'port'; id: string; port: MessagePort };

/** Words of a completion. */
export const completionWords = 3;

/** The message's kind, if it is one of ours. */
export function kindOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const kind = (data as { clca?: unknown }).clca;
  return typeof kind === 'string' ? kind : undefined;
}

/** Words that grow, to be sent as one array. */
export class Batch {
  #words = new Uint32Array(256);
  #used = 1; // word 0 is the epoch

  constructor(public epoch: number) {}

  get empty(): boolean {
    return this.#used === 1;
  }

  #reserve(n: number): number {
    const at = this.#used;
    if (at + n > this.#words.length) {
      const larger = new Uint32Array(this.#words.length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#used = at + n;
    return at;
  }

  push3(a: number, b: number, c: number): void {
    const at = this.#reserve(3);
    const words = this.#words;
    words[at] = a;
    words[at + 1] = b;
    words[at + 2] = c;
  }

  push5(a: number, b: number, c: number, d: number, e: number): void {
    const at = this.#reserve(5);
    const words = this.#words;
    words[at] = a;
    words[at + 1] = b;
    words[at + 2] = c;
    words[at + 3] = d;
    words[at + 4] = e;
  }

  /** Counts one caller more for the wait of that slot, if it is the last call in it. */
  waitToo(slot: number): boolean {
    const at = this.#used - 5;
    const words = this.#words;
    if (at < 1 || words[at] !== Op.Wait || words[at + 2] !== slot) return false;
    words[at + 3]!++;
    return true;
  }

  /** Empties it and returns what was in it. */
  take(): Uint32Array<ArrayBuffer> {
    this.#words[0] = this.epoch;
    const words = this.#words.slice(0, this.#used);
    this.#used = 1;
    if (this.#words.length > 1 << 16) this.#words = new Uint32Array(256);
    return words;
  }

  clear(): void {
    this.#used = 1;
  }
}
