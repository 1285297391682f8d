/** The page of the example: its buttons, and a picture of what the Worker is at, as often as the page is drawn. */

import { find, trouble } from '../page.ts';
import { Computation } from './control.ts';
import type { State } from './tour.ts';

const buttons = {
  pause: find<HTMLButtonElement>('#pause'),
  step: find<HTMLButtonElement>('#step'),
  resume: find<HTMLButtonElement>('#resume'),
  again: find<HTMLButtonElement>('#again'),
};
const numbers = new Intl.NumberFormat('en');
let computation: Computation;
let seed = 0;
let busy = false;

wire('pause', async () => {
  await computation.pause();
  await stands();
});
wire('step', async () => {
  await computation.step();
  await stands();
});
wire('resume', async () => {
  become('running', 'It runs.');
  await computation.resume();
});
wire('again', async () => {
  await computation.stop();
  start();
});
start();

function start(): void {
  computation = new Computation(++seed, () => become('done', 'It is done.'));
  become('running', 'It runs.');
  watch().catch(trouble);
}

/** Asks the Worker again and again, also while it stands, and shows what it says. */
async function watch(): Promise<void> {
  const watched = computation;
  for (let asked = 1; watched === computation; asked++) {
    draw(await watched.inspect());
    find('#asked').textContent = numbers.format(asked);
    await new Promise(requestAnimationFrame);
  }
}

async function stands(): Promise<void> {
  const state = await computation.inspect();
  const { step, next } = state;
  become('paused', `It stands before step ${numbers.format(step + 1)}, which will ${next.made ? 'turn the marked part round' : 'change nothing'}.`);
  draw(state);
}

function become(state: 'running' | 'paused' | 'done', words: string): void {
  document.body.dataset.state = state;
  buttons.pause.ariaDisabled = String(state !== 'running');
  buttons.step.ariaDisabled = buttons.resume.ariaDisabled = String(state !== 'paused');
  find('#status').textContent = words;
}

function draw({ step, steps, temperature, length, tour, next }: State): void {
  find('#steps').textContent = numbers.format(step);
  find('#temperature').textContent = temperature.toFixed(3);
  find('#length').textContent = length.toFixed(2);
  find('#by').textContent = `${next.by < 0 ? '−' : '+'}${Math.abs(next.by).toFixed(2)}`;
  find('#made').textContent = next.made ? 'yes' : 'no';
  find<HTMLProgressElement>('#done').value = step / steps;
  const isPaused = document.body.dataset.state === 'paused';
  find('#tour').setAttribute('points', points(tour));
  find('#part').setAttribute('points', isPaused ? points(tour.slice(next.from, next.to + 1)) : '');
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
