import { type NodeWorker, isPort, isWorker, portFromParent } from './attach.ts';
import { Hub } from './hub.ts';
import { Link } from './link.ts';
import { type WaitOptions, checkOptions } from './options.ts';
import type { Port } from './platform.ts';
import { type AnyWorker, reachShared, reachWorker } from './reach.ts';

/** What one can connect to: a port that somebody attaches, or a SharedWorker or Worker whose script serves a hub. */
export type Connectable = MessagePort | SharedWorker | Worker | NodeWorker;

/**
 * Connects this realm to a hub: a Worker to the hub of the realm that attaches it, whoever has a MessagePort to the hub of
 * the realm that attaches its other end, and a page to the SharedWorker, or its own Worker, that serves one.
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
  if (to === undefined && target !== undefined && (options !== undefined || isRealm(target))) {
    throw new TypeError('target must be a MessagePort, a SharedWorker or a Worker');
  }
  const given = to === undefined && target !== undefined ? (target as WaitOptions) : options;
  const bounds = given === undefined ? {} : given;
  checkOptions(bounds);
  bounds.signal?.throwIfAborted();
  return remoteHub(await linkTo(to, bounds));
}

function isTarget(value: unknown): value is Connectable {
  return isPort(value) || isShared(value) || isWorker(value);
}

function isShared(value: unknown): value is SharedWorker {
  return isPort((value as SharedWorker | undefined)?.port);
}

/** Whether it is something to talk to, and so no options. */
function isRealm(value: unknown): boolean {
  return typeof (value as EventTarget | null)?.addEventListener === 'function'
    || typeof (value as MessagePort | null)?.postMessage === 'function';
}

async function linkTo(target: Connectable | undefined, options: WaitOptions): Promise<Link> {
  if (target === undefined) return Link.open(await portFromParent(options), options);
  if (isPort(target)) return Link.open(target as Port, options);
  return isShared(target) ? reachShared(target, options) : reachWorker(target as AnyWorker, options);
}

/** The hub at the other end of a link. */
export function remoteHub(link: Link, close = (): void => link.close()): Hub {
  return new Hub({
    session: link.session,
    admit: (port, limits) => link.admit(port, limits),
    close,
    published: {},
    onOver: (listener) => link.onOver(listener),
  });
}

export type { NodeWorker };
