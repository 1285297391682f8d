import { type AttachOptions, type Attachment, type Hub, connect } from 'clca';
import { becomes, equal, rejection, rejects } from './assert.ts';
import { Passing } from './passing.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';

/** Checkpoints that a realm passes by what it knows of them, and which can be armed all the same. */
export function passingCases(test: Test, { hub, peer }: Place): void {
  /** Has the client know that it may pass. */
  const known = async (name: string, client: Hub = hub): Promise<void> => {
    for (let i = 0; i < 4; i++) await client.checkpoint(name).wait();
  };
  const waiting = async (name: string): Promise<number> => (await hub.checkpoint(name).stats()).waiting;
  const below = async (limits?: AttachOptions): Promise<{ client: Hub; attachment: Attachment }> => {
    const { port1, port2 } = new MessageChannel();
    const attachment = hub.attach(port1, limits);
    return { client: await connect(port2), attachment };
  };

  /** A wait that is made now parks. */
  const parks = async (name: string, client: Hub = hub): Promise<void> => {
    let passed = false;
    const wait = client.checkpoint(name).wait().then(() => (passed = true));
    await client.stats();
    await becomes(() => waiting(name), 1);
    equal(passed, false);
    equal(await hub.checkpoint(name).resume(), 1);
    await wait;
  };

  for (const [what, loops, busy] of [['one loop that does nothing else', 1, 0], ['20 loops', 20, 0], ['a loop that is slow', 1, 0.3], ['5 loops that are slow', 5, 1]] as const) {
    for (const who of ['the peer', 'this realm'] as const) {
      test(`${what}: an arm of ${who} gets in while this realm passes as fast as it can`, async () => {
        const name = fresh('checkpoint');
        const passing = new Passing(hub, name, loops, busy);
        const checkpoint = (who === 'the peer' ? peer : hub).checkpoint(name);
        for (let round = 0; round < 5; round++) {
          const before = passing.count;
          await becomes(() => passing.count > before, true);
          await checkpoint.arm();
          await hub.stats(); // by which this realm has heard of it
          await becomes(() => waiting(name), loops);
          const { count } = passing;
          await peer.fence();
          await hub.stats();
          equal(passing.count, count, 'who has passed while all are parked');
          equal(await checkpoint.resume(), loops);
        }
        await passing.stop();
      }, 30_000);
    }

    test(`${what}: an arm gets in while another realm passes as fast as it can`, async () => {
      const name = fresh('checkpoint');
      await peer.pass(name, loops, busy);
      for (let round = 0; round < 5; round++) {
        const before = await peer.passed(name);
        await becomes(async () => await peer.passed(name) > before, true);
        await hub.checkpoint(name).arm();
        await peer.fence();
        await becomes(() => waiting(name), loops);
        const count = await peer.passed(name);
        await peer.fence();
        equal(await peer.passed(name), count);
        equal(await hub.checkpoint(name).resume(), loops);
      }
      await peer.stop(name);
    }, 30_000);
  }

  test('when arm has resolved the one who is parked passes nothing more', async () => {
    const name = fresh('checkpoint');
    const passing = new Passing(hub, name, 1);
    for (let round = 0; round < 30; round++) {
      await hub.checkpoint(name).arm();
      const { count } = passing;
      await hub.stats();
      await peer.fence();
      equal(passing.count, count);
      equal(await hub.checkpoint(name).resume(), 1);
    }
    await passing.stop();
  });

  test('who passes by what it knows is no call and no name of the hub', async () => {
    const before = await hub.stats();
    const names = Array.from({ length: 10 }, () => fresh('checkpoint'));
    for (const name of names) await known(name);
    equal(await hub.stats(), before);
    for (const name of names) equal(await hub.checkpoint(name).stats(), { state: 'disarmed', waiting: 0, generation: 0, resumed: 0 });
  });

  test('its own arm, disarm, resume and close come in order with its own waits', async () => {
    const name = fresh('checkpoint');
    const checkpoint = hub.checkpoint(name);
    await known(name);
    const arm = checkpoint.arm();
    let passed = false;
    const parked = checkpoint.wait().then(() => (passed = true));
    await arm;
    equal(passed, false);
    const resumed = checkpoint.resume();
    const next = checkpoint.wait();
    equal(await resumed, 1);
    await Promise.all([parked, next]);

    await known(name);
    const withdrawn = rejects(checkpoint.arm(), 'DisarmedError');
    const disarmed = checkpoint.disarm();
    await checkpoint.wait();
    equal(await disarmed, true);
    await withdrawn;

    await known(name);
    const again = checkpoint.arm();
    const closed = rejects(checkpoint.wait(), 'ClosedError');
    await again;
    const close = checkpoint.close();
    await checkpoint.wait();
    await Promise.all([close, closed]);
    await known(name);
  });

  test('by another object of the same name it is the same', async () => {
    const name = fresh('checkpoint');
    const [one, other] = [hub.checkpoint(name), hub.checkpoint(name)];
    for (let i = 0; i < 3; i++) await one.wait();
    const arm = other.arm();
    const parked = one.wait();
    await arm;
    equal(await one.resume(), 1);
    await parked;
  });

  test('a checkpoint of a known name that was closed, and is armed anew, stops who comes', async () => {
    const name = fresh('checkpoint');
    await known(name);
    await peer.checkpoint(name).close();
    const arm = peer.checkpoint(name).arm();
    await peer.fence();
    await hub.stats();
    await parks(name);
    await arm;
    await known(name);
    await peer.checkpoint(name).close();
    await known(name);
  });

  test('an arm that is withdrawn lets callers pass again, and the next one stops them', async () => {
    const name = fresh('checkpoint');
    await known(name);
    for (let round = 0; round < 5; round++) {
      const arm = peer.checkpoint(name).arm();
      await peer.fence();
      arm.abort('no more');
      await rejection(arm);
      await peer.fence();
      await known(name);
      const next = peer.checkpoint(name).arm();
      await peer.fence();
      await hub.stats();
      await parks(name);
      await next;
    }
  });

  test('who may pass is told of bad options and of an abort all the same', async () => {
    const name = fresh('checkpoint');
    const checkpoint = hub.checkpoint(name);
    await known(name);
    const stop = new AbortController();
    await checkpoint.wait({ signal: stop.signal });
    stop.abort('no more');
    equal(await rejection(checkpoint.wait({ signal: stop.signal })), 'no more');
    for (const timeout of [0, -1, NaN, Infinity, '5'] as any[]) await rejects(checkpoint.wait({ timeout }), 'TypeError', /\btimeout\b/);
    for (const bad of [null, 5] as any[]) await rejects(checkpoint.wait(bad), 'TypeError', /\boptions\b/);
    await checkpoint.wait({ timeout: 1 });
    await checkpoint.wait({ signal: new AbortController().signal, timeout: 1e9, reconnect: true });
    await checkpoint.wait({});
    const arm = checkpoint.arm();
    await rejects(checkpoint.wait({ timeout: 5 }), 'TimeoutError');
    await arm;
    equal(await checkpoint.resume(), 0);
  });

  test('many more checkpoints can be passed than a realm knows of, and each armed', async () => {
    const names = Array.from({ length: 1100 }, () => fresh('checkpoint'));
    const before = await hub.stats();
    for (let round = 0; round < 2; round++) {
      await Promise.all(names.map((name) => known(name)));
      equal(await hub.stats(), before);
      for (const name of [names[0]!, names[520]!, names[1099]!]) {
        const arm = peer.checkpoint(name).arm();
        await peer.fence();
        await hub.stats();
        await parks(name);
        await arm;
      }
    }
    // Objects whose mirrors were given to others meanwhile go on to be right.
    const kept = names.map((name) => hub.checkpoint(name));
    for (let i = 0; i < 3; i++) await Promise.all(kept.map((each) => each.wait()));
    for (const at of [0, 1, 586, 1099]) {
      const arm = kept[at]!.arm();
      const parked = kept[at]!.wait();
      await arm;
      equal(await kept[at]!.resume(), 1);
      await parked;
    }
  }, 60_000);

  test('a session with a limit passes, and its limit is what it is', async () => {
    const name = fresh('checkpoint');
    const { client } = await below({ limit: 1 });
    for (let i = 0; i < 10; i++) await client.checkpoint(name).wait();
    const wait = client.signal(name).wait();
    await rejects(client.checkpoint(name).wait(), 'LimitError');
    equal(await hub.signal(name).signal(), 1);
    await wait;
    await client.checkpoint(name).wait();
    const arm = hub.checkpoint(name).arm();
    await hub.stats();
    const parked = client.checkpoint(name).wait();
    await arm;
    equal(await hub.checkpoint(name).resume(), 1);
    await parked;
    await client.close();
  });

  for (const [how, end] of [
    ['closed', ({ client }) => client.close()],
    ['ended by who let it in', async ({ client, attachment }) => {
      attachment.end();
      await client.closed;
    }],
  ] as [string, (session: { client: Hub; attachment: Attachment }) => Promise<void>][]) {
    test(`a session that is ${how} passes nothing any more, whatever it knew`, async () => {
      const name = fresh('checkpoint');
      const session = await below();
      await known(name, session.client);
      await end(session);
      for (let i = 0; i < 3; i++) await rejects(session.client.checkpoint(name).wait(), 'ClosedError');
    });

    test(`callers who pass as fast as they can end when their session is ${how}`, async () => {
      const name = fresh('checkpoint');
      const session = await below();
      const passing = new Passing(session.client, name, 3);
      await becomes(() => passing.count > 100, true);
      await end(session);
      await rejects(passing.ended, 'ClosedError');
    });
  }

  test('the end of a session that watches leaves nothing, and the next arm finds the others', async () => {
    const name = fresh('checkpoint');
    const { client } = await below();
    await known(name);
    await known(name, client);
    await client.close();
    const arm = peer.checkpoint(name).arm();
    await peer.fence();
    await hub.stats();
    await parks(name);
    await arm;
  });
}
