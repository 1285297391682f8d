/** A Worker that is a peer: it connects, and does what it is told through the port that it is sent. */

import { connect } from 'clca/client';
import { serveAsPeer } from '../peer.ts';

onmessage = async ({ data }) => {
  const { serve } = data as { serve?: MessagePort };
  if (serve !== undefined) serveAsPeer(await connect({ timeout: 10_000 }), serve);
};
