/** Shows a call of this page, and what it answered. */

import { all, find } from './column.ts';
import { exhibits } from './exhibits.ts';
import type { Outcome } from './outcome.ts';
import type { Primitive } from './protocol.ts';

/** Shows the call in the panel, until a later one has the place. */
export async function readOut(primitive: Primitive, name: string, call: Promise<Outcome<unknown>>): Promise<void> {
  const line = find(document, `[data-panel=${primitive}] .call`);
  const [code, output] = all(line, 'code, output');
  const id = String(++calls);
  const show = (state: string, said: string): void => {
    if (line.dataset.id !== id) return;
    line.dataset.state = state;
    output!.textContent = said;
  };
  line.dataset.id = id;
  code!.textContent = codeOf(primitive, name);
  show('pending', '…');
  const { value, error } = await call;
  if (error === undefined) show('done', `→ ${JSON.stringify(value) ?? 'done'}`);
  else show('failed', `→ ${String(error)}`);
}

/** The code that makes a call, as it is written in the primitive's file. */
function codeOf(primitive: Primitive, name: string): string {
  return String(exhibits[primitive].calls![name]).replace(/^.*?=> /, '');
}

let calls = 0;
