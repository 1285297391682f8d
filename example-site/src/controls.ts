/** The buttons that are not a lane's: they order all lanes, or make a call of this page. */

import type { Board } from './board.ts';
import type { Lane } from './lane.ts';
import { names } from './names.ts';
import { readOut } from './readout.ts';

export function wireControls(lane: Lane, board: Board, changed: () => void): void {
  const { hub } = lane;
  const signal = hub.signal(names.signal);
  const checkpoint = hub.checkpoint(names.checkpoint);
  const on = (id: string, act: () => unknown): void => {
    document.getElementById(id)!.onclick = async () => {
      await act();
      changed();
    };
  };

  on('all-wait', () => board.orderAll('start', 'signal'));
  on('wake', async () => {
    const { value } = await readOut('signal', `hub.signal('${names.signal}').signal()`, signal.signal(), String);
    if (value !== undefined) lane.report('signal', 'signals', value);
  });

  const call = `hub.checkpoint('${names.checkpoint}')`;
  on('all-work', () => board.orderAll('start', 'checkpoint'));
  on('arm', async () => {
    const arming = checkpoint.arm();
    lane.report('checkpoint', 'arms');
    const { error } = await readOut('checkpoint', `${call}.arm()`, arming, () => 'somebody is parked');
    if (error === undefined) lane.report('checkpoint', 'armed');
    else lane.report('checkpoint', 'fails', String(error));
  });
  on('resume', async () => {
    const { value } = await readOut('checkpoint', `${call}.resume()`, checkpoint.resume(), String);
    if (value !== undefined) lane.report('checkpoint', 'resumes', value);
  });
  on('disarm', async () => {
    const { value } = await readOut('checkpoint', `${call}.disarm()`, checkpoint.disarm(), String);
    if (value !== undefined) lane.report('checkpoint', 'disarms', String(value));
  });

  on('all-acquire', () => board.orderAll('start', 'resource'));
  on('all-release', () => board.orderAll('stop', 'resource'));

  for (const fieldset of document.querySelectorAll<HTMLFieldSetElement>('.actions')) fieldset.disabled = false;
}
