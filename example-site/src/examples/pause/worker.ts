/** A long computation that can be stopped after any of its steps, and asked what it is at while it stands. */

import { connect } from 'clca/client';
import { Tour } from './tour.ts';

const tour = new Tour(Number(self.name));

// While the loop below stands, this Worker's event loop goes on to turn: only the loop waits.
onmessage = ({ data, ports }) => {
  if (data === 'inspect') ports[0]!.postMessage(tour.state());
};

const hub = await connect();
const step = hub.checkpoint('step');
while (!tour.done) {
  await step.wait(); // Passes at once, without a message, until the page arms the checkpoint.
  tour.step();
}
postMessage('done');
