import { connect } from 'clca/client';

const hub = await connect();
const news = hub.queue('news');
const go = hub.signal('go').wait();
await news.put('waits');
await go;
await news.put('goes on');
