import { theHub } from './hub.ts';
import { useSignal } from './use-signal.ts';

export function App() {
  const answers = useSignal('answer');
  const ask = async (): Promise<void> => {
    const hub = await theHub();
    await hub.signal('question').signal();
  };
  return <button onClick={ask}>Answers of the Worker: {answers}</button>;
}
