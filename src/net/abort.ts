/**
 * Resolves as the work does, or rejects with the signal's reason once that aborts, whatever the
 * work still waits for.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    // what a signal is aborted with is its reason, an error or not
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    abort = () => reject(signal.reason);
  });
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
