/** What lies between a client and its hub, and can hold back what they say, without changing its order. */

import { CallWords, Op } from '../../src/abi.ts';
import { node, onEvent } from '../../src/platform.ts';

export class Relay {
  holdsOut = false;
  holdsIn = false;
  /** How many calls have come from the client. */
  seen = 0;
  #client: MessagePort;
  #hub: MessagePort;
  #out: unknown[] = [];
  #in: unknown[] = [];
  #hubClosed = false;

  /** The two ports are its own ends of the channels to either side. */
  constructor(client: MessagePort, hub: MessagePort) {
    this.#client = client;
    this.#hub = hub;
    client.onmessage = ({ data }) => {
      this.seen += callsIn(data);
      this.#out.push(data);
      if (!this.holdsOut) this.passOut();
    };
    hub.onmessage = ({ data }) => {
      this.#in.push(data);
      if (!this.holdsIn) this.passIn();
    };
    if (node === undefined) return; // a browser says nothing when a port is closed
    onEvent(client, 'close', () => this.cut());
    onEvent(hub, 'close', () => {
      this.#hubClosed = true;
      if (!this.holdsIn) this.#client.close();
    });
  }

  /** How many are held back. */
  get calls(): number {
    return this.#out.reduce<number>((sum, each) => sum + callsIn(each), 0);
  }

  /** Passes on what is held back on the way to the hub, up to the first that has calls in it. */
  passOne(): void {
    while (this.#out.length > 0) {
      const message = this.#out.shift();
      pass(message, this.#hub);
      if (callsIn(message) > 0) return;
    }
  }

  passOut(): void {
    for (const message of this.#out.splice(0)) pass(message, this.#hub);
  }

  passIn(): void {
    for (const message of this.#in.splice(0)) pass(message, this.#client);
    if (this.#hubClosed) this.#client.close();
  }

  /** The client is gone, and what it had said with it. */
  cut(): void {
    this.#out = [];
    this.#client.close();
    this.#hub.close();
  }
}

const asides = new Set<number>([Op.Bind, Op.Forget, Op.HubStats, Op.Watch]);

function pass(message: any, to: MessagePort): void {
  const carried: any[] = message?.clca === 'batch' ? (message.items ?? message.payloads).map(([, payload]: any) => payload) : [message?.payload];
  const transfer = message?.clca === 'admit' ? [message.port] : carried.flatMap((payload) => payload?.transfer ?? []);
  to.postMessage(message, transfer);
}

/** How many calls a message makes, but for those that only ask how things are, or are to be told how they will be. */
function callsIn(message: any): number {
  const words: Uint32Array | undefined = message instanceof Uint32Array ? message : message?.clca === 'batch' ? message.words : undefined;
  if (words === undefined) return 0;
  let calls = 0;
  for (let at = 1; at < words.length; at += CallWords) if (!asides.has(words[at]!)) calls++;
  return calls;
}
