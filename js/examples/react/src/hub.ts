import { type Hub, createHub } from 'clca';

let hub: Promise<Hub> | undefined;

/** The hub of all components. The first that needs it starts it, in an effect or a handler: so never on the server. */
export function theHub(): Promise<Hub> {
  return hub ??= start();
}

async function start(): Promise<Hub> {
  const hub = await createHub({ where: 'worker' });
  hub.attach(new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }));
  await hub.event('ready').wait();
  return hub;
}
