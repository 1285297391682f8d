/** The Worker of a hub in plain JavaScript, to compare with. It is sent the ports of its clients. */

import { PlainHub } from '../../js/test/bench/plain.ts';

const hub = new PlainHub();
addEventListener('message', ({ ports }) => hub.admit(ports[0]!));
