/** What both sides of a row offer: clca's Lock is one. */
export interface Lock {
  acquire(): Promise<{ release(): Promise<unknown> }>;
}

/** Two messages to the hub, and two back. */
export async function lockAndUnlock(lock: Lock): Promise<void> {
  await (await lock.acquire()).release();
}
