/** The page of the example: it draws what the Worker is at, as often as it is drawn itself. */

import { find, trouble } from '../page.ts';
import { Computation } from './control.ts';
import type { State } from './tour.ts';

const buttons = {
  pause: find<HTMLButtonElement>('#pause'),
  resume: find<HTMLButtonElement>('#resume'),
  step: find<HTMLButtonElement>('#step'),
  again: find<HTMLButtonElement>('#again'),
};
const numbers = new Intl.NumberFormat('en');
let seed = 0;
let computation: Computation;

wire('pause', async () => {
  await computation.pause();
  await stands();
});
wire('step', async () => {
  await computation.step();
  await stands();
});
wire('resume', async () => {
  become('running');
  await computation.resume();
});
wire('again', async () => {
  await computation.stop();
  start();
});
start();

function start(): void {
  computation = new Computation(++seed);
  void computation.done.then(() => become('done'));
  become('running');
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
  become('paused');
  draw(state);
  find('#status').textContent = `It stands before step ${numbers.format(state.step + 1)}, which will ` +
    (state.next.made ? 'turn round the part that is marked.' : 'leave the tour as it is.');
}

function become(state: 'running' | 'paused' | 'done'): void {
  document.body.dataset.state = state;
  buttons.pause.ariaDisabled = String(state !== 'running');
  buttons.resume.ariaDisabled = buttons.step.ariaDisabled = String(state !== 'paused');
  if (state !== 'paused') find('#status').textContent = state === 'running' ? 'It runs.' : 'It is done.';
}

function draw({ step, steps, temperature, length, tour, next }: State): void {
  find('#steps').textContent = numbers.format(step);
  find('#temperature').textContent = temperature.toFixed(3);
  find('#length').textContent = length.toFixed(2);
  find('#next').textContent = `${next.from} … ${next.to}: ${next.by < 0 ? '−' : '+'}${Math.abs(next.by).toFixed(2)}`;
  find('#made').textContent = next.made ? 'yes' : 'no';
  find<HTMLProgressElement>('#done').value = step / steps;
  const line = (places: { x: number; y: number }[]): string => places.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  find('#tour').setAttribute('points', line(tour));
  find('#part').setAttribute('points', document.body.dataset.state === 'paused' ? line(tour.slice(next.from, next.to + 1)) : '');
}

function wire(name: keyof typeof buttons, press: () => Promise<void>): void {
  buttons[name].addEventListener('click', () => {
    if (buttons[name].ariaDisabled === 'true') return;
    const pressed = computation;
    press().catch((error) => error === pressed.ended.reason || trouble(error));
  });
}
