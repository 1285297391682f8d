// The Worker of the examples: it connects, and says that it is done.
import { connect } from '/clca/client.js';

const hub = await connect();
await hub.event('done').set();
