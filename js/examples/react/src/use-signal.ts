import { useEffect, useState } from 'react';
import { theHub } from './hub.ts';

/** How often the signal was heard since the component is there; what ends that is told to `onError`. */
export function useSignal(name: string, onError: (error: unknown) => void): number {
  const [heard, setHeard] = useState(0);
  useEffect(() => {
    const gone = new AbortController();
    const { signal } = gone;
    const listen = async (): Promise<void> => {
      const hub = await theHub();
      for (;;) {
        await hub.signal(name).wait({ signal });
        setHeard((times) => times + 1);
      }
    };
    listen().catch((error) => {
      if (!signal.aborted) onError(error);
    });
    return () => gone.abort();
  }, [name, onError]);
  return heard;
}
