/** Runs the suite in this Worker, or has one of its own do so, and posts the report. */

import { connect } from 'clca';
import { Peer } from '../peer.ts';
import type { Report, Result } from '../runner.ts';
import { runConformance } from '../suite.ts';

/** How many Workers further down the suite runs, this one counted, and a port to the peer. */
export interface SuiteOrder {
  depth: number;
  only: string;
  peer: MessagePort;
}

export type SuiteReply = { report: Report } | { seen: string; result: Result | undefined } | { failed: string };

const reply = (message: SuiteReply): void => postMessage(message);

onmessage = async ({ data }) => {
  if (!('depth' in data)) return; // of clca
  const { depth, only, peer } = data as SuiteOrder;
  try {
    const hub = await connect({ timeout: 10_000 });
    if (depth === 1) {
      const place = { hub, peer: new Peer(peer), local: false, only };
      reply({ report: await runConformance(place, (seen, result) => reply({ seen, result })) });
      return;
    }
    const worker = new Worker(new URL('suite-worker.js', import.meta.url), { type: 'module' });
    hub.attach(worker);
    worker.onmessage = (event) => reply(event.data as SuiteReply);
    worker.postMessage({ depth: depth - 1, only, peer } satisfies SuiteOrder, [peer]);
  } catch (error) {
    reply({ failed: String((error as Error).stack) });
  }
};
