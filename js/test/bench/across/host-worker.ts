// A Worker, or a SharedWorker, that runs the hubs which are not ours. It is sent the ports of their clients.

import { Host, type HostPorts } from './host.ts';

const host = new Host();
const admit = ({ data }: MessageEvent<HostPorts>): void => host.admit(data);

addEventListener('message', admit as EventListener);
addEventListener('connect', (event) => {
  (event as MessageEvent).ports[0]!.onmessage = admit;
});
