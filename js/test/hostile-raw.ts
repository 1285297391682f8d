/** A client that speaks the protocol by itself, and so can say what no real one would. */

import type { AttachOptions, Hub } from 'clca';
import { Kind, Op, Unsaid, Version } from '../src/abi.ts';
import type { Port } from '../src/platform.ts';
import { completionWords } from '../src/wire.ts';

export class Raw {
  /** What the hub has said so far. */
  readonly heard: any[] = [];
  /** Of the hub, once it has welcomed this client. */
  epoch = 0;
  /** How many completions it has got. */
  answered = 0;

  #welcomes = 0;
  #next = (): void => {};

  constructor(readonly port: Port) {
    port.onmessage = ({ data }) => {
      this.heard.push(data);
      if (data instanceof Uint32Array) this.answered += (data.length - 1) / completionWords;
      if (data.clca === 'welcome') {
        this.#welcomes++;
        this.epoch = data.epoch;
      }
      this.#next();
    };
    port.unref?.();
  }

  /** Lets one in that has not said hello. */
  static enter(hub: Hub, limits: AttachOptions = {}): { raw: Raw; end(): void } {
    const { port1, port2 } = new MessageChannel();
    const session = hub.attach(port1, limits);
    return { raw: new Raw(port2), end: () => session.end() };
  }

  post(message: unknown, transfer: Transferable[] = []): void {
    this.port.postMessage(message, transfer);
  }

  calls(...words: number[]): void {
    this.post(Uint32Array.of(this.epoch, ...words));
  }

  batch(words: number[], names: unknown[], items: unknown[] = []): void {
    this.post({ clca: 'batch', words: Uint32Array.of(this.epoch, ...words), names, items });
  }

  /** Begins a session, anew if there is one. It resolves when the hub has heard all that was said before. */
  async hello(more: object = {}): Promise<void> {
    const before = this.#welcomes;
    this.post({ clca: 'hello', version: Version, lock: undefined, ...more });
    await this.until(() => this.#welcomes > before || undefined);
  }

  /** Lets in another one below this, and returns its port. */
  admit(id: number, limits: object = {}): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.post({ clca: 'admit', id, port: port1, ...limits }, [port1]);
    return port2;
  }

  /** The first that `find` finds in what the hub says. */
  async until<T>(find: (message: any) => T | undefined): Promise<T> {
    for (let at = 0;;) {
      for (; at < this.heard.length; at++) {
        const found = find(this.heard[at]);
        if (found !== undefined) return found;
      }
      await new Promise<void>((resolve) => (this.#next = resolve));
    }
  }

  /** All completions so far, as triples of call, status and value. */
  completions(): number[][] {
    return this.heard.flatMap((data) => {
      if (!(data instanceof Uint32Array)) return [];
      return Array.from({ length: (data.length - 1) / completionWords }, (_, i) => [...data.subarray(1 + 3 * i, 4 + 3 * i)]);
    });
  }
}

/** Closes all that anybody may have left behind under these names. */
export async function closeAll(hub: Hub, names: Iterable<string>): Promise<void> {
  const { raw, end } = Raw.enter(hub);
  await raw.hello();
  const kinds = Array.from({ length: Kind.Denied }, (_, kind) => kind).filter((kind) => kind !== Kind.Condition);
  for (const name of names) {
    const words = kinds.flatMap((kind, at) => [
      Op.Bind, at, kind, Unsaid, 0,
      Op.CloseNow, at, 0, 0, 0, // what is no queue refuses
      Op.Close, at, 0, 0, 0,
    ]);
    raw.batch(words, kinds.map(() => name));
  }
  await raw.hello();
  end();
}
