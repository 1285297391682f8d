/** Blocks realms, and lets them go on: by requests that the tests' server does not answer before it is told to. */

const channel = 'turnstiles';

/** Blocks this realm until the turnstile is opened. */
export function block(name: string): void {
  const request = new XMLHttpRequest();
  request.open('POST', `/turnstile/${name}/enter`, false);
  request.send();
}

/** Resolves when a realm stands there. */
export async function blocked(name: string): Promise<void> {
  await fetch(`/turnstile/${name}/watch`, { method: 'POST' });
}

/** Lets those go on who stand there. */
export async function open(name: string): Promise<void> {
  await fetch(`/turnstile/${name}/open`, { method: 'POST' });
}

/** From now on this realm goes where it is sent. */
export function heed(): void {
  new BroadcastChannel(channel).onmessage = ({ data }) => block(data as string);
}

/** Sends the realms there that heed it, and resolves when one stands there. */
export async function send(name: string): Promise<void> {
  const sender = new BroadcastChannel(channel);
  sender.postMessage(name);
  await blocked(name);
  sender.close();
}
