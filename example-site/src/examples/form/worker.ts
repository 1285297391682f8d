/** Somebody else who needs one of the parts, whatever becomes of the form. */

import { connect } from 'clca/client';
import { part } from './form.ts';

const hub = await connect();
const rates = part(hub, 'rates').run();
postMessage('The Worker waits for the rates, too.');
try {
  postMessage(`The Worker has ${Object.keys(await rates).length} rates.`);
} catch (error) {
  postMessage(`The Worker has no rates. ${error}`);
}
