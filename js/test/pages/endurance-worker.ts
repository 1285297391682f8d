/** A Worker that works, or is at something until it is killed; or in which the hub is. */

import { type Hub, connect } from 'clca';
import { type GoFigures, startHub } from '../endurance-hub.ts';
import { type Share, occupy, work } from '../endurance-work.ts';

export type WorkerOrder = { work: Share } | { occupy: number } | { serve: MessagePort } | { figures: true };

let figures: () => Promise<GoFigures>;
const hub: Promise<Hub> = self.name === 'hub'
  ? startHub().then((started) => ({ figures } = started).hub)
  : connect({ timeout: 30_000 });

async function carryOut(order: WorkerOrder): Promise<unknown> {
  if ('work' in order) return work(await hub, self.name, order.work);
  if ('occupy' in order) return occupy(await hub, order.occupy);
  if ('serve' in order) return void (await hub).attach(order.serve);
  return figures();
}

onmessage = async ({ data }) => {
  if (!('clca' in data)) postMessage({ done: await carryOut(data as WorkerOrder) });
};
