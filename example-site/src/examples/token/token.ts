/**
 * One access token for all tabs. However many requests find that it has expired, in
 * however many tabs, one of them refreshes it, and all go on with the next. If the tab
 * that does it is closed meanwhile, another one does it; if the browser ends the hub, the
 * tabs start the next one, and ask that.
 */

import { HubLostError, createHub } from 'clca';
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
async function tokenAfter(refused: string, signal?: AbortSignal): Promise<string> {
  const next = hub.once(`token after ${refused}`, (abort) => refresh(refused, abort));
  const options = { signal, timeout: 20_000 }; // These end this wait alone.
  try {
    return await next.run(options);
  } catch (error) {
    if (!(error instanceof HubLostError)) throw error;
    return next.run(options); // of the next hub
  }
}

/**
 * Runs in one tab. The signal is aborted when nobody waits any more, in any tab. If it
 * fails, all who wait get the error, and the next request that is refused tries again.
 */
async function refresh(refused: string, signal: AbortSignal): Promise<string> {
  const stored = localStorage.getItem('token') ?? 'none';
  if (stored !== refused) return stored; // What a hub keeps is lost with it; this is not.
  const response = await fetch('/refresh', { method: 'POST', signal });
  if (!response.ok) throw new Error(`The token was not refreshed: ${response.status}`);
  const token = await response.text();
  localStorage.setItem('token', token);
  return token;
}
