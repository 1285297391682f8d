/** Getting a Go program from its module to the point where it serves. */

import { Go as ToolchainGo } from '../build/wasm_exec.js';
import { LoadError } from './errors.ts';
import { type Go, GoProgram } from './go.ts';
import { type WaitOptions, within } from './options.ts';
import { type Platform, type PlatformWasm, node } from './platform.ts';

/**
 * Where the module comes from.
 *
 * @example
 * await createHub({ wasm: '/nowhere.wasm' }); // rejects with LoadError
 * await createHub({ wasm: new Uint8Array([0, 0x61, 0x73, 0x6d]) }); // rejects with LoadError
 */
export type ModuleSource = Given | PromiseLike<Given>;

type Given = string | Platform<'URL'> | Platform<'Response'> | ArrayBuffer | ArrayBufferView | PlatformWasm<'Module'>;

/**
 * The class of some `wasm_exec.js`: of the toolchain that built the module.
 *
 * @example
 * await createHub({ Go: class {} }); // rejects with TypeError (it is not that of a wasm_exec.js)
 */
export type GoClass = new () => unknown;

/** Compiles and starts a module, and resolves once it calls `hub.Serve`. If that takes too long, the program is stopped. */
export async function load(source: ModuleSource, goClass: GoClass = ToolchainGo, bounds: WaitOptions = {}): Promise<GoProgram> {
  if (!isSource(source)) throw new TypeError(wants);
  if (typeof goClass !== 'function') throw new TypeError('Go must be the class of a wasm_exec.js');
  const go = new goClass() as Go;
  if (go.importObject?.['gojs'] === undefined) throw new TypeError('Go must be the class of a wasm_exec.js');
  return patiently(bounds, async (patience) => {
    const log = keepLog(go);
    const instance = await instantiate(await compile(source), go);
    patience.throwIfAborted();
    go.run(instance).catch(() => {}); // how it ends is seen by its exit
    const program = new GoProgram(go, instance, log);
    patience.addEventListener('abort', () => program.abandon());
    await program.serving();
    return program;
  });
}

/** Takes over a Go program that was started by others. If it does not serve in time, it is left as it was. */
export async function adopt(go: unknown, instance: WebAssembly.Instance, bounds: WaitOptions = {}): Promise<GoProgram> {
  if (!(instance instanceof WebAssembly.Instance)) throw new TypeError('instance must be a WebAssembly.Instance');
  if (typeof (go as Go | undefined)?._resume !== 'function') {
    throw new TypeError('go must be the Go object of wasm_exec.js that runs the instance');
  }
  return patiently(bounds, async (patience) => {
    const program = new GoProgram(go as Go, instance);
    patience.addEventListener('abort', () => program.release());
    await program.serving();
    return program;
  });
}

/** Does the work, and rejects at once when the bounds are exceeded; the work is told by a signal. */
async function patiently<T>(bounds: WaitOptions, work: (patience: AbortSignal) => Promise<T>): Promise<T> {
  const patience = new AbortController();
  try {
    return await within(bounds, (resolve, reject) => void work(patience.signal).then(resolve, reject));
  } catch (error) {
    patience.abort(error);
    throw error;
  }
}

const wants = 'wasm must be a URL, a Response, bytes or a compiled module, or a promise of one';

function isSource(value: unknown): value is ModuleSource {
  return typeof value === 'string' || value instanceof URL || value instanceof Response
    || ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof WebAssembly.Module
    || typeof (value as PromiseLike<Response> | null | undefined)?.then === 'function';
}

async function compile(source: ModuleSource): Promise<WebAssembly.Module> {
  try {
    const given = await source;
    if (!isSource(given)) throw new TypeError(wants);
    if (given instanceof WebAssembly.Module) return given;
    if (ArrayBuffer.isView(given) || given instanceof ArrayBuffer) return await WebAssembly.compile(given as BufferSource);
    return await fetched(given as string | URL | Response);
  } catch (error) {
    throw explained(error, source);
  }
}

async function fetched(source: string | URL | Response): Promise<WebAssembly.Module> {
  if (source instanceof Response) return streamed(source);
  const url = String(source);
  if (node !== undefined && !/^(https?|data|blob):/.test(url)) {
    const { readFile } = node.module('node:fs/promises');
    return WebAssembly.compile(await readFile(url.startsWith('file:') ? new URL(url) : url));
  }
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new LoadError(`the module could not be fetched from ${url}: ${String(error)}`, { cause: error });
  }
  return streamed(response);
}

async function streamed(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) {
    throw new LoadError(`the module could not be fetched: ${response.url} answered ${response.status} ` +
      `${response.statusText}; createHub({ wasm }) says where it is`);
  }
  // Only with this type may the browser compile while it downloads; without, it takes a little longer.
  const type = response.headers.get('Content-Type')?.split(';', 1)[0]?.trim();
  if (type === 'application/wasm' && typeof WebAssembly.compileStreaming === 'function') {
    return WebAssembly.compileStreaming(response);
  }
  try {
    return await WebAssembly.compile(await response.arrayBuffer());
  } catch (error) {
    if (type !== 'text/html') throw error;
    throw new LoadError(`${response.url} is a page and no WebAssembly module, as many servers answer for a file that is not ` +
      'there: createHub({ wasm }) says where it is; in development with Vite 7 or older, ' +
      "optimizeDeps: { exclude: ['clca'] } keeps it there", { cause: error });
  }
}

function explained(error: unknown, source: ModuleSource): unknown {
  if (error instanceof LoadError) return error;
  const message = String((error as Error | undefined)?.message ?? error);
  if (/content security policy|unsafe-eval/i.test(message)) {
    return new LoadError("the page's Content-Security-Policy forbids WebAssembly: " +
      "add 'wasm-unsafe-eval' to its script-src", { cause: error });
  }
  if (error instanceof WebAssembly.CompileError) {
    const what = typeof source === 'string' || source instanceof URL ? String(source) : 'this';
    return new LoadError(`${what} is no WebAssembly module (is it the right file?): ${message}`, { cause: error });
  }
  return new LoadError(`the module could not be loaded: ${message}`, { cause: error });
}

async function instantiate(module: WebAssembly.Module, go: Go): Promise<WebAssembly.Instance> {
  try {
    return await WebAssembly.instantiate(module, go.importObject);
  } catch (error) {
    throw new LoadError('the module does not fit this wasm_exec.js: build both with one Go toolchain, ' +
      `and give createHub the Go class of yours (${String(error)})`, { cause: error });
  }
}

/** Keeps the end of what the program prints, of which it returns where a panic or a fatal error says what it was. */
function keepLog(go: Go): () => string {
  const imports = go.importObject['gojs'] as Record<string, (sp: number) => void>;
  const write = imports['runtime.wasmWrite'];
  if (write === undefined) return () => '';
  const decoder = new TextDecoder();
  let text = '';
  imports['runtime.wasmWrite'] = (sp) => {
    const at = sp >>> 0;
    const bytes = new Uint8Array(go.mem.buffer, go.mem.getUint32(at + 16, true), go.mem.getInt32(at + 24, true));
    text = (text + decoder.decode(bytes)).slice(-(1 << 16)); // the stacks of all goroutines come after it
    write(sp);
  };
  return () => {
    const said = text.split(/^(?=panic: |fatal error: )/m).at(-1)!;
    return said.trim().split('\n').slice(0, 3).join(' ').slice(0, 500);
  };
}
