// A Worker of workerpool.

import { worker } from 'workerpool';

worker({
  turn: () => {},
  consume: (item: ArrayBuffer) => new Uint32Array(item, 0, 1)[0],
});
