/** Whether this tab is in front: one that is not has its timers slowed down, and is not drawn. */

export class Front {
  #left = document.hidden;

  constructor(changed: (isThere: boolean) => void) {
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.#left = true;
      changed(!document.hidden);
    });
  }

  /** Resolves once the page has been drawn as it is now, with whether it was in front ever since the last time. */
  async drawn(): Promise<boolean> {
    const stayed = !this.#left;
    do {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      await new Promise((resolve) => setTimeout(resolve));
    } while (document.hidden);
    this.#left = false;
    return stayed;
  }
}
