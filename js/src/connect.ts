import { type NodeWorker, isPort, isWorker } from './attach.ts';
import { Hub } from './hub.ts';
import type { Link } from './link.ts';
import { type WaitOptions, checkHook, checkOptions } from './options.ts';
import type { Platform, Port } from './platform.ts';
import { type AnyWorker, type LinkOptions, reachParent, reachPort, reachShared, reachWorker } from './reach.ts';
import type { Trace } from './trace.ts';

/**
 * What one can connect to: a port that somebody attaches, or a SharedWorker or Worker whose script serves a hub.
 *
 * @example
 * const { port1, port2 } = new MessageChannel();
 * hub.attach(port1);
 * const again = await connect(port2); // the same hub, as another realm would see it
 */
export type Connectable = Platform<'MessagePort'> | Platform<'SharedWorker'> | Platform<'Worker'> | NodeWorker;

/**
 * How to connect.
 *
 * @example
 * // in a page
 * const hub = await connect(new SharedWorker('/clca/shared-worker.js', { type: 'module' }), {
 *   timeout: 30_000,
 *   onReconnect: () => console.debug('the hub is another one; what this page held, it holds'),
 * });
 */
export interface ConnectOptions extends WaitOptions {
  /**
   * Called each time when the hub was lost and this realm goes on with the next of its name, as with a hub that all tabs
   * share. What this realm held it holds, unless `lost` says otherwise; what was in the hub alone is as new: events are
   * not set, queues are empty, counts and results are forgotten. A function that refers to the hub keeps it from being
   * collected.
   */
  onReconnect?: (() => void) | undefined;
  /**
   * Told each step of each call that this realm makes; in the realm of the hub, also each step of the hub. It costs nothing
   * while there is none, and a hub that is traced is slower.
   */
  trace?: Trace | undefined;
}

/**
 * Connects this realm to a hub: a Worker to the hub of the realm that attaches it, whoever has a MessagePort to the hub of
 * the realm that attaches its other end, and a page to the SharedWorker, or its own Worker, that serves one.
 *
 * Waits as long as nobody attaches the other end; a `timeout` in milliseconds and a `signal` bound that. Rejects with a
 * `VersionError` if the two packages do not go together, and with an `UnsupportedError` where there is nobody to connect to.
 *
 * @example
 * // in a Worker
 * const hub = await connect({ timeout: 5000 });
 * await hub.signal('go').signal(); // => 0 (of those who waited)
 */
export async function connect(target?: Connectable | ConnectOptions, options?: ConnectOptions): Promise<Hub> {
  const to = isTarget(target) ? target : undefined;
  if (to === undefined && target !== undefined && (options !== undefined || isRealm(target))) {
    throw new TypeError('target must be a MessagePort, a SharedWorker or a Worker');
  }
  const given = to === undefined && target !== undefined ? (target as ConnectOptions) : options;
  const bounds = given === undefined ? {} : given;
  checkOptions(bounds);
  checkHook(bounds.onReconnect, 'onReconnect');
  checkHook(bounds.trace, 'trace');
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

function linkTo(target: Connectable | undefined, options: LinkOptions): Promise<Link> {
  if (target === undefined) return reachParent(options);
  if (isPort(target)) return reachPort(target as Port, options);
  return isShared(target) ? reachShared(target, options) : reachWorker(target as AnyWorker, options);
}

/** The hub at the other end of a link. */
export function remoteHub(link: Link, close = (): void => link.close()): Hub {
  return new Hub({
    session: link.take(),
    admit: (port, limits, left) => link.admit(port, limits, left),
    close,
    published: {},
    onOver: (listener) => link.onOver(listener),
  });
}

export type { NodeWorker };
