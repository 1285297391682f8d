/** One who waits on the signal `all` for ever, and counts how often it was woken. */
export class WaitLoop {
  woken = 0;

  constructor(by: { signal(name: string): { wait(): Promise<void> } }) {
    void (async () => {
      for (;; this.woken++) await by.signal('all').wait();
    })().catch(() => {}); // the end of the hub
  }
}
