import { type Hub, createHub } from 'clca';

let hub: Promise<Hub> | undefined;

/**
 * The hub of all components. The first that needs it starts it, in an effect or a handler: so never on the server. One that
 * has failed to start, or has ended, is forgotten, and the next that needs it starts another.
 */
export function theHub(): Promise<Hub> {
  if (hub === undefined) {
    hub = start();
    const forget = (): void => void (hub = undefined);
    hub.then(({ closed }) => closed).then(forget, forget);
  }
  return hub;
}

async function start(): Promise<Hub> {
  const hub = await createHub({ where: 'worker' });
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  void hub.closed.then(() => worker.terminate());
  try {
    hub.attach(worker);
    await hub.event('ready').wait({ timeout: 30_000 });
    return hub;
  } catch (error) {
    await hub.close();
    throw error;
  }
}
