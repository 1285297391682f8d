import type { Hub } from 'clca';
import type { Peer } from './peer.ts';

/** Where a caller can be: what the suite is run against. */
export interface Place {
  /** The hub, as the realm sees it in which the suite runs. Nobody else but the peer uses it meanwhile. */
  hub: Hub;
  /** Another client of the same hub, in another realm. */
  peer: Peer;
  /** Whether the Go program runs in the realm of the suite. */
  local: boolean;
  /** Only cases are run whose name has this in it, or is this. */
  only?: string;
}

let count = 0;

/** A name that no other case uses. */
export function fresh(what = 'name'): string {
  return `${what} ${++count}`;
}
