import { createHub } from 'clca';

const output = document.querySelector('output')!;

for (const where of ['here', 'worker', 'shared'] as const) {
  const hub = await createHub({ where });
  hub.attach(new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })); // as it is in dist
  const news = hub.queue<string>('news');
  output.append(`${where}: the Worker ${await news.get()}, `);
  const woken = await hub.signal('go').signal();
  output.append(`${woken} woken, it ${await news.get()}\n`);
}
