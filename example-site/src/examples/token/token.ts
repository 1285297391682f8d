/**
 * One access token for all tabs. However many requests find that it has expired, in however many tabs, one of them
 * refreshes it and all go on with the next. If its tab is closed meanwhile, another tab refreshes.
 */

import { createHub } from 'clca';
import { fetch } from './server.ts'; // Stands in for a server; without this line, it is the browser's own.

export const hub = await createHub({ where: 'shared' }); // One hub for all tabs.

/** As `fetch`, with the token; and once more with the next token, should the server refuse this one. */
export async function fetchWithToken(url: string, signal?: AbortSignal): Promise<Response> {
  const token = localStorage.getItem('token') ?? 'none';
  const response = await fetch(url, { headers: { authorization: token }, signal });
  if (response.status !== 401) return response;
  const next = await tokenAfter(token, signal);
  return fetch(url, { headers: { authorization: next }, signal });
}

/**
 * The run has the name of the token that was refused, and the hub keeps its result. So who is late with an old token, as
 * another tab may be whose localStorage lags behind, gets the one that came after it, and nobody refreshes a good one.
 */
function tokenAfter(refused: string, signal?: AbortSignal): Promise<string> {
  const next = hub.once(`token after ${refused}`, refresh);
  return next.run({ signal, timeout: 20_000 }); // These end this wait, and not the run that others wait for.
}

/**
 * Runs in one tab. Its signal is aborted only when nobody waits any more, in any tab. If it fails, all who wait get the
 * error, and the next request that is refused tries again.
 */
async function refresh(signal: AbortSignal): Promise<string> {
  const response = await fetch('/refresh', { method: 'POST', signal });
  if (!response.ok) throw new Error(`The token was not refreshed: ${response.status}`);
  const token = await response.text();
  localStorage.setItem('token', token);
  return token;
}
