/** A Worker that takes part in a row of the benchmark. It is sent its kit, and a port to be told what to do. */

import { connect } from 'clca/client';
import { type Kit, equip, serve } from '../../js/test/bench/across/realm.ts';

addEventListener('message', async ({ data }: MessageEvent<{ kit?: Kit; told: MessagePort }>) => {
  if (data?.kit !== undefined) serve(equip(await connect(), data.kit), data.told);
});
