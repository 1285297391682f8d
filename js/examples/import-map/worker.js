import { connect } from './node_modules/clca/dist/client.js'; // import maps do not reach into Workers

const hub = await connect();
const news = hub.queue('news');
const go = hub.signal('go').wait();
await news.put('waits');
await go;
await news.put('goes on');
