/**
 * Two realms, directly: what one end posts under a name waits at the other until it is got there. It is the floor of
 * what a MessageChannel costs, and how the realms of a row tell each other that they are done.
 */
export class Line {
  #port: MessagePort;
  #posted = new Map<string, unknown[]>();
  #getting = new Map<string, ((value: any) => void)[]>();

  constructor(port: MessagePort) {
    this.#port = port;
    port.onmessage = ({ data: { name, value } }) => {
      const get = listIn(this.#getting, name).shift();
      if (get === undefined) listIn(this.#posted, name).push(value);
      else get(value);
    };
  }

  post(name: string, value?: unknown, transfer: Transferable[] = []): void {
    this.#port.postMessage({ name, value }, transfer);
  }

  get(name: string): Promise<any> {
    const posted = listIn(this.#posted, name);
    if (posted.length > 0) return Promise.resolve(posted.shift());
    return new Promise((resolve) => listIn(this.#getting, name).push(resolve));
  }
}

function listIn<T>(lists: Map<string, T[]>, name: string): T[] {
  let list = lists.get(name);
  if (list === undefined) lists.set(name, (list = []));
  return list;
}
