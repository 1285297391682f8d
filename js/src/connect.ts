import { type NodeWorker, isPort, portFromParent } from './attach.ts';
import { Hub } from './hub.ts';
import { Link } from './link.ts';
import { type WaitOptions, checkOptions } from './options.ts';
import type { Port } from './platform.ts';

/** What one can connect to: a port that somebody attaches, or a SharedWorker that serves a hub. */
export type Connectable = MessagePort | SharedWorker;

/**
 * Connects this realm to a hub: a Worker to the hub of the realm that attaches it, or whoever has a MessagePort to the one
 * that attaches its other end, or a page to the SharedWorker that serves.
 *
 * Waits as long as nobody attaches the other end; a `timeout` in milliseconds and a `signal` bound that. Rejects with a
 * `VersionError` if the two packages do not go together, and with an `UnsupportedError` where there is nobody to connect to.
 *
 * @example
 * const hub = await connect({ timeout: 5000 });
 * await hub.signal('go').wait();
 */
export async function connect(target?: Connectable | WaitOptions, options?: WaitOptions): Promise<Hub> {
  const to = isTarget(target) ? target : undefined;
  const given = to === undefined ? (target as WaitOptions | undefined) : options;
  const bounds = given === undefined ? {} : given;
  checkOptions(bounds);
  bounds.signal?.throwIfAborted();
  return remoteHub(await Link.open(await portTo(to, bounds), bounds));
}

function isTarget(value: unknown): value is Connectable {
  return isPort(value) || isPort((value as SharedWorker | undefined)?.port);
}

async function portTo(target: Connectable | undefined, options: WaitOptions): Promise<Port> {
  if (target === undefined) return portFromParent(options);
  return (isPort(target) ? target : (target as SharedWorker).port) as Port;
}

/** The hub at the other end of a link. */
export function remoteHub(link: Link, close = (): void => link.close()): Hub {
  return new Hub({
    session: link.session,
    admit: (port, limits) => link.admit(port, limits),
    close,
    published: {},
    get onOver() { return link.onOver; },
    set onOver(listener) { link.onOver = listener; },
  });
}

export type { NodeWorker };
