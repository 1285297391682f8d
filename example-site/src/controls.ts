/** The buttons that are not a lane's: they order all lanes, or have the page's own make a call. */

import type { Board } from './board.ts';
import { all } from './column.ts';
import type { Lane } from './lane.ts';
import type { Activity, Primitive } from './protocol.ts';
import { readOut } from './readout.ts';

export function wireControls(lane: Lane, board: Board, changed: () => void): void {
  for (const button of all(document, '.actions > button')) {
    const { begin, end, release, call, how } = button.dataset;
    button.onclick = () => {
      if (begin !== undefined) board.beginAll(begin as Activity, how);
      if (end !== undefined) board.endAll(end as Activity);
      if (release !== undefined) board.endAll(release as Activity, true);
      if (call !== undefined) {
        const [primitive, name] = call.split(' ') as [Primitive, string];
        void readOut(primitive, name, lane.call(primitive, name)).then(changed);
        changed();
      }
    };
  }
  for (const fieldset of all(document, '.actions') as HTMLFieldSetElement[]) fieldset.disabled = false;
}
