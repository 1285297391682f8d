import { connect } from 'clca/client';

connect().then(async (hub) => { // Parcel knows no top-level await in a Worker
  const news = hub.queue('news');
  const go = hub.signal('go').wait();
  await news.put('waits');
  await go;
  await news.put('goes on');
});
