// The Worker of a PlainHub: it is sent the ports of its clients.

import { PlainHub } from './plain.ts';

const hub = new PlainHub();
onmessage = ({ ports }) => hub.admit(ports[0]!);
