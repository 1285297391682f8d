import { useState } from 'react';
import { theHub } from './hub.ts';
import { useSignal } from './use-signal.ts';

export function App() {
  const [error, setError] = useState<unknown>();
  if (error === undefined) return <Answers onError={setError} />;
  return <p role="alert">{String(error)} <button onClick={() => setError(undefined)}>Try again</button></p>;
}

function Answers({ onError }: { onError: (error: unknown) => void }) {
  const answers = useSignal('answer', onError);
  const ask = async (): Promise<void> => {
    try {
      const hub = await theHub();
      await hub.signal('question').signal();
    } catch (error) {
      onError(error);
    }
  };
  return <button onClick={ask}>Answers of the Worker: {answers}</button>;
}
