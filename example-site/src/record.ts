/**
 * What happens in the realms of a hub, as a sequence diagram draws it. Times are milliseconds since the epoch, with
 * fractions: performance.timeOrigin + performance.now(). A call is a string unique in the diagram. Events may come late
 * and out of order, for they come from other realms: the diagram sorts them by `at`.
 */

import type { CallId } from 'clca/client';

/** The lane of kind hub is the Go scheduler, where calls are taken and answered. Goroutines are a lane of their own. */
export type LaneKind = 'page' | 'worker' | 'tab' | 'goroutine' | 'hub';

/** Beneath its label stands what it is about, or else its kind. */
export interface LaneId {
  lane: string;
  label: string;
  kind: LaneKind;
  about?: string;
}

export type End = 'closed' | 'killed' | 'lost';

export type Recorded =
  /** It appears. */
  | { type: 'lane'; at: number } & LaneId
  /** It ends; `lost` is the hub, and what was in its realm. */
  | { type: 'gone'; at: number; lane: string; how: End }
  /** The hub has learned that it is gone: what it held is free. */
  | { type: 'missed'; at: number; lane: string }
  /** The caller's realm made it. The text is as one would write it: hub.signal('go').wait() */
  | { type: 'call'; at: number; lane: string; call: string; text: string; primitive?: string }
  /** The hub took it up. */
  | { type: 'taken'; at: number; call: string }
  /** The hub answered it; `by` is the call that caused this, if another did: a wake; or a lane, whose end did. */
  | { type: 'answer'; at: number; call: string; by?: string }
  /** The caller's promise settled in its realm. The text is what it brought, or the error. */
  | { type: 'settled'; at: number; call: string; ok: boolean; text: string }
  /** The caller gave up: an abort, or a timeout. */
  | { type: 'cancel'; at: number; call: string; text: string }
  /** From then to then it holds what the call acquired, which whoever held it before may have left without giving it back. */
  | { type: 'held'; at: number; call: string; abandoned?: boolean }
  | { type: 'released'; at: number; call: string }
  /** It holds that no longer, and has not given it back. */
  | { type: 'lost'; at: number; call: string }
  /** Its event loop stands still. */
  | { type: 'blocked'; at: number; lane: string }
  | { type: 'unblocked'; at: number; lane: string }
  /** Anything else worth a mark: a function starts to run here, an error, ... */
  | { type: 'note'; at: number; lane: string; text: string };

/** As all realms have it, but for what their clocks differ. */
export function present(): number {
  return performance.timeOrigin + performance.now();
}

/** What a call is called in the record; or a session, without a call. */
export function idOf({ session, call }: Pick<CallId, 'session'> & { call?: number | undefined }): string {
  return call === undefined ? `session ${session}` : `${session}/${call}`;
}
