/** A port whose other end is a Trial, and locks that are what a Trial says. */

/** What listens to a port. */
type Listener = (event: { data?: unknown }) => void;

export class FakePort {
  closed = false;
  /** It keeps the process alive. */
  refd = true;
  #listeners = new Map<string, Set<Listener>>();
  #sent: (message: unknown) => void;

  constructor(sent: (message: unknown) => void) {
    this.#sent = sent;
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    const copy: unknown = structuredClone(message, { transfer });
    if (!this.closed) this.#sent(copy);
  }

  addEventListener(type: string, listener: Listener): void {
    const listeners = this.#listeners.get(type);
    if (listeners === undefined) this.#listeners.set(type, new Set([listener]));
    else listeners.add(listener);
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  /** Has it say something to who listens. */
  dispatch(type: string, data?: unknown): void {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) listener({ data });
  }

  start(): void {}

  close(): void {
    this.closed = true;
  }

  ref(): void {
    this.refd = true;
  }

  unref(): void {
    this.refd = false;
  }
}

type Use = (lock: unknown) => unknown;

/** The lock that a hub holds in `welcome`, if it says that it does. */
export const hubsLock = 'the hub lives';

/** Web Locks that are all free but for that of the hub, which is free once it has died. */
export class FakeLocks {
  #died: (() => void)[] = [];

  /** The hub dies. */
  die(): void {
    for (const die of this.#died.splice(0)) die();
  }

  async request(name: string, ...rest: [Use] | [LockOptions, Use]): Promise<unknown> {
    const use = rest.at(-1) as Use;
    const { ifAvailable = false, signal } = rest.length > 1 ? (rest[0] as LockOptions) : {};
    if (name === hubsLock) {
      if (ifAvailable) return use(null);
      await new Promise<void>((resolve, reject) => {
        this.#died.push(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    }
    return use({ name });
  }

  async query(): Promise<{ held: never[]; pending: never[] }> {
    return { held: [], pending: [] };
  }
}
