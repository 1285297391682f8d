/**
 * Listening to AbortSignals for many calls: one listener per signal, however many calls it can end, and none once they
 * have settled. Adding and removing a listener costs the browser more the more there are on a signal; this does not.
 */

/** What an abort ends. */
export interface Abortable {
  /** Ends it, and returns what is to be done once the abort has ended all: what one gives back must not go to another. */
  abort(reason: unknown): (() => void) | undefined;
}

interface Watch {
  calls: Set<Abortable>;
  listener: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

/** Has `call.abort` called when the signal is aborted, unless it is unwatched before. */
export function watch(signal: AbortSignal, call: Abortable): void {
  let entry = watches.get(signal);
  if (entry === undefined) {
    const calls = new Set<Abortable>();
    const listener = (): void => {
      watches.delete(signal);
      for (const after of Array.from(calls, (each) => each.abort(signal.reason))) after?.();
    };
    entry = { calls, listener };
    signal.addEventListener('abort', listener, { once: true });
    watches.set(signal, entry);
  }
  entry.calls.add(call);
}

export function unwatch(signal: AbortSignal, call: Abortable): void {
  const entry = watches.get(signal);
  if (entry?.calls.delete(call) && entry.calls.size === 0) {
    watches.delete(signal);
    try {
      signal.removeEventListener('abort', entry.listener);
    } catch {
      // It is no AbortSignal of the platform; the call has settled all the same.
    }
  }
}
