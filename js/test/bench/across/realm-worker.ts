// A Worker that takes part in a row. It is sent its kit, and a port on which it is told what to do.

import { connect } from 'clca/client';
import type { HostPorts } from './host.ts';
import { libraries } from './libraries.ts';
import { type Kit, equip, serve } from './realm.ts';

addEventListener('message', async ({ data }: MessageEvent<{ kit?: Kit & HostPorts; told: MessagePort }>) => {
  if (data?.kit !== undefined) serve(equip(await connect(), data.kit, libraries(data.kit.comlink)), data.told);
});
