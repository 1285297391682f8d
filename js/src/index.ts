/**
 * clca: named signals, checkpoints, shared tasks and shared resources for pages, Workers, tabs and goroutines, on one hub
 * that a Go program in WebAssembly runs.
 */

export * from './client.ts';
export { createHub, type HubOptions } from './create.ts';
export { serve, type ServeOptions } from './serve.ts';
export type { GoClass, ModuleSource } from './load.ts';
