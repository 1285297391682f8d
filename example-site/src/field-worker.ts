/** A Worker of the front page, and its calls. */

import { connect } from 'clca/client';
import { FieldCalls } from './field-calls.ts';
import type { FieldMessage } from './field-protocol.ts';
import { type Identity, Channel } from './protocol.ts';

const { searchParams } = new URL(location.href);
const realm = JSON.parse(searchParams.get('realm')!) as Identity;
const calls = new FieldCalls(await connect(), realm, Number(searchParams.get('calls')), (message) => channel.say(message));
const channel = new Channel<FieldMessage>(searchParams.get('room')!, (message) => calls.hear(message));
calls.begin();
