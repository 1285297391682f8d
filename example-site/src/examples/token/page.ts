/** The page of the example: its buttons, and what can be seen of the requests and of the server. */

import { takeNumber } from '../../tab.ts';
import { find, tellIfLost, trouble } from '../page.ts';
import { type News, fetch, reachServer } from './server.ts';
import { fetchWithToken, hub } from './token.ts';

const tiles = [...document.querySelectorAll<HTMLElement>('.tiles li')];
const send = find<HTMLButtonElement>('#send');
const seconds = find<HTMLInputElement>('#seconds');
let expired: number | undefined; // how often, as far as this tab has heard

tellIfLost(hub);
const { tab, leave } = await takeNumber('clca token example');
find('#tab').textContent = String(tab);
reachServer(tab, heard);
addEventListener('pagehide', leave);

send.addEventListener('click', () => void fetch('/expire').catch(trouble));
seconds.addEventListener('change', () => seconds.validity.valid && fetch(`/takes/${seconds.value}`).catch(trouble));

/** Sends ten requests whenever some tab has had the token expire. */
function heard(news: News): void {
  if (expired !== undefined && news.expired > expired) tiles.forEach(request);
  expired = news.expired;
  send.disabled = false;
  show(news);
}

async function request(tile: HTMLElement): Promise<void> {
  const become = (state: string): void => {
    tile.dataset.state = state;
    tile.querySelector('span')!.textContent = state;
    const answered = tiles.filter((each) => each.dataset.state === 'answered').length;
    find('#answered').textContent = `${answered} of ${tiles.length}`;
  };
  become('waiting');
  try {
    const { status } = await fetchWithToken('/something');
    become(status === 200 ? 'answered' : `refused: ${status}`);
  } catch (error) {
    become('failed');
    trouble(error);
  }
}

function show({ valid, refreshes, seconds: took }: News): void {
  if (document.activeElement !== seconds) seconds.value = String(took);
  find('#took').textContent = `${took} s`;
  find('#refreshes').textContent = String(refreshes.length);
  find('#token').textContent = valid || 'expired';
  find('#log').replaceChildren(...refreshes.map(({ tab, token }) => {
    const line = document.createElement('li');
    line.textContent = `Tab ${tab} asks to refresh${token && `, and gets ${token}`}.`;
    return line;
  }));
  const at = refreshes.findLast(({ token }) => token === '')?.tab;
  const by = refreshes.findLast(({ token }) => token !== '')?.tab;
  find('#status').textContent = valid !== '' ? `Tab ${by} has refreshed the token, for all.`
    : at === undefined ? 'The token has expired. Nobody has noticed yet.'
      : `Tab ${at} refreshes.${at === tab ? ' Close this tab now, and another one will.' : ''}`;
}
