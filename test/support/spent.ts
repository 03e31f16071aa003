// What a test measures so that a slow machine, or a busy one, does not fail it: the clock goes on
// while others compute, these times stand.

/** Milliseconds for which this thread has computed. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Milliseconds for which this process has: with WebCrypto, which computes in threads of its own, and
 * with whatever other files of tests do beside.
 */
export function processTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
