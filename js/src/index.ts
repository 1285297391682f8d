/**
 * clca: named coordination primitives for pages, Workers, tabs and goroutines, on one hub that a Go program in
 * WebAssembly runs. `createHub` starts one, `connect` joins it; all else comes from the hub:
 *
 * | to … | use |
 * | --- | --- |
 * | wake all who wait now | `hub.signal(name)` |
 * | stop others at a place, know that they stand, and let them go on | `hub.checkpoint(name)` |
 * | say that something has happened, for those who come later too | `hub.event(name)` |
 * | wait until so many things are done | `hub.latch(name, count)` |
 * | go on together, step by step | `hub.barrier(name, parties)` |
 * | let in one at a time | `hub.lock(name)`; `hub.reentrantLock(name)` lets its holder in again |
 * | let in many readers, or one writer | `hub.rwlock(name)`; `hub.locks` is `navigator.locks` on it |
 * | wait, while holding a lock, for a change | `hub.condition(lock)` |
 * | limit how many do something at a time | `hub.semaphore(name, permits)` |
 * | hand work over, with back-pressure | `hub.queue(name, options)` |
 * | lend what is costly to make | `hub.pool(name, options)` |
 * | run a function once for all who ask | `hub.sharedTask(name, run)`; `hub.once(name, run)` tries again if it failed |
 * | start something with the first user, stop it with the last | `hub.sharedResource(name, functions)` |
 */

export * from './client.ts';
export { createHub, type HubOptions } from './create.ts';
export { serve, type ServeOptions } from './serve.ts';
export type { GoClass, ModuleSource } from './load.ts';
