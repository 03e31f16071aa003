// Measures that do not fail on a slow or busy machine: wall-clock time includes the work of other
// processes, these times do not.

/** Returns the processor time of this thread, milliseconds. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Returns the processor time of this process, milliseconds: with WebCrypto, which computes in
 * threads of its own, and with other test files in this process.
 */
export function processTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
