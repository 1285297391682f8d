/** What a realm reports to nobody in particular, on either platform. */

/** Node, and what takes after it. */
const inNode = (globalThis as { process?: NodeJS.Process }).process?.versions?.node !== undefined;

/** The errors that are reported to the realm while `during` runs; they go no further. */
export async function caughtErrors(during: () => Promise<void>): Promise<Error[]> {
  const errors: Error[] = [];
  if (inNode) {
    const { error } = console;
    console.error = (each: Error) => errors.push(each);
    try {
      await during();
    } finally {
      console.error = error;
    }
    return errors;
  }
  const heard = (event: ErrorEvent): void => {
    event.preventDefault();
    errors.push(event.error as Error);
  };
  addEventListener('error', heard);
  try {
    await during();
  } finally {
    removeEventListener('error', heard);
  }
  return errors;
}

/** Calls `heard` with each rejection that nobody handles; they go no further. Returns what stops that. */
export function onUnhandledRejection(heard: (reason: unknown) => void): () => void {
  if (inNode) {
    process.on('unhandledRejection', heard);
    return () => void process.off('unhandledRejection', heard);
  }
  const listener = (event: PromiseRejectionEvent): void => {
    event.preventDefault();
    heard(event.reason);
  };
  addEventListener('unhandledrejection', listener);
  return () => removeEventListener('unhandledrejection', listener);
}
