/** What hands do on the plot, told as what is meant by it. */

export interface Meant {
  /** By so many pixels. */
  pan(pixels: number): void;
  /** By a factor, so that what is at `x` stays there. */
  zoom(factor: number, x?: number): void;
  point(x: number, y: number): void;
  leave(): void;
  tap(x: number, y: number, finger: boolean): void;
  /** To the next or the one before; in the same lane, if it is to be that. */
  walk(step: 1 | -1, alongLane: boolean): void;
  changeLane(step: 1 | -1): void;
  walkTo(end: 'first' | 'last'): void;
  fit(): void;
  pause(): void;
  forget(): void;
}

const slack = 4; // pixels that a pointer may move, and yet have tapped

export function listen(canvas: HTMLCanvasElement, meant: Meant): void {
  const pointers = new Map<number, { x: number; y: number }>();
  let dragged = false;
  const at = ({ clientX, clientY }: MouseEvent): { x: number; y: number } => {
    const { left, top } = canvas.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };

  canvas.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'mouse' && event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    if (pointers.size === 0) dragged = false;
    pointers.set(event.pointerId, at(event));
  });
  canvas.addEventListener('pointermove', (event) => {
    const now = at(event);
    const before = pointers.get(event.pointerId);
    if (before === undefined) {
      if (event.pointerType === 'mouse') meant.point(now.x, now.y);
      return;
    }
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)![1];
      const spread = (one: { x: number }): number => Math.max(20, Math.abs(one.x - other.x));
      dragged = true;
      meant.zoom(spread(now) / spread(before), (before.x + other.x) / 2);
      meant.pan((before.x - now.x) / 2);
    } else if (dragged || Math.abs(now.x - before.x) > slack) {
      dragged = true;
      meant.pan(before.x - now.x);
    } else {
      return;
    }
    pointers.set(event.pointerId, now);
  });
  canvas.addEventListener('pointerup', (event) => {
    if (!pointers.delete(event.pointerId) || dragged) return;
    const { x, y } = at(event);
    meant.tap(x, y, event.pointerType !== 'mouse');
  });
  canvas.addEventListener('pointercancel', ({ pointerId }) => pointers.delete(pointerId));
  canvas.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && meant.leave());

  // The wheel alone scrolls the page. With Ctrl it zooms, which is also what a pinch on a touchpad is told as.
  canvas.addEventListener('wheel', (event) => {
    const { deltaX, deltaY, ctrlKey, shiftKey } = event;
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1;
    if (ctrlKey) meant.zoom(Math.exp(-deltaY * unit * (unit === 1 && Math.abs(deltaY) < 50 ? 0.01 : 0.003)), at(event).x);
    else if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) meant.pan((shiftKey && deltaX === 0 ? deltaY : deltaX) * unit);
    else return;
    event.preventDefault();
  }, { passive: false });

  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const keys: Record<string, () => void> = {
      ArrowRight: () => meant.walk(1, event.shiftKey),
      ArrowLeft: () => meant.walk(-1, event.shiftKey),
      ArrowDown: () => meant.changeLane(1),
      ArrowUp: () => meant.changeLane(-1),
      Home: () => meant.walkTo('first'),
      End: () => meant.walkTo('last'),
      '+': () => meant.zoom(2), '=': () => meant.zoom(2), '-': () => meant.zoom(0.5),
      0: () => meant.fit(),
      ' ': () => meant.pause(),
      Escape: () => meant.forget(),
    };
    const does = keys[event.key];
    if (does === undefined) return;
    event.preventDefault();
    does();
  });
}
