/** The hubs that are not ours, in whatever realm is to run them. */

import { expose } from 'comlink';
import { PlainHub } from '../plain.ts';
import { Coordinator } from './coordinator.ts';
import type { HubPorts } from './realm.ts';

export interface HostPorts extends HubPorts {
  comlink: MessagePort;
}

export class Host {
  #coordinator = new Coordinator();
  #plain = new PlainHub();

  /** Lets a realm in, by the other ends of what it has. */
  admit({ comlink, plain }: HostPorts): void {
    expose(this.#coordinator, comlink);
    this.#plain.admit(plain);
  }
}
