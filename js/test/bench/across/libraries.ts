/** What npm's libraries offer to a realm. Nothing else here that the site uses too imports any of them. */

import { BroadcastChannel } from 'broadcast-channel';
import { transfer, wrap } from 'comlink';
import type { Libraries } from './realm.ts';
import { taskPool } from './tasks.ts';

export function libraries(comlink: MessagePort): Libraries {
  return {
    coordinator: wrap(comlink),
    transfer,
    channel: (name) => new BroadcastChannel(name, { type: 'native' }),
    taskPool,
  };
}
