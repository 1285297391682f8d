/** A long computation that the page can stop before any step, and then look into. */

import { connect } from 'clca/client';
import { Tour } from './tour.ts';

const tour = new Tour(Number(self.name));

// Answers at any time: where the loop below stands, only the loop waits.
onmessage = ({ data, ports }) => {
  if (data === 'inspect') ports[0]!.postMessage(tour.state());
};

const hub = await connect();
const step = hub.checkpoint('step');
while (!tour.done) {
  await step.wait(); // Passes at once and sends nothing, until the page arms it.
  tour.step();
}
postMessage('done');
