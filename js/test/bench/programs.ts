/** The Go programs of the benchmark, started as Go's own documentation does it. index.html loads `wasm_exec.js`. */

import type { Signal } from './signal.ts';

declare const Go: new () => { importObject: WebAssembly.Imports; run(instance: WebAssembly.Instance): Promise<void> };

/** Resolves with what the program gives to `globalThis.started`. */
async function start(name: string): Promise<unknown> {
  const started = new Promise((resolve) => Object.assign(globalThis, { started: resolve }));
  const go = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(fetch(new URL(name, import.meta.url)), go.importObject);
  void go.run(instance);
  return started;
}

export function startSmallest(): Promise<unknown> {
  return start('./smallest.wasm');
}

export async function startTextbook(): Promise<Signal> {
  return (await start('./textbook.wasm')) as Signal;
}
