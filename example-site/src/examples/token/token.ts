/**
 * One access token for all tabs. However many requests find that it has expired, in
 * however many tabs, one of them refreshes it, and all go on with the next. If the tab
 * that does it is closed meanwhile, another one does it.
 */

import { createHub } from 'clca';
import { fetch } from './server.ts'; // Pretends. Without this line, it is the real one.

export const hub = await createHub({ where: 'shared' }); // One hub for all tabs.

/** As `fetch`, with the token; and again with the next one if the server refuses it. */
export async function fetchWithToken(url: string, signal?: AbortSignal) {
  const token = localStorage.getItem('token') ?? 'none';
  const response = await fetch(url, { headers: { authorization: token }, signal });
  if (response.status !== 401) return response;
  const next = await tokenAfter(token, signal);
  return fetch(url, { headers: { authorization: next }, signal });
}

/**
 * The hub keeps the next token under the name of the one that was refused. So who is
 * late with that one, as from a tab whose localStorage lags behind, has the next at
 * once, and nobody refreshes a token that is good.
 */
function tokenAfter(refused: string, signal?: AbortSignal): Promise<string> {
  const next = hub.once(`token after ${refused}`, refresh);
  return next.run({ signal, timeout: 20_000 }); // These end this wait alone.
}

/**
 * Runs in one tab. The signal is aborted when nobody waits any more, in any tab. If it
 * fails, all who wait get the error, and the next request that is refused tries again.
 */
async function refresh(signal: AbortSignal): Promise<string> {
  const response = await fetch('/refresh', { method: 'POST', signal });
  if (!response.ok) throw new Error(`The token was not refreshed: ${response.status}`);
  const token = await response.text();
  localStorage.setItem('token', token);
  return token;
}
