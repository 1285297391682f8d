/** What npm's libraries offer for each subject. Nothing outside of this directory imports any of them. */

export { barrier } from './barrier.ts';
export { event } from './event.ts';
export { lock } from './lock.ts';
export { getThenPut, putThenGet } from './queue.ts';
export { semaphore } from './semaphore.ts';
export { signal } from './signal.ts';
