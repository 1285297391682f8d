/** How a call ended. */
export type Outcome<T> = { value: T; error?: undefined } | { value?: undefined; error: unknown };

/** The outcome of a call, which may be looked at late: it is never an unhandled rejection. */
export function told<T>(call: Promise<T>): Promise<Outcome<T>> {
  return call.then((value) => ({ value }), (error: unknown) => ({ error: error ?? new Error('no reason') }));
}

/** Resolves after so many milliseconds, or when `stop` is aborted. */
export function pause(milliseconds: number, stop?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop?.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      stop?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    stop?.addEventListener('abort', end);
  });
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
