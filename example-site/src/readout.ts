/** Shows a call of this page, and what it answered. */

import { find } from './column.ts';
import { type Outcome, told } from './outcome.ts';

/** Shows the call in the panel; resolves with its outcome. */
export async function readOut<T>(
  panel: string, text: string, call: Promise<T>, words: (value: T) => string,
): Promise<Outcome<T>> {
  const line = find(document, `[data-call=${panel}]`);
  const output = find(line, 'output');
  const show = (state: string, said: string): void => {
    if (find(line, 'code').dataset.call !== id) return; // a later call has the line
    line.dataset.state = state;
    output.textContent = said;
  };
  const id = String(++calls);
  find(line, 'code').dataset.call = id;
  find(line, 'code').textContent = text;
  show('pending', '…');
  const outcome = await told(call);
  if (outcome.error === undefined) show('done', `→ ${words(outcome.value as T)}`);
  else show('failed', `→ ${String(outcome.error)}`);
  return outcome;
}

let calls = 0;
