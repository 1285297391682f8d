import { becomes, equal, ok, rejection, rejects } from './assert.ts';
import { type Place, fresh } from './place.ts';
import type { Test } from './runner.ts';

/** Checkpoint. The rows K1 to K10 are those of the semantics: what the first sketch of this primitive got wrong. */
export function checkpointCases(test: Test, { hub, peer }: Place): void {
  const stateOf = async (name: string) => (await hub.checkpoint(name).stats()).state;

  test('a checkpoint that is not armed lets everybody pass', async () => {
    const name = fresh('checkpoint');
    await hub.checkpoint(name).wait();
    await peer.checkpoint(name).wait();
    equal(await hub.checkpoint(name).resume(), 0);
    equal(await stateOf(name), 'disarmed');
  });

  test('arm resolves once a caller is parked, and resume lets it go', async () => { // K8, K9
    const name = fresh('checkpoint');
    let armed = false;
    const arm = hub.checkpoint(name).arm().then(() => (armed = true));
    equal(await stateOf(name), 'armed');
    equal(armed, false);
    const parked = peer.checkpoint(name).wait();
    await arm;
    equal(await stateOf(name), 'holding');
    equal(await hub.checkpoint(name).resume(), 1);
    await parked;
    equal(await stateOf(name), 'disarmed');
  });

  test('a controller of another realm stops those of this one', async () => {
    const name = fresh('checkpoint');
    const arm = peer.checkpoint(name).arm();
    await peer.fence();
    const parked = hub.checkpoint(name).wait();
    await arm;
    equal(await peer.checkpoint(name).resume(), 1);
    await parked;
  });

  test('resume with no await after arm has resolved lets the parked caller go', async () => { // K7
    const name = fresh('checkpoint');
    const arm = hub.checkpoint(name).arm();
    const parked = hub.checkpoint(name).wait();
    const resumed = arm.then(() => hub.checkpoint(name).resume());
    equal(await resumed, 1);
    await parked;
  });

  test('after a resume callers pass again', async () => { // K1
    const name = fresh('checkpoint');
    for (let round = 0; round < 3; round++) {
      const arm = hub.checkpoint(name).arm();
      const parked = hub.checkpoint(name).wait();
      await arm;
      await hub.checkpoint(name).resume();
      await parked;
      await hub.checkpoint(name).wait();
      await peer.checkpoint(name).wait();
    }
  });

  test('an arm that is cancelled leaves the checkpoint disarmed', async () => { // K2
    const name = fresh('checkpoint');
    const stop = new AbortController();
    const arm = hub.checkpoint(name).arm({ signal: stop.signal });
    equal(await stateOf(name), 'armed');
    stop.abort('no more');
    equal(await rejection(arm), 'no more');
    equal(await stateOf(name), 'disarmed');
    await hub.checkpoint(name).wait();
  });

  test('an arm that times out leaves the checkpoint disarmed', async () => {
    const name = fresh('checkpoint');
    await rejects(hub.checkpoint(name).arm({ timeout: 1 }), 'TimeoutError');
    await hub.checkpoint(name).wait();
    equal(await stateOf(name), 'disarmed');
  });

  test('a second arm fails while one is pending, and while callers are held', async () => { // K3
    const name = fresh('checkpoint');
    const arm = hub.checkpoint(name).arm();
    const error = await rejects(hub.checkpoint(name).arm(), 'AlreadyArmedError');
    equal(error.code, 'ALREADY_ARMED');
    await rejects(peer.checkpoint(name).arm(), 'AlreadyArmedError');
    const first = hub.checkpoint(name).wait();
    await arm;
    await rejects(hub.checkpoint(name).arm(), 'AlreadyArmedError');
    const second = hub.checkpoint(name).wait();
    equal(await hub.checkpoint(name).resume(), 2);
    await Promise.all([first, second]);
  });

  test('resume does nothing while an arm is pending', async () => { // K4
    const name = fresh('checkpoint');
    const arm = hub.checkpoint(name).arm();
    equal(await hub.checkpoint(name).resume(), 0);
    equal(await stateOf(name), 'armed');
    const parked = hub.checkpoint(name).wait();
    await arm;
    equal(await hub.checkpoint(name).resume(), 1);
    await parked;
  });

  test('disarm withdraws a pending arm, and only that', async () => {
    const name = fresh('checkpoint');
    equal(await hub.checkpoint(name).disarm(), false);
    const withdrawn = rejects(hub.checkpoint(name).arm(), 'DisarmedError');
    await hub.stats();
    equal(await peer.checkpoint(name).disarm(), true);
    equal((await withdrawn).code, 'DISARMED');
    equal(await stateOf(name), 'disarmed');
    const again = hub.checkpoint(name).arm();
    const parked = hub.checkpoint(name).wait();
    await again;
    equal(await hub.checkpoint(name).disarm(), false);
    equal(await hub.checkpoint(name).resume(), 1);
    await parked;
  });

  test('a parked caller that leaves does not let the others through', async () => { // K5
    const name = fresh('checkpoint');
    const stop = new AbortController();
    let through = false;
    const arm = hub.checkpoint(name).arm();
    const first = hub.checkpoint(name).wait({ signal: stop.signal });
    const second = hub.checkpoint(name).wait().then(() => (through = true));
    await arm;
    const far = peer.checkpoint(name).wait();
    await peer.fence();
    stop.abort('no more');
    equal(await rejection(first), 'no more');
    equal((await hub.checkpoint(name).stats()).waiting, 2);
    equal(through, false);
    equal(await hub.checkpoint(name).resume(), 2);
    await Promise.all([second, far]);
  });

  test('many parked callers that leave leave nothing', async () => { // K6
    const name = fresh('checkpoint');
    const arm = hub.checkpoint(name).arm();
    const parked = hub.checkpoint(name).wait();
    await arm;
    for (let i = 0; i < 500; i++) {
      const stop = new AbortController();
      const wait = hub.checkpoint(name).wait({ signal: stop.signal });
      stop.abort(i);
      equal(await rejection(wait), i);
    }
    equal((await hub.checkpoint(name).stats()).waiting, 1);
    equal(await hub.checkpoint(name).resume(), 1);
    await parked;
  });

  test('it holds on with nobody parked, when the first one has left', async () => { // K10
    const name = fresh('checkpoint');
    const stop = new AbortController();
    const arm = hub.checkpoint(name).arm();
    const first = hub.checkpoint(name).wait({ signal: stop.signal });
    await arm;
    stop.abort('no more');
    await rejection(first);
    equal(await stateOf(name), 'holding');
    const second = peer.checkpoint(name).wait();
    await peer.fence();
    equal((await hub.checkpoint(name).stats()).waiting, 1);
    equal(await hub.checkpoint(name).resume(), 1);
    await second;
  });

  test('a pending arm is withdrawn when its session ends', async () => {
    const name = fresh('checkpoint');
    const other = await peer.another();
    const arm = other.checkpoint(name).arm();
    await other.fence();
    equal(await stateOf(name), 'armed');
    await other.close();
    await rejects(arm, 'ClosedError');
    await becomes(() => stateOf(name), 'disarmed');
    await hub.checkpoint(name).wait();
  });

  test('held callers are resumed when the session that armed ends', async () => {
    const name = fresh('checkpoint');
    const other = await peer.another();
    const arm = other.checkpoint(name).arm();
    await other.fence();
    const parked = hub.checkpoint(name).wait();
    await arm;
    await other.close();
    await parked;
    equal(await stateOf(name), 'disarmed');
  });

  test("a later arm survives the end of an earlier one's session", async () => {
    const name = fresh('checkpoint');
    const other = await peer.another();
    const arm = other.checkpoint(name).arm();
    await other.fence();
    const first = hub.checkpoint(name).wait();
    await arm;
    equal(await hub.checkpoint(name).resume(), 1);
    await first;
    const mine = hub.checkpoint(name).arm();
    const { sessions } = await hub.stats();
    await other.close();
    await becomes(async () => (await hub.stats()).sessions, sessions - 1);
    equal(await stateOf(name), 'armed');
    const second = peer.checkpoint(name).wait();
    await mine;
    equal(await hub.checkpoint(name).resume(), 1);
    await second;
  });

  test('the end of a parked session leaves the others parked', async () => {
    const name = fresh('checkpoint');
    const other = await peer.another();
    const arm = hub.checkpoint(name).arm();
    const near = hub.checkpoint(name).wait();
    await arm;
    const lost = other.checkpoint(name).wait();
    await other.fence();
    await other.close();
    await rejects(lost, 'ClosedError');
    await becomes(async () => (await hub.checkpoint(name).stats()).waiting, 1);
    equal(await stateOf(name), 'holding');
    equal(await hub.checkpoint(name).resume(), 1);
    await near;
  });

  test('an abort that crosses the grant of an arm takes that arm back, and no other', async () => {
    const name = fresh('checkpoint');
    const stop = new AbortController();
    const arm = hub.checkpoint(name).arm({ signal: stop.signal });
    const parked = hub.checkpoint(name).wait(); // grants the arm as soon as the hub hears of it
    stop.abort('no more');
    const outcome = await arm.then(() => 'armed', (reason: unknown) => reason);
    if (outcome === 'armed') {
      equal(await hub.checkpoint(name).resume(), 1); // the grant was there first
    } else {
      equal(outcome, 'no more');
      equal(await stateOf(name), 'disarmed');
    }
    await parked;
    const again = rejects(hub.checkpoint(name).arm(), 'DisarmedError');
    stop.abort('once more');
    equal(await stateOf(name), 'armed');
    equal(await hub.checkpoint(name).disarm(), true);
    await again;
  });

  test('closing a checkpoint rejects the pending arm and all parked callers, and frees the name', async () => {
    const name = fresh('checkpoint');
    const pending = rejects(hub.checkpoint(name).arm(), 'ClosedError');
    await hub.stats();
    await peer.checkpoint(name).close();
    await pending;
    await hub.checkpoint(name).wait();
    const arm = hub.checkpoint(name).arm();
    const near = rejects(hub.checkpoint(name).wait(), 'ClosedError');
    await arm;
    const far = rejects(peer.checkpoint(name).wait(), 'ClosedError');
    await peer.fence();
    await hub.checkpoint(name).close();
    await near;
    await far;
    await hub.checkpoint(name).wait();
    equal(await stateOf(name), 'disarmed');
  });

  test('the stats of a checkpoint are exact', async () => {
    const name = fresh('checkpoint');
    const checkpoint = hub.checkpoint(name);
    equal(await checkpoint.stats(), { state: 'disarmed', waiting: 0, generation: 0, resumed: 0 });
    const arm = checkpoint.arm();
    const armed = await checkpoint.stats();
    equal(armed, { state: 'armed', waiting: 0, generation: 1, resumed: 0 });
    const waits = [checkpoint.wait(), checkpoint.wait()];
    await arm;
    equal(await checkpoint.stats(), { state: 'holding', waiting: 2, generation: 1, resumed: 0 });
    await checkpoint.resume();
    await Promise.all(waits);
    ok((await checkpoint.stats()).state === 'disarmed', 'disarmed at last');
  });
}
