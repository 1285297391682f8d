/** The steady load: what a program does all the time, on names that stay and on names that come and go. */

import type { Hub } from 'clca';

/** Some uses of the primitives, all of which end by themselves; returns how many calls they make. */
function once(hub: Hub, suffix: string, wait: (call: Promise<unknown>) => void): number {
  const signal = hub.signal(`signal${suffix}`);
  wait(signal.wait());
  wait(signal.signal());
  const lock = hub.lock(`lock${suffix}`);
  for (let i = 0; i < 2; i++) wait(lock.acquire().then((guard) => guard.release()));
  const semaphore = hub.semaphore(`semaphore${suffix}`, 2);
  for (let i = 0; i < 3; i++) wait(semaphore.acquire().then((permits) => permits.release()));
  const queue = hub.queue<number>(`queue${suffix}`);
  wait(queue.put(1));
  wait(queue.get());
  wait(queue.get());
  wait(queue.put(2));
  const event = hub.event(`event${suffix}`);
  wait(event.wait());
  wait(event.set());
  wait(event.clear());
  return 2 + 4 + 6 + 4 + 3;
}

export interface Load {
  /** Resolves once all calls are settled, with how many they were. */
  stop(): Promise<number>;
}

/** Makes so many calls a second, a few every few milliseconds, each other time on fresh names. `each` comes before. */
export function startLoad(hub: Hub, callsPerSecond: number, each: () => void): Load {
  const began = performance.now();
  const failed: unknown[] = [];
  let calls = 0;
  let turns = 0;
  let pending = 0;
  let idle: (() => void) | undefined;
  const settled = (): void => void (--pending === 0 && idle?.());
  const wait = (call: Promise<unknown>): void => {
    pending++;
    call.then(settled, (error: unknown) => (failed.push(error), settled()));
  };
  const timer = setInterval(() => {
    each();
    const due = ((performance.now() - began) * callsPerSecond) / 1000;
    while (calls < due) calls += once(hub, turns++ % 2 === 0 ? '' : ` ${turns}`, wait);
  }, 4);
  return {
    async stop() {
      clearInterval(timer);
      if (pending > 0) await new Promise<void>((resolve) => (idle = resolve));
      if (failed.length > 0) throw failed[0];
      return calls;
    },
  };
}
