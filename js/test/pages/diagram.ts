/** A page with the site's sequence diagram, to which tests feed what they want to have happened. */

import { Diagram } from '../../../example-site/src/diagram.ts';
import type { Recorded } from '../../../example-site/src/record.ts';
import { busyStory, story } from '../story.ts';

const host = document.getElementById('diagram')!;
const diagram = new Diagram(host);
const begin = performance.timeOrigin + performance.now();
const feed = (events: Recorded[]): void => events.forEach((event) => diagram.add(event));

Object.assign(globalThis, { diagram, begin, feed, story, busyStory });
