/**
 * Listening to AbortSignals for many calls: one listener per signal, however many calls it can end, and none once they
 * have settled. Adding and removing a listener costs the browser more the more there are on a signal; this does not.
 */

/** What an abort ends. */
export interface Abortable {
  abort(reason: unknown): void;
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
      for (const each of calls) each.abort(signal.reason);
    };
    entry = { calls, listener };
    watches.set(signal, entry);
    signal.addEventListener('abort', listener, { once: true });
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
