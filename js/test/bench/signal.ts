/** What both sides of a row offer: clca's Signal is one. */
export interface Signal {
  wait(): Promise<unknown>;
  signal(): unknown;
}

/** So many waits, one signal, all settled. */
export async function broadcast(via: Signal, waits: number): Promise<void> {
  const all: unknown[] = [];
  for (let i = 0; i < waits; i++) all.push(via.wait());
  all.push(via.signal());
  await Promise.all(all);
}

/** To another realm, which runs `echo`, and back. */
export async function roundTrip(ping: Signal, pong: Signal): Promise<void> {
  const back = pong.wait();
  void ping.signal();
  await back;
}

/** Answers each ping; it waits for the next before it does. Resolves once the hub knows of the first wait. */
export async function echo(ping: Signal, pong: Signal): Promise<void> {
  let next = ping.wait();
  await pong.signal(); // calls arrive in order
  void (async () => {
    for (;;) {
      await next;
      next = ping.wait();
      void pong.signal();
    }
  })();
}
