/** Stands in for the server: a SharedWorker, so that all tabs have the same one. */

import { random } from '../random.ts';
import type { Asked, News, Told } from './server.ts';

declare const self: { onconnect: (event: MessageEvent) => void };

const toRefresh = 2500; // milliseconds
const latency = random(1);
const tabs = new Set<MessagePort>();
const news: News = { valid: '', refreshes: [] };

self.onconnect = ({ ports: [port] }) => {
  tabs.add(port!);
  port!.onmessage = ({ data }: MessageEvent<Asked>) => {
    if (data.path === '/gone') return void tabs.delete(port!);
    setTimeout(() => {
      const [status, body] = answer(data);
      port!.postMessage({ id: data.id, status, body } satisfies Told);
    }, data.path === '/refresh' ? begun(data) : 100 + 300 * latency());
  };
  tell();
};

function begun({ tab }: Asked): number {
  news.refreshes.push({ tab, token: '' });
  tell();
  return toRefresh;
}

function answer({ path, token, tab }: Asked): [status: number, body: string] {
  switch (path) {
    case '/refresh': {
      news.valid = `token ${crypto.randomUUID().slice(0, 4)}`; // No two are the same, as of real servers.
      news.refreshes.find((each) => each.tab === tab && each.token === '')!.token = news.valid;
      tell();
      return [200, news.valid];
    }
    case '/expire':
      news.valid = '';
      news.refreshes = [];
      tell();
      return [200, ''];
    default:
      return token === news.valid ? [200, 'answer'] : [401, ''];
  }
}

function tell(): void {
  for (const port of tabs) port.postMessage(news);
}
