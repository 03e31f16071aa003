/** Settles as `work` does, or rejects with the signal's reason as soon as the signal aborts. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    // a signal's reason need not be an error
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
