/** What differs between browsers and Node, without importing anything of either. */

interface Node {
  module(name: string): any;
}

/**
 * A class that the platform defines, by its name. For a program whose `lib` has no such class it is `never`: the types of
 * clca hold for one without DOM too.
 */
export type Platform<Name extends string> = typeof globalThis extends Record<Name, { prototype: infer T }> ? T : never;

/** The same of `WebAssembly`. */
export type PlatformWasm<Name extends string> =
  typeof globalThis extends { WebAssembly: Record<Name, { prototype: infer T }> } ? T : never;

/** What the platform can move from one realm to another. */
export type Movable = ArrayBuffer | Listed<Parameters<Platform<'MessagePort'>['postMessage']>[1]>;

type Listed<Second> = Second extends readonly (infer T)[] | { transfer?: readonly (infer T)[] } ? T : never;

/** What `await using` ends, where the program's `lib` knows that. */
export type Disposing = SymbolConstructor extends { readonly asyncDispose: infer S extends symbol } ? { [K in S]: () => Promise<void> } : {};

const process = (globalThis as { process?: NodeJS.Process }).process;

/** Node's built-in modules, where there are any. No bundler sees an import of them. */
export const node: Node | undefined =
  typeof process?.getBuiltinModule === 'function'
    ? { module: (name) => process.getBuiltinModule(name) }
    : undefined;

/** Whether this realm is of that kind, by the name of its global object's class. */
export function isScope(name: string): boolean {
  const Scope = (globalThis as unknown as Record<string, Function | undefined>)[name];
  return Scope !== undefined && globalThis instanceof (Scope as any);
}

/**
 * Web Locks, where there are any: not on plain http. Nor are Node's used: its ports say when they close, and in some
 * versions, such as 24.8 to 24.16, two threads that wait for a lock keep waking each other.
 */
export function locks(): LockManager | undefined {
  const here = globalThis.navigator as Navigator | undefined;
  return /^Node/.test(here?.userAgent!) ? undefined : here?.locks;
}

/** A port of either platform. Node's can say whether they keep the process alive. */
export type Port = MessagePort & { ref?(): void; unref?(): void };

const claimed = new WeakSet<object>();

/** Takes a port for a session; two on one port would take each other's messages. */
export function claim(port: object): void {
  if (claimed.has(port)) throw new TypeError('the port is in use already, or was');
  claimed.add(port);
}

/** Calls `heard` with each message; returns what stops that. */
export function listen(port: EventTarget | NodeEmitter, heard: (data: unknown, event?: MessageEvent) => void): () => void {
  if ('addEventListener' in port) return onEvent(port, 'message', (event) => heard(event.data, event));
  return onEvent(port, 'message', (data) => heard(data));
}

/** Calls `heard` with each event of that type, as either platform has it; returns what stops that. */
export function onEvent(target: EventTarget | NodeEmitter, type: string, heard: (event: any) => void): () => void {
  if ('addEventListener' in target) {
    target.addEventListener(type, heard);
    return () => target.removeEventListener(type, heard);
  }
  target.on(type, heard);
  return () => target.off(type, heard);
}

/** Node's Worker is an emitter, not an EventTarget. */
export interface NodeEmitter {
  on(event: string, listener: (value: any) => void): unknown;
  off(event: string, listener: (value: any) => void): unknown;
}

const tasks: (() => void)[] = [];
let next: MessagePort | undefined;

/** Calls `task` in a task of its own, soon; in order. */
export function inTask(task: () => void): void {
  if (typeof setImmediate === 'function') return void setImmediate(task);
  if (next === undefined) {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => tasks.shift()!();
    next = port2;
  }
  tasks.push(task);
  next.postMessage(undefined); // not setTimeout, which browsers slow down
}

/**
 * Whether a hub of that epoch runs in this realm: all copies of this package that are here are asked, by an event that they
 * answer before it returns.
 */
export function isHere(epoch: number): boolean {
  const asked: Question = { epoch, here: false };
  if (node !== undefined) process!.emit(question as any, asked as any);
  else dispatchEvent(new CustomEvent(question, { detail: asked }));
  return asked.here;
}

/** Answers when others ask for a hub of that epoch; returns what stops that. */
export function answerHere(epoch: number): () => void {
  if (!answering) {
    answering = true;
    const heard = (asked: Question): void => void (asked.here ||= here.has(asked.epoch));
    if (node !== undefined) onEvent(process as unknown as NodeEmitter, question, heard);
    else onEvent(globalThis, question, (event) => heard(event.detail));
  }
  here.add(epoch);
  return () => void here.delete(epoch);
}

const here = new Set<number>(); // epochs of hubs
let answering = false;

interface Question {
  epoch: number;
  here: boolean;
}

const question = 'clca:here';

/** Calls `task` when there is nothing better to do, and once at most. */
export function whenIdle(task: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(task);
  else (setTimeout(task, 100) as { unref?(): void }).unref?.();
}

export function randomName(prefix: string): string {
  const words = crypto.getRandomValues(new Uint32Array(4));
  return prefix + Array.from(words, (word) => word.toString(36)).join('-');
}
