/** The page of the example: its buttons, and a picture of what the Worker is at, as often as the page is drawn. */

import { find, tellIfLost, trouble } from '../page.ts';
import { Computation, hub } from './control.ts';
import { type State, Tour } from './tour.ts';

const buttons = {
  go: find<HTMLButtonElement>('#go'),
  step: find<HTMLButtonElement>('#step'),
  again: find<HTMLButtonElement>('#again'),
};
/** What the first one does, by what the computation is at. */
const does = { ready: 'Start', running: 'Pause', paused: 'Resume', done: 'Start' };
const numbers = new Intl.NumberFormat('en');
let computation: Computation | undefined;
let state: keyof typeof does = 'ready';
let seed = 0;
let busy = false;

wire('go', async () => {
  if (state === 'running') {
    await computation!.pause();
    await stands();
  } else if (state === 'paused') {
    become('running', 'It runs.');
    await computation!.resume();
  } else {
    await start();
  }
});
wire('step', async () => {
  await computation!.step();
  await stands();
});
wire('again', start);
tellIfLost(hub);
draw(new Tour(seed + 1).state());
become('ready', 'It has not started.');
buttons.go.disabled = false;

async function start(): Promise<void> {
  await computation?.stop();
  computation = new Computation(++seed, () => become('done', 'It is done.'));
  become('running', 'It runs.');
  watch(computation).catch(trouble);
}

/** Asks the Worker again and again, also while it stands, and shows what it says. */
async function watch(watched: Computation): Promise<void> {
  for (let asked = 1; watched === computation; asked++) {
    draw(await watched.inspect());
    find('#asked').textContent = numbers.format(asked);
    await new Promise(requestAnimationFrame);
  }
}

async function stands(): Promise<void> {
  const seen = await computation!.inspect();
  const { step, next } = seen;
  become('paused', `It stands before step ${numbers.format(step + 1)}, which will ${next.made ? 'turn the marked part round' : 'change nothing'}.`);
  draw(seen);
}

function become(next: keyof typeof does, words: string): void {
  state = document.body.dataset.state = next;
  buttons.go.textContent = does[state];
  buttons.step.ariaDisabled = String(state !== 'paused');
  buttons.again.ariaDisabled = String(state === 'ready');
  find('#status').textContent = words;
}

function draw({ step, steps, temperature, length, tour, next }: State): void {
  find('#steps').textContent = numbers.format(step);
  find('#temperature').textContent = temperature.toFixed(3);
  find('#length').textContent = length.toFixed(2);
  find('#by').textContent = `${next.by < 0 ? '−' : '+'}${Math.abs(next.by).toFixed(2)}`;
  find('#made').textContent = next.made ? 'yes' : 'no';
  find<HTMLProgressElement>('#done').value = step / steps;
  find('#tour').setAttribute('points', points(tour));
  find('#part').setAttribute('points', state === 'paused' ? points(tour.slice(next.from, next.to + 1)) : '');
}

function points(places: State['tour']): string {
  return places.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
}

/** Whoever presses a button while another one is at work has not pressed it. */
function wire(name: keyof typeof buttons, press: () => Promise<void>): void {
  buttons[name].addEventListener('click', async () => {
    if (busy || buttons[name].ariaDisabled === 'true') return;
    busy = true;
    try {
      await press();
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError')) trouble(error); // else it was done before
    } finally {
      busy = false;
    }
  });
}
