/** Stands in for the server: a SharedWorker, so that all tabs have the same one. */

import { random } from '../random.ts';
import type { Asked, News, Told } from './server.ts';

declare const self: { onconnect: (event: MessageEvent) => void };

const latency = random(1);
const tabs = new Set<MessagePort>();
const news: News = { expired: 0, valid: '', refreshes: [], seconds: 2.5 };

self.onconnect = ({ ports: [port] }) => {
  const waiting = new Set<number>(); // requests whose answer it will hear
  tabs.add(port!);
  port!.onmessage = async ({ data }: MessageEvent<Asked>) => {
    const { id, path } = data;
    if (path === '/aborted') return void waiting.delete(id);
    if (path === '/gone') {
      waiting.clear();
      return void tabs.delete(port!);
    }
    waiting.add(id);
    const [status, body] = await answer(data, () => waiting.has(id));
    if (waiting.delete(id)) port!.postMessage({ id, status, body } satisfies Told);
  };
  tell();
};

async function answer({ path, token, tab }: Asked, isHeard: () => boolean): Promise<[status: number, body: string]> {
  if (path === '/refresh') return refresh(tab, isHeard);
  await pause(0.1 + 0.3 * latency());
  if (path === '/expire') {
    news.expired++;
    if (news.valid !== '') news.refreshes = []; // else some may be under way
    news.valid = '';
  } else if (path.startsWith('/takes/')) {
    news.seconds = Number(path.slice('/takes/'.length));
  } else {
    return token === news.valid ? [200, 'answer'] : [401, ''];
  }
  tell();
  return [200, ''];
}

async function refresh(tab: number, isHeard: () => boolean): Promise<[status: number, body: string]> {
  const refresh = { tab, token: '' };
  news.refreshes.push(refresh);
  tell();
  await pause(news.seconds);
  if (!isHeard()) return [200, ''];
  news.valid = refresh.token = `token ${crypto.randomUUID().slice(0, 4)}`; // No two are the same, as with real servers.
  tell();
  return [200, news.valid];
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
}

function tell(): void {
  for (const port of tabs) port.postMessage(news);
}
