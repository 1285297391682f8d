/** A Worker of the page, and the lane in it. */

import { connect } from 'clca/client';
import { Lane } from './lane.ts';
import type { Identity } from './protocol.ts';

const { searchParams } = new URL(location.href);
const identity = JSON.parse(searchParams.get('identity')!) as Identity;
new Lane(await connect(), searchParams.get('room')!, identity);
