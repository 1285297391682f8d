/** Runs the suite in one place, in a page of its own: with the frame that has it, all that it started ends. */

import type { Said } from '../../js/test/tell.ts';

/** No case takes as long, and none says nothing for longer than its deadline. */
const patience = 90_000;

/** Resolves once all is over or stopped, and rejects if it could not be run to its end. */
export async function runIn(place: string, only: string, heard: (said: Said) => void, stopped: AbortSignal): Promise<void> {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.title = place;
  frame.src = `./test/suite.html?${new URLSearchParams({ place, only })}`;
  const ended = new AbortController();
  const { signal } = ended;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const wait = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => reject(new Error(`nothing was heard for ${patience / 1000} s`)), patience);
      };
      addEventListener('message', ({ source, data }: MessageEvent<Said>) => {
        if (source !== frame.contentWindow) return;
        wait();
        if ('over' in data) resolve();
        else if ('failed' in data) reject(new Error(data.failed));
        else heard(data);
      }, { signal });
      stopped.addEventListener('abort', () => resolve(), { signal });
      wait();
      document.body.append(frame);
    });
  } finally {
    clearTimeout(timer);
    ended.abort();
    frame.remove();
  }
}
