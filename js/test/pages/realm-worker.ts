/** A Worker that lives and dies as the page tells it; or that has one of its own do so. */

import { connect, createHub } from 'clca';
import { type Fate, meetFate } from '../fate.ts';
import { Speaker } from '../last-words.ts';
import { Life, type Which } from '../occupations.ts';
import { outlast } from '../outlast.ts';
import { whyNotBlock } from '../suite-blocking.ts';
import { block } from '../turnstile.ts';
import { WaitLoop } from '../wait-loop.ts';

interface Order {
  depth?: number;
  meetFate?: string;
  live?: Which;
  ends?: true;
  end?: 'self.close' | 'hub.close';
  spin?: true;
  /** Under that name, and dies before any of it is answered. */
  speakAndDie?: string;
  /** At the turnstile of that name. */
  block?: string;
  /** As the hub is blocked, at the turnstile of that name. */
  outlast?: string;
  keepWaiting?: true;
  countWakes?: true;
  signal?: true;
  createShared?: true;
  whyNotBlock?: true;
  /** For that signal, lock or checkpoint. */
  blockIn?: ['signal' | 'checkpoint', 'waitSync', string] | ['lock', 'acquireSync', string];
}

export interface RealmReply {
  /** What it was asked for, if anything. */
  done?: unknown;
  fate?: Fate;
}

const reply = (message: RealmReply): void => postMessage(message);
let loop: WaitLoop | undefined;
let life: Life | undefined;
const connecting = connect({ timeout: 30_000 });

onmessage = async ({ data }) => {
  if (!('order' in data)) return; // of clca
  const order = data.order as Order;
  const hub = await connecting;
  if (order.depth !== undefined && order.depth > 1) {
    const worker = new Worker(new URL('realm-worker.js', import.meta.url), { type: 'module' });
    hub.attach(worker);
    worker.onmessage = (event) => reply(event.data as RealmReply);
    worker.postMessage({ order: { ...order, depth: order.depth - 1 } });
    return;
  }
  if (order.spin) {
    reply({ done: true });
    for (;;);
  }
  if (order.block !== undefined) return block(order.block);
  if (order.speakAndDie !== undefined) {
    const speaker = await Speaker.prepare(hub, order.speakAndDie);
    reply({ done: true });
    await speaker.speak();
    return close();
  }
  if (order.end === 'self.close') return close();
  if (order.end === 'hub.close') await hub.close();
  if (order.live !== undefined) await (life = new Life()).begin(hub, order.live);
  if (order.ends) return reply({ done: await life!.ends() });
  if (order.meetFate !== undefined) void (await meetFate(hub, order.meetFate)).fate.then((fate) => reply({ fate }));
  if (order.outlast !== undefined) {
    return reply({ done: await outlast(hub, order.outlast).then(() => 'outlasted', String) });
  }
  if (order.keepWaiting) loop = new WaitLoop(hub);
  if (order.createShared) return reply({ done: await createHub({ where: 'shared' }).catch(({ name }) => name) });
  if (order.blockIn !== undefined) {
    const [kind, method, name] = order.blockIn;
    return void (hub[kind](name) as any)[method]();
  }
  if (order.whyNotBlock) return reply({ done: whyNotBlock(hub) });
  if (order.signal) return reply({ done: await hub.signal('all').signal() });
  reply({ done: loop?.woken ?? true });
};
