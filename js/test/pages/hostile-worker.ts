/** A Worker that means no good: it connects, and then lets in below it those who post what they like. */

import { connect } from 'clca';
import { turn } from '../assert.ts';
import { Attackers, randomFrom } from '../hostile-attack.ts';
import type { Recorded } from '../hostile-corpus.ts';

export interface Mission {
  seed: number;
  corpus: Recorded[];
  messages: number;
  secrets: string[];
  /** What they hold and wait for when they are done is left as it is, and the Worker lives on. */
  end: 'self.close' | 'hub.close' | 'none';
}

const connecting = connect({ timeout: 30_000 });

onmessage = async ({ data }) => {
  if (!('mission' in data)) return; // of clca
  const { seed, corpus, messages, secrets, end } = data.mission as Mission;
  const hub = await connecting;
  const attackers = new Attackers({
    random: randomFrom(seed),
    corpus,
    attach: (port, limits) => {
      const session = hub.attach(port, limits);
      return () => session.end();
    },
    secrets,
  }, 6);
  while (attackers.posted < messages) {
    attackers.go(500);
    await turn();
  }
  postMessage({ posted: attackers.posted });
  if (end === 'hub.close') await hub.close();
  if (end === 'self.close') close();
};
