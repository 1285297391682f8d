/** The realm that runs one row of the benchmark, and starts all others of the row: with it, they all end. */

import { race } from '../../js/test/bench/interleave.ts';
import type { End, Order, Round, Verdict } from './benchmark-protocol.ts';
import { rows } from './benchmark-rows.ts';

addEventListener('message', ({ data }: MessageEvent<Order>) => {
  run(data).catch((error) => ({ error: String(error) })).then((end) => postMessage(end satisfies End));
}, { once: true });

async function run({ row, rounds, sample }: Order): Promise<End> {
  const sides = await rows[row]!();
  return { took: await race(sides, { rounds, sample, heard }) };
}

/** The page shows the round, and nothing runs while it does. */
function heard(round: number, took: Round['took']): Promise<Verdict> {
  return new Promise((resolve) => {
    addEventListener('message', ({ data }: MessageEvent<Verdict>) => resolve(data), { once: true });
    postMessage({ round, took } satisfies Round);
  });
}
