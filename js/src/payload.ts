/** What a run returned or threw, or an item of a queue, as it travels between realms: Go only ever sees its number. */

/** Of `value`, `error` and `uncloneable` one is there; none of them is the result undefined. */
export interface Payload {
  value?: unknown;
  error?: unknown;
  /** Why it cannot travel. */
  uncloneable?: string;
  /** What of it is not copied, but goes along. */
  transfer?: Transferable[];
}

interface PackedError {
  name: string;
  message: string;
  stack?: string | undefined;
  code?: unknown;
}

interface Packed {
  /** An Error as its parts: a structured clone would lose its name. */
  parts?: PackedError;
  /** Something else that was thrown, as it is. */
  thrown?: unknown;
}

export function packError(error: unknown): Payload {
  try {
    return packed(error);
  } catch {
    return { error: { parts: { name: 'Error', message: 'the error could not be read' } } satisfies Packed };
  }
}

function packed(error: unknown): Payload {
  if (!(error instanceof Error) && !(error instanceof DOMException)) {
    return { error: { thrown: error } satisfies Packed };
  }
  const { name, message, stack } = error;
  const code = (error as { code?: unknown }).code;
  const parts: PackedError = { name: String(name), message: String(message), stack };
  if (typeof code === 'string' || typeof code === 'number') parts.code = code;
  return { error: { parts } satisfies Packed };
}

/** What another realm has sent, which may mean no good, with nothing in it but what belongs there. */
export function received(given: unknown): Payload {
  if (typeof given !== 'object' || given === null) return { uncloneable: 'it could not be cloned' };
  const { value, error, uncloneable, transfer } = given as Payload;
  if (typeof uncloneable === 'string') return { uncloneable };
  if (error !== undefined) return { error: receivedError(error) };
  if (!Array.isArray(transfer)) return { value };
  return transfer.length <= mostTransferred ? { value, transfer } : { uncloneable: 'too much of it is to be transferred' };
}

/** How many things can be transferred with one item; some platforms end for want of memory when it is said to be billions. */
const mostTransferred = 2 ** 16;

function receivedError(error: unknown): Packed {
  const { parts, thrown } = Object(error) as Packed;
  if (typeof parts !== 'object' || parts === null) return { thrown };
  const { name, message, stack, code } = parts;
  const packed: PackedError = { name: text(name), message: text(message) };
  if (typeof stack === 'string') packed.stack = stack;
  if (typeof code === 'string' || typeof code === 'number') packed.code = code;
  return { parts: packed };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What a run came to, for one who did not run it. */
export function unpack(payload: Payload | undefined): { value: unknown } | { error: unknown } {
  if (payload === undefined || payload.uncloneable !== undefined) {
    const message = payload?.uncloneable ?? 'the result could not be cloned';
    return { error: new DOMException(message, 'DataCloneError') };
  }
  if (payload.error === undefined) return { value: payload.value };
  const { parts, thrown } = payload.error as Packed;
  if (parts === undefined) return { error: thrown };
  const error = new Error(parts.message);
  for (const part of ['name', 'stack', 'code'] as const) {
    if (parts[part] === undefined) continue;
    Object.defineProperty(error, part, { value: parts[part], configurable: true, writable: true });
  }
  return { error };
}

/** Whether it is the same in every realm, and can always be cloned. */
export function isPrimitive(value: unknown): boolean {
  return Object(value) !== value && typeof value !== 'symbol';
}

/** A value that is to be sent, as it is now; throws if it cannot be cloned. */
export function copied(value: unknown, transfer: Transferable[] | undefined): Payload {
  if (transfer !== undefined) {
    // The array is cloned along, so that it names the same things as the clone does.
    return structuredClone({ value, transfer }, { transfer });
  }
  return { value: isPrimitive(value) ? value : structuredClone(value) };
}

/** All that is to be transferred with them. */
export function transferredIn(payloads: [number: number, payload: Payload][]): Transferable[] {
  return payloads.flatMap(([, { transfer = [] }]) => transfer);
}

const most = 64;

/**
 * Whether it arrives wherever it is sent, and whatever else comes with it: it is of nothing but plain data, and of little
 * of that. A message that cannot be received is lost with all that is in it.
 */
export function arrives(value: unknown): boolean {
  let left = most;
  const plain = (part: any): boolean => {
    if (isPrimitive(part)) return true;
    if (typeof part !== 'object' || left-- === 0) return false;
    if (part instanceof ArrayBuffer) return true;
    if (ArrayBuffer.isView(part)) return part.buffer instanceof ArrayBuffer;
    if (Array.isArray(part) ? part.length > most : Object.getPrototypeOf(part) !== Object.prototype) return false;
    return Object.values(part).every(plain);
  };
  return plain(value);
}

/** A copy of a payload as another realm would get it; if that cannot be, a payload that says so. */
export function clone(payload: Payload): Payload {
  try {
    return structuredClone(payload);
  } catch (error) {
    return uncloneable(error);
  }
}

/** The payload of what could not be cloned. */
export function uncloneable(error: unknown): Payload {
  return { uncloneable: error instanceof Error || error instanceof DOMException ? error.message : 'it could not be cloned' };
}
