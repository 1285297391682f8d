/** What the cases assert with. */

import { Patience } from './patience.ts';

/** Deep equality of plain values; identity of all others. */
export function equal(actual: unknown, expected: unknown, what = ''): void {
  if (same(actual, expected)) return;
  throw new Error(`${what && `${what}: `}got ${shown(actual)}, want ${shown(expected)}`);
}

export function ok(value: unknown, what: string): asserts value {
  if (!value) throw new Error(`not so: ${what}`);
}

/** What the promise rejects with. */
export async function rejection(promise: PromiseLike<unknown>): Promise<any> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`resolved with ${shown(value)}, but should have rejected`);
}

/** The promise rejects with an error of that name, which comes back. */
export async function rejects(promise: PromiseLike<unknown>, name: string, message?: RegExp): Promise<any> {
  const error = await rejection(promise);
  if (error?.name !== name) throw new Error(`rejected with ${shown(error)}, want ${name}`, { cause: error });
  if (message !== undefined && !message.test(error.message)) {
    throw new Error(`its message is ${shown(error.message)}, want ${message}`);
  }
  return error;
}

/** The call throws an error of that name. */
export function throws(call: () => unknown, name: string, message?: RegExp): void {
  try {
    call();
  } catch (error) {
    if ((error as Error)?.name !== name) throw new Error(`threw ${shown(error)}, want ${name}`);
    const text = (error as Error).message;
    if (message !== undefined) ok(message.test(text), `${text} matches ${message}`);
    return;
  }
  throw new Error(`did not throw, want ${name}`);
}

/**
 * Reads until it gets what is expected, letting other tasks run in between. For what becomes true by itself and is
 * announced to nobody.
 */
export async function becomes<T>(read: () => T | Promise<T>, expected: T): Promise<void> {
  const patience = new Patience(5000);
  for (;;) {
    const value = await read();
    if (same(value, expected)) return;
    if (patience.over) throw new Error(`stays ${shown(value)}, should become ${shown(expected)}`);
    await turn();
  }
}

/** Lets all tasks run that are due. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** A function that runs until it is aborted. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

/** A promise and what settles it. */
export function gate<T = void>(): { opened: Promise<T>; open: (value: T) => void; fail: (error: unknown) => void } {
  let open!: (value: T) => void;
  let fail!: (error: unknown) => void;
  const opened = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  opened.catch(() => {});
  return { opened, open, fail };
}

function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b) || a instanceof Error || b instanceof Error) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length
    && keys.every((key) => same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]));
}

function shown(value: unknown): string {
  if (value instanceof Error || (typeof DOMException === 'function' && value instanceof DOMException)) {
    return `${value.name}: ${value.message}`;
  }
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
