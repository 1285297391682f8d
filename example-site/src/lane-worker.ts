/** A Worker of the page, and the lane in it. */

import { connect } from 'clca/client';
import { Lane } from './lane.ts';
import type { Identity } from './protocol.ts';
import { Witness } from './witness.ts';

const { searchParams } = new URL(location.href);
const identity = JSON.parse(searchParams.get('identity')!) as Identity;
const room = searchParams.get('room')!;
const witness = new Witness(room, identity.id);
new Lane(await connect({ trace: witness.trace }), room, identity, witness);
