// A Worker that is a client of both hubs. It is sent a port of the plain one, then what to run.

import { connect } from 'clca/client';
import { type Times, interleave } from './interleave.ts';
import { type Clients, pairs } from './pairs.ts';
import { PlainClient } from './plain.ts';
import { echo } from './signal.ts';

const clients = new Promise<Clients>((resolve) => {
  addEventListener('message', async ({ data }) => {
    if (data?.plain === undefined) return;
    const hub = await connect();
    resolve({ hub, plain: new PlainClient(data.plain) });
  });
});

async function run(name: keyof typeof pairs | 'echo'): Promise<Times | void> {
  const { hub, plain } = await clients;
  if (name === 'echo') {
    for (const side of [hub, plain]) await echo(side.signal('ping'), side.signal('pong'));
  } else {
    const { ours, theirs } = pairs[name]({ hub, plain });
    return interleave(ours, theirs);
  }
}

addEventListener('message', async ({ data }) => {
  if (data?.run === undefined) return;
  const done = run(data.run).then((times) => ({ times }), (error) => ({ error: String(error) }));
  postMessage({ ran: data.run, ...(await done) });
});
