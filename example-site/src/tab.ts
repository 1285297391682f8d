/**
 * Which tab this is, and when another one is gone. A Web Lock lives exactly as long as the tab that holds it, so the
 * number of a tab is the lowest whose lock is free, and whoever is granted a share of that lock later sees its end.
 */

const lockOf = (room: string, tab: number): string => `${room} tab ${tab}`;

/** Takes a number, which is the tab's until it leaves. */
export async function takeNumber(room: string): Promise<{ tab: number; leave: () => void }> {
  if (navigator.locks === undefined) return { tab: 1 + Math.floor(Math.random() * 998), leave() {} };
  for (let tab = 1; ; tab++) {
    const leave = await new Promise<(() => void) | undefined>((resolve) => {
      void navigator.locks.request(lockOf(room, tab), { ifAvailable: true }, (lock) => {
        if (lock === null) return resolve(undefined);
        return new Promise<void>((release) => resolve(release));
      });
    });
    if (leave !== undefined) return { tab, leave };
  }
}

/**
 * Has the page leave in whatever way it goes. In the back/forward cache the session ends, and so do those of the Workers:
 * what comes out of it starts again.
 */
export function onLeaving(leaves: () => void = () => {}): void {
  addEventListener('pagehide', leaves);
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
}

/** Resolves once that tab has left. */
export async function goneFor(room: string, tab: number): Promise<void> {
  if (navigator.locks === undefined) return new Promise(() => {}); // then only its goodbye tells
  await navigator.locks.request(lockOf(room, tab), { mode: 'shared' }, () => {});
}
