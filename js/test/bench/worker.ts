// A Worker that is a client of both hubs. It is sent a port of the plain one, then what to run.

import { type Hub, connect } from 'clca/client';
import { type Times, interleave } from './interleave.ts';
import { lockAndUnlock } from './lock.ts';
import { PlainClient } from './plain.ts';
import { broadcast, echo, roundTrip } from './signal.ts';

/** Finds the signals of both sides by name. */
interface Sides {
  ours: (name: string) => ReturnType<PlainClient['signal']>;
  theirs: (name: string) => ReturnType<PlainClient['signal']>;
  hub: Hub;
  plain: PlainClient;
}

const sides = new Promise<Sides>((resolve) => {
  addEventListener('message', async ({ data }) => {
    if (data?.plain === undefined) return;
    const hub = await connect();
    const plain = new PlainClient(data.plain);
    resolve({ ours: (name) => hub.signal(name), theirs: (name) => plain.signal(name), hub, plain });
  });
});

const runs: Record<string, (sides: Sides) => Promise<Times | void>> = {
  async echo({ ours, theirs }) {
    await echo(ours('ping'), ours('pong'));
    await echo(theirs('ping'), theirs('pong'));
  },
  async roundTrip({ ours, theirs }) {
    const via = (side: Sides['ours']) => {
      const ping = side('ping');
      const pong = side('pong');
      return () => roundTrip(ping, pong);
    };
    return interleave(via(ours), via(theirs));
  },
  async broadcast({ ours, theirs }) {
    const via = (side: Sides['ours']) => {
      const signal = side('broadcast');
      return () => broadcast(signal, 10_000);
    };
    return interleave(via(ours), via(theirs));
  },
  async lock({ hub, plain }) {
    const [ours, theirs] = [hub.lock('lock'), plain.lock('lock')];
    return interleave(() => lockAndUnlock(ours), () => lockAndUnlock(theirs));
  },
  async request({ hub }) {
    const request = (locks: Pick<Hub['locks'], 'request'>) => () => locks.request('lock', () => {});
    return interleave(request(hub.locks), request(navigator.locks as Hub['locks']));
  },
  async checkpoint({ hub }) {
    const checkpoint = hub.checkpoint('checkpoint');
    const settled = Promise.resolve();
    return interleave(async () => {
      for (let i = 0; i < 1000; i++) await checkpoint.wait();
    }, async () => {
      for (let i = 0; i < 1000; i++) await settled;
    });
  },
  async blocking({ hub }) {
    const checkpoint = hub.checkpoint('checkpoint');
    const word = new Int32Array(new SharedArrayBuffer(4));
    return interleave(async () => {
      for (let i = 0; i < 1_000_000; i++) checkpoint.waitSync();
    }, async () => {
      for (let i = 0; i < 1_000_000; i++) Atomics.load(word, 0);
    });
  },
};

addEventListener('message', async ({ data }) => {
  const run = runs[data?.run];
  if (run === undefined) return;
  const done = sides.then(run).then((times) => ({ times }), (error) => ({ error: String(error) }));
  postMessage({ ran: data.run, ...(await done) });
});
