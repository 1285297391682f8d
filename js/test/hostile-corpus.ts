/** Real messages: what a client posts that works through every primitive. They are recorded anew each time, so they are never stale. */

import { type Hub, connect } from 'clca';
import { turn, untilAborted } from './assert.ts';

/** A message as it was posted. Of ports in it, `portHere` is in their place. */
export type Recorded = Record<string, unknown> | Uint32Array;

/** Stands for a port, which cannot be kept. */
export const portHere = 'clca: a port';

/** The names of the script begin with this. */
export const theirs = 'hostile/';

/** Runs the script as a client of this hub, and returns all that its port was given. */
export async function record(hub: Hub): Promise<Recorded[]> {
  const { port1, port2 } = new MessageChannel();
  const session = hub.attach(port1);
  const recorded: Recorded[] = [];
  const post = port2.postMessage;
  port2.postMessage = (message: any, transfer?: any) => {
    recorded.push(copied(message));
    post.call(port2, message, transfer);
  };
  const client = await connect(port2);
  await script(client);
  await client.close();
  session.end();
  return recorded;
}

/** A copy that has nothing in it which moves. */
function copied(message: any): Recorded {
  if (message.clca === 'admit') return { ...message, port: portHere };
  if (message.payload?.transfer?.some((each: unknown) => each instanceof MessagePort)) {
    return { ...message, payload: { value: portHere, transfer: [portHere] } };
  }
  return structuredClone(message);
}

async function script(client: Hub): Promise<void> {
  const name = `${theirs}x`;
  const refused = (promise: Promise<unknown>): Promise<unknown> => promise.catch(() => {});
  const aborted = (call: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> => {
    const stop = new AbortController();
    const promise = refused(call(stop.signal));
    void client.stats().then(() => stop.abort('enough'));
    return promise;
  };

  const signal = client.signal(name);
  const waits = [signal.wait(), signal.wait(), aborted((stop) => client.signal(`${theirs}y`).wait({ signal: stop }))];
  await signal.stats();
  await signal.signal();
  await Promise.all(waits);
  await signal.close();

  const checkpoint = client.checkpoint(name);
  const arm = checkpoint.arm();
  const parked = [checkpoint.wait(), checkpoint.wait()];
  await arm;
  await checkpoint.stats();
  await checkpoint.resume();
  await Promise.all(parked);
  const unarmed = refused(checkpoint.arm());
  await checkpoint.disarm();
  await unarmed;
  await aborted((stop) => checkpoint.arm({ signal: stop }));
  for (let i = 0; i < 3; i++) await checkpoint.wait(); // which has it watched

  const task = client.sharedTask(name, () => ({ a: 'result', of: [1, 2, 3] }));
  await Promise.all([task.wait(), task.wait()]);
  await task.stats();
  await task.close();
  await refused(client.sharedTask(name, () => Promise.reject(new RangeError('no'))).wait());
  await client.sharedTask(name, () => {}).close();
  await aborted((stop) => client.sharedTask(name, untilAborted).wait({ signal: stop }));
  await client.once(name, () => 'once').run();
  await client.once(name, () => 'once').isDone();
  await client.once(name, () => 'once').close();

  const resource = client.sharedResource(name, { start: () => 'live', stop: () => turn() });
  const refs = [await resource.acquire(), await resource.acquire()];
  await resource.stats();
  for (const ref of refs) await ref.release();
  await refused(client.sharedResource(name, { start: () => Promise.reject('no') }).acquire());

  for (const lock of [client.lock(name), client.reentrantLock(name), client.rwlock(name)]) {
    const guard = await lock.acquire({ priority: 3 });
    const next = lock.acquire({ priority: 1 });
    await aborted((stop) => lock.acquire({ signal: stop }));
    await lock.tryAcquire();
    await lock.isLocked();
    await lock.stats();
    await guard.release();
    await (await next).release();
  }
  const shared = [await client.rwlock(name).acquire({ mode: 'shared' }), await client.rwlock(name).acquire({ mode: 'shared' })];
  await client.locks.query();
  const thief = await client.rwlock(name).steal();
  for (const guard of [...shared, thief]) await guard.release();
  const outer = await client.reentrantLock(name).acquire();
  await (await client.reentrantLock(name).acquire({ within: outer })).release();
  await outer.release();
  await (await client.lock(name).steal()).release();

  const guard = await client.lock(name).acquire();
  const condition = client.condition(client.lock(name), 'c');
  const waiting = condition.wait(guard);
  await (await client.lock(name).acquire()).release();
  await condition.stats();
  await condition.notify();
  await waiting;
  await aborted((stop) => condition.wait(guard, { signal: stop }));
  await condition.notifyAll();
  await guard.release();

  const semaphore = client.semaphore(name, 3);
  const permits = await semaphore.acquire({ permits: 2 });
  await semaphore.tryAcquire({ permits: 2 });
  await aborted((stop) => semaphore.acquire({ permits: 3, signal: stop, priority: 9 }));
  await semaphore.resize(5);
  await semaphore.stats();
  await semaphore.resize(3);
  await permits.release();

  const event = client.event(name);
  const set = event.wait();
  await event.set();
  await set;
  await event.isSet();
  await event.stats();
  await event.clear();

  const barrier = client.barrier(name, 2);
  await Promise.all([barrier.wait(), barrier.wait()]);
  await aborted((stop) => barrier.wait({ signal: stop }));
  await barrier.isBroken();
  await barrier.reset();
  await barrier.stats();

  const latch = client.latch(name, 3);
  const opens = latch.wait();
  await latch.countDown();
  await latch.countDown(2);
  await opens;
  await latch.stats();
  await latch.close();

  const queue = client.queue<unknown>(name, { capacity: 2, order: 'priority' });
  await queue.put('a word', { priority: 4 });
  await queue.put({ an: 'object' });
  const full = queue.put(1, { priority: 7 });
  await queue.tryPut(2);
  await aborted((stop) => queue.put(3, { signal: stop }));
  const buffer = new ArrayBuffer(8);
  await queue.get();
  await full;
  await queue.get();
  await queue.tryGet();
  await queue.put(buffer, { transfer: [buffer] });
  await queue.get();
  const { port2 } = new MessageChannel();
  await queue.put(port2, { transfer: [port2] });
  ((await queue.get()) as MessagePort).close();
  await aborted((stop) => queue.get({ signal: stop }));
  const joined = aborted((stop) => queue.join({ signal: stop }));
  for (let i = 0; i < 4; i++) await queue.taskDone();
  await joined;
  await queue.stats();
  const drained = (async () => { for await (const each of queue) void each; })();
  await queue.put('the last');
  await queue.close();
  await drained;
  await client.queue(name).put('thrown away');
  await client.queue(name).close({ now: true });

  let sound = true;
  const pool = client.pool(name, { max: 2, create: () => ({}), destroy: () => {}, validate: () => sound, idleTime: 1 });
  const leases = [await pool.acquire(), await pool.acquire()];
  await aborted((stop) => pool.acquire({ signal: stop }));
  await leases[0]!.release();
  sound = false;
  const fresh = await pool.acquire();
  sound = true;
  await fresh.destroy();
  await leases[1]!.release();
  await pool.tryAcquire().then((lease) => lease?.release());
  await turn();
  await turn();
  await pool.stats();
  await pool.close();
  await pool.join();

  const child = new MessageChannel();
  const below = client.attach(child.port1, { prefix: name, limit: 5 });
  const grandchild = await connect(child.port2);
  await grandchild.signal(name).signal();
  below.end();
  await grandchild.closed;
  await client.stats();
}
