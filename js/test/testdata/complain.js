// A Worker or SharedWorker that answers, and then does what its URL says.
const ways = {
  nothing() {},
  throw: () => setTimeout(() => { throw new Error('thrown on purpose'); }),
  reject: () => void Promise.reject(new Error('rejected on purpose')),
  console: () => console.error('said', 'on', 'purpose'),
};
const way = location.search.slice(1);

if (way === 'nest') {
  globalThis.nested = new Worker('complain.js?throw');
  nested.onmessage = () => postMessage('hello');
} else if (way === 'hold') {
  navigator.locks.request('held', () => new Promise(() => {}));
  onconnect = ({ ports: [port] }) => navigator.locks.query().then(() => port.postMessage('hello'));
} else if ('onconnect' in self) {
  onconnect = ({ ports: [port] }) => { port.postMessage('hello'); ways[way](); };
} else {
  postMessage('hello');
  ways[way]();
}
