/** The elements of a diagram. */

export interface Parts {
  status: HTMLElement;
  tools: HTMLElement;
  pause: HTMLButtonElement;
  present: HTMLButtonElement;
  closer: HTMLButtonElement;
  wider: HTMLButtonElement;
  fit: HTMLButtonElement;
  pace: HTMLSelectElement;
  replay: HTMLButtonElement;
  names: HTMLElement;
  canvas: HTMLCanvasElement;
  nothing: HTMLElement;
  scrub: HTMLInputElement;
  words: HTMLElement;
  scale: HTMLElement;
  forgotten: HTMLElement;
  summary: HTMLElement;
  details: HTMLDetailsElement;
  list: HTMLElement;
}

let diagrams = 0;

export function build(host: HTMLElement, label: string): Parts {
  const id = `diagram-${++diagrams}`;
  host.classList.add('diagram');
  host.setAttribute('aria-label', label);
  host.innerHTML = `
    <header>
      <h2></h2>
      <p class="status" data-part="status"></p>
      <div class="tools" data-part="tools">
        <button data-part="pause">Pause</button>
        <button data-part="present">Live</button>
        <button data-part="replay" title="Plays again what is in view, in slow motion">Replay slowly</button>
        <select data-part="pace" aria-label="Slow motion">
          <option value="1">Slow motion off</option>
          <option value="10">1/10 of the pace</option>
          <option value="100">1/100 of the pace</option>
          <option value="1000">1/1000 of the pace</option>
          <option value="10000">1/10 000 of the pace</option>
        </select>
        <span class="zoom" role="group" aria-label="Zoom">
          <button data-part="wider" aria-label="Zoom out" title="Zoom out">−</button>
          <button data-part="closer" aria-label="Zoom in" title="Zoom in">+</button>
          <button data-part="fit">Fit</button>
        </span>
      </div>
    </header>
    <div class="plot">
      <ol class="names" data-part="names" aria-hidden="true"></ol>
      <canvas data-part="canvas" tabindex="0" role="application" aria-roledescription="sequence diagram"
        aria-describedby="${id}-keys ${id}-words"></canvas>
      <p class="nothing" data-part="nothing"><span>Calls will be drawn here</span></p>
    </div>
    <input type="range" class="scrub" data-part="scrub" aria-label="Time" min="0" max="0" value="0" step="any">
    <div class="words" data-part="words" id="${id}-words"></div>
    <footer>
      <p class="scale"><i></i> <span data-part="scale"></span></p>
      <ul class="key">
        <li class="waits">waits</li><li class="brief">answered at once</li><li class="holds">holds</li><li class="blocked">stands still</li>
        <li class="wake">wakes another call</li><li class="cross">given up, or killed</li>
        <li class="fold">time folded: beyond 100 µs, each doubling is as wide</li>
      </ul>
      <p class="forgotten" data-part="forgotten"></p>
    </footer>
    <details data-part="details">
      <summary>Events as text</summary>
      <div class="list" tabindex="0" role="region" aria-label="Events as text"><table>
        <thead><tr><th scope="col">Time</th><th scope="col">Lane</th><th scope="col">What happened</th></tr></thead>
        <tbody data-part="list"></tbody>
      </table></div>
    </details>
    <p class="spoken" id="${id}-keys">Left and right walk the events in order of time, with Shift along one lane. Up and down
      change the lane. Plus and minus zoom, 0 shows everything, the space bar pauses.</p>
    <p class="spoken" data-part="summary" role="status"></p>`;
  host.querySelector('h2')!.textContent = label;
  const parts: Partial<Record<string, Element>> = {};
  for (const element of host.querySelectorAll<HTMLElement>('[data-part]')) parts[element.dataset['part']!] = element;
  const { canvas } = parts as unknown as Parts;
  canvas.setAttribute('aria-label', label);
  return parts as unknown as Parts;
}

/** Says it, if it is not said already. */
export function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** An element with a class and a text, or with children. */
export function make(tag: string, className: string, ...content: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...content);
  return element;
}
