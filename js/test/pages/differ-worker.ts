/** A Worker that compares `hub.locks` with `navigator.locks` as it is told. */

import { connect } from 'clca/client';
import { differ } from '../differ.ts';

const connecting = connect({ timeout: 30_000 });

onmessage = async ({ data }) => {
  if (!('count' in data)) return; // of clca
  const { from, count } = data as { from: number; count: number };
  const { locks } = await connecting;
  differ(locks, navigator.locks, from, count).then(
    (entries) => postMessage({ entries }),
    (error) => postMessage({ failed: (error as Error).message }),
  );
};
