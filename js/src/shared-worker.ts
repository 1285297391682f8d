/** The ready script for a hub in a SharedWorker or a Worker, with the package's own module. */

import { serve } from './serve.ts';

serve();
