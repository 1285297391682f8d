/** A Worker of the page that plays scenarios. */

import { connect } from 'clca/client';
import { type Order, ScenarioLane, shown } from './scenario-lane.ts';
import { Made } from './scenario-trace.ts';
import type { Who } from './scenario.ts';

const orders: Order[] = [];
let obey = (order: Order): void => void orders.push(order);
addEventListener('message', ({ data }) => 'do' in data && obey(data as Order));

const made = new Made();
const lane = new ScenarioLane(await connect(made), made, self.name as Who, (said) => postMessage(said));
obey = (order) => void lane.obey(order);
orders.forEach(obey);

// Such as the error of a clean-up that nobody waits for.
addEventListener('error', (event) => {
  event.preventDefault();
  lane.say({ say: 'logged', text: shown(event.error) });
});
