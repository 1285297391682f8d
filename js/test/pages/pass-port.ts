/** A SharedWorker that passes the ports that one tab gives it to the next that connects. */

export {}; // a module

const given: MessagePort[] = [];
const takers: MessagePort[] = [];

function pass(): void {
  while (given.length > 0 && takers.length > 0) {
    const port = given.shift()!;
    takers.shift()!.postMessage({ port }, [port]);
  }
}

addEventListener('connect', (event) => {
  const [taker] = (event as MessageEvent).ports;
  takers.push(taker!);
  taker!.onmessage = ({ data }) => {
    takers.splice(takers.indexOf(taker!), 1);
    given.push(data.give as MessagePort);
    pass();
  };
  pass();
});
