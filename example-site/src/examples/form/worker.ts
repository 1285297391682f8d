/** Another realm that needs one of the parts: it has its own reasons to wait, whatever becomes of the form. */

import { connect } from 'clca/client';
import { part } from './form.ts';

const hub = await connect();
postMessage('The Worker waits for the rates, too.');
try {
  const rates = await part(hub, 'rates').run();
  postMessage(`The Worker has the rates: ${Object.keys(rates).length} of them.`);
} catch (error) {
  postMessage(`The Worker does not have the rates: ${error}`);
}
