/** A hub in a Worker or a SharedWorker that can be blocked. */

import { serve } from 'clca';
import { heed } from '../turnstile.ts';

serve();
heed();
