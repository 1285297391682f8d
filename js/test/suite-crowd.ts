import { type AttachOptions, type Hub, connect } from 'clca';
import { becomes, equal, ok, rejection, rejects } from './assert.ts';
import { type Place, fresh } from './place.ts';
import { onUnhandledRejection } from './reports.ts';
import type { Test } from './runner.ts';
import { needsAsyncStacks } from './suite-calls.ts';

/** Many waits that one realm makes in one go: each is a caller of its own, however they are carried. */
export function crowdCases(test: Test, { hub, peer }: Place): void {
  interface Kind {
    of(client: Hub, name: string): { wait(options?: object): Promise<void>; close(): Promise<void>; stats(): Promise<{ waiting: number }> };
    far(name: string): { wait(): Promise<void>; close(): Promise<void> };
    /** Has all go on; returns how many were woken, if that is said. */
    go(client: Hub, name: string): Promise<number | undefined>;
    farGo(name: string): Promise<number | undefined>;
    /** Makes it new. */
    renew?(name: string): Promise<unknown>;
  }
  const kinds: Record<string, Kind> = {
    signal: {
      of: (client, name) => client.signal(name),
      far: (name) => peer.signal(name),
      go: (client, name) => client.signal(name).signal(),
      farGo: (name) => peer.signal(name).signal(),
    },
    event: {
      of: (client, name) => client.event(name),
      far: (name) => peer.event(name),
      go: (client, name) => client.event(name).set(),
      farGo: (name) => peer.event(name).set(),
      renew: (name) => hub.event(name).clear(),
    },
    latch: {
      of: (client, name) => client.latch(name, 1),
      far: (name) => peer.latch(name, 1),
      go: async (client, name) => void equal(await client.latch(name, 1).countDown(), 0),
      farGo: async (name) => void equal(await peer.latch(name, 1).countDown(1), 0),
      renew: (name) => hub.latch(name, 1).close(),
    },
  };
  const counted = (kind: string, n: number): number | undefined => (kind === 'latch' ? undefined : n);
  const below = async (limits?: AttachOptions): Promise<Hub> => {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1, limits);
    return connect(port2);
  };

  for (const [kind, { of, far, go, farGo, renew }] of Object.entries(kinds)) {
    test(`${kind}: many waits made in one go are counted each, and end in their order`, async () => {
      const name = fresh(kind);
      const each = of(hub, name);
      const order: number[] = [];
      const waits = Array.from({ length: 1000 }, (_, i) => each.wait().then(() => order.push(i)));
      equal((await each.stats()).waiting, 1000);
      const other = far(name).wait();
      await peer.fence();
      equal((await each.stats()).waiting, 1001);
      equal(await go(hub, name), counted(kind, 1001));
      await Promise.all([...waits, other]);
      equal(order, Array.from({ length: 1000 }, (_, i) => i));
      await renew?.(name);
    });

    test(`${kind}: waits made in one go may have options, be of other names, and come between other calls`, async () => {
      const [name, other] = [fresh(kind), fresh(kind)];
      const [one, two] = [of(hub, name), of(hub, other)];
      const stop = new AbortController();
      const woken: string[] = [];
      const as = (who: string, wait: Promise<void>): Promise<unknown> => wait.then(() => woken.push(who), (reason) => woken.push(`${who}: ${reason}`));
      const waits = [as('a', one.wait()), as('b', one.wait()), as('c', one.wait({ signal: stop.signal })), as('d', one.wait()), as('e', one.wait())];
      const others = [as('f', two.wait()), as('g', two.wait())];
      const between = one.stats();
      waits.push(as('h', one.wait()), as('i', one.wait({ timeout: 1e6 })), as('j', one.wait()));
      equal((await between).waiting, 5);
      equal([(await one.stats()).waiting, (await two.stats()).waiting], [8, 2]);
      stop.abort('no more');
      equal((await one.stats()).waiting, 7);
      equal(await farGo(other), counted(kind, 2));
      await Promise.all(others);
      equal(await farGo(name), counted(kind, 7));
      await Promise.all(waits);
      equal([...woken].sort(), ['a', 'b', 'c: no more', 'd', 'e', 'f', 'g', 'h', 'i', 'j']);
      for (const each of [name, other]) await renew?.(each);
    });

    test(`${kind}: each of many waits that are rejected together has an error of its own, with its own stack`, async () => {
      const name = fresh(kind);
      const each = of(hub, name);
      async function theFirst(): Promise<void> { await each.wait(); }
      async function theSecond(): Promise<void> { await each.wait(); }
      async function theThird(): Promise<void> { await each.wait(); }
      const failing = [theFirst, theSecond, theThird].map((call) => rejects(call(), 'ClosedError'));
      await hub.stats();
      await far(name).close();
      const errors = await Promise.all(failing);
      equal(new Set(errors).size, 3, 'errors');
      await needsAsyncStacks();
      for (const [i, who] of ['theFirst', 'theSecond', 'theThird'].entries()) {
        equal(/the(First|Second|Third)/g.exec(errors[i].stack)?.[0], who, `who is in ${errors[i].stack}`);
      }
    });

    test(`${kind}: many waits whose session ends are rejected each`, async () => {
      const name = fresh(kind);
      const client = await below();
      const each = of(client, name);
      const failing = Array.from({ length: 5 }, () => rejects(each.wait(), 'ClosedError'));
      const own = of(hub, name).wait();
      await client.stats();
      equal((await of(hub, name).stats()).waiting, 6);
      await client.close();
      equal(new Set(await Promise.all(failing)).size, 5, 'errors');
      await becomes(async () => (await of(hub, name).stats()).waiting, 1);
      equal(await go(hub, name), counted(kind, 1));
      await own;
      for (let i = 0; i < 2; i++) await rejects(each.wait(), 'ClosedError');
      await renew?.(name);
    });

    test(`${kind}: many waits made by a session that is closed in the same go are rejected each`, async () => {
      const name = fresh(kind);
      const client = await below();
      const each = of(client, name);
      const failing = Array.from({ length: 5 }, () => rejects(each.wait(), 'ClosedError'));
      const closing = client.close();
      failing.push(rejects(each.wait(), 'ClosedError'));
      await closing;
      equal(new Set(await Promise.all(failing)).size, 6, 'errors');
      await becomes(async () => (await of(hub, name).stats()).waiting, 0);
    });

    test(`${kind}: at the limit of a session the first of many waits are its calls, and the others are refused`, async () => {
      const name = fresh(kind);
      const client = await below({ limit: 3 });
      const each = of(client, name);
      const waits = Array.from({ length: 5 }, () => each.wait().then(() => 'woken', ({ name }) => name));
      await becomes(async () => (await of(hub, name).stats()).waiting, 3);
      equal(await go(hub, name), counted(kind, 3));
      equal(await Promise.all(waits), ['woken', 'woken', 'woken', 'LimitError', 'LimitError']);
      await client.close();
      await renew?.(name);
    });

    test(`${kind}: of many waits that are rejected together, those are reported that nobody handles`, async () => {
      const name = fresh(kind);
      const reported: unknown[] = [];
      const stopListening = onUnhandledRejection((reason) => reported.push(reason));
      try {
        const each = of(hub, name);
        const handled = Array.from({ length: 5 }, () => rejection(each.wait()));
        for (let i = 0; i < 2; i++) void each.wait();
        await each.close();
        const errors = await Promise.all(handled);
        await becomes(() => reported.length, 2);
        await hub.stats();
        await peer.fence();
        equal(new Set([...reported, ...errors]).size, 7, 'errors');
      } finally {
        stopListening();
      }
    });
  }

  test('signal: waits made after a signal in the same go wait for the next', async () => {
    const name = fresh('signal');
    const signal = hub.signal(name);
    const first = [signal.wait(), signal.wait()];
    const count = signal.signal();
    let woken = 0;
    const second = [signal.wait(), signal.wait(), signal.wait()].map((each) => each.then(() => woken++));
    equal(await count, 2);
    await Promise.all(first);
    equal(woken, 0);
    equal(await signal.signal(), 3);
    await Promise.all(second);
  });

  test('signal: who waits again as it is woken is of the next crowd', async () => {
    const name = fresh('signal');
    const signal = hub.signal(name);
    let rounds = 0;
    const callers = Array.from({ length: 50 }, async () => {
      for (let i = 0; i < 4; i++) await signal.wait(), rounds++;
    });
    for (let round = 1; round <= 4; round++) {
      await becomes(async () => (await signal.stats()).waiting, 50);
      equal(await peer.signal(name).signal(), 50);
      await becomes(() => rounds, 50 * round);
    }
    await Promise.all(callers);
    ok((await signal.stats()).waiting === 0, 'nobody waits');
  });
}
