import { connect } from 'clca/client';

connect().then(async (hub) => { // no top-level await: Vite makes a classic script of it, unless worker.format is 'es'
  const news = hub.queue('news');
  const go = hub.signal('go').wait();
  await news.put('waits');
  await go;
  await news.put('goes on');
});
